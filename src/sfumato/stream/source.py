"""Bits in their order, from wherever they come, in bounded memory.

    array, bytes, list   values 0 and 1
    iterator, generator  0, 1, True, False, "0", "1"; pulled only as far as it is asked for
    packed file          eight bits a byte, the most significant first; passed over by seeking:
                         after a jump no more bytes are asked for than hold the bits wanted
    text file            characters 0 and 1, white space between them ignored; where that may
                         stand, passing over means reading

"-" is standard input.  `sfumato.stream.form` says which form a file has.  Each value is read by
itself: 1 is one (also True, "1" and 1.0), and whatever else there may be is zero.  No value is
refused, because a refusal after noise was drawn would depend on it.

>>> with open_bits([0, 1, 1, 0, 1]) as bits:
...     bits.read(2), bits.skip(1), bits.ones(9), bits.position
(array([0, 1], dtype=uint8), 1, (1, 2), 5)
"""

import os
import sys
from collections.abc import Iterable, Iterator, Sized
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError, ParameterError
from sfumato.stream.form import (
    CODES,
    MARK,
    SPACE,
    Form,
    check_declared,
    check_guess,
    check_text,
    check_values,
    form_of,
)
from sfumato.stream.recipe import BitSource

__all__ = ["Source", "available", "open_bits"]

_CHUNK = 1 << 20  # the most that is held at a time: values, characters or bytes
_LEAST = 1 << 16  # the least that is fetched, where fetching more than was asked for is harmless
_FOREIGN = 2  # stands for anything else than a bit
_ITEMS: dict[Any, int] = {0: 0, 1: 1, "0": 0, "1": 1, b"0": 0, b"1": 1}

Codes = NDArray[np.uint8]  # 0, 1, or something that is no bit


class Source:
    """A bit source over chunks of codes; a file is let go when the `with` block ends."""

    length: int | None = None  # bits from the start to the end, where that is known beforehand
    longest: int | None = None  # more bits than these there cannot be

    def __init__(self) -> None:
        self.position = 0
        self._ready: Codes = np.empty(0, np.uint8)

    @property
    def available(self) -> int:
        """Bits that can be had, or the end be found, without waiting for anybody."""
        return self._ready.size

    def look(self) -> None:
        """Refuse a beginning that cannot be bits; to be asked before any noise is drawn.

        What comes one by one and may be live is not waited for.
        """

    def empty(self) -> bool:
        """Whether no bit will come, as far as that is known without waiting; asked at the start."""
        return self.length == 0

    def ended(self) -> bool:
        """Whether no bit is left; of what is live the next one is waited for."""
        if not self._ready.size:
            self._ready = self._more(1)
        return not self._ready.size

    def _more(self, count: int) -> Codes:
        """The next codes, at least one, about `count` of them; none at the end."""
        raise NotImplementedError

    def _take(self, count: int) -> Codes:
        """Up to `count` bits, none only at the end."""
        if not self._ready.size:
            self._ready = self._more(count)
        bits: Codes = (self._ready[:count] == 1).view(np.uint8)
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
        self._values, self.length, self.longest = values, values.size, values.size

    @property
    def available(self) -> int:
        return self._values.size - self.position

    def look(self) -> None:
        check_values(self._more(_LEAST))

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
        self.length = self.longest = len(items) if isinstance(items, Sized) else None

    @property
    def available(self) -> int:
        return 0 if self.length is None else self.length - self.position

    def look(self) -> None:
        if self.length is not None:
            self._ready = self._more(_LEAST)
            check_values(self._ready)

    def _more(self, count: int) -> Codes:
        return np.fromiter((_code(item) for item in islice(self._items, count)), np.uint8)


