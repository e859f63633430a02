"""Ledger under faults: kills, races, forks, full and failing disks, damage, copies, clocks.

Whatever happens: no release without its charge, one draw per release id, and history either
verifies or is refused in words.
"""

import os
import resource
import shutil
import signal
import stat
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from killing import (
    REMOVALS,
    SYNCS,
    WRITES,
    in_child,
    kill_at_every_change,
    kill_at_every_line,
    kill_at_every_syscall,
    quick_folder,
    trace,
)
from ledger_world import ABOUT, CHARGE, PLAN, World, connection_of
from sfumato.errors import BudgetError, LedgerError
from sfumato.ledger import Ledger
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import PureDP
from slowness import slow

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]  # kills, races, disks that fail

FILES = (
    "ledger_world.py",  # the publisher's own lines lie between the ledger's steps
    *(f"sfumato/ledger/{part}.py" for part in ("amount", "audit", "chain", "kept_head", "ledger")),
    *(f"sfumato/ledger/{part}.py" for part in ("period", "rules", "session", "sql")),
    *(f"sfumato/ledger/sqlite/{part}.py" for part in ("backend", "connection", "file")),
)
REFUSED = 3


@pytest.fixture
def folder():
    with quick_folder() as name:
        yield Path(name)


@pytest.fixture
def world(folder):
    return World(folder)


@pytest.fixture
def path(world):
    return world.path


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


def test_killed_at_a_line_a_publication_is_charged_and_drawn_at_most_once(world):
    survived = kill_at_every_line(world.publish, FILES, world.check_news, world.reset, stride=53)
    assert survived > 300


def test_killed_at_a_system_call_a_publication_is_charged_and_drawn_at_most_once(world, tracing):
    survived = kill_at_every_syscall(world.publish, world.check, world.reset, stride=23)
    assert survived > 100


@pytest.mark.slow
def test_killed_anywhere_a_publication_is_charged_and_drawn_at_most_once(
    world, tracing, state_folder
):
    def check(_):
        world.check_news()
        world.check()

    within = world.folder, state_folder
    assert kill_at_every_change(world.publish, check, world.reset, within) > 30
    assert len(world.seen) == 6  # every combination of charge, draw and file that can be


@pytest.mark.slow
def test_the_killing_itself_finds_a_publisher_that_draws_before_it_records(
    world, tracing, state_folder
):
    def hasty():
        with Ledger(world.path) as ledger:
            ledger.reserve("r", "adult", CHARGE, plan=PLAN, protects=ABOUT)
            world.draws.write_text("noise\n")
            ledger.draw("r", None)

    after = world.check, world.reset
    with pytest.raises(AssertionError):
        kill_at_every_line(hasty, FILES, *after, limit=9000, stride=31)
    with pytest.raises(AssertionError):
        kill_at_every_change(hasty, *after, (world.folder, state_folder))


@pytest.mark.parametrize("stride", [19, slow(3)])
def test_killed_at_any_line_a_creation_leaves_a_whole_ledger_or_none(folder, stride):
    folder = folder / "new"
    path, key = folder / "budget.db", folder / "budget.db.key"

    def prepare():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()

    def check(_):
        if path.exists() and path.stat().st_size == 0:
            with pytest.raises(LedgerError, match="is empty: remove it and create"):
                Ledger(path)
            path.unlink()
        if not path.exists() and key.exists():
            before = key.read_bytes()
            with pytest.raises(LedgerError, match="one that was never finished: move it away"):
                Ledger.create(path)
            assert key.read_bytes() == before
            key.unlink()
        if not path.exists():
            Ledger.create(path).close()
        with Ledger(path) as ledger:
            ledger.grant("adult", PureDP(1), reason="approved")
            ledger.verify()
            assert ledger.fingerprint_key
        assert {file.name for file in folder.iterdir()} == {"budget.db", "budget.db.key"}
        assert stat.S_IMODE(key.stat().st_mode) == 0o600

    create = lambda: Ledger.create(path).close()  # noqa: E731
    files = tuple(
        f"sfumato/ledger/{part}.py" for part in ("sqlite/file", "making", "fingerprint_key")
    )
    assert kill_at_every_line(create, files, check, prepare, stride=stride) > 50


# On the disk before it counts (P1 and F9)


