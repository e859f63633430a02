"""Python's own tables: a dict of columns, a list of dicts.

Lists of Python objects say nothing about types, so each value becomes a text by itself.  Arrays
and series have a type, and are taken as they stand.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import narwhals as nw
import numpy as np
import pyarrow as pa

from sfumato.errors import DataError
from sfumato.table.column import arrow_of, declared_type, guessed_kind, of_array, of_objects
from sfumato.table.file.batch import BATCH_ROWS
from sfumato.table.value import UNREADABLE

__all__ = ["Listed", "any_arrow", "any_guess", "any_type", "columns_in"]


def columns_in(data: Mapping[Any, Any]) -> dict[str, Any]:
    """The columns of a dict that holds a list, an array or a series for each name.

    >>> columns_in({"a": [1, "x"], "b": (2, 3)})
    {'a': [1, 'x'], 'b': (2, 3)}
    """
    names = [str(name) for name in data]
    if len(set(names)) < len(names):
        raise DataError("two columns have the same name: rename or drop one of them")
    columns = dict(zip(names, map(_column, data.values()), strict=True))
    wrong = [name for name, column in columns.items() if column is None]
    if wrong or not columns:
        what = f"column {wrong[0]} of the dict" if wrong else "an empty dict"
        raise DataError(f"{what} is no column: give a list, an array or a series for each name")
    if len({len(column) for column in columns.values()}) > 1:
        raise DataError("the columns of the dict differ in length: give one value per record")
    return columns


def _column(given: Any) -> Any:
    """What can be taken as a column, series as narwhals has them; None for anything else."""
    if isinstance(given, list | tuple | pa.Array | pa.ChunkedArray):
        return given
    if isinstance(given, np.ndarray):
        return given if given.ndim == 1 else None
    series = nw.from_native(given, series_only=True, pass_through=True)
    return series if isinstance(series, nw.Series) else None


def any_type(column: Any) -> pa.DataType | None:
    """The type that a column declares; None for a list, or where a record may have decided it."""
    if isinstance(column, pa.Array | pa.ChunkedArray):
        return column.type
    if isinstance(column, np.ndarray):
        # As with pandas: of a date somebody decided, of all else a single value may have.
        return of_array(column[:0]).type if column.dtype.kind in "mM" else None
    return declared_type(column) if isinstance(column, nw.Series) else None


def any_guess(column: Any) -> str | None:
    """NumPy's letter where texts may have been taken for truth values or numbers; else None.

    >>> any_guess(np.array([6, 7])), any_guess([6, 7])
    ('i', None)
    """
    if isinstance(column, np.ndarray):
        return column.dtype.kind if column.dtype.kind in "biufc" else None
    return guessed_kind(column) if isinstance(column, nw.Series) else None


def any_arrow(column: Any) -> pa.Array | pa.ChunkedArray:
    """NOT PRIVATE: a column as Arrow."""
    if isinstance(column, pa.Array | pa.ChunkedArray):
        return column
    if isinstance(column, np.ndarray):
        return of_array(column)
    return arrow_of(column) if isinstance(column, nw.Series) else of_objects(column)


@dataclass(frozen=True)
class Listed:
    """A list with a dict for each record; of what is no dict, no value can be read."""

    records: Sequence[Any] = field(repr=False)
    names: tuple[str, ...]
    kind: Literal["arrow"] = "arrow"

    @classmethod
    def of(cls, data: Any, names: Sequence[str] | None) -> "Listed | None":
        """The source for a list whose records have these names; None for what is no such list."""
        if not isinstance(data, list | tuple):
            return None
        if data and not any(isinstance(record, Mapping) for record in data):
            return None
        if names is None:
            raise DataError(
                "a list of dicts has no header, the keys belong to its records: here give a dict "
                "of columns, or a frame"
            )
        return cls(data, tuple(names))

    @property
    def types(self) -> dict[str, pa.DataType]:
        """None: the type of a value belongs to its record."""
        return {}

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """All records as texts."""
        for start in range(0, len(self.records), BATCH_ROWS):
            part = self.records[start : start + BATCH_ROWS]
            values = [of_objects(_value(record, name) for record in part) for name in columns]
            yield pa.RecordBatch.from_arrays(values, list(columns))

    def has_rows(self, count: int) -> bool:
        """Whether there are at least so many records."""
        return len(self.records) >= count


def _value(record: Any, name: str) -> Any:
    try:
        return record.get(name)
    except Exception:  # whatever it is instead of a dict
        return UNREADABLE
