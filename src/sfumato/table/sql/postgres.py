"""Tables and views of PostgreSQL, streamed in binary over ADBC.

Transactions are REPEATABLE READ and READ ONLY, and share one snapshot: all passes see the records
of one moment, and nothing is written.  Names and types come from the catalog, so no record is read
to know them.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, ClassVar

from sfumato.database.refusal import why_refused
from sfumato.database.url import PostgresUrl
from sfumato.errors import DataError, MissingExtra
from sfumato.table.sql.adbc import ArrowSession, close_quietly
from sfumato.table.sql.broken import BrokenQuery, Why
from sfumato.table.sql.name import TableName
from sfumato.table.sql.postgres_type import column_of
from sfumato.table.sql.stored import StoredColumn, StoredTable
from sfumato.table.sql.unread import UnreadType
from sfumato.untrusted.misspelt import did_you_mean

__all__ = ["open_postgres", "open_server"]

_BATCH_BYTES = 2**22
_PATIENCE = "10s"  # for a table that others lock; somebody may wait for ours meanwhile
_FORBIDDEN = UnreadType("what this user may not read (GRANT SELECT)")
# The first words of a transaction: later ones could not set its level.
_READ_ONLY = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_PLAIN = ("UTF8", "SQL_ASCII")
# Encodings in which every byte is a letter, so that no record can stop the server's conversion.
_WHOLE = (
    *("LATIN1", "LATIN2", "LATIN4", "LATIN5", "LATIN6", "LATIN7", "LATIN8", "LATIN9", "LATIN10"),
    *("ISO_8859_5", "WIN866", "KOI8R", "KOI8U"),
)
_COLUMNS = """
WITH RECURSIVE stored AS (
    SELECT a.attnum, a.attname::text AS name, a.atttypid AS type, a.atttypmod AS modifier,
        has_column_privilege(a.attrelid, a.attnum, 'SELECT') AS readable
    FROM pg_catalog.pg_attribute a
    JOIN pg_catalog.pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'v', 'm', 'f', 'p')
    WHERE a.attrelid = pg_catalog.to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
    SELECT s.attnum, s.name, t.typbasetype,
        CASE WHEN t.typtypmod >= 0 THEN t.typtypmod ELSE s.modifier END, s.readable
    FROM stored s JOIN pg_catalog.pg_type t ON t.oid = s.type WHERE t.typtype = 'd'
)
SELECT s.name, t.typname::text AS kind, t.typtype = 'e' AS enum, s.modifier, s.readable,
    t.typnamespace = 'pg_catalog'::regnamespace OR t.typname = 'citext' AS known,
    pg_catalog.format_type(t.oid, NULL) AS said
FROM stored s JOIN pg_catalog.pg_type t ON t.oid = s.type
WHERE t.typtype <> 'd' ORDER BY s.attnum"""
_TABLES = """
SELECT CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN '' ELSE n.nspname || '.' END
    || c.relname AS name
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND n.nspname !~ '^(pg_|information_schema$)'
LIMIT 1000"""


class _Snapshot(ArrowSession):
    """One moment: this connection keeps it, and each pass has another that is shown the same.

    So a pass can be given up, or fail, without the others losing their moment.
    """

    _options: ClassVar[dict[str, str]] = {
        "adbc.postgresql.batch_size_hint_bytes": str(_BATCH_BYTES)
    }

    def __init__(self, connection: Any) -> None:
        super().__init__(connection, own=True)
        _run(connection, _READ_ONLY)
        _run(connection, f"SET LOCAL lock_timeout = '{_PATIENCE}'")
        (found,) = self.ask(
            "SELECT current_setting('server_encoding') AS encoding, "
            "pg_catalog.pg_export_snapshot() AS moment"
        )
        encoding, self._moment = found["encoding"], found["moment"]
        self.encoding = encoding
        if encoding not in (*_PLAIN, *_WHOLE):
            raise DataError(
                f"the database is kept in {encoding}, in which some bytes are no letters and would "
                "stop the reading: save the table as a file, or copy it to a database in UTF8"
            )
        self._sent = encoding if encoding in _PLAIN else "UTF8"

    @contextmanager
    def _for_a_pass(self) -> Iterator[Any]:
        connection = self._connection.adbc_clone()
        try:
            _run(connection, _READ_ONLY)
            _run(connection, f"SET TRANSACTION SNAPSHOT '{self._moment}'")
            _run(connection, f"SET LOCAL client_encoding = '{self._sent}'")
            _run(connection, "SET LOCAL synchronize_seqscans = off")  # else it begins anywhere
            _run(connection, f"SET LOCAL lock_timeout = '{_PATIENCE}'")
            yield connection
        finally:
            close_quietly(connection)

    def _why(self, connection: Any) -> Why:
        with suppress(Exception):
            connection.rollback()
            return "ended"
        return "lost"


def _run(connection: Any, statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def open_server(url: PostgresUrl, table: TableName) -> StoredTable:
    """A table on a server; the password is found by the driver, where it may be."""
    try:
        from adbc_driver_postgresql import dbapi
    except ImportError:
        raise MissingExtra("PostgreSQL needs its driver: pip install 'sfumato[sql]'") from None
    try:
        connection = dbapi.connect(url.with_limit)
    except Exception as error:
        reason = why_refused(str(error))
    else:
        return open_postgres(connection, table)
    raise DataError(f"the PostgreSQL server{' at ' * bool(url.host)}{url.host} {reason}")


def open_postgres(connection: Any, table: TableName) -> StoredTable:
    """A table over a connection that becomes our own; no record is read."""
    try:
        session = _Snapshot(connection)
        found = StoredTable(session, table, _columns(session, table))
        _planned(session, found)
    except DataError:
        raise
    except Exception as error:  # rights that are missing, a view of what is gone
        alone = isinstance(error, BrokenQuery) and error.why == "lost"
    else:
        return found
    if alone:
        raise DataError(
            "the PostgreSQL server does not let this user in a second time: each pass over the "
            "records is a connection of its own (CONNECTION LIMIT, max_connections)"
        )
    raise DataError(
        f"table {table} cannot be read: try in psql whether this user may (GRANT SELECT), and, of "
        "a view, whether what it reads is there"
    )


def _columns(session: _Snapshot, table: TableName) -> tuple[StoredColumn, ...]:
    facts = session.ask(_COLUMNS, table.quoted)
    if not facts:
        known = [row["name"] for row in session.ask(_TABLES)]
        hint = did_you_mean(str(table), known)
        raise DataError(
            f"the database has no table or view {table}{hint}: check its name (capitals count) and "
            "its schema (schema.table)"
        )
    return tuple(_column(fact) for fact in facts)


def _column(fact: dict[str, Any]) -> StoredColumn:
    if not fact["readable"]:
        return StoredColumn.plain(
            fact["name"], UnreadType("what this user may not read (GRANT SELECT)")
        )
    # A type of somebody's own may be called like one of the server's.
    kind = fact["kind"] if fact["known"] else ""
    return column_of(fact["name"], kind, fact["said"], enum=fact["enum"], modifier=fact["modifier"])


def _planned(session: _Snapshot, table: StoredTable) -> None:
    """Ask for no record: what is not allowed or not there is refused now."""
    readable = [c.asked for c in table.columns if not isinstance(c.type, UnreadType)]
    asked = f"SELECT {', '.join(readable)} FROM {table.table.quoted} LIMIT 0"  # noqa: S608
    # Locked as long as the moment is kept: to be emptied, refreshed or renamed is seen by every
    # moment, so it has to wait.
    session.ask(asked)
    for _ in session.batches(asked):
        pass
