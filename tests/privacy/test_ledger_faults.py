"""Ledger under faults: kills, races, forks, full and failing disks, damage, copies, clocks.

Whatever happens: no release without its charge, one draw per release id, and history either
verifies or is refused in words.
"""

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
from contextlib import nullcontext, suppress

import pytest

from killing import (
    CAN_TRACE,
    SYNCS,
    WRITES,
    in_child,
    kill_at_every_line,
    kill_at_every_syscall,
    trace,
)
from sfumato.errors import BudgetError, LedgerError
from sfumato.privacy import ledger_file
from sfumato.privacy.budget import Charge
from sfumato.privacy.chain import hash_of
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.ledger import Ledger
from sfumato.privacy.ledger_sql import every_line

PLAN, DIGEST = "c0ffee00", "0123456789abcdef"
FILES = (
    "privacy/chain.py",
    *(f"privacy/ledger{part}.py" for part in ("", "_audit", "_file", "_rules", "_sql")),
)
CHARGE = PureDP("0.4")
REFUSED = 3


class World:
    """A ledger, an output folder, and a publisher that follows the protocol."""

    def __init__(self, folder):
        self.folder, self.path = folder, folder / "budget.db"
        self.output, self.draws = folder / "release.csv", folder / "draws.log"
        with Ledger.create(self.path) as ledger:
            ledger.grant("adult", PureDP(1), reason="approved")
        self.whole = self.path.read_bytes()

    def reset(self):
        for file in self.folder.iterdir():
            file.unlink()
        self.path.write_bytes(self.whole)

    def publish(self):
        with Ledger(self.path) as ledger:
            entry = ledger.reserve("r", "adult", CHARGE, plan=PLAN)
            if entry.state == "reserved":
                ledger.draw("r", b"fingerprint of the data")
                with self.draws.open("a") as log:
                    log.write("noise\n")
                draft = self.folder / "release.csv.draft"
                draft.write_text("noisy values")
                draft.rename(self.output)
            elif entry.state == "drawn" and not self.output.exists():
                raise LedgerError("the noise is spent and the release is lost")
            ledger.settle("r", DIGEST)

    def check(self, *_):
        """What must hold after any kill, and again after the next run."""
        self.check_now()
        lost = self.state == "drawn" and not self.output.exists()
        with pytest.raises(LedgerError, match="lost") if lost else nullcontext():
            self.publish()
        assert self.output.exists() == (not lost)
        self.check_now()

    def check_now(self):
        draws = self.draws.read_text().count("noise") if self.draws.exists() else 0
        assert draws <= 1
        with Ledger(self.path) as ledger:  # opening verifies the whole history
            entry, spent = ledger.entry("r"), ledger.balance("adult").spent
        self.state = entry and entry.state
        assert spent == (Charge() if entry is None else Charge(400_000))
        assert not (draws or self.output.exists()) or self.state in ("drawn", "released")
        assert self.state != "released" or self.output.exists()


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


@pytest.fixture
def path(world):
    return world.path


@pytest.fixture
def tracing():
    if not CAN_TRACE:
        pytest.skip("system calls are traced on Linux x86-64 only")
    try:
        trace(lambda: None)
    except OSError as error:
        pytest.skip(f"this host forbids tracing a child: {error}")


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 400 kB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("mounting a small disk needs root")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


# Killed anywhere (F1 to F5)


def test_killed_at_any_line_a_publication_is_charged_and_drawn_at_most_once(world):
    survived = kill_at_every_line(world.publish, FILES, world.check, world.reset, limit=9000)
    assert survived > 300


def test_killed_at_any_system_call_a_publication_is_charged_and_drawn_at_most_once(world, tracing):
    survived = kill_at_every_syscall(world.publish, world.check, world.reset)
    assert survived > 100


def test_the_killing_itself_finds_a_publisher_that_draws_before_it_records(world):
    def hasty():
        with Ledger(world.path) as ledger:
            ledger.reserve("r", "adult", CHARGE, plan=PLAN)
            world.draws.write_text("noise\n")
            ledger.draw("r", None)

    with pytest.raises(AssertionError):
        kill_at_every_line(hasty, FILES, world.check, world.reset, limit=9000, stride=5)


