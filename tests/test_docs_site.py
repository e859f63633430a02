"""The site is whole and true: it builds, reaches every page, and what it shows is what happens."""

import doctest
import os
import re
import subprocess
import sys

import pytest

import sfumato as sf
from site_hooks import HOME, contents, methods, proofs, reference, tables

pytestmark = pytest.mark.slow  # it builds all pages

DOCS = HOME / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built as `make docs` builds it: warnings, also of pages in no menu, are errors."""
    place = tmp_path_factory.mktemp("site")
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(place)],
        cwd=HOME,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return place


def test_every_page_is_built_and_every_method_has_one(site):
    written = [
        path for path in DOCS.rglob("*.md") if path.name != "index.md" and path.parent != DOCS
    ]
    names = [str(path.relative_to(DOCS).with_suffix("")) for path in written]
    names += [f"methods/{kind}/{name}" for kind, known in methods.kinds().items() for name in known]
    assert len(names) > 80
    assert not [name for name in names if not (site / name / "index.html").exists()]


def test_no_page_fetches_anything_from_elsewhere(site):
    fetching = re.compile(r"<(?:script|img|iframe)[^>]*src=.?(?:https?:)?//|<link[^>]*href=.?http")
    assert fetching.search('<script src="https://elsewhere.example/x.js">')  # it can fail
    pages = list(site.rglob("*.html"))
    assert len(pages) > 80
    assert not [page for page in pages if fetching.search(page.read_text("utf-8"))]


def test_a_star_in_the_menu_stands_for_the_pages_not_named():
    pages = ["a/one.md", "a/two.md", "b/three.md"]
    menu = [{"A": ["a/two.md", "a/*"]}, {"Other": [{"B": ["b/*"]}]}]
    assert contents.expanded(menu, pages, contents.named(menu)) == [
        {"A": ["a/two.md", "a/one.md"]},
        {"Other": [{"B": ["b/three.md"]}]},
    ]


def test_every_other_method_has_a_command():
    known = [item for each in methods.kinds().values() for item in each.values()]
    others = [item for item in known if item.kind != "tables"]
    assert len(others) > 7
    assert not [item.name for item in others if not item.example]


def test_a_page_says_when_nothing_is_promised():
    assert "No guarantee" in methods.table_page("rotation")
    assert "No guarantee" in methods.other_page(methods.kinds()["networks"]["edge-greedy"], "n.md")
    assert "No guarantee" not in methods.table_page("dp-lda")
    assert not [
        name
        for name, item in methods.METHODS.items()
        if methods.promised(item) == bool(methods.tried(name).plan.unproved)
    ]


def test_every_method_is_in_the_index_of_proofs():
    page = proofs.page()
    names = [name for known in methods.kinds().values() for name in known]
    assert not [name for name in names if f"[`{name}`]" not in page]


@pytest.mark.parametrize("hook", [contents, reference, tables], ids=lambda hook: hook.__name__)
def test_the_examples_of_the_hooks_run(hook):
    found = doctest.testmod(hook)
    assert found.attempted > 0
    assert found.failed == 0


def test_every_public_name_is_in_the_reference():
    pages = reference.pages()
    assert not [name for name in sf.__all__ if f"## {name}\n" not in pages["reference/sfumato.md"]]
    assert "`fit(X, y=None)`" in pages["reference/sfumato-estimator.md"]


def test_the_errata_name_tests_that_exist():
    named = set(proofs.TEST.findall((DOCS / "errata.md").read_text("utf-8")))
    known = {
        name
        for tests in (HOME / "tests", HOME / "papers" / "tests")
        for path in tests.rglob("test_*.py")
        for name in re.findall(r"^def test_(\w+)\(", path.read_text("utf-8"), flags=re.M)
    }
    assert len(named) > 30
    assert not named - known


def test_the_untidy_file_of_the_guide_is_that_of_the_gallery():
    printed = (HOME / "examples" / "output" / "untidy_columns.txt").read_text("utf-8")
    assert printed in (DOCS / "guide" / "untidy.md").read_text("utf-8")
