"""A ledger that moves is usable in one place, whatever stops on the way or is lost after it."""

import pytest

from ledger_world import audited, following, lines_in, who_writes
from sfumato.errors import LedgerError
from sfumato.ledger import Ledger
from sfumato.ledger.kept_head import note_file


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with Ledger.create(tmp_path / "a.db") as ledger:
        ledger.grant("clinic", epsilon=3, reason="board")
    return tmp_path


def moved(start, end):
    with Ledger(start) as ledger:
        ledger.move(end)


def test_the_old_place_is_for_reading_and_a_second_move_changes_nothing(place):
    moved(place / "a.db", place / "b.db")
    before = (place / "b.db").read_bytes()
    moved(place / "a.db", place / "b.db")
    assert (place / "b.db").read_bytes() == before
    with Ledger(place / "a.db") as ledger, pytest.raises(LedgerError, match="was moved to"):
        ledger.grant("clinic", epsilon=1, reason="board")
    with pytest.raises(LedgerError, match="was moved to"):
        moved(place / "a.db", place / "c.db")
    assert not (place / "c.db").exists()


def test_a_new_place_that_is_gone_after_it_was_used_is_not_made_again(place):
    moved(place / "a.db", place / "b.db")
    with Ledger(place / "b.db") as ledger:
        ledger.grant("clinic", epsilon=1, reason="board")
    moved(place / "b.db", place / "c.db")
    with Ledger(place / "c.db") as ledger:
        ledger.grant("clinic", epsilon=1, reason="board")
    (place / "b.db").unlink()  # it was for reading alone
    with pytest.raises(LedgerError, match=r"used there up to event \d+, which is missing"):
        moved(place / "a.db", place / "b.db")
    assert not (place / "b.db").exists()
    with Ledger(place / "c.db") as ledger:
        ledger.grant("clinic", epsilon=1, reason="board")
        remembered = note_file(ledger.ledger_id)
    remembered.unlink()  # as the refusal says, by somebody who has lost all of the others
    moved(place / "a.db", place / "b.db")


def test_a_request_is_not_approved_where_names_are_those_of_another_place(tmp_path):
    """A person has one name in a database, and another on the machine that a file lies on."""
    with Ledger.create(tmp_path / "strict.db", two_people=True) as strict:
        with who_writes("anna"):
            number = strict.request("adult", epsilon=2, reason="for the board")
        strict.move(tmp_path / "elsewhere.db")
    with Ledger(tmp_path / "elsewhere.db") as ledger, who_writes("bert"):
        with pytest.raises(LedgerError, match="made where this ledger was before"):
            ledger.approve(number, reason="the board agreed")
        lines = [line for line, _ in lines_in(ledger)]
        forged = following(
            lines,
            "approve",
            "adult",
            amount=lines[number - 1].amount,
            other=str(number),
            detail='{"reason":"x"}',
            who="bert",
        )
        with pytest.raises(LedgerError, match="or by a name of another place"):
            audited([*lines, forged._replace(clock=lines[-1].clock)], ledger.ledger_id)
        ledger.decline(number, reason="ask again")
        ledger.verify()
