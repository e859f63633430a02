"""Data files of a release: written a batch at a time, read back with the same types."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from sfumato.errors import ReleaseError

__all__ = ["Format", "file_writer", "read_batches"]

Format = Literal["csv", "parquet"]


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
                parse_options=pacsv.ParseOptions(newlines_in_values=True),
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
