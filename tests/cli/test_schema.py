"""`sfumato schema`: what is printed, what is written, what is refused."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from sfumato.cli.schema import app
from sfumato.errors import DataError, ParameterError, SchemaError
from sfumato.schema import Schema

WRITTEN = """\
name: clinic
columns:
  age: {kind: integer, low: 17, high: 90}
  weight: {kind: number, low: 30, high: 200, step: 0.1, missing: allowed}
  height: {kind: number, low: 0, high: 2.5, provenance: {release: r-7, epsilon: 0.1}}
  money: {kind: integer, low: 0, high: 1500000, step: 10}
  ward: {kind: category, values: [a, b, c, d, e], other: elsewhere}
  "[red]sex": {kind: category, values: [f, m], role: label}
  smoker: {kind: boolean}
  seen: {kind: date, low: 2020-01-01, high: 2020-12-31}
  patient: {kind: id}
"""


@pytest.fixture
def run(monkeypatch):
    """Run a command on a terminal wide enough for the table."""
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *arguments: CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "clinic.csv"
    path.write_text("age,ward\n17,a\n90,b\n")
    return path


def test_check_says_what_each_column_becomes(run, tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text(WRITTEN)
    result = run("check", path)
    assert result.exit_code == 0
    cells = [
        [cell.strip() for cell in line.split("│")[1:-1]] for line in result.output.splitlines()
    ]
    assert [row for row in cells if row] == [
        ["age", "integer", "17 … 90", "74 points", "becomes the middle", "", "declared"],
        ["weight", "number", "30 … 200 by 0.1", "1701 points", "its own level", "", "declared"],
        [
            "height",
            "number",
            "0 … 2.5",
            "32769 points",
            "becomes the middle",
            "",
            "release r-7, ε 0.1",
        ],
        [
            *("money", "integer", "0 … 1500000 by 10", "32769 points, steps merged"),
            *("becomes the middle", "", "declared"),
        ],
        [
            "ward",
            "category",
            "a, b, c, d, … 2 more",
            "6 levels",
            "becomes elsewhere",
            "",
            "declared",
        ],
        ["[red]sex", "category", "f, m", "2 levels", "becomes f", "label", "declared"],
        ["smoker", "boolean", "false, true", "2 levels", "becomes false", "", "declared"],
        [
            *("seen", "date", "2020-01-01 … 2020-12-31 by day", "366 points"),
            *("becomes the middle", "", "declared"),
        ],
        ["patient", "id", "never read", "", "", "", ""],
    ]
    assert "8 of 9 columns are released; neighbours: replace-one" in result.output


def test_check_says_how_text_is_read(run, tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text('file: {decimal: ",", missing_words: [NA, -99]}\n' + WRITTEN)
    said = " ".join(run("check", path).output.split())
    assert "text is read with missing_words 'NA' or '-99', decimal ','; a column may say" in said


def test_check_lists_the_columns_still_to_fill_in(run, table, tmp_path):
    path = tmp_path / "s.yaml"
    assert run("draft", table, "-o", path).exit_code == 0
    refusal = run("check", path).exception
    assert isinstance(refusal, SchemaError)
    assert str(refusal).startswith(f"{path}: columns age, ward: kind must be one of")


def test_draft_prints_a_schema_and_writes_nothing(run, table, tmp_path):
    result = run("draft", table, "--public")
    assert result.exit_code == 0
    assert list(Schema.parse(result.output).columns) == ["age", "ward"]
    assert list(tmp_path.iterdir()) == [table]


def test_draft_writes_to_a_new_file_and_says_what_comes_next(run, table, tmp_path):
    path = tmp_path / "s.yaml"
    result = run("draft", table, "--public", "--output", path)
    assert "run sfumato schema check" in result.output
    assert Schema.read(path).name == "clinic"


def test_draft_never_overwrites(run, table):
    before = table.read_bytes()
    refusal = run("draft", table, "-o", table).exception
    assert isinstance(refusal, ParameterError)
    assert str(refusal) == f"output {table} exists: choose another name or remove it first"
    assert table.read_bytes() == before


def test_draft_refuses_an_output_it_cannot_write(run, table, tmp_path):
    refusal = run("draft", table, "-o", tmp_path / "absent" / "s.yaml").exception
    assert isinstance(refusal, ParameterError)
    assert "cannot be written: No such file or directory" in str(refusal)


def test_a_refused_draft_leaves_no_file_behind(run, tmp_path):
    refusal = run("draft", tmp_path / "absent.csv", "-o", tmp_path / "s.yaml").exception
    assert isinstance(refusal, DataError)
    assert list(tmp_path.iterdir()) == []


def test_a_link_to_nowhere_is_not_followed(run, table, tmp_path):
    link = tmp_path / "s.yaml"
    link.symlink_to(tmp_path / "elsewhere.yaml")
    assert isinstance(run("draft", table, "-o", link).exception, ParameterError)
    assert not (tmp_path / "elsewhere.yaml").exists()


def test_json_prints_the_published_schema(run):
    result = run("json")
    assert result.exit_code == 0
    assert json.loads(result.output) == Schema.model_json_schema()


@pytest.mark.parametrize("command", ["draft", "check", "json"])
def test_the_help_of_each_command_shows_an_example(run, command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"sfumato schema {command}" in result.output


@pytest.mark.parametrize("arguments", [("draft",), ("check",), ("check", "a", "b"), ("paint",)])
def test_wrong_usage_exits_with_two(run, arguments):
    assert run(*arguments).exit_code == 2


def test_starting_up_imports_nothing_heavy():
    heavy = "{'numpy', 'pyarrow', 'pydantic', 'yaml', 'narwhals'}"
    code = f"import sys, sfumato.cli.schema; print({heavy} & set(sys.modules) or 'none')"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "none"
