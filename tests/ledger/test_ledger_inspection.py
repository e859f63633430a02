"""Ledger: inspections are counted and cost nothing."""

import json
import os
import sqlite3
from pathlib import Path

import pytest

from killing import (
    REMOVALS,
    SYNCS,
    WRITES,
    in_child,
    kill_at_every_change,
    quick_folder,
    trace,
)
from ledger_world import ABOUT, connection_of, forget_heads
from sfumato.errors import BudgetError, LedgerError, ParameterError
from sfumato.ledger import Ledger
from sfumato.ledger.chain import hash_of
from sfumato.ledger.sql import every_line, insert
from sfumato.ledger.sqlite import tables as ledger_schema
from sfumato.ledger.sqlite.tables import expected_structure
from sfumato.privacy.guarantee import PureDP

pytestmark = pytest.mark.long  # kills and races

OLDER = (Path(__file__).parent / "ledger_format_1.sql").read_text("utf-8")
OLDER_HEAD = "f475c780fa14d4b43b18adc583dcd39aba6e4230fc9239c919ab65a75217db18"


def made_earlier(path):
    """A ledger that an earlier Sfumato left behind."""
    connection = sqlite3.connect(path)
    connection.executescript(OLDER)
    connection.close()


@pytest.fixture
def folder():
    with quick_folder() as name:
        yield Path(name)


@pytest.fixture
def older(folder):
    path = folder / "budget.db"
    made_earlier(path)
    return path


@pytest.fixture
def path(older):
    return older


# What is counted


def test_every_inspection_is_a_line_of_the_chain_and_costs_nothing(path):
    with Ledger(path) as ledger:
        head, before = ledger.head, ledger.balance("adult")
        ledger.inspect("adult", release="published", what="inspection")
        ledger.inspect("adult", what="comparison")
        ledger.inspect("adult", release="published", what="inspection")
        assert ledger.inspections("adult") == {"published": 2, None: 1}
        assert ledger.balance("adult") == before
        assert ledger.verify(head=head) != head
    with Ledger(path) as again:
        assert again.inspections("adult") == {"published": 2, None: 1}
        assert again.entry("published").state == "released"
        assert [entry.release for entry in again.unfinished("adult")] == ["drawn", "reserved"]


@pytest.mark.parametrize(
    ("dataset", "release", "refusal", "message"),
    [
        ("adult", "drawn", LedgerError, "is drawn, not published"),
        ("adult", "reserved", LedgerError, "is reserved, not published"),
        ("adult", "unheard of", LedgerError, "is not in this ledger"),
        ("clinic", "published", LedgerError, "of data set 'clinic' is not in this ledger"),
        ("nobody", None, BudgetError, "'nobody' has no budget"),
        ("adult", "published", ParameterError, "what must be one printable line"),
    ],
)
def test_what_was_never_published_is_not_inspected(path, dataset, release, refusal, message):
    what = "" if refusal is ParameterError else "inspection"
    with Ledger(path) as ledger:
        head = ledger.head
        with pytest.raises(refusal, match=message):
            ledger.inspect(dataset, release=release, what=what)
        assert ledger.head == head


def test_a_ledger_that_became_newer_while_open_is_neither_written_nor_brought_back(path):
    """As a program of this format meets one that a later Sfumato gave its own rules."""
    with Ledger(path) as ledger:
        editor = sqlite3.connect(path)
        editor.execute(f"PRAGMA user_version = {ledger_schema.FORMAT + 1}")
        editor.close()
        for step in (
            lambda: ledger.inspect("adult", what="inspection"),
            lambda: ledger.reserve("new", "adult", PureDP("0.5"), plan="c0ffee00", protects=ABOUT),
            ledger.verify,
        ):
            with pytest.raises(LedgerError, match=r"newer Sfumato \(format 8, this one knows 7\)"):
                step()
        assert ledger.entry("new") is None


# Killed anywhere, and on the disk before it counts


def once(path):
    with Ledger(path) as ledger:
        ledger.inspect("adult", release="published", what="inspection")


