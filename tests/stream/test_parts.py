"""Parts of a paused series: each is counted once, by the ledger that the series was charged to."""

import json
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest

import sfumato as sf
from killing import (
    CAN_TRACE,
    kill_at_every_change,
    kill_at_every_line,
    kill_at_every_syscall,
    quick_folder,
)
from ledger_world import forget_heads
from sfumato.cli import main
from sfumato.errors import DataError, LedgerError, Refused, ReleaseError
from sfumato.ledger.kept_head import note_file
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.randomness import SystemBits
from sfumato.release.digest import digest
from sfumato.release.folder import CERTIFICATE

BITS = np.random.default_rng(4).integers(0, 2, 1_024).astype(np.uint8)
ASKED = {"horizon": 1_024, "every": 64, "epsilon": 1, "smooth": "none", "name": "visits"}


@pytest.fixture
def ledger(tmp_path):
    with made(tmp_path / "budget.db") as ledger:
        yield ledger


def made(place):
    ledger = sf.Ledger.create(place)
    ledger.grant("visits", PureDP(1), reason="approved")
    return ledger


def begun(ledger, state, **asked):
    return sf.publish_stream(BITS[:64], ledger=ledger, pause=state, release="r", **(ASKED | asked))


def gone_on(ledger, state, upto=1_024, **asked):
    return sf.publish_stream(BITS[:upto], ledger=ledger, resume=state, **(ASKED | asked))


def passed(folder, ledger=None):
    return {check.name: check.passed for check in sf.verify(folder, ledger=ledger)}


def test_of_forty_copies_of_a_state_one_is_gone_on_with(ledger, tmp_path):
    begun(ledger, tmp_path / "state")
    for k in range(40):
        shutil.copy(tmp_path / "state", tmp_path / f"copy{k}")
    for k in range(40):
        if k:
            with pytest.raises(ReleaseError, match="from a copy of it: the same bits are never"):
                gone_on(ledger, tmp_path / f"copy{k}", folder=tmp_path / f"c{k}")
        else:
            gone_on(ledger, tmp_path / f"copy{k}", folder=tmp_path / f"c{k}")
    assert all(passed(tmp_path / "c0", ledger).values())
    assert not (tmp_path / "c1").exists()


def test_copies_that_are_gone_on_with_at_once_publish_once(ledger, tmp_path):
    begun(ledger, tmp_path / "state")
    together = Barrier(6)
    for k in range(6):
        shutil.copy(tmp_path / "state", tmp_path / f"copy{k}")

    def attempt(k):
        with sf.Ledger(tmp_path / "budget.db") as mine, suppress(Refused):
            together.wait()
            return gone_on(mine, tmp_path / f"copy{k}").table.num_rows
        return 0

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(attempt, range(6))) == [0, 0, 0, 0, 0, 15]


@pytest.mark.parametrize("pan", [False, True])
def test_every_part_is_a_line_that_costs_nothing_and_verifies(ledger, tmp_path, pan):
    state = tmp_path / "state"
    begun(ledger, state, folder=tmp_path / "p0", pan=pan)
    spent = ledger.balance("visits").spent
    for part, upto in enumerate((65, 100, 500, 1_024), start=1):  # the first brings no figure
        gone_on(ledger, state, upto, pause=state, folder=tmp_path / f"p{part}", pan=pan)
        entry = ledger.entry(f"r+{part}")
        assert (entry.state, entry.part) == ("released", part)
        paper = json.loads((tmp_path / f"p{part}" / CERTIFICATE).read_text())
        assert paper["stream"]["continues"]["part"] == part
    assert ledger.balance("visits").spent == spent
    for part in range(5):
        assert all(passed(tmp_path / f"p{part}", ledger).values())
    times = [
        time
        for part in range(5)
        for time in sf.Release.load(tmp_path / f"p{part}").table["time"].to_pylist()
    ]
    assert times == list(range(64, 1_025, 64))


def test_going_on_needs_the_ledger_that_was_charged(ledger, tmp_path):
    state = tmp_path / "state"
    begun(ledger, state)
    before = state.read_bytes()
    with pytest.raises(
        ReleaseError, match=f"counted by ledger {ledger.ledger_id}: resume it with that one"
    ):
        gone_on(None, state)
    with made(tmp_path / "other.db") as other, pytest.raises(ReleaseError, match="with the first"):
        gone_on(other, state)
    assert state.read_bytes() == before
    assert gone_on(ledger, state).table.num_rows == 15


