"""The first release of somebody new: with script, without, and by keyboard; counted."""

import pytest

from browser.faults import chromium  # noqa: F401  a fixture
from browser.journey import BOOK, HEADER, Keyboard, Mouse, grant_first, publish_first, row, walker
from browser.test_studio import home
from sfumato.ledger import Ledger
from sfumato.schema import Schema
from studio_world import studio

MOST_CLICKS, MOST_FIELDS, MOST_BYTES = 20, 10, 150_000
WAYS = {
    "with script": (Mouse, {}),
    "without script": (Mouse, {"java_script_enabled": False}),
    "by keyboard": (Keyboard, {}),
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data").mkdir()
    # So few that no noise looks like records that do not fit; of more, one in a hundred would stop.
    rows = "\n".join(map(row, range(300)))
    (tmp_path / "data" / "registry.csv").write_text(f"{HEADER}\n{rows}\n")
    (tmp_path / "data" / "another.csv").write_text("a,b\n1,2\n")
    (tmp_path / "dictionary.csv").write_text(BOOK)
    return tmp_path


def kinds(folder):
    with Ledger(folder / "budget.db") as ledger:
        return [line.kind for line in ledger.history("registry")]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_newcomer_publishes_eight_columns_in_few_clicks_and_no_page_has_a_fault(
    chromium,  # noqa: F811
    folder,
    way,
):
    hand, settings = WAYS[way]
    with studio(folder) as visitor:
        look = way == "with script"  # axe waits for timers, which a page without script has not
        person, faults, context = walker(chromium, visitor, hand, look=look, **settings)
        publish_first(person, visitor, "registry")
        print(f"{way}: {person.clicks} clicks, {person.fields} typed fields")
        context.close()
    assert len(Schema.read(folder / "datasets/registry/schema.yaml").released) == 8
    assert person.clicks <= MOST_CLICKS
    assert person.fields <= MOST_FIELDS
    assert (person.looks or [], faults) == ([], [])
    assert kinds(folder).count("reserve") == 1


@pytest.mark.slow
def test_two_windows_a_double_click_reload_and_back_charge_once(chromium, folder):  # noqa: F811
    with studio(folder) as visitor:
        person, faults, context = walker(chromium, visitor)
        grant_first(person, visitor, "registry")
        other = context.new_page()
        other.goto(f"{home(visitor)}/d/registry/review")
        for page in (person.page, other):  # both show the same review before either is pressed
            page.locator("#name").fill("registry")
        person.page.locator("main .actions button.main").dblclick()
        other.locator("main .actions button.main").dblclick()
        for page in (person.page, other):
            page.locator("main a.main").wait_for()
            page.reload()
            page.go_back()
            page.go_forward()
            page.reload()
        assert person.page.url == other.url
        context.close()
    assert faults == []
    assert [kinds(folder).count(kind) for kind in ("grant", "reserve", "draw", "settle")] == [1] * 4
