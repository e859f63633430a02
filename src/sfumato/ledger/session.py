"""An open ledger file: one transaction at a time, and the audit of what it holds.

Opening checks what came after the last checkpoint line by line, and what the checkpoint says of
all accounts before it; a short history has none and is checked whole.  `verify` always walks
from the first line on.  A checkpoint is written about every thousand lines, once the lines
since the one before have been audited.
"""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock

from sfumato.errors import LedgerError
from sfumato.ledger.audit import Audit
from sfumato.ledger.chain import LedgerLine, birth, genesis, hash_of, summary
from sfumato.ledger.file import explain, fatal, known_format, opened
from sfumato.ledger.kept_head import note_file, noted, take_note
from sfumato.ledger.sql import (
    append,
    every_line,
    hash_at,
    history_of,
    holds,
    identity,
    last_checkpoint,
    last_hash,
    last_hashes,
    last_line,
    unfinished_steps,
)
from sfumato.ledger.tables import expected_structure, structure
from sfumato.ledger.upgrade import upgrade

__all__ = ["LedgerSession"]

CHECKPOINT = 1_000  # lines after which the accounts are summed up; more where there are more


class LedgerSession:
    """A connection that is safe between threads and processes, and not carried over a fork."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path).resolve()
        self._lock, self._process, self._failed = RLock(), os.getpid(), False
        self._known: tuple[int, str] | None = None  # a line that must stay where it is
        self._connection: sqlite3.Connection | None = opened(self._path)
        try:
            self._file = _inode(self._path)
            with self._session() as connection:
                upgrade(connection, self._path)
                self.ledger_id, self.fingerprint_key = identity(connection)
                connection.execute("BEGIN")
                self._check_structure(connection)
                point = last_checkpoint(connection)
                if point is None:
                    self._check_pages(connection)
                self._known = self._audited(connection)
                self._went_back(connection)
                connection.execute("COMMIT")
            take_note(self.ledger_id, *self._known)
        except BaseException:
            self.close()
            raise

    def history(self, dataset: str) -> list[LedgerLine]:
        """Every line about a data set, in order: grants, charges, looks, decisions."""
        with self._session() as connection:
            return history_of(connection, dataset)

    def verify(self, *, head: str | None = None) -> str:
        """Check every page, rule, hash, balance and step; return the head to keep elsewhere.

        A `head` kept earlier must be in the chain: if not, this is a copy from before it, a
        shortened one, or one that went another way.
        """
        with self._session() as connection:
            self._check_pages(connection)
            audit = Audit(genesis(self.ledger_id), birth(self.ledger_id, self.fingerprint_key))
            audit.walk(every_line(connection))  # others may write in the meantime
            connection.execute("BEGIN")
            self._check_structure(connection)
            audit.walk(every_line(connection, audit.count))
            if audit.unfinished() != unfinished_steps(connection):
                raise LedgerError(
                    f"ledger {self._path} is damaged: its unfinished releases do not match its "
                    "history"
                )
            self._recall(connection)
            kept = head is None or holds(connection, head.strip())
            self._known = audit.count, audit.head
            connection.execute("COMMIT")
        take_note(self.ledger_id, *self._known)
        if not kept:
            raise LedgerError(
                f"the head you kept ({head}) is not in this ledger, whose head is {audit.head}: the"
                " file is an older, shortened or diverged copy; do not publish from it"
            )
        return audit.head

    def close(self) -> None:
        """Let go of the file.  In a forked child this does nothing: the parent owns it."""
        if self._process == os.getpid():
            with self._lock:
                if self._connection is not None:
                    self._connection.close()
                    self._connection = None

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One write transaction: balances are read and the line is added under the same lock."""
        with self._session() as connection:
            if _inode(self._path) != self._file:
                raise LedgerError(f"{self._path} was replaced or removed while open: open it again")
            connection.execute("BEGIN IMMEDIATE")
            known_format(connection, self._path)
            self._recall(connection)
            yield connection
            self._sum_up(connection)
            line, head = last_line(connection)
            connection.execute("COMMIT")
            self._known = line.sequence, head
            take_note(self.ledger_id, line.sequence, head)

    @contextmanager
    def _session(self) -> Iterator[sqlite3.Connection]:
        # Before the lock: a thread of the parent may have held it at the moment of the fork.
        if self._process != os.getpid():
            raise LedgerError("this ledger was opened before a fork: open it again in this process")
        with self._lock, explain(self._path):
            connection = self._connection
            if connection is None:
                raise LedgerError("the ledger is closed: open it again")
            if self._failed:
                raise LedgerError("an earlier read or write failed: open the ledger again")
            try:
                yield connection
            except BaseException as error:
                # After a failed sync nobody knows what the disk holds: no second try here.
                self._failed = fatal(error)
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    def _check_pages(self, connection: sqlite3.Connection) -> None:
        for (verdict,) in connection.execute("PRAGMA integrity_check").fetchall():
            if verdict != "ok":
                raise LedgerError(f"ledger {self._path} is damaged: {verdict}")

    def _check_structure(self, connection: sqlite3.Connection) -> None:
        known_format(connection, self._path)
        if structure(connection) != expected_structure():
            raise LedgerError(f"ledger {self._path} is damaged: its table definitions were changed")

    def _audited(self, connection: sqlite3.Connection) -> tuple[int, str]:
        """The last line, once all since the last checkpoint were checked, and that one itself."""
        born, point = birth(self.ledger_id, self.fingerprint_key), last_checkpoint(connection)
        if point is None:
            audit = Audit(genesis(self.ledger_id), born)
        else:
            if point.detail != summary(last_hashes(connection, point.sequence)):
                raise LedgerError(
                    f"ledger {self._path} is damaged: its balances do not match the checkpoint at "
                    f"event {point.sequence}"
                )
            audit = Audit(hash_of(point), born, since=point.sequence, past=connection)
        audit.walk(every_line(connection, audit.count))
        if audit.count == 0:
            raise LedgerError("the ledger is damaged: its first event is missing")
        for dataset, stored in audit.hashes.items():
            if last_hash(connection, dataset) != stored:
                raise LedgerError(
                    f"ledger {self._path} is damaged: an index does not match its table"
                )
        return audit.count, audit.head

    def _sum_up(self, connection: sqlite3.Connection) -> None:
        """Write a checkpoint where one is due."""
        point, (last, _) = last_checkpoint(connection), last_line(connection)
        since, accounts = (0, 0)
        if point is not None:
            since, accounts = point.sequence, int(json.loads(point.detail)["accounts"])
        if last.sequence - since >= max(CHECKPOINT, accounts):
            self._audited(connection)
            append(connection, "checkpoint", "", json.loads(summary(last_hashes(connection))))

    def _recall(self, connection: sqlite3.Connection) -> None:
        """Refuse a history from which a line this process has seen is gone."""
        if self._known is not None and hash_at(connection, self._known[0]) != self._known[1]:
            raise LedgerError(
                f"ledger {self._path} lost history while open: do not publish from it"
            )

    def _went_back(self, connection: sqlite3.Connection) -> None:
        """Refuse a ledger from which a line is gone that was seen when it was last used here."""
        seen = noted(self.ledger_id)
        if seen is not None and hash_at(connection, seen[0]) != seen[1]:
            raise LedgerError(
                f"ledger {self._path} is older than when it was last used here: event {seen[0]} "
                f"with head {seen[1]} is missing. This is an older, shortened or diverged copy: "
                "find the newer one. If there is none, all that was published since is missing "
                f"from its budgets; to use it anyway, remove {note_file(self.ledger_id)}"
            )


def _inode(path: Path) -> tuple[int, int] | None:
    """Which file bears the name now."""
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_dev, about.st_ino
