"""The bytes of a text file, packed or not and in any encoding, as UTF-8 and as lines."""

import codecs
import io
from pathlib import Path
from typing import Any

import pyarrow as pa

__all__ = ["Utf8", "is_utf8", "is_wide", "last_character", "opened_lines", "opened_stream"]

_BLOCK_BYTES = 2**20


def opened_stream(path: Path) -> Any:
    """The bytes, unpacked."""
    # Told, not detected: Arrow does not know GZ in capitals.
    return pa.input_stream(str(path), compression="gzip" if path.suffix.lower() == ".gz" else None)


def opened_lines(path: Path, encoding: str) -> io.TextIOWrapper:
    """The lines with their ends; what is not of the encoding is replaced."""
    stream = opened_stream(path)
    return io.TextIOWrapper(stream, encoding=_unmarked(encoding), errors="replace", newline="")


def last_character(path: Path, encoding: str) -> str:
    """The last one of the file; one that is packed is unpacked to its end on the way."""
    with opened_stream(path) as stream:
        if stream.seekable() and is_utf8(encoding):
            stream.seek(max(stream.size() - 1, 0))
        decoder, last = _decoder(encoding), ""
        while block := stream.read(_BLOCK_BYTES):
            last = (last + decoder.decode(block))[-1:]
        return (last + decoder.decode(b"", final=True))[-1:]


def is_wide(encoding: str) -> bool:
    """Whether every character takes two bytes or more."""
    return codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))


def is_utf8(encoding: str) -> bool:
    """Whether it is UTF-8, with a mark in front or without."""
    return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")


class Utf8(io.RawIOBase):
    """The stream as UTF-8, with zero bytes and bytes that are not of the encoding replaced.

    At the latter Arrow would stop if their row is broken; the former can make it lose
    count of the quotation marks at the edge of a block.
    """

    def __init__(self, inner: Any, encoding: str) -> None:
        self._inner, self._ready = inner, b""
        self._decoder = _decoder(encoding)

    def readable(self) -> bool:
        """As Python asks of a stream."""
        return True

    def read(self, size: int = -1) -> bytes:
        """`size` bytes, or one less, unless the stream ends: a short block would cut a row."""
        while len(self._ready) < size:
            raw = self._inner.read(size)
            text = self._decoder.decode(raw, final=not raw)
            self._ready += text.replace("\0", "\ufffd").encode()
            if not raw:
                break
        end = size
        # Arrow drops a line feed that opens a block after a return, even between quotes.
        if len(self._ready) >= size > 1 and self._ready[size - 1] == ord("\r"):
            end -= 1
        block, self._ready = self._ready[:end], self._ready[end:]
        return block


def _decoder(encoding: str) -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder(_unmarked(encoding))("replace")


def _unmarked(encoding: str) -> str:
    """The same, for UTF-8 without the mark that some programs put in front."""
    return "utf-8-sig" if is_utf8(encoding) else encoding
