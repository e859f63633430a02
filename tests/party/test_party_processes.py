"""Three processes on one machine, one of them killed: the others open what one owner would have."""

import os
import signal
import time

import pytest

from killing import kill_at_every_line, spawn
from party_world import NAMES, World
from sfumato import party
from sfumato.errors import PartyError
from sfumato.ledger import Ledger
from sfumato.party.document import ContributionFile
from sfumato.party.state import locked
from sfumato.privacy.guarantee import PureDP
from slowness import slow

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
PATIENCE = 20.0  # seconds


def waiting(act):
    """Do it as soon as the files of the others are there."""
    stop = time.monotonic() + PATIENCE
    while True:
        try:
            return act()
        except PartyError:
            if time.monotonic() > stop:
                raise
            time.sleep(0.005)


def take_part(world, name, killed):
    """All steps of one party, in a process of its own; the third one may be killed on the way."""

    def die(stage):
        if name == "west" and stage == killed:
            os.kill(os.getpid(), signal.SIGKILL)

    party.join(world.exchange, name, world.state(name))
    waiting(lambda: party.share(world.exchange, world.state(name)))
    die("before it contributes")
    waiting(lambda: world.contribute(name))
    die("after it contributed")
    expected = NAMES[:2] if killed == "before it contributes" else NAMES
    waiting(lambda: all_there(world, expected))
    party.open_round(world.exchange, world.state(name))


def all_there(world, names):
    if not all(world.exchange.arrived(name, "contribution", 1) for name in names):
        raise PartyError("not yet")


@pytest.mark.parametrize("killed", ["before it contributes", "after it contributed", None])
def test_three_processes_open_what_one_owner_would_have_released(tmp_path, killed):
    world = World(tmp_path)
    processes = {
        name: spawn(lambda name=name: take_part(world, name, killed)) for name in world.names
    }
    ends = {
        name: os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        for name, process in processes.items()
    }
    expected = -signal.SIGKILL if killed else 0
    assert ends == {"north": 0, "south": 0, "west": expected}
    left = NAMES[:2] if killed == "before it contributes" else NAMES
    assert world.combined().synopsis == world.owner(*left)


class Killed:
    """A contribution that is killed, and run again."""

    def __init__(self, path):
        self.world = World(path).joined()
        self.fresh = self.world.state("north").read_bytes()
        self.file = self.world.folder / "north.contribution-1.json"
        self.budget = path / "north.db"

    def prepare(self):
        self.world.state("north").write_bytes(self.fresh)
        self.file.unlink(missing_ok=True)
        for file in (self.budget, self.budget.with_name("north.db.key")):
            file.unlink(missing_ok=True)
        with Ledger.create(self.budget) as ledger:
            ledger.grant("study", PureDP(1), reason="once")

    def contribute(self):
        with Ledger(self.budget) as ledger:
            self.world.contribute("north", seeds={}, ledger=ledger)

    def check(self, _):
        seen = self.file.read_bytes() if self.file.exists() else None
        with Ledger(self.budget) as ledger:
            ledger.verify()
            entry = ledger.entry("study-1")
            assert seen is None or entry.state in ("drawn", "released")
        with locked(self.world.state("north")) as state:
            kept = state.sent("contribution-1", ContributionFile)
        assert kept is None or entry.state in ("drawn", "released")
        if seen is not None:
            assert ContributionFile.read(self.file) == kept
        if kept is None and entry is not None and entry.state == "drawn":
            with pytest.raises(PartyError, match="never drawn twice"):
                self.contribute()
            return
        self.contribute()
        assert seen is None or self.file.read_bytes() == seen
        with Ledger(self.budget) as ledger:
            assert ledger.balance("study").spent.micro_epsilon == 1_000_000
            assert ledger.entry("study-1").state == "released"
        assert not list(self.world.path.rglob("*.partial-*"))


@pytest.mark.parametrize("stride", [29, slow(5)])
def test_killed_at_every_line_no_second_contribution_leaves_under_the_same_masks(tmp_path, stride):
    work = Killed(tmp_path)
    files = ("party/contributing.py", "party/state.py", "party/document.py", "release/folder.py")
    survived = kill_at_every_line(work.contribute, files, work.check, work.prepare, stride=stride)
    assert survived > 100


def test_two_processes_of_one_party_make_one_contribution(tmp_path):
    world = World(tmp_path).joined()

    def contribute():
        world.contribute("north", seeds={})

    children = [spawn(contribute) for _ in range(3)]
    ends = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert ends == [0, 0, 0]
    with locked(world.state("north")) as state:
        kept = state.sent("contribution-1", ContributionFile)
    assert ContributionFile.read(world.folder / "north.contribution-1.json") == kept