def _code(item: Any) -> int:
    if isinstance(item, str | bytes):
        item = item.strip()
    known = isinstance(item, int | float | str | bytes | np.number | np.bool_)
    return _ITEMS.get(item, _FOREIGN) if known else _FOREIGN


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

    def __init__(self, file: BinaryIO, owned: bool) -> None:
        super().__init__(file, owned)
        self._begun = False
        if self._stored:
            # A file of the system's own has no size and may hold something all the same.
            self.longest = os.fstat(file.fileno()).st_size or None

    def empty(self) -> bool:
        # Of a file in a folder; what is read of a device may not come again.
        if not (self._stored and S_ISREG(os.fstat(self._file.fileno()).st_mode)):
            return False
        some = self._more(1).size
        self._file.seek(0)
        self._begun = False
        return not some

    def look(self) -> None:
        characters = self._characters(_LEAST)
        check_text(characters)
        self._ready = _without_space(characters)

    def _characters(self, count: int) -> Codes:
        found = self._bytes(count)
        if not self._begun and found[: len(MARK)].tobytes() == MARK:
            found = found[len(MARK) :] if found.size > len(MARK) else self._bytes(count)
        self._begun = True
        return found

    def _more(self, count: int) -> Codes:
        while (characters := self._characters(max(count, _LEAST))).size:
            if (codes := _without_space(characters)).size:
                return codes
        return characters


def _without_space(characters: Codes) -> Codes:
    codes = CODES[characters]
    found: Codes = codes[codes != SPACE]
    return found


class _Packed(_File):
    """Eight bits a byte; every pattern is a stream, so only the guess of an ending is refused."""

    def __init__(self, file: BinaryIO, owned: bool, guessed: bool) -> None:
        super().__init__(file, owned)
        self._guessed, self._jumped = guessed, False
        if self._stored:
            self.length = self.longest = 8 * os.fstat(file.fileno()).st_size

    def look(self) -> None:
        if self._guessed:
            packed = self._bytes(_LEAST)
            check_guess(packed)
            self._ready = np.unpackbits(packed)

    def _more(self, count: int) -> Codes:
        # Who jumps from bit to bit would read most of the file, if each of them brought a block.
        least, self._jumped = 0 if self._jumped else _LEAST // 8, False
        return np.unpackbits(self._bytes(max(-(-count // 8), least)))

    def _aligned(self, count: int) -> int:
        """Bytes that may be taken whole, once what is unpacked has been used up."""
        return 0 if self._ready.size else count // 8

    def skip(self, count: int) -> int:
        seen = super().skip(min(_checked(count), self._ready.size))
        if self.length is not None:
            there = max(0, self.length - self.position) // 8
            whole = min(self._aligned(count - seen), there)
            if whole:
                self._file.seek(whole, os.SEEK_CUR)
                self._jumped = True
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


def open_bits(data: Any, form: Form | None = None) -> Source:
    """The bits of an array, bytes, iterator, file or standard input ("-"), from their start.

    `form` declares a file or standard input to be "text" or "packed"; by default the ending of
    the name decides, and standard input is text.

    An iterator may be live, so a counter takes its bits one by one, some thousands a second:
    where all bits are there already, give them as an array or a file.

    >>> open_bits(bytes([1, 0, 1])).ones(3)
    (2, 3)
    >>> open_bits(iter("0110")).read(3)
    array([0, 1, 1], dtype=uint8)
    """
    check_declared(form, isinstance(data, str | os.PathLike))
    if isinstance(data, Source):
        return data
    if isinstance(data, np.ndarray):
        return _Array(data)
    if isinstance(data, bytes | bytearray | memoryview):
        return _Array(np.frombuffer(data, np.uint8))
    if isinstance(data, str) and data == "-":
        if form == "packed":
            return _Packed(sys.stdin.buffer, owned=False, guessed=False)
        return _Text(sys.stdin.buffer, owned=False)
    if isinstance(data, str | os.PathLike):
        return _opened(Path(data), form)
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


def _opened(path: Path, declared: Form | None) -> Source:
    try:
        file = path.open("rb", buffering=_CHUNK)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from None
    if form_of(path, declared) == "text":
        return _Text(file, owned=True)
    return _Packed(file, owned=True, guessed=declared is None)


def _checked(count: int) -> int:
    """A number of bits that can be asked for."""
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise ParameterError(f"count must be a whole number of at least 0, got {count!r}")
    return count
