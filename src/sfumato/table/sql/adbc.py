"""Connections whose cursors hand out Arrow: those of ADBC, and others with the same verbs.

Of an ADBC connection a second one is made, to the same database with the same rights, so that
nobody's transaction is disturbed.  What is read is what was committed.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, ClassVar
from weakref import finalize

import pyarrow as pa

from sfumato.errors import DataError
from sfumato.table.sql.broken import BrokenQuery, Why
from sfumato.table.sql.name import TableName
from sfumato.table.sql.stored import StoredColumn, StoredTable

__all__ = ["ArrowSession", "clone_of", "close_quietly", "open_adbc", "vendor_of"]


class ArrowSession:
    """One connection; `own`: closed when nobody needs it any more."""

    _options: ClassVar[dict[str, str]] = {}

    def __init__(self, connection: Any, *, own: bool) -> None:
        self._connection = connection
        if own:
            finalize(self, close_quietly, connection)

    def batches(self, query: str, *bound: str) -> Iterator[pa.RecordBatch]:
        """What a query gives; whoever stops early cancels it."""
        why: Why | None = None
        try:
            with self._for_a_pass() as connection:
                try:
                    yield from _streamed(connection, query, bound, self._options)
                except Exception:  # it may quote a record
                    why = self._why(connection)
        except Exception:
            why = why or "lost"
        if why is not None:
            raise BrokenQuery(why)

    def ask(self, query: str, *bound: str) -> list[dict[str, Any]]:
        """All rows of a small answer about tables, never about records."""
        with self._connection.cursor() as cursor:
            cursor.execute(query, list(bound) or None)
            rows: list[dict[str, Any]] = cursor.fetch_arrow_table().to_pylist()
            return rows

    def schema(self, query: str) -> pa.Schema:
        """The columns of a query without records."""
        with self._connection.cursor() as cursor:
            cursor.execute(query)
            with cursor.fetch_record_batch() as reader:
                return reader.schema

    @contextmanager
    def _for_a_pass(self) -> Iterator[Any]:
        """The connection on which a pass is made."""
        yield self._connection

    def _why(self, _connection: Any) -> Why:
        """What stopped a query, as far as can be told."""
        return "either"


def _streamed(
    connection: Any, query: str, bound: Sequence[str], options: dict[str, str]
) -> Iterator[pa.RecordBatch]:
    cursor, ended = connection.cursor(), False
    try:
        if options:
            cursor.adbc_statement.set_options(**options)
        cursor.execute(query, *([list(bound)] if bound else []))
        with cursor.fetch_record_batch() as reader:
            yield from reader
        ended = True
    finally:
        if not ended:
            with suppress(Exception):
                cursor.adbc_cancel()  # else the rest of the table is waited for
        with suppress(Exception):
            cursor.close()


def close_quietly(connection: Any) -> None:
    """Close a connection that may be lost."""
    with suppress(Exception):
        connection.close()


def vendor_of(connection: Any) -> str:
    """Whose database it is, in small letters; nothing where nobody says."""
    with suppress(Exception):
        return str(connection.adbc_get_info().get("vendor_name", "")).lower()
    return ""


def clone_of(connection: Any) -> Any:
    """A second connection to the same database; refused where there is none to be had."""
    with suppress(Exception):
        return connection.adbc_clone()
    raise DataError("the connection is closed, or no second one can be made: open it again")


def open_adbc(connection: Any, table: TableName) -> StoredTable:
    """A table of any database, with the types that its driver declares; no record is read."""
    cloned = hasattr(connection, "adbc_clone")
    session = ArrowSession(clone_of(connection) if cloned else connection, own=cloned)
    return StoredTable(session, table, tuple(_declared(session, table)))


def _declared(session: ArrowSession, table: TableName) -> Sequence[StoredColumn]:
    with suppress(Exception):
        found = session.schema(f"SELECT * FROM {table.quoted} WHERE 1 = 0")  # noqa: S608
        return [StoredColumn.plain(item.name, item.type) for item in found]
    raise DataError(
        f"no table or view {table} can be read over this connection: check its name (capitals "
        "count), its schema (schema.table) and the rights to read it"
    )
