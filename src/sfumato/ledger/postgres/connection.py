"""A connection to a database that holds a ledger, asked in the words of SQLite."""

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from ipaddress import ip_address
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

__all__ = ["IDLE", "PATIENCE", "DatabaseConnection", "connected", "resolved"]

PATIENCE = 30  # seconds for another process to finish its write, or for a server to come back
IDLE = 20  # seconds after which whoever stopped in the middle of a write loses it
_RECENT = 1.0  # seconds for which the time of the server is not asked for again in a write
_FEW = 100  # rows of an answer that is kept
_MARK = re.compile(r"\?|(?<!:):([a-z]+)\b")
# Whatever a role, a database or the environment sets otherwise.  A client that stopped in the
# middle holds the others up no longer than it idles.  Plans that read whole tables are forbidden,
# and what is forbidden counts as so dear that it is compiled, for ten times as long as it takes.
_SETTINGS = f"""
SET search_path = pg_catalog, "{{schema}}", pg_temp;
SET client_encoding = 'UTF8';
SET synchronous_commit = on;
SET default_transaction_isolation = 'read committed';
SET standard_conforming_strings = on;
SET quote_all_identifiers = off;
SET enable_seqscan = off;
SET jit = off;
SET lock_timeout = '{PATIENCE}s';
SET idle_in_transaction_session_timeout = '{IDLE}s';
SET default_transaction_read_only = off;
SET client_min_messages = warning
"""


@cache
def _translated(query: str) -> str:
    """Marks as the driver writes them; our statements hold no other question mark or colon."""
    return _MARK.sub(lambda mark: f"%({mark[1]})s" if mark[1] else "%s", query)


class _Found:
    """Rows that were fetched."""

    def __init__(self, rows: list[Any]) -> None:
        self._left = iter(rows)

    def fetchone(self) -> Any:
        return next(self._left, None)

    def fetchall(self) -> list[Any]:
        return list(self._left)

    def __iter__(self) -> Iterator[Any]:
        return self._left


class DatabaseConnection:
    """What the statements of the ledger run on.

    Whoever writes is alone, so what he has read stays as it is until he adds a line: it is not
    asked for again, for each question is a way to the server and back.
    """

    def __init__(self, raw: "psycopg.Connection[Any]") -> None:
        self.raw = raw
        self._read: dict[tuple[str, str], list[Any]] | None = None
        self._clock = (0, 0.0)  # the server's, and when it was asked here
        self._who = str(_one(raw, "SELECT session_user"))

    @property
    def who(self) -> str:
        """The role that logged in; no `SET ROLE` changes it."""
        return self._who

    @property
    def clock(self) -> int:
        """The server's clock, which all clients share."""
        told, asked = self._clock
        if self._read is None or time.monotonic() - asked > _RECENT:
            told = int(
                _one(self.raw, "SELECT floor(extract(epoch FROM clock_timestamp()))::bigint")
            )
            self._clock = told, time.monotonic()
        return told

    def remember(self) -> None:
        """A write begins: nobody else changes anything before it ends."""
        self._read, self._clock = {}, (0, -_RECENT - 1)

    def forget(self) -> bool:
        """The write has ended; whether there was one."""
        wrote, self._read = self._read is not None, None
        return wrote

    def execute(self, query: str, values: Sequence[Any] | Mapping[str, Any] = (), /) -> Rows:
        """Run one statement."""
        text: LiteralString = _translated(query) if values else query
        if self._read is None or not query.startswith("SELECT"):
            if self._read:
                self._read = {}
            return self.raw.execute(text, values or None)
        key = query, repr(values)
        if key not in self._read:
            rows = self.raw.execute(text, values or None).fetchall()
            if len(rows) > _FEW:
                return _Found(rows)
            self._read[key] = rows
        return _Found(self._read[key])

    def executemany(self, query: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Run one statement for each of these."""
        if self._read:
            self._read = {}
        text: LiteralString = _translated(query)
        with self.raw.cursor() as cursor:
            cursor.executemany(text, rows)


def resolved(address: LedgerAddress) -> tuple[str, bool]:
    """Which database the address leads to from here, and whether from here alone.

    What an address does not say is taken from the environment, a service file or the user.
    """
    with connected(address) as raw:
        info = raw.info
        host, port, database = info.host, info.port, info.dbname
    if host.startswith(("/", "@")) or not host:
        only_here = True
    else:
        try:
            only_here = ip_address(host).is_loopback
        except ValueError:
            only_here = host == "localhost"
    return address.named(host, "" if port == 5432 else f":{port}", database), only_here


def connected(address: LedgerAddress) -> "psycopg.Connection[Any]":
    """A connection; the password is found by the driver, where it may be."""
    try:
        raw = psycopg.connect(
            address.url.with_limit, autocommit=True, application_name="sfumato ledger"
        )
    except UnicodeError:  # of its encoding as a name of the internet
        raise LedgerError(f"ledger {address.name}: no server has such a name") from None
    except psycopg.Error as error:
        raise LedgerError(
            f"ledger {address.name}: the server {why_refused(str(error))}; nothing more was "
            "recorded"
        ) from None
    try:
        settings: LiteralString = _SETTINGS.format(schema=address.schema)
        raw.execute(settings)
    except BaseException:
        raw.close()
        raise
    return raw


def _one(raw: "psycopg.Connection[Any]", query: "LiteralString") -> Any:
    found = raw.execute(query).fetchone()
    return found and found[0]
