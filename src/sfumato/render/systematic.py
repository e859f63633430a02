"""Systematic sampling: each value as often as it should be, give or take one.

Independent draws add noise of their own to every table of a release; these hardly do.
"""

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Whole
from sfumato.numeric.compiled import HAVE_NUMBA, compiled

__all__ = ["draw", "draw_within"]

_KEYS = 2**16  # that rows are shuffled by: sorted by counting; rows with the same one stay in order


def draw(weights: NDArray[np.float64], rows: int, rng: np.random.Generator) -> Whole:
    """`rows` positions in proportion to the weights, in random order.

    >>> np.bincount(draw(np.array([1.0, 3.0]), 8, np.random.default_rng(0))).tolist()
    [2, 6]
    """
    return draw_within(np.zeros(rows, np.int64), weights[None, :], rng)


def draw_within(condition: Whole, weights: NDArray[np.float64], rng: np.random.Generator) -> Whole:
    """For each row a position in proportion to `weights[condition]`, even within each condition."""
    conditions = len(weights)
    key = rng.integers(0, _KEYS, len(condition), np.uint16)
    upto = np.cumsum(weights, axis=1)
    upto /= np.maximum(upto[:, -1:], 1e-300)
    # Row p of the n in a condition stands at the level (p + offset) / n, in order: so many rows
    # are below each value's end.
    inside = np.bincount(condition, minlength=conditions)[:, None]
    below = np.ceil(upto * inside - rng.random((conditions, 1)))
    below = np.clip(below, 0, inside).astype(np.int64)
    below[:, -1:] = inside  # whatever the roundings before it
    each = np.diff(below, axis=1, prepend=0)
    deal = _dealt if HAVE_NUMBA else _dealt_by_sorting
    return deal(condition, key, each)


@compiled
def _dealt(condition: Whole, key: NDArray[np.uint16], each: Whole) -> Whole:
    """Values so often within each condition, to its rows in the order of their keys."""
    rows, (conditions, values) = len(condition), each.shape
    first = np.zeros(_KEYS + 1, np.int32)
    for row in range(rows):
        first[np.int64(key[row]) + 1] += 1
    for k in range(_KEYS):
        first[k + 1] += first[k]
    order = np.empty(rows, np.int32)
    for row in range(rows):
        place = first[key[row]]
        order[place] = row
        first[key[row]] = place + 1
    value = np.empty(rows, np.int32)
    start = np.empty(conditions, np.int64)
    at = 0
    for c in range(conditions):
        start[c] = at
        for v in range(values):
            for _ in range(each[c, v]):
                value[at] = v
                at += 1
    drawn = np.empty(rows, np.int64)
    for k in range(rows):
        row = order[k]
        place = start[condition[row]]
        drawn[row] = value[place]
        start[condition[row]] = place + 1
    return drawn


def _dealt_by_sorting(condition: Whole, key: NDArray[np.uint16], each: Whole) -> Whole:
    """The same without a loop: sorted by counting where the conditions fit 16 bits, too."""
    conditions, values = each.shape
    small = condition.astype(np.uint16) if conditions <= 2**16 else condition
    order = np.argsort(key, kind="stable")
    order = order[np.argsort(small[order], kind="stable")]
    drawn = np.empty(len(condition), np.int64)
    drawn[order] = np.repeat(np.tile(np.arange(values), conditions), each.ravel())
    return drawn
