"""What every interval is about: values as they were read, and how many of them were changed by it.

Noise says how near a published figure is to that of the values *as read*.  How near those are to
what stands in the file, it cannot say: that is what the counts of the fit tell
(`sfumato.release.fit`), each record in its first column that does not fit.  So of a column they
tell how many records were changed at least; and nothing of values that are not listed where the
schema declares `other`, for these fit.

>>> from sfumato.schema import Schema
>>> domain = Domain.of(Schema.of({"name": "t", "columns": {
...     "income": {"kind": "number", "low": 0, "high": 40}}}))
>>> fit = Fit((Misfit("income", "above", 9_800, 9_400, 10_200, True),), 10_200, 20_000)
>>> changed(fit, domain.axes[0])
'about 9,800 records (at least 9,400) lie above the range and are read as 40, its end'
"""

from collections.abc import Callable

import numpy as np

from sfumato.accuracy.fit import judged, not_counted
from sfumato.accuracy.people_words import weights
from sfumato.release.certificate import Certificate
from sfumato.release.fit import Fit, Misfit
from sfumato.release.kind import COUNTS, NETWORK, STREAM
from sfumato.schema import Boolean, Date, Integer, Number
from sfumato.schema.domain import Axis, Domain, Grid, moment_of, step_of
from sfumato.schema.grid_number import code_numbers

__all__ = ["NOT_MEASURED", "as_read", "became", "briefly", "changed", "changes", "told"]

NOT_MEASURED = "How many values were changed by that was not measured"
_TABLE = (
    "All of this is about values as they were read. A number or date beyond its declared range is "
    "read as the nearest end of it. What is no such value, or is not listed, is read as what the "
    "schema provides for it: other or missing where they are declared, else the middle of the "
    "range or the first value."
)
_OTHERS = {
    NETWORK: "All of this is about weights as they were read: to the nearest step of their grid, "
    "and where they lie outside the declared range, as its nearest end.",
    STREAM: "All of this is about bits as they were read.",
    COUNTS: "All of this is about counts as they were read: to the nearest whole number, and what "
    "lies below 0 or is no number as 0.",
}
_SAYS = {
    "unreadable": "cannot be read, and count as {}",
    "below": "lie below the range and are read as {}",
    "above": "lie above the range and are read as {}",
    "not listed": "hold a value that is not listed, and are read as {}",
    "missing": "hold no value, and are read as {}",
}


def as_read(certificate: Certificate, fit: Fit | None) -> str:
    """What the figures of a release are about, in words; said once, before them."""
    said = _weighed(_OTHERS.get(certificate.kind, _TABLE), certificate)
    if fit is None:
        return f"{said} {NOT_MEASURED}."
    said += _uncounted(certificate)
    if not fit.significant:
        return f"{said} {_unseen(certificate, fit)}."
    return (
        f"{said} Where the fit of the file shows that {fit.unit} were changed so, the line says it."
    )


def briefly(certificate: Certificate, fit: Fit | None) -> str:
    """The same in a line, for a screen."""
    if fit is None:
        said = _OTHERS.get(certificate.kind, "All of this is about values as they were read.")
        return f"{_weighed(said, certificate)} {NOT_MEASURED}."
    return _weighed(_briefly(certificate, fit), certificate)


def _weighed(said: str, certificate: Certificate) -> str:
    """With how rows are weighed, where a person is the unit."""
    return said if certificate.people is None else f"{weights(certificate.public_schema)} {said}"


def _briefly(certificate: Certificate, fit: Fit) -> str:
    said = "All of this is about values as they were read"
    if fit.significant:
        names = dict.fromkeys(misfit.column for misfit in fit.significant)
        return (
            f"{said}; {fit.unit} were changed so in: {', '.join(names)}; in later columns of these "
            f"{'rows' if fit.persons else 'records'} perhaps more.{_uncounted(certificate)}"
        )
    return f"{said}.{_uncounted(certificate)} {_unseen(certificate, fit)}."


