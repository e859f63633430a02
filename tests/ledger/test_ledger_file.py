"""The ledger's file: who may read it, where it may lie, what its tables refuse by themselves."""

import os
import sqlite3
import stat
import time

import pytest

from ledger_world import ABOUT, at_time, connection_of
from sfumato.errors import LedgerError
from sfumato.ledger import Ledger
from sfumato.ledger.history import act_of
from sfumato.ledger.sqlite import file as ledger_file
from sfumato.privacy.guarantee import PureDP

PLAN, DIGEST = "c0ffee00", "0123456789abcdef"
MICRO = PureDP("0.000001")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "budget.db"


@pytest.fixture
def ledger(path):
    with Ledger.create(path) as ledger:
        ledger.grant("adult", PureDP(3), reason="approved")
        yield ledger


def brought_to(ledger, state, release):
    ledger.reserve(release, "adult", PureDP(1), plan=PLAN, protects=ABOUT)
    if state == "drawn":
        ledger.draw(release, None)


def test_the_ledger_is_for_its_owner_only_and_every_commit_is_synced(ledger, path):
    with ledger._writing() as connection:  # while there is a journal
        connection.execute("UPDATE unfinished SET drawn = drawn")
        for file in path.parent.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
    settings_now = {
        name: connection_of(ledger).execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous")
    }
    assert settings_now == {"journal_mode": "delete", "synchronous": 3}
    assert {file.name for file in path.parent.iterdir()} == {"budget.db", "budget.db.key"}


@pytest.mark.parametrize("in_the_way", ["budget.db", "budget.db-journal", "budget.db-wal"])
def test_a_ledger_is_never_made_over_anything(path, in_the_way):
    obstacle = path.with_name(in_the_way)
    obstacle.write_bytes(b"something of value")
    with pytest.raises(LedgerError, match=f"{in_the_way} exists"):
        Ledger.create(path)
    assert obstacle.read_bytes() == b"something of value"
    assert list(path.parent.iterdir()) == [obstacle]


def test_a_place_that_cannot_hold_a_ledger_is_refused(tmp_path, monkeypatch):
    with pytest.raises(LedgerError, match="there is no folder"):
        Ledger.create(tmp_path / "missing" / "budget.db")
    with pytest.raises(LedgerError, match="cannot be made: File name too long"):
        Ledger.create(tmp_path / ("x" * 300))
    with pytest.raises(LedgerError, match="cannot be opened: File name too long"):
        Ledger(tmp_path / ("x" * 300))
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    with pytest.raises(LedgerError, match=r"needs SQLite 3\.37"):
        Ledger.create(tmp_path / "budget.db")
    assert list(tmp_path.iterdir()) == []


def test_a_creation_that_fails_leaves_nothing_behind(path, monkeypatch):
    monkeypatch.setattr(ledger_file, "EVENT_RULES", ["CREATE NONSENSE"])
    with pytest.raises(LedgerError, match="syntax error"):
        Ledger.create(path)
    assert list(path.parent.iterdir()) == []


def make_foreign(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE treasure (value)")
    connection.close()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "there is no ledger at.*sfumato ledger create"),
        (lambda path: path.mkdir(), "not a file"),
        (lambda path: path.touch(), "is empty: remove it"),
        (lambda path: path.write_text("age,income\n" * 100), "not a ledger"),
        (make_foreign, "database of another program"),
    ],
    ids=["missing", "folder", "empty", "text", "foreign"],
)
def test_what_is_no_ledger_is_refused_and_left_as_it_was(path, make, message):
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(LedgerError, match=message):
        Ledger(path)
    assert (path.read_bytes() if path.is_file() else None) == before


def test_a_second_name_for_the_file_is_refused_and_a_symbolic_link_is_followed(ledger, path):
    ledger.close()
    link = path.with_name("link.db")
    link.symlink_to(path)
    with Ledger(link) as linked:
        linked.reserve("r", "adult", MICRO, plan=PLAN, protects=ABOUT)
    os.link(path, path.with_name("twin.db"))
    with pytest.raises(LedgerError, match="second name"):
        Ledger(path)


def test_a_closed_ledger_says_so(ledger):
    ledger.close()
    ledger.close()
    with pytest.raises(LedgerError, match="closed"):
        ledger.balance("adult")


FORGED = "INSERT INTO event SELECT sequence + 1, {kind}, dataset, {release}, {fingerprint}, NULL, NULL, 0, 0, 0, 0, granted_micro_epsilon, 0, 0, {spent}, 0, 0, releases, unproved, allowed, {protects}, {parts}, {who}, '{{}}', {clock}, {nonce}, hash, 'forged' FROM event ORDER BY sequence DESC LIMIT 1"  # noqa: E501


