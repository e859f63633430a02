"""`sfumato publish --part` and what `sfumato ledger show` says of it, as a person meets them."""

import json

import pyarrow.csv as pacsv
import pytest
from typer.testing import CliRunner

from sfumato.cli import app
from sfumato.example import CLINIC, clinic

ADD_REMOVE = CLINIC.replace("replace-one", "add-remove")


@pytest.fixture
def files(tmp_path, monkeypatch, wide):
    monkeypatch.chdir(tmp_path)
    pacsv.write_csv(clinic(300), tmp_path / "clinic.csv")
    (tmp_path / "clinic.yaml").write_text(ADD_REMOVE)
    (tmp_path / "replace.yaml").write_text(CLINIC)
    monkeypatch.setenv("SFUMATO_LEDGER", str(tmp_path / "budget.db"))
    assert run("ledger create").exit_code == 0
    assert run("ledger grant clinic --epsilon 2 --reason board").exit_code == 0
    return tmp_path


def run(words):
    return CliRunner().invoke(app, words.split())


def publish(words, schema="clinic.yaml"):
    return run(f"publish clinic.csv --schema {schema} {words}")


def row(shown, name):
    """The cells of the line that begins with this name."""
    line = next(line for line in shown.splitlines() if f" {name} " in line)
    return [cell.strip() for cell in line.split("│")[1:-1]]


@pytest.mark.slow
def test_parts_of_a_table_cost_the_ledger_their_maximum(files):
    for sex in ("female", "male"):
        done = publish(f"--part sex={sex} --epsilon 1 -o {sex}")
        assert done.exit_code == 0, done.output
        assert f"only records with sex={sex} were used" in done.output
        assert set(pacsv.read_csv(files / sex / "data.csv")["sex"].to_pylist()) == {sex}
        assert run(f"verify {sex} --ledger budget.db").exit_code == 0
        assert f"Only records with sex={sex} were used" in run(f"accuracy {sex}").output
        assert json.loads((files / sex / "release.json").read_text())["part"] == {"sex": sex}
    assert publish("--part sex=male --epsilon 0.5 -o more").exit_code == 0
    shown = run("ledger show").output
    assert row(shown, "clinic")[1:4] == ["epsilon 2", "epsilon 1.5", "epsilon 0.5"]
    assert row(shown, "sex=female") == ["sex=female", "epsilon 1", "epsilon 1"]
    assert row(shown, "sex=male") == ["sex=male", "epsilon 1.5", "epsilon 0.5"]
    assert run("ledger verify").exit_code == 0


REFUSED = {
    "a column that is none": ("--part region=North", "part: no column region is released"),
    "a value that is none": ("--part sex=other", "part: sex has no value other"),
    "two columns": ("--part sex=male,age=18..30", "part: give a condition on one column"),
    "others drawn": ("--part sex=male --where sex=female", "where: column sex is that of the part"),
    "no condition": ("--part sex", "part: write COLUMN=VALUE"),
    "an empty range": ("--part age=60..40", "part: age has no value in 60..40"),
    "too much": ("--part sex=male --epsilon 3", "has epsilon 2 left for sex=male"),
    "an option of its own": ("--part sex=male --option part=sex=male", "not an option"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_a_part_is_refused_before_anything_is_charged_or_written(files, case):
    words, message = REFUSED[case]
    done = publish(f"--epsilon 1 {words} -o release")
    assert done.exit_code == 1
    assert message in str(done.exception)
    assert not (files / "release").exists()
    assert row(run("ledger show").output, "clinic")[2] == "nothing"


def test_a_schema_under_replace_one_is_refused_with_the_remedy(files):
    done = publish("--part sex=male --epsilon 1 -o release", schema="replace.yaml")
    assert done.exit_code == 1
    assert "declare neighbours: add-remove" in str(done.exception)
    assert not (files / "release").exists()
