"""Bits in their order, from wherever they come, in bounded memory.

    array, bytes, list   values 0 and 1
    iterator, generator  0, 1, True, False, "0", "1"; pulled only as far as it is asked for
    .bits, .bin          eight bits a byte, the most significant first; passed over by seeking
    any other file, "-"  characters 0 and 1, white space between them ignored ("-" is standard
                         input); where white space may stand, passing over means reading

What is neither 0 nor 1 is refused when it is reached, by its position and never by its value.
What is passed over by seeking or slicing is not looked at.

>>> with open_bits([0, 1, 1, 0, 1]) as bits:
...     bits.read(2), bits.skip(1), bits.ones(9), bits.position
(array([0, 1], dtype=uint8), 1, (1, 2), 5)
"""

import os
import sys
from collections.abc import Iterable, Iterator, Sized
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError, ParameterError
from sfumato.stream.recipe import BitSource

__all__ = ["Source", "available", "open_bits"]

_PACKED = (".bits", ".bin")
_CHUNK = 1 << 20  # the most that is held at a time: values, characters or bytes
_LEAST = 1 << 16  # the least that is fetched, where fetching more than was asked for is harmless
_FOREIGN, _SPACE = 2, 3  # what stands for anything else than a bit, and for white space
_CODES = {0: 0, 1: 1, "0": 0, "1": 1}
_CHARACTERS = np.full(256, _FOREIGN, np.uint8)
_CHARACTERS[[ord("0"), ord("1")]] = 0, 1
_CHARACTERS[list(b" \t\r\n\v\f")] = _SPACE

Codes = NDArray[np.uint8]  # 0, 1, or something that is no bit


class Source:
    """A bit source over chunks of codes; a file is let go when the `with` block ends.

    Chunks are checked as they are taken, not as they are fetched: what lies beyond the bits
    asked for cannot make a difference.
    """

    length: int | None = None  # bits from the start to the end, where that is known beforehand

    def __init__(self) -> None:
        self.position = 0
        self._ready: Codes = np.empty(0, np.uint8)

    @property
    def available(self) -> int:
        """Bits that can be had, or the end be found, without waiting for anybody."""
        return self._ready.size

    def _more(self, count: int) -> Codes:
        """The next codes, at least one, about `count` of them; none at the end."""
        raise NotImplementedError

    def _take(self, count: int) -> Codes:
        """Up to `count` bits, none only at the end."""
        if not self._ready.size:
            self._ready = self._more(count)
        bits = self._ready[:count]
        if bits.size and bits.max() > 1:
            foreign = self.position + int(np.argmax(bits > 1)) + 1
            raise DataError(f"a bit stream holds 0 and 1 only: bit {foreign} is neither")
        self._ready = self._ready[bits.size :]
        self.position += bits.size
        return bits

    def _pieces(self, count: int) -> Iterator[Codes]:
        _checked(count)
        while count > 0 and (piece := self._take(min(count, _CHUNK))).size:
            count -= piece.size
            yield piece

    def read(self, count: int) -> NDArray[np.uint8]:
        """The next bits, fewer only at the end."""
        pieces = list(self._pieces(count))
        return np.concatenate(pieces) if pieces else np.empty(0, np.uint8)

    def skip(self, count: int) -> int:
        """Pass over bits; how many there were."""
        return sum(piece.size for piece in self._pieces(count))

    def ones(self, count: int) -> tuple[int, int]:
        """How many of the next bits are one, and how many bits there were."""
        ones = seen = 0
        for piece in self._pieces(count):
            ones += int(np.count_nonzero(piece))
            seen += piece.size
        return ones, seen

    def close(self) -> None:
        """Let go of what was opened."""

    def __enter__(self) -> "Source":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Array(Source):
    """Values in memory; slicing passes over them."""

    def __init__(self, values: NDArray[Any]) -> None:
        super().__init__()
        if values.ndim != 1 or (values.size and values.dtype.kind not in "bui"):
            raise DataError("an array of bits has one dimension and holds truth values or integers")
        self._values, self.length = values, values.size

    @property
    def available(self) -> int:
        return self._values.size - self.position

    def _more(self, count: int) -> Codes:
        values = self._values[self.position : self.position + max(count, _LEAST)]
        if values.dtype.itemsize == 1:  # nothing to copy: one bit after a long jump is cheap
            return values.view(np.uint8)
        # A minus sign turns large as unsigned, so one comparison finds all that is no bit.
        codes: Codes = np.minimum(values.astype(np.uint64), _FOREIGN).astype(np.uint8)
        return codes

    def skip(self, count: int) -> int:
        there = min(_checked(count), self._values.size - self.position)
        self.position += there
        self._ready = self._ready[:0]
        return there


