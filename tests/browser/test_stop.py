"""*Stop* on the page of a release that is followed: there while it gives something back."""

import pytest

from browser.faults import chromium  # noqa: F401  a fixture
from browser.test_killed_anywhere import pressed
from browser.test_studio import opened
from jobs_world import World, go_on, held, worker
from studio_world import studio

pytestmark = pytest.mark.slow


def test_it_goes_when_noise_is_drawn_and_comes_too_late_in_another_window(
    chromium,  # noqa: F811
    tmp_path,
    monkeypatch,
):
    monkeypatch.setattr("sfumato.studio.jobs.COMMAND", worker("held twice"))
    world = World(tmp_path).choose()
    with studio(tmp_path) as visitor:
        context, faults = opened(chromium, visitor)
        page = context.new_page()
        job = pressed(page, visitor)
        held(world)
        page.get_by_text("Stopping gives the budget back").wait_for(timeout=30_000)
        assert page.get_by_role("button", name="Stop", exact=True).is_visible()
        late = context.new_page()
        late.route("**/events", lambda route: route.abort())  # as if it were not followed
        late.goto(page.url)
        go_on(world)
        page.get_by_text("Its noise is drawn, so the charge is final").wait_for(timeout=30_000)
        assert page.get_by_role("button", name="Stop", exact=True).count() == 0
        late.get_by_role("button", name="Stop", exact=True).click()
        told = late.get_by_role("alert")
        told.wait_for()
        assert "Its noise is drawn by now, so the charge is final" in told.inner_text()
        late.close()
        (tmp_path / "go-on-again").touch()
        page.get_by_role("heading", name="Published", exact=True).wait_for(timeout=60_000)
        assert page.url.endswith(f"/jobs/{job}")
        context.close()
    assert [one for one in faults if "ERR_FAILED" not in str(one) and "409" not in str(one)] == []
    assert (world.lines("reserve"), world.lines("refund"), world.spent) == (1, 0, 1)
