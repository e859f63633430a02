"""A release under way, on a page: four words, one charge, and a way on whatever was killed."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import doomed
from jobs_world import (
    NAME,
    PUBLISH,
    REVIEW,
    ROWS,
    TESTS,
    World,
    begun,
    confirmed,
    ended,
    go_on,
    held,
    release_in,
    worker,
)
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from studio_world import Visitor, studio


@pytest.fixture
def world(tmp_path):
    return World(tmp_path).choose()


@pytest.fixture
def fate(monkeypatch):
    """Lets workers that are started from here on meet a fate."""
    return lambda name: monkeypatch.setattr("sfumato.studio.jobs.COMMAND", worker(name))


def buttons(reply):
    return re.findall(r"<button[^>]*>(.*?)</button>", reply.text)[1:]  # the first is Quit


def test_what_twins_are_told_while_they_are_published_is_the_same_to_the_byte(
    tmp_path, monkeypatch
):
    told = []
    # So few that no noise looks like records that do not fit; of more, one in a hundred would stop.
    other = "age,ward\n" + "97,south\n" * 277 + "?,north\n"
    for name, rows in (("one", ROWS), ("two", other)):
        monkeypatch.setattr("sfumato.studio.job_folder.new_job", lambda: "0123456789abcdef")
        world = World(tmp_path / name, rows=rows).choose()
        with studio(world.project.folder) as visitor:
            job = confirmed(visitor)
            twice = visitor.post(PUBLISH, {"release": job, "name": NAME})
            assert twice.leads_to == f"/jobs/{job}"
            events = visitor.get(f"/jobs/{job}/events")
            after = visitor.get(f"/jobs/{job}")
            again = visitor.post(PUBLISH, {"release": job, "name": NAME})
            assert (again.status, again.leads_to) == (303, f"/jobs/{job}")
        assert (world.lines("reserve"), world.lines("draw"), world.spent) == (1, 1, 1)
        assert world.said == visitor.said == []
        told.append((events.headers, events.body, after.text.replace(f"/{name}<", "/<")))
    assert told[0] == told[1]
    messages = told[0][1].decode().split("\n\n")
    assert [message.count('class="done"') for message in messages] == [0, 1, 2, 3, 4, 0, 0]
    assert messages[5:] == ["event: next\ndata: /jobs/0123456789abcdef", ""]
    assert "checked against its plan and the ledger" in told[0][2]
    assert not re.search(r"[0-9]+ (rows|records|second)", told[0][1].decode() + told[0][2])


def test_stopped_before_its_noise_is_drawn_the_budget_comes_back(world, fate):
    fate("held once charged")
    with studio(world.project.folder) as visitor:
        job = confirmed(visitor)
        held(world)
        reply = visitor.get(f"/jobs/{job}")
        assert buttons(reply) == ["Stop"]
        assert '<noscript><meta http-equiv="refresh" content="2"></noscript>' in reply.text
        reply = visitor.send(f"/jobs/{job}/stop")
        assert "given back before any noise was drawn" in reply.text
        assert buttons(reply) == []
        assert visitor.post(f"/jobs/{job}/stop").status == 409
    assert (world.lines("refund"), world.lines("draw"), world.spent) == (1, 0, 0)


def test_once_noise_is_drawn_stopping_is_refused_and_the_release_is_written(world, fate):
    fate("held once drawn")
    with studio(world.project.folder) as visitor:
        job = confirmed(visitor)
        held(world)
        assert buttons(visitor.get(f"/jobs/{job}")) == []
        reply = visitor.post(f"/jobs/{job}/stop")
        assert (reply.status, "noise is drawn by now" in reply.text) == (409, True)
        go_on(world)
        visitor.get(f"/jobs/{job}/events")
        assert "Published" in visitor.get(f"/jobs/{job}").text
    assert (world.lines("refund"), world.spent) == (0, 1)


STOP, DRAWN = '<button id="stop">', "Its noise is drawn, so the charge is final"


def test_with_each_step_comes_what_can_be_done_at_it(world):
    with studio(world.project.folder) as visitor:
        job = confirmed(visitor)
        told = visitor.get(f"/jobs/{job}/events").text.split("\n\n")
    steps = [(STOP in one, DRAWN in one) for one in told[:5]]
    assert steps == [(True, False)] * 2 + [(False, True)] * 2 + [(False, False)]
    assert "Nothing is charged yet" in told[0]
    assert "gives the budget back" in told[1]
    assert "gives the budget back" not in "".join(told[2:])


@pytest.mark.slow
def test_two_windows_and_a_third_release_too_many_are_one_charge_each(world, fate, monkeypatch):
    monkeypatch.setattr("sfumato.studio.jobs._MOST_AT_WORK", 1)
    fate("held once charged")
    with studio(world.project.folder) as visitor:
        job = confirmed(visitor)
        held(world)
        again = visitor.post(PUBLISH, {"release": job, "name": NAME})
        assert (again.status, again.leads_to) == (303, f"/jobs/{job}")
        other = release_in(visitor.get(REVIEW))
        refused = visitor.post(PUBLISH, {"release": other, "name": NAME})
        assert (refused.status, "try again when one of them is done" in refused.text) == (409, True)
        go_on(world)
        visitor.get(f"/jobs/{job}/events")
        assert visitor.post(PUBLISH, {"release": other, "name": NAME}).status == 303
        visitor.get(f"/jobs/{other}/events")
    assert (world.lines("reserve"), world.lines("draw"), world.spent) == (2, 2, 2)


def test_records_that_do_not_fit_are_told_with_what_can_be_done_here(tmp_path):
    world = World(tmp_path, rows="age,ward\n" + "old,elsewhere\n" * 2_000).choose(epsilon="3")
    with studio(world.project.folder) as visitor:
        job = confirmed(visitor)
        visitor.get(f"/jobs/{job}/events")
        said = visitor.get(f"/jobs/{job}").text.partition("<main")[2]
        start = visitor.get("/").text
    assert '<td data-of="Releases"><a href="/ledger/visits">0<' in start
    assert "go back to the columns" in said
    assert '<a class="button" href="/d/visits/budget#misfit">To the promise</a>' in said
    assert "<li>Column age: about" in said
    assert "nothing is shown here but counts under noise, which were paid for" in said
    assert "Only these counts are paid for, with ε 0.06" in said
    assert "gives ε 2.94 back" in said
    assert "choose on the page of the columns how the file writes its numbers" in said
    assert not re.search(r"sfumato |--(no-)?(mis)?fit", said)


def test_a_budget_that_went_meanwhile_is_told_with_who_may_grant_more_and_the_command_last(world):
    job, _ = begun(world, "work", epsilon="4")
    with studio(world.project.folder) as visitor:
        reply = visitor.get(f"/jobs/{job}")
    said, _, command = reply.text.partition("<details>")
    assert "asks for ε 4: ask for less." in said
    assert "whoever owns the ledger" in said
    assert 'href="/d/visits/grant?back=review"' in said
    assert "sfumato ledger" not in said
    assert "sfumato ledger grant visits --epsilon 1 --reason …" in command
    assert buttons(reply) == ["Try again"]


def test_a_worker_that_dies_with_a_record_on_its_lips_tells_nobody(world, fate, capfd):
    fate("crash once charged")
    with studio(world.project.folder) as visitor:
        job = confirmed(visitor)
        visitor.get(f"/jobs/{job}/events")
        reply = visitor.get(f"/jobs/{job}")
        assert buttons(reply) == ["Finish it", "Give the budget back"]
    assert visitor.said == [f"the worker of job {job} ended by signal {signal.SIGABRT.value}"]
    canary = doomed.CANARY.encode()
    assert not [seen for seen in visitor.seen if canary in seen.body]
    assert not [name for name, text in world.files().items() if canary in text]
    assert doomed.CANARY not in "".join(capfd.readouterr())


@pytest.mark.parametrize(
    ("name", "title", "ways"),
    [
        ("killed before the charge", "Not charged", ["Try again", "Give it up"]),
        ("killed once charged", "Stopped after the charge", ["Finish it", "Give the budget back"]),
        ("killed once drawn", "Stopped after its noise was drawn", []),
        ("killed in place", "Stopped before the ledger was told", ["Finish it"]),
        ("killed once settled", "Published", ["Check it"]),
    ],
)
def test_a_studio_started_after_a_kill_says_what_happened_and_offers_what_can_be_done(
    world, name, title, ways
):
    job, _ = begun(world, name)
    with studio(world.project.folder) as visitor:
        reply = visitor.get(f"/jobs/{job}")
        assert f"<h1>{title}</h1>" in reply.text
        assert buttons(reply) == ways
        known = visitor.get(REVIEW).text
        assert (f"/jobs/{job}" in known) == (name != "killed once drawn")


def test_a_release_stopped_half_way_is_finished_once_by_the_next_studio(world):
    job, _ = begun(world, "killed once charged")
    with studio(world.project.folder) as visitor:
        for _ in range(2):
            assert visitor.post(f"/jobs/{job}/finish").leads_to == f"/jobs/{job}"
        visitor.get(f"/jobs/{job}/events")
        assert "Published" in visitor.get(f"/jobs/{job}").text
        assert visitor.post(f"/jobs/{job}/finish").status == 409
        assert visitor.post(f"/jobs/{job}/refund", {"reason": "not wanted"}).status == 409
    assert (world.lines("reserve"), world.lines("draw"), world.spent) == (1, 1, 1)


def test_giving_a_budget_back_needs_a_reason_and_happens_once(world):
    job, _ = begun(world, "killed once charged")
    with studio(world.project.folder) as visitor:
        assert visitor.post(f"/jobs/{job}/refund", {"reason": " … "}).status == 422
        assert world.spent == 1
        assert "Given back" in visitor.send(f"/jobs/{job}/refund", {"reason": "a slip"}).text
        assert visitor.post(f"/jobs/{job}/refund", {"reason": "a slip"}).status == 409
        assert visitor.post(f"/jobs/{job}/finish").status == 409
    assert (world.lines("refund"), world.spent) == (1, 0)


def reserved_elsewhere(world):
    with Ledger(world.ledger_path) as ledger:
        about = "one record (row) of the table; replace-one"
        ledger.reserve("a" * 16, NAME, PureDP(1), plan="c0ffee00", protects=about)


@pytest.mark.parametrize("drawn", [False, True])
def test_of_a_release_begun_by_another_program_only_the_ledgers_word_is_told(world, drawn):
    reserved_elsewhere(world)
    if drawn:
        with Ledger(world.ledger_path) as ledger:
            ledger.draw("a" * 16, None)
    with studio(world.project.folder) as visitor:
        assert f"/jobs/{'a' * 16}" in visitor.get("/").text
        reply = visitor.get(f"/jobs/{'a' * 16}")
        assert f"The ledger says: {'drawn' if drawn else 'reserved'}." in reply.text
        assert buttons(reply) == ([] if drawn else ["Give the budget back"])
        assert visitor.post(f"/jobs/{'a' * 16}/finish").status == 409


def test_a_look_is_no_release_and_cannot_be_begun_again_as_one(world):
    asked = world.asked(kind="fit", reason="does it fit?")
    world.jobs().folder.begin(asked)
    with studio(world.project.folder) as visitor:
        assert visitor.get(f"/jobs/{asked.job}").status == 409
        for way in ("finish", "stop", "refund"):
            reply = visitor.post(f"/jobs/{asked.job}/{way}", {"reason": "none"})
            assert reply.status == 409
    assert world.lines("inspect") == world.lines("reserve") == 0


@pytest.mark.parametrize("job", ["0" * 16, "..", "%2e%2e%2fbudget", "x", "0" * 17])
@pytest.mark.parametrize("what", ["", "/events"])
def test_jobs_that_never_were_are_no_page(world, job, what):
    with studio(world.project.folder) as visitor:
        reply = visitor.get(f"/jobs/{job}{what}")
    assert reply.status in (404, 409)
    assert not (world.project.folder / "jobs").exists() or world.jobs().folder.all() == []


SERVE = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
import sfumato.studio.jobs as jobs
from jobs_world import worker
from sfumato.studio.project import Project
from sfumato.studio.server import listening, serve
jobs.COMMAND = worker({fate!r})
serve(Project(Path({folder!r})), listening(0),
      ready=lambda address, path: print(address, path, flush=True), say=print)
"""


