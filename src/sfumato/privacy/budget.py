"""Budgets: what a person grants, conversions between currencies, and whole ledger units.

The (ε, δ) figures of a ρ-zCDP mechanism follow from, for every α > 1,

    δ  =  exp((α − 1)(αρ − ε)) / (α − 1) · (1 − 1/α)^α

(Canonne, Kamath and Steinke 2020, proposition 12).  Any α gives a true statement, so α
is searched in floats and the figure is then computed in 60 decimal digits (whose `ln`
is correctly rounded) and rounded up.

>>> budget(epsilon=1)
PureDP(epsilon=Fraction(1, 1))
>>> charge(budget(epsilon="0.0000015"))
Charge(micro_epsilon=2, pico_delta=0, micro_rho=0)
"""

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, log1p

from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import (
    ZCDP,
    ApproxDP,
    Guarantee,
    Heuristic,
    LocalDP,
    Number,
    PureDP,
    exact,
)

__all__ = [
    "GIVE_DELTA",
    "Budget",
    "Charge",
    "approx_from_zcdp",
    "budget",
    "charge",
    "rho_within",
    "shared",
]

Budget = PureDP | ApproxDP | ZCDP

# For refusals where a method draws Gaussian noise and was given a pure epsilon.
GIVE_DELTA = (
    "give delta or rho: beside epsilon a delta far below one over the number of records, such as "
    "1e-9, or rho in place of both"
)

_DIGITS = 60
_MARGIN = Fraction(1, 10**40)  # far above the rounding of a dozen 60-digit operations
_RHO_STEPS = 10**9
_LARGEST = Fraction(10**300)  # what a float holds with room to spare


def budget(
    *, epsilon: Number | None = None, delta: Number | None = None, rho: Number | None = None
) -> Budget:
    """The budget a person states: `epsilon`, `epsilon` with `delta`, or `rho`."""
    if rho is not None:
        if epsilon is not None or delta is not None:
            raise ParameterError("give either rho, or epsilon (with or without delta), not both")
        return ZCDP(rho)
    if epsilon is None:
        raise ParameterError("a budget is needed: give epsilon, epsilon and delta, or rho")
    if delta is None or exact("delta", delta, below=1, zero=True) == 0:
        return PureDP(epsilon)
    return ApproxDP(epsilon, delta)


@lru_cache(maxsize=256, typed=True)  # a purse asks again at every purchase
def approx_from_zcdp(rho: Number, delta: Number) -> ApproxDP:
    """The smallest ε of the formula above, rounded up to 1e-12, for ρ-zCDP at this δ.

    >>> float(approx_from_zcdp("0.5", "1e-6").epsilon)
    5.221534444531
    """
    rho, delta = ZCDP(rho).rho, exact("delta", delta, below=1)
    epsilon = _epsilon_at(rho, delta, _best_excess(rho, delta))
    # At a large δ the formula falls to ε ≤ 0; the promise is stated at the smallest unit.
    return ApproxDP(max(epsilon, Fraction(1, 10**12)), delta)


@lru_cache(maxsize=256)
def rho_within(epsilon: Number, delta: Number) -> ZCDP:
    """The largest ρ, in steps of 1e-9, whose (ε, δ) statement stays within the budget."""
    target = ApproxDP(epsilon, delta)

    def fits(steps: int) -> bool:
        implied = approx_from_zcdp(Fraction(steps, _RHO_STEPS), target.delta)
        return implied.epsilon <= target.epsilon

    low, high = 0, 1
    while fits(high):  # ρ is below ε at the usual δ, and far above it at δ near 1
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    if low == 0:
        raise ParameterError(
            "epsilon and delta are too small for Gaussian noise: raise one of them"
        )
    return ZCDP(Fraction(low, _RHO_STEPS))


def _best_excess(rho: Fraction, delta: Fraction) -> Fraction:
    """The α − 1 that gives about the smallest ε; golden-section search on its logarithm."""
    # Only the search happens in floats, so clamping a figure no float holds costs no truth.
    slope, secrecy = float(min(rho, _LARGEST)), -float(_ln(delta))

    def epsilon(log_excess: float) -> float:
        x = exp(log_excess)
        return slope * x + secrecy / x + log_excess - (1 + 1 / x) * log1p(x)

    low, high, ratio = -36.0, 36.0, 0.6180339887498949
    for _ in range(100):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, right) if epsilon(left) < epsilon(right) else (left, high)
    return Fraction(exp((low + high) / 2))


def _epsilon_at(rho: Fraction, delta: Fraction, excess: Fraction) -> Fraction:
    """The formula solved for ε at α = 1 + excess, rounded up."""
    with localcontext() as context:
        context.prec = _DIGITS
        x, r = _decimal(excess), _decimal(rho)
        a = 1 + x
        value = Fraction(a * r + (x * x.ln() - a * a.ln() - _ln(delta)) / x)
    return Fraction(ceil((value + _MARGIN * (1 + abs(value))) * 10**12), 10**12)


def _ln(number: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = _DIGITS
        return _decimal(number).ln()


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def shared(whole: Budget, *shares: Fraction) -> tuple[PureDP | ZCDP, ...]:
    """Parts of a budget whose composition stays within it; an (ε, δ) budget is split as ρ.

    >>> shared(PureDP(1), Fraction(1, 4), Fraction(3, 4))
    (PureDP(epsilon=Fraction(1, 4)), PureDP(epsilon=Fraction(3, 4)))
    """
    if sum(shares) > 1:
        raise ParameterError("the shares of a budget must not add up to more than 1")
    if isinstance(whole, ApproxDP):
        whole = rho_within(whole.epsilon, whole.delta)
    if isinstance(whole, ZCDP):
        return tuple(ZCDP(whole.rho * share) for share in shares)
    return tuple(PureDP(whole.epsilon * share) for share in shares)


@dataclass(frozen=True, slots=True)
class Charge:
    """Whole ledger units; what does not fit a unit costs the next one."""

    micro_epsilon: int = 0
    pico_delta: int = 0
    micro_rho: int = 0

    def __str__(self) -> str:
        return self.spelled()

    def spelled(self, *, like: "Charge | None" = None) -> str:
        """In decimals, exactly; `like` names the units to show.

        >>> print(Charge(micro_epsilon=1_500_000, pico_delta=1_000))
        epsilon 1.5, delta 1e-9
        >>> Charge().spelled(like=Charge(micro_rho=5))
        'rho 0'
        """
        shown = []
        for name, places in (("epsilon", 6), ("delta", 12), ("rho", 6)):
            unit = ("micro_" if places == 6 else "pico_") + name
            if getattr(like or self, unit):
                number = Decimal(getattr(self, unit)).scaleb(-places).normalize()
                shown.append(f"{name} {number:{'f' if number.adjusted() >= -4 else 'e'}}")
        return ", ".join(shown) or "nothing"


def charge(guarantee: Guarantee) -> Charge:
    """The price of a guarantee in ledger units, rounded up.  No guarantee has no price here."""
    match guarantee:
        case ZCDP(rho=rho):
            return Charge(micro_rho=ceil(rho * 10**6))
        case ApproxDP(epsilon=epsilon, delta=delta):
            return Charge(ceil(epsilon * 10**6), ceil(delta * 10**12))
        case PureDP(epsilon=epsilon) | LocalDP(epsilon=epsilon):
            return Charge(ceil(epsilon * 10**6))
        case Heuristic():
            return Charge()
        case _:
            raise ParameterError("a seeded test run has no price: the ledger refuses it")
