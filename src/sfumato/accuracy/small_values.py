"""Small values under noise: how much of it covers them, what is better, and what does not help.

Noise is as large as a privacy budget asks for, whatever it is added to.  A value from [−c, c]
under Laplace noise of scale 1/ε meets noise beyond ±5c with chance e^(−5cε), so where cε is
small the released value is mostly noise (table 10.1 of Liu 2015: `laplace_shares`).

For a bit, randomized response has half the variance of the best integer noise and no value
outside {0, 1} (`bit_variances`).  For a count of bits, integer noise on the count is better.

Averaging n groups of noise over the same value is no way out (section 10.1 proposes it): it
is n answers about one record, and loses n ε in the tails; `averaged` says how surely two
neighbours are then told apart.
"""

from collections.abc import Sequence
from math import exp, expm1
from typing import Any, NamedTuple

from sfumato.accuracy.laplace_sum import LaplaceSum
from sfumato.errors import ParameterError
from sfumato.moved import refusing
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.response import RandomizedResponse

__all__ = [
    "Averaged",
    "BitVariances",
    "LaplaceShare",
    "averaged",
    "bit_variances",
    "laplace_share",
    "laplace_shares",
    "table_text",
]

__getattr__ = refusing(__name__)


class LaplaceShare(NamedTuple):
    """How much of Laplace noise of scale 1/ε lies within ±c, and how much beyond ±5c."""

    c: float
    epsilon: float
    inside: float
    beyond: float


def laplace_share(c: float, epsilon: float) -> LaplaceShare:
    """The two shares, 1 − e^(−cε) and e^(−5cε).

    >>> round(laplace_share(1, 0.1).inside, 3)
    0.095
    """
    _positive(c=c, epsilon=epsilon)
    return LaplaceShare(c, epsilon, -expm1(-c * epsilon), exp(-5 * c * epsilon))


def laplace_shares() -> tuple[LaplaceShare, ...]:
    """Table 10.1 of Liu 2015, unrounded.

    >>> round(laplace_shares()[0].beyond, 3)
    0.607
    """
    return tuple(laplace_share(c, epsilon) for c in (1, 5, 10) for epsilon in (0.1, 0.2, 0.5, 1))


class BitVariances(NamedTuple):
    """Variance of an unbiased noisy bit, by mechanism; the last one is not private."""

    epsilon: float
    laplace: float
    geometric: float
    response: float
    exponential_not_private: float


def bit_variances(epsilon: float) -> BitVariances:
    """Laplace 2/ε², two-sided geometric 2e^−ε/(1 − e^−ε)², randomized response half of that.

    One-sided exponential noise, 1/ε², is in the table because it is in print: a bit of 1 never
    yields less than 1, a bit of 0 does with chance 1 − e^−ε, and that is no privacy at all.

    >>> bit_variances(1).response < bit_variances(1).exponential_not_private
    True
    """
    _positive(epsilon=epsilon)
    response = RandomizedResponse("bit", PureDP(epsilon)).variance
    return BitVariances(epsilon, 2 / epsilon**2, 2 * response, response, 1 / epsilon**2)


class Averaged(NamedTuple):
    """Noise averaged over groups: its deviation, and what it does to neighbours."""

    groups: int
    deviation: float
    told_apart: float  # total variation: 0 where neighbours look alike, 1 where never
    loss: float  # what the tails lose: n ε


def averaged(groups: int, terms: int, epsilon: float) -> Averaged:
    """A sum released under the mean of `groups` noises, each a sum of `terms` Laplace(1/ε).

    >>> round(averaged(100, 10, 1).told_apart, 3)
    0.737
    """
    _positive(groups=groups, terms=terms, epsilon=epsilon)
    noise = LaplaceSum.alike(groups * terms, 1 / (groups * epsilon))
    # Neighbours shift the sum by 1, and the noise is symmetric with one peak: their laws differ
    # most on the two sides of the middle.
    apart = 1 - 2 * noise.at_least(0.5)
    return Averaged(groups, noise.deviation, apart, groups * epsilon)


def table_text(rows: Sequence[Any]) -> str:
    """Rows of one kind as a table with aligned columns, to four digits.

    >>> print(table_text([bit_variances(0.5), bit_variances(2)]))
    epsilon  laplace  geometric  response  exponential_not_private
        0.5        8      7.835     3.918                        4
          2      0.5      0.362     0.181                     0.25
    """
    names = rows[0]._fields
    cells = [names, *([f"{value:.4g}" for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        for line in cells
    )


def _positive(**given: float) -> None:
    for name, value in given.items():
        if not 0 < value < float("inf"):
            raise ParameterError(f"{name} must be positive and finite, got {value}")
