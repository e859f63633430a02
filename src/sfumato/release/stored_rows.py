"""Released records that stay in their files: for releases that are larger than memory."""

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

__all__ = ["MOST_BYTES", "StoredRows", "row_bytes"]

MOST_BYTES = 2**32  # of records that are kept in memory without being asked to
_TEXT = 16  # bytes of a text, its length included: about as many as levels of categories have


def row_bytes(schema: pa.Schema) -> int:
    """About how much memory a record takes up: a public fact, whatever the records are.

    >>> row_bytes(pa.schema({"age": pa.int64(), "ward": pa.string()}))
    24
    """
    return sum(_TEXT if pa.types.is_string(item.type) else 8 for item in schema)


class StoredRows:
    """Records that are read as they are asked for, some at a time, and again each time.

    Whatever takes Arrow streams takes it as it is: polars, DuckDB, pandas, pyarrow.

    >>> batch = pa.RecordBatch.from_pydict({"a": [1, 2]})
    >>> rows = StoredRows(batch.schema, 2, lambda: iter([batch]))
    >>> rows, [some.num_rows for some in rows], pa.table(rows).num_rows
    (<StoredRows: 2 rows of 1 column, in files>, [2], 2)
    """

    def __init__(
        self, schema: pa.Schema, num_rows: int, read: Callable[[], Iterator[pa.RecordBatch]]
    ) -> None:
        self.schema, self.num_rows, self._read = schema, num_rows, read

    def __len__(self) -> int:
        return self.num_rows

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self._read()

    def reader(self) -> pa.RecordBatchReader:
        """All batches, from the first one on, for whoever asks for such a reader."""
        return pa.RecordBatchReader.from_batches(self.schema, self._read())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.reader().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        columns = len(self.schema)
        said = f"{columns} column{'s' * (columns != 1)}"
        return f"<StoredRows: {self.num_rows:,} rows of {said}, in files>"
