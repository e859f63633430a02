"""Answers in place of one of k categories: randomized response, direct and unary, exactly.

    direct    the category itself with odds e^ε against each of the others     (k-ary response)
    unary     a bit for each category: for the true one a fair coin, for each
              other one 1 with probability q = 1 / (1 + e^ε)                    (OUE)

Both lose exactly ε, whichever two categories are compared (`docs/proofs/local.md`; Kairouz et
al. 2016, Wang et al. 2017).  In the direct answer the ratio of two chances is 1, e^ε or e^−ε.  In
the unary one only the bits of the two categories tell them apart, and
½ (1 − q) / (q ½) = e^ε is the most that they tell.

Neither draw knows the category: what it is added to, or put in the place of, does.  The odds
e^−ε are irrational, so `choice.draw_index` and `RandomizedResponse.flips` decide them by
enclosures, without a rounding error.

Of a category that few have, an unbiased count has the variance n (k − 2 + e^ε) / (e^ε − 1)²
from direct answers and 4 n e^ε / (e^ε − 1)² from unary ones: direct ones are better while
k < 3 e^ε + 2 (`best_response`).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from math import exp, expm1, log, log1p

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.numeric.arrays import Matrix, Whole
from sfumato.privacy.choice import draw_index
from sfumato.privacy.guarantee import LocalDP, PureDP
from sfumato.privacy.mechanism import Event
from sfumato.privacy.randomness import Bits
from sfumato.privacy.response import SMALLEST, RandomizedResponse, coins, stated_chance

__all__ = ["DirectResponse", "Response", "UnaryResponse", "answered", "best_response"]

_MOST_BITS = 1 << 20  # unary bits that are drawn at a time: a few megabytes each
_LARGE = 700  # floats stand in with it: e^−ε is next to 0, and e^ε still finite


@dataclass(frozen=True, slots=True)
class Response(ABC):
    """A way to answer with one of `categories`, which loses `epsilon`."""

    statistic: str  # what is asked
    categories: int
    epsilon: Fraction

    def __post_init__(self) -> None:
        if self.categories < 1:
            raise ParameterError("a response needs at least one category")
        if self.epsilon < SMALLEST:
            raise ParameterError(
                "randomized response needs an epsilon of at least 1e-9 for each column"
            )

    @property
    @abstractmethod
    def event(self) -> Event:
        """What is paid for the answers of all records: each of them is local."""

    @abstractmethod
    def draw(self, codes: Whole, bits: Bits) -> Whole:
        """An answer to each code from 0 to `categories` − 1; pay for `event` first."""

    @abstractmethod
    def log_chances(self, code: int) -> Matrix:
        """Logarithms of the chances of each answer: a row for each part, drawn by itself."""

    @property
    @abstractmethod
    def rates(self) -> tuple[float, float]:
        """How often a category is answered by those who have it, and by the others."""

    @property
    def _epsilon(self) -> float:
        return float(min(self.epsilon, Fraction(_LARGE)))


class DirectResponse(Response):
    """The category, or with odds e^−ε each another one.

    >>> from sfumato.privacy.randomness import SeededBits
    >>> DirectResponse("ward", 4, Fraction(2)).draw(np.array([0, 0, 0, 3, 3, 3]), SeededBits(4))
    array([0, 0, 0, 3, 3, 3])
    >>> [round(rate, 4) for rate in DirectResponse("ward", 4, Fraction(2)).rates]
    [0.7112, 0.0963]
    """

    __slots__ = ()

    @property
    def event(self) -> Event:
        """One record changes one answer."""
        chance = stated_chance(self.epsilon, self.categories - 1)
        return Event(self.statistic, "k-ary-response", Fraction(1), chance, LocalDP(self.epsilon))

    def draw(self, codes: Whole, bits: Bits) -> Whole:
        """The code, moved round the circle of categories by a draw that does not depend on it."""
        gaps = np.ones(self.categories, np.int64)
        gaps[0] = 0
        moved = codes + draw_index(gaps, self.epsilon, len(codes), bits)
        return np.asarray(moved % self.categories)

    def log_chances(self, code: int) -> Matrix:
        """One part, with an entry for each category."""
        logs = np.full((1, self.categories), -self._epsilon)
        logs[0, code] = 0.0
        return logs - log1p((self.categories - 1) * exp(-self._epsilon))

    @property
    def rates(self) -> tuple[float, float]:
        """e^ε / (e^ε + k − 1) and 1 / (e^ε + k − 1)."""
        odds = exp(-self._epsilon)
        keep = 1 / (1 + (self.categories - 1) * odds)
        return keep, keep * odds


class UnaryResponse(Response):
    """A bit for each category: a fair coin for the true one, seldom 1 for the others.

    >>> from sfumato.privacy.randomness import SeededBits
    >>> UnaryResponse("ward", 4, Fraction(2)).draw(np.array([0, 3]), SeededBits(4))
    array([[0, 1, 0, 0],
           [0, 0, 0, 1]])
    """

    __slots__ = ()

    @property
    def event(self) -> Event:
        """One record changes the law of two bits."""
        chance = stated_chance(self.epsilon)
        return Event(self.statistic, "unary-response", Fraction(2), chance, LocalDP(self.epsilon))

    def draw(self, codes: Whole, bits: Bits) -> Whole:
        """False ones everywhere, and a coin in the place of the true category."""
        flips = RandomizedResponse("bits", PureDP(self.epsilon))
        answers = np.empty((len(codes), self.categories), np.int64)
        rows = max(_MOST_BITS // self.categories, 1)
        for start in range(0, len(codes), rows):
            part, here = answers[start : start + rows], codes[start : start + rows]
            part[...] = flips.flips(part.size, bits).reshape(part.shape)
            part[np.arange(len(here)), here] = coins(len(here), bits)
        return answers

    def log_chances(self, code: int) -> Matrix:
        """A part for each category: 0 and 1."""
        never = log1p(exp(-self._epsilon))
        logs = np.tile([-never, -self._epsilon - never], (self.categories, 1))
        logs[code] = -log(2)
        return logs

    @property
    def rates(self) -> tuple[float, float]:
        """½ and 1 / (e^ε + 1)."""
        odds = exp(-self._epsilon)
        return 0.5, odds / (1 + odds)


def answered(response: Response, codes: Whole, bits: Bits) -> NDArray[np.int64]:
    """The only place where codes of records meet the bits that hide them."""
    return response.draw(codes, bits)


def best_response(statistic: str, categories: int, epsilon: Fraction) -> Response:
    """The one with less variance for categories that few have: public, so it costs nothing.

    >>> [type(best_response("ward", k, Fraction(1))).__name__ for k in (2, 10, 11)]
    ['DirectResponse', 'DirectResponse', 'UnaryResponse']
    """
    # k < 3 e^ε + 2, with the digits of e^ε − 1 where ε is small.
    near = float(min(epsilon, Fraction(_LARGE)))
    kind = DirectResponse if categories < 5 + 3 * expm1(near) else UnaryResponse
    return kind(statistic, categories, epsilon)
