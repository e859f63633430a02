"""Ledger: inspections are counted, cost nothing, and give an older file today's rules at once."""

import json
import os
import sqlite3
from pathlib import Path

import pytest

from killing import (
    CAN_TRACE,
    SYNCS,
    WRITES,
    in_child,
    kill_at_every_line,
    kill_at_every_syscall,
    quick_folder,
    trace,
)
from ledger_world import ABOUT
from sfumato.errors import BudgetError, LedgerError, ParameterError
from sfumato.privacy import ledger_schema
from sfumato.privacy.budget import Charge
from sfumato.privacy.chain import hash_of
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.ledger import Ledger
from sfumato.privacy.ledger_schema import expected_structure
from sfumato.privacy.ledger_sql import every_line, insert

OLDER = (Path(__file__).parent / "ledger_format_1.sql").read_text("utf-8")
OLDER_HEAD = "f475c780fa14d4b43b18adc583dcd39aba6e4230fc9239c919ab65a75217db18"
FILES = tuple(f"privacy/ledger{part}.py" for part in ("", "_audit", "_rules", "_schema", "_sql"))


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


@pytest.fixture(params=[1, 2], ids=["format 1", "format 2"])
def path(request, folder):
    """A ledger with a published release of `adult`, of either format."""
    path = folder / "budget.db"
    made_earlier(path)
    if request.param == 2:
        with Ledger(path) as ledger:
            ledger.inspect("clinic", what="a first look")
    return path


@pytest.fixture
def tracing():
    if not CAN_TRACE:
        pytest.skip("system calls are traced on Linux x86-64 only")
    try:
        trace(lambda: None)
    except OSError as error:
        pytest.skip(f"this host forbids tracing a child: {error}")


def format_of(path):
    connection = sqlite3.connect(path)
    try:
        return ledger_schema.format_of(connection)
    finally:
        connection.close()


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
    before = format_of(path)
    with Ledger(path) as ledger:
        head = ledger.head
        with pytest.raises(refusal, match=message):
            ledger.inspect(dataset, release=release, what=what)
        assert ledger.head == head
    assert format_of(path) == before


# An older ledger


def test_an_older_ledger_opens_publishes_and_keeps_its_format(older):
    with Ledger(older) as ledger:
        assert ledger.head == OLDER_HEAD
        ledger.reserve("new", "adult", PureDP("0.5"), plan="c0ffee00", protects=ABOUT)
        ledger.draw("new", None)
        ledger.settle("new", "0123456789abcdef")
        assert ledger.inspections("adult") == {}
        assert ledger.balance("adult").spent == Charge(2_000_000)
    assert format_of(older) == 1


def test_the_first_inspection_gives_it_the_rules_of_a_new_one_and_keeps_every_line(older):
    with Ledger(older) as ledger:
        before = list(every_line(ledger._connection))
        ledger.inspect("adult", release="published", what="inspection")
        after = list(every_line(ledger._connection))
    assert after[:-1] == before
    assert format_of(older) == 2
    connection = sqlite3.connect(older)
    assert ledger_schema.structure(connection) == expected_structure()
    connection.close()


def test_a_program_that_knows_format_1_only_refuses_it_afterwards(older, monkeypatch):
    with Ledger(older) as ledger:
        ledger.inspect("adult", what="inspection")
    monkeypatch.setattr("sfumato.privacy.ledger_file.FORMAT", 1)
    before = older.read_bytes()
    with pytest.raises(LedgerError, match=r"newer Sfumato.*format 2, this one knows 1"):
        Ledger(older)
    assert older.read_bytes() == before


def test_another_process_that_had_it_open_goes_on_and_sees_the_new_line(older):
    with Ledger(older) as one, Ledger(older) as other:
        one.inspect("adult", what="inspection")
        other.reserve("new", "adult", PureDP("0.5"), plan="c0ffee00", protects=ABOUT)
        assert other.inspections("adult") == {None: 1}
        assert one.entry("new").state == "reserved"
        assert other.verify() == one.head


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
            with pytest.raises(LedgerError, match=r"newer Sfumato \(format 3, this one knows 2\)"):
                step()
        assert ledger.entry("new") is None
    assert format_of(path) == ledger_schema.FORMAT + 1


def test_rules_of_one_format_under_the_number_of_another_are_refused(older):
    editor = sqlite3.connect(older)
    editor.execute("PRAGMA user_version = 2")
    editor.close()
    with pytest.raises(LedgerError, match="its rules were changed"):
        Ledger(older)


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
            seen.add((format_of(path), ledger.inspections("adult").get("published", 0)))

    def prepare():
        for file in path.parent.iterdir():
            file.unlink()
        made_earlier(path)

    return seen, (action, check, prepare)


def test_killed_at_any_line_an_inspection_is_counted_once_or_not_at_all(older):
    seen, (action, check, prepare) = killing(older, lambda: once(older))
    survived = kill_at_every_line(action, FILES, check, prepare, stride=7)
    assert survived > 100
    assert seen == {(1, 0), (2, 1)}  # new rules without the line, or the line without, never


def test_killed_at_any_system_call_an_inspection_is_counted_once_or_not_at_all(older, tracing):
    seen, (action, check, prepare) = killing(older, lambda: once(older))
    survived = kill_at_every_syscall(action, check, prepare, stride=3)
    assert survived > 20
    assert seen == {(1, 0), (2, 1)}


def test_the_killing_itself_finds_an_upgrade_outside_the_transaction(older):
    def hasty():
        with Ledger(older) as ledger:
            ledger_schema.upgrade(ledger._connection)
            ledger.inspect("adult", release="published", what="inspection")

    seen, (action, check, prepare) = killing(older, hasty)
    with pytest.raises(LedgerError, match="damaged"):
        kill_at_every_line(action, FILES, check, prepare, stride=11)
    assert seen != {(1, 0), (2, 1)}


def test_an_inspection_is_synced_after_its_last_write_and_before_it_returns(path, tracing):
    def inspect(synchronous):
        ledger = Ledger(path)
        ledger._connection.execute(f"PRAGMA synchronous = {synchronous}")
        ledger.inspect("adult", what="inspection")
        os._exit(0)  # before closing, which syncs as well

    def last_is_a_sync(synchronous):
        _, stops = trace(lambda: inspect(synchronous))
        return [call for call in stops if call in WRITES | SYNCS][-1] in SYNCS

    assert last_is_a_sync("FULL")
    assert not last_is_a_sync("NORMAL")


def test_many_processes_at_once_are_all_counted_and_upgrade_once(older):
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
        ({"micro_epsilon": 1}, "an inspection costs something"),
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
