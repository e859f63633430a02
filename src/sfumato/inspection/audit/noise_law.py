"""Is this noise what it is declared to be?  Exact tests for discrete Laplace and Gaussian noise.

A whole number k of the declared law F is turned into U, uniform between F(k − 1) and F(k): if
the law is right, U is uniform on (0, 1), exactly, whatever the scale.  A value that was cut at a
bound stands for all beyond it, and gets its U from there.  So noise of many scales, cut or not,
is one sample of uniform numbers, and each test has an exact or an upper bound on its p-value:

    size     Σ −ln(1 − |2U − 1|) has a gamma law                 a scale that is off; no noise
    sign     the number of U above ½ is binomial                 noise to one side
    shape    Kolmogorov's distances of U and of |2U − 1|,        another law of the same size
             bounded by 2 exp(−2nD²) (Massart 1990)
    order    signs that agree at a lag are binomial, at each     noise used again, in the same order
    repeats  values seen before: at most (i − 1) P(X = 0) each   noise used again, in any order

>>> from fractions import Fraction
>>> from sfumato.privacy.noise import discrete_laplace
>>> from sfumato.privacy.randomness import SeededBits
>>> noise, rng = discrete_laplace(Fraction(10), 2_000, SeededBits(1)), np.random.default_rng(0)
>>> honest = Drawn("discrete-laplace", noise, np.full(2_000, 10.0))
>>> forged = Drawn("discrete-laplace", noise, np.full(2_000, 12.0))
>>> [min(p_values(drawn, rng).values()) < 1e-6 for drawn in (honest, forged)]
[False, True]
>>> f"{smallest_error(honest, 1e-6):.2f}"
'1.19'
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log, pi, sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc, gammainc, gammaincc, gammainccinv, gammaincinv, ndtr

from sfumato.numeric.arrays import Vector, Whole

__all__ = ["TESTS", "Drawn", "joined", "p_values", "smallest_error"]

TESTS = ("size", "sign", "shape", "order", "repeats")

_SMOOTH = 64.0  # standard deviations above this: the normal law between half steps, within 3e-6
_REACH = 40  # standard deviations beyond which floats hold no probability
_MOST = 1 << 20  # values whose order is compared
_SIMULATED = 30_000
_TINY = 1e-300  # tails that are simulated; a real one may be 0
_SURE = 2.326  # 99 % of a normal law lie below
_LARGEST = 10.0  # factor of the scale beyond which no error is looked for


@dataclass(frozen=True, eq=False)
class Drawn:
    """Noise that was seen, the scale or variance that was declared for it, and where it was cut."""

    mechanism: str
    noise: Whole
    size: Vector
    low: Whole | None = None  # a noise at `low` stands for all below, one at `high` for all above
    high: Whole | None = None

    @property
    def cut(self) -> NDArray[np.bool_]:
        """Which values stand for a whole tail."""
        return self._at(self.low) | self._at(self.high)

    def places(self, rng: Generator) -> tuple[Vector, NDArray[np.bool_]]:
        """Per value min(U, 1 − U), with its digits, and whether U is above a half."""
        above = self.noise > 0
        lower_half = -np.abs(self.noise)  # by symmetry, and small tails keep their digits
        at_low, at_high = self._at(self.low), self._at(self.high)
        first = np.where(np.where(above, at_high, at_low), 0.0, self._up_to(lower_half - 1))
        last = np.where(np.where(above, at_low, at_high), 1.0, self._up_to(lower_half))
        u = first + rng.random(first.size) * (last - first)
        return np.minimum(u, 1 - u), above ^ (u > 0.5)

    def _at(self, bound: Whole | None) -> NDArray[np.bool_]:
        return np.zeros(self.noise.shape, np.bool_) if bound is None else self.noise == bound

    def _up_to(self, k: Whole) -> Vector:
        """P(X ≤ k)."""
        out = np.empty(k.shape)
        for size in np.unique(self.size):
            here = self.size == size
            out[here] = _CDF[self.mechanism](k[here].astype(np.float64), float(size))
        return out

    def redrawn(self, factor: float, rng: Generator) -> "Drawn":
        """About what would have been seen had the noise been so many times as wide."""
        if self.mechanism == "discrete-laplace":
            parts = np.floor(rng.exponential(factor * self.size, (2, self.size.size)))
            noise = (parts[0] - parts[1]).astype(np.int64)
        else:
            noise = np.rint(rng.normal(0, factor * np.sqrt(self.size))).astype(np.int64)
        noise = noise if self.low is None else np.maximum(noise, self.low)
        noise = noise if self.high is None else np.minimum(noise, self.high)
        return Drawn(self.mechanism, noise, self.size, self.low, self.high)


def joined(parts: Sequence[Drawn]) -> Drawn:
    """Noise of one mechanism that was seen on several occasions, one after the other."""
    noise, size = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("noise", "size")
    )
    if parts[0].low is None:
        return Drawn(parts[0].mechanism, noise, size)
    low, high = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("low", "high")
    )
    return Drawn(parts[0].mechanism, noise, size, low, high)


def p_values(drawn: Drawn, rng: Generator) -> dict[str, float]:
    """For each of `TESTS` at least the probability of so odd a sample, if the law is right."""
    tail, above = drawn.places(rng)
    n = tail.size
    with np.errstate(divide="ignore"):  # a value that the law cannot reach has the tail 0
        total = float(-np.log(2 * tail).sum())
    shape = max(_distance(np.where(above, 1 - tail, tail)), _distance(1 - 2 * tail))
    found = (
        2 * min(gammainc(n, total), gammaincc(n, total)),
        float(_binomial(np.array([above.sum()]), np.array([n]))[0]),
        4 * float(np.exp(-2 * n * shape**2)),
        _order(above[:_MOST]),
        _repeats(drawn),
    )
    return {name: min(1.0, float(p)) for name, p in zip(TESTS, found, strict=True)}


def smallest_error(drawn: Drawn, allowed: float) -> float | None:
    """About the least factor, up or down, that `size` at this level shows with 99 %; None: none.

    By a normal approximation of the sum, whose mean and variance are simulated.
    """
    n = drawn.noise.size
    most, least = gammainccinv(n, allowed / 2), gammaincinv(n, allowed / 2)

    many = joined([drawn] * ceil(_SIMULATED / n))

    def sizes(factor: float) -> Vector:
        rng = np.random.default_rng(0)
        tail, _ = many.redrawn(factor, rng).places(rng)
        return np.asarray(-np.log(2 * np.maximum(tail, _TINY)))

    def seen(factor: float) -> bool:
        wide, narrow = sizes(factor), sizes(1 / factor)
        low = n * wide.mean() - _SURE * sqrt(n) * wide.std()
        high = n * narrow.mean() + _SURE * sqrt(n) * narrow.std()
        return bool(low > most and high < least)

    if not seen(_LARGEST):
        return None
    small, large = 0.0, log(_LARGEST)
    while large - small > 0.02 * large:
        middle = (small + large) / 2
        small, large = (small, middle) if seen(float(np.exp(middle))) else (middle, large)
    return float(np.exp(large))


def _laplace(k: Vector, scale: float) -> Vector:
    """P(X ≤ k) for k up to 0."""
    p = np.exp(-1 / scale)
    return np.asarray(np.exp(np.minimum(k, 0) / scale) / (1 + p))


def _gaussian(k: Vector, variance: float) -> Vector:
    sigma = sqrt(variance)
    if sigma > _SMOOTH:
        return np.asarray(ndtr((k + 0.5) / sigma))
    reach = ceil(_REACH * sigma) + 1
    weights = np.exp(-(np.arange(-reach, 1.0) ** 2) / (2 * variance))
    up_to = np.cumsum(weights) / (2 * weights.sum() - 1)
    return np.where(k < -reach, 0.0, up_to[np.maximum(k, -reach).astype(np.int64) + reach])


_CDF = {"discrete-laplace": _laplace, "discrete-gaussian": _gaussian}


def _distance(u: Vector) -> float:
    """Kolmogorov's distance from the uniform law."""
    n, ordered = u.size, np.sort(u)
    steps = np.arange(n + 1) / n
    return float(max((steps[1:] - ordered).max(), (ordered - steps[:-1]).max()))