def forged(kind, release="NULL", spent=0, **changes):
    columns = {name: name for name in ("protects", "parts", "who", "clock", "nonce")}
    columns |= {"fingerprint": "NULL"} | changes
    return FORGED.format(kind=kind, release=release, spent=spent, **columns)


@pytest.mark.parametrize(
    ("statement", "rule"),
    [
        ("UPDATE event SET spent_micro_epsilon = 0", "append-only"),
        ("DELETE FROM event WHERE sequence = 5", "append-only"),
        ("UPDATE event SET detail = '{}' WHERE kind = 'create'", "append-only"),
        ("DELETE FROM event WHERE kind = 'create'", "append-only"),
        ("REPLACE INTO event SELECT * FROM event WHERE sequence = 2", "protects one unit"),
        ("REPLACE INTO event SELECT * FROM event WHERE sequence = 3", "follow the last one"),
        (forged("'draw'", "'drawn'"), "draws once"),
        ("UPDATE unfinished SET drawn = 0; " + forged("'draw'", "'drawn'"), "UNIQUE"),
        (forged("'refund'", "'drawn'"), "UNIQUE"),
        (forged("'settle'", "'open'"), "step of a release"),
        (forged("'draw'", "'unheard of'"), "draws once"),
        (
            "INSERT INTO unfinished VALUES ('unheard of', 'adult', 9, 0); "
            + forged("'draw'", "'unheard of'"),
            "step of a release",
        ),
        (forged("'grant'", protects="'another promise'"), "protects one unit"),
        (forged("'grant'", parts="'{}'"), "only a step of a release"),
        (forged("'reserve'", "'parted'", parts="'{}'"), "CHECK"),
        (forged("'grant'", protects="NULL"), "protects one unit"),
        (forged("'grant'", nonce="''"), "needs a nonce"),
        (forged("'draw'", "'open'", fingerprint="'0123'"), "a fingerprint a veil"),
        (forged("'grant'", who="NULL"), "says who wrote it"),
        (forged("'grant'", who="''"), "says who wrote it"),
        (forged("'grant'", clock="clock - 1"), "no earlier time"),
        (forged("'arrive'", clock="clock + 1"), "the ledger was moved"),
        ("UPDATE unfinished SET drawn = 1; " + forged("'draw'", "'open'"), "draws once"),
        (forged("'draw'", "'open'", 3_000_001), "CHECK"),
        (forged("'draw'", "'open'", "'much'"), "store TEXT"),
        (forged("'gift'", "NULL"), "CHECK"),
    ],
)
def test_the_tables_themselves_refuse_what_must_never_happen(ledger, path, statement, rule):
    brought_to(ledger, "drawn", "drawn")
    brought_to(ledger, "reserved", "open")
    ledger.close()
    other_program = sqlite3.connect(path, isolation_level=None)
    with pytest.raises(sqlite3.IntegrityError, match=rule):
        other_program.executescript(statement)
    other_program.close()
    with Ledger(path) as again:
        assert again.balance("adult").releases == 2


def test_the_forged_lines_above_are_refused_for_their_fault_and_not_for_their_form(ledger, path):
    brought_to(ledger, "reserved", "open")
    ledger.close()
    other_program = sqlite3.connect(path, isolation_level=None)
    other_program.execute(forged("'draw'", "'open'"))
    other_program.close()
    with pytest.raises(LedgerError, match="at event 4 the line was changed"):
        Ledger(path)


def test_a_charge_takes_as_many_steps_however_many_came_before_it(ledger):
    """Steps of SQLite's own machine, also where a period has ended before."""

    def reserved(number, until):
        for k in range(number):
            ledger.reserve(f"{until} {number} {k}", "adult", MICRO, plan=PLAN, protects=ABOUT)

    def steps(until, number):
        count = [0]
        connection_of(ledger).set_progress_handler(lambda: count.__setitem__(0, count[0] + 1), 1)
        reserved(1, f"{until} after {number}")
        ledger.refund(f"{until} after {number} 1 0", reason="not needed")
        connection_of(ledger).set_progress_handler(None, 0)
        return count[0]

    for now, until in (("2030-03-01", "2030-06-30"), ("2030-09-01", "2030-12-31")):
        with at_time(now):
            ledger.grant("adult", epsilon=1, reason="for a time", until=until)
            reserved(10, until)
            few = steps(until, 10)
            reserved(90, until)
            assert steps(until, 100) < 1.2 * few


@pytest.mark.parametrize("clock", [10**12, 9 * 10**18, -1, 10**30])
def test_a_clock_that_is_far_off_makes_a_ledger_that_can_be_read(tmp_path, monkeypatch, clock):
    monkeypatch.setattr(time, "time", lambda: float(clock))
    with Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("adult", epsilon=1, reason="in the year 9999, or in 1970")
        ledger.verify()
        assert [act_of(line).when[:4] for line in ledger.history("adult")] == [
            "9999" if clock > 0 else "1970"
        ]