def test_killed_at_any_line_a_creation_leaves_a_whole_ledger_or_none(tmp_path):
    folder = tmp_path / "new"
    path = folder / "budget.db"

    def prepare():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()

    def check(_):
        if path.exists() and path.stat().st_size == 0:
            with pytest.raises(LedgerError, match="is empty: remove it and create"):
                Ledger(path)
            path.unlink()
        if not path.exists():
            Ledger.create(path).close()
        with Ledger(path) as ledger:
            ledger.grant("adult", PureDP(1), reason="approved")
            ledger.verify()
        assert [file.name for file in folder.iterdir()] == ["budget.db"]

    create = lambda: Ledger.create(path).close()  # noqa: E731
    assert kill_at_every_line(create, FILES, check, prepare) > 50


# On the disk before it counts (P1 and F9)


def test_a_charge_is_synced_after_its_last_write_and_before_reserve_returns(path, tracing):
    def reserve(synchronous):
        ledger = Ledger(path)
        ledger._connection.execute(f"PRAGMA synchronous = {synchronous}")
        ledger.reserve(synchronous, "adult", PureDP("0.1"), plan=PLAN)
        os._exit(0)  # before closing, which syncs as well

    def last_is_a_sync(synchronous):
        _, stops = trace(lambda: reserve(synchronous))
        return [call for call in stops if call in WRITES | SYNCS][-1] in SYNCS

    assert last_is_a_sync("FULL")
    assert not last_is_a_sync("NORMAL")


def test_a_failed_sync_is_fatal_for_the_open_ledger_and_never_grants_anything(world, tracing):
    def reserve_once_more():
        ledger = Ledger(world.path)
        with pytest.raises(LedgerError, match=r"the disk failed.*open the ledger again"):
            ledger.reserve("r", "adult", CHARGE, plan=PLAN)
        with pytest.raises(LedgerError, match="an earlier read or write failed"):
            ledger.reserve("r", "adult", CHARGE, plan=PLAN)
        os._exit(REFUSED)

    failures = 0
    while True:
        world.reset()
        status, _ = trace(reserve_once_more, fail_sync=failures + 1)
        world.check()
        if status != REFUSED:
            break  # no sync was left to fail, so nothing was refused
        failures += 1
    assert failures >= 2  # the log's header and the commit


# Races (F6)


def race(runners, attempt):
    """How many of the processes, all let loose at once, got what they wanted."""
    gate, starter = os.pipe()

    def run():
        os.close(starter)
        os.read(gate, 1)  # returns when the starter is closed
        os._exit(0 if attempt() else REFUSED)

    children = []
    for _ in range(runners):
        child = os.fork()
        if child == 0:
            try:
                run()
            finally:
                os._exit(1)
        children.append(child)
    os.close(gate)
    os.close(starter)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert set(codes) <= {0, REFUSED}
    return codes.count(0)


def charge_once(path):
    try:
        with Ledger(path) as ledger:
            ledger.reserve(f"r{os.getpid()}", "adult", CHARGE, plan=PLAN)
    except BudgetError:
        return False
    return True


@pytest.mark.parametrize(("runners", "winners"), [(2, 1), (8, 1), (24, 1), (16, 5)])
def test_however_many_race_exactly_as_many_win_as_the_budget_covers(tmp_path, runners, winners):
    path = tmp_path / "budget.db"
    with Ledger.create(path) as ledger:
        ledger.grant("adult", PureDP(CHARGE.epsilon * winners), reason="approved")
    assert race(runners, lambda: charge_once(path)) == winners
    with Ledger(path) as ledger:
        assert ledger.balance("adult").left == Charge()
        ledger.verify()


def test_racing_for_one_release_id_charges_once_and_draws_once(path):
    def draw_once():
        with Ledger(path) as ledger:
            ledger.reserve("r", "adult", CHARGE, plan=PLAN)
            try:
                ledger.draw("r", None)
            except LedgerError:
                return False
        return True

    assert race(8, draw_once) == 1
    with Ledger(path) as ledger:
        assert ledger.balance("adult").spent == Charge(400_000)


def test_the_race_itself_finds_a_ledger_that_looks_first_and_writes_later(tmp_path):
    account = tmp_path / "left"
    account.write_text("1")

    def naive():
        if int(account.read_text()) < 1:
            return False
        time.sleep(0.2)
        account.write_text("0")
        return True

    assert race(8, naive) > 1


