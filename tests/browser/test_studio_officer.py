"""Officer and recipient in a browser: grants, looks, checks, signs; asks and verifies."""

from contextlib import contextmanager
from io import BytesIO

import pyarrow as pa
import pytest

import sfumato as sf
from browser.faults import chromium  # noqa: F401  a fixture
from browser.test_studio import faults_of, home, opened
from jobs_world import NAME as VISITS
from jobs_world import World
from release_world import HOSTILE, NAME, RELEASE, lines, published, reserved
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import Heuristic
from sfumato.schema import Schema
from slowness import slow
from studio_world import studio

LONG = "".join(filter(str.isprintable, HOSTILE)) * 2
PAPER = (595, 842)  # points of A4
PRINTS = 4
BETWEEN_MARGINS = 673  # CSS pixels of its width
PAGES = {
    "the release": (f"/r/{RELEASE}", 200),
    "a count": (f"/r/{RELEASE}?ask=count&column=5&value=1", 200),
    "a table of two": (f"/r/{RELEASE}?ask=table&column=5&by=7", 200),
    "a question that cannot be asked": (f"/r/{RELEASE}?ask=mean&column=5", 200),
    "the ledger": ("/ledger", 200),
    "an account": (f"/ledger/{NAME}", 200),
    "a sheet": (f"/ledger/{NAME}/sheet", 200),
    "a grant": (f"/d/{NAME}/grant", 200),
    "no such release": ("/r/none", 409),
}
QUICK = ("an account",)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    found = published(tmp_path_factory.mktemp("officer"))
    reserved(found, "77ab")
    with Ledger(found.ledger_path) as ledger:
        ledger.create_dataset("survey", reason="another")
        for k in range(7):
            ledger.inspect(NAME, what=f"look {k}")
    return found


@pytest.fixture(scope="module")
def visitor(project):
    with studio(project.folder) as found:
        yield found


@contextmanager
def page_of(browser, visitor, **settings):
    """A page that may see the studio; what went wrong in it is refused at the end."""
    context, faults = opened(browser, visitor, **settings)
    page = context.new_page()
    yield page
    kept = page.evaluate("localStorage.length + sessionStorage.length")
    context.close()
    assert (faults, kept) == ([], 0)


def printed(page):
    """The sheets that a browser prints, as sizes in points and texts."""
    page.emulate_media(media="print")
    page.locator(".on-screen").first.wait_for(state="hidden")  # the styles of paper hold now
    # A busy browser was seen to print one page on its own paper all the same, with those styles
    # loaded. A page that names no paper stays on the browser's, however often it is printed.
    for _ in range(PRINTS):
        found = sheets_of(page)
        if all(size == PAPER for size, _ in found):
            break
    page.emulate_media(media="screen")
    return found


def sheets_of(page):
    from pypdf import PdfReader

    return [
        (tuple(round(float(side)) for side in sheet.mediabox[2:]), sheet.extract_text())
        for sheet in PdfReader(BytesIO(page.pdf(prefer_css_page_size=True))).pages
    ]


def grant(page, epsilon, reason):
    """Fill in the form, and send it as people do who are not sure that they pressed."""
    page.get_by_label("ε to add").fill(epsilon)
    page.get_by_label("Who decided it, and why").fill(reason)
    page.get_by_role("button", name="Grant it").dblclick()


@pytest.mark.parametrize("name", QUICK)
def test_a_page_has_no_fault_on_a_phone_by_night(chromium, visitor, name):  # noqa: F811
    seen = {"widths": (375,), "schemes": ("dark",)}
    assert faults_of(chromium, visitor, PAGES[name], **seen) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_no_page_has_a_fault_at_any_width_by_day_or_night(chromium, visitor, name):  # noqa: F811
    assert faults_of(chromium, visitor, PAGES[name]) == []


