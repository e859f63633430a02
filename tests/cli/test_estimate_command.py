"""`sfumato schema estimate`, as it is typed: with what is right, and with what is wrong."""

import pytest
from typer.testing import CliRunner

from commands import run
from sfumato.cli.schema import app
from sfumato.errors import DataError

KINDS = "name: visits\ncolumns:\n  age: {kind: integer, low: 0}\n  ward: {kind: category}\n"


@pytest.fixture
def place(tmp_path):
    rows = "".join(f"{20 + k % 50},{'ab'[k % 2]}\n" for k in range(2_000))
    (tmp_path / "visits.csv").write_text(f"age,ward\n{rows}")
    (tmp_path / "kinds.yaml").write_text(KINDS)
    run("sfumato ledger create --ledger b.db".removeprefix("sfumato "), cwd=tmp_path)
    run("ledger grant visits --epsilon 4 --delta 1e-8 --reason test --ledger b.db", cwd=tmp_path)
    return tmp_path


ASK = "schema estimate visits.csv --schema kinds.yaml -o s.yaml"


@pytest.mark.slow
def test_a_schema_is_bought_checked_and_published_with(place):
    made = run(f"{ASK} --epsilon 2 --delta 1e-9 --ledger b.db --folder estimate", cwd=place)
    assert made.returncode == 0, made.stderr
    assert "s.yaml is written" in made.stdout
    assert run("schema check s.yaml", cwd=place).returncode == 0
    assert run("verify estimate --ledger b.db", cwd=place).returncode == 0
    assert run("report estimate", cwd=place).returncode == 0
    again = run("publish visits.csv --schema s.yaml --epsilon 1 --ledger b.db -o r", cwd=place)
    assert again.returncode == 0, again.stderr
    assert "together (3, 1e-09)-differential privacy" in again.stdout
    assert run("verify r --ledger b.db", cwd=place).returncode == 0
    assert not list(place.glob(".*.part"))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("--epsilon 2", "cannot be found without delta"),
        ("--epsilon 0.001 --delta 1e-9", "left to chance"),
        ("--epsilon x", "epsilon must be a number above 0"),
        ("--epsilon 2 --delta 1e-9 --same-range age", "at least two columns"),
        ("--epsilon 9 --delta 1e-9 --ledger b.db", "left"),
        ("--epsilon 2 --delta 1e-9 --records 5", "leave out records"),
    ],
)
def test_a_refusal_leaves_no_file_and_no_charge(place, more, said):
    found = run(f"{ASK} {more}", cwd=place)
    assert found.returncode == 1
    assert said in found.stderr
    assert not (place / "s.yaml").exists()
    assert not list(place.glob(".*.part"))


def test_an_output_that_exists_or_has_no_place_is_refused_first(place):
    (place / "s.yaml").write_text("mine")
    found = run(f"{ASK} --epsilon 2 --delta 1e-9 --ledger b.db", cwd=place)
    assert (found.returncode, (place / "s.yaml").read_text()) == (1, "mine")
    nowhere = ASK.replace("s.yaml", "no/s.yaml")
    assert "cannot be written" in run(f"{nowhere} --epsilon 2 --delta 1e-9", cwd=place).stderr
    shown = run("ledger show --ledger b.db", cwd=place).stdout
    assert "estimate" not in shown


def test_kinds_that_a_text_file_does_not_say_are_asked_for(place):
    found = run("schema estimate visits.csv --epsilon 1 -o s.yaml", cwd=place)
    assert found.returncode == 1
    assert "sfumato schema draft" in found.stderr


def test_a_sheet_is_named_as_the_refusal_says(tmp_path, monkeypatch):
    book = pytest.importorskip("openpyxl").Workbook()
    book.active.append(["n"])
    second = book.create_sheet("2024")
    second.append(["age"])
    for k in range(500):
        second.append([20 + k % 50])
    book.save(tmp_path / "visits.xlsx")
    (tmp_path / "kinds.yaml").write_text("name: visits\ncolumns: {age: {kind: integer}}\n")
    monkeypatch.chdir(tmp_path)
    ask = [*ASK.replace(".csv", ".xlsx").split()[1:], "--epsilon", "2", "--seed", "1"]
    assert "say which with --sheet" in str(CliRunner().invoke(app, ask).exception)
    wrong = [*ask, "--sheet", "2023"]
    assert isinstance(CliRunner().invoke(app, wrong).exception, DataError)
    assert not (tmp_path / "s.yaml").exists()
    assert CliRunner().invoke(app, [*ask, "--sheet", "2024"]).exit_code == 0
    assert (tmp_path / "s.yaml").exists()


def test_the_help_names_what_can_be_read(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    told = CliRunner().invoke(app, ["estimate", "--help"]).output
    assert ".xlsx, .jsonl" in told
    assert "--sheet" in told
