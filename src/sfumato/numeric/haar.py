"""Haar sums and differences over a binary tree of 2^h leaves, exact on whole numbers.

For values x and a query y, with H the sums and differences and size_i the leaves under node i,

    x·y = Σᵢ (Hx)ᵢ (Hy)ᵢ / size_i.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Vector, Whole

__all__ = ["haar", "levels", "node_sizes", "rebuilt"]

Numbers = TypeVar("Numbers", Whole, NDArray[np.float64])


def levels(length: int) -> int:
    """The height of the smallest binary tree with so many leaves."""
    return (length - 1).bit_length()


def node_sizes(length: int) -> Vector:
    """The number of leaves under each coefficient, in the order of `haar`.

    >>> node_sizes(4).tolist()
    [4.0, 4.0, 2.0, 2.0]
    """
    height = levels(length)
    sizes = [[2.0**height], *([2.0 ** (height - j)] * 2**j for j in range(height))]
    return np.concatenate([np.asarray(level) for level in sizes])


def haar(values: Numbers) -> Numbers:
    """The sum, then left minus right for every node, from the root down; zeros are appended.

    >>> haar(np.array([16, 9, 11, 8])).tolist()
    [44, 6, 7, 3]
    """
    sums = np.pad(values, (0, (1 << levels(values.size)) - values.size))
    out = np.empty_like(sums)
    while sums.size > 1:
        pairs = sums.reshape(-1, 2)
        half = pairs.shape[0]
        out[half : 2 * half] = pairs[:, 0] - pairs[:, 1]
        sums = pairs.sum(axis=1)
    out[0] = sums[0]
    return out


def rebuilt(coefficients: Whole | Vector) -> Vector:
    """The values of all leaves from sum and differences.

    Whole coefficients give multiples of 1/P, exact in floats while they stay below 2⁵³/P.

    >>> rebuilt(np.array([44, 6, 7, 3])).tolist()
    [16.0, 9.0, 11.0, 8.0]
    """
    given = coefficients.astype(np.float64)
    sums = given[:1]
    while sums.size < given.size:
        differences = given[sums.size : 2 * sums.size]
        sums = np.stack([(sums + differences) / 2, (sums - differences) / 2], axis=1).ravel()
    return sums
