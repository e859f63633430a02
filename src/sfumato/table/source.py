"""Where records come from: frames, Arrow tables, columns, queries, databases, files out of core.

A source knows its header without reading a record, and hands out Arrow batches of the
columns it is asked for, as often as it is asked.  Columns that are not asked for (ids)
are not read.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

import narwhals as nw
import pyarrow as pa

from sfumato.database.url import is_url
from sfumato.errors import DataError
from sfumato.numeric.arrays import Codes, Mask
from sfumato.schema.domain import Axis, Domain
from sfumato.schema.formats import FileFormat
from sfumato.table.encode import encode
from sfumato.table.file.batch import BATCH_ROWS
from sfumato.table.file.opening import open_file
from sfumato.table.file.parquet import ParquetFiles
from sfumato.table.mapping import Listed, any_arrow, any_guess, any_type, columns_in
from sfumato.table.query import Relation, query_of, refused_query
from sfumato.table.sql.opening import SqlTable, open_url
from sfumato.table.sql.stored import StoredTable

__all__ = [
    "BATCH_ROWS",
    "Inside",
    "Kind",
    "PartOf",
    "Source",
    "broken_off",
    "columns_of",
    "frame_types",
    "held",
    "number_of_records",
    "open_source",
    "told",
]

T = TypeVar("T")
Kind = Literal["pandas", "polars", "arrow", "csv", "parquet", "excel", "jsonl", "statistical"]


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


def open_source(
    data: Any,
    names: Sequence[str] | None = None,
    how: FileFormat | None = None,
    *,
    counted: bool = False,
) -> Source:
    """A source for a table in memory, a query or a path; refused by shape, never by value.

    `names`: the columns that a schema declares.  What has no header, lines of JSON and lists
    of dicts, has these, and is refused without them.  `how`: what it declares of text files.
    `counted`: records will only be counted, so that they may be those of a `CountedTable`.

    >>> open_source(pa.table({"a": [1, 2]})).names
    ['a']
    >>> open_source({"a": [1, "x"]}).names
    ['a']
    """
    if isinstance(data, PartOf | StoredTable | Relation):
        return data
    if isinstance(data, SqlTable):
        source: Source = data.open(counted=counted)
    elif is_url(data):
        source = open_url(data)
    elif isinstance(data, str | Path):
        source = open_file(Path(data), names, how)
    elif isinstance(data, Mapping):
        source = Frame(columns_in(data), "arrow")
    elif isinstance(data, pa.RecordBatch | pa.Table):
        whole = pa.Table.from_batches([data]) if isinstance(data, pa.RecordBatch) else data
        source = ArrowTable(whole)
    else:
        source = Listed.of(data, names) or query_of(data) or _frame(data)
    _distinct(source.names)
    return source


def held(data: Any) -> Any:
    """A table of a database as it is now, for several looks at it; other data as it is."""
    return open_source(data) if isinstance(data, SqlTable) or is_url(data) else data


def _frame(data: Any) -> Source:
    try:
        frame = nw.from_native(data, eager_only=True)
    except nw.exceptions.DuplicateError:
        _distinct([str(name) for name in data.columns])
        raise
    except TypeError:
        raise DataError(
            f"data of type {type(data).__name__} is not a table: {refused_query(data)}"
        ) from None
    names = [str(name) for name in frame.columns]
    _distinct(names)
    kind: Kind = "polars" if frame.implementation.is_polars() else "pandas"
    return Frame(dict(zip(names, frame.iter_columns(), strict=True)), kind)


def _distinct(names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        # Unnamed: in a file without a header the "names" are the first record.
        raise DataError("two columns have the same name: rename or drop one of them")


def frame_types(source: Source) -> dict[str, Any]:
    """The types of a frame's columns in its own library's words; none of what is no frame."""
    if not isinstance(source, Frame) or source.kind == "arrow":
        return {}  # columns of a dict are not a library's
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
    return f"the data could not be read to its end: {_why(error)}"


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or "it is damaged or half-written"


def told(answer: Callable[[], T]) -> T:
    """What a source answers about its records; one that cannot be read is refused."""
    try:
        return answer()
    except Exception as error:  # and out of its reach: it may quote a record
        reason = _why(error)
    raise DataError(f"the data cannot be read: {reason}")


def number_of_records(source: Source, domain: Domain) -> int:
    """How many there are, for tables in which that is public; text is read to its end once.

    >>> from sfumato.schema import Schema
    >>> domain = Domain.of(Schema.of({"name": "t", "columns": {"a": {"kind": "boolean"}}}))
    >>> number_of_records(open_source(pa.table({"a": [True, False]})), domain)
    2
    """
    if isinstance(source, ParquetFiles):
        return source.rows
    if hasattr(type(source), "rows"):  # asked where the records are
        return int(told(lambda: source.rows))  # type: ignore[attr-defined]
    if isinstance(source, ArrowTable):
        return int(source.table.num_rows)
    # One that is released: ids are not read, not even to count them.
    return sum(batch.num_rows for batch in _to_its_end(source, (domain.axes[0].name,)))


@dataclass(frozen=True)
class Frame:
    """Columns of a frame, or of a dict: each becomes Arrow when it is asked for."""

    columns: dict[str, Any] = field(repr=False)  # series, arrays or lists
    kind: Kind

    @property
    def guessed(self) -> dict[str, str]:
        """Columns whose texts pandas may have taken for numbers or truth values."""
        found = {name: any_guess(column) for name, column in self.columns.items()}
        return {name: kind for name, kind in found.items() if kind is not None}

    @property
    def names(self) -> list[str]:
        return list(self.columns)

    @property
    def types(self) -> dict[str, pa.DataType]:
        """Without those that a single record may have decided."""
        found = {name: any_type(column) for name, column in self.columns.items()}
        return {name: kind for name, kind in found.items() if kind is not None}

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        table = pa.table({name: any_arrow(self.columns[name]) for name in columns})
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


@dataclass(frozen=True, eq=False)
class Inside:
    """Which records are counted: those with certain codes in one column, each by itself."""

    axis: int
    mask: Mask = field(repr=False)  # by code, with missing last

    def of(self, codes: Codes) -> Mask:
        """Code -1, which stands for missing, finds the last place from the end."""
        found: Mask = self.mask[codes[:, self.axis]]
        return found


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
            inside = pa.array(Inside(0, self.mask).of(encode(decisive, batch)))
            kept = {name: _filterable(batch.column(name)).filter(inside) for name in needed}
            yield pa.RecordBatch.from_pydict(kept)

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
