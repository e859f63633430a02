"""Ledger against damage, edits, lost history, copies, clocks, places and other formats.

What was changed is refused, or nothing was changed; what only a kept head can show is
shown by a kept head.
"""

import re
import sqlite3
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from killing import quick_folder
from ledger_world import ABOUT, CHARGE, PLAN, World, forget_heads, lines_in
from sfumato.errors import BudgetError, LedgerError
from sfumato.ledger import Ledger
from sfumato.ledger.audit import replay
from sfumato.ledger.chain import hash_of, written
from sfumato.ledger.sql import every_line
from sfumato.ledger.sqlite.tables import FORMAT
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import Heuristic, PureDP, to_json
from slowness import slow


@pytest.fixture
def world():
    with quick_folder() as name:
        yield World(Path(name))


@pytest.fixture
def path(world):
    return world.path


# Damage, lost history, copies (F10, F11)


def history(path):
    with Ledger(path) as ledger:
        ledger.verify()
        return lines_in(ledger), ledger.ledger_id


@pytest.mark.parametrize("step", [331, slow(83)])
def test_a_flipped_bit_anywhere_is_refused_or_changes_nothing(world, step):
    world.publish()
    whole, true = world.path.read_bytes(), history(world.path)
    refused = 0
    for position in range(0, len(whole), step):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << position % 8
        world.path.write_bytes(damaged)
        try:
            found = history(world.path)
        except LedgerError:
            refused += 1
        else:
            assert found == true, f"byte {position} changed the history unseen"
        world.path.with_name("budget.db-journal").unlink(missing_ok=True)
    assert refused * step > 4_150


@pytest.mark.parametrize("keep", [0, 100, 4096, 0.5, -4096])
def test_a_file_cut_short_is_refused(world, keep):
    world.publish()
    whole = world.path.read_bytes()
    world.path.write_bytes(whole[: int(keep * len(whole)) if isinstance(keep, float) else keep])
    with pytest.raises(LedgerError, match=r"damaged|empty"):
        Ledger(world.path)


@contextmanager
def without_triggers(path):
    """The tables as they lie before someone who knows about the triggers and puts them back."""
    editor = sqlite3.connect(path, isolation_level=None)
    kept = editor.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in kept:
        editor.execute(f"DROP TRIGGER {name}")
    yield editor
    for _, text in kept:
        editor.execute(text)
    editor.close()


EDITS = {
    "an amount": "UPDATE event SET micro_epsilon = 1 WHERE kind = 'reserve'",
    "a balance": "UPDATE event SET spent_micro_epsilon = 0 WHERE sequence = 5",
    "a reason": "UPDATE event SET detail = '{}' WHERE kind = 'grant'",
    "the clock": "UPDATE event SET clock = 0 WHERE sequence = 2",
    "a removed line": "DELETE FROM event WHERE sequence = 3",
    "who wrote it": "UPDATE event SET who = 'somebody' WHERE sequence = 3",
    "nobody wrote it": "UPDATE event SET who = NULL WHERE sequence = 3",
    "the veil": "UPDATE event SET veil = 'ab' || substr(veil, 3) WHERE kind = 'draw'",
    "no veil": "UPDATE event SET veil = NULL WHERE kind = 'draw'",
    "the key's commitment": 'UPDATE event SET detail = replace(detail, \'"key":"\', \'"key":"0\')'
    " WHERE sequence = 1",
    "the id": "UPDATE event SET detail = json_set(detail, '$.ledger', 'another')"
    " WHERE sequence = 1",
    "no first line": "DELETE FROM event WHERE sequence = 1",
    "no history": "DELETE FROM event",
}


@pytest.mark.parametrize("edit", EDITS, ids=lambda name: name.replace(" ", "-"))
def test_an_edit_behind_the_ledgers_back_is_refused(world, edit):
    world.publish()
    with without_triggers(world.path) as editor:
        editor.execute(EDITS[edit])
    with pytest.raises(LedgerError, match="damaged"):
        Ledger(world.path)


@pytest.mark.parametrize(
    "change",
    [
        "DROP TRIGGER event_kept",
        "DROP INDEX event_fingerprint",
        "CREATE TRIGGER more AFTER INSERT ON event BEGIN SELECT 1; END",
    ],
)
def test_changed_rules_are_refused(world, change):
    editor = sqlite3.connect(world.path, isolation_level=None)
    editor.execute(change)
    editor.close()
    with pytest.raises(LedgerError, match="its table definitions were changed"):
        Ledger(world.path)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM event WHERE kind = 'same-data'",
        "UPDATE event SET sequence = 9 WHERE sequence = (SELECT max(sequence) FROM event)",
    ],
    ids=["removed", "moved"],
)
def test_a_line_that_no_other_line_needs_is_missed_by_the_chain(world, statement):
    with Ledger(world.path) as ledger:
        ledger.grant("clinic", PureDP(1), reason="approved")
        ledger.allow("adult", "clinic", "one table")
        ledger.grant("clinic", PureDP(1), reason="approved")
    with without_triggers(world.path) as editor:
        editor.execute(statement)
    with pytest.raises(LedgerError, match="the chain is broken"):
        Ledger(world.path)


