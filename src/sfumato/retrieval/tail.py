"""How far the noise can push an answer: variances and two-sided bounds, from public facts.

An answer is a weighted sum of independent noises.  For every t > 0 (Chernoff)

    P(|Σ aᵢ eᵢ| ≥ z) ≤ 2 exp(K(t) − t z),      K(t) = Σ ln E exp(t |aᵢ| eᵢ),

so z = (K(t) + ln(2 / chance)) / t is exceeded with at most that chance; t is searched for, and
any t is right.  For discrete Laplace noise, u = 1/scale, E e^{te} = 1 / (1 − (sinh(t/2) /
sinh(u/2))²) where |t| < u; for discrete Gaussian noise E e^{te} ≤ e^{variance · t²/2}.  Where
all weights are of one size, the exact law of the sum is taken instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, expm1, log, sqrt

import numpy as np
from scipy.optimize import minimize_scalar

from sfumato.accuracy.discrete_sum import DiscreteSum
from sfumato.errors import ParameterError
from sfumato.numeric.arrays import Vector
from sfumato.privacy.guarantee import exact
from sfumato.privacy.mechanism import Event

__all__ = ["Law", "Share", "radius", "sub_exponential"]

_ROUNDING = 1 + 1e-9  # sums of a million floats are off by far less


@dataclass(frozen=True, slots=True)
class Law:
    """The law of one noise: its mechanism, and its scale (Laplace) or variance (Gaussian)."""

    mechanism: str
    size: Fraction

    @classmethod
    def of(cls, event: Event) -> "Law":
        """The noise that an event bought."""
        return cls(event.mechanism, event.noise or Fraction(0))

    @property
    def variance(self) -> float:
        """Exact for Laplace; for Gaussian noise an upper bound, and nearly exact.

        >>> round(Law("discrete-laplace", Fraction(1)).variance, 3)
        1.841
        """
        if self.mechanism == "discrete-gaussian":
            return float(self.size)
        u = float(1 / self.size)
        return 2 * exp(-u) / expm1(-u) ** 2

    def total(self, count: int) -> DiscreteSum:
        """The exact law of the sum of so many."""
        if self.mechanism == "discrete-gaussian":
            return DiscreteSum.gaussian(self.size, count)
        return DiscreteSum.laplace(self.size, count)

    def log_moment(self, t: Vector) -> Vector:
        """At least ln E exp(t e), for t from 0 and, with Laplace noise, below 1/scale."""
        if self.mechanism == "discrete-gaussian":
            return float(self.size) * t * t / 2
        u = float(1 / self.size)
        ratio = np.exp((t - u) / 2) * np.expm1(-t) / np.expm1(-u)
        return np.asarray(-np.log1p(-ratio * ratio))


@dataclass(frozen=True, eq=False)
class Share:
    """What independent noises of one law add to an answer: each times its weight."""

    weights: Vector
    law: Law

    @property
    def variance(self) -> float:
        """Of the weighted sum."""
        return float(self.weights @ self.weights) * self.law.variance


def radius(shares: Sequence[Share], chance: float) -> float:
    """What the noise exceeds, up or down, with at most this chance.

    >>> law = Law("discrete-laplace", Fraction(10))
    >>> one, many = Share(np.ones(1), law), Share(np.ones(100), law)
    >>> [round(radius(shares, 0.05)) for shares in ([one], [many], [one, many])]
    [30, 277, 389]
    """
    missed = float(exact("chance", chance, below=1))
    few = [_grouped(share) for share in shares if share.weights.any()]
    if not few:
        return 0.0
    sizes, many, law = few[0]
    if len(few) == 1 and sizes.size == 1:
        return float(law.total(int(many[0])).two_sided(missed) * sizes[0])
    return _chernoff(few, sqrt(sum(share.variance for share in shares)), log(2 / missed))


def _chernoff(few: Sequence[tuple[Vector, Vector, Law]], spread: float, needed: float) -> float:
    def reach(log_t: float) -> float:
        t = exp(log_t)
        total = sum(float(many @ law.log_moment(t * size)) for size, many, law in few)
        return (total + needed) / t

    poles = [float(1 / law.size) / size.max() for size, _, law in few if "laplace" in law.mechanism]
    # Without a pole the best t is √(2 needed) / spread.
    highest = log(min(poles) * (1 - 1e-9)) if poles else log(10 * sqrt(2 * needed) / spread)
    found = minimize_scalar(reach, bounds=(highest - 30, highest), method="bounded")
    return float(found.fun) * _ROUNDING


def _grouped(share: Share) -> tuple[Vector, Vector, Law]:
    """The distinct sizes of the weights, and how often each occurs."""
    sizes, many = np.unique(np.abs(share.weights[share.weights != 0]), return_counts=True)
    return sizes, many.astype(np.float64), share.law


def sub_exponential(scale: float, largest: float, norm: float, logarithm: float) -> float:
    """R in closed form: scale · max(√(8 L) ‖a‖₂, 2√2 L ‖a‖∞), exceeded with chance 2 e^{−L}.

    From E e^{te} ≤ 1 / (1 − t² scale²) ≤ e^{2 t² scale²} while t · scale ≤ 1/√2.  The first step
    is an equality for Laplace noise and holds for discrete Laplace noise of the same scale,
    because (cosh t − 1) / t² grows with t.

    >>> round(sub_exponential(1.0, 1.0, 10.0, log(2 / 0.05)), 1)
    54.3
    """
    if logarithm <= 0:
        raise ParameterError("the chance of a bound must be above 0 and below 1")
    return scale * max(sqrt(8 * logarithm) * norm, 2 * sqrt(2) * logarithm * largest)
