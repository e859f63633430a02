"""A ledger that an earlier Sfumato left behind gets today's rules at once or not at all."""

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from killing import in_child, quick_folder
from ledger_world import ABOUT, lines_in
from sfumato.errors import BudgetError, LedgerError
from sfumato.ledger import Ledger
from sfumato.ledger.sqlite import tables as ledger_schema
from sfumato.ledger.sqlite.tables import FORMAT, expected_structure
from sfumato.ledger.table_part import DIVISIBLE, TablePart
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import PureDP

pytestmark = pytest.mark.long  # kills and races

OLDER = {
    number: (Path(__file__).parent / f"ledger_format_{number}.sql").read_text("utf-8")
    for number in (1, 2, 3, 4, 5, 6)
}
WITH_KEY = [number for number in OLDER if number < 6]  # those whose files held the key
HEAD = "f475c780fa14d4b43b18adc583dcd39aba6e4230fc9239c919ab65a75217db18"  # of format 1's


def made_earlier(path, number):
    """A ledger of this format, as its program leaves it: the first two in write-ahead mode."""
    connection = sqlite3.connect(path)
    connection.executescript(OLDER[number])
    if number < 3:
        connection.execute("PRAGMA journal_mode = WAL")
    connection.close()


@pytest.fixture
def folder():
    with quick_folder() as name:
        yield Path(name)


@pytest.fixture(params=[1, 2], ids=["format 1", "format 2"])
def older(request, folder):
    path = folder / "budget.db"
    made_earlier(path, request.param)
    return path


def look(path):
    """Format, journal mode and lines, without the ledger's own eyes."""
    connection = sqlite3.connect(path)
    try:
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
        rows = connection.execute("SELECT sequence, hash FROM event ORDER BY sequence").fetchall()
        return ledger_schema.format_of(connection), mode, rows
    finally:
        connection.close()


def key_in(path):
    """The key that a file of an older format holds."""
    connection = sqlite3.connect(path)
    try:
        return connection.execute("SELECT fingerprint_key FROM identity").fetchone()[0]
    finally:
        connection.close()


def test_opening_gives_it_the_rules_of_a_new_one_and_keeps_every_line(older):
    before = look(older)
    assert before[:2] in [(1, "wal"), (2, "wal")]
    with Ledger(older) as ledger:
        assert ledger.verify(head=HEAD)
        assert [entry.release for entry in ledger.unfinished("adult")] == ["drawn", "reserved"]
    assert look(older) == (FORMAT, "delete", before[2])
    connection = sqlite3.connect(older)
    assert ledger_schema.structure(connection) == expected_structure()
    connection.close()
    assert {file.name for file in older.parent.iterdir()} == {"budget.db", "budget.db.key"}


def test_what_its_charges_were_about_is_said_once_before_the_next_one(older):
    with Ledger(older) as ledger:
        request = {"plan": "c0ffee00", "protects": ABOUT}
        with pytest.raises(BudgetError, match=r"older Sfumato.*sfumato ledger protects adult"):
            ledger.reserve("new", "adult", PureDP("0.5"), **request)
        ledger.protects("adult", ABOUT, reason="all were tables of records")
        ledger.reserve("new", "adult", PureDP("0.5"), **request)
        ledger.draw("new", None)
        ledger.settle("new", "0123456789abcdef")
        assert ledger.balance("adult").spent == Charge(2_000_000)
        with pytest.raises(LedgerError, match="this cannot be changed"):
            ledger.protects("adult", "something else", reason="a second thought")
        ledger.verify(head=HEAD)


def test_one_of_format_3_keeps_its_hashes_and_its_charges_are_for_the_whole_table(folder):
    path = folder / "budget.db"
    made_earlier(path, 3)
    before = look(path)
    assert before[:2] == (3, "delete")
    with Ledger(path) as ledger:
        assert ledger.verify(head=before[2][-1][1])
        balance = ledger.balance("adult")
        assert (balance.spent, balance.parts.frames) == (Charge(1_500_000), ())
        unfinished = ["drawn", "reserved", "mixed", "heuristic", "drawn+1"]
        assert [entry.release for entry in ledger.unfinished()] == unfinished
        part = TablePart("sex=f", "f00d" * 4, ((0, 0),))
        with pytest.raises(BudgetError, match=r"epsilon 1\.5 left for sex=f"):
            ledger.reserve(
                "new", "adult", PureDP(2), plan="c0ffee00", protects=DIVISIBLE, table_part=part
            )
    assert look(path) == (FORMAT, "delete", before[2])
    connection = sqlite3.connect(path)
    assert ledger_schema.structure(connection) == expected_structure()
    connection.close()


