"""A connection to a database that holds a ledger, asked in the words of SQLite."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from sfumato.database.refusal import why_refused
from sfumato.errors import LedgerError, MissingExtra
from sfumato.ledger.backend import Rows
from sfumato.ledger.postgres.address import LedgerAddress

try:
    import psycopg
except ImportError:
    raise MissingExtra(
        "a ledger in PostgreSQL needs psycopg: pip install 'sfumato[postgres]'"
    ) from None

if TYPE_CHECKING:
    from typing import LiteralString

__all__ = ["PATIENCE", "DatabaseConnection", "connected"]

PATIENCE = 30  # seconds for another process to finish its write, or for a server to come back
_MARK = re.compile(r"\?|(?<!:):([a-z]+)\b")
# A client that stopped in the middle holds the others up no longer than this.
_SETTINGS = f"""
SET search_path = pg_catalog, "{{schema}}";
SET synchronous_commit = on;
SET lock_timeout = '{PATIENCE}s';
SET idle_in_transaction_session_timeout = '60s';
SET default_transaction_read_only = off;
SET client_min_messages = warning
"""


@cache
def _translated(query: str) -> str:
    """Marks as the driver writes them; our statements hold no other question mark or colon."""
    return _MARK.sub(lambda mark: f"%({mark[1]})s" if mark[1] else "%s", query)


class DatabaseConnection:
    """What the statements of the ledger run on."""

    def __init__(self, raw: "psycopg.Connection[Any]") -> None:
        self.raw = raw

    @property
    def who(self) -> str:
        """The role that logged in; no `SET ROLE` changes it."""
        return str(self._one("SELECT session_user"))

    @property
    def clock(self) -> int:
        """The server's clock, which all clients share."""
        return int(self._one("SELECT floor(extract(epoch FROM clock_timestamp()))::bigint"))

    def _one(self, query: "LiteralString") -> Any:
        found = self.raw.execute(query).fetchone()
        return found and found[0]

    def execute(self, query: str, values: Sequence[Any] | Mapping[str, Any] = (), /) -> Rows:
        """Run one statement."""
        text: LiteralString = _translated(query) if values else query
        return self.raw.execute(text, values or None)

    def executemany(self, query: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Run one statement for each of these."""
        text: LiteralString = _translated(query)
        with self.raw.cursor() as cursor:
            cursor.executemany(text, rows)


def connected(address: LedgerAddress) -> "psycopg.Connection[Any]":
    """A connection; the password is found by the driver, where it may be."""
    try:
        raw = psycopg.connect(
            address.url.with_limit, autocommit=True, application_name="sfumato ledger"
        )
    except psycopg.Error as error:
        raise LedgerError(
            f"ledger {address.name}: the server {why_refused(str(error))}; nothing was recorded"
        ) from None
    settings: LiteralString = _SETTINGS.format(schema=address.schema)
    raw.execute(settings)
    return raw
