"""Windows: the public intervals of which one becomes the range of a column, and their costs.

A window is [i · 2^j, (i + m) · 2^j] for whole i, j and a width m of 8, 10, 12 or 14 units (of
whole numbers also 1 to 15), both ends at most 1024 units from zero.  One is drawn with

    P(window)  ∝  exp(−α · outside − cost)

where `outside` counts the records with a value outside, and the cost is public: it grows with the
width (by `slope` nats for each doubling), it favours windows that begin or end at zero, and those
near zero.  The slope follows from α and the number of records, because only many records can
outweigh a steep one: where 5 % of the values tell the scale, α · 0.05 · n nats must exceed the
slope times the octaves between them and the rest.

Sensitivity.  A record is outside of a window or not, whatever the number of its values.  So
one record more moves every score by 0 or 1 in one direction: no two scores move apart by more
than 1; two records (one replaced) move them apart by at most 2.  Windows with a declared end are
nested, and then a replaced record moves no two apart by more than 1, either
(`docs/proofs/ranges.md`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.facts.place import FINEST, MOST_UNITS, UNREADABLE, cells
from sfumato.numeric.arrays import Whole
from sfumato.privacy.sensitivity import Neighbours

__all__ = ["FEWEST", "UNIT", "Kind", "Pairs", "Windows"]

Kind = Literal["number", "integer", "date"]

UNIT = 2**20  # scores count steps of 1/2²⁰ record
FEWEST = 25  # α · n below this leaves too much to chance: refused
_POWERS = {"number": range(FINEST, 50), "integer": range(50), "date": range(-4, 19)}
_WIDTHS = (8, 10, 12, 14)
_FEW = tuple(range(1, 16))  # widths of whole numbers in units of one
_KNEE, _LOWEST = 5, -6  # octaves of width between which narrow windows are favoured less
_SHALLOW, _SHALLOWEST = 0.3, 0.2  # nats for each doubling, there and below
_SLOPE = (0.7, 2.0)
_STEEPEST = Fraction(2**20)  # beyond it, no cost is worth a record
_RECORDS_PER_NAT = 240
_AT_ZERO, _ACROSS_ZERO, _FAR = 1.0, 2.0, 0.5  # nats


@dataclass(frozen=True)
class Pairs:
    """NOT PRIVATE: how many records have their smallest and largest value in these places."""

    low: Whole
    high: Whole
    count: Whole

    @classmethod
    def of(cls, low: Whole, high: Whole, count: Whole | None = None) -> "Pairs":
        """Equal pairs together.  Records without a readable value are at `UNREADABLE`."""
        order = np.lexsort((high, low))
        low, high = low[order], high[order]
        count = np.ones(len(low), np.int64) if count is None else count[order]
        if not len(low):
            return cls(low, high, count)
        starts = np.flatnonzero(np.r_[True, (np.diff(low) != 0) | (np.diff(high) != 0)])
        return cls(low[starts], high[starts], np.add.reduceat(count, starts))

    def __add__(self, other: "Pairs") -> "Pairs":
        both = ((getattr(self, f), getattr(other, f)) for f in ("low", "high", "count"))
        return Pairs.of(*(np.concatenate(pair) for pair in both))


@dataclass(frozen=True)
class Windows:
    """The windows for a kind of column; `anchored` ones begin at zero, where an end is declared."""

    kind: Kind
    anchored: bool = False

    def apart(self, neighbours: Neighbours) -> int:
        """How far one record moves two scores apart, at most."""
        return 1 if self.anchored or neighbours == "add-remove" else 2

    def scores(self, pairs: Pairs, alpha: Fraction, records: int) -> Whole:
        """NOT PRIVATE: minus the records outside of each window and its cost, in 1/UNIT records."""
        readable = pairs.low != UNREADABLE
        kept = Pairs(pairs.low[readable], pairs.high[readable], pairs.count[readable])
        unreadable = int(pairs.count[~readable].sum())
        outside = np.concatenate([out for p in self._powers for out in self._outside(kept, p)])
        scores: Whole = -(outside + unreadable) * UNIT - self.costs(alpha, records)
        return scores

    def costs(self, alpha: Fraction, records: int) -> Whole:
        """The public costs of all windows, as records in steps of 1/UNIT."""
        rate = float(min(alpha, _STEEPEST))  # public: how exactly costs are kept is no matter
        low, high = _slope_between(rate * records)
        shape = _shape(self.kind, self.anchored)
        nats = shape.flat + np.where(shape.octaves > _KNEE, (shape.octaves - _KNEE) * high, 0.0)
        gentle = np.clip(shape.octaves, _LOWEST, _KNEE) * low
        nats += gentle + np.minimum(shape.octaves - _LOWEST, 0.0) * _SHALLOWEST
        steps: Whole = np.rint(nats * (UNIT / rate)).astype(np.int64)
        return steps

    def ends(self, index: int) -> tuple[Fraction, Fraction]:
        """The ends of a window by its position among the scores."""
        for power in self._powers:
            for width in self._widths(power):
                first, several = self._starts(width)
                if index < several:
                    unit = Fraction(2) ** power
                    return (first + index) * unit, (first + index + width) * unit
                index -= several
        raise IndexError("there are fewer windows")

    def examples(self) -> Iterator[int]:
        """The first, the middle and the last window of each scale, by their positions."""
        begin = 0
        for power in self._powers:
            several = sum(self._starts(width)[1] for width in self._widths(power))
            yield from (begin, begin + several // 2, begin + several - 1)
            begin += several

    @property
    def _powers(self) -> range:
        return _POWERS[self.kind]

    def _widths(self, power: int) -> tuple[int, ...]:
        return _FEW if self.kind == "integer" and power == 0 else _WIDTHS

    def _starts(self, width: int) -> tuple[int, int]:
        """The first window of this width, in units, and how many there are."""
        return (0, 1) if self.anchored else (-MOST_UNITS, 2 * MOST_UNITS - width + 1)

    def _outside(self, pairs: Pairs, power: int) -> Iterator[Whole]:
        """NOT PRIVATE: records with a value below or above, for windows of each width in turn."""
        (low, _), (_, high) = cells(pairs.low, power), cells(pairs.high, power)
        size, middle = 2 * MOST_UNITS + 4, MOST_UNITS + 1
        weights = pairs.count.astype(np.float64)  # sums of whole numbers below 2⁵³ are exact
        below = np.cumsum(np.bincount(low + middle + 1, weights, size))
        above = weights.sum() - np.cumsum(np.bincount(high + middle, weights, size))
        for width in self._widths(power):
            first, several = self._starts(width)
            start = np.arange(first, first + several)
            # Records that reach beyond both ends were counted twice.
            begin, end = low + 1, high - width  # starts from `begin` up to before `end`
            wide = begin < end
            change = np.bincount(begin[wide] + middle, weights[wide], size)
            change -= np.bincount(np.minimum(end[wide] + middle, size - 1), weights[wide], size)
            both = np.cumsum(change)
            found = below[start + middle] + above[start + width + middle] - both[start + middle]
            yield found.astype(np.int64)


def _slope_between(evidence: float) -> tuple[float, float]:
    """Nats for each doubling of the width: of narrow windows, and of wide ones."""
    steep = min(max(evidence / _RECORDS_PER_NAT, _SLOPE[0]), _SLOPE[1])
    return min(_SHALLOW, steep), steep


@dataclass(frozen=True)
class _Shape:
    """What the costs depend on: log2 of the widths, and the rest of the costs, in nats."""

    octaves: NDArray[np.float64]
    flat: NDArray[np.float64]


@lru_cache(maxsize=8)
def _shape(kind: Kind, anchored: bool) -> _Shape:
    windows, octaves, flat = Windows(kind, anchored), [], []
    for power in windows._powers:
        for width in windows._widths(power):
            first, several = windows._starts(width)
            start = np.arange(first, first + several)
            end = start + width
            octaves.append(np.full(several, power + np.log2(width)))
            far = np.where(start > 0, start, np.maximum(-end, 0))
            cost = _FAR * np.log1p(far / width)
            cost -= _AT_ZERO * ((start == 0) | (end == 0))
            flat.append(cost + _ACROSS_ZERO * ((start < 0) & (end > 0)))
    return _Shape(np.concatenate(octaves), np.concatenate(flat))
