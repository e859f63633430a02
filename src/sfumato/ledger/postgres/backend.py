"""An open ledger in PostgreSQL: any number of hosts, one write at a time, every commit durable.

A write locks one public table before it takes its snapshot, so that it sees all writes before it
and none besides; it is serialisable as well.  A commit whose acknowledgement was lost is looked up
under the same lock, when it has ended one way or the other.
"""

import os
import time
from contextlib import AbstractContextManager, suppress
from typing import Any

import psycopg

from sfumato.errors import LedgerError
from sfumato.ledger.audit import replay
from sfumato.ledger.backend import ConnectionLost, Place
from sfumato.ledger.postgres.address import LedgerAddress
from sfumato.ledger.postgres.connection import PATIENCE, DatabaseConnection, connected
from sfumato.ledger.postgres.failure import explain, lost
from sfumato.ledger.postgres.structure import known_format, require_rules
from sfumato.ledger.postgres.tables import FORMAT, MIGRATIONS
from sfumato.ledger.sql import every_line, hash_at, ledger_id_of

__all__ = ["LedgerDatabase"]

_IDLE = 2.0  # seconds after which a connection may be gone without our noticing


class LedgerDatabase:
    """A schema of a database, opened."""

    by_hand = True
    key_file = None  # the database holds fingerprints, so the key is with whoever publishes

    def __init__(self, text: str) -> None:
        self.address = LedgerAddress.of(text)
        self.name = self.address.name
        self._process = os.getpid()
        raw = connected(self.address)
        try:
            self._user = raw.info.user
            with self.explain():
                self.connection = DatabaseConnection(raw)
                self._asked, self._user = time.monotonic(), self.connection.who
                known_format(self.connection, self.address)
        except BaseException:
            raw.close()
            raise

    def ready(self) -> None:
        """A connection that was lost while idle is made anew."""
        now = time.monotonic()
        if now - self._asked > _IDLE and not lost(self._raw):
            with suppress(psycopg.Error):
                self._raw.execute("SELECT")
        self._asked = now
        if lost(self._raw):
            self.connection.raw = connected(self.address)

    def read(self) -> None:
        """Begin to read all in one state."""
        self._raw.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def write(self, *, long: bool = False) -> None:
        """Begin to write, alone; refused where the rules are newer than this program."""
        self._raw.execute(
            "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE; LOCK TABLE turn IN EXCLUSIVE MODE"
        )
        self.connection.remember()
        if long:
            self._raw.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        known_format(self.connection, self.address)

    def commit(self) -> None:
        """What was written is on the disk when this returns; `ConnectionLost` if nobody knows."""
        wrote = self.connection.forget()
        try:
            ended = self._raw.execute("COMMIT").statusmessage
        except psycopg.Error as error:
            if wrote and lost(self._raw):
                raise ConnectionLost from error
            raise
        if ended != "COMMIT":
            raise LedgerError(f"ledger {self.name}: the server took this back: repeat it")

    def roll_back(self) -> None:
        """Forget what was begun."""
        self.connection.forget()
        if self._raw.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            try:
                self._raw.execute("ROLLBACK")
            except psycopg.Error:
                self.close()  # the server forgets it, and the next use connects anew

    def after_loss(self, sequence: int) -> str | None:
        """Asked under the lock, so what was cut off has ended; waits for a server to restart."""
        until = time.monotonic() + PATIENCE
        while True:
            self.close()
            try:
                self.connection.raw = connected(self.address)
                self.write()
                return hash_at(self.connection, sequence)
            except (LedgerError, psycopg.Error):
                if time.monotonic() > until:
                    raise ConnectionLost from None
                time.sleep(0.2)
            finally:
                self.roll_back()

    def explain(self) -> AbstractContextManager[None]:
        """Turn the database's errors into a `LedgerError` that says what to do."""
        return explain(self.address, self._user)

    def fatal(self, error: BaseException) -> bool:  # noqa: ARG002  as every backend
        """Never: what is not known is looked up, and a lost connection is made anew."""
        return False

    def upgrade(self) -> None:
        """Bring the rules of an older format up to date, in one transaction of whoever made it."""
        if (found := known_format(self.connection, self.address)) >= FORMAT:
            return
        try:
            self._migrate()
        except psycopg.errors.InsufficientPrivilege:
            raise LedgerError(
                f"ledger {self.name} has format {found} and this program keeps format {FORMAT}: "
                f"{self._maker()}, to whom its tables belong, brings it up to date by opening it "
                "with this program (sfumato ledger verify)"
            ) from None

    def _migrate(self) -> None:
        self.write(long=True)
        for version in range(known_format(self.connection, self.address), FORMAT):
            for statement in MIGRATIONS[version + 1](self.address.schema):
                self.connection.execute(statement)
            self.connection.execute("UPDATE format SET version = ?", (version + 1,))
        replay(every_line(self.connection), ledger_id_of(self.connection))
        self.commit()

    def check_pages(self) -> None:
        """The server checks its pages itself, where its checksums are on."""

    def check_rules(self) -> None:
        """Refuse tables, indexes, functions and triggers that are not as they were made."""
        known_format(self.connection, self.address)
        require_rules(self.connection, self.address)

    @property
    def place(self) -> Place:
        """What it lies on."""
        owner, publisher, auditor = map(self.address.role, ("owner", "publisher", "auditor"))
        return Place("PostgreSQL", roles=(owner, publisher, auditor))

    def close(self) -> None:
        """Let go of the connection."""
        with suppress(psycopg.Error):
            self._raw.close()

    def __del__(self) -> None:
        """Whoever named a ledger by its address for one release has nothing to close."""
        if hasattr(self, "connection") and self._process == os.getpid():
            self.close()

    @property
    def _raw(self) -> "psycopg.Connection[Any]":
        return self.connection.raw

    def _maker(self) -> str:
        self.roll_back()
        query = "SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = ?::text"
        return str(self.connection.execute(query, (self.address.schema,)).fetchone()[0])
