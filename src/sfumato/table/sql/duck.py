"""Tables and views of DuckDB: of a file that is opened for reading alone, or over a connection.

A file that is read cannot be written by others meanwhile.  Over a connection a second one is
opened, with a transaction of its own; what only the first one knows (temporary tables, registered
frames) is given as a relation, `connection.table("visits")`.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any

from sfumato.errors import DataError, MissingExtra
from sfumato.table.query import Relation
from sfumato.table.sql.name import TableName
from sfumato.table.sql.twin import check_duckdb
from sfumato.untrusted.misspelt import did_you_mean

__all__ = ["DATABASES", "open_duckdb", "open_duckdb_file"]

DATABASES = (".duckdb", ".ddb", ".db")
_HEAD, _SQLITE, _DUCK = 16, b"SQLite format 3\0", b"DUCK"
_FEW = 8
_TABLES = """
SELECT table_schema, table_name FROM information_schema.tables
WHERE table_catalog = current_database() ORDER BY ALL"""


def open_duckdb_file(path: Path, table: TableName | None) -> Relation:
    """A table of a file; the only one, where none is named."""
    if not path.is_file():
        raise DataError(f"{path} does not exist, or is no file")
    _check_content(path)
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("DuckDB files need DuckDB: pip install 'sfumato[sql]'") from None
    found: Any = None
    with suppress(duckdb.Error):
        found = duckdb.connect(path, read_only=True)
    if found is None:
        raise DataError(
            f"{path} cannot be opened for reading: close it where it is open (also in this "
            "program: else give its connection), or open it with your DuckDB to see why"
        )
    return open_duckdb(found, table or _only(path, found))


def _check_content(path: Path) -> None:
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head == _SQLITE:
        raise DataError(
            f"{path} is a file of SQLite, where the type of a column depends on its records: save "
            "the table as Parquet or CSV"
        )
    if head[8:12] != _DUCK:
        raise DataError(f"{path} is no DuckDB database")


def _only(path: Path, connection: Any) -> TableName:
    known = _names(connection)
    if len(known) == 1:
        return known[0]
    listed = ", ".join(map(str, known[:_FEW])) + " …" * (len(known) > _FEW)
    what = f"has the tables {listed}: say which with --table (table=…)" if known else "has no table"
    raise DataError(f"{path} {what}")


def _names(connection: Any) -> list[TableName]:
    rows = connection.execute(_TABLES).fetchall()
    return [TableName((name,) if schema == "main" else (schema, name)) for schema, name in rows]


def open_duckdb(connection: Any, table: TableName) -> Relation:
    """A table over a connection of ours beside this one; no record is read."""
    session: Any = None
    with suppress(Exception):  # it may be closed
        opened = connection.cursor()
        opened.execute("BEGIN TRANSACTION READ ONLY")
        opened.execute("SET SESSION TimeZone = 'UTC'")  # days as in Parquet, wherever this runs
        session = opened
    if session is None:
        raise DataError("the connection to DuckDB is closed: open it again")
    check_duckdb(connection, session, table)
    with suppress(Exception):  # a table that is not there, a view of what is gone
        return Relation(session.table(table.quoted), session)
    hint = did_you_mean(str(table), map(str, _names(session)))
    raise DataError(
        f"DuckDB has no table or view {table} that can be read{hint}: check its name and its "
        "schema (schema.table); a temporary one is given as a relation, connection.table(…)"
    )
