"""The durable budget ledger: what may be spent on a data set, and what was.

Guarantee.  A charge is on the disk before `reserve` returns; no interleaving of processes
spends more than was granted; a crash wastes budget and never grants it; a release id is
charged once and draws noise once; changed, removed or rolled-back history is refused,
the last against a head hash kept elsewhere.  The proof page is docs/proofs/ledger.md.
Steps.  reserve (charged) → draw (noise begins) → settle (published); a reservation that
has not drawn can be refunded by a recorded act, a draw never.  An inspection is a line of
its own: it is counted and costs nothing.
Limits.  Whoever can write the file can rewrite all of it: only the kept head shows that.

>>> from tempfile import TemporaryDirectory
>>> from sfumato.privacy.guarantee import PureDP
>>> with TemporaryDirectory() as folder, Ledger.create(f"{folder}/budget.db") as ledger:
...     ledger.grant("adult", PureDP(3), reason="approved by the data board")
...     entry = ledger.reserve("adult-2026", "adult", PureDP(1), plan="c0ffee00")
...     ledger.draw(entry.release, None)
...     ledger.settle(entry.release, "0123456789abcdef")
...     print(ledger.entry(entry.release).state, "·", spell(ledger.balance("adult").left), "left")
released · epsilon 2 left
"""

import os
import secrets
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Self

from sfumato.errors import LedgerError, ParameterError
from sfumato.privacy.chain import (
    Balance,
    birth,
    genesis,
    line,
    spell,
)
from sfumato.privacy.guarantee import Guarantee, to_json
from sfumato.privacy.ledger_audit import replay
from sfumato.privacy.ledger_file import build, explain, fatal, fold, known_format, opened
from sfumato.privacy.ledger_rules import (
    Entry,
    affordable,
    digest_text,
    entry_of,
    grantable,
    inspectable,
    line_text,
    priced,
    renamed,
    require_state,
    same_request,
    unknown,
)
from sfumato.privacy.ledger_schema import expected_structure, structure, upgrade
from sfumato.privacy.ledger_sql import (
    append,
    balance_of,
    every_line,
    granted_datasets,
    hash_at,
    holds,
    identity,
    insert,
    inspections_of,
    last_line,
    lines_of,
    other_names,
    unfinished_releases,
)

__all__ = ["Balance", "Entry", "Ledger", "spell"]


