"""The greedy sampler of Jiang et al. 2013, section 3.2: records that match noisy moments.

Record after record, feature after feature, the value is chosen that brings the sums of
the records so far nearest (in ℓ₁) to what the noisy moments say of so many records.  Categories
come first; a feature that is still open stands at its class mean.  For a number z the target has
p + 1 items, each once: |z − s| for its sum, |z² − r| for its square and |y z − r| for its product
with each other feature.  The zeros of these items, and the ends of the range, are tried in turn.

The paper leaves two things open, and here they are settled by what comes nearest in the end.
It puts z times its mean for z² to find zeros; the zero √r is tried as well, and it is the
target with z² itself that decides: else a column that depends on no other loses its variance.
And it multiplies the shared second moment by the number of records so far, whatever
their classes; here each record adds what its own class is expected to: the shared covariance
and the products of its class means.  In the end that is the same sum, but on the way records of
one class are not drawn towards the means of all.

All arithmetic is on whole numbers, so sums do not depend on their order and the compiled
and the plain version give the same records.
"""

import numpy as np

from sfumato.numeric.arrays import Matrix, Whole
from sfumato.numeric.compiled import compiled
from sfumato.synopsis.features import Features

__all__ = ["greedy"]

V = 2**12  # the whole number that stands for 1
_SUM_BITS, _PRODUCT_BITS = 16, 8  # what targets keep beyond it, so that they do not drift
_BLOCK, _BINARY, _NUMBER = 0, 1, 2


def greedy(features: Features, means: Matrix, second: Matrix, classes: Whole) -> Matrix:
    """One record per entry of `classes`, its features in [0, 1].

    `means` are those of each class, `second` is E[x xᵀ] over all records.
    """
    order, offsets, kinds = _groups(features)
    goal_sums = np.rint(means[:, order] * V * 2**_SUM_BITS).astype(np.int64)
    expected = _by_class(features, means, second, classes)[:, order][:, :, order]
    goal_second = np.rint(expected * V * V * 2**_PRODUCT_BITS).astype(np.int64)
    drawn = _draw(goal_sums, goal_second, classes.astype(np.int64), offsets, kinds)
    Z = np.empty(drawn.shape)
    Z[:, order] = drawn / V
    return Z


def _by_class(features: Features, means: Matrix, second: Matrix, classes: Whole) -> Matrix:
    """E[x xᵀ] in each class, if they share a covariance; over `classes` their mean is `second`."""
    squares = means[:, :, None] * means[:, None, :]
    shares = np.bincount(classes, minlength=len(means)) / max(len(classes), 1)
    expected = np.asarray(second + squares - np.tensordot(shares, squares, 1))
    bits = np.flatnonzero(features.units == 1)
    expected[:, bits, bits] = means[:, bits]  # the square of 0 or 1 is itself
    return expected


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
def _target(z: int, i: int, y: Whole, open_sum: int, open_row: Whole) -> int:
    """V|z − s| + |z² − r_i| + Σ |y_j z − r_j| over j ≠ i."""
    total = V * abs(z - open_sum) + abs(z * z - open_row[i]) - abs(y[i] * z - open_row[i])
    for j in range(len(y)):
        total += abs(y[j] * z - open_row[j])
    return int(total)


@compiled
def _best(i: int, y: Whole, open_sum: int, open_row: Whole) -> int:
    """The z in 0 … V with the least target among the zeros of its items and the two ends.

    y_i is the mean of the feature, so that the zero of y_i z − r_i stands for that of z² − r_i.
    """
    best, least = 0, _target(0, i, y, open_sum, open_row)
    for j in range(len(y) + 3):
        if j < len(y):
            if y[j] == 0:
                continue
            z = (2 * open_row[j] + y[j]) // (2 * y[j])  # rounded
        elif j == len(y):
            z = open_sum
        elif j == len(y) + 1:
            z = int(np.rint(np.sqrt(max(open_row[i], 0))))
        else:
            z = V
        z = min(max(z, 0), V)
        cost = _target(z, i, y, open_sum, open_row)
        if cost < least:
            best, least = z, cost
    return best


@compiled
def _draw(
    goal_sums: Whole, goal_second: Whole, classes: Whole, offsets: Whole, kinds: Whole
) -> Whole:
    """The sampler itself, in terms that numba compiles as they stand."""
    width = goal_sums.shape[1]
    drawn = np.zeros((len(classes), width), np.int64)
    sums, second = np.zeros_like(goal_sums), np.zeros((width, width), np.int64)
    wanted_sums, wanted_second = np.zeros_like(goal_sums), np.zeros((width, width), np.int64)
    for row in range(len(classes)):
        label = classes[row]
        wanted_sums[label] += goal_sums[label]
        wanted_second += goal_second[label]
        open_sums = (wanted_sums[label] >> _SUM_BITS) - sums[label]
        open_second = (wanted_second >> _PRODUCT_BITS) - second
        y = goal_sums[label] >> _SUM_BITS  # an open feature stands at its class mean
        for g in range(len(kinds)):
            first, last = offsets[g], offsets[g + 1]
            if kinds[g] == _NUMBER:
                y[first] = _best(first, y, open_sums[first], open_second[first])
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
