"""Data files of a release: written a batch at a time, read back with the same types."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from sfumato.errors import ReleaseError

__all__ = ["Format", "appearing", "file_writer", "read_batches"]

Format = Literal["csv", "parquet"]


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
    # The ending stays, because writers go by it.
    part = path.with_name(f".partial-{os.getpid()}-{path.name}")
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
    if format == "parquet":
        return pq.ParquetWriter(path, schema)
    return pacsv.CSVWriter(path, schema)


def read_batches(path: Path, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The records of a data file in the types of the schema."""
    try:
        if path.suffix == ".parquet":
            with pq.ParquetFile(path, pre_buffer=False) as file:
                if file.schema_arrow.names != schema.names:
                    raise ReleaseError(f"{path} does not have the columns of its schema")
                yield from (batch.cast(schema) for batch in file.iter_batches())
        else:
            reader = pacsv.open_csv(
                path,
                parse_options=pacsv.ParseOptions(
                    newlines_in_values=True,
                    # A missing value in the only column is an empty line, and a record.
                    ignore_empty_lines=len(schema.names) > 1,
                ),
                convert_options=pacsv.ConvertOptions(
                    column_types=schema,
                    null_values=[""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )
            if reader.schema.names != schema.names:
                raise ReleaseError(f"{path} does not have the columns of its schema")
            yield from (batch.cast(schema) for batch in reader)
    except (OSError, ValueError, pa.ArrowException):
        raise ReleaseError(f"{path} cannot be read as the data of its schema") from None
