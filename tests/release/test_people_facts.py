"""What a certificate may state of persons, and what its files are called then."""

import pytest

import sfumato as sf
from sfumato.errors import ReleaseError
from sfumato.release import Certificate, release
from sfumato.release.facts import facts_of
from sfumato.release.file_name import data_names, sound_names
from sfumato.release.stored_rows import StoredRows
from toy_people import TOY
from visits_world import LINKED_PANEL, PANEL, ROWS, linked_panel, panel, visits

pytestmark = pytest.mark.usefixtures("toy_people")
PEOPLE = ["one table", "two tables"]


def published(what, folder):
    schema, data, method = {
        "rows": (ROWS, visits(), "modips"),
        "one table": (PANEL, panel(), TOY),
        "two tables": (LINKED_PANEL, linked_panel(), TOY),
    }[what]
    return sf.publish(data, schema=schema, method=method, epsilon=1, fit=False, folder=folder)


@pytest.fixture
def paper(request, tmp_path):
    return published(request.param, tmp_path / "r").certificate.to_json()


@pytest.mark.parametrize("paper", ["rows", *PEOPLE], indirect=True)
def test_a_certificate_is_read_as_it_was_written(paper):
    assert Certificate.of(paper).to_json() == paper


@pytest.mark.parametrize(
    ("paper", "people"),
    [("rows", {"persons": 40}), ("one table", None), ("two tables", None)],
    indirect=["paper"],
)
def test_persons_are_stated_where_they_are_the_unit_and_only_there(paper, people):
    forged = {name: fact for name, fact in paper.items() if name != "people"}
    if people is not None:
        forged["people"] = people
    with pytest.raises(ReleaseError, match="number of persons must be stated where rows of"):
        Certificate.of(forged)


@pytest.mark.parametrize("paper", PEOPLE, indirect=True)
@pytest.mark.parametrize("people", [{}, {"persons": -1}, {"persons": 1.0}, {"persons": 2**60}, 40])
def test_a_number_of_persons_that_is_none_is_refused(paper, people):
    with pytest.raises(ReleaseError, match="is damaged: people"):
        Certificate.of({**paper, "people": people})


PART = "data/part-00000.parquet"


@pytest.mark.parametrize(
    ("paper", "names"),
    [
        ("rows", ["persons.csv", "events.csv"]),
        ("one table", ["persons.csv", "events.csv"]),
        ("one table", [PART]),
        ("two tables", ["data.csv"]),
        ("two tables", [PART]),
        ("two tables", ["events.csv"]),
        ("two tables", ["persons.csv", "events.parquet"]),
        ("two tables", ["persons.csv", "events.csv", "data.csv"]),
    ],
    indirect=["paper"],
)
def test_the_files_are_those_of_the_tables_that_there_are(paper, names):
    files = dict.fromkeys([*names, "synopsis.json"], "0" * 64)
    with pytest.raises(ReleaseError, match="files must list"):
        Certificate.of({**paper, "files": files})


def test_persons_come_before_their_events():
    assert data_names(["synopsis.json", "events.csv", "persons.csv"]) == (
        "persons.csv",
        "events.csv",
    )
    both = ("persons", "events")
    assert sound_names(["events.parquet", "persons.parquet"], parts=True, tables=both)


def test_facts_count_rows_and_persons(tmp_path):
    told = dict(facts_of(published("two tables", tmp_path / "r").certificate))
    assert told["rows"].endswith(f" rows of 42 persons by {TOY}")
    told = dict(facts_of(published("rows", tmp_path / "rows").certificate))
    assert told["rows"] == "160 rows by modips"


@pytest.mark.parametrize("what", PEOPLE)
def test_large_tables_stay_in_their_files(tmp_path, monkeypatch, what):
    made = published(what, tmp_path / "r")
    whole = {name: table.num_rows for name, table in made.tables.items()}
    monkeypatch.setattr(release, "MOST_BYTES", 0)
    found = sf.Release.load(tmp_path / "r").data
    found = found if isinstance(found, dict) else {"data": found}
    assert {name: len(rows) for name, rows in found.items()} == whole
    for rows in found.values():
        assert isinstance(rows, StoredRows)
        assert sum(batch.num_rows for batch in rows) == len(rows)