def test_a_series_without_a_ledger_says_that_nothing_counted_its_parts(ledger, tmp_path):
    state = tmp_path / "state"
    begun(None, state, folder=tmp_path / "p0")
    with pytest.raises(ReleaseError, match="begun without a ledger"):
        gone_on(ledger, state)
    gone_on(None, state, folder=tmp_path / "p1")
    for part in ("p0", "p1"):
        limits = json.loads((tmp_path / part / CERTIFICATE).read_text())["limits"]
        assert any("kept count of the parts" in limit for limit in limits)
        assert all(passed(tmp_path / part).values())
    begun(ledger, state, folder=tmp_path / "q0")
    limits = json.loads((tmp_path / "q0" / CERTIFICATE).read_text())["limits"]
    assert not any("kept count of the parts" in limit for limit in limits)


def forge(folder, **changes):
    paper = json.loads((folder / CERTIFICATE).read_text()) | changes
    paper["seal"] = digest(paper)
    (folder / CERTIFICATE).write_text(json.dumps(paper))


def test_a_part_that_the_ledger_did_not_record_is_found_by_verify(ledger, tmp_path):
    """Made from a copy on a ledger that was put back to an earlier day."""
    state = tmp_path / "state"
    begun(ledger, state)
    shutil.copy(state, tmp_path / "copy")
    shutil.copy(tmp_path / "budget.db", tmp_path / "earlier.db")
    gone_on(ledger, state, folder=tmp_path / "first")
    note_file(ledger.ledger_id).unlink()  # or the earlier one would not even be opened
    with sf.Ledger(tmp_path / "earlier.db") as earlier:
        gone_on(earlier, tmp_path / "copy", folder=tmp_path / "second")
        assert passed(tmp_path / "second", earlier)["ledger"]
    assert passed(tmp_path / "first", ledger)["ledger"]
    assert not passed(tmp_path / "second", ledger)["ledger"]


@pytest.mark.parametrize(
    "changes",
    [
        {"release": "r+2"},
        {"stream": {"horizon": 1_024, "continues": {"release": "r", "part": 2, "from": 64}}},
        {"stream": {"horizon": 1_024, "continues": {"release": "s", "part": 1, "from": 64}}},
        {"stream": {"horizon": 1_024, "continues": None}},
        {"release": "r"},
    ],
)
def test_a_certificate_that_names_another_part_is_found(ledger, tmp_path, changes):
    state = tmp_path / "state"
    begun(ledger, state)
    gone_on(ledger, state, folder=tmp_path / "p1")
    forge(tmp_path / "p1", **changes)
    assert not passed(tmp_path / "p1", ledger)["ledger"]


def test_a_state_that_was_set_back_does_not_go_on(ledger, tmp_path):
    """Forged: it names an earlier part, a later one, or an earlier position."""
    state = tmp_path / "state"
    begun(ledger, state)
    gone_on(ledger, state, 500, pause=state)
    paper = json.loads(state.read_text())
    for facts, position in (
        ({"part": 0}, paper["position"]),
        ({"part": 2}, paper["position"]),
        ({}, 64),
    ):
        forged = {**paper, "belongs to": paper["belongs to"] | facts, "position": position}
        state.write_text(json.dumps({**forged, "seal": digest(forged)}))
        with pytest.raises((ReleaseError, LedgerError)):
            gone_on(ledger, state)
    state.write_text(json.dumps(paper))
    with pytest.raises(LedgerError):  # the part was begun from the forged position
        gone_on(ledger, state)


def test_what_is_refused_before_the_draw_can_be_resumed(ledger, tmp_path):
    state = tmp_path / "state"
    begun(ledger, state)
    short = iter(BITS[:10].tolist())  # of an array it would be known before the line is written
    for wrong, match in ((short, "shorter than what was counted"), (BITS + 5, "0 and 1")):
        with pytest.raises(DataError, match=match) as refused:
            sf.publish_stream(wrong, ledger=ledger, resume=state, **ASKED)
        assert "it can be resumed" in str(refused.value)
    assert ledger.entry("r+1").state == "reserved"
    assert gone_on(ledger, state).table.num_rows == 15