class Ledger:
    """An open ledger file.  Safe between threads and processes; not carried over a fork."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path).resolve()
        self._lock, self._process, self._failed = RLock(), os.getpid(), False
        self._known: tuple[int, str] | None = None  # a line that must stay where it is
        self._connection: sqlite3.Connection | None = opened(self._path)
        try:
            self._file = _place(self._path)
            with self._session() as connection:
                self._id, self._key = identity(connection)
            self.verify()
        except BaseException:
            self.close()
            raise

    @classmethod
    def create(cls, path: str | Path) -> Self:
        """Make a new ledger, readable by its owner only, and open it."""
        ledger_id, key = secrets.token_hex(16), secrets.token_bytes(32)

        def fill(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT INTO identity VALUES (1, ?, ?)", (ledger_id, key))
            first, said = (0, genesis(ledger_id)), birth(ledger_id, key)
            insert(connection, line(first, Balance(), "create", "", said, clock=int(time.time())))

        build(Path(path).resolve(), fill)
        return cls(path)

    def grant(
        self, dataset: str, budget: Guarantee, *, reason: str, heuristic: bool = False
    ) -> None:
        """Add to a data set's budget, on the record; amounts round down to whole units.

        `heuristic` also allows releases that carry no guarantee; with the budget
        `Heuristic(…)` the grant allows them and nothing else.
        """
        line_text(dataset=dataset, reason=reason)
        with self._writing() as connection:
            balance = balance_of(connection, dataset) or Balance()
            amount = grantable(budget, heuristic=heuristic, balance=balance)
            said = {"reason": reason}
            append(connection, "grant", dataset, said, amount=amount, heuristic=heuristic)

    def reserve(self, release: str, dataset: str, guarantee: Guarantee, *, plan: str) -> Entry:
        """Charge the release; on the disk before this returns.

        The same request again returns the entry it has, without a second charge: its
        `state` says how far it came.
        """
        line_text(release=release, dataset=dataset)
        digest_text(plan=plan)
        amount = priced(guarantee)
        with self._writing() as connection:
            if steps := lines_of(connection, release):
                return same_request(entry_of(steps), dataset, guarantee, plan)
            balance = balance_of(connection, dataset)
            if balance is None:
                raise unknown(dataset)
            affordable(release, dataset, balance, amount)
            said = {"guarantee": to_json(guarantee), "plan": plan}
            event = append(connection, "reserve", dataset, said, release=release, amount=amount)
        return entry_of([event])

    def draw(self, release: str, fingerprint: bytes | None) -> None:
        """Record that noise is drawn from here on: once per release, whatever happens next.

        `fingerprint` (keyed with `fingerprint_key`) ties the data to the name of the data
        set; data known under another name is refused until `allow` has joined the two.
        """
        if fingerprint is not None and len(fingerprint) < 16:
            raise ParameterError("fingerprint must have at least 16 bytes, or be None")
        mark = None if fingerprint is None else fingerprint.hex()
        with self._writing() as connection:
            entry = require_state(_entry(connection, release), release, "draw")
            strangers = other_names(connection, mark, entry.dataset) if mark else []
            if strangers:
                raise renamed(strangers[0], entry.dataset)
            append(connection, "draw", entry.dataset, {}, release=release, fingerprint=mark)

    def settle(self, release: str, digest: str) -> None:
        """Record what was published; the same digest again changes nothing."""
        digest_text(digest=digest)
        with self._writing() as connection:
            entry = _entry(connection, release)
            if entry is not None and entry.state == "released" and entry.digest == digest:
                return
            entry = require_state(entry, release, "settle")
            append(connection, "settle", entry.dataset, {"digest": digest}, release=release)

    def refund(self, release: str, *, reason: str) -> None:
        """Give a reservation back, on the record; only while no noise was drawn."""
        line_text(reason=reason)
        with self._writing() as connection:
            entry = require_state(_entry(connection, release), release, "refund")
            said = {"reason": reason}
            append(connection, "refund", entry.dataset, said, release=release, amount=entry.charge)

    def allow(self, dataset: str, other: str, reason: str) -> None:
        """Record that two names stand for the same data; its people then bear both budgets."""
        line_text(dataset=dataset, other=other, reason=reason)
        if dataset == other:
            raise ParameterError("dataset and other must be two names")
        with self._writing() as connection:
            for name in (dataset, other):
                if balance_of(connection, name) is None:
                    raise unknown(name)
            append(connection, "same-data", dataset, {"reason": reason}, other=other)

    def inspect(self, dataset: str, *, release: str | None = None, what: str) -> None:
        """Record that somebody looks at the records without noise; on the disk before this returns.

        It costs nothing, because no figure bounds what is seen; it is counted, so that
        whoever judges a choice of methods knows how often it was looked.  `release` names the
        release that is looked at, which must be published; `what` says what is done.  The
        first line of this kind gives a ledger of format 1 the rules of format 2, for good.
        """
        line_text(dataset=dataset, what=what)
        with self._writing() as connection:
            if balance_of(connection, dataset) is None:
                raise unknown(dataset)
            if release is not None:
                inspectable(_entry(connection, release), release, dataset)
            before = last_line(connection)
            if upgrade(connection):
                replay(every_line(connection), self._id, self._key)
                if last_line(connection) != before:
                    raise LedgerError(f"ledger {self._path} was not upgraded: lines were lost")
            append(connection, "inspect", dataset, {"what": what}, release=release)

    def inspections(self, dataset: str) -> dict[str | None, int]:
        """How often each release was looked at; None stands for the records without one."""
        with self._session() as connection:
            return dict(Counter(event.release for event in inspections_of(connection, dataset)))

    def entry(self, release: str) -> Entry | None:
        """How far a release came, or None if the ledger never heard of it."""
        with self._session() as connection:
            return _entry(connection, release)

    def unfinished(self, dataset: str | None = None) -> list[Entry]:
        """Releases that were reserved and neither settled nor refunded, oldest first."""
        with self._session() as connection:
            names = unfinished_releases(connection, dataset)
            return [entry_of(lines_of(connection, name)) for name in names]

    def balance(self, dataset: str) -> Balance:
        """Granted, spent and left, in whole units."""
        with self._session() as connection:
            balance = balance_of(connection, dataset)
        if balance is None:
            raise unknown(dataset)
        return balance

    def datasets(self) -> list[str]:
        """The names that were ever granted anything."""
        with self._session() as connection:
            return granted_datasets(connection)

    def verify(self, *, head: str | None = None) -> str:
        """Check every page, rule, hash, balance and step; return the head to keep elsewhere.

        A `head` kept earlier must be in the chain: if not, this is a copy from before it, a
        shortened one, or one that went another way.
        """
        with self._session() as connection:
            connection.execute("BEGIN")
            for (verdict,) in connection.execute("PRAGMA integrity_check").fetchall():
                if verdict != "ok":
                    raise LedgerError(f"ledger {self._path} is damaged: {verdict}")
            if structure(connection) != expected_structure(known_format(connection, self._path)):
                raise LedgerError(f"ledger {self._path} is damaged: its rules were changed")
            current = replay(every_line(connection), self._id, self._key)
            self._recall(connection)
            kept = head is None or holds(connection, head.strip())
            self._known = last_line(connection)[0].sequence, current
            connection.execute("COMMIT")
        if not kept:
            raise LedgerError(
                f"the head you kept ({head}) is not in this ledger, whose head is {current}: the"
                " file is an older, shortened or diverged copy; do not publish from it"
            )
        return current

    @property
    def head(self) -> str:
        """The hash of the last event: it stands for the whole history."""
        with self._session() as connection:
            return last_line(connection)[1]

    @property
    def ledger_id(self) -> str:
        """A random public name."""
        return self._id

    @property
    def fingerprint_key(self) -> bytes:
        """SECRET: keys the fingerprints, so that nobody can guess a file and compare."""
        return self._key

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
            if _place(self._path) != self._file:
                raise LedgerError(f"{self._path} was replaced or removed while open: open it again")
            fold(connection, self._path)
            connection.execute("BEGIN IMMEDIATE")
            known_format(connection, self._path)
            self._recall(connection)
            yield connection
            event, head = last_line(connection)
            connection.execute("COMMIT")
            self._known = event.sequence, head

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

    def _recall(self, connection: sqlite3.Connection) -> None:
        """Refuse a history from which a line this process has seen is gone."""
        if self._known is not None and hash_at(connection, self._known[0]) != self._known[1]:
            raise LedgerError(
                f"ledger {self._path} lost history while open: do not publish from it"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Ledger({str(self._path)!r})"


def _place(path: Path) -> tuple[int, int] | None:
    """Which file bears the name now."""
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_dev, about.st_ino


def _entry(connection: sqlite3.Connection, release: str) -> Entry | None:
    steps = lines_of(connection, release)
    return entry_of(steps) if steps else None
