"""A noisy histogram averaged over all ways of cutting it into level pieces.

Each way is weighed by how likely the noise makes it, and by a price per piece; the average
keeps spikes, smooths slopes, and has no piece boundaries that a reader would take for facts.
"""

from collections.abc import Sequence
from math import log

import numpy as np

from sfumato.numeric.arrays import Vector

__all__ = ["beyond_noise", "piecewise", "price", "simplex"]


def price(bins: int, deviation: float, total: float) -> float:
    """What a piece costs, in half squares of the deviation: more where noise is all there is.

    >>> price(100, 5.0, 30_000.0), round(price(100, 5.0, 10.0), 1)
    (4.0, 12.0)
    """
    return 4.0 + 2.5 * log(max(1.0, deviation * bins / max(2 * total, 1.0)))


def piecewise(noisy: Vector, widths: Sequence[Vector], deviation: float, price: float) -> Vector:
    """The expected count of each bin, given its noise; exact, in time quadratic in the bins.

    A piece has one count per width of its bins, so that wide bins of it hold more.  There may be
    several notions of width (even, logarithmic), each weighed by how likely the noise makes it.

    >>> rng = np.random.default_rng(0)
    >>> level = np.array([100.0] * 30 + [900.0] + [100.0] * 30)
    >>> noisy = level + rng.normal(0, 30, 61)
    >>> found = piecewise(noisy, [np.ones(61)], 30.0, 6.0)
    >>> bool(np.abs(found - level).mean() < np.abs(noisy - level).mean() / 2)
    True
    """
    if len(noisy) < 2 or deviation <= 0:
        return noisy.astype(np.float64)
    levels, logs = zip(*(_cut(noisy, width, deviation, price) for width in widths), strict=True)
    likely = np.exp(np.array(logs) - max(logs))
    return np.asarray(likely @ np.stack(levels) / likely.sum())


def _cut(noisy: Vector, width: Vector, deviation: float, price: float) -> tuple[Vector, float]:
    """The expected counts, and the logarithm of how likely such counts are."""
    bins = len(noisy)
    products, weights, squares = (
        np.concatenate([[0.0], np.cumsum(values)]) for values in (noisy * width, width**2, noisy**2)
    )
    first, last = np.indices((bins + 1, bins + 1))
    length = np.maximum(last - first, 1)
    product = products[None, :] - products[:, None]
    weight = np.where(last > first, weights[None, :] - weights[:, None], 1.0)
    weight[:bins] = np.maximum(weight[:bins], width[:, None] ** 2)  # if lost beside wide ones
    misfit = np.maximum(squares[None, :] - squares[:, None] - product**2 / weight, 0.0)
    # The level of a piece is integrated out: a long piece has fewer ways to fit by chance.
    piece = -misfit / (2 * deviation**2) - np.log(length) / 2 - price / 2
    piece[last <= first] = -np.inf
    before, after = np.zeros(bins + 1), np.zeros(bins + 1)  # of every end and start
    for end in range(1, bins + 1):
        before[end] = np.logaddexp.reduce(before[:end] + piece[:end, end])
    for start in range(bins - 1, -1, -1):
        after[start] = np.logaddexp.reduce(piece[start, start + 1 :] + after[start + 1 :])
    logs = before[:, None] + piece + after[None, :] - before[bins]
    chance = np.exp(np.minimum(logs, 0.0))  # of large counts, rounding may leave more than 1
    level = chance * product / weight
    levels = np.cumsum(level.sum(axis=1) - level.sum(axis=0))[:bins] * width
    return np.asarray(levels), float(before[bins])


def beyond_noise(part: Vector, noise: float) -> float:
    """The share of a noisy vector that is not noise of this expected square (James and Stein 1961).

    >>> beyond_noise(np.array([3.0, 4.0]), 5.0), beyond_noise(np.array([1.0, 1.0]), 5.0)
    (0.8, 0.0)
    """
    size = float((part**2).sum())
    return max(0.0, 1 - noise / size) if size > 0 else 0.0


def simplex(values: Vector, total: float) -> Vector:
    """The nearest values of at least zero with this sum.

    >>> simplex(np.array([5.0, -1.0, 2.0]), 6.0).tolist()
    [4.5, 0.0, 1.5]
    """
    values = values - values.max()  # the same, but small totals are not lost beside large values
    flat = np.sort(values, axis=None)[::-1]
    excess = (np.cumsum(flat) - max(total, 0.0)) / np.arange(1, len(flat) + 1)
    last = int(np.flatnonzero(flat >= excess)[-1])
    return np.asarray(np.maximum(values - excess[last], 0.0))
