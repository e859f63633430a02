"""Regions of the releases in which two neighbouring tables differ most.

A region is chosen on training runs alone, by what it would prove if they were the test.
Whatever is chosen, the bound on the runs that were held out is valid; a better choice only
finds more.

>>> rng = np.random.default_rng(0)
>>> first, second = rng.laplace(0, 1, (4000, 1)), rng.laplace(1, 1, (4000, 1))
>>> best = search([column(0, "value")], first, second, Figure("epsilon", 1.0), 0.01)
>>> best.kind, -0.5 < best.at < 0.5
('at most', True)
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.inspection.audit.bound import Figure, above, below
from sfumato.numeric.arrays import Matrix, Vector

__all__ = ["Region", "Score", "column", "search"]

Kind = Literal["at least", "at most", "exactly"]

_THRESHOLDS = 300  # values of the training runs that are tried for each score
_ATOMS = 12  # most frequent values that are tried for each score
_DECIMALS = 9  # equal up to the rounding of floats is equal


@dataclass(frozen=True)
class Score:
    """A number for each run."""

    text: str
    of: Callable[[Matrix], Vector] = field(repr=False)

    def __call__(self, runs: Matrix) -> Vector:
        """One number per row."""
        return np.round(self.of(runs), _DECIMALS)


def column(j: int, text: str) -> Score:
    """One of the numbers of a run."""
    return Score(text, lambda runs: runs[:, j])


@dataclass(frozen=True)
class Region:
    """Runs whose score is at least, at most, or exactly a value."""

    score: Score
    kind: Kind
    at: float

    def __str__(self) -> str:
        return f"{self.score.text} {self.kind} {self.at:.4g}"

    def hits(self, runs: Matrix) -> int:
        """How many runs lie in the region."""
        values = self.score(runs)
        inside = {"at least": np.greater_equal, "at most": np.less_equal, "exactly": np.equal}
        return int(inside[self.kind](values, self.at).sum())


def search(
    scores: Sequence[Score], likelier: Matrix, rarer: Matrix, figure: Figure, error: float
) -> Region:
    """The region of `likelier` runs that proves most about the figure."""
    best, most = None, -1.0
    low, high = below(len(likelier), error), above(len(rarer), error)
    for score in scores:
        for region, value in _best(score, score(likelier), score(rarer), figure, low, high):
            if value > most:
                best, most = region, value
    if best is None:
        raise ValueError("a region is searched among at least one score")
    return best


def _best(
    score: Score, a: Vector, b: Vector, figure: Figure, low: Vector, high: Vector
) -> Iterator[tuple[Region, float]]:
    """The best region of each kind, and what it proves on the training runs."""
    a, b = np.sort(a), np.sort(b)
    pooled, counts = np.unique(np.concatenate([a, b]), return_counts=True)
    at = pooled[_positions(len(pooled))]
    frequent = pooled[np.argsort(-counts, kind="stable")[:_ATOMS]]
    left = [np.searchsorted(side, at, "left") for side in (a, b)]
    right = [np.searchsorted(side, at, "right") for side in (a, b)]
    same = [
        np.searchsorted(side, frequent, "right") - np.searchsorted(side, frequent, "left")
        for side in (a, b)
    ]
    kinds: list[tuple[Kind, Any, Any, Any]] = [
        ("at least", at, len(a) - left[0], len(b) - left[1]),
        ("at most", at, right[0], right[1]),
        ("exactly", frequent, same[0], same[1]),
    ]
    for kind, where, hits, others in kinds:
        proved = figure.found(low[hits], high[others])
        i = int(np.argmax(proved))
        yield Region(score, kind, float(where[i])), float(proved[i])


def _positions(count: int) -> NDArray[np.int64]:
    """Evenly spread places, and closer ones towards both ends, where an infinite loss may hide."""
    last = count - 1
    even = np.linspace(0, last, min(count, _THRESHOLDS))
    ends = np.geomspace(1, max(count, 1), min(count, _THRESHOLDS // 3)) - 1
    return np.unique(np.concatenate([even, ends, last - ends]).astype(np.int64))