def told(certificate: Certificate, fit: Fit | None, *columns: str) -> tuple[str, ...]:
    """A sentence for each of these columns in which records were changed."""
    by_name = changes(certificate, fit)
    found = ((column, by_name(column)) for column in columns)
    return tuple(f"In {column}, {said}." for column, said in found if said)


def changed(fit: Fit | None, axis: Axis) -> str:
    """How many records were changed in a column when it was read; empty where none is shown."""
    if fit is None:
        return ""
    found = [one for one in fit.significant if one.column == axis.name]
    return "; ".join(
        f"about {_records(one, fit)} {_SAYS[one.complaint].format(became(one.complaint, axis))}"
        for one in found
    )


def changes(certificate: Certificate, fit: Fit | None) -> Callable[[str], str]:
    """The same by the name of the column; of a column that is not of the schema, nothing."""
    schema = certificate.public_schema
    axes = {} if schema is None else {axis.name: axis for axis in Domain.of(schema).axes}
    return lambda column: changed(fit, axes[column]) if column in axes else ""


def became(complaint: str, axis: Axis) -> str:
    """What such a value is read as.

    >>> from sfumato.schema import Schema
    >>> domain = Domain.of(Schema.of({"name": "t", "columns": {
    ...     "age": {"kind": "integer", "low": 0, "high": 110},
    ...     "ward": {"kind": "category", "values": ["a", "b"]}}}))
    >>> became("unreadable", domain.axes[0]), became("not listed", domain.axes[1])
    ('55, the middle of the range', 'a, the first value')
    """
    column = axis.column
    if isinstance(axis, Grid):
        if complaint in ("below", "above"):
            return f"{_end(axis.column, complaint)}, its end"
        return "missing" if axis.missing else f"{_middle(axis)}the middle of the range"
    code = axis.unusable if complaint == "missing" else axis.unknown
    if code == len(axis.values):
        return "missing"
    value = str(axis.values[code])
    value = value.lower() if isinstance(column, Boolean) else value
    return f"{value}, the first value" if code == 0 else value


def _uncounted(certificate: Certificate) -> str:
    said = not_counted(certificate.public_schema)
    return f" {said[:1].upper()}{said[1:]}." if said else ""


def _unseen(certificate: Certificate, fit: Fit) -> str:
    """What noise may hide: that nothing is seen is not that nothing is there."""
    if certificate.fit is not None and (all_of := judged(certificate)).low > 0:
        return (
            f"The fit of the file shows that between {all_of.low:,} and {all_of.high:,} {fit.unit} "
            "were changed by that, but noise hides in which columns"
        )
    most = max((misfit.high for misfit in fit.misfits), default=0)
    apart = "Apart from these, the" if not_counted(certificate.public_schema) else "The"
    return (
        f"{apart} fit of the file shows no column whose values were changed by that, but noise "
        f"would hide up to {most:,} {fit.unit} of each column and complaint, each of them counted "
        "in the first column that it does not fit"
    )


def _records(misfit: Misfit, fit: Fit) -> str:
    said = f"{misfit.records:,} {fit.unit} (at least {misfit.low:,})"
    if misfit.column == fit.misfits[0].column:
        return said
    return f"{said}, and perhaps more that do not fit in an earlier column,"


def _middle(axis: Grid) -> str:
    """The code in the middle, as the value that it is published as."""
    if isinstance(axis.column, Date):
        return ""
    return f"{_in_full(float(code_numbers(axis)[axis.middle]))}, "


def _end(column: Number | Integer | Date, complaint: str) -> str:
    """The end of the range, as it is published: of dates the first moment of their last step."""
    end = column.low if complaint == "below" else column.high
    if not isinstance(column, Date):
        return _in_full(float(end))  # type: ignore[arg-type]  # a number, where it is no date
    moment = moment_of(step_of(np.array([end], "datetime64[s]"), column.step), column.step)[0]
    return str(moment.item()).removesuffix(" 00:00:00")


def _in_full(number: float) -> str:
    """Every digit, for it is one value and no estimate."""
    return f"{number:,}".removesuffix(".0")
