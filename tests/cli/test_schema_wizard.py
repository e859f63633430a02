"""`sfumato schema wizard` and `sfumato schema from`: pipes, leaving and coming back, refusals."""

import json
import re
import shlex

import pytest
from typer.testing import CliRunner

from sfumato.cli import main
from sfumato.cli.application import app as sfumato
from sfumato.cli.schema import app
from sfumato.errors import DataError, ParameterError, SchemaError
from sfumato.schema import Schema

SECRET = "Rosalind"


@pytest.fixture
def run(monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments, typed=None):
        typed = None if typed is None else "".join(f"{line}\n" for line in typed)
        return CliRunner().invoke(app, [str(a) for a in arguments], input=typed)

    return invoke


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "clinic.csv"
    path.write_text(f"patient_id,age,ward,smoker\n1,40,{SECRET},yes\n")
    return path


ANSWERS = ["", "", "", "", "", "", "", "c a,b", "y", "all", "the form"]


def test_answers_through_a_pipe_make_a_schema_that_checks(run, table, tmp_path):
    result = run("wizard", table, typed=ANSWERS)
    assert result.exit_code == 0
    schema = Schema.read(tmp_path / "schema.yaml")
    assert list(schema.columns) == ["patient_id", "age", "ward", "smoker"]
    assert schema.columns["ward"].source == "the form"
    assert "sfumato schema check schema.yaml" in result.output
    assert "3/4 ward [category: one of a list of values]: c a,b\n" in result.output
    assert SECRET not in result.output
    assert run("check", "schema.yaml").exit_code == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["clinic.csv", "schema.yaml"]


def test_a_header_in_another_encoding_is_read_where_it_is_said(run, tmp_path):
    path = tmp_path / "clinic.csv"
    path.write_bytes(f"patient_id;age;größe, cm;smoker\n1;40;{SECRET};yes\n".encode("latin-1"))
    said = ("--encoding", "latin-1", "--delimiter", ";")
    refused = run("wizard", path, typed=ANSWERS).exception
    assert isinstance(refused, DataError)
    assert "declare its encoding (--encoding latin-1 while there is no schema" in str(refused)
    assert run("wizard", path, *said, typed=ANSWERS).exit_code == 0
    schema = Schema.read(tmp_path / "schema.yaml")
    assert list(schema.columns) == ["patient_id", "age", "größe, cm", "smoker"]
    assert (schema.file.encoding, schema.file.delimiter) == ("latin-1", ";")
    drafted = run("draft", path, *said, "--public", "-o", "d.yaml")
    assert drafted.exit_code == 0
    assert Schema.read(tmp_path / "d.yaml").file == schema.file
    tabs = run("draft", path, "--encoding", "latin-1", "--delimiter", "tab")
    assert 'delimiter: "\\t"' in tabs.output
    for wrong in (("--encoding", "hz"), ("--delimiter", "xx")):
        assert isinstance(run("draft", path, *wrong).exception, ParameterError)


def test_a_single_column_is_one(run, table, tmp_path):
    assert "clinic.csv has 4 columns; no record" in run("wizard", table, typed=ANSWERS).output
    (tmp_path / "one.csv").write_text("age\n40\n")
    said = run("wizard", tmp_path / "one.csv", "-o", "one.yaml", typed=[""] * 9).output
    assert "one.csv has 1 column; no record" in said


def test_a_schema_with_blanks_says_how_they_are_bought(run, table, tmp_path):
    answers = [*ANSWERS[:7], "", "", "y", "", ""]
    result = run("wizard", table, "-o", "s.yaml", typed=answers)
    assert "sfumato schema estimate" in result.output
    assert "values to be bought" in (tmp_path / "s.yaml").read_text()


def test_no_schema_is_written_that_the_next_command_refuses(run, tmp_path):
    (tmp_path / "trips.csv").write_text("country,age\n")
    words = ["", "", "", "", "no", "", "", "", "", "NA,99", "", ""]
    result = run("wizard", "trips.csv", typed=[*words, "", "", "missing", "", "buy", "all"])
    assert "NA stands for missing, and could be a value here: value, or missing:" in result.output
    assert "--folder estimate -o schema-bought.yaml" in result.output
    checked = run("check", "schema.yaml")
    assert "age: low and high" in str(checked.exception) + checked.output


@pytest.mark.parametrize(("last", "code"), [("quit", 1), (None, 1)])
def test_what_was_answered_is_kept_and_resumed(run, table, tmp_path, last, code):
    left = run("wizard", table, typed=[*ANSWERS[:6], *filter(None, [last])])
    assert left.exit_code == code
    assert "--resume goes on" in left.output + str(left.exception)
    assert not (tmp_path / "schema.yaml").exists()
    assert (tmp_path / "schema.yaml.wizard").exists()
    refusal = run("wizard", table, typed=ANSWERS).exception
    assert isinstance(refusal, ParameterError)
    assert "holds earlier answers: add --resume, or remove it" in str(refusal)
    again = run("wizard", table, "--resume", typed=ANSWERS[6:])
    assert again.exit_code == 0
    assert "1/4" not in again.output
    text = (tmp_path / "schema.yaml").read_text()
    (tmp_path / "schema.yaml").unlink()
    assert run("wizard", table, typed=ANSWERS).exit_code == 0
    assert (tmp_path / "schema.yaml").read_text() == text
    assert not (tmp_path / "schema.yaml.wizard").exists()


