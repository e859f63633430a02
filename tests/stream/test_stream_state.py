"""A paused stream: the same series goes on once, in one process, under the plan it began with."""

import copy
import json
import os
import pickle
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest

from killing import CAN_TRACE, kill_at_every_line, kill_at_every_syscall, quick_folder
from sfumato.errors import ReleaseError
from sfumato.privacy.guarantee import ApproxDP, PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits, SystemBits
from sfumato.release.folder import _machine
from sfumato.stream.counting import Counter
from sfumato.stream.source import open_bits
from sfumato.stream.state import Series, owner, save, take
from slowness import slow
from stream_world import ToldPurse, planned, series

STREAM = np.arange(50) % 3 == 0
WAYS = [
    (PureDP(1), {}),
    (PureDP(1), {"every": 7, "smooth": "monotone"}),
    (PureDP(1), {"pan": True}),
    (PureDP(1), {"pan": True, "every": 7}),
    (ApproxDP(1, "1e-6"), {"smooth": "none"}),
    (ApproxDP(1, "1e-6"), {"every": 7}),
]
every_way = pytest.mark.parametrize(("budget", "options"), WAYS)
R = Series("r")
BELONGS = R.facts


def noise():
    """Noise that is told: the same for a run with a pause and one without."""
    return iter(np.random.default_rng(5).integers(-(2**30), 2**30, 10_000).tolist())


def counted(plan, upto=20, bits=None):
    counter = Counter(plan, bits or ToldPurse(plan.budget, noise()))
    counter.count(STREAM[:upto])
    return counter


def resumed(place, plan, series=R):
    return Counter.resume(place, plan, ToldPurse(plan.budget), series)


def taken(place):
    return take(place, BELONGS, lambda saved, position: saved.wholes("sums", 2, most=9).tolist())


@every_way
@pytest.mark.parametrize("cuts", [(0,), (1,), (20,), (49,), (50,), (3, 3, 21, 22, 48)])
def test_a_series_with_pauses_is_the_series_without(budget, options, cuts, tmp_path):
    plan, told = planned(50, budget, **options), noise()
    times, values = series(plan, STREAM, ToldPurse(plan.budget, noise()))
    counter, parts, begin = Counter(plan, ToldPurse(plan.budget, told)), [], 0
    for cut in cuts:
        parts.append(counter.count(STREAM[begin:cut]))
        counter.save(tmp_path / "state", R)
        purse = ToldPurse(plan.budget, told)
        counter = Counter.resume(tmp_path / "state", plan, purse, R)
        assert counter.position == cut
        begin = cut
    parts.append(counter.count(STREAM[begin:]))
    assert np.array_equal(np.concatenate([part[0] for part in parts]), times)
    assert np.array_equal(np.concatenate([part[1] for part in parts]), values)


def test_a_resumed_run_passes_over_what_was_counted(tmp_path):
    plan = planned(50, PureDP(1))
    counted(plan).save(tmp_path / "state", R)
    with open_bits(STREAM) as source:
        ((times, _),) = list(resumed(tmp_path / "state", plan).run(source))
    assert times.tolist() == list(range(21, 51))


@every_way
def test_noise_after_a_pause_is_fresh(budget, options, tmp_path):
    """Two counters in the same state, resumed by the system's bits, publish different noise."""
    rest = []
    for _ in range(2):
        plan = planned(50, budget, **(options | {"smooth": "none"}))
        told = ToldPurse(plan.budget)
        told.bits = SystemBits()
        counted(plan, bits=told).save(tmp_path / "state", R)
        purse = Purse(plan.budget, SystemBits())
        counter = Counter.resume(tmp_path / "state", plan, purse, R)
        rest.append(counter.count(STREAM[20:])[1].tolist())
    assert rest[0] != rest[1]


@every_way
def test_the_file_is_for_its_owner_and_says_what_it_holds(budget, options, tmp_path):
    before = os.umask(0)
    try:
        counted(planned(50, budget, **options)).save(
            tmp_path / "state", Series("visits-1", "a1", 3)
        )
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o600
    paper = json.loads((tmp_path / "state").read_text())
    assert ("NOT PRIVATE" in paper["caution"]) == ("pan" not in options)
    assert owner(tmp_path / "state") == (Series("visits-1", "a1", 3), 20)
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


