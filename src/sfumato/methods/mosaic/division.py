"""How `mosaic` divides its budget, from public facts alone.

The facts are the schema, the budget, and the number of records where it is public; the figure
that counts is the deviation of one count under the whole budget, as a share of the records.
Shares, pairs and bins change with it by small steps (decision 0030); a few things are bought or
not: pairs under much Laplace noise, tables of codes, triples.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, log, sqrt

from sfumato.methods.mosaic.triple_shares import NO_TRIPLES, triples_for
from sfumato.privacy.budget import Budget, shared
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.synopsis.bins import FEW
from sfumato.synopsis.scale import MOST
from sfumato.synopsis.tables import MOST_COUNTS

__all__ = [
    "MOST_CELLS",
    "Division",
    "Part",
    "Shape",
    "between",
    "deviation",
    "divided",
    "fine_bins",
    "noise_level",
    "records_or_common",
]

MOST_CELLS = 6_000  # coarse bins over all columns, for which two-way counts are kept
_LITTLE = {True: 3e-4, False: 5e-5}  # noise on a count, of all records: Gaussian or not
_TENFOLD = 10.0  # from little noise to much
# Shares of fine, one-way, choice and two-way tables under little noise, and under much.
_ALL = (30, 5, 0, 65), (40, 30, 0, 30)
_CHOSEN = (30, 20, 5, 45), (33, 33, 4, 30)
_NONE = (40, 60, 0, 0)
_CLEAR = 300.0  # records to a deviation of a chosen pair's cells, within a class
_FEWEST_PAIRS, _MANY_PAIRS = 2, 3  # that are chosen: fewer tell nothing
_APART = {True: 1.5, False: 2.5}  # deviations of a fine count in an even share
_FINE, _FINER = {True: 24.0, False: 12.0}, 0.3  # bins, times this power of what is seen
_BINS = 1.5  # of a number in two-way tables, times the cube root of what is clear
_FEWEST_BINS, _MOST_BINS = 5, 32
_HEAVY = 0.003  # of all records: a heavy code that noise hides no longer, where codes are counted
_FALSE_CODE = 0.01  # of a release, that noise alone makes a code heavy
_RAREST = 10_000  # parts of all records: a code with one of them is no heavy one, without noise too
_MOST_CODES = 2**20  # by class, over all columns, that are worth their time
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
    classes: int = 1
    target: bool = False  # whether there is a number to predict, and no classes
    codes: tuple[int, ...] = ()  # of each wide number or date


@dataclass(frozen=True)
class Division:
    """What each step may cost; None where there is no such step."""

    columns: Part | None
    classes: Part | None
    choice: Part | None
    pairs: Part | None
    chosen: int  # pairs that are chosen, or 0
    noise: float  # from 0, little, to 1, so much that strong pulls are better
    bins: int  # of a number, in two-way tables
    single: int  # codes of a number that have a fine bin each
    fine: int  # bins of a number with more codes
    triple_choice: Part | None = None
    triple_tables: Part | None = None
    triples: int = 0  # three-way tables with the target, that are chosen
    codes: Part | None = None  # what tables of all codes may cost, where these are more than bins
    heavy: float = 0.0  # records above which a code of them has a bin of its own


def divided(budget: Budget, shape: Shape) -> Division:
    """Shares that suit the noise.

    >>> small, large = (divided(PureDP(1), Shape(10, 5, 70, n)) for n in (500, 50_000))
    >>> small.chosen, large.chosen
    (0, 26)
    """
    whole = shared(budget, Fraction(1))[0]
    gaussian = isinstance(whole, ZCDP)
    records = max(shape.records, 1)
    noise = noise_level(deviation(whole, shape.moved) / records, gaussian)
    pairs = shape.columns * (shape.columns - 1) // 2 if shape.cells <= MOST_CELLS else 0
    chosen = 0
    if not gaussian and pairs:
        # Under Laplace noise, what m tables tell together falls with m; under Gaussian noise it
        # is the same for any number of them, and all are taken.
        share = shared(whole, Fraction(45, 100))[0]
        one = deviation(share, shape.moved) * sqrt(shape.classes)
        clear_of_noise = int(min(pairs, records / (one * _CLEAR)))
        if clear_of_noise < min(pairs, _FEWEST_PAIRS):
            pairs = 0
        elif clear_of_noise < pairs:
            chosen = clear_of_noise
    weights = _weights(gaussian or (bool(pairs) and not chosen), bool(pairs), noise)
    if chosen:  # few pairs have a smaller share than many
        weights = between(_NONE, weights, Fraction(min(chosen, _MANY_PAIRS), _MANY_PAIRS))
    present = (bool(shape.wide), True, bool(chosen), bool(pairs))
    total = sum(w for w, there in zip(weights, present, strict=True) if there)
    columns, classes, choice, tables = (
        shared(whole, w / total)[0] if there and w else None
        for w, there in zip(weights, present, strict=True)
    )
    columns, codes, heavy = _with_codes(columns, shape)
    clear, triples = 0.0, NO_TRIPLES
    if tables is not None:
        one = deviation(tables, shape.moved * (chosen or pairs))
        clear = records / (one * sqrt(shape.classes))
        if shape.target and gaussian:
            triples = triples_for(clear, shape.columns, shape.cells)
            left = weights[-1] / total - triples.share
            clear *= sqrt(left * total / weights[-1])
            tables = shared(whole, left)[0]
    bins = max(_FEWEST_BINS, min(_MOST_BINS, round(_BINS * clear ** (1 / 3))))
    most = min(MOST_CELLS, isqrt(MOST_COUNTS // shape.classes)) // max(shape.columns, 1) - 1
    bins = max(_FEWEST_BINS, min(bins, most))
    single, fine = fine_bins(columns, records, _in_all(columns, shape))
    bought = *triples.parts(whole), codes, heavy
    return Division(columns, classes, choice, tables, chosen, noise, bins, single, fine, *bought)


def fine_bins(columns: Part | None, records: int, moved: int) -> tuple[int, int]:
    """Codes of a number that have a fine bin each, and the bins of one with more codes.

    `moved`: the cells of all fine tables that share this part, between neighbours.

    >>> fine_bins(None, 1_000, 10)
    (100, 0)
    """
    if columns is None:
        return FEW, 0
    gaussian = isinstance(columns, ZCDP)
    seen = max(records, 1) / deviation(columns, moved)  # all records, in deviations of a count
    single = max(int(min(seen / _APART[gaussian], MOST)), FEW)
    return single, int(_FINE[gaussian] * min(seen, 1e9) ** _FINER)


def _in_all(columns: Part | None, shape: Shape) -> int:
    """Cells of the fine tables that move, runs among them."""
    return shape.moved * shape.wide * (2 if isinstance(columns, ZCDP) else 1)


def _with_codes(columns: Part | None, shape: Shape) -> tuple[Part | None, Part | None, float]:
    """Half of the share of fine tables for tables of codes, if these show heavy ones with it.

    >>> large, small = (_with_codes(PureDP(e), Shape(9, 3, 80, 30_000, codes=(65, 32_769)))
    ...     for e in ("8", "0.1"))
    >>> large[1], round(large[2]), small[1:]
    (PureDP(epsilon=Fraction(4, 1)), 8, (None, 0.0))
    """
    none = columns, None, 0.0
    if columns is None or not shape.codes:
        return none
    half = shared(columns, Fraction(1, 2))[0]
    single, _ = fine_bins(half, shape.records, _in_all(half, shape))
    more = [codes for codes in shape.codes if codes > single]
    cells = shape.classes * sum(more)
    if not more or cells > _MOST_CODES:
        return none
    # Of so many cells of nothing but noise, hardly ever one is above this.
    spread, records = deviation(half, shape.moved * len(more)), max(shape.records, 1)
    gaussian = isinstance(half, ZCDP)
    rare = log(cells / _FALSE_CODE)
    above = spread * (sqrt(2 * rare) if gaussian else rare / sqrt(2))
    if above > _HEAVY * records:
        return none
    return half, half, max(above, records / _RAREST)


def noise_level(share: float, gaussian: bool) -> float:
    """On a logarithmic scale."""
    return min(max(log(max(share, 1e-300) / _LITTLE[gaussian]) / log(_TENFOLD), 0.0), 1.0)


def _weights(every: bool, pairs: bool, noise: float) -> tuple[Fraction, ...]:
    """Between those for little noise and those for much, in steps of a hundredth of the way."""
    little, much = (_ALL if every else _CHOSEN) if pairs else (_NONE, _NONE)
    return between(little, much, Fraction(round(100 * noise), 100))


def between(
    first: Sequence[int | Fraction], last: Sequence[int | Fraction], part: Fraction
) -> tuple[Fraction, ...]:
    """So far on the way from the first weights to the last."""
    return tuple(a + part * (b - a) for a, b in zip(first, last, strict=True))


def deviation(part: Part, moved: int) -> float:
    """Of one of the counts that share a budget, of which neighbours move so many by one."""
    if isinstance(part, PureDP):
        return moved * sqrt(2) / _as_float(part.epsilon)
    return sqrt(moved / 2 / _as_float(part.rho))


def _as_float(figure: Fraction) -> float:
    """Of a size whose square a float still holds; beyond it no share would change."""
    return float(min(max(figure, Fraction(1, 10**90)), Fraction(10**90)))


def records_or_common(records: int | None) -> int:
    """A public number of records, or a usual one."""
    return _COMMON if records is None else records
