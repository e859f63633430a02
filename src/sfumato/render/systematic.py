"""Draws that fall as evenly as they can: each value as often as it should, give or take one.

Independent draws add noise of their own to every table of a release; these hardly do.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw", "draw_within"]

Integers = NDArray[np.int64]


def draw(weights: NDArray[np.float64], rows: int, rng: np.random.Generator) -> Integers:
    """`rows` positions in proportion to the weights, in random order.

    >>> np.bincount(draw(np.array([1.0, 3.0]), 8, np.random.default_rng(0))).tolist()
    [2, 6]
    """
    return draw_within(np.zeros(rows, np.int64), weights[None, :], rng)


def draw_within(
    condition: Integers, weights: NDArray[np.float64], rng: np.random.Generator
) -> Integers:
    """For each row a position in proportion to `weights[condition]`, even within each condition."""
    rows = len(condition)
    shuffled = rng.permutation(rows)
    order = shuffled[np.argsort(condition[shuffled], kind="stable")]
    sorted_condition = condition[order]
    upto = np.cumsum(weights, axis=1)
    upto = upto / np.maximum(upto[:, -1:], 1e-300)
    upto[:, -1] = np.inf  # whatever the roundings before it
    first = np.searchsorted(sorted_condition, np.arange(len(weights) + 1))
    place = np.arange(rows) - first[sorted_condition]
    offset = rng.random(len(weights))
    level = (place + offset[sorted_condition]) / np.diff(first)[sorted_condition]
    # One search for all rows: condition c occupies the numbers from c to c + 1.
    edges = np.minimum(upto, 1.0) + np.arange(len(weights))[:, None]
    edges[:, -1] = np.arange(1, len(weights) + 1)
    found = np.searchsorted(edges.ravel(), sorted_condition + level, side="right")
    drawn = np.empty(rows, np.int64)
    drawn[order] = np.clip(found - sorted_condition * weights.shape[1], 0, weights.shape[1] - 1)
    return drawn
