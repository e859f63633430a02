"""Data files of a release: written a batch at a time, read back with the same types."""

import os
import secrets
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from sfumato.errors import ReleaseError
from sfumato.release.csv_file import csv_batches
from sfumato.release.parquet_file import parquet_batches
from sfumato.untrusted.plain_file import opened

__all__ = ["Format", "appearing", "file_writer", "read_batches"]

Format = Literal["csv", "parquet"]
_GROUP = 2**18  # rows of a group in Parquet: few enough to be held, enough to be read at once
_DECODED = (2**28, 2**12)  # bytes that records take up: so many, and so many for each of the file


@contextmanager
def appearing(path: Path) -> Iterator[Path]:
    """A place to write a file that takes its name when it is whole; an interrupt leaves nothing.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with appearing(Path(folder) / "a.csv") as part:
    ...         _ = part.write_text("x")
    ...     [found.name for found in Path(folder).iterdir()]
    ['a.csv']
    """
    # The ending stays, because writers go by it; the name may be as long as names get.
    part = path.with_name(f".partial-{os.getpid()}-{secrets.token_hex(4)}{path.suffix[-20:]}")
    try:
        if path.is_dir():
            raise ReleaseError(f"{path} is a folder: name a file")
        yield part
        part.replace(path)
    except OSError as error:
        raise ReleaseError(f"{path} cannot be written: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)


def file_writer(path: Path, schema: pa.Schema, format: Format) -> Any:
    """A writer with `write_batch` that is also a context manager."""
    return _Parquet(path, schema) if format == "parquet" else _Csv(path, schema)


class _Csv:
    """Rows of text, in the types of the schema."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._schema, self._writer = schema, pacsv.CSVWriter(path, schema)

    def write_batch(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(batch.cast(self._schema))

    def __enter__(self) -> "_Csv":
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()


class _Parquet:
    """Groups of rows; texts that come as dictionaries stay such, with every level of the schema."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._path, self._schema = path, schema
        self._writer: pq.ParquetWriter | None = None
        self._held = list[pa.RecordBatch]()

    def write_batch(self, batch: pa.RecordBatch) -> None:
        while batch.num_rows:
            room = _GROUP - sum(held.num_rows for held in self._held)
            self._held.append(batch.slice(0, room))
            batch = batch.slice(room)
            if sum(held.num_rows for held in self._held) == _GROUP:
                self._write()

    def _write(self) -> None:
        if self._writer is None:
            kinds = self._held[0].schema.types if self._held else self._schema.types
            texts = [pa.types.is_string(item.type) for item in self._schema]
            columns = list(zip(self._schema, kinds, texts, strict=True))
            self._schema = pa.schema([f.with_type(k) if text else f for f, k, text in columns])
            # Least and largest texts of a group help nobody, and take time to find.
            told = [item.name for item, _, text in columns if not text]
            self._writer = pq.ParquetWriter(self._path, self._schema, write_statistics=told)
        self._writer.write_table(pa.Table.from_batches(self._held, self._schema), _GROUP)
        self._held.clear()

    def __enter__(self) -> "_Parquet":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None and (self._held or self._writer is None):
                self._write()
        finally:
            if self._writer is not None:
                self._writer.close()


def read_batches(
    path: Path,
    schema: pa.Schema,
    rows: int | None = None,
    *,
    at_most: bool = False,
    widest: int = 0,
    levels: Mapping[str, Set[str]] | None = None,
) -> Iterator[pa.RecordBatch]:
    """The records of a data file in the types of the schema, and so many of them where it is said.

    A small file may unpack into more than there is memory: reading stops where the records are
    more than was said, or take up more than such a file has reason to.  `widest`: bytes of the
    largest record that the schema allows; where most records are the same, honest files are small.
    `levels`: texts that a column may list without holding them; None: whatever it lists.
    """
    seen, room = 0, 0
    try:
        with opened(path) as file:
            base, factor = _DECODED
            most = max(base + factor * os.fstat(file.fileno()).st_size, (rows or 0) * widest)
            for batch in _batches(file, path, schema, None if at_most else rows, levels):
                seen, room = seen + batch.num_rows, room + batch.nbytes
                if rows is not None and seen > rows:
                    raise ReleaseError(f"{path} holds more rows than its certificate states")
                if room > most:
                    raise ReleaseError(f"{path} unpacks into more than a file of its size should")
                yield batch.cast(schema)
    except OSError as error:
        reason = f" ({error.strerror})" if error.strerror else ""
        raise ReleaseError(f"{path} cannot be read as the data of its schema{reason}") from None
    except (ValueError, pa.ArrowException):
        raise ReleaseError(f"{path} cannot be read as the data of its schema") from None
    if rows is not None and seen < rows and not at_most:
        raise ReleaseError(f"{path} holds fewer rows than its certificate states")


def _batches(
    file: BinaryIO,
    path: Path,
    schema: pa.Schema,
    rows: int | None,
    levels: Mapping[str, Set[str]] | None,
) -> Iterator[pa.RecordBatch]:
    if path.suffix == ".parquet":
        yield from parquet_batches(file, path, schema, rows, levels)
    else:
        yield from csv_batches(file, path, schema)
