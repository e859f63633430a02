"""CSV files, a block at a time, in which no record can stop the reading of another.

All fields are read as text.  A row with too many or too few fields, even an empty one, is a
record all the same: it comes out, in its place, with every field missing, so that replacing
one record by garbage changes one record.  Where text has its limits: a stray quotation mark
can swallow the lines after it.  Parquet knows no such marks.
"""

import codecs
import csv
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.csv as pacsv

from sfumato.errors import DataError
from sfumato.schema.formats import FileFormat
from sfumato.table.complaint import TORN
from sfumato.table.long_text import csv_rows, has_records, long_records
from sfumato.table.text_stream import Utf8, is_wide, last_character, opened_lines, opened_stream
from sfumato.untrusted.csv_reader import CsvReader

__all__ = ["TextFile"]

_BLOCK_BYTES = 8 * 2**20  # the memory of one block; more only where a record needs it
_LONGEST_BYTES = 2**30
_LONGEST_HEADER = 2**24  # characters: a file without line breaks is not read to its end for it
_DELIMITERS = ",;\t|"
_DECLARED = "(--encoding {0} while there is no schema; in a schema, file: encoding: {0})"
_MARKS = {  # the longer first: one begins as another does
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
# Of files that are called text and are none: the fifth letter of a header would be printable.
_NO_TEXT = {
    b"PAR1\x15": "a Parquet file: call it .parquet",
    b"PK\x03\x04": "a workbook or an archive: call it .xlsx or .zip",
    b"\x1f\x8b": "packed with gzip: call it .csv.gz",
}


@dataclass(frozen=True)
class TextFile:
    """A CSV file with a header; a delimiter that nobody declared is the commonest there."""

    path: Path
    names: tuple[str, ...]
    delimiter: str
    quote: str | None = '"'
    encoding: str = "utf-8"
    kind: Literal["csv"] = "csv"

    @property
    def types(self) -> dict[str, pa.DataType]:
        """Text files declare no types."""
        return {}

    @classmethod
    def open(cls, path: Path, how: FileFormat | None = None) -> "TextFile":
        """Read the header, and nothing else."""
        encoding, quote = (how and how.encoding) or "utf-8", (how and how.quote) or '"'
        header = _header(path, encoding)
        delimiter = (how and how.delimiter) or _delimiter(path, header)
        file = cls(path, (), delimiter, None if quote == "none" else quote, encoding)
        try:
            names = next(csv_rows([header], delimiter, file.quote))
        except csv.Error:  # a field is longer than Python takes
            raise DataError(
                f"{path}: a name in the header has more than {csv.field_size_limit():,} "
                "characters: shorten it"
            ) from None
        if any(mark in name for name in names for mark in "\r\n"):
            raise DataError(f"{path}: a name in the header goes on in the next line: shorten it")
        for position, name in enumerate(names, 1):
            if not name.strip():
                raise DataError(
                    f"{path}: column {position} has no name: name it in the header, or take the "
                    "mark away that makes it a column, there and in every line"
                )
        return replace(file, names=tuple(name.strip() for name in names))

    def has_rows(self, count: int) -> bool:
        """Whether there are at least so many records.

        A compressed file is unpacked to its end, so that one that breaks off is found out now.
        """
        if self.path.suffix.lower() == ".gz":
            last_character(self.path, self.encoding)
        with self._below() as lines:
            return has_records(lines, self.delimiter, count, quote=self.quote)

    def is_terminated(self) -> bool:
        """Whether the last line ends with a line break: if not, an empty one would not be seen."""
        return last_character(self.path, self.encoding) in ("\n", "\r")

    @contextmanager
    def _below(self) -> Generator[TextIOWrapper, None, None]:
        """The lines below the header."""
        with opened_lines(self.path, self.encoding) as lines:
            next(lines)
            yield lines

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
                        yield batch.slice(known).replace_schema_metadata(TORN)
                return
            except pa.ArrowInvalid as error:
                if "straddling" not in str(error):
                    raise
            if block == _LONGEST_BYTES:
                with self._below() as lines:
                    rest = long_records(
                        lines, self.names, self.delimiter, columns, done, quote=self.quote
                    )
                    yield from (batch.replace_schema_metadata(TORN) for batch in rest)
                return
            # A long record must not stop the others: read again in larger blocks.
            block = min(8 * block, _LONGEST_BYTES)

    def _goes_on(self) -> bool:
        """Whether anything stands below the header; Arrow refuses a file that ends there."""
        with self._below() as lines:
            return bool(lines.read(1))

    def _read(self, columns: Sequence[str], block: int) -> Generator[pa.RecordBatch, None, None]:
        broken: deque[int] = deque()

        def keep_place(row: Any) -> str:
            broken.append(row.number - 2)  # the header is row 1
            return "skip"

        read = CsvReader(
            Utf8(opened_stream(self.path), self.encoding),
            skipped=keep_place,
            read=pacsv.ReadOptions(
                column_names=self.names,
                skip_rows=1,
                block_size=block,
                use_threads=False,  # rows are numbered only when read in order
            ),
            parse={
                "delimiter": self.delimiter,
                "quote_char": self.quote or False,
                "newlines_in_values": True,  # else a quoted line break at a block's end is an error
                "ignore_empty_lines": False,  # an empty line is a record without a value
            },
            convert=pacsv.ConvertOptions(
                column_types=dict.fromkeys(self.names, pa.large_string()),
                include_columns=list(columns),
            ),
        )
        done = 0
        with closing(read) as reader:
            for batch in reader:
                whole = _restored(batch, broken, done)
                done += whole.num_rows
                yield whole
            if broken:
                yield _nulls(reader.schema, len(broken))


def _delimiter(path: Path, header: str) -> str:
    """A tab where the ending says so; else the commonest in the header."""
    tabs = path.name.lower().endswith((".tsv", ".tsv.gz"))
    return "\t" if tabs else max(_DELIMITERS, key=header.count)


def _header(path: Path, encoding: str) -> str:
    """The first line, whose letters must be those of the encoding: it is public."""
    with opened_stream(path) as stream:
        mark = stream.read(5)
    for begin, what in _NO_TEXT.items():
        if mark.startswith(begin):
            raise DataError(f"{path} is {what}")
    marked = next((name for begin, name in _MARKS.items() if mark.startswith(begin)), None)
    try:
        with opened_lines(path, encoding) as lines:
            header = lines.readline(_LONGEST_HEADER + 1)
    except UnicodeError:  # of UTF-16 and UTF-32, which begin with a mark of byte order
        raise DataError(
            f"{path} does not begin as {encoding} does: declare the encoding that it has, or "
            f"{encoding}-le or {encoding}-be {_DECLARED.format(f'{encoding}-le')}"
        ) from None
    if len(header) > _LONGEST_HEADER:
        raise DataError(
            f"the first line of {path} has more than {_LONGEST_HEADER:,} characters: it must name "
            "the columns, and end with a line break"
        )
    if marked and not is_wide(encoding):
        declared = f"declare it {_DECLARED.format(marked.lower())}"
        raise DataError(f"{path} is written in {marked}: {declared}, or save it as UTF-8")
    if "\ufffd" in header or "\0" in header:
        raise DataError(
            f"the header of {path} is not {encoding.upper()}: declare its encoding "
            f"{_DECLARED.format('latin-1')}, utf-16-le perhaps, or save it as UTF-8"
        )
    if not header.strip():
        raise DataError(f"{path} has no header: its first line must name the columns")
    return header.removeprefix("\ufeff")


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
