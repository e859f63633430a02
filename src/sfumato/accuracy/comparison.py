"""Is one sum larger than another, when only noisy sums are known?

D = A − B is observed as C = D + E, E the noise of both sums together.  Over the noise, whatever
A and B are:

    bound     D ≥ C − q with confidence 1 − λ, where E exceeds q with chance λ at most;
    p-value   P(E ≥ C) is at least the chance of so large a C if A were not larger than B.

A probability that A is larger needs a prior.  With the flat (improper) one, all differences
equally likely beforehand, D is C − E and P(D > 0) = P(E < C); with another prior it can be
anything.  Its name says so here.

>>> from sfumato.accuracy.laplace_sum import LaplaceSum
>>> seen = Comparison(6.0, LaplaceSum.alike(4, 1.0))
>>> round(seen.lower_bound(0.95), 2), round(seen.p_value, 4)
(1.37, 0.0203)
>>> round(Comparison(0.0, LaplaceSum.alike(2, 1.0)).flat_prior_closer_than(1.0), 3)
0.448
"""

from dataclasses import dataclass

from sfumato.accuracy.law import Law, Real, share
from sfumato.accuracy.useful import useful_chance
from sfumato.privacy.guarantee import Number

__all__ = ["Comparison"]


@dataclass(frozen=True)
class Comparison:
    """A noisy difference and the law of its noise."""

    difference: Real
    law: Law

    def lower_bound(self, confidence: Number) -> float:
        """What the true difference is at least, with this confidence."""
        return float(self.difference) - self.law.one_sided(1 - share("confidence", confidence))

    def interval(self, confidence: Number) -> tuple[float, float]:
        """What the true difference lies between, with this confidence."""
        q = self.law.two_sided(1 - share("confidence", confidence))
        return float(self.difference) - q, float(self.difference) + q

    @property
    def p_value(self) -> float:
        """The chance of a difference this large or larger if the truth were 0 or less."""
        return self.law.tail(self.difference).upper

    @property
    def flat_prior_larger(self) -> float:
        """The probability that the true difference is above 0, with a flat prior only."""
        return 1 - self.law.tail(self.difference).value

    def flat_prior_closer_than(self, sigma: float) -> float:
        """The probability that the sums differ by sigma at most, with a flat prior only."""
        return 1 - useful_chance(self.law, sigma, guess=float(self.difference))