def test_an_interrupt_keeps_the_answers(run, table, tmp_path, monkeypatch):
    def interrupted(question):
        if question.startswith("has each"):
            raise KeyboardInterrupt
        return ""

    monkeypatch.setattr("sfumato.cli.schema_wizard.asked", interrupted)
    assert run("wizard", table).exit_code == 130
    assert json.loads((tmp_path / "schema.yaml.wizard").read_text())["answers"] == ["clinic"]


@pytest.mark.parametrize("answered", [0, 1])
def test_an_interrupted_interview_says_nothing_about_charges(
    table, tmp_path, monkeypatch, capsys, answered
):
    typed = iter([""] * answered)

    def interrupted(_question):
        try:
            return next(typed)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sfumato.cli.schema_wizard.asked", interrupted)
    monkeypatch.setattr("sys.argv", ["sfumato", "schema", "wizard", str(table)])
    with pytest.raises(SystemExit) as left:
        main()
    told = capsys.readouterr()
    assert left.value.code == 130
    assert ("--resume goes on" if answered else "nothing is written") in told.out
    assert "charge" not in told.out + told.err


@pytest.mark.parametrize("group", ["schema", "ledger"])
def test_help_shows_examples_that_can_be_copied(group, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    whole = CliRunner().invoke(sfumato, [group, "--help"]).output
    assert f"Example: sfumato {group}" in whole
    commands = re.findall(r"^│ ([a-z][a-z-]+) ", whole, flags=re.M)
    assert len(commands) > 4
    for command in commands:
        page = CliRunner().invoke(sfumato, [group, command, "--help"]).output
        assert f"sfumato {group} {command}" in page
        assert "`" not in page


@pytest.mark.parametrize(
    ("kept", "reason"),
    [
        (None, "cannot be resumed: No such file"),
        ("", "cannot be resumed: it is not JSON"),
        ("[]", "holds no answers"),
        ('{"answers": [3]}', "holds no answers"),
        ('{"answers": [], "columns": ["a"]}', "is about other columns"),
        (
            '{"answers": ["t", "perhaps"], "columns": ["patient_id", "age", "ward", "smoker"]}',
            "does not fit: remove it and begin again",
        ),
    ],
)
def test_answers_that_cannot_be_resumed_are_refused(run, table, tmp_path, kept, reason):
    if kept is not None:
        (tmp_path / "schema.yaml.wizard").write_text(kept)
    refusal = run("wizard", table, "--resume", typed=ANSWERS).exception
    assert isinstance(refusal, ParameterError)
    assert reason in str(refusal)


def test_nothing_is_asked_where_the_schema_could_not_be_written(run, table):
    refusal = run("wizard", table, "-o", table, typed=ANSWERS)
    assert isinstance(refusal.exception, ParameterError)
    assert "name of the data set" not in refusal.output
    refusal = run("wizard", table, "-o", "absent/s.yaml", typed=ANSWERS).exception
    assert isinstance(refusal, ParameterError)
    assert "cannot be written" in str(refusal)
    assert isinstance(run("wizard", "absent.csv", typed=ANSWERS).exception, DataError)


def test_a_book_beside_the_schema_is_looked_at_while_there_is_somebody_to_ask(run, table, tmp_path):
    (tmp_path / "wards.csv").write_text("code,name\nA,x\nB,y\n")
    answers = [*ANSWERS[:7], "code ward.csv", "code wards.csv", "y", ""]
    result = run("wizard", table, typed=answers)
    assert "the code book ward.csv cannot be read" in result.output
    assert Schema.read(tmp_path / "schema.yaml").columns["ward"].values == ("A", "B")


def test_from_writes_a_schema_and_says_what_comes_next(run, tmp_path):
    fields = [{"name": "x", "type": "boolean"}]
    (tmp_path / "datapackage.json").write_text(
        json.dumps({"resources": [{"name": n, "schema": {"fields": fields}} for n in "ab"]})
    )
    assert isinstance(run("from", "datapackage.json").exception, SchemaError)
    result = run("from", "datapackage.json", "--table", "b", "-o", "b.yaml")
    assert "run sfumato schema check b.yaml" in result.output
    assert Schema.read(tmp_path / "b.yaml").name == "b"
    printed = run("from", "datapackage.json", "--table", "b").output
    assert printed == (tmp_path / "b.yaml").read_text()
    refusal = run("from", "datapackage.json", "--table", "b", "-o", "b.yaml").exception
    assert isinstance(refusal, ParameterError)


@pytest.mark.parametrize("command", ["wizard", "from"])
def test_the_help_shows_an_example(run, command):
    assert f"sfumato schema {command}" in run(command, "--help").output


@pytest.mark.long
def test_the_commands_that_follow_run_as_printed_once_the_reason_is_given(
    table, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SFUMATO_LEDGER", raising=False)
    typed = "".join(f"{line}\n" for line in ANSWERS)
    table.write_text("patient_id,age,ward,smoker\n" + "1,40,a,yes\n2,50,b,no\n" * 20)
    result = CliRunner().invoke(sfumato, ["schema", "wizard", "clinic.csv"], input=typed)
    steps = re.findall(r"^  sfumato (.+)$", result.output, flags=re.M)
    assert [step.split()[0] for step in steps] == ["ledger", "ledger", "schema", "publish"]
    for step in steps:
        done = CliRunner().invoke(sfumato, shlex.split(step.replace("…", "by the board")))
        assert done.exit_code == 0, (step, done.output, done.exception)
    assert (tmp_path / "release" / "release.json").exists()
