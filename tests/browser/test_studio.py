"""The studio in a browser: with script, without, and by keyboard; nothing foreign, nothing kept."""

import pytest

from browser.faults import address_faults, chromium, program  # noqa: F401  a fixture
from sfumato.schema import Schema
from slowness import slow
from studio_world import studio

PATIENCE = 90_000  # milliseconds: of a page on a machine that has other things to do
RECORD = "canary0,canary1,canary2,canary3,canary4"
FACTS = {
    "f1": "0..110",
    "f2": "cardiology, surgery; other: elsewhere",
    "f3": "2020-01-01..2025-12-31",
}
KINDS = {"k0": "id", "k1": "integer", "k2": "category", "k3": "date", "k4": "id"}
PAGES = {
    "the start page": ("/", 200),
    "the choice of a file": ("/new", 200),
    "the choice of a file, again": ("/d/registry/file", 200),
    "the columns": ("/d/registry/schema", 200),
    "the columns with what is wrong": ("/d/registry/schema?check=1", 200),
    "columns of persons": ("/d/persons/schema?check=1", 200),
    "the columns of the made-up clinic": ("/d/made-up-clinic/schema?check=1", 200),
    "a page that is not there": ("/nowhere", 404),
    "what is refused": ("/d/none/schema", 409),
    "the door": ("/open", 200),
}


