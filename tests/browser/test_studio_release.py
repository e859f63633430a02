"""Review and release in a browser: pressed twice, followed to its end, with script and without."""

import pytest

from browser.faults import address_faults, chromium  # noqa: F401  a fixture
from browser.test_studio import home, opened
from jobs_world import NAME, World, begun, worker
from slowness import slow
from studio_world import studio

KILLED = ("before the charge", "once charged", "once drawn", "in place", "once settled")


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """A project with a release stopped at each step, and a visitor of its studio."""
    world = World(tmp_path_factory.mktemp("browser"), epsilon=20).choose()
    jobs = {step: begun(world, f"killed {step}")[0] for step in KILLED}
    with studio(world.project.folder) as visitor:
        yield world, visitor, jobs


@pytest.mark.slow
@pytest.mark.parametrize("script", [True, slow(False)])
def test_pressed_twice_a_release_is_charged_once_and_its_page_comes_by_itself(
    chromium,  # noqa: F811
    tmp_path,
    script,
):
    world = World(tmp_path).choose()
    with studio(tmp_path) as visitor:
        context, faults = opened(chromium, visitor, java_script_enabled=script)
        page = context.new_page()
        page.goto(f"{home(visitor)}/d/visits/review")
        page.get_by_label("type the name of the data set").fill(NAME)
        page.get_by_role("button", name="Publish").dblclick()
        page.get_by_role("heading", name="Published", exact=True).wait_for()
        page.go_back()
        page.get_by_text("The same settings were published before").wait_for()
        assert faults == []
        context.close()
    assert (world.lines("reserve"), world.lines("draw"), world.spent) == (1, 1, 1)


@pytest.mark.slow
def test_a_killed_worker_is_finished_once(chromium, killed):  # noqa: F811
    world, visitor, jobs = killed
    context, faults = opened(chromium, visitor)
    page, before = context.new_page(), world.spent
    page.goto(home(visitor))
    page.locator(f'[href="/jobs/{jobs["in place"]}"]').click()
    page.get_by_role("button", name="Finish it").dblclick()
    page.get_by_role("heading", name="Published", exact=True).wait_for()
    assert (faults, world.spent) == ([], before)
    context.close()


def test_the_pages_have_no_fault_on_a_phone_by_day(chromium, killed):  # noqa: F811
    _, visitor, jobs = killed
    context, _ = opened(chromium, visitor)
    for path in ("/d/visits/review", f"/jobs/{jobs['once charged']}", "/d/visits/fit"):
        address = home(visitor) + path
        assert address_faults(context, address, widths=(375,), schemes=("light",)) == []
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("step", KILLED)
def test_no_page_of_a_release_has_a_fault(chromium, killed, step):  # noqa: F811
    _, visitor, jobs = killed
    context, _ = opened(chromium, visitor)
    assert address_faults(context, f"{home(visitor)}/jobs/{jobs[step]}") == []
    context.close()


@pytest.mark.slow
def test_no_page_before_or_during_a_release_has_a_fault(chromium, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setattr("sfumato.studio.jobs.COMMAND", worker("held once charged"))
    world = World(tmp_path).choose(epsilon="0.01", records=50)
    with studio(tmp_path) as visitor:
        context, _ = opened(chromium, visitor)
        assert address_faults(context, f"{home(visitor)}/d/visits/review") == []
        world.choose(epsilon="9")
        assert address_faults(context, f"{home(visitor)}/d/visits/review") == []
        asked = world.asked()
        visitor.post("/d/visits/fit", {"once": asked.job, "reason": "does it fit?"})
        visitor.get(f"/looks/{asked.job}/events")
        assert address_faults(context, f"{home(visitor)}/looks/{asked.job}") == []
        context.close()
