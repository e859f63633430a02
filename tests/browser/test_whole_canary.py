"""Canary and twins by the whole way: no cell leaves the file, and nothing tells records apart."""

import os
import signal

import pytest

from browser.faults import chromium, program  # noqa: F401  a fixture
from browser.journey import BOOK, HEADER, Mouse, publish_first
from browser.test_killed_anywhere import browser_of, gone, pressed, server
from browser.test_studio import PATIENCE, home
from jobs_world import World, held
from studio_world import running

pytestmark = pytest.mark.slow

WORD = b"canary"
COLUMNS = HEADER.count(",") + 1
CELLS = "".join(
    ",".join(f"canary{row}x{column}" for column in range(COLUMNS)) + "\n" for row in range(300)
)


@pytest.fixture
def place(tmp_path):
    """A project whose cells are all words of their own, and where a process puts what it keeps."""
    (tmp_path / "project" / "data").mkdir(parents=True)
    for name in ("temporary", "profile", "state"):
        (tmp_path / name).mkdir()
    (tmp_path / "project" / "data" / "registry.csv").write_text(f"{HEADER}\n{CELLS}")
    (tmp_path / "project" / "dictionary.csv").write_text(BOOK)
    return tmp_path


def kept_by(place):
    return {
        "TMPDIR": str(place / "temporary"),
        "XDG_RUNTIME_DIR": "",
        "XDG_STATE_HOME": str(place / "state"),
    }


def browsing(browser, place, visitor):
    """A browser that keeps what it keeps in a folder, and all that it is answered."""
    context = browser.browser_type.launch_persistent_context(
        place / "profile",
        executable_path=program(browser.browser_type),
        args=["--no-sandbox", "--disable-gpu"],
    )
    context.set_default_timeout(PATIENCE)
    name, _, value = visitor.cookie.partition("=")
    context.add_cookies([{"name": name, "value": value, "url": home(visitor), "httpOnly": True}])
    pages = []
    context.on("response", lambda reply: pages.append(reply.url))
    return context, pages


def files_with(place, *words):
    """Files, other than those of records, that hold one of these words."""
    records = place / "project" / "data"
    return [
        str(path.relative_to(place))
        for path in sorted(place.rglob("*"))
        if path.is_file()
        and not path.is_relative_to(records)
        and any(word in read(path) for word in words)
    ]


def read(path):
    """Its bytes, unless what is left of a browser removed it just now."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def test_no_cell_is_anywhere_after_a_release_and_a_look(chromium, place):  # noqa: F811
    with running(place / "project", **kept_by(place)) as (visitor, process):
        context, pages = browsing(chromium, place, visitor)
        person = Mouse(context.new_page())
        publish_first(person, visitor, "registry")
        bodies = [person.page.content()]
        for path in dict.fromkeys(person.visited):
            bodies.append(visitor.get(path.partition("#")[0]).body.decode())
        job = person.page.url.rpartition("/")[2]
        for path in (f"/r/{job}/report", f"/r/{job}/files/data.csv", "/ledger/registry/sheet"):
            bodies.append(visitor.get(path).body.decode())
        person.open(f"{home(visitor)}/d/registry/fit")
        person.fill("#reason", "does it fit?")
        person.press("main .actions button.main", leads="**/looks/*")
        found = person.page.frame_locator("iframe.found").locator("body")
        found.get_by_text("age").first.wait_for()
        person.page.wait_for_load_state()
        bodies.append(found.inner_text())
        context.close()
        visitor.post("/quit")
        said, complained = process.communicate(timeout=60)
    assert len(pages) > 15
    assert not any("canary" in body for body in bodies)
    assert "canary" not in said + complained
    assert files_with(place, WORD, visitor.cookie.partition("=")[2].encode()) == []
    assert list((place / "temporary").iterdir()) == []


@pytest.mark.parametrize("step", ["held once charged", "held once drawn"])
def test_no_cell_is_anywhere_after_all_was_killed(chromium, place, step):  # noqa: F811
    rows = "age,ward\n" + "".join(f"canary{k},canary{k}x\n" for k in range(200))
    world = World(place / "project", rows=rows).choose()
    with running(place / "project", script=server(step), **kept_by(place)) as (visitor, process):
        context, _ = browsing(chromium, place, visitor)
        pressed(context.new_page(), visitor)
        held(world)
        at_work = int((place / "project" / "held").read_text())
        for pid in (process.pid, at_work, browser_of(place / "profile")):
            os.kill(pid, signal.SIGKILL)
        said, complained = process.communicate(timeout=60)
        gone(at_work)
    assert "canary" not in said + complained
    assert files_with(place, WORD) == []
