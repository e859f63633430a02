"""A keyed hash of each encoded record: equal records have equal ones, and others do not."""

import hashlib

import numpy as np
from numpy.typing import NDArray

__all__ = ["row_digests", "row_weights"]


def row_weights(key: bytes, width: int, count: int = 1) -> NDArray[np.uint64]:
    """So many independent hash functions of records of `width` codes, one per row."""
    stream = hashlib.shake_256(b"sfumato fingerprint" + key).digest(8 * count * (width + 1))
    return np.frombuffer(stream, np.uint64).reshape(count, width + 1)


def row_digests(codes: NDArray[np.int32], weights: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """One number per record.

    >>> weights = row_weights(b"key", 2)[0]
    >>> a, b, c = row_digests(np.array([[1, 2], [2, 1], [1, 2]], np.int32), weights)
    >>> a == b, a == c
    (np.False_, np.True_)
    """
    mixed = np.full(len(codes), weights[-1])
    for column, weight in zip(codes.T, weights[:-1], strict=True):
        mixed += column.astype(np.uint64) * weight
    # Two rounds of multiply and shift, so that equal sums need equal records.
    for _ in range(2):
        mixed ^= mixed >> np.uint64(32)
        mixed *= np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(32)
    return mixed