def test_waiting_for_another_writer_ends_in_words(path, monkeypatch):
    monkeypatch.setattr(ledger_file, "WAIT", 0.05)
    with Ledger(path) as ledger:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="another process has held it"):
            ledger.reserve("r", "adult", CHARGE, plan=PLAN)
        other.execute("ROLLBACK")
        other.close()
        assert ledger.reserve("r", "adult", CHARGE, plan=PLAN).state == "reserved"


# Forks and threads (F7)


def test_a_ledger_carried_over_a_fork_is_refused_there_and_whole_here(path):
    with Ledger(path) as ledger:

        def child():
            with ledger, pytest.raises(LedgerError, match="opened before a fork"):
                ledger.reserve("child", "adult", CHARGE, plan=PLAN)
            with Ledger(path) as own:
                own.reserve("own", "adult", CHARGE, plan=PLAN)

        assert in_child(child) == 0
        ledger.reserve("parent", "adult", CHARGE, plan=PLAN)
        assert {e.release for e in ledger.unfinished()} == {"own", "parent"}
        ledger.verify()


def test_a_fork_while_a_thread_is_writing_neither_hangs_nor_harms(path):
    inside, leave = threading.Event(), threading.Event()
    with Ledger(path) as ledger:

        def hold():
            with ledger._writing():
                inside.set()
                leave.wait()

        writer = threading.Thread(target=hold)
        writer.start()
        inside.wait()

        def child():
            signal.alarm(20)  # a hang would end here, as a failure
            with pytest.raises(LedgerError, match="opened before a fork"):
                ledger.balance("adult")

        status = in_child(child)
        leave.set()
        writer.join()
        assert status == 0
        ledger.reserve("r", "adult", CHARGE, plan=PLAN)
        ledger.verify()


# No room (F8)


def test_when_the_file_may_not_grow_nothing_is_released_and_the_ledger_stays_readable(world):
    def publish_within(room):
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        with pytest.raises(LedgerError, match="disk"):
            world.publish()
        os._exit(REFUSED)

    refusals = 0
    for room in range(0, 120_000, 5_000):
        world.reset()
        status = in_child(lambda room=room: publish_within(room))
        refusals += status == REFUSED
        assert status == REFUSED or world.output.exists()
        world.check()
    assert refusals > 5


def fill(disk):
    with (disk / "filler").open("wb", buffering=0) as filler, suppress(OSError):
        while True:
            filler.write(b"\0" * 512)


def test_on_a_full_disk_a_charge_is_refused_in_words_and_everything_stays_readable(small_disk):
    path = small_disk / "budget.db"
    with Ledger.create(path) as ledger:
        ledger.grant("adult", PureDP(1), reason="approved")
        ledger.reserve("before", "adult", CHARGE, plan=PLAN)
        fill(small_disk)
        with pytest.raises(LedgerError, match="disk is full"):
            ledger.reserve("r", "adult", CHARGE, plan=PLAN)
        with Ledger(path) as again:
            spent = again.balance("adult").spent
            again.verify()
    (small_disk / "filler").unlink()
    with Ledger(path) as ledger:
        assert ledger.balance("adult").spent == spent
        ledger.reserve("after", "adult", CHARGE, plan=PLAN)
        ledger.verify()


# Damage, lost history, copies (F10, F11)


def history(path):
    with Ledger(path) as ledger:
        ledger.verify()
        return list(every_line(ledger._connection)), ledger.fingerprint_key, ledger.ledger_id


def test_a_flipped_bit_anywhere_is_refused_or_changes_nothing(world):
    world.publish()
    whole, true = world.path.read_bytes(), history(world.path)
    refused = 0
    for position in range(0, len(whole), 41):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << position % 8
        world.path.write_bytes(damaged)
        try:
            found = history(world.path)
        except LedgerError:
            refused += 1
        else:
            assert found == true, f"byte {position} changed the history unseen"
        for side in ("-wal", "-shm"):
            world.path.with_name(world.path.name + side).unlink(missing_ok=True)
    assert refused > 50


@pytest.mark.parametrize("keep", [0, 100, 4096, 0.5, -4096, -1])
def test_a_file_cut_short_is_refused(world, keep):
    world.publish()
    whole = world.path.read_bytes()
    world.path.write_bytes(whole[: int(keep * len(whole)) if isinstance(keep, float) else keep])
    with pytest.raises(LedgerError, match=r"damaged|empty"):
        Ledger(world.path)


