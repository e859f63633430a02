"""Randomized response: a bit that tells the truth, and sometimes the opposite, exactly.

A bit b is answered by b, or with probability q = 1 / (1 + e^ε) by 1 − b.  Each answer is
(1 − q) / q = e^ε times as likely from one bit as from the other, so a response loses
exactly ε (Warner 1965; `docs/proofs/reservoir-mean.md`).  Whatever is computed from
responses that were drawn once costs nothing more.

The draw is exact for every rational ε.  A fair coin proposes to flip or to keep; keeping is
always accepted, flipping with probability e^−ε, else both are proposed again.  So the odds
of flipping to keeping are e^−ε : 1, and `enclosure.bernoulli_exp` decides the rest without
a rounding error, also where flips are rarer than one in 2⁶⁴.
"""

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import ceil, exp, log, sqrt, tanh

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.privacy.enclosure import bernoulli_exp
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Event
from sfumato.privacy.randomness import Bits

__all__ = ["SMALLEST", "RandomizedResponse", "coins", "stated_chance"]

SMALLEST = Fraction(1, 10**9)
_LARGE = 10**6  # floats stand in with it: e^−ε is 0 to them long before
# Flip probabilities are stated to 12 digits, rounded down; below 1e-300 that is 0.
_STATED = Context(prec=12, rounding=ROUND_FLOOR, Emin=-300, Emax=300, traps=[])
_PRECISE = Context(prec=60)


@dataclass(frozen=True, slots=True)
class RandomizedResponse:
    """Responses that lose `budget` each.

    >>> from sfumato.privacy.randomness import SeededBits
    >>> response = RandomizedResponse("admitted bits", PureDP(1))
    >>> round(response.flip_probability, 4)
    0.2689
    >>> response.respond(np.array([0, 0, 0, 1, 1, 1], np.uint8), SeededBits(4))
    array([0, 1, 0, 1, 1, 0], dtype=uint8)
    """

    statistic: str
    budget: PureDP

    def __post_init__(self) -> None:
        if not isinstance(self.budget, PureDP):
            raise ParameterError(
                "randomized response promises pure epsilon-DP only: leave out delta and rho"
            )
        if self.budget.epsilon < SMALLEST:
            raise ParameterError("randomized response needs an epsilon of at least 1e-9")

    @property
    def event(self) -> Event:
        """One bit changes one response; the flip probability is stated rounded down."""
        stated = stated_chance(self.budget.epsilon)
        return Event(self.statistic, "randomized-response", Fraction(1), stated, self.budget)

    @property
    def _epsilon(self) -> float:
        return float(min(self.budget.epsilon, Fraction(_LARGE)))

    @property
    def flip_probability(self) -> float:
        """q, as a float; the draw itself does not use it."""
        odds = exp(-self._epsilon)
        return odds / (1 + odds)

    @property
    def contrast(self) -> float:
        """1 − 2q = tanh(ε / 2): how far apart the mean responses to 0 and to 1 are."""
        return tanh(self._epsilon / 2)

    @property
    def variance(self) -> float:
        """Of one debiased response, q (1 − q) / (1 − 2q)² = e^−ε / (1 − e^−ε)².

        >>> round(RandomizedResponse("bit", PureDP(1)).variance, 3)
        0.921
        """
        q = self.flip_probability
        return q * (1 - q) / self.contrast**2

    def flips(self, count: int, bits: Bits) -> NDArray[np.bool_]:
        """Which of `count` bits to flip, each with probability q, exactly.

        >>> from sfumato.privacy.randomness import SeededBits
        >>> int(RandomizedResponse("bit", PureDP(1)).flips(1000, SeededBits(3)).sum())
        258
        """
        epsilon, near = self.budget.epsilon, self._epsilon
        flip = np.empty(count, np.bool_)
        filled = 0
        while filled < count:
            missing = count - filled
            # Enough proposals that one round nearly always does.
            coin = coins(int(2.1 / (1 + exp(-near)) * missing) + 16, bits)
            asking = np.flatnonzero(coin)
            settled = ~coin
            settled[asking] = bernoulli_exp(np.full(asking.size, near), lambda _: epsilon, bits)
            found = coin[settled][:missing]
            flip[filled : filled + found.size] = found
            filled += found.size
        return flip

    def respond(self, truth: NDArray[np.uint8], bits: Bits) -> NDArray[np.uint8]:
        """A response to each bit; pay for `event` first, that buys the random bits."""
        return truth ^ self.flips(truth.size, bits)

    def debiased(self, share: NDArray[np.float64]) -> NDArray[np.float64]:
        """Shares of ones among responses, as unbiased shares of ones among the bits.

        What is drawn too high or too low may leave [0, 1].

        >>> response = RandomizedResponse("bit", PureDP(1))
        >>> response.debiased(np.array([0.5, 1 - response.flip_probability])).tolist()
        [0.5, 1.0]
        """
        return 0.5 + (share - 0.5) / self.contrast

    def sample_size(self, sigma: float, failure: float) -> int:
        """So many responses that their debiased mean is off by sigma only with chance `failure`.

        For a uniform sample without replacement of any population, or for all of it.

        >>> RandomizedResponse("bit", PureDP(1)).sample_size(0.1, 0.05)
        864
        """
        return ceil(log(2 / failure) / (2 * (sigma * self.contrast) ** 2))

    def error(self, size: int, failure: float) -> float:
        """What the debiased mean of so many responses exceeds only with chance `failure`.

        >>> round(RandomizedResponse("bit", PureDP(1)).error(864, 0.05), 4)
        0.1
        """
        return sqrt(log(2 / failure) / (2 * size)) / self.contrast


def stated_chance(epsilon: Fraction, others: int = 1) -> Fraction:
    """m / (m + e^ε): that one of m others takes the place of the truth, rounded down to be stated.

    >>> float(stated_chance(Fraction(1))), float(stated_chance(Fraction(1), 4))
    (0.268941421369, 0.595390324808)
    """
    exponent = _PRECISE.divide(Decimal(-epsilon.numerator), Decimal(epsilon.denominator))
    odds = _PRECISE.multiply(Decimal(others), _PRECISE.exp(exponent))
    return Fraction(_STATED.plus(_PRECISE.divide(odds, 1 + odds)))


def coins(count: int, bits: Bits) -> NDArray[np.bool_]:
    """Fair coins, 64 from a word."""
    packed = bits.words(-(-count // 64)).view(np.uint8)
    return np.unpackbits(packed, count=count).view(np.bool_)
