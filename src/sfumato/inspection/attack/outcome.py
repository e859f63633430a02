"""How often an attack was right, or how far off, with intervals; and differences of these.

Rates: Clopper and Pearson 1934, which holds at any number of tries, if the tries are
independent; where they are not, with the tries divided by the design effect, the variance
over that of independent tries (Korn and Graubard 1998).  Errors: normal, for the mean square
over records, square root of its ends.  A difference takes both of its intervals at half the
error probability each, so it holds whatever the dependence between its two sides, and is
wider than it need be.
"""

from dataclasses import dataclass, replace
from math import isnan, nan, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainccinv, betaincinv
from scipy.stats import norm

__all__ = ["Chance", "Error", "Gap", "Outcome", "Rate", "gap", "telling"]

_FEWEST_FOR_NORMAL = 30


@dataclass(frozen=True, slots=True)
class Rate:
    """How many tries were right; larger is worse for the people in the data.

    >>> rate = Rate(hits=9, tries=10)
    >>> rate.value, [round(end, 3) for end in rate.interval(0.95)]
    (0.9, [0.555, 0.997])
    """

    hits: int
    tries: int
    effect: float = 1.0  # variance over that of independent tries

    @property
    def value(self) -> float:
        """The share of tries that were right; not-a-number without a try."""
        return self.hits / self.tries if self.tries else nan

    def interval(self, confidence: float) -> tuple[float, float]:
        """Clopper and Pearson's; without a try, anything is possible."""
        hits, misses = self.hits / self.effect, (self.tries - self.hits) / self.effect
        error = (1 - confidence) / 2
        low = float(betaincinv(hits, misses + 1, error)) if hits else 0.0
        return low, float(betainccinv(hits + 1, misses, error)) if misses else 1.0


@dataclass(frozen=True, slots=True)
class Error:
    """How far off the guesses were: root mean square, in deviations of the columns.

    >>> error = Error.of(np.full(100, 0.25))
    >>> error.value, error.interval(0.95)
    (0.5, (0.5, 0.5))
    """

    mean_square: float
    standard_error: float  # of the mean square
    tries: int

    @classmethod
    def of(cls, squares: NDArray[np.float64]) -> "Error":
        """From the mean squared error of each record."""
        n = len(squares)
        spread = float(squares.std(ddof=1)) / sqrt(n) if n > 1 else nan
        return cls(float(squares.mean()) if n else nan, spread, n)

    @property
    def value(self) -> float:
        """The root of the mean square; 1 is as good as always saying the mean."""
        return sqrt(self.mean_square) if not isnan(self.mean_square) else nan

    def interval(self, confidence: float) -> tuple[float, float]:
        """Normal, by the central limit theorem over records."""
        if isnan(self.standard_error):
            return 0.0, float("inf")
        reach = float(norm.isf((1 - confidence) / 2)) * self.standard_error
        return sqrt(max(self.mean_square - reach, 0.0)), sqrt(self.mean_square + reach)


@dataclass(frozen=True, slots=True)
class Chance:
    """A success rate that is known without trying.

    >>> Chance(0.25).interval(0.95)
    (0.25, 0.25)
    """

    value: float

    def interval(self, _confidence: float) -> tuple[float, float]:
        """No width, at any confidence."""
        return self.value, self.value


Outcome = Rate | Error


@dataclass(frozen=True, slots=True)
class Gap:
    """How much better the attacker does; above 0 with certainty where `low` is."""

    value: float
    low: float
    high: float


def gap(attack: Outcome, other: Outcome | Chance, confidence: float) -> Gap:
    """How much better `attack` did than `other`: more hits, or a smaller error.

    >>> found = gap(Rate(90, 100), Rate(50, 100), 0.95)
    >>> round(found.value, 2), round(found.low, 2), round(found.high, 2)
    (0.4, 0.2, 0.57)
    """
    each = (1 + confidence) / 2  # half of the error probability for either side
    (low, high), (other_low, other_high) = attack.interval(each), other.interval(each)
    if isinstance(attack, Error):
        return Gap(other.value - attack.value, other_low - high, other_high - low)
    return Gap(attack.value - other.value, low - other_high, high - other_low)


def telling(outcome: Outcome, confidence: float) -> bool:
    """Whether so many tries could tell a perfect attack from one that never succeeds."""
    if isinstance(outcome, Error):
        return outcome.tries >= _FEWEST_FOR_NORMAL
    always = Rate(outcome.tries, outcome.tries, outcome.effect)
    return gap(always, replace(always, hits=0), confidence).low > 0
