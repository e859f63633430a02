"""Checkpoints: what opening checks of a long history, and what only `verify` does."""

import re
import secrets
import sqlite3

import pytest

from ledger_world import ABOUT, PLAN, forget_heads, lines_in
from sfumato.errors import BudgetError, LedgerError
from sfumato.ledger import Ledger
from sfumato.ledger import session as ledger_session
from sfumato.privacy.guarantee import PureDP


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A history with checkpoints after every twenty lines, and a few lines after the last."""
    monkeypatch.setattr(ledger_session, "CHECKPOINT", 20)
    path = tmp_path / "budget.db"
    with Ledger.create(path) as ledger:
        for name in ("quiet", "busy"):
            ledger.grant(name, PureDP(9), reason="approved")
        ledger.reserve("q", "quiet", PureDP(5), plan=PLAN, protects=ABOUT)
        ledger.reserve("left", "quiet", PureDP(1), plan=PLAN, protects=ABOUT)
        ledger.draw("q", b"fingerprint of the data")
        for i in range(20):
            ledger.reserve(f"r{i}", "busy", PureDP("0.1"), plan=PLAN, protects=ABOUT)
            ledger.draw(f"r{i}", None)
            ledger.settle(f"r{i}", "0123456789abcdef")
        ledger.reserve("last", "busy", PureDP("0.1"), plan=PLAN, protects=ABOUT)
    return path


def kinds(ledger):
    return [event.kind for event, _ in lines_in(ledger)]


def test_checkpoints_stand_in_the_chain_and_change_no_balance(path):
    with Ledger(path) as ledger:
        found = kinds(ledger)
        assert [i for i, kind in enumerate(found, 1) if kind == "checkpoint"] == [21, 42, 63]
        assert ledger.balance("busy").spent.micro_epsilon == 2_100_000
        assert ledger.datasets() == ["busy", "quiet"]
        assert {entry.release for entry in ledger.unfinished()} == {"q", "left", "last"}
        ledger.verify()


def test_steps_after_a_checkpoint_know_what_came_before_it(path):
    with Ledger(path) as ledger:
        ledger.refund("left", reason="stopped")
        ledger.settle("q", "0123456789abcdef")
        with pytest.raises(BudgetError, match="already known as 'quiet'"):
            ledger.draw("last", b"fingerprint of the data")
        ledger.allow("quiet", "busy", "the same people")
        ledger.draw("last", b"fingerprint of the data")
        ledger.go_on("q", 1, plan=PLAN)
    with Ledger(path) as again:
        assert again.balance("quiet").spent.micro_epsilon == 5_000_000
        again.verify()


def edited(path, statement):
    editor = sqlite3.connect(path, isolation_level=None)
    triggers = editor.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    kept = triggers.fetchall()
    for name, _ in kept:
        editor.execute(f"DROP TRIGGER {name}")
    editor.execute(statement)
    for _, text in kept:
        editor.execute(text)
    editor.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET spent_micro_epsilon = 0 WHERE dataset = 'quiet'",
        "UPDATE event SET hash = 'forged' WHERE sequence = 6",
        "DELETE FROM event WHERE dataset = 'quiet' AND kind = 'draw'",
        "UPDATE event SET detail = '{}' WHERE kind = 'checkpoint'",
        "UPDATE event SET clock = 0 WHERE sequence > 63",
        "DELETE FROM event WHERE sequence = 63",
    ],
)
def test_an_edit_that_a_balance_rests_on_is_refused_at_opening(path, statement):
    edited(path, statement)
    with pytest.raises(LedgerError, match="damaged"), Ledger(path) as ledger:
        ledger.reserve("new", "quiet", PureDP(1), plan=PLAN, protects=ABOUT)


def test_an_edit_of_an_old_line_is_found_by_verify(path):
    edited(path, "UPDATE event SET clock = 0 WHERE sequence = 10")
    with Ledger(path) as ledger, pytest.raises(LedgerError, match="at event 10 the line was"):
        ledger.verify()


def test_releases_under_way_that_the_lines_do_not_tell_of_are_found_by_verify(path):
    edited(path, "UPDATE unfinished SET drawn = 0")
    with Ledger(path) as ledger, pytest.raises(LedgerError, match="its unfinished releases"):
        ledger.verify()


def test_a_flip_in_an_index_never_gives_an_older_balance(path):
    """Every place where the quiet account is named, in table and indexes, one bit at a time."""
    whole = path.read_bytes()
    places = [found.start() for found in re.finditer(b"quiet", whole)]
    assert len(places) > 10
    refused = 0
    for place in places:
        for bit in range(8):
            damaged = bytearray(whole)
            damaged[place + 2] ^= 1 << bit
            path.write_bytes(damaged)
            forget_heads()
            try:
                with Ledger(path) as ledger:
                    spent = ledger.balance("quiet").spent.micro_epsilon
            except LedgerError:
                refused += 1
            else:
                assert spent == 6_000_000
    assert refused > 10


def test_a_checkpoint_is_written_only_over_lines_that_were_audited(path):
    with Ledger(path) as ledger:
        edited(path, "UPDATE event SET clock = 0 WHERE sequence = 64")
        ledger._known = None
        for i in range(82 - len(kinds(ledger))):  # the next checkpoint is due at event 83
            ledger.grant("busy", PureDP(1), reason=f"again {i}")
        with pytest.raises(LedgerError, match="damaged"):
            ledger.grant("busy", PureDP(1), reason="one too many")
        assert kinds(ledger).count("checkpoint") == 3


def test_where_there_are_many_accounts_checkpoints_are_as_many_lines_apart(tmp_path, monkeypatch):
    monkeypatch.setattr(ledger_session, "CHECKPOINT", 5)
    with Ledger.create(tmp_path / "many.db") as ledger:
        for _ in range(60):
            ledger.grant(secrets.token_hex(8), PureDP(1), reason="approved")
        found = [i for i, kind in enumerate(kinds(ledger), 1) if kind == "checkpoint"]
        assert found == [6, 12, 22, 41]
        ledger.verify()
