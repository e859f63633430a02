"""A worker is killed on its way: one charge, nothing half-written, and a way on is told."""

import os
import re
import signal

import pytest

import doomed
from jobs_world import ROWS, World, again, begun
from killing import kill_at_every_line
from sfumato.ledger import Ledger
from sfumato.publishing.verify import verify
from sfumato.studio import work

# Where it was killed: what the next start says, what may be done, and how often it was charged.
KILLED = [
    ("killed before the charge", "not begun", "finish", 0),
    ("killed once charged", "charged", "finish refund", 1),
    ("killed once drawn", "lost", "", 1),
    ("killed while writing", "lost", "", 1),
    ("killed in place", "whole", "finish", 1),
    ("killed once settled", "released", "finish", 1),
]


def ways(found):
    return " ".join(way for way in ("finish", "refund") if getattr(found, f"may_{way}"))


@pytest.mark.parametrize(("fate", "what", "way", "charges"), KILLED)
def test_after_a_kill_the_next_start_says_what_happened(tmp_path, fate, what, way, charges):
    world = World(tmp_path)
    job, code = begun(world, fate)
    found = world.jobs().standing(job)
    assert (code, found.what, ways(found)) == (-signal.SIGKILL, what, way)
    assert (world.lines("reserve"), world.spent) == (charges, charges)
    assert not world.left_over()
    place = world.project.releases / job
    assert place.exists() == (what in ("whole", "released"))
    assert world.jobs().standing(job).done < 4
    if way:
        assert again(world, job) == 0
        found = world.jobs().standing(job)
        assert (found.what, found.done, ways(found)) == ("released", 4, "")
        with Ledger(world.ledger_path) as ledger:
            assert verify(place, ledger=ledger).passed
    assert (world.lines("reserve"), world.lines("draw"), world.spent) == (1, 1, 1)


def test_a_budget_whose_release_drew_nothing_is_given_back_once(tmp_path):
    world = World(tmp_path)
    job, _ = begun(world, "killed once charged")
    world.jobs().refund(job, reason="not wanted any more")
    found = world.jobs().standing(job)
    assert (found.what, ways(found), world.spent) == ("refunded", "", 0)
    with pytest.raises(Exception, match="was refunded"):
        world.jobs().refund(job, reason="not wanted any more")
    again(world, job)
    assert (world.lines("draw"), world.spent) == (0, 0)


@pytest.mark.parametrize("fate", ["killed once drawn", "killed in place", "killed once settled"])
def test_what_has_drawn_noise_is_never_given_back(tmp_path, fate):
    world = World(tmp_path)
    job, _ = begun(world, fate)
    for way in (lambda: world.jobs().refund(job, reason="wanted"), lambda: world.jobs().stop(job)):
        with pytest.raises(Exception, match=r"cannot refund|charge is final"):
            way()
    assert world.spent == 1


def test_two_workers_of_one_release_draw_once(tmp_path):
    world = World(tmp_path)
    job, _ = begun(world, "work")
    assert again(world, job) == 0
    assert (world.lines("reserve"), world.lines("draw"), world.lines("settle")) == (1, 1, 1)


@pytest.mark.parametrize(
    ("fate", "what"),
    [
        ("fault before the charge", "refused"),
        ("fault once charged", "charged"),
        ("fault once drawn", "lost"),
    ],
)
def test_what_a_foreign_error_says_is_found_nowhere(tmp_path, fate, what, capfd):
    world = World(tmp_path)
    job, code = begun(world, fate)
    found = world.jobs().standing(job)
    ending = world.jobs().folder.ending(job)
    assert (code, found.what, len(found.number), found.text) == (0, what, 6, "")
    assert ending.place.startswith("ValueError at ")
    assert not [name for name, text in world.files().items() if doomed.CANARY.encode() in text]
    assert doomed.CANARY not in "".join(capfd.readouterr())


