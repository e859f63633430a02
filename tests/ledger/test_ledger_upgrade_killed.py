"""A ledger of an older format that is killed while it gets today's rules: all of them, or none.

Whenever it is killed, whoever publishes finds the key: in the old file, or in the file of its own.
"""

import sqlite3
from pathlib import Path

import pytest

from killing import (
    kill_at_every_change,
    kill_at_every_line,
    kill_at_every_syscall,
    quick_folder,
)
from ledger_world import forget_heads
from sfumato.errors import LedgerError
from sfumato.ledger import Ledger
from sfumato.ledger.sqlite import upgrade as ledger_upgrade
from sfumato.ledger.sqlite.tables import FORMAT, format_of
from slowness import slow

pytestmark = pytest.mark.long  # kills

FILES = tuple(
    f"sfumato/ledger/{part}.py" for part in ("sqlite/upgrade", "sqlite/backend", "fingerprint_key")
)


class Older:
    """A file of an older format, and what must hold of it after every kill."""

    def __init__(self, folder, number):
        self.number, self.path = number, folder / "budget.db"
        self.text = (Path(__file__).parent / f"ledger_format_{number}.sql").read_text("utf-8")
        self.seen = set()
        self.prepare()
        self.head, self.lines, self.key = self.look()[1:]

    def prepare(self):
        for file in self.path.parent.iterdir():
            file.unlink()
        forget_heads()
        connection = sqlite3.connect(self.path)
        connection.executescript(self.text)
        if self.number < 3:
            connection.execute("PRAGMA journal_mode = WAL")
        connection.close()

    def look(self):
        """Format, last hash, number of lines and key, as they lie there: without the ledger."""
        connection = sqlite3.connect(self.path)
        try:
            format = format_of(connection)
            *_, (head, lines) = connection.execute("SELECT hash, sequence FROM event")
            if format < FORMAT:
                (key,) = connection.execute("SELECT fingerprint_key FROM identity").fetchone()
            else:
                key = self.path.with_name("budget.db.key").read_bytes()
        finally:
            connection.close()
        return format, head, lines, key

    def check(self, _):
        format, head, lines, key = self.look()
        assert (head, lines) == (self.head, self.lines)
        assert self.key == key or self.key.hex().encode() in key
        self.seen.add(format)
        with Ledger(self.path) as ledger:
            ledger.verify(head=self.head)
            assert ledger.fingerprint_key == self.key
        assert {file.name for file in self.path.parent.iterdir()} == {"budget.db", "budget.db.key"}
        assert self.key not in self.path.read_bytes()

    def upgrade(self):
        Ledger(self.path).close()


@pytest.fixture
def folder():
    with quick_folder() as name:
        yield Path(name)


@pytest.fixture(params=[1, 5], ids=["format 1", "format 5"])
def older(request, folder):
    return Older(folder, request.param)


@pytest.mark.parametrize("stride", [15, slow(2)])
def test_killed_at_any_line_it_is_as_it_was_or_has_the_new_rules(older, stride):
    action = older.upgrade, FILES, older.check, older.prepare
    assert kill_at_every_line(*action, stride=stride) > 90
    assert older.seen == {older.number, FORMAT}


def test_killed_at_a_system_call_it_is_as_it_was_or_has_the_new_rules(older, tracing):
    assert kill_at_every_syscall(older.upgrade, older.check, older.prepare, stride=23) > 20
    assert older.seen == {older.number, FORMAT}


@pytest.mark.slow
def test_killed_anywhere_it_is_as_it_was_or_has_the_new_rules(older, tracing, state_folder):
    within = older.path.parent, state_folder
    assert kill_at_every_change(older.upgrade, older.check, older.prepare, within) > 10
    assert older.seen == {older.number, FORMAT}


@pytest.mark.slow
def test_the_killing_itself_finds_an_upgrade_outside_the_transaction(
    older, tracing, state_folder, monkeypatch
):
    class Hasty:
        """A connection that commits every statement by itself."""

        def __init__(self, connection):
            self._connection = connection

        def execute(self, statement, *values):
            ends = statement in ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")
            return self._connection.execute("SELECT 1" if ends else statement, *values)

    def hasty():
        upgrade = ledger_upgrade.upgrade
        monkeypatch.setattr(
            "sfumato.ledger.sqlite.backend.upgrade",
            lambda connection, where: upgrade(Hasty(connection), where),
        )
        older.upgrade()

    with pytest.raises((LedgerError, sqlite3.OperationalError)):
        kill_at_every_change(hasty, older.check, older.prepare, (older.path.parent, state_folder))


@pytest.mark.slow
def test_the_killing_itself_finds_a_key_that_is_written_after_the_commit(older, monkeypatch):
    write, kept = ledger_upgrade.write_key, []

    def late():
        monkeypatch.setattr(ledger_upgrade, "write_key", lambda *said: kept.append(said))
        older.upgrade()
        write(*kept[0])

    with pytest.raises((LedgerError, FileNotFoundError)):
        kill_at_every_line(late, (*FILES, "test_ledger_upgrade_killed.py"), older.check,
                           older.prepare, stride=2)  # fmt: skip