def test_damage_in_an_index_is_refused_as_well_as_in_the_table(world):
    world.publish()
    whole, mark = world.path.read_bytes(), b"fingerprint of the data".hex().encode()
    places = [found.start() for found in re.finditer(mark, whole)]
    assert len(places) == 2
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 1
        world.path.write_bytes(damaged)
        with pytest.raises(LedgerError, match="damaged"):
            Ledger(world.path)


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE event SET spent_micro_epsilon = 0 WHERE sequence = 3",
        "PRAGMA writable_schema = ON;"
        "UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE name = 'event';"
        "PRAGMA writable_schema = RESET; DROP TRIGGER event_kept;"
        "UPDATE event SET clock = x'00' WHERE sequence = 3",
    ],
    ids=["number", "type"],
)
def test_an_edit_while_the_ledger_is_open_stops_the_next_charge(path, edit):
    with Ledger(path) as ledger:
        ledger.reserve("r", "adult", CHARGE, plan=PLAN, protects=ABOUT)
        editor = sqlite3.connect(path, isolation_level=None)
        editor.executescript(f"DROP TRIGGER event_unchanged; {edit}")
        editor.close()
        with pytest.raises(LedgerError, match="a line was changed after it was written"):
            ledger.reserve("s", "adult", PureDP("0.8"), plan=PLAN, protects=ABOUT)


def rewrite(path, change):
    """Forge the whole history: every hash is right again, only the kept head knows better."""
    with without_triggers(path) as forger:
        lines = [event for event, _ in every_line(forger)]
        forger.execute("DELETE FROM event")
        previous = lines[0].previous
        for event in change(lines):
            event = event._replace(previous=previous)
            previous = hash_of(event)
            marks = ", ".join("?" * (len(event) + 1))
            forger.execute(f"INSERT INTO event VALUES ({marks})", (*event, previous))


FORGERIES = {
    "the balance does not follow": lambda lines: [
        e._replace(granted_micro_epsilon=9 * 10**6) if e.sequence > 2 else e for e in lines
    ],
    "the charge does not follow": lambda lines: [
        e._replace(micro_epsilon=1, spent_micro_epsilon=1) if e.kind == "reserve" else e
        for e in lines
    ],
    "out of order": lambda lines: [*lines[:3], lines[4]._replace(sequence=4)],
    "names another data set": lambda lines: [*lines[:3], lines[3]._replace(dataset="clinic")],
    "refund differs": lambda lines: [
        *lines[:3],
        lines[3]._replace(
            kind="refund", fingerprint=None, veil=None, releases=0, spent_micro_epsilon=0
        ),
    ],
    "first line is missing or repeated": lambda lines: [
        *lines[:3],
        lines[0]._replace(sequence=4),
    ],
    "an entry cannot be read": lambda lines: [*lines[:2], lines[2]._replace(detail="{}")],
}


@pytest.mark.parametrize("fault", FORGERIES, ids=lambda name: name.replace(" ", "-"))
def test_a_forged_history_that_breaks_a_rule_is_refused_though_its_hashes_are_right(world, fault):
    world.publish()
    rewrite(world.path, FORGERIES[fault])
    with pytest.raises(LedgerError, match=f"damaged.*{fault}"):
        Ledger(world.path)


def test_the_auditor_refuses_by_itself_what_the_tables_refuse_as_well(world):
    with Ledger(world.path) as ledger:
        ledger.grant("clinic", PureDP(1), reason="approved")
        for release, name in (("a", "adult"), ("b", "clinic")):
            ledger.reserve(release, name, CHARGE, plan=PLAN, protects=ABOUT)
        ledger.draw("a", b"fingerprint of the data")
        lines = [event for event, _ in lines_in(ledger)]
        ledger_id = ledger.ledger_id

    def audit(*added):
        history, head = [], lines[0].previous
        for number, event in enumerate([*lines, *added], 1):
            event = event._replace(sequence=number, previous=head)
            history.append((event, head := hash_of(event)))
        return replay(history, ledger_id)

    charge, draw = lines[4], lines[5]
    other = charge._replace(release="c", micro_epsilon=700_000, spent_micro_epsilon=1_100_000)
    detail = charge.detail.replace("2/5", "7/10")
    with pytest.raises(LedgerError, match="more was spent than granted"):
        audit(other._replace(detail=detail, releases=2))
    unproved = written({"guarantee": to_json(Heuristic("none")), "plan": PLAN})
    free = charge._replace(release="c", micro_epsilon=0, releases=2, unproved=1, detail=unproved)
    with pytest.raises(LedgerError, match="without a guarantee was never allowed"):
        audit(free)
    with pytest.raises(LedgerError, match="known under another name"):
        audit(draw._replace(release="b", dataset="clinic"))
    with pytest.raises(LedgerError, match="first event is missing"):
        replay([], ledger_id)
    assert audit() == hash_of(lines[-1])


