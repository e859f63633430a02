"""The last head that was seen is noted elsewhere, and a ledger that went back is refused."""

import json
import os

import pytest

from ledger_world import ABOUT, PLAN
from sfumato.errors import LedgerError
from sfumato.ledger import Ledger
from sfumato.ledger.kept_head import note_file, noted, take_note
from sfumato.privacy.guarantee import PureDP


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "budget.db"
    with Ledger.create(path) as ledger:
        ledger.grant("adult", PureDP(1), reason="approved")
    return path


def charge(path, release):
    with Ledger(path) as ledger:
        ledger.reserve(release, "adult", PureDP("0.4"), plan=PLAN, protects=ABOUT)
        return ledger.ledger_id, ledger.head


def test_yesterdays_copy_is_refused_once_today_was_seen(path):
    yesterday = path.read_bytes()
    ledger_id, head = charge(path, "r")
    assert noted(ledger_id) == (3, head)
    path.write_bytes(yesterday)
    with pytest.raises(
        LedgerError,
        match=rf"is older than when it was last used here: event 3 with head {head}.*remove",
    ) as told:
        Ledger(path)
    assert str(note_file(ledger_id)) in str(told.value)
    note_file(ledger_id).unlink()
    Ledger(path).close()


def test_a_copy_that_went_another_way_is_refused(path):
    copy = path.with_name("copy.db")
    copy.write_bytes(path.read_bytes())
    charge(path, "r")
    with pytest.raises(LedgerError, match="is older than when it was last used here"):
        charge(copy, "s")


def test_a_ledger_under_another_name_and_one_that_grew_elsewhere_are_taken(path, monkeypatch):
    charge(path, "r")
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("XDG_STATE_HOME", str(path.parent / "elsewhere"))
        charge(path, "s")
    moved = path.rename(path.with_name("moved.db"))
    with Ledger(moved) as ledger:
        assert ledger.balance("adult").releases == 2


def test_two_ledgers_are_told_apart(path, tmp_path):
    other = tmp_path / "other.db"
    Ledger.create(other).close()
    charge(path, "r")
    Ledger(other).close()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"line": "3", "head": 4}', "\x00"])
def test_a_note_that_cannot_be_read_is_no_note(path, content):
    ledger_id, head = charge(path, "r")
    note_file(ledger_id).write_text(content + "x" * 200)
    Ledger(path).close()
    assert noted(ledger_id) == (3, head)


def test_a_ledger_works_where_nothing_can_be_noted(path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/nowhere")
    ledger_id, _ = charge(path, "r")
    assert noted(ledger_id) is None


def test_a_note_is_for_its_owner_and_never_goes_back(path):
    ledger_id, head = charge(path, "r")
    take_note(ledger_id, 2, "0" * 64)
    note = note_file(ledger_id)
    assert json.loads(note.read_text()) == {"line": 3, "head": head}
    assert note.stat().st_mode & 0o777 == 0o600
    assert os.listdir(note.parent) == [note.name]  # noqa: PTH208
