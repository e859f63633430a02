"""The transforms of discrete noise, stable at every scale and for complex arguments.

    Laplace    M(s) = 1 / (1 − (sinh(s/2) / sinh(1/(2 scale)))²)
    Gaussian   M(s) = Σ_k e^{sk − k²/2v} / Σ_k e^{−k²/2v}
                    = Σ_n e^{v (s + 2πin)²/2} / Σ_n e^{−2π²vn²}        (Poisson)

The first goes to 1 / (1 − scale² s²) as the scale grows; of the two forms of the second the
one with the fewer terms is taken.  Noises of many sizes and weights are worked out together: the
mean of a number has a hundred, and asked one by one they take ten times as long.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, pi

import numpy as np
from numpy.typing import NDArray

from sfumato.accuracy.inversion import Complex, log_one_plus
from sfumato.numeric.arrays import Vector

__all__ = ["WIDE", "DiscreteLaplace", "NarrowGaussian", "WideGaussian", "neighbouring"]

WIDE = 1.0  # variances from here on need a few terms of the second form, below of the first
_NEAR = np.arange(-10, 11)  # below v = 1, all others are e^−45 of the largest term
_GONE = 39.0  # e^−39 of a term is less than its rounding; from v = 1 on, all n but −1, 0, 1 are
_TOGETHER = 2**16  # noises times points, that are worked out at once


@dataclass(frozen=True, eq=False)
class DiscreteLaplace:
    """Noises of these scales; of each, so many and times so much."""

    scales: Sequence[float]
    counts: Sequence[float]
    weights: Sequence[int]

    @cached_property
    def limit(self) -> float:
        """M is finite below it."""
        return float(np.min(1 / (np.asarray(self.scales) * self._weights)))

    def log_mgf(self, s: Complex) -> Complex:
        """ln M of all of them together.

        >>> found = DiscreteLaplace([1e9], [1], [1]).log_mgf(np.array([5e-10 + 0j]))  # −ln(3/4)
        >>> round(float(found[0].real), 12)
        0.287682072452
        """
        counts, half, sharp = (x[:, None] for x in (self._counts, self._weights / 2, self._sharp))

        def logs(part: Complex) -> Complex:
            u = np.asarray(np.sinh(half * part) / sharp, np.complex128)
            return np.asarray((-counts * log_one_plus(-(u**2))).sum(axis=0))

        return _in_parts(logs, s, len(self.scales))

    def slope(self, theta: float) -> float:
        """K'(θ) = Σ N w sinh(wθ) / (cosh(1/scale) − cosh(wθ))."""
        t = self._weights * theta
        return float((self._counts * self._weights * np.sinh(t) / self._gap(t)).sum())

    def curvature(self, theta: float) -> float:
        """K''(θ)."""
        t = self._weights * theta
        rise = 2 * self._sharp**2 * np.cosh(t) + 2 * np.sinh(t / 2) ** 2
        gap = self._gap(t)  # its square could overflow
        return float((self._counts * self._weights**2 * (rise / gap) / gap).sum())

    def _gap(self, t: Vector) -> Vector:
        """cosh(1/scale) − cosh(t) without cancellation."""
        other = np.sinh(t / 2)
        return np.asarray(2 * (self._sharp - other) * (self._sharp + other))

    @cached_property
    def _counts(self) -> Vector:
        return np.asarray(self.counts, np.float64)

    @cached_property
    def _weights(self) -> Vector:
        return np.asarray(self.weights, np.float64)

    @cached_property
    def _sharp(self) -> Vector:
        return np.asarray(np.sinh(1 / (2 * np.asarray(self.scales, np.float64))))


