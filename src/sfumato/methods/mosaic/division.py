"""How `mosaic` divides its budget, from public facts alone.

The facts are the schema, the budget, and the number of records where it is public; the figure
that counts is the deviation of one count under the whole budget, as a share of the records.
The shares were measured on made-up tables and on training parts of splits of Adult; they share
records, as all splits of one table do, with the test parts that `benchmarks/peers` scores on.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from sfumato.privacy.budget import Budget, shared
from sfumato.privacy.guarantee import ZCDP, PureDP

__all__ = ["Division", "Shape", "divided"]

MOST_PAIRS = 120  # so many are measured all at once under Gaussian noise
MOST_CELLS = 6_000  # coarse bins over all columns, for which two-way counts are kept
_CLEAR = 0.0018  # of all records: noise on a pair's cells up to which one more pair is worth it
_NOISY = {True: 1e-3, False: 1.5e-4}  # of all records: noise on a count, Gaussian or not
_APART = {True: 1.5, False: 2.5}  # deviations of a fine count in an even share, Gaussian or not
_COMMON = 10_000  # records, where their number is private and nobody says

Part = PureDP | ZCDP


@dataclass(frozen=True)
class Shape:
    """The public shape of a table."""

    columns: int  # besides the label, where there are classes
    wide: int  # of these, those with more values than a two-way table has bins
    cells: int  # at most, in coarse bins
    records: int
    moved: int = 2  # cells of each table, between neighbours


@dataclass(frozen=True)
class Division:
    """What each step may cost; None where there is no such step."""

    columns: Part | None
    classes: Part | None
    choice: Part | None
    pairs: Part | None
    chosen: int  # pairs that are chosen, or 0
    noisy: bool  # whether the noise is so large that few bins and strong pulls are better
    single: int = 0  # codes of a number that are worth a fine bin each


def divided(budget: Budget, shape: Shape) -> Division:
    """Shares that suit the noise.

    >>> small, large = (divided(PureDP(1), Shape(10, 5, 70, n)) for n in (500, 50_000))
    >>> small.chosen, large.chosen
    (0, 9)
    """
    whole = shared(budget, Fraction(1))[0]
    noise = _deviation(whole, shape.moved) / max(shape.records, 1)
    gaussian = isinstance(whole, ZCDP)
    noisy = noise > _NOISY[gaussian]
    pairs = shape.columns * (shape.columns - 1) // 2
    if shape.cells > MOST_CELLS:
        pairs = 0
    if gaussian and pairs <= MOST_PAIRS:
        weights = (40, 20, 0, 40) if noisy else (30, 5, 0, 65)
        chosen = 0
    else:
        weights = (33, 33, 4, 30) if noisy else (30, 20, 5, 45)
        chosen = min(shape.columns - 1, _worthwhile(noise, gaussian)) if pairs else 0
        if not chosen:
            pairs, weights = 0, (40, 60, 0, 0)
    present = (bool(shape.wide), True, bool(chosen), bool(pairs))
    total = sum(w for w, there in zip(weights, present, strict=True) if there)
    columns, classes, choice, tables = (
        shared(whole, Fraction(w, total))[0] if there and w else None
        for w, there in zip(weights, present, strict=True)
    )
    single = 0
    if columns is not None:
        fine = shape.wide * (2 if gaussian else 1)  # with runs
        single = int(shape.records / (_APART[gaussian] * _deviation(columns, shape.moved * fine)))
    return Division(columns, classes, choice, tables, chosen, noisy, single)


def _deviation(part: Part, moved: int) -> float:
    """Of one of the counts that share a budget, of which neighbours move so many by one."""
    if isinstance(part, PureDP):
        return moved * sqrt(2) / _as_float(part.epsilon)
    return sqrt(moved / 2 / _as_float(part.rho))


def _as_float(figure: Fraction) -> float:
    """Of a size whose square a float still holds; beyond it no share would change."""
    return float(min(max(figure, Fraction(1, 10**90)), Fraction(10**90)))


def _worthwhile(noise: float, gaussian: bool) -> int:
    """Pairs whose cells are still clear of the noise when they share half of the budget."""
    ratio = _CLEAR / noise
    return int(ratio**2 / 2 if gaussian else ratio / 2)


def records_or_common(records: int | None) -> int:
    """A public number of records, or a usual one."""
    return _COMMON if records is None else records
