"""The mechanisms of chapter 6 as laws of what is seen, under neighbours, and what they lose.

A loss is the largest log ratio of two laws.  Where one of them rules out what the other allows it
has no bound; then the number that stands here is how likely that is, which is never more than the
distance between the laws (how surely one look tells the neighbours apart).
"""

from collections.abc import Iterator
from itertools import product
from math import exp, log, tanh

import numpy as np
from numpy.typing import NDArray
from scipy.stats import laplace

from papers.outcome import Outcome, Outcomes

__all__ = [
    "APART",
    "BARE",
    "EPSILONS",
    "EXPONENTIAL",
    "FIRST",
    "GONE",
    "LAPLACE",
    "LOSS",
    "MEAN",
    "MOVED",
    "NOISE",
    "OUTPUT",
    "SECOND",
    "VARIANCE",
    "Law",
    "alike",
    "apart",
    "counts_apart",
    "loss",
    "rounded",
    "work_out",
]  # fmt: skip

EPSILONS = (0.1, 0.5, 1.0, 2.0)
LAPLACE, EXPONENTIAL = "Laplace noise", "exponential noise"
OUTPUT, NOISE = "the output rounded", "the noise rounded"
MEAN = "the mean of two answers"
GONE, MOVED = "two groups, a record comes or goes", "two groups, a record changes its group"
LOSS, BARE, APART = "loss", "chance of a loss without bound", "told apart"
VARIANCE = "variance"
FIRST, SECOND = 0.3, 0.7  # of a budget in two parts
WIDE = 200  # whole numbers to either side
TINY = 1e-250  # below it a float has lost digits
FAR = 1e6  # where the tails of a sum of two have settled, in scales

Law = NDArray[np.float64]


def loss(p: Law, q: Law) -> float:
    """The largest log ratio, where both allow what is seen.

    >>> round(loss(np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.75, 0.0])), 3)
    0.693
    """
    seen = (p > TINY) & (q > TINY)
    return float(np.abs(np.log(p[seen] / q[seen])).max())


def apart(p: Law, q: Law) -> float:
    """The distance between two laws: by how much more than by guessing they are told apart.

    >>> apart(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    0.5
    """
    return float(np.abs(p - q).sum() / 2)


def alike(epsilon: float) -> float:
    """The largest distance that a loss of ε allows.

    >>> round(alike(1), 3)
    0.462
    """
    return tanh(epsilon / 2)


def rounded(epsilon: float, value: float) -> Law:
    """The law of a value under Laplace noise of scale 1/ε, rounded to whole numbers."""
    edges = np.arange(-WIDE, WIDE + 2) - 0.5
    # Lower tails on the left and upper tails on the right, for digits far out on both sides.
    below = np.diff(laplace.cdf(edges, value, 1 / epsilon))
    above = -np.diff(laplace.sf(edges, value, 1 / epsilon))
    law: Law = np.where(edges[:-1] < value, below, above)
    return law


def counts_apart() -> int:
    """Proposition 6.2.1 by hand: by how much the counts of neighbours differ at most.

    All tables of three records, each of which has the property or not, or is not there.

    >>> counts_apart()
    1
    """
    tables = list(product((None, 0, 1), repeat=3))
    return max(
        abs(sum(filter(None, one)) - sum(filter(None, other)))
        for one in tables
        for other in tables
        if sum(a != b for a, b in zip(one, other, strict=True)) == 1
    )


def work_out(found: Outcomes) -> None:
    """Every number of the chapter but those about memory."""
    for epsilon in EPSILONS:
        for figure, who, what, value in (
            *_noises(epsilon),
            *_rounding(epsilon),
            *_composition(epsilon),
        ):
            found.add(Outcome(figure, who, epsilon, 0, what, value))


def _noises(epsilon: float) -> Iterator[tuple[str, str, str, float]]:
    at = np.linspace(-20, 20, 4001)
    here, there = (laplace.pdf(at, bit, 1 / epsilon) for bit in (0, 1))
    yield "6.2.1", LAPLACE, LOSS, loss(here, there)
    # Below 1 only a 0 can be seen; from 1 on the ratio is the same everywhere.
    yield "6.2.2", EXPONENTIAL, BARE, 1 - exp(-epsilon)
    yield "6.2.2", EXPONENTIAL, LOSS, epsilon


def _rounding(epsilon: float) -> Iterator[tuple[str, str, str, float]]:
    here, there = rounded(epsilon, 0), rounded(epsilon, 1)
    yield "6.2.3", OUTPUT, LOSS, loss(here, there)
    # Values that are no whole numbers, one apart: at most that.
    several = [loss(rounded(epsilon, v), rounded(epsilon, v + 1)) for v in (0.3, 0.5, -7.25)]
    yield "6.2.10", OUTPUT, LOSS, max(several)
    yield "6.2.10", OUTPUT, APART, apart(here, rounded(epsilon, 0.5))
    # 0 + [e] is whole and ½ + [e] is not: on a grid of halves no place is shared.
    halves = np.zeros((2, 2 * here.size))
    halves[0, ::2] = halves[1, 1::2] = here
    yield "6.2.10", NOISE, APART, apart(*halves)


def _composition(epsilon: float) -> Iterator[tuple[str, str, str, float]]:
    # The sum of two noises has the density (1 + |x|) e^−|x| / 4 in scales; their mean moves by 1.
    x, step = FAR, 2 * epsilon
    yield "sequential", MEAN, LOSS, step - log((1 + x + step) / (1 + x))
    # One group under ε and one under 2ε: a record is in the first, in the second, or in neither.
    one, other = ([rounded(e, count) for count in (0, 1)] for e in (epsilon, 2 * epsilon))
    nobody, first, second = (np.outer(one[a], other[b]) for a, b in ((0, 0), (1, 0), (0, 1)))
    yield "parallel", GONE, LOSS, max(loss(nobody, first), loss(nobody, second))
    yield "parallel", MOVED, LOSS, loss(first, second)
    yield "divided", "in one part", VARIANCE, 2 / epsilon**2
    parts = (FIRST * epsilon, SECOND * epsilon)
    yield "divided", "in two parts", VARIANCE, sum(2 / part**2 for part in parts)
