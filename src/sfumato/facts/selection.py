"""Values of categories that enough records share, found under Gaussian noise: DP-SIPS.

Every record spreads a weight over those of its values that were not found yet, floor(2²⁰/√r)
each if there are r of them, so that its weights have an ℓ₂ norm of at most 1.  Noise is added
to the weight of every value that occurs, and those that reach a threshold are found: they are left
out of later rounds, where the weight goes to rarer values (Swanberg et al. 2023).

Guarantee.  (ε, δ): with δ₁ what the Gaussian rounds cost (ρ-zCDP together) and δ₂ a bound on the
chance that a value of a single record is found in any round,

    δ  =  δ₁ + (1 + e^ε) δ₂   where a record is replaced,     δ₁ + e^ε δ₂   where it is added

(`docs/proofs/ranges.md`).  A value that no record has is never found.
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from math import isqrt

from sfumato.errors import ParameterError
from sfumato.privacy.budget import rho_within
from sfumato.privacy.guarantee import ZCDP, ApproxDP
from sfumato.privacy.mechanism import Noise
from sfumato.privacy.sensitivity import Neighbours, Sensitivity

__all__ = ["LONGEST", "WEIGHT", "Round", "item_weight", "rounds"]

WEIGHT = 2**20  # steps of one record's weight
LONGEST = 200  # characters of a value that can be found
_SHARES = tuple(Fraction(s, 100) for s in (5, 25, 70))  # of ρ and of δ₂, round by round
_DIGITS = 50


def item_weight(values: int) -> int:
    """What a record gives to each of so many values: floor(2²⁰ / √values), exactly.

    >>> [item_weight(r) * item_weight(r) * r <= WEIGHT**2 for r in (1, 2, 3, 9)]
    [True, True, True, True]
    """
    return isqrt(WEIGHT**2 // values)


@dataclass(frozen=True)
class Round:
    """One round: its noise, and the weight (in steps) from which a value is found."""

    noise: Noise
    threshold: int

    @property
    def records(self) -> Fraction:
        """The threshold in whole weights."""
        return Fraction(self.threshold, WEIGHT)


def rounds(
    budget: ApproxDP, whole: Fraction, columns: int, neighbours: Neighbours
) -> tuple[Round, ...]:
    """Three rounds that cost this budget beside pure draws; `whole` is the ε of all together.

    >>> found = rounds(ApproxDP("0.1", "1e-9"), Fraction(1, 10), 9, "replace-one")
    >>> [round(float(r.records)) for r in found]
    [2405, 1041, 608]
    """
    first = budget.delta / 2
    rho = rho_within(budget.epsilon, first).rho
    # Both neighbours may hold a value of their own; the other side's is multiplied by e^ε.
    sides = _exp(whole) + (1 if neighbours == "replace-one" else 0)
    single = (budget.delta - first) / sides
    squared = Fraction(2 if neighbours == "replace-one" else 1)
    moved = Sensitivity(squared * columns, squared)
    found = []
    for number, share in enumerate(_SHARES, 1):
        noise = Noise(f"values of categories, round {number}", moved, ZCDP(rho * share))
        noise.check(WEIGHT)
        variance = squared / (2 * rho * share) * WEIGHT**2
        found.append(Round(noise, _threshold(variance, columns, single * share)))
    return tuple(found)


def _threshold(variance: Fraction, columns: int, chance: Fraction) -> int:
    """The least threshold that values of a single record reach with this chance at most.

    If k of its values are its own, each has a weight of at most floor(2²⁰/√k).
    """
    return max(item_weight(k) + _quantile(variance, chance / k) for k in range(1, columns + 1))


def _quantile(variance: Fraction, chance: Fraction) -> int:
    """A whole number that discrete Gaussian noise reaches with this chance at most."""
    low, high = 1, 2
    while _tail(high, variance) > chance:
        low, high = high, 2 * high
        if high > 2**80:
            raise ParameterError("delta is too small for these categories: raise it")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _tail(middle, variance) > chance else (low, middle)
    return high


def _tail(reach: int, variance: Fraction) -> Fraction:
    """A bound on P(noise ≥ reach), rounded up: that of the continuous law one step before.

    P(N ≥ x) ≤ σ / (x √(2π)) · exp(−x² / (2σ²)), for x > 0 (Canonne, Kamath and Steinke 2020,
    proposition 25; Mills).
    """
    x = reach - 1
    if x <= 0:
        return Fraction(1)
    with localcontext() as context:
        context.prec, context.rounding = _DIGITS, ROUND_CEILING
        exponent = -Fraction(x * x) / (2 * variance)
        power = (Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()
        ratio = variance / (x * x * Fraction(628318, 100_000))  # 2π is more than this
        size = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).sqrt()
        return Fraction(power * size) * (1 + Fraction(1, 10**40))


def _exp(value: Fraction) -> Fraction:
    """e^value, rounded up."""
    with localcontext() as context:
        context.prec, context.rounding = _DIGITS, ROUND_CEILING
        power = (Decimal(value.numerator) / Decimal(value.denominator)).exp()
        return Fraction(power) * (1 + Fraction(1, 10**40))
