"""The nearest of many points, in few dimensions by a tree and in many by products of matrices.

In more than a dozen dimensions a tree looks at nearly every point and is slower than to compare
all of them at once.  Products of matrices round, by far less than the public grid is wide; what
they find is measured again one by one, so that equal points are at a distance of exactly 0.

>>> distances, rows = closest(np.eye(3), np.array([[0.0, 1.0, 0.0]]), 2)
>>> distances.round(3).tolist(), rows[:, 0].tolist()
([[0.0, 1.414]], [1])
"""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

__all__ = ["closest"]

_MOST_FOR_A_TREE = 14  # dimensions
_MORE = 8  # points beyond those wanted
_AT_ONCE = 2**22  # distances

Points = NDArray[np.float64]


def closest(points: Points, targets: Points, count: int) -> tuple[Points, NDArray[np.int64]]:
    """Distances and row numbers of the `count` points nearest to each target, nearest first."""
    if points.shape[1] > _MOST_FOR_A_TREE and count + _MORE < len(points):
        return _by_products(points, targets, count)
    # A list of ranks, so that one neighbour is a column as well.
    distances, rows = cKDTree(points).query(targets, k=np.arange(1, count + 1))
    return distances, rows


def _by_products(points: Points, targets: Points, count: int) -> tuple[Points, NDArray[np.int64]]:
    distances = np.empty((len(targets), count))
    rows = np.empty((len(targets), count), np.int64)
    squares, step = (points**2).sum(axis=1), max(_AT_ONCE // len(points), 1)
    for start in range(0, len(targets), step):
        here = targets[start : start + step]
        near = _least(squares - 2 * here @ points.T, count)
        exact = ((points[near] - here[:, None]) ** 2).sum(axis=2)
        order = np.argsort(exact, axis=1, kind="stable")[:, :count]
        rows[start : start + step] = np.take_along_axis(near, order, axis=1)
        distances[start : start + step] = np.sqrt(np.take_along_axis(exact, order, axis=1))
    return distances, rows


def _least(values: Points, count: int) -> NDArray[np.int64]:
    """Where the `count` least of each row are, in any order; of several, some more for rounding."""
    if count == 1:
        return np.asarray(values.argmin(axis=1)[:, None])
    return np.asarray(np.argpartition(values, count + _MORE, axis=1)[:, : count + _MORE])