EDITS = {
    "an amount": "UPDATE event SET micro_epsilon = 1 WHERE kind = 'reserve'",
    "a balance": "UPDATE event SET spent_micro_epsilon = 0 WHERE sequence = 5",
    "a reason": "UPDATE event SET detail = '{}' WHERE kind = 'grant'",
    "the clock": "UPDATE event SET clock = 0 WHERE sequence = 2",
    "a removed line": "DELETE FROM event WHERE sequence = 3",
    "the key": "UPDATE identity SET fingerprint_key = zeroblob(32)",
    "the id": "UPDATE identity SET ledger_id = 'another'",
    "no identity": "DELETE FROM identity",
    "no history": "DELETE FROM event",
    "a trigger": "SELECT 1",
}


@pytest.mark.parametrize("edit", EDITS, ids=lambda name: name.replace(" ", "-"))
def test_an_edit_behind_the_ledgers_back_is_refused(world, edit):
    world.publish()
    editor = sqlite3.connect(world.path, isolation_level=None)
    triggers = editor.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    kept = triggers.fetchall()
    for name, _ in kept:
        editor.execute(f"DROP TRIGGER {name}")
    editor.execute(EDITS[edit])
    for _, text in kept if edit != "a trigger" else kept[1:]:
        editor.execute(text)
    editor.close()
    with pytest.raises(LedgerError, match="damaged"):
        Ledger(world.path)


def test_an_edit_while_the_ledger_is_open_stops_the_next_charge(path):
    with Ledger(path) as ledger:
        ledger.reserve("r", "adult", CHARGE, plan=PLAN)
        editor = sqlite3.connect(path, isolation_level=None)
        editor.execute("DROP TRIGGER event_unchanged")
        editor.execute("UPDATE event SET spent_micro_epsilon = 0 WHERE sequence = 3")
        editor.close()
        with pytest.raises(LedgerError, match="a line was changed after it was written"):
            ledger.reserve("s", "adult", PureDP("0.8"), plan=PLAN)


def rewrite(path, change):
    """Forge the whole history: every hash is right again, only the kept head knows better."""
    forger = sqlite3.connect(path, isolation_level=None)
    lines = [event for event, _ in every_line(forger)]
    triggers = forger.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    kept = triggers.fetchall()
    for name, _ in kept:
        forger.execute(f"DROP TRIGGER {name}")
    forger.execute("DELETE FROM event")
    previous = lines[0].previous
    for event in change(lines):
        event = event._replace(previous=previous)
        previous = hash_of(event)
        marks = ", ".join("?" * (len(event) + 1))
        forger.execute(f"INSERT INTO event VALUES ({marks})", (*event, previous))
    for _, text in kept:
        forger.execute(text)
    forger.close()


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
        lines[3]._replace(kind="refund", fingerprint=None, releases=0, spent_micro_epsilon=0),
    ],
    "first line is missing or repeated": lambda lines: [
        *lines[:3],
        lines[0]._replace(sequence=4),
    ],
    "does not say what it is": lambda lines: [*lines[:2], lines[2]._replace(detail="{}")],
}


@pytest.mark.parametrize("fault", FORGERIES, ids=lambda name: name.replace(" ", "-"))
def test_a_forged_history_that_breaks_a_rule_is_refused_though_its_hashes_are_right(world, fault):
    world.publish()
    rewrite(world.path, FORGERIES[fault])
    with pytest.raises(LedgerError, match=f"damaged.*{fault}"):
        Ledger(world.path)


def test_a_perfect_forgery_is_seen_against_the_kept_head_and_only_there(world):
    world.publish()
    with Ledger(world.path) as ledger:
        kept = ledger.head
    rewrite(world.path, lambda lines: lines[:2])
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
    with Ledger(world.path) as ledger, pytest.raises(LedgerError, match="older, shortened"):
        ledger.verify(head=kept)


def test_a_file_swapped_under_an_open_ledger_stops_the_next_charge(world):
    copy = world.folder / "yesterday.db"
    copy.write_bytes(world.whole)
    with Ledger(world.path) as ledger:
        copy.replace(world.path)
        with pytest.raises(LedgerError, match="replaced or removed while open"):
            ledger.reserve("r", "adult", CHARGE, plan=PLAN)


