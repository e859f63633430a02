"""CSV files, a block at a time, in which no record can stop the reading of another.

All fields are read as text.  A row with too many or too few fields, even an empty one, is a
record all the same: it comes out, in its place, with every field missing, so that replacing
one record by garbage changes one record.  Where text has its limits: a stray quotation mark
can swallow the lines after it.  Parquet knows no such marks.
"""

import codecs
import csv
import io
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.csv as pacsv

from sfumato.errors import DataError
from sfumato.table.long_text import has_records, long_records

__all__ = ["TextFile"]

_BLOCK_BYTES = 8 * 2**20  # the memory of one block; more only where a record needs it
_LONGEST_BYTES = 2**30
_DELIMITERS = ",;\t|"


@dataclass(frozen=True)
class TextFile:
    """A CSV file with a header; the delimiter is the commonest candidate in the header."""

    path: Path
    names: tuple[str, ...]
    delimiter: str
    kind: Literal["csv"] = "csv"

    @property
    def types(self) -> dict[str, pa.DataType]:
        """Text files declare no types."""
        return {}

    @classmethod
    def open(cls, path: Path) -> "TextFile":
        """Read the header, and nothing else."""
        with _lines(path) as lines:
            header = lines.readline()
        if not header.strip():
            raise DataError(f"{path} has no header: its first line must name the columns")
        delimiter = max(_DELIMITERS, key=header.count)
        names = next(csv.reader([header], delimiter=delimiter))
        if any(mark in name for name in names for mark in "\r\n"):
            raise DataError(f"{path}: a name in the header goes on in the next line: shorten it")
        return cls(path, tuple(name.strip() for name in names), delimiter)

    def has_rows(self, count: int) -> bool:
        """Whether there are at least so many records.

        A compressed file is unpacked to its end, so that one that breaks off is found out now.
        """
        if self.path.suffix.lower() == ".gz":
            self._last_byte()
        with _lines(self.path) as lines:
            next(lines)
            return has_records(lines, self.delimiter, count)

    def is_terminated(self) -> bool:
        """Whether the last line ends with a line break: if not, an empty one would not be seen."""
        return self._last_byte() in (b"\n", b"\r")

    def _last_byte(self) -> bytes:
        with _stream(self.path) as stream:
            if stream.seekable():
                stream.seek(max(stream.size() - 1, 0))
            last = b""
            while block := stream.read(_BLOCK_BYTES):
                last = block[-1:]
            return last

    def batches(self, columns: Sequence[str]) -> Generator[pa.RecordBatch, None, None]:
        """All records as text; rows that do not parse as all-missing records in their place."""
        done, block = 0, _BLOCK_BYTES
        while self._goes_on():
            seen = 0
            try:
                with closing(self._read(columns, block)) as batches:
                    for batch in batches:
                        known = min(max(done - seen, 0), batch.num_rows)
                        seen += batch.num_rows
                        done = max(done, seen)
                        yield batch.slice(known)
                return
            except pa.ArrowInvalid as error:
                if "straddling" not in str(error):
                    raise
            if block == _LONGEST_BYTES:
                with _lines(self.path) as lines:
                    next(lines)
                    yield from long_records(lines, self.names, self.delimiter, columns, done)
                return
            # A long record must not stop the others: read again in larger blocks.
            block = min(8 * block, _LONGEST_BYTES)

    def _goes_on(self) -> bool:
        """Whether anything stands below the header; Arrow refuses a file that ends there."""
        with _lines(self.path) as lines:
            next(lines)
            return bool(lines.read(1))

    def _read(self, columns: Sequence[str], block: int) -> Generator[pa.RecordBatch, None, None]:
        broken: deque[int] = deque()

        def keep_place(row: Any) -> str:
            broken.append(row.number - 2)  # the header is row 1
            return "skip"

        stream = _Utf8(_stream(self.path))
        reader = pacsv.open_csv(
            pa.PythonFile(stream, mode="r"),
            read_options=pacsv.ReadOptions(
                column_names=self.names,
                skip_rows=1,
                block_size=block,
                use_threads=False,  # rows are numbered only when read in order
            ),
            parse_options=pacsv.ParseOptions(
                delimiter=self.delimiter,
                newlines_in_values=True,  # else a quoted line break at a block's end is an error
                invalid_row_handler=keep_place,
                ignore_empty_lines=False,  # an empty line is a record without a value
            ),
            convert_options=pacsv.ConvertOptions(
                column_types=dict.fromkeys(self.names, pa.large_string()),
                include_columns=list(columns),
            ),
        )
        done = 0
        try:
            for batch in reader:
                whole = _restored(batch, broken, done)
                done += whole.num_rows
                yield whole
            if broken:
                yield _nulls(reader.schema, len(broken))
        finally:
            # Arrow reads ahead in threads of its own: left alone, one of them could call back
            # while Python ends, which aborts the process.  So the rest is read, and is empty.
            stream.end()
            with suppress(pa.ArrowException):
                deque(reader, maxlen=0)


def _stream(path: Path) -> Any:
    # Told, not detected: Arrow does not know GZ in capitals.
    return pa.input_stream(str(path), compression="gzip" if path.suffix.lower() == ".gz" else None)


class _Utf8(io.RawIOBase):
    """The stream with zero bytes and bytes that are not UTF-8 replaced.

    At the latter Arrow would stop if their row is broken; the former can make it lose
    count of the quotation marks at the edge of a block.
    """

    def __init__(self, inner: Any) -> None:
        self._inner, self._ready, self._ended = inner, b"", False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def readable(self) -> bool:
        return True

    def end(self) -> None:
        """Hand out nothing more."""
        self._ended = True

    def read(self, size: int = -1) -> bytes:
        """`size` bytes, or one less, unless the stream ends: a short block would cut a row."""
        if self._ended:
            return b""
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


def _lines(path: Path) -> io.TextIOWrapper:
    return io.TextIOWrapper(_stream(path), encoding="utf-8-sig", errors="replace", newline="")


def _restored(batch: pa.RecordBatch, broken: deque[int], done: int) -> pa.RecordBatch:
    """The batch with an all-missing record at each place where a row did not parse."""
    sound: list[pa.RecordBatch] = []
    taken = 0
    while broken:
        before = broken[0] - done - len(sound)  # sound rows of this batch that come first
        if before > batch.num_rows:
            break
        broken.popleft()
        before = max(before, taken)
        sound.append(batch.slice(taken, before - taken))
        taken = before
    if not sound:
        return batch
    gap = _nulls(batch.schema, 1)
    pieces = [part for piece in sound for part in (piece, gap)]
    table = pa.Table.from_batches([*pieces, batch.slice(taken)]).combine_chunks()
    return table.to_batches()[0]


def _nulls(schema: pa.Schema, rows: int) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.nulls(rows, f.type) for f in schema], schema=schema)