def test_a_charge_is_synced_after_its_last_write_and_before_reserve_returns(
    path, tracing, monkeypatch
):
    def reserve(synchronous):
        ledger = Ledger(path)
        connection_of(ledger).execute(f"PRAGMA synchronous = {synchronous}")
        ledger.reserve(synchronous, "adult", PureDP("0.1"), plan=PLAN, protects=ABOUT)
        os._exit(0)  # before closing, which syncs as well

    def last_is_a_sync(synchronous):
        _, stops = trace(lambda: reserve(synchronous))
        return [call for call in stops if call in WRITES | SYNCS | REMOVALS][-1] in SYNCS

    # The note of the head comes after the commit and is no part of the promise.
    monkeypatch.setattr("sfumato.ledger.session.take_note", lambda *_: None)
    assert last_is_a_sync("EXTRA")
    assert not last_is_a_sync("FULL")  # a journal that comes back takes the charge back


def test_a_failed_sync_is_fatal_for_the_open_ledger_and_never_grants_anything(world, tracing):
    def reserve():
        ledger = Ledger(world.path)
        try:
            ledger.reserve("r", "adult", CHARGE, plan=PLAN, protects=ABOUT)
        except LedgerError as refusal:
            message = str(refusal)
        else:
            os._exit(0)
        if "the disk failed" in message and "open the ledger again" in message:
            with pytest.raises(LedgerError, match="an earlier read or write failed"):
                ledger.reserve("r", "adult", CHARGE, plan=PLAN, protects=ABOUT)
            os._exit(REFUSED)

    _, stops = trace(reserve)
    syncs = sum(call in SYNCS for call in stops) // 2
    outcomes = []
    for number in range(1, syncs + 1):
        world.reset()
        outcomes.append(trace(reserve, fail_sync=number)[0])
        world.check()
    # The folder at opening (an error there); the journal; its name, whose failure SQLite
    # overlooks and which a torn file would show; its header; the file; the journal's removal.
    assert outcomes == [1, REFUSED, 0, REFUSED, REFUSED, REFUSED]


# With forks and threads (F7)


def test_a_ledger_carried_over_a_fork_is_refused_there_and_whole_here(path):
    with Ledger(path) as ledger:

        def child():
            with ledger, pytest.raises(LedgerError, match="opened before a fork"):
                ledger.reserve("child", "adult", CHARGE, plan=PLAN, protects=ABOUT)
            with Ledger(path) as own:
                own.reserve("own", "adult", CHARGE, plan=PLAN, protects=ABOUT)

        assert in_child(child) == 0
        ledger.reserve("parent", "adult", CHARGE, plan=PLAN, protects=ABOUT)
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
        ledger.reserve("r", "adult", CHARGE, plan=PLAN, protects=ABOUT)
        ledger.verify()


def test_threads_share_a_ledger_and_spend_exactly_what_was_granted(path):
    ledger = Ledger(path)
    ledger.grant("shared", PureDP("0.000010"), reason="approved")

    def attempt(number):
        try:
            ledger.reserve(f"r{number}", "shared", PureDP("0.000001"), plan=PLAN, protects=ABOUT)
        except BudgetError:
            return 0
        return 1

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(40))) == 10
    assert ledger.balance("shared").left == Charge()
    ledger.verify()
    ledger.close()


# No room, or no writing (F8, F13)


@pytest.mark.slow
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
        ledger.reserve("before", "adult", CHARGE, plan=PLAN, protects=ABOUT)
        fill(small_disk)
        with pytest.raises(LedgerError, match="disk is full"):
            ledger.reserve("r", "adult", CHARGE, plan=PLAN, protects=ABOUT)
        with Ledger(path) as again:
            spent = again.balance("adult").spent
            again.verify()
            with pytest.raises(LedgerError, match="disk is full"):
                again.reserve("r", "adult", CHARGE, plan=PLAN, protects=ABOUT)
    (small_disk / "filler").unlink()
    with Ledger(path) as ledger:
        assert ledger.balance("adult").spent == spent == Charge(400_000)
        ledger.reserve("after", "adult", CHARGE, plan=PLAN, protects=ABOUT)
        ledger.verify()


def test_a_read_only_mount_is_refused_with_the_reason(small_disk):
    path = small_disk / "budget.db"
    Ledger.create(path).close()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    for use in (lambda: Ledger(path), lambda: Ledger.create(small_disk / "new.db")):
        with pytest.raises(LedgerError, match="read-only mount"):
            use()
