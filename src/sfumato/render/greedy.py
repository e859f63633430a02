"""The greedy sampler of Jiang et al. 2013, section 3.2, mended: records that match noisy moments.

Record after record, feature after feature, the value is chosen that brings the sums of
the records so far nearest to what the noisy moments say of so many records.  Categories come
first, by the paper's items for their sums and the products among them, as absolute values.  A
feature that is still open stands at its class mean.  For a number z the target has p + 1 items,
each once: one for its sum, one for its square, one for its product with each other feature.

Taken word for word, with absolute values, this loses what it is to keep: any step of z away from
its mean costs every product with a value that is not 0, so a column that follows no other stays
at its mean and has no variance at all (`tests/render/test_greedy.py` has it in plain words).  So
the items of numbers are taken about the class means, where their sums are the shared covariance,
and in units of the deviations of their columns.  All but the one for the square are squared, so
that small steps cost nothing: the sum with weight ½, each product with 1/4p.

Sums are of whole numbers, so the compiled and the plain version give the same records.
"""

import numpy as np

from sfumato.numeric.arrays import Matrix, Whole
from sfumato.numeric.compiled import compiled
from sfumato.synopsis.features import Features

__all__ = ["greedy"]

V = 2**12  # the whole number that stands for 1
_SUM_BITS, _PRODUCT_BITS = 16, 8  # what targets keep beyond it, so that they do not drift
_VARIED = 0.75  # of the variance that a column would have at its two ends alone
_BLOCK, _BINARY, _NUMBER = 0, 1, 2


def greedy(features: Features, means: Matrix, within: Matrix, classes: Whole) -> Matrix:
    """One record per entry of `classes`, its features in [0, 1].

    `means` are those of each class, `within` is the covariance about them that all share.
    """
    order, offsets, kinds = _groups(features)
    goal_sums = np.rint(means[:, order] * V * 2**_SUM_BITS).astype(np.int64)
    squares = means[:, :, None] * means[:, None, :]
    levels = order[: offsets[np.count_nonzero(kinds != _NUMBER)]]
    expected = _by_class(features, means, within + squares)[:, levels][:, :, levels]
    goal_second = np.rint(expected * V * V * 2**_PRODUCT_BITS).astype(np.int64)
    spread = _possible(within, means)[order][:, order]
    goal_spread = np.rint(spread * V * V * 2**_PRODUCT_BITS).astype(np.int64)
    drawn = _draw(goal_sums, goal_second, goal_spread, classes.astype(np.int64), offsets, kinds)
    Z = np.empty(drawn.shape)
    Z[:, order] = drawn / V
    return Z


def _by_class(features: Features, means: Matrix, expected: Matrix) -> Matrix:
    """E[x xᵀ] in each class, if they share a covariance; the square of 0 or 1 is itself."""
    bits = np.flatnonzero(features.units == 1)
    expected[:, bits, bits] = means[:, bits]
    return expected


def _possible(S: Matrix, means: Matrix) -> Matrix:
    """Covariances, scaled down where a column between 0 and 1 cannot vary so much."""
    most = _VARIED * (means * (1 - means)).mean(axis=0)
    scale = np.sqrt(np.minimum(1.0, most / np.maximum(np.diag(S), 1e-12)))
    return np.asarray(S * np.outer(scale, scale))


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
    total = pairs.sum() - pairs[first:last].sum()
    total += abs(V * V - open_row[d]) - abs(open_row[d])
    return int(total + V * (abs(V - open_sum) - abs(open_sum)))


@compiled
def _best(
    i: int, aside: Whole, want: int, sizes: Whole, open_row: Whole, least_z: int, most_z: int
) -> int:
    """The z between both ends with the least target, about class means and in deviations.

    (z − s)² / 2 + |z² − r_i| + Σ (y_j z − r_j)² / 4p: a parabola on either side of z² = r_i.
    """
    size, count = float(sizes[i]), float(4 * len(aside))
    bend, pull = 0.5, 0.5 * want / size  # of half the parabola without |z² − r_i|
    for j in range(len(aside)):
        if aside[j] and j != i:
            y, r = aside[j] / sizes[j], open_row[j] / (size * sizes[j])
            bend += y * y / count
            pull += y * r / count
    square = open_row[i] / (size * size)
    root = np.sqrt(max(square, 0.0))
    best, least = 0.0, np.inf
    # Inside z² < r the target is bend − 1, outside bend + 1 times z², both less 2 pull z.
    for k in range(4):
        if k == 0:
            z = root
        elif k == 1:
            z = -root
        elif k == 2:
            z = pull / (bend + 1.0)
        else:
            z = pull / (bend - 1.0) if bend > 1.0 else 0.0
        z = min(max(z, least_z / size), most_z / size)
        cost = bend * z * z - 2.0 * pull * z + abs(z * z - square)
        if cost < least:
            best, least = z, cost
    return int(np.rint(best * size))


@compiled
def _draw(
    goal_sums: Whole,
    goal_second: Whole,
    goal_spread: Whole,
    classes: Whole,
    offsets: Whole,
    kinds: Whole,
) -> Whole:
    """The sampler itself, in terms that numba compiles as they stand."""
    width, levels = goal_sums.shape[1], goal_second.shape[1]  # all features, and of categories
    drawn = np.zeros((len(classes), width), np.int64)
    sums, second = np.zeros_like(goal_sums), np.zeros((levels, levels), np.int64)
    wanted_sums, wanted_second = np.zeros_like(goal_sums), np.zeros((levels, levels), np.int64)
    spread, wanted_spread = np.zeros((width, width), np.int64), np.zeros((width, width), np.int64)
    sizes = np.rint(np.sqrt(np.maximum(np.diag(goal_spread) >> _PRODUCT_BITS, 1))).astype(np.int64)
    aside = np.zeros(width, np.int64)
    for row in range(len(classes)):
        label = classes[row]
        wanted_sums[label] += goal_sums[label]
        wanted_second += goal_second[label]
        wanted_spread += goal_spread
        open_sums = (wanted_sums[label] >> _SUM_BITS) - sums[label]
        open_second = (wanted_second >> _PRODUCT_BITS) - second
        mean = goal_sums[label] >> _SUM_BITS
        y = mean.copy()  # an open feature stands at its class mean
        aside[:] = 0
        for g in range(len(kinds)):
            first, last = offsets[g], offsets[g + 1]
            if kinds[g] == _NUMBER:
                row_open = (wanted_spread[first] >> _PRODUCT_BITS) - spread[first]
                want, low, high = open_sums[first] - mean[first], -mean[first], V - mean[first]
                aside[first] = _best(first, aside, want, sizes, row_open, low, high)
                y[first] = mean[first] + aside[first]
                continue
            best, least = -1, 0  # a 0/1 feature may stay at zero, a block may not
            for d in range(first, last):
                cost = _gain(d, first, last, y[:levels], open_sums[d], open_second[d])
                if (best < 0 and kinds[g] == _BLOCK) or cost < least:
                    best, least = d, cost
            y[first:last] = 0
            if best >= 0:
                y[best] = V
            aside[first:last] = y[first:last] - mean[first:last]
        sums[label] += y
        for i in range(width):
            if i < levels and y[i]:
                second[i] += y[i] * y[:levels]
            if aside[i]:
                spread[i] += aside[i] * aside
        drawn[row] = y
    return drawn
