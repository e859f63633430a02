"""An open ledger: one transaction at a time, and the audit of what it holds.

Opening checks what came after the last checkpoint line by line, and what the checkpoint says of
all accounts before it; a short history has none and is checked whole.  `verify` always walks
from the first line on.  A checkpoint is written about every thousand lines, once the lines
since the one before have been audited.  Where others may write lines by hand, theirs is believed
as far as this user has audited himself, and what they added since is audited before a write.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from sfumato.errors import LedgerError
from sfumato.ledger.audit import Audit
from sfumato.ledger.backend import Backend, Connection, ConnectionLost, Place
from sfumato.ledger.chain import LedgerLine, genesis, hash_of, moved_to, summary
from sfumato.ledger.fingerprint_key import find_key, new_key_file
from sfumato.ledger.kept_head import note_file, noted, take_note
from sfumato.ledger.opening import opened
from sfumato.ledger.sql import (
    all_lines,
    append,
    committed_key,
    every_line,
    hash_at,
    history_of,
    holds,
    last_checkpoint,
    last_hash,
    last_hashes,
    last_line,
    ledger_id_of,
    unfinished_steps,
)

__all__ = ["LedgerSession"]

CHECKPOINT = 1_000  # lines after which the accounts are summed up; more where there are more


class LedgerSession:
    """A connection that is safe between threads and processes, and not carried over a fork."""

    def __init__(self, place: str | Path) -> None:
        self._lock, self._process, self._failed = RLock(), os.getpid(), False
        self._known: tuple[int, str] | None = None  # a line that must stay where it is
        self._key: tuple[str, bytes] | None = None  # what is committed to, and the key itself
        self._backend: Backend | None = None
        self._backend = opened(place)
        self.name = self._backend.name
        try:
            with self._session() as connection:
                self._backend.upgrade()
                self.ledger_id = ledger_id_of(connection)
                seen = noted(self.ledger_id)  # first: others may write and note it from here on
                self._backend.read()
                self._backend.check_rules()
                if seen is not None and hash_at(connection, seen[0]) == seen[1]:
                    self._known = seen
                if self._believed(connection) is None:
                    self._backend.check_pages()
                self._known = self._audited(connection)
                self._went_back(connection, seen)
                self._backend.commit()
            take_note(self.ledger_id, *self._known)
        except BaseException:
            self.close()
            raise

    @property
    def fingerprint_key(self) -> bytes:
        """The secret that fingerprints are keyed with: looked for when it is first needed."""
        with self._session() as connection:
            committed = committed_key(connection)
            if self._key is None or self._key[0] != committed:
                beside = self._opened().key_file
                self._key = committed, find_key(self.ledger_id, committed, beside)
            return self._key[1]

    @property
    def key_place(self) -> str:
        """The file in which the fingerprint key is looked for first."""
        with self._session():
            return new_key_file(self.ledger_id, self._opened().key_file)

    @property
    def gone_to(self) -> str | None:
        """Where this ledger was moved to; None while it is here."""
        with self._session() as connection:
            return moved_to(last_line(connection)[0])

    @property
    def place(self) -> Place:
        """What the ledger lies on, and what is to be said about that."""
        with self._session():
            return self._opened().place

    def history(self, dataset: str | None = None) -> list[LedgerLine]:
        """Every line about a data set, or about all: grants, charges, looks, decisions."""
        with self._session() as connection:
            return all_lines(connection) if dataset is None else history_of(connection, dataset)

    def export(self, file: str | Path, *, for_auditor: bool = False) -> int:
        """Write every line as text, which `check_export` audits; how many there are.

        For an auditor fingerprints are left out: no guess about the data can be tested with it.
        """
        from sfumato.ledger.export import export_lines

        with self._session() as connection:
            self._opened().read()
            try:
                handle = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            except OSError as error:
                raise LedgerError(f"{file} cannot be written: {error.strerror}") from None
            try:
                with os.fdopen(handle, "w", encoding="ascii") as out:
                    texts = export_lines(every_line(connection), for_auditor=for_auditor)
                    count = sum(1 for text in texts if out.write(text))
            except BaseException:
                Path(file).unlink(missing_ok=True)  # no half of a history
                raise
            self._opened().commit()
        return count

    def verify(self, *, head: str | None = None) -> str:
        """Check every page, rule, hash, balance and step; return the head to keep elsewhere.

        A `head` kept earlier must be in the chain: if not, this is a copy from before it, a
        shortened one, or one that went another way.
        """
        with self._session() as connection:
            backend = self._opened()
            backend.check_pages()
            audit = Audit(genesis(self.ledger_id))
            audit.walk(every_line(connection))  # others may write in the meantime
            backend.read()
            backend.check_rules()
            audit.walk(every_line(connection, audit.count))
            if audit.unfinished() != unfinished_steps(connection):
                raise LedgerError(
                    f"ledger {self.name} is damaged: its unfinished releases do not match its "
                    "history"
                )
            self._recall(connection)
            kept = head is None or holds(connection, head.strip())
            self._known = audit.count, audit.head
            backend.commit()
        take_note(self.ledger_id, *self._known)
        if not kept:
            raise LedgerError(
                f"the head you kept ({head}) is not in this ledger, whose head is {audit.head}: "
                "this is an older, shortened or diverged copy; do not publish from it"
            )
        return audit.head

    def close(self) -> None:
        """Let go of it.  In a forked child this does nothing: the parent owns it."""
        if self._process == os.getpid():
            with self._lock:
                if self._backend is not None:
                    self._backend.close()
                    self._backend = None

    def _opened(self) -> Backend:
        if self._backend is None:
            raise LedgerError("the ledger is closed: open it again")
        return self._backend

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """One write transaction: balances are read and the line is added under the same lock."""
        with self._session() as connection:
            backend = self._opened()
            backend.write()
            self._recall(connection)
            before, head = last_line(connection)
            if (where := moved_to(before)) is not None:
                raise _moved(self.name, where)
            self._catch_up(connection, before.sequence, head)
            yield connection
            self._commit(backend, self._sum_up(connection))

    @contextmanager
    def closing_for(
        self, place: str
    ) -> Iterator[tuple[Connection, Callable[[], tuple[LedgerLine, str]]]]:
        """Hold all writes while the lines are copied; what is given then closes the ledger.

        One that was closed for this very place before is only read.
        """
        with self._session() as connection:
            backend = self._opened()
            backend.write(long=True)
            self._recall(connection)
            last = last_line(connection)
            where = moved_to(last[0])
            if where not in (None, place):
                raise _moved(self.name, str(where))
            if where is not None:
                self._used_since(last[0].sequence, where)

            def close() -> tuple[LedgerLine, str]:
                if where is not None:
                    return last
                line = append(connection, "move", "", {"to": place})
                closed = line, hash_of(line)
                self._commit(backend, closed)
                return closed

            yield connection, close
            backend.roll_back()

    def _commit(self, backend: Backend, last: tuple[LedgerLine, str]) -> None:
        line, head = last
        try:
            backend.commit()
        except ConnectionLost:
            self._look_up(backend, line.sequence, head)
        self._known = line.sequence, head
        take_note(self.ledger_id, line.sequence, head)

    def _look_up(self, backend: Backend, sequence: int, head: str) -> None:
        """Whether a line whose acknowledgement was lost is there; its nonce tells it from all else.

        The transaction that was cut off has ended one way or the other when this is answered.
        """
        if backend.after_loss(sequence) != head:
            raise LedgerError(
                f"ledger {self.name}: the connection was lost before this was recorded, and "
                "nothing was: repeat it, under the same release id"
            )

    @contextmanager
    def _session(self) -> Iterator[Connection]:
        # Before the lock: a thread of the parent may have held it at the moment of the fork.
        if self._process != os.getpid():
            raise LedgerError("this ledger was opened before a fork: open it again in this process")
        with self._lock:
            backend = self._opened()
            with backend.explain():
                if self._failed:
                    raise LedgerError("an earlier read or write failed: open the ledger again")
                try:
                    backend.ready()
                    yield backend.connection
                except BaseException as error:
                    self._failed = backend.fatal(error)
                    backend.roll_back()
                    raise

    def _audited(self, connection: Connection) -> tuple[int, str]:
        """The last line, once all since the last checkpoint were checked, and that one itself."""
        point = self._believed(connection)
        if point is None:
            audit = Audit(genesis(self.ledger_id))
        else:
            if point.detail != summary(last_hashes(connection, point.sequence)):
                raise LedgerError(
                    f"ledger {self.name} is damaged: its balances do not match the checkpoint at "
                    f"event {point.sequence}"
                )
            audit = Audit(hash_of(point), since=point.sequence, past=connection)
        audit.walk(every_line(connection, audit.count))
        if audit.count == 0:
            raise LedgerError("the ledger is damaged: its first event is missing")
        for dataset, stored in audit.hashes.items():
            if last_hash(connection, dataset) != stored:
                raise LedgerError(
                    f"ledger {self.name} is damaged: an index does not match its table"
                )
        return audit.count, audit.head

    def _believed(self, connection: Connection) -> LedgerLine | None:
        """The newest checkpoint that sums up what was audited, not what its writer wants."""
        if not self._opened().by_hand:
            return last_checkpoint(connection)
        return last_checkpoint(connection, 0 if self._known is None else self._known[0])

    def _catch_up(self, connection: Connection, last: int, head: str) -> None:
        """Audit what others added since this session last wrote or opened."""
        if self._opened().by_hand and self._known is not None and last > self._known[0]:
            audit = Audit(self._known[1], since=self._known[0], past=connection)
            audit.walk(every_line(connection, self._known[0]))
            self._known = last, head

    def _sum_up(self, connection: Connection) -> tuple[LedgerLine, str]:
        """Write a checkpoint where one is due; the last line then."""
        point, (last, head) = self._believed(connection), last_line(connection)
        since, accounts = (0, 0)
        if point is not None:
            since, accounts = point.sequence, int(json.loads(point.detail)["accounts"])
        if last.sequence - since >= max(CHECKPOINT, accounts):
            self._audited(connection)
            said = json.loads(summary(last_hashes(connection)))
            line = append(connection, "checkpoint", "", said)
            return line, hash_of(line)
        return last, head

    def _recall(self, connection: Connection) -> None:
        """Refuse a history from which a line this process has seen is gone."""
        if self._known is not None and hash_at(connection, self._known[0]) != self._known[1]:
            raise LedgerError(f"ledger {self.name} lost history while open: do not publish from it")

    def _used_since(self, closed: int, where: str) -> None:
        """Refuse to open a second time, from a closed ledger, what is in use at the other place."""
        seen = noted(self.ledger_id)
        if seen is not None and seen[0] > closed:
            raise LedgerError(
                f"ledger {self.name} was moved to {where}, and used there up to event {seen[0]}, "
                "which is missing here: find it there, or a copy of it. If there is none, all that "
                "was published since is missing from its budgets; to go on from here anyway, "
                f"remove {note_file(self.ledger_id)}"
            )

    def _went_back(self, connection: Connection, seen: tuple[int, str] | None) -> None:
        """Refuse a ledger from which a line is gone that was seen when it was last used here."""
        if moved_to(last_line(connection)[0]) is not None:
            return  # closed: nothing can be charged to it
        if seen is not None and hash_at(connection, seen[0]) != seen[1]:
            raise LedgerError(
                f"ledger {self.name} is older than when it was last used here: event {seen[0]} "
                f"with head {seen[1]} is missing. This is an older, shortened or diverged copy: "
                "find the newer one. If there is none, all that was published since is missing "
                f"from its budgets; to use it anyway, remove {note_file(self.ledger_id)}"
            )


def _moved(name: str, where: str) -> LedgerError:
    return LedgerError(
        f"ledger {name} was moved to {where}: use it there, this copy is for reading alone"
    )
