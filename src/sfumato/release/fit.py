"""How well the records fitted the schema that they were read by, as a release tells it.

Each record counts once: it fits, or it stands in the cell of its first column that does not and
of what is wrong there.  The counts are under noise, like all that a release says.

Where a person is the unit, it is their rows that stand in cells, and a person counts once in all:
a row counts as its part of its person.  A certificate states that in tickets, so many to a person;
what is shown is in persons.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field, PlainSerializer, PlainValidator

from sfumato.release.section import Section

__all__ = ["Fit", "FitFacts", "Misfit", "MisfitCount"]

_LONGEST_FIGURE = 100  # characters
_MOST = 2**63


def _share(text: object) -> Fraction:
    if not isinstance(text, str) or len(text) > _LONGEST_FIGURE:
        raise ValueError("not a share")
    try:
        found = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise ValueError("not a share") from None
    if not 0 <= found <= 1:
        raise ValueError("a share lies between 0 and 1")
    return found


Share = Annotated[Fraction, PlainValidator(_share), PlainSerializer(str)]
Noisy = Annotated[int, Field(ge=-_MOST, lt=_MOST)]
Count = Annotated[int, Field(ge=0, lt=_MOST)]
Tickets = Annotated[int, Field(ge=1, lt=2**31)]


class MisfitCount(Section):
    """One cell, under noise."""

    column: Annotated[str, Field(min_length=1)]
    complaint: Literal["unreadable", "below", "above", "not listed", "missing"]
    count: Noisy


class FitFacts(Section):
    """What a certificate states about the fit: noisy counts, and what was agreed before them."""

    share: Share  # of the budget, that the counts cost
    misfit: Share  # of the records: where more do not fit, nothing is published
    records: Count | None  # their number, or that of persons, where that is public
    reach: Count  # no count is off by more, with the confidence of all intervals of a fit
    fitting: Noisy
    misfits: Annotated[tuple[MisfitCount, ...], Field(strict=False)]
    # Of one person, where a person is the unit: all counts, and their reach, are in these.
    tickets: Tickets | None = None

    @property
    def each(self) -> int:
        """What a record counts, or a person in all."""
        return self.tickets or 1

    @property
    def whole(self) -> int | None:
        """What all of them count, where their number is public."""
        return None if self.records is None else self.records * self.each

    @property
    def total(self) -> int:
        """What does not fit, as counted: under one noise where the number of records is public."""
        if self.whole is not None:
            return self.whole - self.fitting
        return sum(cell.count for cell in self.misfits)

    @property
    def size(self) -> int:
        """What all records count, or about that."""
        return max(self.fitting + self.total, 0)

    def shown(self, low: int, count: int, high: int) -> tuple[int, int, int]:
        """A count between its ends, in records or persons: the ends are rounded outwards."""
        return low // self.each, round(Fraction(count, self.each)), -(-high // self.each)


@dataclass(frozen=True, slots=True)
class Misfit:
    """Records that do not fit in one column, for one reason; what they hold in later ones is open.

    `low` and `high` hold for all columns and complaints of a release together.  Where a person is
    the unit, each of these figures is of persons, by the part of their rows.
    """

    column: str
    complaint: str  # unreadable, below, above, not listed, missing
    records: int
    low: int
    high: int
    significant: bool  # more than noise alone would show


@dataclass(frozen=True, slots=True)
class Fit:
    """What a release says about the file that it was made from, beside its schema.

    >>> cell = MisfitCount(column="age", complaint="above", count=40)
    >>> facts = FitFacts(share="1/50", misfit="1/20", records=1_000, reach=25, fitting=955,
    ...                  misfits=(cell,))
    >>> found = Fit.of(facts)
    >>> found.misfits
    (Misfit(column='age', complaint='above', records=40, low=15, high=65, significant=True),)
    >>> found.fitting, found.records
    (955, 1000)
    """

    misfits: tuple[Misfit, ...]
    fitting: int  # records that fit in every column
    records: int  # how many there are; an estimate where their number is not public
    reach: int = 0  # how far each count may be off
    persons: bool = False  # whether rows are counted, by the part of their person that they are

    @classmethod
    def of(cls, facts: FitFacts) -> "Fit":
        """What the noisy counts say, cut to what can be."""
        most = _MOST if facts.whole is None else facts.whole

        def between(count: int) -> tuple[int, int, int]:
            ends = (count - facts.reach, count, count + facts.reach)
            return facts.shown(*(min(max(end, 0), most) for end in ends))

        misfits = []
        for cell in facts.misfits:
            low, count, high = between(cell.count)
            loud = cell.count > facts.reach
            misfits.append(Misfit(cell.column, cell.complaint, count, low, high, loud))
        _, fitting, _ = between(facts.fitting)
        _, size, reach = facts.shown(0, facts.size, facts.reach)
        return cls(tuple(misfits), fitting, size, reach, facts.tickets is not None)

    @property
    def unit(self) -> str:
        """What is counted, behind a number."""
        return "persons' rows" if self.persons else "records"

    @property
    def significant(self) -> tuple[Misfit, ...]:
        """The cells that hold more than noise alone would show, most records first."""
        found = (misfit for misfit in self.misfits if misfit.significant)
        return tuple(sorted(found, key=lambda misfit: -misfit.records))
