"""JSON lines: an object on each line, and each line a record by itself.

Nothing in such a file says which columns it has: the keys of a line belong to its record.  So
the names are given, as a rule by the schema, and a key that is not among them is not read.
A line that is no object, or longer than 64 MB, is a record of which no value can be read; an
empty line is none.  Numbers are numbers, whatever the schema says about the spelling of texts.
"""

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from sfumato.table.file.batch import text_batches
from sfumato.table.value import UNREADABLE, text_among_texts

__all__ = ["LINES", "JsonLines", "keys_of_public"]

LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")

_LONGEST = 2**26  # bytes of a line
_DIGITS = 4_000  # beyond which Python reads no whole number, and nobody asks how large it is
_MARK = b"\xef\xbb\xbf"  # of UTF-8, which some programs put in front


@dataclass(frozen=True)
class JsonLines:
    """A file with an object on each line, of which certain keys are read."""

    path: Path
    names: tuple[str, ...]
    kind: Literal["jsonl"] = "jsonl"

    @property
    def types(self) -> dict[str, pa.DataType]:
        """None: the type of a value belongs to its record."""
        return {}

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """All records as texts."""
        records = map(_record, _lines(self.path))
        yield from text_batches((_texts(record, columns) for record in records), columns)

    def has_rows(self, count: int) -> bool:
        """Whether there are so many; a packed file is read to its end, which may be missing."""
        if self.path.suffix.lower() == ".gz":
            return sum(1 for _ in _lines(self.path)) >= count
        return sum(1 for _ in islice(_lines(self.path), count)) == count


def keys_of_public(path: Path) -> tuple[str, ...]:
    """NOT PRIVATE: all keys that occur, in the order in which they do."""
    found: dict[str, None] = {}
    for line in _lines(path):
        found.update(dict.fromkeys(_record(line) or ()))
    return tuple(found)


def _texts(record: dict[str, Any] | None, columns: Sequence[str]) -> list[str | None]:
    if record is None:  # not missing: there is a line, of another make
        return [UNREADABLE] * len(columns)
    return [text_among_texts(record.get(name)) for name in columns]


def _record(line: bytes | None) -> dict[str, Any] | None:
    """The object on a line; None where it is something else."""
    if line is None:
        return None
    try:
        found = json.loads(line.decode("utf-8", "replace"), parse_int=_whole)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _whole(digits: str) -> int:
    return int(digits[:_DIGITS])


def _lines(path: Path) -> Iterator[bytes | None]:
    """Lines with something on them; None for one that is too long to be held."""
    with _stream(path) as file:
        if file.read(len(_MARK)) != _MARK:
            file.seek(0)
        while line := file.readline(_LONGEST):
            if len(line) == _LONGEST and not line.endswith(b"\n"):
                while (rest := file.readline(_LONGEST)) and not rest.endswith(b"\n"):
                    pass
                yield None
            elif line.strip():
                yield line


def _stream(path: Path) -> gzip.GzipFile | BufferedReader:
    return gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb")