@pytest.mark.parametrize("script", [True, slow(False)])
def test_an_officer_grants_checks_and_signs(chromium, visitor, project, script):  # noqa: F811
    context, faults = opened(chromium, visitor, java_script_enabled=script)
    page, before = context.new_page(), len(lines(project, "grant"))
    page.goto(home(visitor))
    page.get_by_role("link", name="Ledger").click()
    page.get_by_role("link", name=NAME, exact=True).click()
    page.get_by_role("link", name="Grant more").click()
    grant(page, "0.5", f"second board {script}")
    page.get_by_text(f"second board {script}").wait_for()
    assert len(lines(project, "grant")) == before + 1
    page.get_by_role("link", name="Sheet to sign").click()
    page.wait_for_url("**/sheet")
    ((size, text),) = printed(page)
    with Ledger(project.ledger_path) as ledger:
        head = ledger.head
    assert size == PAPER, text
    assert head in text
    assert "data protection" in text
    assert "Print it" not in text
    page.goto(f"{home(visitor)}/ledger/{NAME}")
    page.get_by_label("Head on your last sheet").fill(head)
    page.get_by_role("button", name="Compare and check").click()
    page.get_by_text("It holds the head of your sheet").wait_for()
    assert faults == []
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("path", [f"/ledger/{NAME}", "/", f"/r/{RELEASE}"])
def test_paper_is_no_phone(chromium, visitor, path):  # noqa: F811
    with page_of(chromium, visitor) as page:
        page.goto(home(visitor) + path)
        page.set_viewport_size({"width": BETWEEN_MARGINS, "height": 1000})
        page.emulate_media(media="print")
        assert page.evaluate("document.documentElement.scrollWidth") <= BETWEEN_MARGINS
        rows = "found => found.map(row => getComputedStyle(row).display)"
        assert set(page.eval_on_selector_all("main .cards tr", rows)) <= {"table-row"}
        assert not page.get_by_role("button").filter(visible=True).count()


@pytest.mark.slow
def test_a_sheet_with_all_that_is_long_is_one_page_and_holds_the_head(chromium, tmp_path):  # noqa: F811
    columns = {f"{'a long name of a column' * 2} {k}": {"kind": "boolean"} for k in range(200)}
    schema = Schema.of({"name": LONG[:200], "columns": columns})
    records = pa.table({name: [True, False] for name in columns})
    project = published(tmp_path, schema=schema, records=records)
    with Ledger(project.ledger_path) as ledger:
        for k in range(30):
            ledger.inspect(schema.name, what=f"{k} {LONG}"[:500])
        ledger.create_dataset(LONG[:400], reason="x")
        ledger.allow(schema.name, LONG[:400], LONG[:400])
        ledger.grant(schema.name, epsilon=1, delta="1e-9", reason="x", until="2999-12-31")
        ledger.grant(schema.name, heuristic=True, reason="x")
        for k in range(9):
            plain, release = Heuristic("x"), f"{k}{LONG}"[:300]
            ledger.reserve(release, schema.name, plain, plan="c0ffee00", protects="x")
        head = ledger.head
    with studio(tmp_path) as visitor:
        context, _ = opened(chromium, visitor)
        page = context.new_page()
        page.goto(f"{home(visitor)}/ledger")
        page.get_by_role("link", name="Sheet of").first.click()
        page.wait_for_url("**/sheet")
        ((size, text),) = printed(page)
        context.close()
    assert size == PAPER, text
    assert head in text
    assert "Place, date, data protection" in text


