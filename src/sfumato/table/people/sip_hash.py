"""SipHash-2-4 with 128 bits (Aumasson and Bernstein 2012) of many short texts at once.

A keyed hash that nobody without the key can tell from chance.  Texts of the same number of words
are worked on together, an array operation at a time.  Long texts, which would make wide arrays
of everything, go one by one through BLAKE2b, a keyed hash as well.
"""

from hashlib import blake2b

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["hashes_of_bytes", "hashes_of_words"]

Words = NDArray[np.uint64]

_LONGEST = 256  # bytes
_START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
_HIGH = np.uint64(56)


def hashes_of_bytes(values: pa.LargeBinaryArray, key: bytes) -> Words:
    """Two numbers for each value; of a null anything.

    >>> key = bytes(range(16))
    >>> found = hashes_of_bytes(pa.array([b"", b"\\0"], pa.large_binary()), key)
    >>> found.astype("<u8").tobytes().hex()
    'a3817f04ba25a8e66df67214c7550293da87c1d86b99af44347659119b22fc45'
    """
    if not len(values):
        return np.empty((0, 2), np.uint64)
    _, places, data = values.buffers()
    ends = np.frombuffer(places, np.int64)[values.offset : values.offset + len(values) + 1]
    raw = np.frombuffer(data or b"", np.uint8)[ends[0] : ends[-1]]
    starts, lengths = ends[:-1] - ends[0], np.diff(ends)
    found = np.empty((len(values), 2), np.uint64)
    padded = np.concatenate([raw, np.zeros(_LONGEST + 8, np.uint8)])
    for width in np.unique(lengths[lengths <= _LONGEST] // 8).tolist():
        which = np.flatnonzero((lengths // 8 == width) & (lengths <= _LONGEST))
        found[which] = _of_equal(padded, starts[which], lengths[which], width + 1, key)
    for place in np.flatnonzero(lengths > _LONGEST).tolist():
        text = raw[starts[place] : starts[place] + lengths[place]].tobytes()
        digest = blake2b(text, digest_size=16, key=key).digest()
        found[place] = np.frombuffer(digest, "<u8")
    return found


def _of_equal(
    padded: NDArray[np.uint8], starts: Words, lengths: Words, width: int, key: bytes
) -> Words:
    """Of texts with the same number of words, the last of which holds the length."""
    across = np.arange(8 * width)
    letters = padded[starts[:, None] + across]
    letters[across >= lengths[:, None]] = 0
    words = np.ascontiguousarray(letters).view("<u8").astype(np.uint64, copy=False)
    words[:, -1] |= (lengths & 0xFF).astype(np.uint64) << _HIGH
    return _hashed(words, key)


def hashes_of_words(words: Words, key: bytes) -> Words:
    """Two numbers for each row of whole words.

    >>> hashes_of_words(np.array([[1, 2], [1, 3]], np.uint64), bytes(16)).shape
    (2, 2)
    """
    ends = np.full((len(words), 1), (8 * words.shape[1] & 0xFF) << 56, np.uint64)
    return _hashed(np.hstack([words, ends]), key)


def _hashed(words: Words, key: bytes) -> Words:
    k = np.frombuffer(key, "<u8").astype(np.uint64)
    v = [np.full(len(words), start, np.uint64) for start in _START]
    v[0] ^= k[0]
    v[1] ^= k[1] ^ np.uint64(0xEE)
    v[2] ^= k[0]
    v[3] ^= k[1]
    for word in words.T:
        v[3] ^= word
        _rounds(v, 2)
        v[0] ^= word
    v[2] ^= np.uint64(0xEE)
    _rounds(v, 4)
    first = v[0] ^ v[1] ^ v[2] ^ v[3]
    v[1] ^= np.uint64(0xDD)
    _rounds(v, 4)
    return np.stack([first, v[0] ^ v[1] ^ v[2] ^ v[3]], axis=1)


def _rounds(v: list[Words], count: int) -> None:
    for _ in range(count):
        _half(v, 0, 1, 13)
        v[0] = _turned(v[0], 32)
        _half(v, 2, 3, 16)
        _half(v, 0, 3, 21)
        _half(v, 2, 1, 17)
        v[2] = _turned(v[2], 32)


def _half(v: list[Words], a: int, b: int, by: int) -> None:
    v[a] += v[b]
    v[b] = _turned(v[b], by)
    v[b] ^= v[a]


def _turned(x: Words, by: int) -> Words:
    turned = x << np.uint64(by)
    turned |= x >> np.uint64(64 - by)
    return turned
