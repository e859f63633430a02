"""Answers that were given, on the disk before anyone sees them.

A repeated id is answered from here: without a second draw, and without a second charge.  The
file holds what was sent out and nothing else: noisy answers and a digest of each question.
"""

import fcntl
import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import NamedTuple, Self

from sfumato.durable import flush
from sfumato.errors import LedgerError

__all__ = ["AnswerStore", "Stored", "seal"]

_APPLICATION = 0x53465141  # "SFQA"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answer (
    dataset TEXT NOT NULL,
    id TEXT NOT NULL,
    question TEXT NOT NULL,
    value REAL NOT NULL,
    release TEXT NOT NULL,
    PRIMARY KEY (dataset, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS answer_release ON answer (release);
"""
_WAIT = 30.0  # seconds for another process to finish its write
_FEW = 500  # SQLite limits the marks in a statement


class Stored(NamedTuple):
    """An answer under its id; `question` is the digest of what was asked."""

    id: str
    question: str
    value: float


class AnswerStore:
    """An open file of answers.  Safe between threads and processes.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, AnswerStore(f"{folder}/answers.db") as store:
    ...     store.add("words", {"answers-1": [Stored("a1b2c3d4", "c0ffee", 17.0)]})
    ...     store.find("words", ["a1b2c3d4", "unknown-"])
    {'a1b2c3d4': Stored(id='a1b2c3d4', question='c0ffee', value=17.0)}
    """

    def __init__(self, path: str | Path) -> None:
        self._path, self._lock = Path(path).resolve(), RLock()
        try:
            # Made here, so that SQLite gives its companions the same permissions.
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise LedgerError(f"answers {self._path} cannot be kept: {error.strerror}") from None
        self._connection = sqlite3.connect(
            self._path, timeout=_WAIT, isolation_level=None, check_same_thread=False
        )
        try:
            with self._using() as connection:
                self._claim(connection)
                connection.executescript(
                    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;"
                )
                connection.executescript(_SCHEMA)
        except BaseException:
            self._connection.close()
            raise
        flush(self._path.parent)
        # Beside the database, whose own locks are lost when another handle on it is closed.
        beside = self._path.with_name(f"{self._path.name}.open")
        self._turn = os.open(beside, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(self._turn, fcntl.LOCK_SH)

    def alone(self) -> bool:
        """Whether nobody else has these answers open."""
        try:
            fcntl.flock(self._turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        fcntl.flock(self._turn, fcntl.LOCK_SH)
        return True

    def _claim(self, connection: sqlite3.Connection) -> None:
        (found,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if found != _APPLICATION and (found or tables):
            raise LedgerError(f"{self._path} is a database of another program: name another file")
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")

    def find(self, dataset: str, ids: Sequence[str]) -> dict[str, Stored]:
        """The answers that were given under these ids."""
        found: dict[str, Stored] = {}
        with self._using() as connection:
            for start in range(0, len(ids), _FEW):
                some = ids[start : start + _FEW]
                marks = ", ".join("?" * len(some))
                query = (
                    "SELECT id, question, value FROM answer"  # noqa: S608  only marks
                    f" WHERE dataset = ? AND id IN ({marks})"
                )
                rows = connection.execute(query, (dataset, *some))
                found |= {row[0]: Stored(*row) for row in rows}
        return found

    def add(self, dataset: str, answers: Mapping[str, Iterable[Stored]]) -> None:
        """Keep what each release paid for; all of it on the disk before this returns, or nothing.

        An id that is there stays as it is.
        """
        rows = [(dataset, *one, release) for release, some in answers.items() for one in some]
        with self._using() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT OR IGNORE INTO answer VALUES (?, ?, ?, ?, ?)", rows)
            connection.execute("COMMIT")

    def of_release(self, release: str) -> list[Stored]:
        """The answers that one charge paid for."""
        query = "SELECT id, question, value FROM answer WHERE release = ? ORDER BY id"
        with self._using() as connection:
            return [Stored(*row) for row in connection.execute(query, (release,))]

    def count(self, dataset: str) -> int:
        """How many answers were ever given."""
        query = "SELECT count(*) FROM answer WHERE dataset = ?"
        with self._using() as connection:
            (found,) = connection.execute(query, (dataset,)).fetchone()
        return int(found)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()
            if self._turn >= 0:
                os.close(self._turn)
                self._turn = -1

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise LedgerError(f"answers {self._path}: SQLite says {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def seal(answers: Iterable[Stored]) -> str:
    """A digest of answers, as the ledger settles them."""
    lines = sorted(f"{a.id} {a.question} {a.value.hex()}" for a in answers)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
