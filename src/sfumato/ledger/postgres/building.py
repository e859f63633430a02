"""A new ledger in a database: whole, or not at all."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from sfumato.errors import LedgerError
from sfumato.ledger.backend import Connection
from sfumato.ledger.postgres.address import LedgerAddress
from sfumato.ledger.postgres.connection import DatabaseConnection, connected
from sfumato.ledger.postgres.failure import explain
from sfumato.ledger.postgres.tables import FILL_UNFINISHED, roles, rules, tables

__all__ = ["building_in_database"]

_NO_RIGHTS = "42501"


@contextmanager
def building_in_database(address: LedgerAddress) -> Iterator[Connection]:
    """Tables to write the first lines to; the rules are put around them at the end."""
    with connected(address) as raw:
        connection = DatabaseConnection(raw)
        user = connection.who
        with explain(address, user):
            try:
                raw.execute("BEGIN")
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
                    f"CREATE ON DATABASE … TO {user}"
                ) from None
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
                    f"{user} CREATEROLE, or make {_names(address)} first, with ADMIN for {user}"
                ) from None
            raw.execute("COMMIT")


def _own(connection: Connection, address: LedgerAddress) -> None:
    """Whoever makes a ledger may grant budgets in it."""
    asked = "SELECT pg_has_role(session_user, ?, 'MEMBER')"
    if connection.execute(asked, (address.role("owner"),)).fetchone() != (True,):
        connection.execute(f'GRANT "{address.role("owner")}" TO SESSION_USER')


def _names(address: LedgerAddress) -> str:
    return ", ".join(address.role(duty) for duty in ("owner", "publisher", "auditor"))
