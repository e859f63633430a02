"""Does the file fit the schema?  What the counts of the fit say, with their intervals.

>>> from sfumato.release.fit import Misfit
>>> from sfumato.schema import Schema
>>> income = {"kind": "number", "low": 0, "high": 4}
>>> schema = Schema.of({"name": "t", "columns": {"income": income}})
>>> wrong = Misfit("income", "above", 9_800, 9_400, 10_200, True)
>>> noise = Misfit("income", "below", -20, 0, 380, False)
>>> found = fitting(Fit((wrong, noise), 10_220, 20_000), schema)
>>> found.verdict
'No: more records do not fit than noise alone would show. What is said about their columns is \
about what they were read as.'
>>> found.lines
(('income', 'above the range, read as 4, its end', 'about 9,800', 'between 9,400 and 10,200'),)
>>> found.rest
'The other count is within what noise alone would show: at most 380 records.'
"""

from dataclasses import dataclass

from sfumato.accuracy.as_read import became
from sfumato.accuracy.fit import FALSE_ALARM, Verdict, read_as_other
from sfumato.release.fit import Fit
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

__all__ = ["Fitting", "fitting"]

_COMPLAINTS = {
    "unreadable": "cannot be read, counts as",
    "below": "below the range, read as",
    "above": "above the range, read as",
    "not listed": "not listed, read as",
    "missing": "missing, read as",
}
_MISFIT = (
    "No: more {unit} do not fit than noise alone would show. What is said about their columns is "
    "about what they were read as."
)
_HIDDEN = (
    "Probably not: between {low:,} and {high:,} {unit} do not fit, with confidence {sure}, and "
    "noise hides in which columns; up to two releases in a hundred say so although all fits. "
    "What is said of any column is about what its values were read as."
)
_UNTOLD = (
    "Cannot be told: with so few {many} at this budget, noise hides misfits of up to all {many}. "
    "So whether the values were read as they were meant, this page cannot say."
)
_FITS = "As far as noise lets see, yes: no column has more misfits than noise alone would show."
_UNKNOWN = (
    "Not measured: it was left out (--no-fit), the method has no such counts, or an older version "
    "made the release. So whether the values were read as they were meant, this page cannot say."
)
_MOST = 40
_TOGETHER = f"{float(100 * (1 - 2 * FALSE_ALARM)):g} %"  # of all intervals, on both sides
_ONCE = "each record once"
_ONCE_IN_ALL = "each person once in all, a row as the part of its person that it is"
_COUNTED = (
    "Counted under noise, {once}: about {fitting:,} of {records:,} {unit} ({share}) fit "
    "in every column, the others count in the first column that they do not fit in. What they hold "
    "in later columns is not counted, so a column may have more misfits than its count says. The "
    f"intervals of all counts hold together with confidence {_TOGETHER}."
)


@dataclass(frozen=True)
class Fitting:
    """The section: a verdict, a line for each count that is more than noise, and the rest."""

    verdict: str
    lines: tuple[tuple[str, str, str, str], ...] = ()  # column, complaint, records, interval
    rest: str = ""
    counted: str = ""  # how, and what is not: without that no count can be read
    measured: bool = True
    wrong: bool = False
    unit: str = "records"  # what the counts are of


def fitting(fit: Fit | None, schema: Schema, judged: Verdict | None = None) -> Fitting:
    """What a reader must know before believing a figure of a column.

    `judged`: all records together.
    """
    if fit is None:
        return Fitting(_UNKNOWN, measured=False)
    axes = {axis.name: axis for axis in Domain.of(schema).axes}
    wrong = fit.significant
    others = [m for m in fit.misfits if not m.significant]
    lines = tuple(
        (
            misfit.column,
            f"{_COMPLAINTS[misfit.complaint]} {became(misfit.complaint, axes[misfit.column])}",
            f"about {misfit.records:,}",
            f"between {misfit.low:,} and {misfit.high:,}",
        )
        for misfit in wrong[:_MOST]
    )
    rest = _rest([m.high for m in others], "other " if wrong else "", fit.unit) if others else ""
    if len(wrong) > _MOST:
        rest = f"{len(wrong) - _MOST:,} further counts are more than noise, too. {rest}"
    share = 100 * min(max(fit.fitting, 0) / max(fit.records, 1), 1)
    told = _COUNTED.format(
        once=_ONCE_IN_ALL if fit.persons else _ONCE,
        fitting=fit.fitting,
        records=fit.records,
        unit=fit.unit,
        share=f"{share:.3g} %",
    )
    if named := read_as_other(schema):
        told += (
            f" Values that are not listed are published as what the schema calls other, and fit: "
            f"in {named}."
        )
    hidden = not wrong and judged is not None and judged.low > 0
    many = "persons" if fit.persons else "records"
    verdict = _MISFIT if wrong else _UNTOLD if fit.reach >= fit.records else _FITS
    verdict = verdict.format(unit=fit.unit, many=many)
    if hidden and judged is not None:
        ends = {"low": judged.low, "high": judged.high}
        verdict = _HIDDEN.format(**ends, unit=fit.unit, sure=_TOGETHER)
    return Fitting(verdict, lines, rest, told, wrong=bool(wrong) or hidden, unit=fit.unit)


def _rest(highs: list[int], other: str, unit: str) -> str:
    most = f"{max(highs):,} {unit}"
    if len(highs) == 1:
        return f"The {other}count is within what noise alone would show: at most {most}."
    return (
        f"The {other}{len(highs):,} counts are within what noise alone would show: at most {most} "
        "each."
    )
