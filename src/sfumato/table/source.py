"""Where records come from: frames, Arrow tables, CSV and Parquet files out of core.

A source knows its header without reading a record, and hands out Arrow batches of the
columns it is asked for, as often as it is asked.  Columns that are not asked for (ids)
are not read.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sfumato.errors import DataError
from sfumato.numeric.arrays import Mask
from sfumato.schema.domain import Axis, Domain
from sfumato.table.column import arrow_of, declared_type, guessed_kind
from sfumato.table.encode import encode
from sfumato.table.text import TextFile

__all__ = [
    "PartOf",
    "Source",
    "broken_off",
    "columns_of",
    "frame_types",
    "number_of_records",
    "open_source",
    "told",
]

BATCH_ROWS = 65_536

Kind = Literal["pandas", "polars", "arrow", "csv", "parquet"]


class Source(Protocol):
    """A table that can be read again and again, a batch at a time."""

    @property
    def kind(self) -> Kind:
        """What was given, so that the same can be given back."""

    @property
    def names(self) -> Sequence[str]:
        """The columns, in order."""

    @property
    def types(self) -> dict[str, pa.DataType]:
        """What the header declares; empty for text files."""

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """All records, in their order, in batches of these columns."""

    def has_rows(self, count: int) -> bool:
        """Whether there are at least so many records; reads no more than needed to tell."""


def open_source(data: Any) -> Source:
    """A source for a frame, an Arrow table or a path; refused by shape, never by value.

    >>> open_source(pa.table({"a": [1, 2]})).names
    ['a']
    """
    if isinstance(data, PartOf):
        return data
    if isinstance(data, str | Path):
        return _open_file(Path(data))
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if isinstance(data, pa.Table):
        _distinct(data.column_names)
        return ArrowTable(data)
    try:
        frame = nw.from_native(data, eager_only=True)
    except nw.exceptions.DuplicateError:
        _distinct([str(name) for name in data.columns])
        raise
    except TypeError:
        raise DataError(
            f"data of type {type(data).__name__} is not a table: give a pandas or polars frame, "
            "an Arrow table, or the path of a CSV or Parquet file (collect lazy frames first)"
        ) from None
    names = [str(name) for name in frame.columns]
    _distinct(names)
    kind: Kind = "polars" if frame.implementation.is_polars() else "pandas"
    return Frame(dict(zip(names, frame.iter_columns(), strict=True)), kind)


def frame_types(source: Source) -> dict[str, Any]:
    """The types of a frame's columns in its own library's words; none of what is no frame."""
    if not isinstance(source, Frame):
        return {}
    natives = {name: column.to_native() for name, column in source.columns.items()}
    return {name: native.dtype for name, native in natives.items() if hasattr(native, "dtype")}


def columns_of(source: Source, columns: tuple[str, ...]) -> pa.Table:
    """These columns as one table."""
    batches = list(_to_its_end(source, columns))
    return pa.Table.from_batches(batches) if batches else pa.table({n: [] for n in columns})


def _to_its_end(source: Source, columns: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    """All batches; a file that breaks off is refused without quoting it."""
    try:
        yield from source.batches(columns)
    except Exception as error:  # whatever it is, it may quote a record
        reason = broken_off(error)
    else:
        return
    raise DataError(reason)


def broken_off(error: Exception) -> str:
    """What is said where reading stopped: never what the error says, which may quote a record."""
    why = getattr(error, "strerror", None) or "it is damaged or half-written"
    return f"the data could not be read to its end: {why}"


def told(answer: Callable[[], bool]) -> bool:
    """What a source answers about its records; one that cannot be read is refused."""
    with suppress(Exception):  # and out of its reach: it may quote a record
        return answer()
    raise DataError("the data cannot be read: it is damaged or half-written")


def number_of_records(source: Source, domain: Domain) -> int:
    """How many there are, for tables in which that is public; text is read to its end once.

    >>> from sfumato.schema import Schema
    >>> domain = Domain.of(Schema.of({"name": "t", "columns": {"a": {"kind": "boolean"}}}))
    >>> number_of_records(open_source(pa.table({"a": [True, False]})), domain)
    2
    """
    if isinstance(source, ParquetFile):
        return int(pq.read_metadata(source.path).num_rows)
    if isinstance(source, ArrowTable):
        return int(source.table.num_rows)
    # One that is released: ids are not read, not even to count them.
    return sum(batch.num_rows for batch in _to_its_end(source, (domain.axes[0].name,)))


def _open_file(path: Path) -> Source:
    name = path.name.lower()
    try:
        if path.is_dir():
            raise DataError(f"{path} is a folder: give the path of a CSV or Parquet file")
        if not path.exists():
            raise DataError(f"{path} does not exist")
        if not path.is_file():  # a pipe or a device: it is read more than once, and may never end
            raise DataError(f"{path} is not a plain file: save it as one first")
        if name.endswith((".csv", ".tsv", ".csv.gz", ".tsv.gz", ".txt")):
            source: Source = TextFile.open(path)
        elif name.endswith((".parquet", ".pq")):
            source = ParquetFile(path, pq.read_schema(path))
        else:
            raise DataError(f"{path}: the ending is not known: use .csv, .csv.gz or .parquet")
    except (OSError, pa.ArrowException, csv.Error) as error:
        reason = getattr(error, "strerror", None) or "it is damaged or half-written"
        raise DataError(f"{path} cannot be read: {reason}") from None
    _distinct(source.names)
    return source


def _distinct(names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        # Unnamed: in a file without a header the "names" are the first record.
        raise DataError("two columns have the same name: rename or drop one of them")


@dataclass(frozen=True)
class Frame:
    """A pandas or polars frame: a column becomes Arrow when it is asked for."""

    columns: dict[str, nw.Series[Any]] = field(repr=False)
    kind: Kind

    @property
    def guessed(self) -> dict[str, str]:
        """Columns whose texts pandas may have taken for numbers or truth values."""
        found = {name: guessed_kind(column) for name, column in self.columns.items()}
        return {name: kind for name, kind in found.items() if kind is not None}

    @property
    def names(self) -> list[str]:
        return list(self.columns)

    @property
    def types(self) -> dict[str, pa.DataType]:
        """Without those that a single record may have decided."""
        found = {name: declared_type(column) for name, column in self.columns.items()}
        return {name: kind for name, kind in found.items() if kind is not None}

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        table = pa.table({name: arrow_of(self.columns[name]) for name in columns})
        yield from table.to_batches(max_chunksize=BATCH_ROWS)

    def has_rows(self, count: int) -> bool:
        return any(len(column) >= count for column in self.columns.values())


@dataclass(frozen=True)
class ArrowTable:
    """A table in memory."""

    table: pa.Table = field(repr=False)
    kind: Kind = "arrow"

    @property
    def names(self) -> list[str]:
        return list(self.table.column_names)

    @property
    def types(self) -> dict[str, pa.DataType]:
        return {item.name: item.type for item in self.table.schema}

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        yield from self.table.select(list(columns)).to_batches(max_chunksize=BATCH_ROWS)

    def has_rows(self, count: int) -> bool:
        return bool(self.table.num_rows >= count)


@dataclass(frozen=True)
class ParquetFile:
    """A Parquet file, read row group by row group."""

    path: Path
    schema: pa.Schema = field(repr=False)
    kind: Kind = "parquet"

    @property
    def names(self) -> list[str]:
        return list(self.schema.names)

    @property
    def types(self) -> dict[str, pa.DataType]:
        return {item.name: item.type for item in self.schema}

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        with pq.ParquetFile(self.path, pre_buffer=False) as file:  # else the file stays in memory
            yield from file.iter_batches(BATCH_ROWS, columns=list(columns))

    def has_rows(self, count: int) -> bool:
        return bool(pq.read_metadata(self.path).num_rows >= count)


@dataclass(frozen=True, eq=False)
class PartOf:
    """The records of a source that have certain codes in one column: each by itself decides."""

    source: Source
    domain: Domain
    axis: Axis
    mask: Mask = field(repr=False)  # by code, with missing last

    @property
    def kind(self) -> Kind:
        """As the whole table."""
        return self.source.kind

    @property
    def names(self) -> Sequence[str]:
        """As the whole table."""
        return self.source.names

    @property
    def types(self) -> dict[str, pa.DataType]:
        """As the whole table."""
        return self.source.types

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Its records, in their order."""
        needed, decisive = list(columns), Domain(self.domain.schema, (self.axis,))
        for batch in self.source.batches(list(dict.fromkeys([*needed, self.axis.name]))):
            inside = pa.array(self.inside(encode(decisive, batch)[:, 0]))
            kept = {name: _filterable(batch.column(name)).filter(inside) for name in needed}
            yield pa.RecordBatch.from_pydict(kept)

    def inside(self, codes: NDArray[np.int32]) -> Mask:
        """Which records belong to it, by their code in its column: each by itself."""
        # Code -1, which stands for missing, finds the last place from the end.
        found: Mask = self.mask[codes]
        return found

    def has_rows(self, count: int) -> bool:
        """Whether there are at least so many records of this part."""
        found = 0
        for batch in self.batches([self.axis.name]):
            found += batch.num_rows
            if found >= count:
                return True
        return count <= 0


def _filterable(column: pa.Array) -> pa.Array:
    """Texts that Arrow keeps as views cannot be picked from."""
    return column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column
