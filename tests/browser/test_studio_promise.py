"""The promise in a browser: it follows the slider, goes by keyboard, and needs no script."""

import pytest

import sfumato as sf
from browser.faults import chromium  # noqa: F401  a fixture
from browser.test_studio import faults_of, home, opened, tab_to
from jobs_world import SCHEMA, World
from sfumato.schema import Schema
from sfumato.studio.choice import read_choice
from slowness import slow, slow_but
from studio_world import studio

HERE = "/d/visits/budget"
FULL = f"{HERE}?records=5000&number=public&epsilon=0.5&method=mosaic&do=show"
PAGES = {
    "the promise as it begins": (HERE, 200),
    "the promise with its table": (FULL, 200),
    "a wish": (f"{FULL}&find=1&what=counts&within=5", 200),
    "a promise that is doubted": (FULL.replace("5000", "60").replace("0.5", "0.01"), 200),
    "wrong fields": (f"{HERE}?records=many&epsilon=0&delta=2&find=1&within=x&method=no", 200),
}


@pytest.fixture(scope="module")
def visitor(tmp_path_factory):
    world = World(tmp_path_factory.mktemp("promise"))
    with studio(world.project.folder) as found:
        found.world = world
        yield found


def mean_of_age(epsilon, records=5_000):
    return sf.forecast(Schema.parse(SCHEMA), records=records, epsilon=epsilon).line("age").cells[2]


@pytest.mark.parametrize("key", ["ArrowRight", slow("ArrowUp")])
def test_sentence_and_table_follow_the_slider_by_keyboard(chromium, visitor, key):  # noqa: F811
    context, faults = opened(chromium, visitor)
    page = context.new_page()
    page.goto(home(visitor) + HERE)
    address = page.url
    tab_to(page, "#records")
    page.keyboard.type("5000")
    page.locator(".foreseen", has_text=mean_of_age(1)).wait_for()
    tab_to(page, "#stop")
    page.keyboard.press(key)
    page.get_by_text("× 3.33").wait_for()
    assert page.locator("#epsilon").input_value() == "1.2"
    assert page.locator("#stop").get_attribute("aria-valuetext") == "epsilon 1.2"
    page.locator(".foreseen", has_text=mean_of_age("1.2")).wait_for()
    assert page.evaluate("document.activeElement.id") == "stop"
    page.wait_for_function("!document.querySelector('[aria-busy]')")
    assert (page.url, faults) == (address, [])
    context.close()


@pytest.mark.slow
def test_the_slider_follows_the_field_and_a_fault_is_said_beside_it(chromium, visitor):  # noqa: F811
    context, faults = opened(chromium, visitor)
    page = context.new_page()
    page.goto(home(visitor) + FULL)
    page.locator("#epsilon").fill("3,1")
    page.get_by_text("More than is left").wait_for()
    assert page.locator("#stop").get_attribute("aria-valuetext") == "epsilon 3"
    page.locator("#epsilon").fill("much")
    page.locator("#epsilon-fault", has_text="above 0").wait_for()
    page.locator("#epsilon[aria-invalid=true]").wait_for()
    assert page.locator("#epsilon").input_value() == "much"
    page.locator("#epsilon").fill("1")
    page.locator("#epsilon:not([aria-invalid])").wait_for()
    page.locator("#epsilon-fault:empty").wait_for(state="attached")
    page.locator(".foreseen", has_text=mean_of_age(1)).wait_for()
    assert faults == []
    context.close()


@pytest.mark.parametrize("script", [True, slow(False)])
def test_from_a_wish_to_the_review(chromium, visitor, script):  # noqa: F811
    context, faults = opened(chromium, visitor, java_script_enabled=script)
    page = context.new_page()
    page.goto(home(visitor) + HERE)
    page.get_by_label("About how many").fill("5 000")
    page.get_by_label("I need").select_option("the mean of age")
    page.get_by_label("within", exact=True).fill("2")
    page.get_by_role("button", name="Find epsilon").click()
    wanted = sf.forecast(Schema.parse(SCHEMA), records=5_000, want="mean age within 2%")
    page.get_by_role("button", name="Use ε").click()
    epsilon = f"{float(wanted.epsilon):g}"
    page.locator(f'#epsilon[value="{epsilon}"]').wait_for()
    page.locator(".foreseen", has_text=wanted.line("age").cells[2]).wait_for()
    page.get_by_role("button", name="Keep this and review").click()
    page.wait_for_url("**/d/visits/review")
    kept = read_choice(visitor.world.project, "visits")
    assert (kept.epsilon, kept.records, faults) == (epsilon, 5_000, [])
    context.close()


def test_the_steps_lead_back_and_forth_by_keyboard_without_script(chromium, visitor):  # noqa: F811
    context, faults = opened(chromium, visitor, java_script_enabled=False)
    page = context.new_page()
    page.goto(home(visitor) + HERE)
    for place in ("/d/visits/schema", HERE):
        tab_to(page, f'.steps a[href="{place}"]')
        page.keyboard.press("Enter")
        page.wait_for_url(f"**{place}")
        assert page.locator(".steps [aria-current=step] a").count() == 0
    assert faults == []
    context.close()


def test_without_script_slider_and_button_do_the_same(chromium, visitor):  # noqa: F811
    context, faults = opened(chromium, visitor, java_script_enabled=False)
    page = context.new_page()
    page.goto(home(visitor) + FULL)
    page.locator("#stop").focus()
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Show what comes of it").click()
    page.locator('#epsilon[value="0.4"]').wait_for()
    page.locator(".foreseen", has_text=mean_of_age("0.4")).wait_for()
    page.locator("#records").fill("7000")
    page.keyboard.press("Enter")
    page.locator(".foreseen", has_text=mean_of_age("0.4", 7_000)).wait_for()
    assert faults == []
    context.close()


@pytest.mark.slow
def test_without_script_the_page_reloads_until_the_table_is_there(chromium, tmp_path):  # noqa: F811
    world = World(tmp_path)
    facts = {f"value_{k}": {"kind": "integer", "low": 0, "high": 9} for k in range(60)}
    schema = Schema.of({"name": "visits", "columns": facts})
    world.project.schema_path("visits").write_text(schema.to_yaml())
    with studio(tmp_path) as visitor:
        context, faults = opened(chromium, visitor, java_script_enabled=False)
        page = context.new_page()
        page.goto(home(visitor) + FULL.removesuffix("&do=show"))
        page.get_by_text("This page reloads by itself").wait_for()
        page.locator(".foreseen").wait_for()
        assert faults == []
        context.close()


@pytest.mark.parametrize("name", slow_but(list(PAGES)[:1], PAGES))
def test_no_page_has_a_fault_on_a_phone_by_day(chromium, visitor, name):  # noqa: F811
    seen = {"widths": (375,), "schemes": ("light",)}
    assert faults_of(chromium, visitor, PAGES[name], **seen) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_no_page_has_a_fault_at_any_width_by_day_or_night(chromium, visitor, name):  # noqa: F811
    assert faults_of(chromium, visitor, PAGES[name]) == []
