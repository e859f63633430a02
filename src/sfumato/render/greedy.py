"""The greedy sampler of Jiang et al. 2013, section 3.2: records that match noisy moments.

Record after record, feature after feature, the value is chosen that brings the sums of
the records so far nearest (in ℓ₁) to that many times the noisy moments.  Categories come
first; a feature that is still open stands at its class mean.  For a number the target is a
sum of |c z − b|, convex and piecewise linear, so its minimum is the weighted median of the
zeros b / c, cut to [0, 1]: O(p log p), not the O(p²) of comparing all zeros.

All arithmetic is on whole numbers, so sums do not depend on their order and the compiled
and the plain version give the same records.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from sfumato.numeric.arrays import Matrix, Whole
from sfumato.synopsis.features import Features

__all__ = ["greedy"]

V = 2**12  # the whole number that stands for 1
_SUM_BITS, _PRODUCT_BITS = 16, 8  # what targets keep beyond it, so that they do not drift
_BLOCK, _BINARY, _NUMBER = 0, 1, 2


F = TypeVar("F", bound=Callable[..., Any])

try:
    from numba import njit
except ImportError:  # without the `fast` extra the same lines run as they stand
    njit = None


def compiled(function: F) -> F:
    """The function compiled to machine code, where numba is installed."""
    return function if njit is None else cast(F, njit(cache=True)(function))


def greedy(features: Features, means: Matrix, second: Matrix, classes: Whole) -> Matrix:
    """One record per entry of `classes`, its features in [0, 1].

    `means` are those of each class, `second` is E[x xᵀ] over all records.
    """
    order, offsets, kinds = _groups(features)
    goal_sums = np.rint(means[:, order] * V * 2**_SUM_BITS).astype(np.int64)
    goal_second = np.rint(second[np.ix_(order, order)] * V * V * 2**_PRODUCT_BITS).astype(np.int64)
    drawn = _draw(goal_sums, goal_second, classes.astype(np.int64), offsets, kinds)
    Z = np.empty(drawn.shape)
    Z[:, order] = drawn / V
    return Z


def _groups(features: Features) -> tuple[Whole, Whole, Whole]:
    """Features with the categories first, where each group starts, and what kind it is."""
    groups: dict[tuple[int, int], list[int]] = {}
    for position, item in enumerate(features.items):
        kind = _NUMBER if item.unit > 1 else _BINARY if item.block is None else _BLOCK
        name = item.axis if kind == _BLOCK else -position - 1
        groups.setdefault((kind, name), []).append(position)
    ordered = sorted(groups.items(), key=lambda pair: pair[0][0])
    sizes = [len(members) for _, members in ordered]
    return (
        np.array([position for _, members in ordered for position in members]),
        np.concatenate([[0], np.cumsum(sizes)]),
        np.array([kind for (kind, _), _ in ordered]),
    )


@compiled
def _gain(d: int, first: int, last: int, y: Whole, open_sum: int, open_row: Whole) -> int:
    """What the target rises by when dummy d of the group is set to one instead of zero."""
    pairs = np.abs(V * y - open_row) - np.abs(open_row)
    total = 2 * (pairs.sum() - pairs[first:last].sum())
    total += abs(V * V - open_row[d]) - abs(open_row[d])
    return int(total + V * (abs(V - open_sum) - abs(open_sum)))


@compiled
def _median(i: int, y: Whole, open_sum: int, open_row: Whole) -> int:
    """The z in 0 … V that minimises V|z − s| + |y_i z − r_i| + 2 Σ |y_j z − r_j|, j ≠ i."""
    weight, target = np.append(2 * y, V), np.append(2 * open_row, V * open_sum)
    weight[i], target[i] = y[i], open_row[i]
    zeros = target / np.maximum(weight, 1)
    order = np.argsort(zeros, kind="mergesort")
    reached = np.cumsum(weight[order])
    middle = np.searchsorted(2 * reached, reached[-1])
    return int(min(max(np.rint(zeros[order[middle]]), 0.0), float(V)))


@compiled
def _draw(
    goal_sums: Whole, goal_second: Whole, classes: Whole, offsets: Whole, kinds: Whole
) -> Whole:
    """The sampler itself, in terms that numba compiles as they stand."""
    width = goal_sums.shape[1]
    drawn = np.zeros((len(classes), width), np.int64)
    sums, second = np.zeros_like(goal_sums), np.zeros_like(goal_second)
    so_far = np.zeros(len(goal_sums), np.int64)
    for row in range(len(classes)):
        label = classes[row]
        so_far[label] += 1
        open_sums = ((goal_sums[label] * so_far[label]) >> _SUM_BITS) - sums[label]
        open_second = ((goal_second * (row + 1)) >> _PRODUCT_BITS) - second
        y = goal_sums[label] >> _SUM_BITS  # an open feature stands at its class mean
        for g in range(len(kinds)):
            first, last = offsets[g], offsets[g + 1]
            if kinds[g] == _NUMBER:
                y[first] = _median(first, y, open_sums[first], open_second[first])
                continue
            best, least = -1, 0  # a 0/1 feature may stay at zero, a block may not
            for d in range(first, last):
                cost = _gain(d, first, last, y, open_sums[d], open_second[d])
                if (best < 0 and kinds[g] == _BLOCK) or cost < least:
                    best, least = d, cost
            y[first:last] = 0
            if best >= 0:
                y[best] = V
        sums[label] += y
        for i in range(width):
            if y[i]:
                second[i] += y[i] * y
        drawn[row] = y
    return drawn