class _Items(Source):
    """Whatever yields one bit after the other."""

    def __init__(self, items: Iterable[Any]) -> None:
        super().__init__()
        self._items = iter(items)
        self.length = len(items) if isinstance(items, Sized) else None

    @property
    def available(self) -> int:
        return 0 if self.length is None else self.length - self.position

    def _more(self, count: int) -> Codes:
        return np.fromiter((_code(item) for item in islice(self._items, count)), np.uint8)


def _code(item: Any) -> int:
    known = isinstance(item, int | str | np.integer | np.bool_)
    return _CODES.get(item, _FOREIGN) if known else _FOREIGN


class _File(Source):
    """A file that is read from its start."""

    def __init__(self, file: BinaryIO, owned: bool) -> None:
        super().__init__()
        self._file, self._owned = file, owned
        self._stored = owned and file.seekable()  # else a pipe, whose writer may be slow

    @property
    def available(self) -> int:
        return _CHUNK if self._stored else self._ready.size

    def close(self) -> None:
        if self._owned:
            self._file.close()

    def _bytes(self, count: int) -> Codes:
        try:
            # read1 hands over what a pipe has, instead of waiting until it has a chunk.
            return np.frombuffer(self._file.read1(count), np.uint8)  # type: ignore[attr-defined]
        except OSError as error:
            raise DataError(f"the stream could not be read: {error.strerror}") from None


class _Text(_File):
    """Characters 0 and 1."""

    def _more(self, count: int) -> Codes:
        while (characters := self._bytes(max(count, _LEAST))).size:
            codes: Codes = _CHARACTERS[characters]
            codes = codes[codes != _SPACE]
            if codes.size:
                return codes
        return characters


class _Packed(_File):
    """Eight bits a byte; every pattern of bits is a stream, so nothing is refused."""

    def __init__(self, file: BinaryIO, owned: bool) -> None:
        super().__init__(file, owned)
        if self._stored:
            self.length = 8 * os.fstat(file.fileno()).st_size

    def _more(self, count: int) -> Codes:
        return np.unpackbits(self._bytes(max(count, _LEAST) // 8))

    def _aligned(self, count: int) -> int:
        """Bytes that may be taken whole, once what is unpacked has been used up."""
        return 0 if self._ready.size else count // 8

    def skip(self, count: int) -> int:
        seen = super().skip(min(_checked(count), self._ready.size))
        if self.length is not None:
            there = max(0, self.length - self.position) // 8
            whole = min(self._aligned(count - seen), there)
            self._file.seek(whole, os.SEEK_CUR)
            self.position += 8 * whole
            seen += 8 * whole
        return seen + super().skip(count - seen)

    def ones(self, count: int) -> tuple[int, int]:
        ones, seen = super().ones(min(_checked(count), self._ready.size))
        while whole := self._aligned(count - seen):
            packed = self._bytes(min(whole, _CHUNK))
            if not packed.size:
                return ones, seen
            # A count of bits fits a byte per word; long words need fewest of them.
            words = packed.size // 8 * 8
            ones += int(np.bitwise_count(packed[:words].view(np.uint64)).sum())
            ones += int(np.bitwise_count(packed[words:]).sum())
            seen += 8 * packed.size
            self.position += 8 * packed.size
        more, there = super().ones(count - seen)
        return ones + more, seen + there


def open_bits(data: Any) -> Source:
    """The bits of an array, bytes, iterator, file or standard input ("-"), from their start.

    An iterator may be live, so a counter takes its bits one by one, some thousands a second:
    where all bits are there already, give them as an array or a file.

    >>> open_bits(bytes([1, 0, 1])).ones(3)
    (2, 3)
    >>> open_bits(iter("0110")).read(3)
    array([0, 1, 1], dtype=uint8)
    """
    if isinstance(data, Source):
        return data
    if isinstance(data, np.ndarray):
        return _Array(data)
    if isinstance(data, bytes | bytearray | memoryview):
        return _Array(np.frombuffer(data, np.uint8))
    if isinstance(data, str) and data == "-":
        return _Text(sys.stdin.buffer, owned=False)
    if isinstance(data, str | os.PathLike):
        return _opened(Path(data))
    if isinstance(data, Iterable):
        return _Items(data)
    raise ParameterError(
        "bits come from an array, bytes, an iterator, the path of a file, or - for standard input"
    )


def available(source: BitSource) -> int:
    """Bits that a source has at hand; none where it does not say.

    >>> available(open_bits(bytes([0, 1]))), available(open_bits(iter([0, 1])))
    (2, 0)
    """
    return source.available if isinstance(source, Source) else 0


def _opened(path: Path) -> Source:
    try:
        file = path.open("rb", buffering=_CHUNK)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from None
    return (_Packed if path.suffix.lower() in _PACKED else _Text)(file, owned=True)


def _checked(count: int) -> int:
    """A number of bits that can be asked for."""
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise ParameterError(f"count must be a whole number of at least 0, got {count!r}")
    return count