def test_a_refusal_is_told_in_our_own_words_and_nothing_was_charged(tmp_path):
    world = World(tmp_path, epsilon="0.5")
    job, _ = begun(world, "work")
    found = world.jobs().standing(job)
    assert (found.what, world.lines("reserve")) == ("refused", 0)
    assert "has epsilon 0.5 left" in found.text
    with Ledger(world.ledger_path) as ledger:
        ledger.grant("visits", epsilon=1, reason="the board met again")
    again(world, job)
    assert world.jobs().standing(job).what == "released"


def test_records_that_do_not_fit_pay_for_the_counts_alone(tmp_path):
    world = World(tmp_path, rows="age,ward\n" + "old,elsewhere\n" * 2_000)
    job, _ = begun(world, "work", epsilon="3")
    found = world.jobs().standing(job)
    assert (found.what, ways(found)) == ("misfit", "")
    assert 0 < world.spent < 0.1
    assert "do not fit" in found.text
    assert "with your own eyes: a look at whether the file fits" in found.text
    assert "on the page of the promise" in found.text
    assert not re.search(r"sfumato |--|misfit=|fit=", found.text)
    assert ". ".join(found.parts) == found.text
    assert any("Column age" in part for part in found.parts)


@pytest.mark.parametrize("misfit", ["0.01", "0.05", "0.2", "none"])
def test_so_many_records_may_fail_to_fit_as_was_chosen(tmp_path, misfit):
    rows = "age,ward\n" + "30,north\n" * 9_000 + "old,north\n" * 1_000
    world = World(tmp_path, rows=rows)
    job, _ = begun(world, "work", epsilon="3", misfit=misfit)
    stops = misfit in ("0.01", "0.05")
    assert world.jobs().standing(job).what == ("misfit" if stops else "released")
    assert (world.spent == 3) is not stops


def test_a_doubt_that_nobody_has_read_stops_before_the_charge(tmp_path):
    world = World(tmp_path, rows="age,ward\n30,north\n50,south\n")
    job, _ = begun(world, "work", epsilon="0.01")
    found = world.jobs().standing(job)
    assert (found.what, world.lines("reserve")) == ("refused", 0)
    doubt = found.text.removesuffix(" Nothing was charged")
    assert "guessing" in doubt
    jobs = world.jobs()
    jobs.folder.change(jobs.asked(job).despite(doubt))
    again(world, job)
    assert world.jobs().standing(job).what == "released"


@pytest.mark.parametrize("kind", ["publish", "fit"])
@pytest.mark.parametrize("spoilt", [2, 200])
def test_no_cell_that_is_not_declared_leaves_the_worker(tmp_path, kind, spoilt, monkeypatch):
    cells = "".join(f"CANARY{k}a,CANARY{k}b\n" for k in range(spoilt))
    world = World(tmp_path, rows=ROWS + cells)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    told = tmp_path / "told"
    with told.open("wb") as pipe:
        job, code = begun(world, "work", pipe.fileno(), kind=kind, epsilon="3")
    assert (code, world.jobs().folder.ending(job).outcome) in ((0, "done"), (0, "refused"))
    assert (b"unreadable" in told.read_bytes()) == (kind == "fit")
    assert not [name for name, text in world.files().items() if b"CANARY" in text]


@pytest.mark.slow
def test_killed_at_every_second_line_of_its_own_a_worker_leaves_one_charge_and_a_way_on(tmp_path):
    world = World(tmp_path, epsilon=100)
    jobs, asked, seen = world.jobs(), [], set()

    def prepare():
        asked.append(world.asked())
        jobs.folder.begin(asked[-1])

    def check(_):
        job = asked[-1].job
        found, charged = world.jobs().standing(job), world.lines("reserve")
        assert not world.left_over()
        new = found.what not in seen
        seen.add(found.what)
        if found.may_finish and new:
            assert again(world, job) == 0
            assert world.jobs().standing(job).what == "released"
            charged += found.what == "not begun"
        assert world.lines("reserve") == charged <= len(asked)

    def life():
        work.run(world.project.folder, asked[-1].job, work.Pipe(os.open(os.devnull, os.O_WRONLY)))

    kill_at_every_line(life, ("studio/work.py",), check, prepare, stride=2)
    assert (
        {"not begun", "charged", "lost", "whole", "released"} >= seen >= {"not begun", "released"}
    )
