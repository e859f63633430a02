"""A table or view, read over one connection as a stream of Arrow batches.

All passes see the same records: the connection is our own, in one transaction.  SQL gives records
in any order, and no statistic of a release depends on theirs.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import pyarrow as pa

from sfumato.table.sql.name import TableName, quoted

__all__ = ["Session", "StoredColumn", "StoredTable"]


class Session(Protocol):
    """One connection to a database."""

    def batches(self, query: str, *bound: str) -> Iterator[pa.RecordBatch]:
        """What a query gives, a batch at a time; `bound`: values that are sent beside it."""


def _as_it_is(column: pa.Array) -> pa.Array:
    return column


@dataclass(frozen=True)
class StoredColumn:
    """A column, how SQL is asked for it, and what is made of the answer."""

    name: str
    type: pa.DataType
    asked: str
    read: Callable[[pa.Array], pa.Array] = _as_it_is

    @classmethod
    def plain(cls, name: str, kind: pa.DataType) -> "StoredColumn":
        """One that is handed out as it is declared."""
        return cls(name, kind, quoted(name))


@dataclass(frozen=True, eq=False)
class StoredTable:
    """A table or view of a database."""

    session: Session = field(repr=False)
    table: TableName
    columns: tuple[StoredColumn, ...] = field(repr=False)
    kind: Literal["arrow"] = "arrow"

    @property
    def names(self) -> list[str]:
        """As the database declares them."""
        return [column.name for column in self.columns]

    @property
    def types(self) -> dict[str, pa.DataType]:
        """As the database declares them."""
        return {column.name: column.type for column in self.columns}

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """All records, in whatever order the database gives them."""
        known = {column.name: column for column in self.columns}
        wanted = [known[name] for name in columns]
        asked = ", ".join(column.asked for column in wanted)
        for batch in self.session.batches(f"SELECT {asked} FROM {self.table.quoted}"):  # noqa: S608
            read = [c.read(found) for c, found in zip(wanted, batch.columns, strict=True)]
            yield pa.RecordBatch.from_arrays(read, list(columns))

    @property
    def rows(self) -> int:
        """How many records there are; asked only where their number is public."""
        return self._number(f"SELECT count(*) FROM {self.table.quoted}")  # noqa: S608

    def has_rows(self, count: int) -> bool:
        """Whether there are at least so many records."""
        few = f"SELECT 1 AS one FROM {self.table.quoted} LIMIT {int(count)}"  # noqa: S608
        return self._number(f"SELECT count(*) FROM ({few}) AS few") >= count  # noqa: S608

    def _number(self, query: str) -> int:
        (batch,) = [batch for batch in self.session.batches(query) if batch.num_rows]
        return int(batch.column(0)[0].as_py())
