"""`sfumato publish` where a person is the unit: one file, two files, and files that do not fit."""

import json

import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import commands
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from toy_people import TOY
from visits_world import LINKED_PANEL, PANEL, linked_panel, panel


@pytest.fixture
def run(tmp_path, toy_people):
    """Files of one table and of two, and a ledger; words are run beside them."""
    for name, table in {"visits": panel(), **linked_panel()}.items():
        pacsv.write_csv(table, tmp_path / f"{name}.csv")
    (tmp_path / "one.json").write_text(json.dumps(PANEL))
    (tmp_path / "two.json").write_text(json.dumps(LINKED_PANEL))
    with Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("panel", PureDP(9), reason="board")

    def runs(words):
        done = commands.run(words, cwd=tmp_path)
        return done.returncode, " ".join((done.stdout + done.stderr).split())

    return runs


HOW = f"--method {TOY} --epsilon 1 -o r --ledger budget.db"


@pytest.mark.parametrize(
    ("words", "names", "persons"),
    [
        ("visits.csv --schema one.json", ["data.csv"], 40),
        ("events.csv --persons persons.csv --schema two.json", ["events.csv", "persons.csv"], 42),
        ("visits.csv --schema one.json --rows 7", ["data.csv"], 7),
    ],
)
def test_files_become_a_release_that_verifies(run, tmp_path, words, names, persons):
    code, said = run(f"publish {words} {HOW}")
    assert code == 0, said
    assert f" rows of {persons} persons by {TOY}" in said
    assert "any one person with all of their rows" in said
    assert ", ".join([*names, "release.json"]) in said
    code, said = run("verify r --ledger budget.db")
    assert code == 0, said
    assert f"{persons} persons with" in said
    key = pacsv.read_csv(tmp_path / "r" / names[-1]).column("pid" if len(names) > 1 else "patient")
    assert (key.type, key[0].as_py()) == (pa.int64(), 1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("events.csv --schema two.json", "give that of persons as well, with --persons FILE"),
        ("visits.csv --persons persons.csv --schema one.json", "leave out that of persons"),
        (
            "events.csv --persons none.csv --schema two.json",
            "persons (none.csv): none.csv does not",
        ),
        ("persons.csv --persons events.csv --schema two.json", "columns patient, year, days, ward"),
        ("visits.csv --schema one.json --part year=2020", "the unit"),
        ("visits.csv --schema one.json --in-database", "give the URL of PostgreSQL"),
        ("visits.csv --schema one.json --rows -1", "rows (persons to draw) must be from 0 to"),
    ],
)
def test_what_does_not_go_together_is_refused_with_its_remedy(run, tmp_path, words, message):
    with Ledger(tmp_path / "budget.db") as ledger:
        head = ledger.head
    code, said = run(f"publish {words} {HOW}")
    assert code == 1
    assert message in said
    assert not (tmp_path / "r").exists()
    with Ledger(tmp_path / "budget.db") as ledger:
        assert ledger.head == head


def test_help_says_how_two_files_are_given_and_what_rows_counts(run):
    code, said = run("publish --help")
    assert code == 0
    assert "sfumato publish events.csv --persons persons.csv --schema visits.yaml" in said
    assert "Rows to draw, or persons where a person is the unit" in said


def test_one_file_of_persons_can_be_checked_as_before(run):
    code, said = run("check visits.csv --schema one.json --uncounted")
    assert code == 0, said
    assert run("schema check two.json")[0] == 0
