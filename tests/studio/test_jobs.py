"""Jobs: begun once, stopped by whoever may, and told alike by every studio of a folder."""

import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from jobs_world import World, begun, ended, go_on, held
from sfumato.errors import ParameterError, Refused
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.release.folder import is_release
from sfumato.studio.work import Pipe, run
from studio_world import studio

NOTED = "import sys; open(sys.argv[-2] + '/begun', 'a').write('x')"


def test_sent_by_many_windows_at_once_a_release_has_one_worker(tmp_path):
    world = World(tmp_path)
    jobs, asked = world.jobs(command=(sys.executable, "-I", "-S", "-c", NOTED)), world.asked()
    start = Barrier(8)

    def send(_):
        start.wait()
        jobs.publish(asked)

    with ThreadPoolExecutor(8) as windows:
        list(windows.map(send, range(8)))
    ended(jobs, asked.job)
    assert (tmp_path / "begun").read_text() == "x"


def test_stopped_before_the_charge_nothing_is_spent_and_nothing_more_is_offered(tmp_path):
    world = World(tmp_path)
    jobs, asked = world.jobs("held before the charge"), world.asked()
    jobs.publish(asked)
    held(world)
    assert world.jobs().standing(asked.job).under_way
    with pytest.raises(Refused, match="about to be charged"):
        world.jobs().stop(asked.job)
    jobs.stop(asked.job)
    go_on(world)
    for found in (jobs.standing(asked.job), world.jobs().standing(asked.job)):
        assert (found.what, found.may_finish, found.may_refund) == ("given up", False, False)
    with pytest.raises(Refused, match="nothing to be finished"):
        jobs.finish(asked.job)
    assert world.lines("reserve") == 0


def test_stopped_by_another_studio_while_its_worker_starts_it_is_not_charged_afterwards(tmp_path):
    world = World(tmp_path)
    jobs, asked = world.jobs("held before it begins"), world.asked()
    jobs.publish(asked)
    held(world)
    world.jobs().stop(asked.job)
    go_on(world)
    assert ended(jobs, asked.job).what == "given up"
    assert world.lines("reserve") == 0
    assert not jobs.folder.release(asked.job).exists()


def test_another_studio_stops_a_charged_release_by_the_ledger_alone(tmp_path):
    world = World(tmp_path)
    jobs, asked = world.jobs("held once charged"), world.asked()
    jobs.publish(asked)
    held(world)
    world.jobs().stop(asked.job)
    go_on(world)
    assert ended(world.jobs(), asked.job).what == "refunded"
    assert (world.lines("draw"), world.spent, world.left_over()) == (0, 0, [])


@pytest.mark.slow
def test_no_more_releases_run_at_once_than_there_are_cores(tmp_path, monkeypatch):
    monkeypatch.setattr("sfumato.studio.jobs._MOST_AT_WORK", 1)
    world = World(tmp_path)
    jobs, first, second = world.jobs("held once charged"), world.asked(), world.asked()
    look = world.asked(kind="fit", reason="does it fit?")
    jobs.publish(first)
    held(world)
    jobs.publish(first)  # pressed twice it is the same one
    for one in (jobs, world.jobs()):
        for begin, asked in ((one.publish, second), (one.look, look)):
            with pytest.raises(Refused, match="as many of this folder are under way"):
                begin(asked)
    assert (jobs.asked(second.job), world.lines("inspect"), world.lines("reserve")) == (None, 0, 1)
    go_on(world)
    assert ended(jobs, first.job).what == "released"
    jobs.publish(second)
    assert ended(jobs, second.job).what == "released"
    assert (world.lines("reserve"), world.lines("draw"), world.spent) == (2, 2, 2)


def test_where_no_process_can_be_started_it_is_said_and_can_be_tried_again(tmp_path):
    world = World(tmp_path)
    asked = world.asked()
    with pytest.raises(Refused, match="no process could be started"):
        world.jobs(command=(str(tmp_path / "nothing"),)).publish(asked)
    assert (world.jobs().standing(asked.job).what, world.lines("reserve")) == ("not begun", 0)
    jobs = world.jobs()
    jobs.finish(asked.job)
    assert ended(jobs, asked.job).what == "released"


@pytest.mark.parametrize("job", ["", "0" * 15, "../budget", "0" * 16])
def test_what_is_no_job_has_no_standing(tmp_path, job):
    with pytest.raises(ParameterError, match="there is no such job"):
        World(tmp_path).jobs().standing(job)


def test_a_folder_that_was_moved_away_is_told_and_never_made_again(tmp_path):
    world = World(tmp_path)
    job, _ = begun(world, "work")
    (world.project.releases / job).rename(tmp_path / "elsewhere")
    found = world.jobs().standing(job)
    assert (found.what, found.may_finish, found.may_refund) == ("gone", False, False)


@pytest.mark.parametrize("charged", [False, True])
def test_what_lies_there_is_not_said_to_be_uncharged_by_an_older_ledger(tmp_path, charged):
    world = World(tmp_path)
    asked = world.asked()
    (tmp_path / "releases" / asked.job).mkdir()
    (tmp_path / "releases" / asked.job / "release.json").write_text("{}")
    world.jobs().folder.begin(asked)
    if charged:
        with Ledger(world.ledger_path) as ledger:
            about = "one record (row) of the table; replace-one"
            ledger.reserve(asked.job, "visits", PureDP(1), plan="c0ffee00", protects=about)
    found = world.jobs().standing(asked.job)
    assert (found.what, found.may_finish, found.may_refund) == ("ahead", False, False)
    with studio(tmp_path) as visitor:
        for page in (f"/jobs/{asked.job}", "/d/visits/review"):
            assert "this is an older copy of the ledger" in visitor.get(page).text


def test_a_job_that_was_changed_by_hand_is_refused(tmp_path):
    world = World(tmp_path)
    asked = world.asked()
    world.jobs().folder.begin(asked)
    place = tmp_path / "jobs" / f"{asked.job}.json"
    for text in ("{}", "[]", "no json", place.read_text().replace('"version": 1', '"version": 2')):
        place.write_text(text)
        with pytest.raises(ParameterError, match="not of this version"):
            world.jobs().asked(asked.job)
        assert world.jobs().releases("visits") == []  # nor does it stand in the way of others


def test_each_word_is_said_once_it_is_true(tmp_path):
    world, told = World(tmp_path), []
    asked, folder = world.asked(), world.jobs().folder
    folder.begin(asked)

    class Told(Pipe):
        def say(self, word):
            whole = is_release(folder.release(asked.job))
            told.append((word, world.lines("reserve"), world.lines("draw"), whole))

    run(world.project.folder, asked.job, Told(0))
    assert told == [
        ("charged", 1, 0, False),
        ("drawn", 1, 1, False),
        ("written", 1, 1, True),
        ("checked", 1, 1, True),
    ]
