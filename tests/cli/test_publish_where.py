"""`sfumato publish --model --where`, and constraints, as a person meets them."""

import json

import pyarrow.csv as pacsv
import pytest
from typer.testing import CliRunner

from sfumato.cli import app
from sfumato.example import CLINIC, clinic


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pacsv.write_csv(clinic(300), tmp_path / "clinic.csv")
    (tmp_path / "clinic.yaml").write_text(CLINIC)
    forbidden = "  - {columns: [sex, ward], forbidden: [[male, surgery]]}\n"
    (tmp_path / "ruled.yaml").write_text(f"{CLINIC}constraints:\n  - age < pressure\n{forbidden}")
    return tmp_path


def run(words):
    return CliRunner().invoke(app, words.split())


def test_flags_are_the_options_of_mosaic(files):
    words = "publish clinic.csv --schema clinic.yaml --epsilon 1 --rows 50 --model forest"
    done = run(f"{words} --where sex=female --where age=18..60 -o release")
    assert done.exit_code == 0, done.output
    table = pacsv.read_csv(files / "release" / "data.csv")
    assert set(table["sex"].to_pylist()) == {"female"}
    assert max(table["age"].to_pylist()) <= 60
    assert table.num_rows == 50
    paper = json.loads((files / "release" / "release.json").read_text())
    assert paper["options"]["model"] == "forest"
    assert paper["options"]["where"] == {"age": "18..60", "sex": "female"}


def test_a_release_under_constraints_verifies(files):
    assert run("schema check ruled.yaml").exit_code == 0
    done = run("publish clinic.csv --schema ruled.yaml --epsilon 1 -o release")
    assert done.exit_code == 0, done.output
    assert run("verify release").exit_code == 0
    rows = pacsv.read_csv(files / "release" / "data.csv").to_pylist()
    assert all(row["age"] < row["pressure"] for row in rows)
    assert not any((row["sex"], row["ward"]) == ("male", "surgery") for row in rows)


REFUSED = {
    "a model that is none": ("clinic.yaml", "--model magic", "model must be latent or forest"),
    "a column that is none": ("clinic.yaml", "--where height=3", "no column height is released"),
    "a method without where": (
        "clinic.yaml",
        "--method modips --where sex=male",
        "no option where",
    ),
    "a method without rules": ("ruled.yaml", "--method modips", "choose the method mosaic"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_kept_is_refused_and_nothing_is_written(name, files):
    schema, words, message = REFUSED[name]
    done = run(f"publish clinic.csv --schema {schema} --epsilon 1 {words} -o release")
    assert done.exit_code != 0
    assert message in (done.output + str(done.exception))
    assert not (files / "release").exists()


def test_a_schema_whose_constraints_nobody_keeps_is_not_sound(files):
    text = f"{CLINIC}constraints: [age < pressure, pressure < age]\n"
    (files / "clinic.yaml").write_text(text)
    done = run("schema check clinic.yaml")
    assert done.exit_code != 0
    assert "no record keeps all constraints" in (done.output + str(done.exception))
