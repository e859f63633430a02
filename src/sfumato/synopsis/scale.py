"""Fine bins that follow the scale of a number, from its declared range and a count of bins alone.

Where a range spans orders of magnitude, bins grow with the distance from zero, which has a bin of
its own, as have round numbers; some even bins are kept besides, for numbers that are even after
all.  Bounds are worked out in whole numbers, so they are the same on every machine.

>>> from sfumato.schema import Schema
>>> from sfumato.schema.domain import Domain
>>> domain = Domain.of(Schema.of({"name": "t", "columns": {
...     "paid": {"kind": "integer", "low": 0, "high": 9_999, "scale": "log"}}}))
>>> edges = fine_edges(*domain.axes, 128).tolist()
>>> edges[:4], edges[-6:], len(edges) - 1
([0, 1, 2, 3], [7512, 8192, 8933, 9741, 9999, 10000], 113)
"""

from fractions import Fraction
from functools import cache, lru_cache
from math import floor, isqrt

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Vector, Whole
from sfumato.schema import Date
from sfumato.schema.domain import Grid

__all__ = ["FEWEST", "MOST", "fine_edges", "logarithmic_width"]

FEWEST, MOST = 32, 512  # fine bins of a number, by the noise
# Bins between a number and its double, powers of two: besides even bins, or alone.
_PER_OCTAVE = {True: (16, 8, 4, 2), False: (64, 32, 16, 8, 4, 2)}
_APART = (1, 2, 4, 8, 16, 32, 64)  # octaves in a bin, where two bins in each are too many
_SLACK = 1.3  # times as many bins as asked for, rather than half as many
# Times the smallest magnitude that the largest is, where bins grow: by themselves, or as declared.
_SPAN = {True: 32, False: 2}
_FINEST = {True: 22, False: 15}  # octaves below the largest magnitude, with a step or without
_ROUND = (1, 2, 3, 5)  # times powers of ten


# A plan asks several times, and one that looks for its budget many times.
@lru_cache(maxsize=1024)
def fine_edges(axis: Grid, most: int) -> Whole:
    """Where each of about so many bins begins, and the last one ends, as codes.

    There are less than 1.3 times as many (of 32, where fewer are asked for).  Where a range has too
    many orders of magnitude for that, round numbers have no bins, then bins span whole octaves.
    The first and the last code are by themselves, and so is the one in the middle: values outside
    the range are drawn to the ends, and what cannot be read to the middle.
    """
    most = min(max(most, FEWEST), MOST)
    last = axis.points
    found = {0, 1, last, last + 1, axis.middle, axis.middle + 1}
    scale = None if isinstance(axis.column, Date) else _Scale(axis)
    if scale is None or not scale.grows:
        found |= _even(last, most - 6)
        return _sorted(found | (scale.zero_alone() if scale else set()), last)
    found |= scale.zero_alone() | (_even(last, most // 4) if scale.automatic else set())
    with_round, finest = found | scale.round_numbers(), _PER_OCTAVE[scale.automatic]
    ways = (
        *((with_round, each, 1) for each in finest),
        *((found, each, 1) for each in finest),
        *((found, 1, apart) for apart in _APART),
    )
    several = (_sorted(kept | scale.octaves(each, apart), last) for kept, each, apart in ways)
    return next(edges for edges in several if len(edges) <= _SLACK * most)


def logarithmic_width(axis: Grid, edges: Whole) -> Vector:
    """How much of a logarithmic scale each bin covers; what is nearest to zero is even.

    Differences of arcsinh, by its addition theorem: far from zero, floats would lose them.
    """
    scale = _Scale(axis)
    at = np.asarray(edges - 0.5 - float(scale.zero), np.float64) / scale.least
    low, high, apart = np.abs(at[:-1]), np.abs(at[1:]), np.diff(edges) / scale.least
    across = at[:-1] * at[1:] < 0  # these hold zero, and what they cover is a sum
    outside = apart * (low + high) / (low * np.hypot(1, high) + high * np.hypot(1, low))
    return np.asarray(np.where(across, np.arcsinh(low) + np.arcsinh(high), np.arcsinh(outside)))


class _Scale:
    """The range of a number in units of its grid."""

    def __init__(self, axis: Grid) -> None:
        column, self._last = axis.column, axis.points
        assert not isinstance(column, Date)  # noqa: S101  dates have no zero
        low, high = (Fraction(str(end)) for end in (column.low, column.high))
        self._low, self._high = low, high
        self.unit = (high - low) / axis.points
        self.zero = -low / self.unit  # the place of zero, which may be outside of the range
        self._far = max(abs(self.zero), abs(axis.points - self.zero))
        self.least = max(1, floor(self._far / 2 ** _FINEST[column.step is not None]))
        near = max(-self.zero, self.zero - axis.points, Fraction(self.least))
        declared = getattr(column, "scale", None)
        self.automatic = declared is None
        self.grows = declared != "linear" and self._far >= _SPAN[self.automatic] * near

    def zero_alone(self) -> set[int]:
        return self._alone(Fraction(0))

    def round_numbers(self) -> set[int]:
        """Of those that are not among the smallest, whose bins are narrow anyway."""
        top, found = max(abs(self._low), abs(self._high)), set[int]()
        ten = Fraction(10) ** len(str(floor(top)))
        while ten >= max(self.least, 4) * self.unit:
            for times in _ROUND:
                found |= self._alone(ten * times) | self._alone(-ten * times)
            ten /= 10
        return found

    def octaves(self, each: int, apart: int) -> set[int]:
        """Bounds that double after so many; or each is 2 to the power of `apart` times the last."""
        found, middle, k = set[int](), round(self.zero), 0
        while (size := self.least * _root(k * apart, each) >> 64) <= self._far:
            found |= {edge for edge in (middle + size, middle - size + 1) if 0 < edge <= self._last}
            k += 1
        return found

    def _alone(self, value: Fraction) -> set[int]:
        code = round((value - self._low) / self.unit)
        return {code, code + 1} if 0 <= code <= self._last else set()


@cache
def _root(k: int, each: int) -> int:
    """2 to the power of k / each, times 2⁶⁴, rounded down; each is a power of two."""
    found = 1 << (k + 64 * each)
    while each > 1:
        found, each = isqrt(found), each // 2
    return found


def _even(last: int, bins: int) -> set[int]:
    return {1 + k * (last - 1) // bins for k in range(bins + 1)}


def _sorted(edges: set[int], last: int) -> NDArray[np.int64]:
    found = np.array(sorted(edge for edge in edges if 0 <= edge <= last + 1), np.int64)
    found.flags.writeable = False  # others get the same
    return found
