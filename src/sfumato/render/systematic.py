"""Systematic sampling: each value as often as it should be, give or take one.

Independent draws add noise of their own to every table of a release; these hardly do.

Row p of the n in a condition stands at the level (p + offset) / n of its weights, which are summed
up: so many rows are below the end of each value.  Which row is the p-th is left to random keys.
"""

from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Array, Vector
from sfumato.numeric.compiled import Worthwhile, compiled

__all__ = ["Places", "draw", "draw_within", "expect"]

_worthwhile = Worthwhile(2**25)  # rows
_KEYS = 2**16  # that rows are shuffled by: sorted by counting; rows with the same one stay in order
_Keys = NDArray[np.uint16]
Places = NDArray[np.integer[Any]]


def expect(rows: int) -> None:
    """So many rows are to be drawn, by this process or together with others."""
    _worthwhile.expect(rows)


def draw(weights: NDArray[np.float64], rows: int, rng: np.random.Generator) -> Places:
    """`rows` positions in proportion to the weights, in random order.

    >>> np.bincount(draw(np.array([1.0, 3.0]), 8, np.random.default_rng(0))).tolist()
    [2, 6]
    """
    return draw_within(np.zeros(rows, np.uint16), weights[None, :], rng)


def draw_within(
    condition: Places, weights: NDArray[np.float64], rng: np.random.Generator
) -> Places:
    """For each row a position in proportion to `weights[condition]`, even within each condition.

    Positions come in 16 bits where these hold them all.
    """
    key, offset = rng.integers(0, _KEYS, len(condition), np.uint16), rng.random(len(weights))
    upto = np.cumsum(weights, axis=1)
    upto /= np.maximum(upto[:, -1:], 1e-300)
    conditions, values = weights.shape
    small = condition.astype(_narrow(conditions), copy=False)
    value = np.empty(len(condition), _narrow(values))
    deal = _dealt if _worthwhile(len(condition)) else _dealt_by_sorting
    return deal(small, key, upto, offset, value)


def _narrow(many: int) -> type[np.integer[Any]]:
    """What holds so many places: the less memory is gone over, the faster."""
    return np.uint16 if many <= 2**16 else np.int64


@compiled
def _dealt(condition: Places, key: _Keys, upto: Array, offset: Vector, value: Places) -> Places:
    """Values so often within each condition, to its rows in the order of their keys."""
    rows, (conditions, values) = len(condition), upto.shape
    inside = np.zeros(conditions, np.int64)
    first = np.zeros(_KEYS + 1, np.int32)
    for row in range(rows):
        inside[condition[row]] += 1
        first[np.int64(key[row]) + 1] += 1
    for k in range(_KEYS):
        first[k + 1] += first[k]
    order = np.empty(rows, np.int32)
    for row in range(rows):
        place = first[key[row]]
        order[place] = row
        first[key[row]] = place + 1
    start = np.empty(conditions, np.int64)
    at = 0
    for c in range(conditions):
        start[c] = at
        for v in range(values):
            below = inside[c]  # of the last value, whatever the roundings before it
            if v < values - 1:
                below = min(max(ceil(upto[c, v] * inside[c] - offset[c]), 0), inside[c])
            while at < start[c] + below:
                value[at] = v
                at += 1
    drawn = np.empty_like(value)
    for k in range(rows):
        row = order[k]
        place = start[condition[row]]
        drawn[row] = value[place]
        start[condition[row]] = place + 1
    return drawn


def _dealt_by_sorting(
    condition: Places, key: _Keys, upto: Array, offset: Vector, value: Places
) -> Places:
    """The same without a loop: sorted by counting where the conditions fit 16 bits, too."""
    conditions, values = upto.shape
    inside = np.bincount(condition, minlength=conditions)[:, None]
    below = np.clip(np.ceil(upto * inside - offset[:, None]), 0, inside).astype(np.int64)
    below[:, -1:] = inside
    each = np.diff(below, axis=1, prepend=0)
    order = np.argsort(key, kind="stable")
    order = order[np.argsort(condition[order], kind="stable")]
    drawn = np.empty_like(value)
    drawn[order] = np.repeat(np.tile(np.arange(values), conditions), each.ravel())
    return drawn
