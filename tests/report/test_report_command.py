"""`sfumato report` as its user meets it."""

import shutil

import pyarrow.csv as pacsv
import pytest
import typer
from typer.testing import CliRunner
from worlds import KINDS, made

import sfumato as sf
from sfumato.cli.report import report
from sfumato.errors import ReleaseError
from sfumato.example import CLINIC, clinic
from slowness import slow_but

app = typer.Typer()
app.command()(report)
run = CliRunner().invoke


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A release made from a file; tests work on copies."""
    place = tmp_path_factory.mktemp("sound")
    (place / "s.yaml").write_text(CLINIC)
    pacsv.write_csv(clinic(120), place / "a.csv")
    sf.publish(place / "a.csv", schema=place / "s.yaml", epsilon=1, folder=place / "release")
    return place


@pytest.fixture
def place(sound, tmp_path):
    return shutil.copytree(sound, tmp_path / "p")


def asked(*words):
    return run(app, [str(word) for word in words], env={"COLUMNS": "200"})


@pytest.mark.slow
def test_the_page_is_the_same_byte_for_byte_when_the_original_is_gone(place):
    release = place / "release"
    assert asked(release).exit_code == 0
    first = (release / "report.html").read_bytes()
    for original in (place / "a.csv", place / "s.yaml", release / "report.html"):
        original.unlink()
    assert asked(release).exit_code == 0
    assert (release / "report.html").read_bytes() == first


@pytest.mark.slow
def test_the_release_still_verifies_and_a_second_run_changes_nothing(place):
    release = place / "release"
    assert "written" in asked(release).output
    assert all(check.passed for check in sf.verify(release))
    assert "up to date" in asked(release).output
    assert sorted(path.name for path in release.iterdir()) == [
        "data.csv",
        "release.json",
        "report.html",
        "synopsis.json",
    ]


@pytest.mark.slow
def test_another_file_is_replaced_only_if_that_is_said(place):
    page = place / "page.html"
    page.write_text("mine")
    done = asked(place / "release", "-o", page)
    assert isinstance(done.exception, ReleaseError)
    assert "--force" in str(done.exception)
    assert page.read_text() == "mine"
    assert asked(place / "release", "-o", page, "--force").exit_code == 0
    assert page.read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("name", "content"), [("data.csv", "age\n1\n"), ("synopsis.json", "{}"), ("notes.txt", "hello")]
)
def test_a_folder_that_does_not_verify_is_refused_and_left_as_it_was(place, name, content):
    (place / "release" / name).write_text(content)
    done = asked(place / "release")
    assert isinstance(done.exception, ReleaseError)
    assert "is not as it was released" in str(done.exception)
    assert name in str(done.exception)
    assert not (place / "release" / "report.html").exists()


@pytest.mark.parametrize("where", ["nowhere", "a.csv", "."])
def test_what_is_no_release_is_refused(place, where):
    assert isinstance(asked(place / where).exception, ReleaseError)


def test_no_other_name_is_written_into_a_release(place):
    for name in ("data.csv", "page.html"):
        done = asked(place / "release", "-o", place / "release" / name, "--force")
        assert isinstance(done.exception, ReleaseError)
        assert "only report.html" in str(done.exception)
    assert all(check.passed for check in sf.verify(place / "release"))


@pytest.mark.slow
def test_a_folder_in_the_way_and_a_place_that_is_not_there_are_refused(place):
    for where in (place, place / "none" / "page.html"):
        done = asked(place / "release", "-o", where, "--force")
        assert isinstance(done.exception, ReleaseError)
    assert not list(place.rglob(".partial*"))


@pytest.mark.parametrize("kind", slow_but(["table"], KINDS))
def test_every_kind_of_release_has_a_page_with_its_method_in_a_sentence(kind, tmp_path):
    made(kind, folder=tmp_path / "r")
    assert asked(tmp_path / "r").exit_code == 0
    text = (tmp_path / "r" / "report.html").read_text()
    sentence = {
        "network": "Adds exact noise to every weight",
        "stream": "Counts the ones so far",
        "mean": "The share of ones so far",
        "counts": "Publishes counts once",
        "heuristic": "random projection",
    }.get(kind, "The release holds")
    assert sentence in text
    assert ("by itself" in text) == (kind != "heuristic")
