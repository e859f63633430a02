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
from math import ceil, exp, log

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

__all__ = ["Budget", "Charge", "approx_from_zcdp", "budget", "charge", "rho_within"]

Budget = PureDP | ApproxDP | ZCDP

_DIGITS = 60
_MARGIN = Fraction(1, 10**40)  # far above the rounding of a dozen 60-digit operations
_RHO_STEPS = 10**9


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


def approx_from_zcdp(rho: Number, delta: Number) -> ApproxDP:
    """The smallest ε, rounded up to 1e-12, that ρ-zCDP implies at this δ.

    >>> float(approx_from_zcdp("0.5", "1e-6").epsilon)
    5.221534444531
    """
    rho, delta = ZCDP(rho).rho, exact("delta", delta, below=1)
    epsilon = _epsilon_at(rho, delta, _best_order(float(rho), float(delta)))
    return ApproxDP(max(epsilon, Fraction(1, 10**12)), delta)


def rho_within(epsilon: Number, delta: Number) -> ZCDP:
    """The largest ρ, in steps of 1e-9, whose (ε, δ) statement stays within the budget."""
    target = ApproxDP(epsilon, delta)
    low, high = 0, ceil(target.epsilon * _RHO_STEPS)  # ρ < ε at every δ < 1/2; checked below
    while high - low > 1:
        middle = (low + high) // 2
        fits = approx_from_zcdp(Fraction(middle, _RHO_STEPS), target.delta)
        low, high = (middle, high) if fits.epsilon <= target.epsilon else (low, middle)
    if low == 0:
        raise ParameterError(
            "epsilon and delta are too small for Gaussian noise: raise one of them"
        )
    return ZCDP(Fraction(low, _RHO_STEPS))


def _best_order(rho: float, delta: float) -> Fraction:
    """The α that gives about the smallest ε; golden-section search on log(α − 1)."""

    def epsilon(log_excess: float) -> float:
        a = 1 + exp(log_excess)
        return a * rho + (-log(delta) - log(a - 1) + a * log(1 - 1 / a)) / (a - 1)

    low, high, ratio = -20.0, 20.0, 0.6180339887498949
    for _ in range(80):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, right) if epsilon(left) < epsilon(right) else (left, high)
    return 1 + Fraction(exp((low + high) / 2)).limit_denominator(10**6)


def _epsilon_at(rho: Fraction, delta: Fraction, order: Fraction) -> Fraction:
    with localcontext() as context:
        context.prec = _DIGITS
        a, r, d = (Decimal(f.numerator) / Decimal(f.denominator) for f in (order, rho, delta))
        logs = -d.ln() - (a - 1).ln() + a * (1 - 1 / a).ln()
        value = Fraction(a * r + logs / (a - 1))
    return Fraction(ceil((value + _MARGIN * (1 + abs(value))) * 10**12), 10**12)


@dataclass(frozen=True, slots=True)
class Charge:
    """Whole ledger units; what does not fit a unit costs the next one."""

    micro_epsilon: int = 0
    pico_delta: int = 0
    micro_rho: int = 0


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