def test_a_state_is_taken_up_once(tmp_path):
    plan = planned(50, PureDP(1))
    counted(plan).save(tmp_path / "state", R)
    resumed(tmp_path / "state", plan)
    with pytest.raises(ReleaseError, match="resumed before, or never saved"):
        resumed(tmp_path / "state", plan)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("other", "match"),
    [
        ({"horizon": 51}, "another plan"),
        ({"budget": PureDP(2)}, "another plan"),
        ({"every": 2}, "another plan"),
        ({"smooth": "none"}, "another plan"),
        ({"series": Series("s")}, "another release"),
        ({"series": Series("r", "a1")}, "another ledger"),
        ({"series": Series("r", part=1)}, "another part"),
        ({"bits": SystemBits()}, "another kind of run"),
    ],
)
def test_what_a_state_does_not_belong_to_is_refused_and_the_state_stays(other, match, tmp_path):
    asked = {"horizon": 50, "budget": PureDP(1), "series": R, "bits": SeededBits(0)} | other
    counted(planned(50, PureDP(1))).save(tmp_path / "state", R)
    before = (tmp_path / "state").read_bytes()
    series, bits = asked.pop("series"), asked.pop("bits")
    plan = planned(asked.pop("horizon"), asked.pop("budget"), **asked)
    with pytest.raises(ReleaseError, match=match):
        Counter.resume(tmp_path / "state", plan, Purse(plan.budget, bits), series)
    assert (tmp_path / "state").read_bytes() == before


