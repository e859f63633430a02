"""How `mosaic` divides its budget where persons are the unit, from public facts alone.

As for records (`sfumato.methods.mosaic.division`), shares change with the deviation of one count
under the whole budget, as a share of the persons.  Under much noise most of the budget goes to
columns by themselves, and pairs are chosen under Gaussian noise, too: a panel has many columns and
few persons, and what one table tells falls with their number (decision 0035).
"""

from dataclasses import dataclass
from fractions import Fraction

from sfumato.methods.mosaic.division import (
    MOST_CELLS,
    Part,
    between,
    deviation,
    fine_bins,
    noise_level,
)
from sfumato.privacy.budget import Budget, shared
from sfumato.privacy.guarantee import ZCDP

__all__ = ["PeopleDivision", "PeopleShape", "divided_people"]

# Shares, in hundredths, of one-way tables, the choice, two-way tables, tables of next rows, of
# other rows and of steps: under little noise, and under much.  Where tables of two rows would be
# nothing but noise, what stays the same has a share of its own.
_LITTLE, _MUCH = (15, 2, 35, 25, 13, 10), (58, 4, 17, 13, 4, 4)
_STAYING = 4
_CLEAR = {True: 45.0, False: 100.0}  # persons to a deviation of a chosen pair's cells
_TOLD = {True: 25.0, False: 60.0}  # the same of tables of two rows: below, none is bought
_FEWEST_PAIRS = 2
_BINS, _FEWEST_BINS, _MOST_BINS = 1.5, 5, 16


@dataclass(frozen=True)
class PeopleShape:
    """The public shape of a panel."""

    columns: int  # flat ones
    in_runs: int  # of these, those whose fine bins are also counted in runs
    varying: int  # columns of rows, without the order
    numbers: int  # numbers of rows, the order among them
    cells: int  # at most, in coarse bins
    persons: int
    moved: int  # cells of each table, between neighbours
    constants: int = 0  # columns of persons, whose tables with the number of rows are not chosen


@dataclass(frozen=True)
class PeopleDivision:
    """What each step may cost; None where there is no such step."""

    one: Part
    choice: Part | None
    pairs: Part | None
    next: Part | None
    other: Part | None
    steps: Part | None
    staying: Part | None
    chosen: int  # pairs that are chosen, or 0 where all are measured
    noise: float
    bins: int  # of a number, in two-way tables
    single: int
    most: int  # fine bins of a number with more codes than `single`


def divided_people(budget: Budget, shape: PeopleShape) -> PeopleDivision:
    """Shares that suit the noise.

    >>> from sfumato.privacy.guarantee import PureDP
    >>> few, many = (divided_people(PureDP(1), PeopleShape(9, 0, 4, 3, 60, n, 2))
    ...     for n in (3_000, 300_000))
    >>> few.next is None, many.next is None, few.chosen, many.chosen
    (True, False, 0, 0)
    """
    whole = shared(budget, Fraction(1))[0]
    gaussian, persons = isinstance(whole, ZCDP), max(shape.persons, 1)
    noise = noise_level(deviation(whole, shape.moved) / persons, gaussian)
    weights = between(_LITTLE, _MUCH, Fraction(round(100 * noise), 100))
    every = shape.columns * (shape.columns - 1) // 2 if shape.cells <= MOST_CELLS else 0
    clear = _most_clear(whole, weights[2] / 100, shape, _CLEAR[gaussian])
    free = every - shape.constants  # where all of these would be drawn, there is no choice
    pairs = every if clear >= free else clear if clear >= min(_FEWEST_PAIRS, every) else 0
    chosen = pairs if pairs < every else 0
    pairs += shape.constants if chosen else 0
    told = (
        shape.varying
        and _most_clear(whole, weights[3] / 100, shape, _TOLD[gaussian]) >= shape.varying
    )
    stepped = told and shape.numbers
    stays = shape.varying and not told
    there = (1, chosen, pairs, told, told, stepped, stays)
    weights = (*weights, Fraction(_STAYING))
    total = sum(weight for weight, is_there in zip(weights, there, strict=True) if is_there)
    one, choice, tables, following, others, steps, staying = (
        shared(whole, weight / total)[0] if is_there else None
        for weight, is_there in zip(weights, there, strict=True)
    )
    assert one is not None  # noqa: S101  it is always there
    bins = _FEWEST_BINS
    if tables is not None:
        seen = persons / deviation(tables, shape.moved * pairs)
        bins = max(bins, min(_MOST_BINS, round(_BINS * seen ** (1 / 3))))
        bins = min(bins, max(_FEWEST_BINS, MOST_CELLS // shape.columns - 1))
    in_all = shape.columns + (shape.in_runs if gaussian else 0)
    single, most = fine_bins(one, persons, shape.moved * in_all)
    bought = one, choice, tables, following, others, steps, staying
    return PeopleDivision(*bought, chosen, noise, bins, single, most)


def _most_clear(whole: Part, share: Fraction, shape: PeopleShape, clear: float) -> int:
    """How many tables may share this part, so that persons are so many deviations of a cell."""
    one = deviation(shared(whole, share)[0], shape.moved)
    told = max(shape.persons, 1) / (one * clear)
    return int(min(told**2 if isinstance(whole, ZCDP) else told, 10**9))
