"""`sfumato forecast`: a table, JSON, the epsilon that is needed, and refusals."""

import json

import pytest
from typer.testing import CliRunner

from sfumato.cli import app
from sfumato.example import CLINIC


@pytest.fixture(autouse=True)
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "clinic.yaml").write_text(CLINIC)
    columns = "".join(f"  c{k}: {{kind: boolean}}\n" for k in range(60))
    (tmp_path / "wide.yaml").write_text(f"name: wide\ncolumns:\n{columns}")
    return tmp_path


def run(*words, schema="clinic.yaml"):
    return CliRunner().invoke(app, ["forecast", "--schema", schema, *words])


def test_it_comes_before_publish_in_the_help():
    shown = CliRunner().invoke(app, ["--help"]).output
    assert shown.index(" forecast ") < shown.index(" publish ")


def test_every_column_has_a_line_and_what_is_promised_stands_below(desk):
    found = run("--records", "45000", "--epsilon", "1")
    assert found.exit_code == 0
    for word in ("weight", "about ± ", "worst first", "No record was read", "odds at most × 2.72"):
        assert word in found.output
    assert "patient" not in found.output
    assert len(list(desk.iterdir())) == 2  # nothing was written


def test_some_columns_can_be_asked_for_as_json():
    found = run("--records", "45000", "--rho", "0.1", "--column", "age", "--json")
    told = json.loads(found.output)
    assert [line["column"] for line in told["columns"]] == ["age"]
    assert told["guarantee"] == {"label": "zCDP", "rho": "1/10"}
    assert not told["columns"][0]["mean"]["about"]


def test_the_epsilon_that_is_needed_comes_first():
    wishes = ("--want", "mean age within 1", "--want", "counts within 1%")
    found = run("--records", "45000", *wishes)
    assert found.output.startswith("ε = 0.422 is enough for mean age within 1 and counts within 1%")
    assert found.output.count("is enough") == 1


def test_of_many_columns_the_worst_are_shown():
    found = run("--records", "500", "--epsilon", "1", schema="wide.yaml")
    assert found.output.count("± ") == 40
    assert "20 more columns are nearer to the truth" in found.output


@pytest.mark.parametrize(
    ("words", "code", "rule"),
    [
        (("--records", "0", "--epsilon", "1"), 1, "records must be from 1"),
        (("--records", "-4", "--epsilon", "1"), 1, "records must be from 1"),
        (("--records", "many", "--epsilon", "1"), 2, "--records"),
        (("--epsilon", "1"), 2, "--records"),
        (("--records", "9"), 1, "a budget is needed"),
        (("--records", "9", "--epsilon", "1", "--rho", "1"), 1, "not both"),
        (("--records", "9", "--epsilon", "1", "--most", "3"), 1, "leave it out, or give want"),
        (("--records", "9", "--want", "mean agee within 1"), 1, "no released column 'agee'"),
        (("--records", "9", "--want", "accurate"), 1, "is not understood: write"),
        (("--records", "9", "--epsilon", "1", "--column", "agee"), 1, "no released column"),
        (("--records", "9", "--epsilon", "1", "--option", "records=3"), 1, "without it"),
        (
            ("--records", "9", "--epsilon", "1", "--option", "fit=3"),
            1,
            "see whether the command has --fit",
        ),
        (("--records", "9", "--epsilon", "1", "--method", "local"), 1, "local publishes"),
        (
            ("--records", "9", "--epsilon", "1", "--method", "pca-gauss"),
            1,
            "choose mosaic or modips",
        ),
    ],
)
def test_wrong_input_is_refused_by_name(words, code, rule):
    found = run(*words)
    said = found.output if found.exception is None else f"{found.output}{found.exception}"
    assert rule in said
    assert found.exit_code != 0
    assert code == (2 if "wrong usage" in said else 1)


def test_a_schema_that_is_not_there_is_refused():
    found = run("--records", "9", "--epsilon", "1", schema="nosuch.yaml")
    assert "nosuch.yaml cannot be read" in str(found.exception)