def test_any_damage_is_refused_and_left_as_it_is(tmp_path, rng):
    plan = planned(50, PureDP(1))
    place = tmp_path / "state"
    counted(plan).save(place, R)
    whole = place.read_bytes()
    for at in rng.integers(0, len(whole), 60):
        # Another character that JSON and its reader do not take for the same content.
        place.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(ReleaseError, match=r"damaged|no state|another version"):
            resumed(place, plan)
    for length in (0, 1, len(whole) // 2, len(whole) - 3):
        place.write_bytes(whole[:length])
        with pytest.raises(ReleaseError, match="damaged"):
            resumed(place, plan)
    place.write_text('{"kind": "something else"}')
    with pytest.raises(ReleaseError, match="no state"):
        resumed(place, plan)
    place.write_bytes(whole)
    assert resumed(place, plan).position == 20


def test_a_state_of_another_version_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("sfumato.stream.state._FORMAT", 3)
    save(tmp_path / "state", {"sums": [0, 0]}, BELONGS, position=0, caution="")
    monkeypatch.undo()
    with pytest.raises(ReleaseError, match="another version"):
        taken(tmp_path / "state")


def test_a_state_with_a_second_name_is_refused(tmp_path):
    save(tmp_path / "state", {"sums": [0, 0]}, BELONGS, position=0, caution="")
    (tmp_path / "hard").hardlink_to(tmp_path / "state")
    with pytest.raises(ReleaseError, match="one name"):
        taken(tmp_path / "state")
    (tmp_path / "hard").unlink()
    (tmp_path / "soft").symlink_to(tmp_path / "state")
    with pytest.raises(ReleaseError, match="cannot be read"):
        taken(tmp_path / "soft")
    with pytest.raises(ReleaseError, match="cannot be read"):
        taken(tmp_path)
    assert taken(tmp_path / "state") == [0, 0]


def test_a_state_that_cannot_be_saved_leaves_the_counter_alive(tmp_path):
    counter = counted(planned(50, PureDP(1)))
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(ReleaseError, match="exists: choose another name"):
        counter.save(tmp_path / "taken", R)
    with pytest.raises(ReleaseError, match="cannot be written"):
        counter.save(tmp_path / "nowhere" / "state", R)
    assert (tmp_path / "taken").read_text() == "mine"
    assert counter.count(STREAM[20:30])[0].size == 10
    counter.save(tmp_path / "state", R)
    assert owner(tmp_path / "state") == (R, 30)


def test_a_saved_counter_does_not_go_on(tmp_path):
    plan = planned(50, PureDP(1), every=5)
    counter = Counter(plan, ToldPurse(plan.budget))
    running = counter.run(open_bits(iter(STREAM.tolist())))
    next(running)
    counter.save(tmp_path / "state", R)
    for go_on in (
        lambda: next(running),
        lambda: counter.count([1]),
        lambda: counter.save(tmp_path / "again", R),
    ):
        with pytest.raises(ReleaseError, match="cannot be"):
            go_on()


@pytest.mark.parametrize("budget", [PureDP(1), ApproxDP(1, "1e-6")])
def test_an_interrupted_counter_does_not_go_on(budget, tmp_path, monkeypatch):
    counter = counted(planned(50, budget))
    monkeypatch.setattr(counter._counts, "estimate", lambda noisy: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        counter.count([1])
    monkeypatch.undo()
    with pytest.raises(ReleaseError, match="interrupted"):
        counter.count([1])
    with pytest.raises(ReleaseError, match="interrupted"):
        counter.save(tmp_path / "state", R)


def test_a_counter_cannot_be_copied():
    counter = counted(planned(50, PureDP(1)))
    for clone in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="two would count the same bits"):
            clone(counter)


def test_of_many_that_try_at_once_one_takes_the_state_up(tmp_path):
    together = Barrier(8)

    def attempt(_):
        together.wait()
        with suppress(ReleaseError):
            taken(tmp_path / "state")
            return 1
        return 0

    with ThreadPoolExecutor(8) as pool:
        for _ in range(50):
            save(tmp_path / "state", {"sums": [0, 0]}, BELONGS, position=0, caution="")
            assert sum(pool.map(attempt, range(8))) == 1


@pytest.fixture
def place():
    with quick_folder() as folder:
        yield Path(folder) / "state"


def clear(place):
    for path in place.parent.iterdir():
        path.unlink()


def at_every_line(action, check, prepare, stride):
    files = ("stream/state.py", "release/folder.py")
    return kill_at_every_line(action, files, check, prepare, stride=stride)


def at_every_syscall(action, check, prepare, stride):
    return kill_at_every_syscall(action, check, prepare, stride=stride)


def kills(test):
    ways = [at_every_line, *([at_every_syscall] if CAN_TRACE else [])]
    every = pytest.mark.parametrize("kill", ways)
    return pytest.mark.parametrize("stride", [5, slow(1)])(every(test))


@kills
def test_a_kill_while_saving_leaves_a_whole_state_or_none(kill, stride, place):
    def check(k):
        if place.exists():
            assert taken(place) == [1, 2]

    def act():
        save(place, {"sums": [1, 2]}, BELONGS, position=2, caution="")

    assert kill(act, check, lambda: clear(place), stride) > 10


@kills
def test_a_kill_while_taking_up_never_leaves_the_state_to_be_taken_again(kill, stride, place):
    done = place.parent / "done"

    def act():
        taken(place)
        done.touch()  # from here on noise would be drawn

    def prepare():
        clear(place)
        save(place, {"sums": [1, 2]}, BELONGS, position=2, caution="")

    def check(k):
        if done.exists():
            assert not place.exists()
        elif place.exists():
            assert taken(place) == [1, 2]

    assert kill(act, check, prepare, stride) > 10


def test_the_state_that_was_read_is_the_one_that_is_removed(place, monkeypatch):
    """Another file under the same name, put there in between, is not consumed for the first."""
    save(place, {"sums": [1, 1]}, BELONGS, position=1, caution="")
    plain = type(place).rename

    def swapped(self, target):
        if ".partial-" in str(target):
            monkeypatch.undo()
            self.unlink()  # its number in the file system may go to the next file
            save(self, {"sums": [2, 2]}, BELONGS, position=1, caution="")
        return plain(self, target)

    monkeypatch.setattr(type(place), "rename", swapped)
    with pytest.raises(ReleaseError, match="was replaced"):
        taken(place)
    assert taken(place) == [2, 2]


def test_what_a_killed_process_left_is_swept_away_by_the_next_to_save(place):
    left = place.with_name(f".{place.name}.partial-00-{_machine()}-99999999")
    left.write_text("exact sums")
    save(place, {"sums": [0, 0]}, BELONGS, position=0, caution="")
    assert not left.exists()