def test_one_of_format_4_keeps_its_hashes_and_its_parts_and_its_releases_may_then_stop(folder):
    path = folder / "budget.db"
    made_earlier(path, 4)
    before = look(path)
    assert before[:2] == (4, "delete")
    with Ledger(path) as ledger:
        assert ledger.verify(head=before[2][-1][1])
        assert [entry.release for entry in ledger.unfinished()] == ["south-1"]
        assert ledger.balance("adult").spent == Charge(1_000_000)
        assert {part.name for part in ledger.parts("adult")} == {"region=n", "region=s"}
        with pytest.raises(LedgerError, match="two steps"):
            ledger.stop("south-1")
        request = {"plan": "c0ffee00", "protects": DIVISIBLE, "first": PureDP("0.02")}
        ledger.reserve("new", "adult", PureDP(1), **request)
        ledger.draw("new", b"1" * 16)
        ledger.stop("new")
        assert ledger.balance("adult").spent == Charge(1_020_000)
    assert look(path)[2][: len(before[2])] == before[2]
    connection = sqlite3.connect(path)
    assert ledger_schema.structure(connection) == expected_structure()
    connection.close()


def test_a_log_beside_a_file_of_a_format_without_one_is_refused_before_it_is_upgraded(folder):
    path = folder / "budget.db"
    made_earlier(path, 3)
    before = path.read_bytes()
    path.with_name("budget.db-wal").write_bytes(b"a log of somebody else")
    with pytest.raises(LedgerError, match="is not of this ledger"):
        Ledger(path)
    assert path.read_bytes() == before


def test_a_log_that_was_not_folded_back_is_part_of_the_history(folder):
    """As a program of format 2 leaves it when it is killed: the last line is in the log alone."""
    path = folder / "budget.db"
    made_earlier(path, 2)
    last = look(path)[2][-1]

    def killed_with_a_line_in_the_log():
        made = sqlite3.connect(path, isolation_level=None)
        made.execute("PRAGMA wal_autocheckpoint = 0")
        made.execute("DROP TRIGGER event_kept")
        row = made.execute("SELECT * FROM event WHERE sequence = ?", last[:1]).fetchone()
        made.execute("DELETE FROM event WHERE sequence = ?", last[:1])
        made.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        made.execute(f"INSERT INTO event VALUES ({', '.join('?' * len(row))})", row)
        os._exit(0)

    in_child(killed_with_a_line_in_the_log)
    assert path.with_name("budget.db-wal").stat().st_size > 0
    with Ledger(path) as ledger:
        assert lines_in(ledger)[-1][1] == last[1]


@pytest.mark.parametrize("number", OLDER)
def test_a_program_of_the_older_format_refuses_it_afterwards(folder, number, monkeypatch):
    path = folder / "budget.db"
    made_earlier(path, number)
    Ledger(path).close()
    monkeypatch.setattr("sfumato.ledger.sqlite.file.FORMAT", number)
    before = path.read_bytes()
    told = rf"newer Sfumato.*format {FORMAT}, this one knows {number}"
    with pytest.raises(LedgerError, match=told):
        Ledger(path)
    assert path.read_bytes() == before


def test_one_of_format_5_keeps_its_hashes_and_knows_its_data_again(folder):
    path = folder / "budget.db"
    made_earlier(path, 5)
    before = look(path)
    assert before[:2] == (5, "delete")
    with Ledger(path) as ledger:
        assert ledger.verify(head=before[2][-1][1])
        unfinished = ["south-1", "going-on", "series", "series+1"]
        assert [entry.release for entry in ledger.unfinished()] == unfinished
        assert ledger.entry("stopped").charge == Charge(20_000)
        with pytest.raises(LedgerError, match="only the run that drew"):
            ledger.stop("going-on")  # which was another process
        with pytest.raises(BudgetError, match="a table with other records"):
            ledger.draw("south-1", b"3" * 16)
        ledger.draw("south-1", b"1" * 16)  # the table that its first part was drawn from
        new = {"plan": "c0ffee00", "protects": DIVISIBLE}
        ledger.grant("another", PureDP(1), reason="approved")
        ledger.reserve("renamed", "another", PureDP(1), **new)
        with pytest.raises(BudgetError, match="already known as 'clinic'"):
            ledger.draw("renamed", b"2" * 16)
        ledger.verify(head=before[2][-1][1])
        *old, south, _, _ = lines_in(ledger)
    assert {(line.who, line.veil) for line, _ in old} == {(None, None)}
    assert south[0].who
    assert len(south[0].veil) == 32
    assert look(path)[2][: len(before[2])] == before[2]
    connection = sqlite3.connect(path)
    assert ledger_schema.structure(connection) == expected_structure()
    connection.close()