def killing(path, action):
    """What was seen after the kills, and what the killing needs."""
    seen = set()

    def check(_):
        with Ledger(path) as ledger:  # opening verifies the whole history
            ledger.verify(head=OLDER_HEAD)
            seen.add(ledger.inspections("adult").get("published", 0))

    def prepare():
        for file in path.parent.iterdir():
            file.unlink()
        forget_heads()
        made_earlier(path)

    return seen, (action, check, prepare)


@pytest.mark.slow
def test_killed_anywhere_an_inspection_is_counted_once_or_not_at_all(older, tracing, state_folder):
    seen, (action, check, prepare) = killing(older, lambda: once(older))
    assert kill_at_every_change(action, check, prepare, (older.parent, state_folder)) > 10
    assert seen == {0, 1}


def test_an_inspection_is_synced_after_its_last_write_and_before_it_returns(
    path, tracing, monkeypatch
):
    def inspect(synchronous):
        ledger = Ledger(path)
        connection_of(ledger).execute(f"PRAGMA synchronous = {synchronous}")
        ledger.inspect("adult", what="inspection")
        os._exit(0)  # before closing, which syncs as well

    def last_is_a_sync(synchronous):
        _, stops = trace(lambda: inspect(synchronous))
        return [call for call in stops if call in WRITES | SYNCS | REMOVALS][-1] in SYNCS

    # The note of the head comes after the commit and is no part of the promise.
    monkeypatch.setattr("sfumato.ledger.session.take_note", lambda *_: None)
    assert last_is_a_sync("EXTRA")
    assert not last_is_a_sync("FULL")  # a journal that comes back takes the charge back


@pytest.mark.slow
def test_many_processes_at_once_are_all_counted(older):
    children = []
    for _ in range(8):
        child = os.fork()
        if child == 0:
            os._exit(in_child(lambda: once(older)))
        children.append(child)
    assert {os.waitpid(child, 0)[1] for child in children} == {0}
    with Ledger(older) as ledger:
        assert ledger.inspections("adult") == {"published": 8}


# What the file and the auditor refuse


def forged(path, **changes):
    """Append an inspection with these columns, hashed as the writer would."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        *_, (last, head) = every_line(connection)
        of_adult = [event for event, _ in every_line(connection) if event.dataset == "adult"][-1]
        insert(
            connection,
            of_adult._replace(
                **{
                    "sequence": last.sequence + 1,
                    "kind": "inspect",
                    "release": "published",
                    "fingerprint": None,
                    "other": None,
                    "micro_epsilon": 0,
                    "detail": json.dumps({"what": "forged"}),
                    "previous": head,
                }
                | changes
            ),
        )
    finally:
        connection.close()


def test_the_table_refuses_inspections_of_what_was_never_released(older):
    once(older)
    for wrong in ({"release": "drawn"}, {"release": None, "dataset": "nobody"}):
        with pytest.raises(sqlite3.IntegrityError, match="never released"):
            forged(older, **wrong)
    forged(older)  # and nothing else was wrong with these lines
    with Ledger(older) as ledger:
        assert ledger.inspections("adult") == {"published": 2}


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"release": "drawn"}, "step of a release is out of order"),
        ({"release": None, "dataset": "nobody"}, "never granted anything"),
        ({"micro_epsilon": 1}, "costs something that is free"),
        ({"spent_micro_epsilon": 0}, "balance does not follow"),
        ({"dataset": "clinic"}, "names another data set"),
    ],
)
def test_the_auditor_refuses_a_forged_inspection(older, changes, fault):
    once(older)
    triggers = [name for kind, name, _ in expected_structure() if kind == "trigger"]
    editor = sqlite3.connect(older)
    for name in triggers:
        editor.execute(f"DROP TRIGGER {name}")
    editor.close()
    forged(older, **changes)
    editor = sqlite3.connect(older)
    for kind, _, text in expected_structure():
        if kind == "trigger":
            editor.execute(text)
    editor.close()
    with pytest.raises(LedgerError, match=fault):
        Ledger(older)


def test_a_changed_inspection_is_found(older):
    once(older)
    connection = sqlite3.connect(older)
    *_, (event, stored) = every_line(connection)
    connection.close()
    assert event.kind == "inspect"
    assert hash_of(event) == stored != hash_of(event._replace(release="drawn"))
