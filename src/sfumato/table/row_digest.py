"""A keyed hash of each encoded record: equal records have equal ones, and others do not."""

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

__all__ = ["digests", "row_digests", "row_weights", "scrambled"]


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
    return digests(codes.T, weights, len(codes))


def digests(
    columns: Iterable[NDArray[np.integer]], weights: NDArray[np.uint64], rows: int
) -> NDArray[np.uint64]:
    """One number per record, of columns of whole numbers."""
    mixed = np.full(rows, weights[-1])
    for column, weight in zip(columns, weights[:-1], strict=True):
        mixed += column.astype(np.uint64) * weight
    return scrambled(mixed)


def scrambled(mixed: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """In place: two rounds of multiply and shift, so that equal sums need equal records."""
    for _ in range(2):
        mixed ^= mixed >> np.uint64(32)
        mixed *= np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(32)
    return mixed
