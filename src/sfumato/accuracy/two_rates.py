"""How many have something, from answers that say yes at one rate if so and at another if not.

Of D independent answers, m come from those who have it and are yes with chance p, the others
with chance q < p.  The number of yeses

    C = Bin(m, p) + Bin(D − m, q),        E[C] = D q + m (p − q),

so (C − D q) / (p − q) is right on average, whatever the truth.  C grows with m in the sense that
every tail P_m(C ≥ c) does.  The interval holds all m for which both P_m(C ≥ c) and P_m(C ≤ c) are
above half of the chance of error: Clopper and Pearson's (1934) for two rates, and as safe
(`docs/proofs/local.md`).  Tails are exact sums but for rounding, which is counted against the
promise.

>>> seen = TwoRates(yes=4_200, draws=10_000, most=10_000, own=0.75, other=0.25)
>>> round(seen.value), seen.interval("0.95")
(3400, (3230, 3570))
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np
from scipy.special import bdtr, bdtrc, gammaln, ndtri, xlog1py, xlogy

from sfumato.accuracy.law import share
from sfumato.numeric.arrays import Vector
from sfumato.privacy.guarantee import Number

__all__ = ["TwoRates"]

_ROUNDING = 1e-6  # relative; the sums are off by less than a thousandth of it
_WIDE, _LEAST = 12, 60  # deviations, and counts, beyond which a binomial has chance below 1e-25


@dataclass(frozen=True)
class TwoRates:
    """So many yeses among so many draws, of which at most `most` come from those who have it."""

    yes: int
    draws: int
    most: int
    own: float  # p
    other: float  # q

    @property
    def value(self) -> float:
        """How many have it, right on average; it may lie outside of what is possible."""
        return (self.yes - self.draws * self.other) / (self.own - self.other)

    @property
    def deviation(self) -> float:
        """The standard deviation of `value`, were it the truth."""
        own = min(max(self.value, 0.0), float(self.most))
        spread = own * self.own * (1 - self.own)
        spread += (self.draws - own) * self.other * (1 - self.other)
        return sqrt(max(spread, 0.0)) / (self.own - self.other)

    def interval(self, confidence: Number) -> tuple[int, int]:
        """What the truth lies between."""
        each = (1 - share("confidence", confidence)) / 2
        return self.lower_bound(1 - each), self.upper_bound(1 - each)

    def lower_bound(self, confidence: Number) -> int:
        """What the truth is at least: the first m that could well have given so many yeses."""
        chance = _reached(confidence)
        guess = self.value + self.deviation * float(ndtri(chance))
        return self._first(lambda m: self._tail(m, above=True) > chance, self.most, guess)

    def upper_bound(self, confidence: Number) -> int:
        """What the truth is at most: the last m that could well have given so few yeses."""
        chance = _reached(confidence)
        guess = self.value - self.deviation * float(ndtri(chance))
        beyond = self._first(lambda m: self._tail(m, above=False) <= chance, self.most + 1, guess)
        return max(beyond - 1, 0)

    def _first(self, reached: Callable[[int], bool], end: int, guess: float) -> int:
        """The smallest m below `end` from which on it is so, or `end`; looked for near a guess."""
        low = high = int(min(max(guess, 0.0), end))
        step = 1
        if low < end and not reached(low):
            while high < end and (low == high or not reached(high)):
                low, high, step = high, min(high + step, end), 2 * step
        else:
            while low == high or reached(low):
                if low == 0:
                    return 0
                low, high, step = max(low - step, 0), low, 2 * step
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if reached(middle) else (middle, high)
        return high

    def _tail(self, m: int, *, above: bool) -> float:
        """P_m(C ≥ yes), or P_m(C ≤ yes)."""
        if m > self.most:
            return 1.0 if above else 0.0
        middle, reach = m * self.own, _WIDE * sqrt(m * self.own * (1 - self.own)) + _LEAST
        j = np.arange(max(0, int(middle - reach)), min(m, int(middle + reach)) + 1)
        weight = np.exp(
            gammaln(m + 1) - gammaln(j + 1) - gammaln(m - j + 1)
            + xlogy(j, self.own) + xlog1py(m - j, -self.own)
        )  # fmt: skip
        return float(weight @ self._rest((self.yes - j).astype(np.float64), self.draws - m, above))

    def _rest(self, needed: Vector, draws: int, above: bool) -> Vector:
        """The chance that the others give at least, or at most, the yeses that are needed."""
        inside = np.clip(needed, 0, max(draws, 1))
        if above:
            found = bdtrc(np.maximum(inside - 1, 0), max(draws, 1), self.other)
            return np.where(needed <= 0, 1.0, np.where(needed > draws, 0.0, found))
        found = bdtr(inside, max(draws, 1), self.other)
        return np.where(needed < 0, 0.0, np.where(needed >= draws, 1.0, found))


def _reached(confidence: Number) -> float:
    """A little less than the chance of error: what rounding hides is kept in."""
    missing: Fraction = 1 - share("confidence", confidence)
    return float(missing) * (1 - _ROUNDING)
