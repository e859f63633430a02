"""The exact law of a sum of independent Laplace noises.

For N noises of one scale b and z = x / b ≥ 0,

    P(E ≥ x) = Σ_{j=1}^{N} w_j Q(j, z),     w_j = C(2N − j − 1, N − j) 2^{−(2N−j)},

Q the regularised upper incomplete gamma function: |E| is a mixture of Erlang variables, all
terms are positive, so nothing cancels (`docs/proofs/accuracy.md`).  w_1 comes from the central
binomial coefficient and w_{j+1} / w_j = 1 − (j − 1) / (2N − 1 − j), so that no logarithm of a
large factorial is ever subtracted.  Only the first of the N terms matter: beyond j₀ > z + 1 the
weights fall by more than e^{−(j² − j₀²)/4N}, and what is left out is below 1e-18 of the tail.

Noises of different scales, or sums with weights, go by `inversion`.  Signs never matter.

>>> hundred = LaplaceSum.alike(100, 1.0)  # the published bounds are 42.4 and 47.0
>>> round(hundred.one_sided(0.05), 1), round(hundred.two_sided(0.05), 1)
(23.3, 27.7)
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil, comb, exp, inf, log, log1p, nextafter, pi, sqrt
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc

from sfumato.accuracy.inversion import Complex, around, chernoff, line, log_one_plus, saddle
from sfumato.accuracy.law import Law, Real, Tail, share
from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import Number

__all__ = ["RELATIVE_ERROR", "LaplaceSum"]

RELATIVE_ERROR = 1e-11  # of the mixture, up to a million noises; tests hold it to a tenth of that
_FEW = 32  # so many noises of different scales are integrated around their poles
_NEGLIGIBLE = 60.0  # e^−60 times a million terms: 1e-20


@dataclass(frozen=True)
class LaplaceSum(Law):
    """Noises in groups: (scale, how many).

    >>> one, two = LaplaceSum.alike(1, 2.0), LaplaceSum.alike(2, 1.0)
    >>> round(one.at_least(3.0) / (0.5 * exp(-1.5)), 9), round(two.at_least(3.0) / exp(-3), 9)
    (1.0, 1.25)
    >>> round(LaplaceSum.of([1.0, 0.5, 0.5]).deviation, 4)
    1.7321
    """

    groups: tuple[tuple[float, int], ...]

    def __post_init__(self) -> None:
        if not self.groups:
            raise ParameterError("a sum of noises needs at least one noise")
        for scale, count in self.groups:
            if not 0 < scale < inf:
                raise ParameterError(f"scale must be positive and finite, got {scale}")
            if count < 1:
                raise ParameterError(f"count must be at least 1, got {count}")

    @classmethod
    def alike(cls, count: int, scale: float) -> "LaplaceSum":
        """So many noises of one scale; the scale is 1/ε where a record moves a value by 1."""
        return cls(((float(scale), count),))

    @classmethod
    def of(cls, scales: Iterable[float], weights: Iterable[float] | None = None) -> "LaplaceSum":
        """One noise of each scale, times its weight; of weights only the size matters."""
        sizes = np.abs(np.array(list(scales), np.float64))
        if weights is not None:
            factors = np.abs(np.array(list(weights), np.float64))
            if factors.shape != sizes.shape:
                raise ParameterError("weights must be as many as scales")
            sizes = sizes * factors
        values, counts = np.unique(sizes, return_counts=True)
        return cls(tuple(zip(values.tolist(), counts.tolist(), strict=True)))

    def scaled(self, factor: float) -> "LaplaceSum":
        """The noise of that many times the sum: 1/N for a mean."""
        return LaplaceSum(tuple((scale * abs(factor), count) for scale, count in self.groups))

    def joined(self, other: Self) -> Self:
        """The noise of the sum, or difference, of two sums that share no noise."""
        together: dict[float, int] = {}
        for scale, count in self.groups + other.groups:
            together[scale] = together.get(scale, 0) + count
        return type(self)(tuple(sorted(together.items())))

    @property
    def count(self) -> int:
        """How many noises there are."""
        return sum(count for _, count in self.groups)

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return sqrt(2 * sum(count * scale**2 for scale, count in self.groups))

    def tail(self, x: Real, *, strict: bool = False) -> Tail:  # noqa: ARG002  it has a density
        """P(E ≥ x), which is P(E > x)."""
        at = float(x)
        if at < 0:
            return self.tail(-at).opposite
        if len(self.groups) == 1:
            scale, count = self.groups[0]
            value = _mixture(count, at / scale)
            return Tail(value, RELATIVE_ERROR * value)
        if self.count <= _FEW:
            return self._around_poles(at)
        return line(self._pieces, at, whole=False)

    def chernoff(self, x: Real) -> float:
        """The least of e^{K(t) − tx}; for one scale in closed form."""
        at = float(x)
        if at <= 0:
            return 1.0
        if len(self.groups) > 1:
            return chernoff(self._pieces, at)
        scale, count = self.groups[0]
        z = at / scale
        r = z / count
        t = r / (1 + sqrt(1 + r * r))  # (√(1 + r²) − 1) / r without cancellation
        return exp(-count * log1p(-t * t) - t * z)

    def one_sided(self, chance: Number) -> float:
        """The smallest q ≥ 0 that E exceeds with at most this chance, rounded up.

        >>> LaplaceSum.alike(1, 1.0).one_sided(0.05) >= log(10)
        True
        """
        return _quantile(self, float(share("chance", chance)))

    @cached_property
    def _pieces(self) -> list["_Laplace"]:
        return [_Laplace(scale, count) for scale, count in self.groups]

    def _around_poles(self, x: float) -> Tail:
        ends = [1 / scale for scale, _ in self.groups]

        def log_integrand(s: Complex) -> Complex:
            terms = [count * log_one_plus(-((scale * s) ** 2)) for scale, count in self.groups]
            return np.asarray(-sum(terms) - s * x)

        left = saddle(self._pieces, x)
        return around(log_integrand, left, 2 * max(ends), self.chernoff(x))


@dataclass(frozen=True)
class _Laplace:
    """M(s) = (1 − b²s²)^−N."""

    scale: float
    count: int

    @property
    def limit(self) -> float:
        return 1 / self.scale

    def log_mgf(self, s: Complex) -> Complex:
        return np.asarray(-self.count * log_one_plus(-((self.scale * s) ** 2)))

    def slope(self, theta: float) -> float:
        z = self.scale * theta
        return 2 * self.count * self.scale * z / ((1 - z) * (1 + z))

    def curvature(self, theta: float) -> float:
        z = self.scale * theta
        return 2 * self.count * self.scale**2 * (1 + z * z) / ((1 - z) * (1 + z)) ** 2


@lru_cache(maxsize=4096)
def _quantile(law: LaplaceSum, chance: float) -> float:
    from scipy.optimize import brentq  # as in `inversion.saddle`

    if law.tail(0.0).upper <= chance:
        return 0.0
    high = law.deviation
    while law.tail(high).upper > chance:
        high *= 2

    def excess(x: float) -> float:
        return log(max(law.tail(x).upper, 1e-320) / chance)

    q = float(brentq(excess, 0.0, high, rtol=1e-12, xtol=1e-300))
    while law.tail(q).upper > chance:
        q = nextafter(q * (1 + 1e-12), inf)
    return q


def _mixture(count: int, z: float) -> float:
    first = min(count, ceil(z) + 2)  # Q is above a half from here on
    last = min(count, ceil(2 + sqrt((first - 2) ** 2 + 4 * count * _NEGLIGIBLE)))
    j = np.arange(1, last + 1)
    weights = _log_weights(count, last)
    return float(np.exp(weights) @ gammaincc(j, z))


def _log_weights(count: int, last: int) -> NDArray[np.float64]:
    """ln w_1 … ln w_last."""
    j = np.arange(1, last)
    falls = np.log1p(-(j - 1) / (2 * count - 1 - j))
    return np.asarray(_log_central(count - 1) - log(2) + np.concatenate([[0.0], np.cumsum(falls)]))


def _log_central(m: int) -> float:
    """ln of C(2m, m) / 4^m, by its series where the coefficient is too large to write out."""
    if m < 500:
        return log(comb(2 * m, m)) - m * log(4)
    y = 1 / m
    return -0.5 * log(pi * m) - y / 8 + y**3 / 192 - y**5 / 640