def _binomial(successes: Whole, trials: Whole) -> Vector:
    """Two-sided p-values of counts that should be half of the trials."""
    fewer = np.minimum(successes, trials - successes)
    return np.asarray(np.minimum(1.0, 2 * bdtr(fewer, trials, 0.5)))


def _order(above: NDArray[np.bool_]) -> float:
    """The largest agreement of signs with themselves, at any lag.

    Along one lag the pairs form chains, so their agreements are independent.
    """
    n = above.size
    if n < 2:
        return 1.0
    signs = np.fft.rfft(np.where(above, 1.0, -1.0), 2 * n)
    lags = np.arange(1, n)
    sums = np.rint(np.fft.irfft(np.abs(signs) ** 2, 2 * n)[1:n]).astype(np.int64)
    return float((n - 1) * _binomial((n - lags + sums) // 2, n - lags).min())


def _repeats(drawn: Drawn) -> float:
    """Whether more values came before than chance allows.

    A value repeats an earlier one with chance at most the number of earlier ones times P(X = 0).
    Values that were cut show no repeats and count as earlier ones all the same: given that it
    was not cut, a value may be likelier than P(X = 0).  So the number of repeats is at most a
    sum of independent events, whose upper tail is below that of the binomial with the same mean
    (Hoeffding 1956).
    """
    repeats, mean = 0, 0.0
    for one in np.unique(drawn.size):
        here = drawn.size == one
        shown = drawn.noise[here & ~drawn.cut]
        repeats += shown.size - np.unique(shown).size
        laplace = drawn.mechanism == "discrete-laplace"
        most = np.tanh(0.5 / one) if laplace else (2 * pi * one) ** -0.5  # at least P(X = 0)
        mean += float(np.minimum(np.arange(np.count_nonzero(here)) * most, 1.0).sum())
    if repeats < mean + 1:
        return 1.0
    return float(bdtrc(repeats - 1, drawn.noise.size, mean / drawn.noise.size))
