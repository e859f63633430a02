"""Whether a second connection sees what the given one sees: settings of a session stay with it.

A role, a search path, a schema that was chosen and temporary tables are those of one session.  A
second one would read another table under the same name, or other records of it, in silence.
"""

from contextlib import suppress
from typing import Any

from sfumato.errors import DataError
from sfumato.table.sql.adbc import close_quietly
from sfumato.table.sql.name import TableName

__all__ = ["check_duckdb", "check_postgres"]

_POSTGRES = (
    "SELECT pg_catalog.current_setting('role') || ' ' || CAST(current_user AS text) AS role, "
    "CAST(pg_catalog.current_schemas(true) AS text) AS path"
)
_DUCKDB = "SELECT current_database(), current_schema()"
_TEMPORARY = (
    "SELECT name FROM (SELECT table_name AS name FROM duckdb_tables() WHERE temporary "
    "UNION ALL SELECT view_name FROM duckdb_views() WHERE temporary AND NOT internal)"
)


def check_postgres(given: Any, second: Any, table: TableName) -> None:
    """Refuse another role, and for a name without its schema another path; no record is read.

    The second connection is closed if it is refused.
    """
    told: list[Any] = []
    with suppress(Exception):
        for connection in (given, second):
            with connection.cursor() as cursor:
                cursor.execute(_POSTGRES)
                role, path = cursor.fetchone()
                told.append((role, path if len(table.parts) == 1 else ""))
        second.rollback()  # so that its first transaction is still to begin
    try:
        _check_same(told)
    except DataError:
        close_quietly(second)
        raise


def check_duckdb(given: Any, second: Any, table: TableName) -> None:
    """Refuse another schema or a temporary table for a name without its schema."""
    if len(table.parts) > 1:
        return
    told: list[Any] = []
    with suppress(Exception):
        hidden = {name.lower() for (name,) in given.sql(_TEMPORARY).fetchall()}
        told = [connection.sql(_DUCKDB).fetchall() for connection in (given, second)]
        told[0].append(table.last.lower() in hidden)
        told[1].append(False)
    _check_same(told)


def _check_same(told: list[Any]) -> None:
    if len(told) < 2:
        raise DataError(
            "the connection is in the middle of something: fetch the answer that it has, or end "
            "its transaction (rollback), or open another one"
        )
    if told[0] != told[1]:
        raise DataError(
            "a second connection would see other tables or records than this one, whose role, "
            "schema or temporary tables are its own (SET ROLE, search_path, USE, CREATE TEMP): "
            "write the schema before the table, open a connection with that role, or copy what is "
            "temporary"
        )
