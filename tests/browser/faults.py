"""What a real browser finds wrong with a page: for every page that Sfumato writes.

from browser.faults import chromium, page_faults  # `chromium` is a fixture

def test_the_page_has_no_faults(chromium, tmp_path):
    assert page_faults(chromium, tmp_path / "page.html") == []
"""

import os
import shutil
from io import BytesIO
from pathlib import Path
from unicodedata import normalize

import pytest

__all__ = [
    "SCHEMES",
    "WIDTHS",
    "address_faults",
    "chromium",
    "faults_at",
    "faults_now",
    "page_faults",
    "pictures",
    "program",
]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
_OPEN = []
WIDTHS, SCHEMES = (375, 1200), ("light", "dark")
_OF_COLOURS = ("color-contrast", "link-in-text-block")
_PAPER = 794  # CSS pixels of A4
_NO_BROWSER = (
    "no browser: install chromium (apt-get install chromium, or python -m playwright install "
    "chromium), or name one in the environment as CHROMIUM"
)


@pytest.fixture(scope="session")
def chromium():
    """A browser; whoever has none skips."""
    if _OPEN:  # by another file that uses the fixture: one at a time is all there can be
        yield _OPEN[0]
        return
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        path = program(started.chromium)
        if path is None:
            pytest.skip(_NO_BROWSER)
        browser = started.chromium.launch(executable_path=path, args=list(_FLAGS))
        _OPEN.append(browser)
        yield browser
        _OPEN.clear()
        browser.close()


def program(kind):
    """A browser that is there already: tests install nothing on the machine they run on."""
    named = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    return named or (kind.executable_path if Path(kind.executable_path).exists() else None)


def page_faults(browser, path: Path) -> list[str]:
    """All that is wrong with a self-contained page, on a phone, on a screen and on paper."""
    page = browser.new_page()
    faults = [*_watched(page, path), *faults_at(page), *_printed(page)]
    page.close()
    return faults


def address_faults(
    context, address: str, *, widths=WIDTHS, schemes=SCHEMES, status=200
) -> list[str]:
    """All that is wrong with a page that is served, in a context that may see it."""
    page = context.new_page()
    faults = [*_served(page, address, status), *faults_at(page, widths, schemes), *_printed(page)]
    page.close()
    return faults


def faults_at(page, widths=WIDTHS, schemes=SCHEMES):
    """Faults of the page as it stands, at each width, by day and by night."""
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        rules = () if scheme == schemes[0] else _OF_COLOURS  # another scheme changes nothing else
        for width in widths:
            page.set_viewport_size({"width": width, "height": 800})
            yield from (f"{width} px, {scheme}: {fault}" for fault in faults_now(page, rules))


def _served(page, address, status):
    """Faults that show while a page comes from its server: whatever comes from elsewhere is one."""
    home, faults = "/".join(address.split("/", 3)[:3]) + "/", []
    refusal = f"status of {status}" if status >= 400 else "\0"
    page.on(
        "console",
        lambda said: refusal in said.text or faults.append(f"console {said.type}: {said.text}"),
    )
    page.on("pageerror", lambda error: faults.append(f"script error: {error}"))
    page.on(
        "request",
        lambda asked: asked.url.startswith(home) or faults.append(f"request: {asked.url[:80]}"),
    )
    reply = page.goto(address, wait_until="load")
    if reply.status != status:
        faults.append(f"status {reply.status}")
    kept = page.evaluate("localStorage.length + sessionStorage.length + document.cookie.length")
    if kept:
        faults.append("something is kept in the browser")
    return faults


def pictures(browser, path: Path, folder: Path) -> list[Path]:
    """The page as PNG at every width and scheme, to be looked at."""
    made = []
    for scheme in SCHEMES:
        for width in WIDTHS:
            page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
            page.goto(path.absolute().as_uri())
            made.append(folder / f"{path.stem}-{width}-{scheme}.png")
            page.screenshot(path=made[-1], full_page=True)
            page.close()
    return made


def _watched(page, path):
    """Faults that show while the page loads."""
    address, faults = path.absolute().as_uri(), []
    page.on("console", lambda said: faults.append(f"console {said.type}: {said.text}"))
    page.on("pageerror", lambda error: faults.append(f"script error: {error}"))
    page.on(
        "request",
        lambda asked: asked.url != address and faults.append(f"request: {asked.url[:80]}"),
    )
    page.goto(address, wait_until="load")
    page.wait_for_timeout(50)
    return faults


def faults_now(page, rules=()):
    """Faults of the page as it stands, by all rules if none are named."""
    from axe_playwright_python.sync_playwright import Axe

    if page.evaluate("typeof axe == 'undefined'"):
        page.evaluate(Axe().axe_script)
    wide, room = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    if wide > room:
        yield f"scrolls sideways: {wide} px"
    asked = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
    for rule in page.evaluate("asked => axe.run(asked).then(found => found.violations)", asked):
        where = ", ".join(node["html"][:80] for node in rule["nodes"][:5])
        yield f"{rule['id']} ({rule['impact']}, {len(rule['nodes'])} times): {where}"


def _printed(page):
    """Faults on paper: what is cut at the margin, and headings that do not appear."""
    from pypdf import PdfReader

    headings = page.eval_on_selector_all(
        "h1, h2, h3", "found => found.map(item => item.textContent)"
    )
    page.set_viewport_size({"width": _PAPER, "height": 1123})
    page.emulate_media(media="print", color_scheme="light")
    wide = page.evaluate("document.documentElement.scrollWidth")
    if wide > _PAPER:
        yield f"paper: wider than the paper: {wide} px"
    sheets = PdfReader(BytesIO(page.pdf(format="A4"))).pages
    text = _packed("".join(sheet.extract_text() for sheet in sheets))
    missing = [name for name in headings if _packed(name) not in text]
    yield from (f"paper: heading is missing: {name}" for name in missing)


def _packed(text):
    """Without white space and ligatures, which a PDF sets as it likes."""
    return "".join(normalize("NFKC", text).split())