def test_history_lost_under_an_open_ledger_stops_the_next_charge(world):
    with Ledger(world.path) as ledger:
        ledger.reserve("r", "adult", CHARGE, plan=PLAN)
        rewrite(world.path, lambda lines: lines[:2])
        with pytest.raises(LedgerError, match="lost history while open"):
            ledger.reserve("s", "adult", CHARGE, plan=PLAN)


def test_a_deleted_log_is_seen_against_the_kept_head(world):
    def charge_and_die():
        ledger = Ledger(world.path)
        ledger.reserve("r", "adult", CHARGE, plan=PLAN)
        (world.folder / "head").write_text(ledger.head)
        os.kill(os.getpid(), signal.SIGKILL)

    assert in_child(charge_and_die) == -signal.SIGKILL
    kept = (world.folder / "head").read_text()
    log = world.path.with_name("budget.db-wal")
    hidden = log.rename(world.folder / "hidden")
    with Ledger(world.path) as ledger, pytest.raises(LedgerError, match=kept):
        ledger.verify(head=kept)
    world.path.with_name("budget.db-shm").unlink(missing_ok=True)
    world.path.write_bytes(world.whole)
    hidden.rename(log)
    with Ledger(world.path) as ledger:
        ledger.verify(head=kept)
        assert ledger.entry("r").state == "reserved"


def test_two_copies_that_went_apart_refuse_each_others_heads(world):
    copy = world.folder / "copy.db"
    copy.write_bytes(world.whole)
    with Ledger(world.path) as here, Ledger(copy) as there:
        for ledger, release in ((here, "r"), (there, "s")):
            ledger.reserve(release, "adult", CHARGE, plan=PLAN)
        for one, other in ((here, there), (there, here)):
            with pytest.raises(LedgerError, match=f"{other.head}.*{one.head}.*diverged"):
                one.verify(head=other.head)


# Clocks, places, versions (F12, F13, F14)


def test_no_clock_gives_budget_back_or_changes_the_order(world, monkeypatch):
    with Ledger(world.path) as ledger:
        for number, moment in enumerate([0, 4e9, -1e9, 1.8e9, 1.4e9]):
            monkeypatch.setattr(time, "time", lambda moment=moment: moment)
            monkeypatch.setenv("TZ", "Pacific/Kiritimati" if number % 2 else "America/Adak")
            time.tzset()
            ledger.reserve(f"r{number}", "adult", PureDP("0.2"), plan=PLAN)
        with pytest.raises(BudgetError, match="has epsilon 0 left"):
            ledger.reserve("more", "adult", PureDP("0.2"), plan=PLAN)
        assert [e.release for e in ledger.unfinished()] == ["r0", "r1", "r2", "r3", "r4"]
        ledger.verify()
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "smb3", "fuse.sshfs", "9p", "ext4"])
def test_a_network_file_system_is_refused_by_name(world, tmp_path_factory, monkeypatch, kind):
    device = world.folder.stat().st_dev
    mounts = tmp_path_factory.mktemp("proc") / "mountinfo"
    number = f"{os.major(device)}:{os.minor(device)}"
    mounts.write_text(
        "21 1 0:1 / / rw - proc proc rw\n"
        f"36 35 {number} / /mnt/a\\040share rw,noatime shared:1 - {kind} server:/export rw\n"
    )
    monkeypatch.setattr(ledger_file, "MOUNTS", mounts)
    if kind == "ext4":
        Ledger(world.path).close()
        return
    for use in (lambda: Ledger(world.path), lambda: Ledger.create(world.folder / "new.db")):
        with pytest.raises(LedgerError, match=rf"network or shared file system \({kind}\)"):
            use()


def test_a_read_only_mount_is_refused_with_the_reason(small_disk):
    path = small_disk / "budget.db"
    Ledger.create(path).close()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    for use in (lambda: Ledger(path), lambda: Ledger.create(small_disk / "new.db")):
        with pytest.raises(LedgerError, match="read-only mount"):
            use()


@pytest.mark.parametrize(("version", "message"), [(2, "newer Sfumato.*upgrade"), (0, "damaged")])
def test_another_format_is_refused_and_its_history_is_kept(world, version, message):
    world.publish()
    editor = sqlite3.connect(world.path)
    editor.execute(f"PRAGMA user_version = {version}")
    editor.close()
    before = world.path.read_bytes()
    with pytest.raises(LedgerError, match=message):
        Ledger(world.path)
    assert world.path.read_bytes() == before
