"""Any real combination of discrete Gaussian noises of fine steps, which is nearly a Gaussian.

Let X be discrete Gaussian noise of variance parameter v in steps, and R a Gaussian of variance v
rounded to whole steps.  Then P(R = k) ≥ e^{−1/8v} P(X = k) for every k, so X and R can be drawn
together such that they differ with chance 1/8v at most (`docs/proofs/accuracy.md`).  So n noises
with weights a₁ … a_n differ from a Gaussian of deviation √v ‖a‖ by Σ|a|/2 steps at most, except
with chance n/8v.  Both are allowed for, as is any bounded `grain` that rounding adds besides.
Tails are also never above the bound of Chernoff, which a discrete Gaussian shares with the smooth
one of the same v.

>>> plain = GaussianSum(10.0)
>>> round(plain.two_sided(0.05), 2), round(GaussianSum(10.0, grain=0.5).two_sided(0.05), 2)
(19.6, 20.1)
"""

from dataclasses import dataclass
from math import exp, hypot, inf, log, nextafter, sqrt

from scipy.special import ndtr, ndtri

from sfumato.accuracy.law import Law, Real, Tail, share
from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import Number

__all__ = ["GaussianSum"]

_ROUNDING = 1 + 1e-12
_ERROR = 1e-13  # relative, of the normal law in floats


@dataclass(frozen=True)
class GaussianSum(Law):
    """Noise within `grain` of a Gaussian of this `spread`, except with the chance `apart`."""

    spread: float
    grain: float = 0.0
    apart: float = 0.0

    def __post_init__(self) -> None:
        if not (0 < self.spread < inf and self.grain >= 0 and self.apart >= 0):
            raise ParameterError("spread must be above 0, grain and apart at least 0")

    @property
    def deviation(self) -> float:
        """The standard deviation of the Gaussian."""
        return self.spread

    def tail(self, x: Real, *, strict: bool = False) -> Tail:  # noqa: ARG002  the law is smooth
        """P(E ≥ x)."""
        z, slack = float(x) / self.spread, self.grain / self.spread
        value = float(ndtr(-z))
        return Tail(value, float(ndtr(slack - z)) * (1 + _ERROR) - value + self.apart)

    def chernoff(self, x: Real) -> float:
        """e^{−(x − grain)² / 2 spread²}."""
        beyond = max(float(x) - self.grain, 0.0) / self.spread
        return exp(-(beyond**2) / 2)

    def one_sided(self, chance: Number) -> float:
        """The smaller of the quantile of the Gaussian and Chernoff's bound, each with the grain."""
        allowed = float(share("chance", chance))
        reach = sqrt(-2 * log(allowed))
        if allowed > self.apart:
            reach = min(reach, max(-float(ndtri(allowed - self.apart)), 0.0))
        return nextafter((self.spread * reach + self.grain) * _ROUNDING, inf)

    def joined(self, other: "GaussianSum") -> "GaussianSum":
        """The law of the sum, or difference, with other noise that is independent."""
        return GaussianSum(
            hypot(self.spread, other.spread), self.grain + other.grain, self.apart + other.apart
        )
