"""Disk, folder or ledger fail under a release: one charge at most, nothing half, and a way on."""

import errno
import os
import sqlite3
from contextlib import contextmanager
from pathlib import Path

import pytest

from jobs_world import NAME, PUBLISH, REVIEW, World, again, begun, go_on, held, release_in
from killing import CAN_TRACE, kill_at_every_change, kill_at_every_line
from sfumato.errors import LedgerError
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.publishing.verify import verify
from sfumato.studio.jobs import Jobs
from slowness import slow
from studio_world import studio

# What failed: where it stands then, what may be done, how often it was charged, what is said.
TROUBLE = [
    ("folder read-only before the charge", "refused", "finish", 0, "Read-only file system"),
    ("disk full while writing", "lost", "", 1, "No space left on device"),
    ("folder read-only at the end", "lost", "", 1, "Read-only file system"),
    ("disk full when all is done", "released", "finish", 1, ""),
    ("ledger held before the charge", "refused", "finish", 0, "try again later"),
    ("ledger held once charged", "charged", "finish refund", 1, "try again later"),
    ("ledger held once written", "whole", "finish", 1, "try again later"),
]


@pytest.mark.parametrize(("fate", "what", "ways", "charges", "said"), TROUBLE)
def test_what_failed_is_said_and_ends_with_one_charge(tmp_path, fate, what, ways, charges, said):
    world = World(tmp_path)
    job, _ = begun(world, fate)
    found = world.jobs().standing(job)
    may = " ".join(way for way in ("finish", "refund") if getattr(found, f"may_{way}"))
    assert (found.what, may, world.lines("reserve")) == (what, ways, charges)
    assert said in found.text
    assert not world.left_over()
    assert (world.project.releases / job).exists() == (what in ("whole", "released"))
    if ways:
        assert again(world, job) == 0
        found = world.jobs().standing(job)
        assert (found.what, found.done) == ("released", 4)
        with Ledger(world.ledger_path) as ledger:
            assert verify(world.project.releases / job, ledger=ledger).passed
    assert (world.lines("reserve"), world.lines("draw"), world.spent) == (1, 1, 1)


@pytest.mark.parametrize("number", [errno.ENOSPC, slow(errno.EROFS), slow(errno.EPERM)])
def test_where_a_job_cannot_be_kept_nothing_begins_and_that_is_said(tmp_path, monkeypatch, number):
    def fails(*_):
        raise OSError(number, os.strerror(number))

    world = World(tmp_path).choose()
    with studio(tmp_path) as visitor:
        job = release_in(visitor.get(REVIEW))
        monkeypatch.setattr("sfumato.studio.job_folder.os.link", fails)
        reply = visitor.post(PUBLISH, {"release": job, "name": NAME})
        assert (reply.status, os.strerror(number) in reply.text) == (409, True)
        assert visitor.said == []
        assert world.files().keys() & {f"jobs/{job}.json", f"jobs/{job}.lock"} == set()
        assert not [name for name in world.files() if name.startswith("jobs/")]
        monkeypatch.undo()
        assert visitor.post(PUBLISH, {"release": job, "name": NAME}).leads_to == f"/jobs/{job}"
        visitor.get(f"/jobs/{job}/events")
    assert (world.lines("reserve"), world.spent) == (1, 1)


def test_where_an_ending_cannot_be_removed_nothing_is_begun_anew(tmp_path, monkeypatch):
    world = World(tmp_path)
    job, _ = begun(world, "fault before the charge")
    was = Path.unlink

    def unlink(path, missing_ok=False):
        if path.name.endswith(".end.json"):
            raise OSError(errno.EROFS, "Read-only file system")
        was(path, missing_ok)

    with studio(tmp_path) as visitor:
        monkeypatch.setattr(Path, "unlink", unlink)
        reply = visitor.post(f"/jobs/{job}/finish")
        assert (reply.status, "Read-only file system" in reply.text) == (409, True)
        monkeypatch.undo()
        assert visitor.said == []
    assert world.lines("reserve") == 0