def test_one_of_format_6_keeps_its_hashes_and_gives_clients_back_what_is_refunded_now(folder):
    path = folder / "budget.db"
    made_earlier(path, 6)
    before = look(path)
    assert before[:2] == (6, "delete")
    with Ledger(path) as ledger:
        assert ledger.verify(head=before[2][-1][1])
        assert [entry.release for entry in ledger.unfinished()] == ["batch-3", "north", "south"]
        used = {client.name: client.spent for client in ledger.clients("words")}
        assert used == {"anna": Charge(750_000), "bert": Charge(500_000)}  # 500,000 of a refund
        assert {line.who for line in ledger.history()} == {"officer"}
        assert [len(line.veil) for line in ledger.history() if line.fingerprint] == [32, 32]
        ledger.refund("batch-3", reason="not needed")
        used = {client.name: client.spent for client in ledger.clients("words")}
        assert used == {"anna": Charge(750_000), "bert": Charge(250_000)}
        ledger.verify(head=before[2][-1][1])
    assert look(path)[2][: len(before[2])] == before[2]
    connection = sqlite3.connect(path)
    assert ledger_schema.structure(connection) == expected_structure()
    connection.close()
    assert [file.name for file in folder.iterdir()] == ["budget.db"]  # its key lies elsewhere


@pytest.mark.parametrize("number", WITH_KEY)
def test_the_key_goes_to_a_file_of_its_own_and_is_nowhere_in_the_ledger(folder, number):
    path = folder / "budget.db"
    made_earlier(path, number)
    key = key_in(path)
    assert key in path.read_bytes() or number < 3  # a log may hold it until it is folded back
    with Ledger(path) as ledger:
        assert ledger.fingerprint_key == key
        ledger.grant("adult", PureDP(1), reason="a line more")
    whole = path.read_bytes()
    assert key not in whole
    assert key.hex().encode() not in whole.lower()
    found = path.with_name("budget.db.key")
    assert key.hex() in found.read_text("ascii")
    assert stat.S_IMODE(found.stat().st_mode) == 0o600


@pytest.mark.parametrize("number", WITH_KEY)
def test_a_key_that_cannot_be_written_leaves_the_ledger_as_it_was(folder, number):
    path = folder / "budget.db"
    made_earlier(path, number)
    before, key = look(path), key_in(path)
    path.with_name("budget.db.key").write_text("something of value")
    with pytest.raises(LedgerError, match=r"could not be upgraded: .*budget\.db\.key exists"):
        Ledger(path)
    assert look(path)[::2] == before[::2]
    assert key_in(path) == key
    assert path.with_name("budget.db.key").read_text() == "something of value"


def test_a_key_that_was_changed_in_the_file_is_not_brought_out(folder):
    path = folder / "budget.db"
    made_earlier(path, 5)
    editor = sqlite3.connect(path)
    editor.executescript(
        "DROP TRIGGER identity_unchanged; UPDATE identity SET fingerprint_key = zeroblob(32)"
    )
    editor.close()
    with pytest.raises(LedgerError, match="not the one it was made with"):
        Ledger(path)
    assert [file.name for file in folder.iterdir()] == ["budget.db"]


def test_it_waits_for_a_program_of_the_older_format_that_has_it_open(older, monkeypatch):
    monkeypatch.setattr("sfumato.ledger.sqlite.file.WAIT", 0.05)
    before, other = look(older), sqlite3.connect(older, isolation_level=None)
    other.execute("BEGIN")
    other.execute("SELECT * FROM event").fetchall()
    with pytest.raises(LedgerError, match="another"):
        Ledger(older)
    other.execute("COMMIT")
    other.close()
    assert look(older) == before


def test_a_damaged_history_is_not_brought_up_to_date(older):
    editor = sqlite3.connect(older)
    editor.executescript("DROP TRIGGER event_unchanged; UPDATE event SET clock = 0")
    editor.close()
    before = look(older)
    with pytest.raises(LedgerError, match=r"could not be upgraded: .*changed after"):
        Ledger(older)
    assert look(older)[::2] == before[::2]


@pytest.mark.slow
@pytest.mark.parametrize("time", range(5))
def test_many_processes_at_once_upgrade_it_once(older, time):
    """Twelve times: nobody can change the mode of a file that others have open."""
    children = []
    for _ in range(8):
        child = os.fork()
        if child == 0:
            os._exit(in_child(lambda: Ledger(older).close()))
        children.append(child)
    assert {os.waitpid(child, 0)[1] for child in children} == {0}
    with Ledger(older) as ledger:
        ledger.verify(head=HEAD)