@pytest.fixture(scope="module")
def visitor(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")
    (folder / "data").mkdir()
    (folder / "data" / "patients.csv").write_text(f"patient,age,ward,seen,note\n{RECORD}\n")
    (folder / "dictionary.yaml").write_text("columns: {}\n")
    with studio(folder) as found:
        answers = {"file": "patients.csv", "header": "yes", "held": "secret", "rows": "8"}
        found.post("/new", answers | {"unit": "one", "name": "registry"})
        found.post("/new", answers | {"unit": "several", "person": "patient", "name": "persons"})
        found.post("/d/registry/schema", {"do": "check", "k1": "integer", "f1": "9..1"})
        found.post("/example")
        yield found


def opened(browser, visitor, **settings):
    """A context with the cookie of this visitor, and whatever went wrong in it."""
    context, faults = browser.new_context(**settings), []
    context.set_default_timeout(PATIENCE)
    name, _, value = visitor.cookie.partition("=")
    context.add_cookies([{"name": name, "value": value, "url": home(visitor), "httpOnly": True}])
    context.on("console", lambda said: "422" in said.text or faults.append(said.text))
    context.on("weberror", lambda error: faults.append(str(error.error)))
    context.on(
        "request", lambda asked: asked.url.startswith(home(visitor)) or faults.append(asked.url)
    )
    return context, faults


def home(visitor):
    return f"http://127.0.0.1:{visitor.port}"


def faults_of(browser, visitor, page, **seen):
    """All that is wrong with a page of this visitor, by its path and the status that it has."""
    context, _ = opened(browser, visitor)
    path, status = page
    found = address_faults(context, home(visitor) + path, status=status, **seen)
    context.close()
    return found


def choose_file(page, visitor, name):
    page.goto(f"{home(visitor)}/")
    page.get_by_role("link", name="New data set").click()
    page.get_by_label("patients.csv").check()
    page.get_by_label("yes", exact=True).first.check()
    page.get_by_label("yes, each person has one row").check()
    page.get_by_label("Name in the ledger").fill(name)
    page.get_by_role("button", name="Read the header").click()
    page.wait_for_url("**/schema")


def check(page):
    page.get_by_role("button", name="Check").first.click()
    page.wait_for_url("**/schema?check=1**")


def declare(page):
    for field, kind in KINDS.items():
        page.locator(f"[name={field}]").select_option(kind)
    for field, facts in FACTS.items():
        page.locator(f"[name={field}]").fill(facts)
    page.get_by_label("Kind of source").select_option("law")
    page.get_by_label("Which one").fill("registry act")
    page.get_by_label("was read off the records").check()


def first_release(page, visitor, name):
    """As far as there are pages."""
    choose_file(page, visitor, name)
    check(page)
    assert page.locator(".fault").count() == 4
    declare(page)
    page.get_by_role("button", name="Next").click()
    page.wait_for_url("**/budget")
    schema = Schema.read(visitor.folder / "datasets" / name / "schema.yaml")
    assert list(schema.released) == ["age", "ward", "seen"]


@pytest.mark.parametrize("script", [True, slow(False)])
def test_a_newcomer_comes_as_far_as_there_are_pages(chromium, visitor, script):  # noqa: F811
    context, faults = opened(chromium, visitor, java_script_enabled=script)
    page = context.new_page()
    first_release(page, visitor, f"newcomer-{script}".lower())
    assert faults == []
    context.close()


def tab_to(page, selector):
    """Press the tabulator until the focus is there, and is to be seen."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none", selector
            return
    raise AssertionError(f"{selector} is not reached by keyboard")


def test_the_same_goes_by_keyboard(chromium, visitor):  # noqa: F811
    context, faults = opened(chromium, visitor)
    page = context.new_page()
    page.goto(f"{home(visitor)}/new")
    for selector in ("[name=file]", "[name=header]", "[name=unit]"):
        tab_to(page, selector)
        page.keyboard.press("Space")
    if not page.locator('[name=file][value="patients.csv"]').is_checked():
        page.locator("[name=file]:checked").focus()
        page.keyboard.press("ArrowDown")
    page.locator("[name=unit]:checked").focus()
    tab_to(page, "#name")
    page.keyboard.type("by keyboard")
    page.keyboard.press("Enter")
    page.wait_for_url("**/d/by-keyboard/schema")
    for place, kind in enumerate(("never", "whole", "one of", "date", "never")):
        tab_to(page, f"[name=k{place}]")
        page.keyboard.type(kind)
        if facts := FACTS.get(f"f{place}"):
            tab_to(page, f"[name=f{place}]")
            page.keyboard.press("ControlOrMeta+a")
            page.keyboard.type(facts)
    tab_to(page, "#known")
    page.keyboard.type("a law")
    tab_to(page, "#source")
    page.keyboard.type("registry act")
    tab_to(page, "[name=unread]")
    page.keyboard.press("Space")
    tab_to(page, "button.main")
    page.keyboard.press("Enter")
    page.wait_for_url("**/d/by-keyboard/budget")
    assert (visitor.folder / "datasets/by-keyboard/schema.yaml").exists()
    assert faults == []
    context.close()


def test_the_file_opens_the_studio_with_one_button(chromium, tmp_path):  # noqa: F811
    with studio(tmp_path, entered=False) as visitor:
        context = chromium.new_context()
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(visitor.opening.as_uri())
        page.wait_for_url("**/open?*")
        page.get_by_role("button", name="Open the studio").click()
        page.wait_for_url(f"{home(visitor)}/")
        page.get_by_role("heading", name="Data sets").wait_for()
        cookie = context.cookies()[0]
        assert (cookie["httpOnly"], cookie["sameSite"], cookie["expires"]) == (True, "Strict", -1)
        page.once("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="Quit").click()
        page.get_by_text("has stopped").wait_for()
        context.close()
        visitor.cookie = "used"


def test_a_hostile_page_in_the_same_browser_changes_nothing(chromium, visitor, tmp_path):  # noqa: F811
    context, _ = opened(chromium, visitor)
    page, hostile = context.new_page(), tmp_path / "hostile.html"
    before = sorted((visitor.folder / "datasets").iterdir())
    hostile.write_text(f'<form method=post action="{home(visitor)}/quit"><button>b</button></form>')
    page.goto(hostile.as_uri())
    page.get_by_role("button").click()
    page.get_by_text("Another page").first.wait_for()
    hostile.write_text(
        f'<a href="{home(visitor)}/">a</a><iframe src="{home(visitor)}/new"></iframe>'
    )
    page.goto(hostile.as_uri())
    assert "Which file" not in page.frames[-1].content()
    page.get_by_role("link").click()
    page.wait_for_url(f"{home(visitor)}/**")
    assert "Data sets" not in page.inner_text("body")
    assert sorted((visitor.folder / "datasets").iterdir()) == before
    assert visitor.get("/").status == 200
    context.close()


def test_fields_appear_where_they_are_asked_for(chromium, visitor):  # noqa: F811
    context, _ = opened(chromium, visitor, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{home(visitor)}/new")
    assert not page.locator("#person").is_visible()
    page.get_by_label("a person may have several rows").check()
    assert page.locator("#person").is_visible()
    page.goto(f"{home(visitor)}/d/registry/schema")
    page.locator("[name=k2]").select_option("id")
    assert not page.locator("[name=f2]").is_visible()
    context.close()


@pytest.mark.slow
def test_what_was_typed_outlives_reload_and_back(chromium, visitor):  # noqa: F811
    context, faults = opened(chromium, visitor)
    page = context.new_page()
    choose_file(page, visitor, "reloaded")
    page.locator("[name=f1]").fill("0..99")
    check(page)
    page.reload()
    assert page.locator("[name=f1]").input_value() == "0..99"
    page.goto(f"{home(visitor)}/")
    page.go_back()
    assert page.locator("[name=f1]").input_value() == "0..99"
    assert faults == []
    context.close()


@pytest.mark.parametrize("name", ["the choice of a file", "the columns with what is wrong"])
def test_a_page_has_no_fault_on_a_phone_by_day(chromium, visitor, name):  # noqa: F811
    seen = {"widths": (375,), "schemes": ("light",)}
    assert faults_of(chromium, visitor, PAGES[name], **seen) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_no_page_has_a_fault_at_any_width_by_day_or_night(chromium, visitor, name):  # noqa: F811
    assert faults_of(chromium, visitor, PAGES[name]) == []


@pytest.mark.slow
def test_the_profile_of_the_browser_holds_no_cell_and_no_key(chromium, visitor, tmp_path):  # noqa: F811
    context = chromium.browser_type.launch_persistent_context(
        tmp_path,
        executable_path=program(chromium.browser_type),
        args=["--no-sandbox", "--disable-gpu"],
    )
    name, _, value = visitor.cookie.partition("=")
    context.set_default_timeout(PATIENCE)
    context.add_cookies([{"name": name, "value": value, "url": home(visitor), "httpOnly": True}])
    first_release(context.new_page(), visitor, "profile")
    context.close()
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(kept) > 10
    for word in (b"canary", value.encode(), b"registry act", b"home, care"):
        assert [path.name for path in kept if word in path.read_bytes()] == []