@pytest.mark.slow
@pytest.mark.parametrize("fate", ["held before the charge", "held once charged", "held once drawn"])
@pytest.mark.parametrize("worker_too", [False, True])
def test_a_studio_killed_beside_its_worker_is_followed_by_one_that_knows(world, fate, worker_too):
    said = SERVE.format(tests=TESTS, fate=fate, folder=str(world.project.folder))
    server = subprocess.Popen([sys.executable, "-c", said], stdout=subprocess.PIPE, text=True)
    try:
        address, opening = server.stdout.readline().split()
        port = int(address.rstrip("/").rpartition(":")[2])
        visitor = Visitor(port, world.project.folder, Path(opening), [])
        visitor.enter()
        job = confirmed(visitor)
        held(world)
    finally:
        server.kill()
        server.wait()
        server.stdout.close()
    if worker_too:
        os.kill(int((world.project.folder / "held").read_text()), signal.SIGKILL)
    else:
        go_on(world)
    jobs = world.jobs()
    found = ended(jobs, job)
    if not worker_too:
        assert (found.what, found.done) == ("released", 4)
    elif fate != "held once drawn":
        assert found.what == ("charged" if fate == "held once charged" else "not begun")
        go_on(world)
        jobs.finish(job)
        assert ended(jobs, job).what == "released"
    else:
        assert found.what == "lost"
    assert (world.lines("reserve"), world.lines("draw"), world.spent) == (1, 1, 1)