@pytest.mark.parametrize("script", [True, slow(False)])
def test_a_recipient_asks_and_verifies(chromium, project, script):  # noqa: F811
    folder = project.releases / RELEASE
    (answer,) = sf.Release.load(folder).accuracy(count={"ward": ["surgery", "oncology"]})
    (mean,) = sf.Release.load(folder).accuracy(mean="age")
    with studio(folder, received=True) as visitor:
        context, faults = opened(chromium, visitor, java_script_enabled=script)
        page = context.new_page()
        page.goto(home(visitor))
        page.get_by_label("Column").select_option(label="ward")
        if script:  # the values come by themselves
            page.get_by_label("surgery").wait_for()
        else:
            page.get_by_role("button", name="Choose").click()
        page.get_by_label("surgery").check()
        page.get_by_label("oncology").check()
        page.get_by_role("button", name="Ask").click()
        for sentence in answer.sentences:
            page.get_by_text(sentence).wait_for()
        page.wait_for_load_state()  # and its script
        page.get_by_label("Question").select_option(label="What is the mean of …?")
        page.get_by_label("Column").select_option(label="age")
        if not script:
            page.get_by_role("button", name="Choose").click()
        page.get_by_text(mean.sentences[0]).wait_for()
        page.get_by_role("button", name="Check again").click()
        page.get_by_text("Everything was checked just now").wait_for()
        frame = page.frame_locator("iframe")
        frame.get_by_role("heading", name=NAME).wait_for()
        with page.expect_download() as fetched:
            page.get_by_role("link", name="all as one zip").click()
        assert fetched.value.suggested_filename == f"clinic-{RELEASE}.zip"
        assert faults == []
        context.close()


@pytest.mark.slow
def test_a_budget_that_is_spent_has_a_remedy(chromium, tmp_path):  # noqa: F811
    world = World(tmp_path, epsilon="0.5").choose()
    with studio(tmp_path) as visitor, page_of(chromium, visitor) as page:
        page.goto(f"{home(visitor)}/d/{VISITS}/review")
        page.get_by_text("This cannot be charged").wait_for()
        page.get_by_role("link", name="Ask for less").click()
        page.get_by_role("link", name="Grant more").click()
        grant(page, "0.25", "board, second meeting")
        page.wait_for_url(lambda url: "/budget" in url)  # where more was asked for
        page.goto(f"{home(visitor)}/d/{VISITS}/review")
        page.get_by_text("This cannot be charged").wait_for()
        page.get_by_role("link", name="Grant more").click()
        grant(page, "2", "board, third meeting")
        page.wait_for_url("**/review")  # which is where more was asked for, here
        page.get_by_label("type the name of the data set").fill(VISITS)
        page.get_by_role("button", name="Publish").click()
        page.get_by_role("heading", name="Published", exact=True).wait_for()
    assert world.spent == 1


@pytest.mark.slow
def test_a_look_is_counted_and_marked_and_kept_only_if_that_is_asked(chromium, tmp_path):  # noqa: F811
    world = World(tmp_path).choose()
    with studio(tmp_path) as visitor, page_of(chromium, visitor) as page:
        page.goto(f"{home(visitor)}/d/{VISITS}/fit")
        page.get_by_label("What do you want to find out?").fill("does it fit?")
        page.get_by_role("button", name="Count it, and look").dblclick()
        page.locator("iframe.found").wait_for()
        page.wait_for_load_state()
        assert world.lines("inspect") == 1
        assert "INTERNAL" in page.inner_text("body")
        assert "INTERNAL" in "".join(text for _, text in sheets_of(page))
        kept = world.project.internal
        assert list(kept.iterdir()) == []
        page.get_by_role("button", name="Keep it, for you alone").click()
        page.get_by_text("Kept for you alone").wait_for()
        (file,) = kept.iterdir()
        assert (oct(kept.stat().st_mode)[-3:], oct(file.stat().st_mode)[-3:]) == ("700", "600")
        page.goto(f"{home(visitor)}/d/{VISITS}/review")
        assert "chosen after 1 look" in page.inner_text("body")
        page.goto(f"{home(visitor)}/ledger/{VISITS}/sheet")
        assert "does it fit?" in page.inner_text("body")


def test_the_report_s_frame_runs_nothing_and_fetches_nothing(chromium, visitor):  # noqa: F811
    with page_of(chromium, visitor) as page:
        page.goto(f"{home(visitor)}/r/{RELEASE}")
        frame = next(frame for frame in page.frames if frame.url.endswith("/report"))
        frame.wait_for_load_state()
        assert frame.evaluate("window.origin") == "null"
        assert frame.content().count("<script") == 0
