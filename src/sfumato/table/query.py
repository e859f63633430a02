"""Queries that are run when their records are asked for: polars LazyFrames, DuckDB relations.

Names and types are known before: the query itself declares them.  It is run anew each time that
records are read, so it must give the same ones; engines that we do not ask yet get a hint.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from sfumato.errors import DataError
from sfumato.table.file.batch import BATCH_ROWS
from sfumato.table.sql.broken import BrokenQuery
from sfumato.table.sql.name import quoted
from sfumato.table.sql.unread import UnreadType

if TYPE_CHECKING:
    from sfumato.table.dask import DaskFrame
    from sfumato.table.spark import SparkFrame

__all__ = ["Relation", "query_of", "refused_query"]

_WRAPPED = ("UHUGEINT",)  # handed out as a decimal in which its upper half is below 0
_TAKEN = (
    "give a pandas or polars frame, an Arrow table, a dict of columns, a list of dicts, a table of "
    "a database, or the path of a file (CSV, Parquet, Excel, JSON lines, Stata, SAS, SPSS)"
)
_HINTS = {
    "dask": "write it with frame.to_parquet(folder), and give the folder",
    "pyspark": "write it with frame.write.parquet(folder), and give the folder",
    "ibis": "give table.to_pyarrow(), or write it as Parquet",
    "numpy": "its columns have no names: give a frame, or a dict of columns",
}


def query_of(data: Any) -> "LazyFrame | Relation | DaskFrame | SparkFrame | None":
    """The source for a query; None for what is none."""
    kind = type(data)
    if kind.__module__.startswith("pyspark.sql.") and kind.__name__ == "DataFrame":
        from sfumato.table.spark import SparkFrame  # an engine, which knows sources

        return SparkFrame(data)
    if kind.__module__.startswith("dask.dataframe.") and kind.__name__ == "DataFrame":
        from sfumato.table.dask import DaskFrame  # as above

        return DaskFrame(data)
    if _library(data) == "polars" and kind.__name__ == "LazyFrame":
        return LazyFrame(_readable(data))
    if _library(data) in ("duckdb", "_duckdb") and kind.__name__ == "DuckDBPyRelation":
        return _bound(Relation(data))
    return None


def _bound(relation: "Relation") -> "Relation":
    """The relation, unless its connection is closed or a table of it is gone."""
    with suppress(Exception):
        _ = relation.names, relation.types
        return relation
    raise DataError(
        "the relation of DuckDB cannot be read: its connection is closed, or what it reads is gone"
    )


def _readable(query: Any) -> Any:
    """The query, with what Arrow has no type for as texts; refused if polars cannot resolve it."""
    try:
        types = query.collect_schema()
    except Exception:  # a column or file that is not there: the error may quote a plan with values
        types = None
    if types is None:
        raise DataError(
            "the query of polars cannot be resolved: correct what query.collect_schema() says"
        )
    wide = [name for name, kind in types.items() if str(kind) in ("Int128", "UInt128")]
    return query.cast(dict.fromkeys(wide, str)) if wide else query


def refused_query(data: Any) -> str:
    """What to give in its place, by its type alone.

    >>> refused_query(5)[:29]
    'give a pandas or polars frame'
    """
    if type(data).__name__ == "RecordBatchReader":
        return "it can be read only once: give reader.read_all()"
    if callable(getattr(data, "cursor", None)):
        return "it is a connection: name the table, sql(connection, table=…)"
    return _HINTS.get(_library(data), _TAKEN)


def _library(data: Any) -> str:
    return type(data).__module__.partition(".")[0]


@dataclass(frozen=True)
class LazyFrame:
    """A query of polars, run in its order and in parts where polars can."""

    query: Any = field(repr=False)
    kind: Literal["polars"] = "polars"

    @property
    def names(self) -> list[str]:
        """As polars finds them without running the query."""
        return [str(name) for name in self.query.collect_schema().names()]

    @property
    def types(self) -> dict[str, pa.DataType]:
        """As polars finds them without running the query."""
        empty = self.query.collect_schema().to_frame(eager=True).to_arrow()
        return {item.name: item.type for item in empty.schema}

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """All records."""
        asked = self.query.select(list(columns))
        if hasattr(asked, "collect_batches"):
            parts = asked.collect_batches(chunk_size=BATCH_ROWS, maintain_order=True)
        else:  # polars before 1.34
            parts = [asked.collect()]
        for part in parts:
            yield from part.to_arrow().to_batches(max_chunksize=BATCH_ROWS)

    def has_rows(self, count: int) -> bool:
        """Whether there are at least so many records."""
        return bool(self.query.head(count).collect().height >= count)


@dataclass(frozen=True)
class Relation:
    """A query of DuckDB, read as the stream of batches that it hands out."""

    query: Any = field(repr=False)
    session: Any = field(default=None, repr=False)  # a connection of ours, open as long as this
    kind: Literal["arrow"] = "arrow"

    @property
    def names(self) -> list[str]:
        """As DuckDB finds them without running the query."""
        return [str(name) for name in self.query.columns]

    @property
    def types(self) -> dict[str, pa.DataType]:
        """As DuckDB finds them without running the query."""
        schema = pa.RecordBatchReader.from_stream(self.query.limit(0)).schema
        declared = zip(schema, map(str, self.query.types), strict=True)
        return {
            item.name: UnreadType(kind) if kind in _WRAPPED else item.type
            for item, kind in declared
        }

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """All records."""
        broken = False
        try:
            asked = self.query.project(", ".join(map(quoted, columns)))
            with pa.RecordBatchReader.from_stream(asked) as reader:
                yield from reader
        except Exception:  # it may quote a record
            broken = True
        if broken:
            raise BrokenQuery("ended")

    @property
    def rows(self) -> int:
        """How many records there are; asked only where their number is public."""
        with suppress(Exception):  # it may quote a record
            return int(self.query.aggregate("count(*)").fetchall()[0][0])
        raise BrokenQuery("ended")

    def has_rows(self, count: int) -> bool:
        """Whether there are at least so many records."""
        with (
            suppress(Exception),  # it may quote a record
            pa.RecordBatchReader.from_stream(self.query.limit(count)) as reader,
        ):
            return bool(sum(batch.num_rows for batch in reader) >= count)
        raise BrokenQuery("ended")
