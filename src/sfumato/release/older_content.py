"""The digest of released records in certificates of format 1, of which there are many.

Each column keeps its own running hash of values and of which ones are missing, so the
digest of a table is the same however it is cut into batches.
"""

import hashlib
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["OlderContent"]


class OlderContent:
    """Running digest over batches.

    >>> whole, halves = OlderContent(), OlderContent()
    >>> batch = pa.RecordBatch.from_pydict({"a": [1, None, 3], "b": ["x", "yz", None]})
    >>> whole.update(batch)
    >>> halves.update(batch.slice(0, 1)); halves.update(batch.slice(1))
    >>> whole.hexdigest() == halves.hexdigest()
    True
    """

    def __init__(self) -> None:
        self.rows = 0
        self._columns: dict[str, tuple[Any, Any]] = {}

    def update(self, batch: pa.RecordBatch) -> None:
        """Add the records of a batch."""
        if not batch.num_rows:
            return  # no records leave no trace, however often they are added
        self.rows += batch.num_rows
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if name not in self._columns:
                self._columns[name] = (
                    hashlib.blake2b(digest_size=32),
                    hashlib.blake2b(digest_size=32),
                )
            marks, values = self._columns[name]
            marks.update(_marks(column))
            values.update(_bytes(column))

    def hexdigest(self) -> str:
        """The digest of everything so far."""
        total = hashlib.blake2b(str(self.rows).encode(), digest_size=32)
        for name, parts in self._columns.items():
            total.update(name.encode() + b"\0")
            for part in parts:
                total.update(part.digest())
        return total.hexdigest()


def _marks(column: pa.Array) -> Any:
    """Which values are present and, of texts, how long each one is."""
    if pa.types.is_string(column.type):
        return np.ascontiguousarray(pc.binary_length(column).fill_null(-1)).data
    return np.asarray(column.is_valid()).view(np.uint8).data


def _bytes(column: pa.Array) -> Any:
    """The present values as bytes, one after the other."""
    present = column.drop_null()
    if pa.types.is_string(column.type):
        ends = pa.array([0, len(present)], pa.int32())
        return pc.binary_join(pa.ListArray.from_arrays(ends, present), "")[0].as_buffer()
    if pa.types.is_boolean(column.type):
        present = present.cast(pa.uint8())
    elif pa.types.is_date32(column.type):
        present = present.cast(pa.int32())
    elif pa.types.is_timestamp(column.type):
        present = present.cast(pa.int64())
    return np.ascontiguousarray(present.to_numpy(zero_copy_only=False)).data
