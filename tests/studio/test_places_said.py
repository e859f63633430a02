"""Where things lie is said from the folder of the project on, or from home; budgets in letters."""

import re

import pytest

from jobs_world import World, begun
from sfumato.ledger import Ledger
from sfumato.studio.draft import Draft
from sfumato.studio.project import Project
from studio_world import studio


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Somebody's home, with a project in it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_no_page_says_where_home_is(home):
    world = World(home / "registry").choose()
    job, _ = begun(world, "work")
    paths = ["/", "/new", "/ledger", "/d/visits/schema", "/d/visits/budget", "/d/visits/review"]
    paths += ["/d/visits/grant", "/ledger/visits", "/ledger/visits/sheet", "/d/visits/fit"]
    paths += [f"/jobs/{job}", f"/r/{job}", f"/r/{job}/report", "/r/none", "/d/none/schema"]
    with studio(world.project.folder) as visitor:
        for path in paths:
            assert str(home) not in visitor.get(path).text, path
        assert f"<code>~/registry/releases/{job}</code>" in visitor.get(f"/r/{job}").text
        assert "<code>~/registry/data</code>" in visitor.get("/new").text
    with studio(world.project.folder / "releases" / job, received=True) as visitor:
        assert str(home) not in visitor.get("/r/received").text


@pytest.mark.slow
def test_a_look_that_was_kept_is_shown_again_and_says_where_from_the_folder_on(home):
    world = World(home / "registry").choose()
    with studio(world.project.folder) as visitor:
        once = world.asked().job
        visitor.post("/d/visits/fit", {"once": once, "reason": "does it fit?"})
        visitor.get(f"/looks/{once}/events")
        found = visitor.send(f"/looks/{once}/keep").text
        assert f"<code>internal/fit-{once}.html</code>" in found
        for way in (f"/looks/{once}/page", "/d/visits/schema", "/ledger/visits"):
            assert f'href="{way}"' in found
        assert "looked at the records" in visitor.get("/ledger/visits").text
        page = visitor.get(f"/looks/{once}/page").text
    with studio(world.project.folder) as visitor:  # another studio has it from there
        assert f"<code>internal/fit-{once}.html</code>" in visitor.get(f"/looks/{once}").text
        assert visitor.get(f"/looks/{once}/page").text == page
        kept = world.project.internal / f"fit-{once}.html"
        kept.unlink()
        kept.mkdir()
        assert "cannot be read" in visitor.get(f"/looks/{once}").text
        assert visitor.said == []


@pytest.mark.parametrize("place", ["registry", "elsewhere"])
def test_what_is_refused_names_the_file_and_not_the_machine(tmp_path, monkeypatch, place):
    monkeypatch.setenv("HOME", str(tmp_path / "registry"))
    project = Project(tmp_path / place / "project")
    project.ledger_path.write_bytes(b"no ledger at all")
    with studio(project.folder) as visitor:
        found = visitor.get("/ledger").text
        said = re.search('role="alert">(.*?)</p>', found, re.DOTALL)[1]
    assert "budget.db" in said
    assert str(project.folder) not in said


def test_without_a_grant_the_page_names_the_ledger_that_will_be_made(home):
    project = Project(home / "registry")
    project.begin(Draft("", "visits", "visits.csv"))
    with studio(project.folder) as visitor:
        for path in ("/ledger", "/d/visits/grant"):
            assert "<code>~/registry/budget.db</code>" in visitor.get(path).text


def test_budgets_have_letters_on_every_page(tmp_path):
    world = World(tmp_path).choose()
    job, _ = begun(world, "work")
    with Ledger(world.ledger_path) as ledger:
        ledger.add_client("visits", "anna", token="a" * 64, epsilon="0.5", reason="service")
    with studio(tmp_path) as visitor:
        for path in ("/", "/d/visits/review", f"/jobs/{job}", f"/r/{job}", "/ledger/visits"):
            found = visitor.get(path).text
            assert re.search("ε (= )?[0-9]", found), path
            assert not re.search("(?<!--)epsilon [0-9]", found), path
