"""An open ledger file: one write at a time on this host, every commit on the disk."""

import sqlite3
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from sfumato.errors import LedgerError
from sfumato.ledger.backend import Place
from sfumato.ledger.sqlite.connection import FileConnection
from sfumato.ledger.sqlite.file import explain, fatal, known_format, opened
from sfumato.ledger.sqlite.place import key_file, place_of
from sfumato.ledger.sqlite.tables import expected_structure, structure
from sfumato.ledger.sqlite.upgrade import upgrade

__all__ = ["LedgerFile"]


class LedgerFile:
    """A file of SQLite, opened."""

    by_hand = False  # whoever can write the file can change all of it

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, str(path)
        self.connection: FileConnection = opened(path)
        self._file = _inode(path)

    def ready(self) -> None:
        """Refused where another file bears the name now, or none: others write elsewhere."""
        if _inode(self.path) != self._file:
            raise LedgerError(
                f"ledger {self.path} was replaced or removed while open: open it again"
            )

    def read(self) -> None:
        """Begin to read all in one state."""
        self.connection.execute("BEGIN")

    def write(self, *, long: bool = False) -> None:  # noqa: ARG002  others wait so long
        """Begin to write, alone; refused where the rules are newer than this program."""
        self.connection.execute("BEGIN IMMEDIATE")
        known_format(self.connection, self.path)

    def commit(self) -> None:
        """What was written is on the disk when this returns."""
        self.connection.execute("COMMIT")

    def roll_back(self) -> None:
        """Forget what was begun."""
        with suppress(sqlite3.Error):
            self.connection.execute("ROLLBACK")

    def after_loss(self, sequence: int) -> str | None:  # noqa: ARG002  nothing is lost
        """Never called: the outcome of a commit to a file is known, or the disk has failed."""
        raise LedgerError(f"ledger {self.path}: open it again")

    def explain(self) -> AbstractContextManager[None]:
        """Turn SQLite's errors into a `LedgerError` that says what to do."""
        return explain(self.path)

    def fatal(self, error: BaseException) -> bool:
        """After a failed sync nobody knows what the disk holds: no second try here."""
        return fatal(error)

    def upgrade(self) -> None:
        """Bring the rules of an older format up to date."""
        upgrade(self.connection, self.path)

    def check_pages(self) -> None:
        """SQLite's own check of every page and index."""
        for (verdict,) in self.connection.execute("PRAGMA integrity_check").fetchall():
            if verdict != "ok":
                raise LedgerError(f"ledger {self.path} is damaged: {verdict}")

    def check_rules(self) -> None:
        """Refuse tables, indexes and triggers that are not as they were made."""
        known_format(self.connection, self.path)
        if structure(self.connection) != expected_structure():
            raise LedgerError(f"ledger {self.path} is damaged: its table definitions were changed")

    @property
    def place(self) -> Place:
        """What the file lies on, and what is to be said about that."""
        return place_of(self.path.parent)

    @property
    def key_file(self) -> str:
        """Beside the file."""
        return key_file(self.path)

    def close(self) -> None:
        """Let go of the file."""
        self.connection.close()


def _inode(path: Path) -> tuple[int, int] | None:
    """Which file bears the name now."""
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_dev, about.st_ino