@contextmanager
def kept_by_another(path):
    """A ledger that another process writes to, and does not let go of."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


@pytest.mark.slow
def test_a_ledger_that_is_held_for_long_ends_no_page_that_is_followed(tmp_path, monkeypatch):
    monkeypatch.setattr("sfumato.ledger.sqlite.file.WAIT", 0.2)
    world = World(tmp_path).choose()
    jobs = world.jobs("held once charged")
    asked = world.asked()
    jobs.publish(asked)
    held(world)
    with studio(tmp_path) as visitor:  # not the one that began it: so it asks the ledger
        with kept_by_another(world.ledger_path):
            reply = visitor.get(f"/jobs/{asked.job}")
            assert (reply.status, "try again" in reply.text) == (409, True)
            reply = visitor.post(f"/jobs/{asked.job}/stop")
            assert (reply.status, "try again" in reply.text) == (409, True)
        go_on(world)
        told = visitor.get(f"/jobs/{asked.job}/events").text
        assert "event: next" in told
        assert "<h1>Published</h1>" in visitor.get(f"/jobs/{asked.job}").text
        assert visitor.said == []
    assert (world.lines("reserve"), world.lines("refund"), world.spent) == (1, 0, 1)


@pytest.mark.skipif(not CAN_TRACE, reason="a parent must be able to trace its child")
@pytest.mark.slow
def test_killed_at_any_change_while_it_gives_a_budget_back_it_comes_back_once(tmp_path):
    world, job = World(tmp_path), []
    jobs = world.jobs()

    def prepare():
        asked = world.asked()
        jobs.folder.begin(asked)
        with Ledger(world.ledger_path) as ledger:
            about = "one record (row) of the table; replace-one"
            ledger.reserve(asked.job, NAME, PureDP(1), plan="c0ffee00", protects=about)
        job.append(asked.job)

    def check(_):
        found = world.jobs().standing(job[-1])
        assert found.what in ("charged", "refunded")
        if found.may_refund:
            world.jobs().refund(job[-1], reason="a slip")
        assert world.jobs().standing(job[-1]).what == "refunded"
        assert again(world, job[-1]) == 0  # and nothing is drawn for it any more
        assert (world.lines("refund"), world.lines("draw"), world.spent) == (len(job), 0, 0)

    kills = kill_at_every_change(
        lambda: jobs.refund(job[-1], reason="a slip"), check, prepare, (tmp_path,)
    )
    assert kills > 2


def test_a_draft_whose_writing_is_killed_is_the_old_one_or_the_new_one(tmp_path):
    world = World(tmp_path)
    written = [world.draft.to_json()]

    def prepare():
        world.draft.known_from = f"page {len(written)}"
        written.append(world.draft.to_json())

    def check(_):
        found = world.project.dataset(world.draft.slug)
        assert found.to_json() in written
        assert world.project.complaints == []

    kills = kill_at_every_line(
        lambda: world.project.keep(world.draft), ("studio/place.py",), check, prepare
    )
    assert kills > 10
    assert world.project.dataset(world.draft.slug).to_json() == written[-1]


def test_the_page_that_is_followed_waits_for_a_ledger(tmp_path, monkeypatch):
    """It says again what it said, until the ledger answers."""
    world = World(tmp_path).choose()
    job, _ = begun(world, "work")
    asked, was = [], Jobs.done

    def held_first(self, name):
        asked.append(name)
        if len(asked) < 3:
            raise LedgerError("another process has held it")
        return was(self, name)

    monkeypatch.setattr(Jobs, "done", held_first)
    with studio(tmp_path) as visitor:
        told = visitor.get(f"/jobs/{job}/events").text
        assert visitor.said == []
    assert len(asked) == 3
    assert told.endswith(f"event: next\ndata: /jobs/{job}\n\n")
