"""The history as people read it: every act has a day, a person, words and a reason."""

import json

import pytest

from ledger_world import ABOUT
from sfumato.errors import LedgerError
from sfumato.ledger import Ledger
from sfumato.ledger.history import _WORDS, act_of, said
from sfumato.ledger.sqlite.tables import EVENT_TABLE
from sfumato.privacy.guarantee import PureDP

TOKEN = "ab" * 32


@pytest.fixture
def ledger(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as made:
        made.grant("adult", epsilon=3, reason="the board, 4 May", until="2099-12-31")
        made.reserve("r1", "adult", PureDP(1), plan="c0ffee00", protects=ABOUT)
        made.draw("r1", None)
        made.settle("r1", "0123456789abcdef")
        made.inspect("adult", release="r1", what="utility of r1")
        made.reserve("r2", "adult", PureDP(1), plan="c0ffee00", protects=ABOUT)
        made.refund("r2", reason="stopped by hand")
        made.grant("other", epsilon=1, reason="another board")
        made.allow("other", "adult", reason="one table, two projects")
        made.add_client("adult", "anna", token=TOKEN, epsilon="0.5", reason="a study")
        made.revoke_client("adult", "anna", reason="the study ended")
        number = made.request("adult", epsilon=1, reason="a second wave")
        made.decline(number, reason="not this year")
        yield made


def test_each_act_says_when_who_what_and_why(ledger):
    acts = [act_of(line) for line in ledger.history("adult")]
    told = [(act.what, act.release or act.client or act.dataset, act.reason) for act in acts]
    assert told == [
        ("granted", "adult", "the board, 4 May"),
        ("charged", "r1", ""),
        ("noise drawn", "r1", ""),
        ("released", "r1", ""),
        ("looked at", "r1", "utility of r1"),
        ("charged", "r2", ""),
        ("refunded", "r2", "stopped by hand"),
        ("same data as", "other", "one table, two projects"),
        ("client may use", "anna", "a study"),
        ("client revoked", "anna", "the study ended"),
        ("asked for", "adult", "a second wave"),
        ("declined", "adult", "not this year"),
    ]
    assert {act.who for act in acts} == {act_of(ledger.history()[0]).who} != {""}
    assert all(act.when.startswith("20") and len(act.when) == 19 for act in acts)
    assert acts[0].about == "until 2099-12-31"
    assert [act.left for act in acts][:2] == ["epsilon 3", "epsilon 2"]


def test_every_kind_of_line_has_words():
    kinds = EVENT_TABLE.partition("kind IN (")[2].partition(")")[0]
    assert {kind.strip(" '\n") for kind in kinds.split(",")} == set(_WORDS)


def test_what_a_token_is_stored_as_does_not_appear(ledger):
    told = json.dumps([act_of(line).to_json() for line in ledger.history()])
    assert TOKEN not in told
    assert "anna" in told


def test_a_line_that_was_edited_is_not_shown(ledger):
    ledger._backend.connection.execute("DROP TRIGGER event_unchanged")
    ledger._backend.connection.execute("UPDATE event SET who = 'nobody' WHERE sequence = 2")
    for dataset in (None, "adult"):
        with pytest.raises(LedgerError, match="changed after it was written"):
            ledger.history(dataset)


def test_a_time_without_a_date_is_told_as_it_is():
    assert said(9 * 10**18) == "second 9000000000000000000 of 1970"
