"""Scores learnt from training runs, for releases whose law no formula gives.

Each released number by itself and by its distance from the usual one, and linear
discriminants of all of them, plain and with outliers drawn in.  `region` then tries
thresholds and single values: a number that is exactly zero on one table and never on its
neighbour is how a projection on private directions gives itself away.

>>> rng = np.random.default_rng(0)
>>> first, second = rng.normal(size=(500, 3)), rng.normal(size=(500, 3)) + [0, 0, 3]
>>> [score.text for score in learned(["a", "b", "c"])(first, second)][:4]
['c', 'c: distance from 1.5', 'b', 'b: distance from 0.00364']
"""

from collections.abc import Callable, Sequence

import numpy as np

from sfumato.inspection.audit.region import Score, column
from sfumato.numeric.arrays import Matrix, Vector

__all__ = ["apart", "learned"]

_MOST = 150  # columns that are tried one by one
_TAIL = 5  # per cent on each side that the robust discriminant draws in


def learned(names: Sequence[str]) -> Callable[[Matrix, Matrix], list[Score]]:
    """A maker of scores for runs with these numbers."""

    def scores(first: Matrix, second: Matrix) -> list[Score]:
        both = np.vstack([first, second])
        centre = np.median(both, axis=0)
        varying = np.flatnonzero((both != both[0]).any(axis=0))
        far = np.array([apart(first[:, j], second[:, j]) for j in varying])
        chosen = varying[np.argsort(-far, kind="stable")[:_MOST]]
        found = []
        for j in (int(k) for k in chosen):
            found.append(column(j, names[j]))
            found.append(_distance(j, names[j], float(centre[j])))
        if len(chosen) > 1:
            low, high = np.percentile(both, (_TAIL, 100 - _TAIL), axis=0)
            endless = np.full(both.shape[1], np.inf)
            found.append(_discriminant("linear discriminant", first, second, -endless, endless))
            found.append(_discriminant("robust linear discriminant", first, second, low, high))
        return found or [column(0, names[0])]

    return scores


def apart(a: Vector, b: Vector) -> float:
    """Largest difference of the two distribution functions."""
    at = np.unique(np.concatenate([a, b]))
    return float(
        np.abs(
            np.searchsorted(np.sort(a), at, "right") / len(a)
            - np.searchsorted(np.sort(b), at, "right") / len(b)
        ).max()
    )


def _distance(j: int, name: str, centre: float) -> Score:
    return Score(f"{name}: distance from {centre:.3g}", lambda runs: np.abs(runs[:, j] - centre))


def _discriminant(text: str, first: Matrix, second: Matrix, low: Vector, high: Vector) -> Score:
    """Fisher's direction for numbers that are drawn into a range and brought to one scale."""
    a, b = (np.clip(side, low, high) for side in (first, second))
    scale = np.vstack([a, b]).std(axis=0)
    scale[scale == 0] = np.inf  # what never varies has no say
    within = sum(np.cov(side / scale, rowvar=False) for side in (a, b)) / 2
    ridge = 1e-3 * np.eye(len(scale))
    weights = np.linalg.solve(np.atleast_2d(within) + ridge, (a.mean(0) - b.mean(0)) / scale)
    return Score(text, lambda runs: (np.clip(runs, low, high) / scale) @ weights)
