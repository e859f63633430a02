"""What the noise that was drawn hides of two runs, priced anew and in exact numbers.

Two runs on neighbours that gave out the same had noise that differed.  Whatever was drawn
independently adds up:

    Laplace noise     Σ |change| / scale            to ε,
    Gaussian noise    Σ change² / (2 variance)      to ρ,
    flipped coins     their number · exponent       to ε,
    a choice          rate · how far two scores moved apart   to ε.

So the price of a pair follows from the calls of the primitives alone, and from no plan.

>>> Price(pure=Fraction(1, 2)).share(PureDP(1)), Price(gaussian=Fraction(1)).within(ZCDP("0.5"))
(0.5, False)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp, inf, log, log1p

import numpy as np
from scipy.optimize import minimize_scalar

from sfumato.inspection.audit.trace import Added, Call, Coins, Drawn
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP

__all__ = ["Price", "price", "same_law"]

_ROUNDING = 1e-9  # of a conversion to (ε, δ), which is made in floats


@dataclass(frozen=True)
class Price:
    """A privacy loss: ε of pure noise, ρ of Gaussian noise, or no noise at all."""

    pure: Fraction = Fraction(0)
    gaussian: Fraction = Fraction(0)
    bare: bool = False  # whether something moved that had no noise

    def __add__(self, other: "Price") -> "Price":
        return Price(
            self.pure + other.pure, self.gaussian + other.gaussian, self.bare or other.bare
        )

    @property
    def rho(self) -> Fraction:
        """In zCDP: pure ε costs ε²/2."""
        return self.gaussian + self.pure**2 / 2

    def share(self, promise: Budget) -> float:
        """How much of a promise this uses up."""
        if self.bare or (isinstance(promise, PureDP) and self.gaussian):
            return inf
        match promise:
            case PureDP(epsilon=epsilon):
                return float(self.pure / epsilon)
            case ZCDP(rho=rho):
                return float(self.rho / rho)
            case ApproxDP(epsilon=epsilon, delta=delta):
                if not self.gaussian:
                    return float(self.pure / epsilon)
                return float(self.rho) / largest_rho(float(epsilon), float(delta))

    def within(self, promise: Budget) -> bool:
        """Whether a promise covers this: exactly, but for the conversion to (ε, δ)."""
        if self.bare:
            return False
        match promise:
            case PureDP(epsilon=epsilon):
                return not self.gaussian and self.pure <= epsilon
            case ZCDP(rho=rho):
                return self.rho <= rho
            case ApproxDP():
                return self.share(promise) <= 1 + _ROUNDING


@lru_cache(maxsize=64)
def largest_rho(epsilon: float, delta: float) -> float:
    """The largest ρ whose (ε, δ) statement holds, in floats (Canonne, Kamath and Steinke 2020).

    >>> round(largest_rho(1.0, 1e-6), 3)
    0.024
    """
    low, high = 0.0, epsilon + 2 * log(1 / delta)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _delta(middle, epsilon) <= delta else (low, middle)
    return low


def _delta(rho: float, epsilon: float) -> float:
    """δ = min over α of exp((α − 1)(αρ − ε)) / (α − 1) · (1 − 1/α)^α; any α gives a true one."""

    def logarithm(log_x: float) -> float:  # x = α − 1
        x = exp(log_x)
        return x * ((1 + x) * rho - epsilon) + x * log_x - (1 + x) * log1p(x)

    found = minimize_scalar(logarithm, bounds=(-15, 15), options={"xatol": 1e-10})
    return exp(min(float(found.fun), 0.0))


def same_law(first: Sequence[Call], second: Sequence[Call]) -> bool:
    """Whether two runs asked for the same noise, in the same order, whatever was under it."""
    return len(first) == len(second) and all(
        _law(mine) == _law(theirs) for mine, theirs in zip(first, second, strict=True)
    )


def _law(call: Call) -> tuple[object, ...]:
    match call:
        case Added():
            return call.statistic, call.laws, call.law.tobytes()
        case Coins():
            return call.exponent, call.output.size
        case Drawn():
            return call.rate, call.gaps.size, call.output.size


def price(first: Sequence[Call], second: Sequence[Call]) -> Price:
    """The loss between two runs of the same law."""
    pairs = zip(first, second, strict=True)
    return sum((_price(mine, theirs) for mine, theirs in pairs), Price())


def _price(mine: Call, theirs: Call) -> Price:
    match mine, theirs:
        case Added(), Added():
            return _added(mine, theirs)
        case Coins(), Coins():
            differ = int((mine.output != theirs.output).sum())
            return Price(pure=differ * mine.exponent)
        case Drawn(), Drawn():
            apart = int(np.ptp(theirs.gaps - mine.gaps)) * mine.output.size
            return Price(pure=apart * mine.rate, bare=bool((mine.output != theirs.output).any()))
    raise TypeError("the two runs drew other things")


def _added(mine: Added, theirs: Added) -> Price:
    moved, total = theirs.noise - mine.noise, Price(bare=False)
    for k in np.unique(mine.law[moved != 0]):
        here = [int(step) for step in moved[mine.law == k]]
        if k == len(mine.laws):
            total += Price(bare=True)
            continue
        kind, size = mine.laws[k]
        if kind == "laplace":
            total += Price(pure=sum(map(abs, here)) / size)
        else:
            total += Price(gaussian=sum(step * step for step in here) / (2 * size))
    return total
