"""Systematic sampling: each value as often as it should be, give or take one.

Independent draws add noise of their own to every table of a release; these hardly do.
"""

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Whole

__all__ = ["draw", "draw_within"]


def draw(weights: NDArray[np.float64], rows: int, rng: np.random.Generator) -> Whole:
    """`rows` positions in proportion to the weights, in random order.

    >>> np.bincount(draw(np.array([1.0, 3.0]), 8, np.random.default_rng(0))).tolist()
    [2, 6]
    """
    return draw_within(np.zeros(rows, np.int64), weights[None, :], rng)


def draw_within(condition: Whole, weights: NDArray[np.float64], rng: np.random.Generator) -> Whole:
    """For each row a position in proportion to `weights[condition]`, even within each condition."""
    conditions, values = weights.shape
    # Sorted by counting where the conditions fit 16 bits, else by comparing.
    small = condition.astype(np.uint16) if conditions <= 2**16 else condition
    shuffled = rng.permutation(len(condition))
    order = shuffled[np.argsort(small[shuffled], kind="stable")]
    upto = np.cumsum(weights, axis=1)
    upto /= np.maximum(upto[:, -1:], 1e-300)
    # Row p of the n in a condition stands at the level (p + offset) / n, in order: so many rows
    # are below each value's end.
    inside = np.bincount(condition, minlength=conditions)[:, None]
    below = np.ceil(upto * inside - rng.random((conditions, 1)))
    below = np.clip(below, 0, inside).astype(np.int64)
    below[:, -1:] = inside  # whatever the roundings before it
    each = np.diff(below, axis=1, prepend=0)
    drawn = np.empty(len(condition), np.int64)
    drawn[order] = np.repeat(np.tile(np.arange(values), conditions), each.ravel())
    return drawn
