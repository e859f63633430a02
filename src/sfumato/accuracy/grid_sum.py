"""The law of discrete noises of many unlike weights, on a grid, with a stated error.

Sums of Haar noises have a different weight on every level, in steps so fine that integrals along
a line take long.  Here every weighted noise is put on a common grid, always upwards, and the laws
on the grid are convolved by FFT.  What comes out is never below the true sum, so its tails are
never below the true ones; by symmetry they bound it from below as well.  Where the steps of the
sum are few enough the grid is made of them, and nothing is moved at all.

>>> from sfumato.accuracy.discrete_sum import DiscreteSum, Part
>>> from fractions import Fraction
>>> exact = DiscreteSum.of([Part("laplace", Fraction(9), 2, 3), Part("laplace", Fraction(9), 1, 2)])
>>> GridSum(exact).two_sided(0.05), exact.two_sided(0.05)
(121.0, 121.0)
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, floor, inf, log2, nextafter, sqrt

import numpy as np
from numpy.typing import NDArray

from sfumato.accuracy.discrete_sum import DiscreteSum, Part
from sfumato.accuracy.law import Law, Real, Tail, share
from sfumato.numeric.arrays import Vector
from sfumato.privacy.guarantee import Number

__all__ = ["GridSum"]

_STEPS, _POINTS = 2**20, 2**18  # of the grid: where it is made of the steps themselves, and else
_GONE = 1e-18  # chance that the sum lies outside the grid
_WIDER = 1.25
_REACH = 13  # deviations, beyond which a discrete Gaussian has less than that


@dataclass(frozen=True)
class GridSum(Law):
    """The noise of a `DiscreteSum`, bounded from both sides."""

    law: DiscreteSum

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return self.law.deviation

    def tail(self, x: Real, *, strict: bool = False) -> Tail:
        """P(E ≥ x), or P(E > x) if `strict`."""
        grid = _grid(self.law)
        most = min(grid.above(x, strict=strict), self.chernoff(x))
        least = max(1 - grid.above(-x, strict=not strict), 0.0)
        value = (least + most) / 2 if least <= most else most
        return Tail(value, max(most - value, value - least))

    def chernoff(self, x: Real) -> float:
        """The least of e^{K(t) − tx}."""
        return self.law.chernoff(x)

    def one_sided(self, chance: Number) -> float:
        """The smallest point of the grid that E exceeds with at most this chance."""
        allowed = float(share("chance", chance))
        found = _grid(self.law).quantile(allowed)
        return _far(self.law, allowed) if found is None else found

    def joined(self, other: "GridSum") -> "GridSum":
        """The law of the sum, or difference, with other noise that is independent."""
        return GridSum(self.law.joined(other.law))


@dataclass(frozen=True, eq=False)
class _Grid:
    """P(S ≥ x) for the points x of a grid that goes up from −reach; S is never below the noise."""

    start: int  # the first point, in cells
    cell: Fraction
    tails: Vector
    error: float

    def above(self, x: Real, *, strict: bool) -> float:
        """At least P(E ≥ x), or P(E > x)."""
        place = Fraction(x) / self.cell - self.start
        index = floor(place) + 1 if strict else ceil(place)
        if index <= 0:
            return 1.0
        tail = float(self.tails[index]) if index < len(self.tails) else 0.0
        return min(max(tail, 0.0) + self.error, 1.0)

    def quantile(self, chance: float) -> float | None:
        """The smallest point that the noise exceeds with at most this chance, rounded up."""
        allowed = np.maximum.accumulate(self._beyond[::-1])[::-1] + self.error <= chance
        if not allowed.any():  # so small a chance is below the error
            return None
        exactly = self.cell * int(np.argmax(allowed))
        rounded = float(exactly)
        return rounded if rounded >= exactly else nextafter(rounded, inf)

    @cached_property
    def _beyond(self) -> Vector:
        """P(S > x) for x from 0 upwards."""
        return self.tails[1 - self.start :]


@lru_cache(maxsize=16)
def _grid(law: DiscreteSum) -> _Grid:
    reach = _far(law, _GONE / 2)
    step, noises = float(law.step), law.count
    needed = 2 * reach / step
    # Steps in a cell: a power of two, so that weights of the upper levels are whole cells.
    merged = 1 if needed <= _STEPS else 1 << ceil(log2(needed / _POINTS))
    moved = sum(part.count for part in law.parts if part.weight % merged)
    half = 1 << ceil(log2(reach / (merged * step) + moved + 1))
    cells = np.arange(-half - 1, half) * merged
    product: NDArray[np.complex128] | None = None
    for part in law.parts:
        found = np.fft.rfft(np.fft.ifftshift(_masses(part, cells))) ** part.count
        product = found if product is None else product * found
    assert product is not None  # noqa: S101  a sum has at least one part
    masses = np.fft.fftshift(np.fft.irfft(product, 2 * half))
    tails = np.concatenate([np.cumsum(masses[::-1])[::-1], [0.0]])
    transforms = noises + len(law.parts) + 2
    rounding = 4 * transforms * log2(4 * half) * 2.0**-53 * sqrt(2 * half * float(masses @ masses))
    return _Grid(-half, merged * law.step, tails, rounding + (noises + 2) * _GONE)


def _far(law: DiscreteSum, chance: float) -> float:
    """What the noise reaches with at most this chance, by Chernoff's bound."""
    reach = 8 * law.deviation
    while law.chernoff(reach) > chance:
        reach *= _WIDER
    return reach


def _masses(part: Part, cells: NDArray[np.int64]) -> Vector:
    """The chance that a weighted noise is put on each point but the first."""
    last = cells // part.weight  # the largest noise that is put on a point or below
    below, above = _cumulative(part, last)
    upper = last[:-1] >= 0
    return np.where(upper, above[:-1] - above[1:], below[1:] - below[:-1])


def _cumulative(part: Part, k: NDArray[np.int64]) -> tuple[Vector, Vector]:
    """P(X ≤ k) and P(X > k), each exact where it is small."""
    size = float(part.size)
    if part.kind == "laplace":
        small = np.exp(-np.where(k >= 0, k + 1, -k) / size) / (1 + np.exp(-1 / size))
    else:
        far = ceil(_REACH * sqrt(size)) + 1
        weights = np.exp(-(np.arange(far + 1, dtype=np.float64) ** 2) / (2 * size))
        sums = np.cumsum(weights[::-1])[::-1] / (2 * weights.sum() - 1)  # P(X ≥ j)
        small = np.append(sums, 0.0)[np.minimum(np.where(k >= 0, k + 1, -k), far + 1)]
    return np.where(k >= 0, 1 - small, small), np.where(k >= 0, small, 1 - small)
