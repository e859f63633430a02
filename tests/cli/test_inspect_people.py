"""`sfumato inspect` of a release by person, as its user meets it."""

import stat

import numpy as np
import pyarrow.csv as pacsv
import pytest
from typer.testing import CliRunner

from panel_world import ONE, TWO, histories, linked, release_of
from sfumato.cli import app
from sfumato.errors import DataError
from sfumato.release import Release

pytestmark = pytest.mark.usefixtures("wide")

run = CliRunner().invoke


@pytest.fixture
def folder(tmp_path):
    """The records and a control, each as one file and as two."""
    for name, first in (("a", 0), ("b", 1_000)):
        table = histories(60, np.random.default_rng(first), first=first)
        pacsv.write_csv(table, tmp_path / f"{name}.csv")
        for part, each in linked(table).items():
            pacsv.write_csv(each, tmp_path / f"{name}_{part}.csv")
    return tmp_path


@pytest.fixture
def publishing(monkeypatch):
    """Lets the command find such a release in whatever folder is named."""

    def put(schema):
        table = histories(60, np.random.default_rng(5))
        release = release_of(linked(table) if schema is TWO else table, schema)
        monkeypatch.setattr(Release, "load", lambda _: release)

    return put


def test_one_file_is_shown_by_person_under_the_warning(folder, publishing):
    publishing(ONE)
    done = run(app, ["inspect", "release", "--original", str(folder / "a.csv")])
    assert done.exit_code == 0, done.output
    assert "Do not publish it" in done.output.splitlines()[0]
    for word in ("Persons", "From row to row", "year never falls", "copies of persons"):
        assert word in done.output
    assert "Membership needs control persons" in done.output


def test_two_files_are_named_with_their_persons_and_written_to_a_private_page(folder, publishing):
    publishing(TWO)
    page = folder / "page.html"
    asked = ["inspect", "release", "--original", str(folder / "a_events.csv")]
    asked += ["--original-persons", str(folder / "a_persons.csv")]
    asked += ["--control", str(folder / "b_events.csv")]
    asked += ["--control-persons", str(folder / "b_persons.csv"), "-o", str(page)]
    done = run(app, asked)
    assert done.exit_code == 0, done.output
    assert "membership of a person" in done.output
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert "63 persons" in page.read_text()


def test_a_file_of_persons_that_is_missing_or_too_many_is_refused(folder, publishing):
    publishing(TWO)
    asked = ["inspect", "release", "--original", str(folder / "a_events.csv")]
    done = run(app, asked)
    assert isinstance(done.exception, DataError)
    assert "--original-persons" in str(done.exception)
    done = run(app, [*asked, "--control-persons", str(folder / "b_persons.csv")])
    assert done.exit_code == 2
    assert "--control-persons goes with --control" in done.output
    publishing(ONE)
    done = run(app, [*asked, "--original-persons", str(folder / "a_persons.csv")])
    assert isinstance(done.exception, DataError)
    assert "leave out that of persons" in str(done.exception)
