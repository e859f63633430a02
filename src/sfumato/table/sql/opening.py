"""Which database is meant, and which of its tables."""

from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.database.url import PostgresUrl, is_url, read_url
from sfumato.errors import DataError, ParameterError
from sfumato.table.query import Relation
from sfumato.table.sql.adbc import clone_of, open_adbc, vendor_of
from sfumato.table.sql.counting import counted_there
from sfumato.table.sql.duck import DATABASES, open_duckdb, open_duckdb_file
from sfumato.table.sql.name import TableName
from sfumato.table.sql.postgres import open_postgres, open_server
from sfumato.table.sql.stored import StoredTable
from sfumato.table.sql.twin import check_postgres

__all__ = ["SqlTable", "counted", "open_url", "sql", "with_table"]


@dataclass(frozen=True)
class SqlTable:
    """A table of a database, to be opened anew each time that it is read."""

    where: Any = field(repr=False)  # a connection, a URL or a path
    table: TableName
    in_database: bool = False  # whether records are counted there, and none is read

    def open(self, *, counted: bool = False) -> StoredTable | Relation:
        """Its records as they are now; none of them is read yet.  `counted`: nor will be."""
        if self.in_database and not counted:
            raise DataError(
                "records are not to leave the database, but this reads them: in_database is for "
                "publishing by mosaic"
            )
        found = self._opened()
        return counted_there(found) if self.in_database else found

    def _opened(self) -> StoredTable | Relation:
        where = read_url(self.where)[0] if isinstance(self.where, str) else self.where
        if isinstance(where, Path):
            return open_duckdb_file(where, self.table)
        if isinstance(where, PostgresUrl):
            return open_server(where, self.table)
        if _is_duckdb(where):
            return open_duckdb(where, self.table)
        vendor = vendor_of(where)
        if vendor == "sqlite":
            raise DataError(
                "in SQLite the type of a column depends on its records: save the table as Parquet "
                "or CSV"
            )
        if vendor == "postgresql":
            second = clone_of(where)
            check_postgres(where, second, self.table)
            return open_postgres(second, self.table)
        return open_adbc(where, self.table)


def sql(where: Any, *, table: str, in_database: bool = False) -> SqlTable:
    """A table or view of a database, for everything that takes a table.

    `where`: an open connection of DuckDB or of ADBC, or any whose cursors have
    `fetch_record_batch`; or the URL of a database, postgresql://user@host/database or
    duckdb:///file, which holds no password.  `table` may have its schema before it.  With
    `in_database`, PostgreSQL counts the records of a release by mosaic, and none of them leaves it.

    >>> sql("postgresql://reader@host/clinic", table="public.visits")
    SqlTable(table=TableName(parts=('public', 'visits')), in_database=False)
    """
    name = TableName.of(table)
    if is_url(where):
        if read_url(where)[1] is not None:
            raise ParameterError("the table is named twice: leave out what stands behind #")
        return SqlTable(where, name, in_database)
    if isinstance(where, str | Path):
        return SqlTable(Path(where), name, in_database)
    if not _is_duckdb(where) and not _hands_out_arrow(where):
        raise DataError(
            f"{type(where).__name__} is no connection that hands out Arrow: open one with ADBC or "
            "DuckDB, or give the URL, postgresql://user@host/database"
        )
    return SqlTable(where, name, in_database)


def with_table(data: Any, table: str | None) -> Any:
    """The data, and in it the table that was named; as text where it was text.

    >>> with_table("postgresql://reader@host/clinic", "visits")
    'postgresql://reader@host/clinic#visits'
    """
    if table is None:
        return data
    if not isinstance(data, str | Path):
        return sql(data, table=table)
    if not is_url(data) and not str(data).lower().endswith(DATABASES):
        raise DataError(
            "table names a table of a database: give the URL of one, or the path of a .duckdb "
            "file, with it"
        )
    _ = sql(data, table=table)  # refuses what is no name, and a second one
    return f"{data}#{table}"


def counted(data: Any) -> SqlTable:
    """The table of a URL, of which only counts are to leave the database."""
    if not is_url(data) or read_url(data)[1] is None:
        raise DataError(
            "records are counted inside a database only where there is one: give the URL of "
            "PostgreSQL, and the table"
        )
    where, _, table = data.partition("#")
    return sql(where, table=table, in_database=True)


def open_url(text: str) -> StoredTable | Relation:
    """The table that a URL names; the only one of a DuckDB file that has no other."""
    where, table = read_url(text)
    if table is not None:
        return SqlTable(text.partition("#")[0], TableName.of(table)).open()
    if isinstance(where, Path):
        return open_duckdb_file(where, None)
    raise DataError("say which table or view of the database is meant: --table NAME (table=…)")


def _is_duckdb(where: Any) -> bool:
    kind = type(where)
    return kind.__name__ == "DuckDBPyConnection" and kind.__module__ in ("duckdb", "_duckdb")


def _hands_out_arrow(where: Any) -> bool:
    if hasattr(where, "adbc_clone"):
        return True
    with suppress(Exception), closing(where.cursor()) as cursor:
        return callable(getattr(cursor, "fetch_record_batch", None))
    return False
