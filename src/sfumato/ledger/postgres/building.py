"""A new ledger in a database: whole, or not at all."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import psycopg

from sfumato.errors import LedgerError
from sfumato.ledger.backend import Connection, ConnectionLost
from sfumato.ledger.postgres.address import LedgerAddress
from sfumato.ledger.postgres.connection import PATIENCE, DatabaseConnection, connected
from sfumato.ledger.postgres.failure import explain, lost, quoted
from sfumato.ledger.postgres.structure import known_format
from sfumato.ledger.postgres.tables import FILL_UNFINISHED, roles, rules, tables
from sfumato.ledger.sql import holds, last_line

if TYPE_CHECKING:
    from typing import LiteralString

__all__ = ["building_in_database"]

# Of two who make the same ledger one waits, and so does whoever asks what became of a lost commit.
_ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(?::text, 0))"


@contextmanager
def building_in_database(address: LedgerAddress) -> Iterator[Connection]:
    """Tables to write the first lines to; the rules are put around them at the end."""
    with connected(address) as raw:
        connection = DatabaseConnection(raw)
        user = connection.who
        with explain(address, user):
            _holds_all_letters(connection, address)
            try:
                _begin(connection, address)
                for statement in tables(address.schema):
                    connection.execute(statement)
            except psycopg.errors.DuplicateSchema:
                raise LedgerError(
                    f"{address.name} has a schema {address.schema} already: a ledger never "
                    "replaces one; name another with ?schema=… behind the address"
                ) from None
            except psycopg.errors.InsufficientPrivilege:
                raise LedgerError(
                    f"the database role {user} may not make a schema in {address.name}: GRANT "
                    f"CREATE ON DATABASE … TO {quoted(user)}"
                ) from None
            known_format(connection, address)  # a server that keeps nothing gets no ledger
            yield connection
            connection.execute(FILL_UNFINISHED)
            for statement in rules(address.schema):
                connection.execute(statement)
            try:
                for statement in roles(address.schema):
                    connection.execute(statement)
                _own(connection, address)
            except psycopg.errors.InsufficientPrivilege:
                raise LedgerError(
                    f"the database role {user} may not make the roles of the ledger: ALTER ROLE "
                    f"{quoted(user)} CREATEROLE, or make {_names(address)} first, with ADMIN for "
                    f"{quoted(user)}"
                ) from None
            _commit(connection, address)


def _begin(connection: DatabaseConnection, address: LedgerAddress) -> None:
    connection.execute("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0")
    connection.execute(_ALONE, (f"sfumato ledger {address.schema}",))


def _commit(connection: DatabaseConnection, address: LedgerAddress) -> None:
    """Commit; where the acknowledgement was lost, look whether it is there."""
    _, head = last_line(connection)
    try:
        ended = connection.raw.execute("COMMIT").statusmessage
    except psycopg.Error:
        if not lost(connection.raw):
            raise
        ended = "COMMIT" if _is_there(address, head) else "ROLLBACK"
    if ended != "COMMIT":
        raise LedgerError(
            f"{address.name}: the connection was lost and nothing was made: repeat it"
        )


def _is_there(address: LedgerAddress, head: str) -> bool:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            with closing(connected(address)) as raw:
                return _found(raw, address, head)
        except (LedgerError, psycopg.Error):
            if time.monotonic() > until:
                raise ConnectionLost from None
            time.sleep(0.2)


def _found(raw: "psycopg.Connection[Any]", address: LedgerAddress, head: str) -> bool:
    connection = DatabaseConnection(raw)
    _begin(connection, address)
    try:
        return holds(connection, head)
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        return False


def _holds_all_letters(connection: Connection, address: LedgerAddress) -> None:
    """Names and reasons are in any letters: no encoding but this one holds them all."""
    asked: LiteralString = "SELECT current_setting('server_encoding')"
    (encoding,) = connection.execute(asked).fetchone()
    if encoding != "UTF8":
        raise LedgerError(
            f"{address.name} keeps its texts as {encoding}, which does not hold all names and "
            "reasons: name a database made with CREATE DATABASE … ENCODING 'UTF8'"
        )


def _own(connection: Connection, address: LedgerAddress) -> None:
    """Whoever makes a ledger may grant budgets in it."""
    asked = "SELECT pg_has_role(session_user, ?, 'MEMBER')"
    if connection.execute(asked, (address.role("owner"),)).fetchone() != (True,):
        connection.execute(f'GRANT "{address.role("owner")}" TO SESSION_USER')


def _names(address: LedgerAddress) -> str:
    return ", ".join(address.role(duty) for duty in ("owner", "publisher", "auditor"))
