"""The number that each code of a grid stands for: the roundest of those that are read as it.

A value is read as the nearest of evenly spaced points.  Where these are the declared steps, a
code stands for its step.  Elsewhere the points are odd numbers, and 0 is seldom among them; so a
code stands for 0 if that is read as it, else for the multiple of the largest power of ten, the
nearest to its point if there are several.  Of a column with steps only these count.  The first
and the last code stand for low and high, which is what everything beyond is read as, unless 0
is read as them.

>>> from sfumato.schema import Schema
>>> from sfumato.schema.domain import Domain
>>> (paid,) = Domain.of(Schema.of({"name": "t", "columns": {
...     "paid": {"kind": "number", "low": -500, "high": 1_000_000}}})).axes
>>> code_numbers(paid)[[0, 1, 15, 16, 17, 49, 98, -1]].tolist()
[-500.0, -470.0, -40.0, 0.0, 20.0, 1000.0, 2500.0, 1000000.0]
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, gcd, lcm, log10

import numpy as np

from sfumato.numeric.arrays import Vector, Whole
from sfumato.schema.column import Date
from sfumato.schema.domain import Grid

__all__ = ["code_numbers"]

_EXACT = 2**53  # up to which floats tell whole numbers apart
_FINE = 10  # candidates in the width of a code, of which one is surely read as it


def code_numbers(axis: Grid) -> Vector:
    """One number for each of the codes 0 … points of a column that is no date, in their order."""
    codes = np.arange(axis.points + 1)
    if axis.steps is None:
        return _even_points(axis, codes) if axis.even else _roundest(axis, codes)
    if axis.steps == axis.points or axis.even:
        return _Candidates.of(axis).numbers(axis.nearest_steps(codes))
    return _roundest(axis, codes)


def _even_points(axis: Grid, codes: Whole) -> Vector:
    """The points themselves, with enough decimals to tell neighbours apart."""
    low, high = (float(end) for end in _ends(axis))
    apart = (high - low) / axis.points
    values = np.round(low + codes * apart, 1 - floor(log10(apart)))
    # Rounding may leave the range; adding zero turns -0 into 0.
    return np.asarray(np.clip(values, low, high) + 0.0)


def _roundest(axis: Grid, codes: Whole) -> Vector:
    """From the finest candidates to the roundest, each in place of what was there before."""
    low, high = (float(end) for end in _ends(axis))
    candidates = _Candidates.of(axis)
    cell = float(candidates.cell)
    points = candidates.offset + codes * cell
    levels = list(candidates.levels())
    while len(levels) > 1 and levels[1][1] * _FINE <= cell:  # which would replace all before
        del levels[0]

    def nearest(start: int, every: int) -> Whole:
        return start + every * np.rint((points - start) / every).astype(np.int64)

    values = candidates.numbers(np.clip(nearest(*levels[0]), 0, candidates.last))
    values[0], values[-1] = low + 0.0, high + 0.0  # adding zero turns -0 into 0
    for start, every in levels[1:]:
        several = every <= cell  # in one code
        which = nearest(start, every) if several else np.arange(start, candidates.last + 1, every)
        rounder = candidates.numbers(which)
        # The encoder's own arithmetic, so that every number is read as its code.
        read = np.rint((rounder - low) / (high - low) * axis.points).astype(np.int64)
        kept = (rounder >= low) & (rounder <= high)
        kept &= (read > 0) & (read < axis.points) | (rounder == 0)  # the ends keep theirs
        if several:
            kept &= read == codes
        values[read[kept]] = rounder[kept]
    return values


@dataclass(frozen=True)
class _Candidates:
    """The numbers (first + k · apart) · unit for k = 0 … last: steps, or short decimals."""

    first: int
    apart: int
    unit: Fraction
    last: int
    offset: float  # from the first one to the low end, as a share of apart
    cell: Fraction  # how many there are between two points of the grid

    @classmethod
    def of(cls, axis: Grid) -> "_Candidates":
        low, high = _ends(axis)
        if axis.steps is not None:
            step = (high - low) / axis.steps
            shared = lcm(low.denominator, step.denominator)
            first, apart = int(low * shared), int(step * shared)
            cell = Fraction(axis.steps, axis.points)
            return cls(first, apart, Fraction(1, shared), axis.steps, 0.0, cell)
        cell = (high - low) / axis.points
        unit = Fraction(10) ** (floor(log10(cell)) - 1)
        first, last = ceil(low / unit), floor(high / unit)
        return cls(first, 1, unit, last - first, float(low / unit - first), cell / unit)

    def numbers(self, which: Whole) -> Vector:
        """The floats nearest to these candidates."""
        whole = self.first + which * self.apart
        above, below = self.unit.numerator, self.unit.denominator
        # Of whole numbers that floats hold, a product or a quotient is rounded correctly.
        most = max(abs(self.first), abs(self.first + self.last * self.apart))
        if most <= _EXACT and above == int(float(above)) and below == int(float(below)):
            return np.asarray(whole * float(above) / float(below))
        # Python's division rounds correctly at any size.
        return np.array([number * above / below for number in whole.tolist()])

    def levels(self) -> Iterator[tuple[int, int]]:
        """The first k, and every how many, of all candidates, then of ever rounder ones."""
        yield 0, 1
        power = Fraction(10) ** floor(log10(self.unit))
        while (self.unit / power).denominator > 1:
            power /= 10
        most = max(abs(self.first), abs(self.first + self.last * self.apart)) * self.unit
        while power <= most:  # and once more, for a multiple of which there is but 0
            power *= 10
            # Of whole numbers over the unit, those are multiples that this one divides.
            whole = (power / self.unit).numerator
            shared = gcd(self.apart, whole)
            if self.first % shared:
                return
            every = whole // shared
            yield -self.first // shared * pow(self.apart // shared, -1, every) % every, every


def _ends(axis: Grid) -> tuple[Fraction, Fraction]:
    assert not isinstance(axis.column, Date)  # noqa: S101  whose codes stand for moments
    return Fraction(str(axis.column.low)), Fraction(str(axis.column.high))