@dataclass(frozen=True, eq=False)
class WideGaussian:
    """Noises of these variances, none below `WIDE`; of each, so many and times so much."""

    variances: Sequence[float]
    counts: Sequence[float]
    weights: Sequence[int]
    limit = inf

    def log_mgf(self, s: Complex) -> Complex:
        """ln M of all of them together: of n = 0, and what n = 1 and −1 have besides.

        >>> found = WideGaussian([9.0], [1], [1]).log_mgf(np.array([0.5 + 0j]))
        >>> float(found[0].real)  # 9 · 0.25 / 2
        1.125
        """
        variance, count, weight = (x[:, None] for x in self._arrays)
        besides = float(np.log1p(2 * np.exp(-2 * pi**2 * self._arrays[0])) @ self._arrays[1])

        def logs(part: Complex) -> Complex:
            s = weight * part
            turned = s.real + 1j * (np.mod(s.imag + pi, 2 * pi) - pi)  # M repeats itself
            found = np.asarray(variance / 2 * turned**2)
            near = 2 * pi * variance * (pi - np.abs(turned.imag)) < _GONE
            if near.any():
                t, v = turned[near], np.broadcast_to(variance, near.shape)[near]
                up, down = (np.exp(2 * pi * v * (n * 1j * t - pi)) for n in (1, -1))
                found[near] += np.log(1 + up + down)
            return np.asarray((count * found).sum(axis=0))

        return np.asarray(_in_parts(logs, s, len(self.variances)) - besides)

    def slope(self, theta: float) -> float:
        """About K'(θ)."""
        variance, count, weight = self._arrays
        return float((count * weight**2 * variance).sum() * theta)

    def curvature(self, theta: float) -> float:  # noqa: ARG002  the same everywhere
        """About K''(θ)."""
        variance, count, weight = self._arrays
        return float((count * weight**2 * variance).sum())

    @cached_property
    def _arrays(self) -> tuple[Vector, Vector, Vector]:
        return _as_arrays(self.variances, self.counts, self.weights)


@dataclass(frozen=True, eq=False)
class NarrowGaussian:
    """Noises of these variances, all below `WIDE`; of each, so many and times so much."""

    variances: Sequence[float]
    counts: Sequence[float]
    weights: Sequence[int]
    limit = inf

    def log_mgf(self, s: Complex) -> Complex:
        """ln M of all of them together: in e^{iwt}, up a line, it is a polynomial."""
        variance, count, weight = (x[:, None] for x in self._arrays)
        norm = np.log(np.exp(-(_NEAR**2) / (2 * variance)).sum(axis=1, keepdims=True))
        found = np.empty(len(s), np.complex128)
        for theta in np.unique(s.real):
            largest = np.rint(theta * weight * variance)
            k, peak = largest + _NEAR, theta * weight * largest - largest**2 / (2 * variance)
            chances = np.exp(theta * weight * k - k**2 / (2 * variance) - peak)
            height = (count * (peak - norm)).sum()

            def logs(part: Complex, first: Vector = k[:, :1], chances: Vector = chances) -> Complex:
                turn = np.exp(1j * weight * part.imag)
                total = np.zeros(turn.shape, np.complex128)
                for each in chances.T[::-1]:
                    total = total * turn + each[:, None]
                turned = 1j * (weight * first) * part.imag
                return np.asarray((count * (np.log(total) + turned)).sum(axis=0))

            here = s.real == theta
            found[here] = _in_parts(logs, s[here], len(self.variances)) + height
        return found

    def slope(self, theta: float) -> float:
        """K'(θ)."""
        _, count, weight = self._arrays
        return float((count * weight * self._tilted(theta)[0]).sum())

    def curvature(self, theta: float) -> float:
        """K''(θ)."""
        _, count, weight = self._arrays
        return float((count * weight**2 * self._tilted(theta)[1]).sum())

    def _tilted(self, theta: float) -> tuple[Vector, Vector]:
        """Mean and variance of each noise when its chances are multiplied by e^{θwk}."""
        variance, _, weight = (x[:, None] for x in self._arrays)
        k = np.rint(theta * weight * variance) + _NEAR
        logs = theta * weight * k - k**2 / (2 * variance)
        chances = np.exp(logs - logs.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        mean = (k * chances).sum(axis=1, keepdims=True)
        return mean[:, 0], ((k - mean) ** 2 * chances).sum(axis=1)

    @cached_property
    def _arrays(self) -> tuple[Vector, Vector, Vector]:
        return _as_arrays(self.variances, self.counts, self.weights)


def neighbouring(variance: float) -> float:
    """The chance that two discrete Gaussian noises, one of them less 1, are the same.

    >>> round(neighbouring(1.0), 4), neighbouring(0.01) < 1e-20
    (0.2197, True)
    """
    chances = np.exp(-(_NEAR**2) / (2 * variance))
    chances /= chances.sum()
    return float(chances[1:] @ chances[:-1])


def _as_arrays(*columns: Sequence[float]) -> tuple[Vector, Vector, Vector]:
    first, second, third = (np.asarray(column, np.float64) for column in columns)
    return first, second, third


def _in_parts(logs: Callable[[Complex], Complex], s: NDArray[np.complex128], many: int) -> Complex:
    """A function of so many noises at each point, over parts of the points that fit a cache."""
    size = max(_TOGETHER // many, 1)
    if len(s) <= size:
        return logs(s)
    return np.concatenate([logs(s[k : k + size]) for k in range(0, len(s), size)])