def test_a_part_that_was_killed_before_it_was_settled_is_settled_by_the_next_run(
    ledger, tmp_path, monkeypatch
):
    state = tmp_path / "state"
    begun(ledger, state)
    monkeypatch.setattr(type(ledger), "settle", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        gone_on(ledger, state, folder=tmp_path / "p1")
    monkeypatch.undo()
    assert ledger.entry("r+1").state == "drawn"
    assert not state.exists()
    again = gone_on(ledger, state, folder=tmp_path / "p1")
    assert again.table.num_rows == 15
    assert all(passed(tmp_path / "p1", ledger).values())
    with pytest.raises(ReleaseError, match="resumed before"):
        gone_on(ledger, state, folder=tmp_path / "p2")


class _Told(SystemBits):
    """Leaves a mark as soon as there is a bit of noise."""

    mark = None

    def words(self, count):
        found = super().words(count)
        if not self.mark.exists():
            self.mark.touch()
        return found


def at_every_line(action, check, prepare, home):
    files = (
        "publishing/stream.py",
        "stream/state.py",
        "release/folder.py",
        "stream/counting.py",
        "sfumato/publishing/transaction.py",
    )
    return kill_at_every_line(action, files, check, prepare, stride=61)


def at_every_syscall(action, check, prepare, home):
    return kill_at_every_syscall(action, check, prepare, stride=61)


def at_every_change(action, check, prepare, home):
    within = home, Path(os.environ["XDG_STATE_HOME"])
    return kill_at_every_change(action, check, prepare, within)


def killed(kill, monkeypatch, *, faulty=False):
    """Kill a part at many points; a kept copy of its state goes on only if no noise was drawn."""
    with quick_folder() as folder:
        home, seen = Path(folder), set()
        _Told.mark = home / "noise"
        monkeypatch.setattr("sfumato.publishing.transaction.SystemBits", _Told)

        def prepare():
            for path in home.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            forget_heads()
            with made(home / "l.db") as ledger:
                begun(ledger, home / "state")
            shutil.copy(home / "state", home / "copy")
            _Told.mark.unlink(missing_ok=True)

        def act():  # in a process of its own
            if faulty:
                monkeypatch.setattr(sf.Ledger, "draw", lambda *_: None)
            with sf.Ledger(home / "l.db") as ledger:
                gone_on(ledger, home / "state", 500, pause=home / "next", folder=home / "p1")

        def check(k):
            drawn = _Told.mark.exists()
            with sf.Ledger(home / "l.db") as ledger:
                ledger.verify()
                entry = ledger.entry("r+1")
                if drawn:
                    assert entry.state in ("drawn", "released"), "noise before the draw"
                left = drawn, entry and entry.state, len([*home.rglob("*")])
                if left in seen:  # what comes of it was tried
                    return
                seen.add(left)
                try:
                    gone_on(ledger, home / "copy", 500, folder=home / "again")
                    went_on = True
                except Refused:
                    went_on = False
                assert not (drawn and went_on)
                if not drawn and entry is None:
                    assert went_on  # nothing had happened: nothing is lost
                if (home / "next").exists():
                    assert gone_on(ledger, home / "next").table.num_rows == 9
                    assert ledger.entry("r+2").state == "released"

        return kill(act, check, prepare, home)


traced = pytest.mark.skipif(not CAN_TRACE, reason="needs ptrace on Linux x86-64")


@pytest.mark.parametrize("kill", [at_every_line, pytest.param(at_every_syscall, marks=traced)])
def test_a_kill_on_the_way_of_a_part_wastes_it_and_never_grants_another(kill, monkeypatch):
    assert killed(kill, monkeypatch) > 60


@traced
@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_kill_at_any_point_of_a_part_wastes_it_and_never_grants_another(monkeypatch):
    assert killed(at_every_change, monkeypatch) > 15


@traced
@pytest.mark.slow
def test_the_kills_find_a_ledger_that_is_not_told_of_the_draw(monkeypatch):
    with pytest.raises(AssertionError, match="noise before the draw"):
        killed(at_every_change, monkeypatch, faulty=True)


def test_the_command_goes_on_with_the_ledger_and_refuses_to_go_on_without(
    monkeypatch, capsys, tmp_path
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SFUMATO_LEDGER", raising=False)
    made(tmp_path / "budget.db").close()
    (tmp_path / "day.txt").write_text("".join(map(str, BITS[:600])))
    (tmp_path / "week.txt").write_text("".join(map(str, BITS)))
    common = "--name visits --horizon 1024 --every 64 --epsilon 1"
    for line, code, said in (
        (f"count day.txt {common} --ledger budget.db --pause s -o one", 0, "--resume s"),
        (f"count week.txt {common} --resume s -o two", 1, "--ledger"),
        (f"count week.txt {common} --ledger budget.db --resume s -o two", 0, "7 figures"),
    ):
        monkeypatch.setattr(sys, "argv", ["sfumato", "stream", *line.split()])
        with pytest.raises(SystemExit) as leaving:
            main()
        told = capsys.readouterr()
        assert (leaving.value.code or 0) == code, told.err
        assert said in told.out + told.err
