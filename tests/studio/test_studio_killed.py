"""The studio itself is killed at every line: what was asked for is known or never begun."""

import sys

import pytest

from jobs_world import World, held
from killing import kill_at_every_line
from sfumato.errors import LedgerError
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP

FILES = ("studio/jobs.py", "studio/job_folder.py", "studio/worker.py")
LOOKED = "import sys; open(sys.argv[-2] + '/looked', 'a').write('x')"
QUICK = (sys.executable, "-I", "-S", "-c")


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


@pytest.mark.slow
def test_killed_while_it_begins_a_release_the_studio_goes_on_where_it_was(world):
    jobs = world.jobs(command=(*QUICK, "pass"))
    asked, seen = [], set()

    def check(_):
        found = world.jobs().asked(asked[-1].job)
        what = "unknown" if found is None else world.jobs().standing(found.job).what
        seen.add(what)
        assert what in ("unknown", "not begun")
        assert found in (None, asked[-1])

    kills = kill_at_every_line(
        lambda: jobs.publish(asked[-1]), FILES, check, lambda: asked.append(world.asked())
    )
    assert kills > 20
    assert seen == {"unknown", "not begun"}
    assert world.lines("reserve") == 0


@pytest.mark.slow
def test_killed_while_it_stops_a_release_the_budget_comes_back_once(world):
    jobs, job = world.jobs(), []

    def prepare():
        asked = world.asked()
        jobs.folder.begin(asked)
        with Ledger(world.ledger_path) as ledger:
            about = "one record (row) of the table; replace-one"
            ledger.reserve(asked.job, "visits", PureDP(1), plan="c0ffee00", protects=about)
        job.append(asked.job)

    def check(_):
        if world.jobs().standing(job[-1]).what == "charged":
            world.jobs().stop(job[-1])
        assert world.jobs().standing(job[-1]).what == "refunded"
        with pytest.raises(LedgerError, match="was refunded"):
            world.jobs().stop(job[-1])

    kills = kill_at_every_line(lambda: jobs.stop(job[-1]), FILES, check, prepare)
    assert kills > 5
    assert world.lines("refund") == world.lines("reserve") == kills
    assert world.spent == 0


@pytest.mark.slow
def test_killed_while_it_begins_a_look_there_are_never_fewer_lines_than_looks(world):
    jobs = world.jobs(command=(*QUICK, LOOKED))
    looked, asked = world.project.folder / "looked", []

    def check(_):
        looks = len(looked.read_text()) if looked.exists() else 0
        assert looks <= world.lines("inspect")

    def prepare():
        asked.append(world.asked(kind="fit", reason="does it fit?"))

    def look():
        jobs.look(asked[-1])
        assert jobs._workers[asked[-1].job].wait(20)

    kill_at_every_line(look, FILES, check, prepare)
    assert 0 < len(looked.read_text()) <= world.lines("inspect")


def test_a_look_ends_with_the_studio_that_would_show_it(world):
    jobs = world.jobs("held while looking")
    asked = world.asked(kind="fit", reason="does it fit?")
    jobs.look(asked)
    held(world)
    assert world.jobs().looking(asked.job)
    jobs._workers[asked.job]._process.stdin.close()  # as the end of the process does
    assert jobs._workers[asked.job].wait(20)
    assert not world.jobs().looking(asked.job)
    assert world.jobs().folder.ending(asked.job) is None
