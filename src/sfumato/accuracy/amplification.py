"""How far a noisy value can change what anybody believes: amplification and its two caps.

A release amplifies by γ if no released value y is more than γ times as likely from one
record as from another (Evfimievski, Gehrke and Srikant 2003).  Then whoever believed a
property of the record with chance ρ believes it, having seen y, with chance

    at most   γ ρ / (1 + (γ − 1) ρ)   and at least   ρ / (ρ + γ (1 − ρ)),

and both are reached.  A release of records one by one, each under its own noise, with
parameters that do not depend on the records, is ln γ-differentially private for each record.

Laplace noise of scale b R on an attribute of public range R has γ = e^{1/b}, and on each of
m attributes of a record γ = e^{m/b}: for a property of the whole record the second counts,
as it does for a property of one original attribute if what is released are components, all
of which move with it.  Ranges read off the records bound nothing at all.
"""

from dataclasses import dataclass
from math import exp, inf, isfinite, log, log1p

from sfumato.errors import ParameterError

__all__ = ["Amplification"]


@dataclass(frozen=True, slots=True)
class Amplification:
    """γ, held as its logarithm because e^{m/b} outgrows a float.

    >>> one, record = Amplification.laplace(0.2), Amplification.laplace(0.2, attributes=3)
    >>> round(one.gamma, 1), round(record.gamma)
    (148.4, 3269017)
    >>> round(one.upward(0.001), 4), round(record.upward(0.001), 5)
    (0.1293, 0.99969)
    >>> round(one.downward(0.999), 4)
    0.8707
    """

    log_gamma: float

    def __post_init__(self) -> None:
        if not self.log_gamma >= 0:
            raise ParameterError(f"log_gamma must be at least 0, got {self.log_gamma}")

    @classmethod
    def laplace(cls, b: float, attributes: int = 1) -> "Amplification":
        """Of noise of scale b times the public range, on so many attributes of a record."""
        if attributes < 1:
            raise ParameterError(f"attributes must be at least 1, got {attributes}")
        return cls(attributes / _scale(b))

    @classmethod
    def as_printed(cls, b: float, extent: float = 2.0) -> "Amplification":
        """Of the density that Chakrabarti et al. 2010 print, on one attribute of this range.

        Their exp(−|δ| / b · R / 2) / (2 b) shrinks the noise as the range R grows.  It is a
        density only for R = 2, where γ = e^{2/b}; divided by its integral, γ = e^{R²/2b}.

        >>> round(Amplification.as_printed(0.2).gamma)
        22026
        """
        if not 0 < extent < inf:
            raise ParameterError(f"extent must be positive and finite, got {extent}")
        return cls(extent**2 / (2 * _scale(b)))

    @property
    def gamma(self) -> float:
        """γ itself; infinite where a float cannot hold it.

        >>> Amplification.laplace(0.01, attributes=30).gamma
        inf
        """
        return exp(self.log_gamma) if self.log_gamma < 709 else inf

    def upward(self, prior: float) -> float:
        """The most that a property believed with chance `prior` can be believed afterwards."""
        return _chance(_log_odds(prior) + self.log_gamma)

    def downward(self, prior: float) -> float:
        """The least that a property believed with chance `prior` can be believed afterwards."""
        return _chance(_log_odds(prior) - self.log_gamma)


def _scale(b: float) -> float:
    if not (b > 0 and isfinite(b)):
        raise ParameterError(f"b must be positive and finite, got {b}")
    return b


def _log_odds(prior: float) -> float:
    if not 0 < prior < 1:
        raise ParameterError(f"prior must lie between 0 and 1, got {prior}")
    return log(prior) - log1p(-prior)


def _chance(log_odds: float) -> float:
    odds = exp(-abs(log_odds))  # never overflows
    return 1 / (1 + odds) if log_odds > 0 else odds / (1 + odds)