def test_a_perfect_forgery_is_seen_against_the_kept_head_and_only_there(world):
    world.publish()
    with Ledger(world.path) as ledger:
        kept = ledger.head
    rewrite(world.path, lambda lines: lines[:2])
    forget_heads()
    with Ledger(world.path) as ledger:
        assert ledger.balance("adult").spent == Charge()
        with pytest.raises(LedgerError, match=f"{kept}.*not in this ledger.*{ledger.head}"):
            ledger.verify(head=kept)


def test_an_old_copy_swapped_in_is_seen_against_the_kept_head(world):
    yesterday = world.path.read_bytes()
    world.publish()
    with Ledger(world.path) as ledger:
        kept = ledger.verify()
    world.path.write_bytes(yesterday)
    forget_heads()
    with Ledger(world.path) as ledger, pytest.raises(LedgerError, match="older, shortened"):
        ledger.verify(head=kept)


def test_a_file_swapped_under_an_open_ledger_stops_the_next_charge_and_look(world):
    copy = world.folder / "yesterday.db"
    copy.write_bytes(world.whole)
    with Ledger(world.path) as ledger:
        copy.replace(world.path)
        with pytest.raises(LedgerError, match="replaced or removed while open"):
            ledger.reserve("r", "adult", CHARGE, plan=PLAN, protects=ABOUT)
        with pytest.raises(LedgerError, match="replaced or removed while open"):
            ledger.clients("adult")  # a service would go on to believe the clients of before


def test_history_lost_under_an_open_ledger_stops_the_next_charge(world):
    with Ledger(world.path) as ledger:
        ledger.reserve("r", "adult", CHARGE, plan=PLAN, protects=ABOUT)
        rewrite(world.path, lambda lines: lines[:2])
        with pytest.raises(LedgerError, match="lost history while open"):
            ledger.reserve("s", "adult", CHARGE, plan=PLAN, protects=ABOUT)


def test_two_copies_that_went_apart_refuse_each_others_heads(world):
    copy = world.folder / "copy.db"
    copy.write_bytes(world.whole)
    with Ledger(world.path) as here, Ledger(copy) as there:
        for ledger, release in ((here, "r"), (there, "s")):
            forget_heads()
            ledger.reserve(release, "adult", CHARGE, plan=PLAN, protects=ABOUT)
        for one, other in ((here, there), (there, here)):
            with pytest.raises(LedgerError, match=f"{other.head}.*{one.head}.*diverged"):
                one.verify(head=other.head)


# Clocks, places and versions: F12, F13, F14


def test_no_clock_gives_budget_back_or_changes_the_order(world, monkeypatch):
    with Ledger(world.path) as ledger:
        for number, moment in enumerate([0, 4e9, -1e9, 1.8e9, 1.4e9]):
            monkeypatch.setattr(time, "time", lambda moment=moment: moment)
            monkeypatch.setenv("TZ", "Pacific/Kiritimati" if number % 2 else "America/Adak")
            time.tzset()
            ledger.reserve(f"r{number}", "adult", PureDP("0.2"), plan=PLAN, protects=ABOUT)
        with pytest.raises(BudgetError, match="has epsilon 0 left"):
            ledger.reserve("more", "adult", PureDP("0.2"), plan=PLAN, protects=ABOUT)
        assert [e.release for e in ledger.unfinished()] == ["r0", "r1", "r2", "r3", "r4"]
        ledger.verify()
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("version", "message"), [(FORMAT + 1, "newer Sfumato.*upgrade"), (0, "damaged")]
)
def test_another_format_is_refused_and_its_history_is_kept(world, version, message):
    world.publish()
    editor = sqlite3.connect(world.path)
    editor.execute(f"PRAGMA user_version = {version}")
    editor.close()
    before = world.path.read_bytes()
    with pytest.raises(LedgerError, match=message):
        Ledger(world.path)
    assert world.path.read_bytes() == before
