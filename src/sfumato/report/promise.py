"""What an attacker who knows everything but one record can gain: exact caps, rounded up.

The attacker has two worlds in mind, P and Q, and reads the release.

**Steps.**  Neighbouring worlds are one step apart.  Where a neighbour has a record more or less,
two things that a record may hold are two steps apart, by way of the world without it: there
ε-DP is worth 2ε, (ε, δ)-DP is worth (2ε, δ(1 + e^ε)), and ρ-zCDP is worth 4ρ.

**Odds.**  Whoever holds something to be true with odds o holds it with odds of at least o / F
and at most F · o afterwards.  Under ε-DP, F = e^ε, always.  Under (ε, δ)-DP, let S be the
outcomes that multiply the odds by more than F = c e^ε, c > 1; then
P(S) ≤ e^ε Q(S) + δ ≤ P(S)/c + δ, so P(S) ≤ δ c / (c − 1).  The outcomes T that divide them by
more have as small a Q(T), and P(T) ≤ Q(T)/F, so that

    F = c e^ε,  except with a chance of at most  (1 + 1/F) δ c / (c − 1);     here c = 1.1.

Under ρ-zCDP the logarithm Z of the factor has E e^{(α−1)Z} ≤ e^{(α−1)αρ}, and so (Markov, at
the best α)  Z > ρ + 2√(ρ ln(1/χ))  has a chance of χ at most (Bun and Steinke 2016).  Both ways
that is (1 + 1/F) χ ≤ 2χ, and χ is half of what is stated.

**Advantage.**  How much more often than not the attacker can tell the two worlds apart: the
difference of true and false alarms is at most (e^ε − 1 + 2δ) / (e^ε + 1), which the region of
all tests attains (Kairouz, Oh and Viswanath 2015), δ = 0 included.  Under ρ-zCDP the
Kullback–Leibler divergence is at most ρ, so it is at most √(ρ/2) (Pinsker) and √(1 − e^−ρ)
(Bretagnolle and Huber) as well; the smallest of the three is stated.

Where the promise is too weak for F to mean anything, there is none (`Gain.capped`).

>>> from sfumato.privacy.guarantee import PureDP
>>> gain = Gain.under(PureDP(1))
>>> shown(gain.factor), percent(gain.advantage), percent(gain.right), percent(gain.after("0.01"))
('2.72', '46.3 %', '73.2 %', '2.68 %')
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from sfumato.privacy.budget import approx_from_zcdp
from sfumato.privacy.guarantee import (
    ZCDP,
    ApproxDP,
    Guarantee,
    Heuristic,
    LocalDP,
    Number,
    PureDP,
    Seeded,
    exact,
)

__all__ = ["DEPLOYMENTS", "PRIORS", "STATED", "Deployment", "Gain", "one_in", "percent", "shown"]

STATED = Fraction(1, 10**6)  # the chance, or δ, at which a ρ is put into words
PRIORS = (Fraction(1, 1000), Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))
_SLACK = Fraction(11, 10)  # c
_STEEP = 1000  # beyond such an ε nothing is left to be capped
_ENDLESS = Decimal("Infinity")
_EXACT = Context(prec=50)


@dataclass(frozen=True)
class Gain:
    """Caps on what reading a release gains; nothing at all holds where there is no promise."""

    factor: Decimal  # by which odds may grow or fall
    failure: Fraction  # chance that they grow or fall by more even so
    advantage: Decimal

    @classmethod
    def under(cls, guarantee: Guarantee, *, steps: int = 1) -> "Gain | None":
        """The caps of a guarantee on worlds so many neighbours apart; None where it is none.

        >>> from sfumato.privacy.guarantee import PureDP
        >>> Gain.under(PureDP("0.5"), steps=2) == Gain.under(PureDP(1))
        True
        """
        match guarantee:
            case PureDP(epsilon=epsilon) | LocalDP(epsilon=epsilon):
                far = steps * epsilon
                return cls(_exp(far), Fraction(0), _tests(far, Fraction(0)))
            case ApproxDP(epsilon=epsilon, delta=delta):
                return cls._approximate(steps * epsilon, _over(delta, epsilon, steps))
            case ZCDP(rho=rho):
                return cls(_tail(steps**2 * rho), STATED, _concentrated(steps**2 * rho))
            case Heuristic() | Seeded():
                return None

    @classmethod
    def _approximate(cls, epsilon: Fraction, delta: Fraction) -> "Gain":
        factor = _EXACT.multiply(_decimal(_SLACK), _exp(epsilon))
        back = Fraction(_EXACT.divide(Decimal(1), factor))
        failure = (1 + back) * delta * _SLACK / (_SLACK - 1)
        return cls(factor, min(failure, Fraction(1)), _tests(epsilon, delta))

    @property
    def capped(self) -> bool:
        """Whether the odds are: not at an enormous ε, nor where the exception is the rule."""
        return self.factor.is_finite() and self.failure < Fraction(1, 2)

    @property
    def right(self) -> Decimal:
        """How often an attacker tells two equally likely worlds apart, at most."""
        return _EXACT.divide(1 + self.advantage, Decimal(2))

    def after(self, prior: Number) -> Decimal:
        """How sure of something an attacker can be who held it true with this probability."""
        p = _decimal(exact("prior", prior, below=1))
        if not self.capped:
            return Decimal(1)
        grown = _EXACT.multiply(p, self.factor)
        return _EXACT.divide(grown, _EXACT.add(grown, 1 - p))


@dataclass(frozen=True)
class Deployment:
    """A promise that is well known, with what it is about."""

    who: str
    epsilon: str
    unit: str


# Only figures that their makers have published, with the unit they are about.
DEPLOYMENTS = (
    Deployment("Google, Community Mobility Reports, 2020", "ε = 2.64", "one user, one day"),
    Deployment(
        "Apple, popular emoji, 2017", "ε = 4", "one user, one day; noise added on the device"
    ),
    Deployment(
        "US Census 2020, redistricting data",
        "ε = 17.14, and 2.47 for housing",
        "one person, one housing unit; δ = 10⁻¹⁰",
    ),
)


def shown(value: Decimal, digits: int = 3) -> str:
    """A cap as a person reads it: so many digits, rounded up.

    >>> shown(Decimal("2.71828")), shown(Decimal(22026.4658)), shown(Decimal("1.23e30"))
    ('2.72', '22,100', 'about 10^31')
    """
    if value >= 10**9:
        return f"about 10^{value.adjusted() + 1}"
    rounded = Context(prec=digits, rounding=ROUND_CEILING).plus(value)
    return f"{rounded:,f}"


def percent(value: Decimal) -> str:
    """A probability as a cap: three digits, rounded up, and never a full hundred by rounding.

    >>> percent(Decimal("0.73105")), percent(Decimal("0.99999")), percent(Decimal(1))
    ('73.2 %', 'above 99.9 %', '100 %')
    """
    hundredfold = value * 100
    if hundredfold == 100:
        return "100 %"
    if hundredfold > Decimal("99.9"):
        return "above 99.9 %"
    return f"{shown(hundredfold)} %"


def one_in(value: Fraction) -> str:
    """A small probability in words that anyone reads: one in so many, never understated.

    >>> one_in(Fraction(1, 10**6)), one_in(Fraction(11, 10**9))
    ('one in 1,000,000', 'one in 90,909,090')
    """
    return f"one in {value.denominator // value.numerator:,}"


def _over(delta: Fraction, epsilon: Fraction, steps: int) -> Fraction:
    """δ (1 + e^ε + … + e^{(steps − 1) ε}), and 1 where it would be more."""
    grown = [_exp(k * epsilon) for k in range(steps)]
    if not all(power.is_finite() for power in grown):
        return Fraction(1)
    return min(delta * sum(map(Fraction, grown)), Fraction(1))


def _tests(epsilon: Fraction, delta: Fraction) -> Decimal:
    grown = _exp(epsilon)
    if not grown.is_finite():
        return Decimal(1)
    top = _EXACT.add(_EXACT.subtract(grown, Decimal(1)), _decimal(2 * delta))
    return min(_EXACT.divide(top, _EXACT.add(grown, Decimal(1))), Decimal(1))


def _concentrated(rho: Fraction) -> Decimal:
    converted = approx_from_zcdp(rho, STATED)
    pinsker = _EXACT.sqrt(_decimal(rho / 2))
    huber = _EXACT.sqrt(_EXACT.subtract(Decimal(1), _exp(-rho)))
    return min(pinsker, huber, _tests(converted.epsilon, converted.delta))


def _tail(rho: Fraction) -> Decimal:
    far = _EXACT.multiply(_decimal(rho), _EXACT.ln(_decimal(2 / STATED)))
    return _exp(rho + 2 * Fraction(_EXACT.sqrt(far)))


def _exp(exponent: Fraction) -> Decimal:
    return _EXACT.exp(_decimal(exponent)) if exponent <= _STEEP else _ENDLESS


def _decimal(number: Fraction) -> Decimal:
    return _EXACT.divide(Decimal(number.numerator), Decimal(number.denominator))
