"""What noisy counts of records that do not fit can tell, and whether they are too many.

All from the exact law of the noise.  With n public the records that do not fit are n less those
that do: one noisy count, whatever the number of columns.  Where n is private they are the sum of
all cells, under as many noises; there a single cell tells more, so both are looked at.

When every record fits, the chance of a stop is at most `FALSE_ALARM` where n is public and twice
that where it is not.  Where a person is the unit the same holds in tickets: a person adds as many
as there are to one, so n persons have n times as many in all, whatever their rows.
"""

from dataclasses import dataclass
from fractions import Fraction

from sfumato.accuracy.discrete_sum import DiscreteSum, Part
from sfumato.accuracy.noisy import law_of
from sfumato.privacy.mechanism import Event
from sfumato.release.certificate import Certificate, stated
from sfumato.release.fit import Fit, FitFacts, Misfit
from sfumato.schema import Schema
from sfumato.schema.domain import Domain, Levels

__all__ = [
    "CONFIDENCE",
    "FALSE_ALARM",
    "Verdict",
    "about_fit",
    "judge",
    "judged",
    "not_counted",
    "reach",
    "read_as_other",
    "stops_from",
]

FALSE_ALARM = Fraction(1, 100)
CONFIDENCE = 1 - 2 * FALSE_ALARM  # that all intervals of a fit hold together
_MOST_NAMED = 5


def reach(event: Event, cells: int, *, chance: Fraction = FALSE_ALARM) -> int:
    """How far a count may be off, on each side and for all cells together.

    >>> from sfumato.privacy.guarantee import PureDP
    >>> reach(Event("fit", "discrete-laplace", Fraction(2), Fraction(100), PureDP("1/50")), 85)
    835
    """
    return int(_law(event).one_sided(chance / max(cells, 1)))


@dataclass(frozen=True, slots=True)
class Verdict:
    """How many records do not fit in all, and whether that stops the release.

    Where a person is the unit: how many persons, by the part of their rows.
    """

    total: int
    low: int
    high: int
    stops: bool


def judge(facts: FitFacts, event: Event, *, chance: Fraction = FALSE_ALARM) -> Verdict:
    """Whether more than `facts.misfit` of the records do not fit, and significantly so.

    `chance`: how often noise alone may look significant, on one side of one test.
    """
    cells, size, whole = len(facts.misfits), facts.size, facts.whole
    law = _law(event) if whole is not None else _law(event, cells)
    far = int(law.one_sided(chance))
    # Cut to what is known for sure: where n is private its noisy estimate cuts nothing.
    low, total, high = (
        max(end if whole is None else min(end, whole), 0)
        for end in (facts.total - far, facts.total, facts.total + far)
    )
    # Where n is public and too small for the noise, there is nothing that could be found.
    if whole is not None and far >= whole:
        _, total, high = facts.shown(0, total, whole)
        return Verdict(total, 0, high, stops=False)
    stops = facts.total > far and min(total, size) > facts.misfit * size
    if whole is None:
        loud = reach(event, cells, chance=chance)
        found = sum(cell.count for cell in facts.misfits if cell.count > loud)
        stops = stops or min(found, size) > facts.misfit * size
    low, total, high = facts.shown(low, total, high)
    return Verdict(total, low, high, stops)


def stops_from(event: Event, cells: int, records: int, misfit: Fraction, *, public: bool) -> int:
    """How many of so many records must not fit for a stop, whatever the noise.

    But for `FALSE_ALARM`; where n is private, of misfits in one place and for twice that.  A
    figure above `records` says that the noise may hide all of them.

    >>> from sfumato.privacy.guarantee import PureDP
    >>> event = Event("fit", "discrete-laplace", Fraction(2), Fraction(100), PureDP("1/50"))
    >>> stops_from(event, 20, 45_000, Fraction(1, 20), public=True)
    2642
    >>> stops_from(event, 20, 300, Fraction(1, 20), public=True)
    783
    """
    if public:
        far, size = int(_law(event).one_sided(FALSE_ALARM)), records
    else:
        far = reach(event, cells)
        size = records + int(_law(event, cells + 1).one_sided(FALSE_ALARM))
    return max(far, int(misfit * size)) + far + 1


def judged(certificate: Certificate) -> Verdict:
    """The same of a release in which it was counted: as the first thing of all."""
    return judge(stated(certificate.fit), certificate.events[0])


def about_fit(certificate: Certificate) -> str:
    """What the counts say, in a line: the largest misfits, or all of them, or what noise hides."""
    free = not_counted(certificate.public_schema)
    return _counted(certificate) + (f"; {free}" if free else "")


def read_as_other(schema: Schema | None) -> str:
    """The columns in which a value that is not listed fits, however many there are.

    >>> ward = {"kind": "category", "values": ["a", "b"], "other": "else"}
    >>> read_as_other(Schema.of({"name": "t", "columns": {"ward": ward}}))
    'ward'
    """
    axes = () if schema is None else Domain.of(schema).axes
    names = [axis.name for axis in axes if isinstance(axis, Levels) and axis.other]
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def not_counted(schema: Schema | None) -> str:
    """What the counts cannot show, in words; empty where no column declares `other`."""
    named = read_as_other(schema)
    return f"in {named}, values that are not listed are read as other, uncounted" if named else ""


def _counted(certificate: Certificate) -> str:
    facts, verdict = stated(certificate.fit), judged(certificate)
    fit = Fit.of(facts)
    one, part = ("row", ", as a part of its person") if fit.persons else ("record", "")
    if found := fit.significant:
        said = (_cell(misfit, fit) for misfit in found[:3])
        more = f"; {len(found) - 3:,} further counts" if len(found) > 3 else ""
        return (
            f"these do not fit and were cut or replaced: {'; '.join(said)}{more}; a {one} counts "
            f"in the first column that it does not fit{part}, so later ones may hold more"
        )
    if verdict.low > 0:
        return (
            f"between {verdict.low:,} and {verdict.high:,} {fit.unit} do not fit and were cut or "
            f"replaced, with confidence {float(100 * CONFIDENCE):g} %; noise hides in which columns"
        )
    if facts.reach >= facts.size:
        few = "persons" if fit.persons else "records"
        return f"cannot be told: of so few {few}, noise at this budget hides up to all"
    most = max((misfit.high for misfit in fit.misfits), default=0)
    return (
        f"no column is seen not to fit (noise hides up to {most:,} {fit.unit} of each kind, each "
        f"counted in the first column that it does not fit{part})"
    )


def _cell(misfit: Misfit, fit: Fit) -> str:
    whose = f" {fit.unit}" if fit.persons else ""
    return f"{misfit.column}: about {misfit.records:,}{whose} {misfit.complaint}"


def _law(event: Event, count: int = 1) -> DiscreteSum:
    return DiscreteSum.of([Part(*law_of(event), count)])
