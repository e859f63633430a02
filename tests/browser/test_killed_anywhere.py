"""Worker, server or browser is killed at every step: one charge, nothing half, and a way on."""

import os
import signal
from time import monotonic, sleep

import pytest

from browser.faults import chromium, program  # noqa: F401  a fixture
from browser.test_studio import PATIENCE, home, opened
from jobs_world import NAME, REVIEW, World, ended, go_on, held, patient, worker
from studio_world import running, studio

pytestmark = pytest.mark.slow

# Where the worker waits when the kill comes, and what the next start says of it.
STEPS = {
    "held before the charge": ("not begun", "It stopped before it was charged", 0),
    "held once charged": ("charged", "before its noise was drawn", 1),
    "held once drawn": ("lost", "this release is lost", 1),
}


def server(fate):
    """The command, with workers of this fate."""
    return (
        "import sys\n"
        "import sfumato.studio.jobs as jobs\n"
        f"jobs.COMMAND = {worker(fate)!r}\n"
        "from sfumato.cli import main\n"
        "main()\n"
    )


def pressed(page, visitor):
    """Publish, as far as the page of the job."""
    page.goto(home(visitor) + REVIEW)
    page.locator("#name").fill(NAME)
    page.get_by_role("button", name="Publish", exact=True).click()
    page.wait_for_url("**/jobs/*")
    return page.url.rpartition("/")[2]


def gone(pid, seconds=60):
    """Wait until no such process runs."""
    until = monotonic() + seconds
    while monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        sleep(0.05)
    raise AssertionError("the worker outlives its kill")


def browser_of(profile):
    """The process that has this profile open."""
    return int(str((profile / "SingletonLock").readlink()).rpartition("-")[2])


def told_and_brought_to_an_end(browser, world, job, step):
    """A new studio says what happened, and finishes it, or begins anew where it was lost."""
    what, said, charges = STEPS[step]
    found = world.jobs().standing(job)
    assert (found.what, world.lines("reserve")) == (what, charges)
    assert not world.left_over()
    with studio(world.project.folder) as visitor:
        context, faults = opened(browser, visitor)
        page = context.new_page()
        page.goto(home(visitor))
        if what == "lost":  # nothing is to be done about it any more
            page.get_by_text("lost after its noise was drawn").wait_for()
            page.goto(f"{home(visitor)}/jobs/{job}")
        else:
            page.locator(f'[href="/jobs/{job}"]').click()
        page.get_by_text(said).wait_for()
        if found.may_finish:
            page.locator(f'form[action="/jobs/{job}/finish"] button').dblclick()
            page.locator("main a.main").wait_for()
        assert faults == []
        context.close()
    drawn = 1 if found.may_finish or what == "lost" else 0
    assert (world.lines("reserve"), world.lines("draw"), world.spent) == (1, drawn, 1)
    assert (world.project.releases / job).exists() == found.may_finish
    assert not world.left_over()


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("victim", ["worker", "server"])
def test_after_a_kill_the_next_start_says_what_happened_and_charges_once(
    chromium,  # noqa: F811
    tmp_path,
    step,
    victim,
):
    world = World(tmp_path).choose()
    with running(tmp_path, script=server(step)) as (visitor, process):
        context, _ = opened(chromium, visitor)
        page = context.new_page()
        job = pressed(page, visitor)
        held(world)
        at_work = int((tmp_path / "held").read_text())
        if victim == "worker":
            os.kill(at_work, signal.SIGKILL)
            said = STEPS[step][1]
            page.get_by_text(said).wait_for()
        else:
            process.send_signal(signal.SIGKILL)
            process.wait(10)
            os.kill(at_work, signal.SIGKILL)
            gone(at_work)
        context.close()
    (tmp_path / "held").unlink()
    told_and_brought_to_an_end(chromium, world, job, step)


@pytest.mark.parametrize("step", STEPS)
def test_a_worker_outlives_the_studio_and_its_release_is_found(chromium, tmp_path, step):  # noqa: F811
    world = World(tmp_path).choose()
    with running(tmp_path, script=server(step)) as (visitor, process):
        context, _ = opened(chromium, visitor)
        job = pressed(context.new_page(), visitor)
        held(world)
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        context.close()
    with studio(tmp_path) as visitor:
        context, faults = opened(chromium, visitor)
        page = context.new_page()
        page.goto(f"{home(visitor)}/jobs/{job}")
        go_on(world)
        page.get_by_role("heading", name="Published", exact=True).wait_for()
        context.close()
        assert faults == []
    assert (world.lines("reserve"), world.lines("draw"), world.spent) == (1, 1, 1)


@pytest.mark.parametrize("step", STEPS)
def test_a_browser_that_is_killed_changes_nothing(chromium, tmp_path, step, monkeypatch):  # noqa: F811
    monkeypatch.setattr("sfumato.studio.jobs.COMMAND", worker(step))
    project = tmp_path / "project"
    project.mkdir()
    world = World(project).choose()
    with studio(project) as visitor:
        profile = tmp_path / "profile"
        context = chromium.browser_type.launch_persistent_context(
            profile,
            executable_path=program(chromium.browser_type),
            args=["--no-sandbox", "--disable-gpu"],
        )
        name, _, value = visitor.cookie.partition("=")
        context.set_default_timeout(PATIENCE)
        context.add_cookies(
            [{"name": name, "value": value, "url": home(visitor), "httpOnly": True}]
        )
        job = pressed(context.new_page(), visitor)
        held(world)
        os.kill(browser_of(profile), signal.SIGKILL)
        go_on(world)
        assert ended(patient(world.jobs), job).what == "released"
        context, faults = opened(chromium, visitor)
        page = context.new_page()
        page.goto(f"{home(visitor)}/jobs/{job}")
        page.get_by_role("heading", name="Published", exact=True).wait_for()
        context.close()
    assert faults == []
    assert (world.lines("reserve"), world.lines("draw"), world.spent) == (1, 1, 1)
