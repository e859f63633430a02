"""`--sheet`: one sheet of a workbook, wherever a command takes a table."""

import sys

import pytest

from sfumato.cli import main

openpyxl = pytest.importorskip("openpyxl")
SCHEMA = "name: t\ncolumns:\n  age: {kind: integer, low: 0, high: 99}\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    book = openpyxl.Workbook()
    book.active.title = "old"
    sheet = book.create_sheet("of 2024")
    for row in (["age"], *([k % 90] for k in range(40))):
        sheet.append(row)
    book.save(tmp_path / "visits.xlsx")
    (tmp_path / "t.yaml").write_text(SCHEMA)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SFUMATO_LEDGER", raising=False)
    return tmp_path


@pytest.fixture
def run(monkeypatch, capsys, folder, wide):
    def command(*words, code=0):
        monkeypatch.setattr(sys, "argv", ["sfumato", *map(str, words)])
        with pytest.raises(SystemExit) as leaving:
            main()
        said = capsys.readouterr()
        assert (leaving.value.code or 0) == code, said.err
        return said.out if code == 0 else said.err

    return command


@pytest.mark.slow
def test_a_named_sheet_is_published_drafted_and_compared(run, folder):
    asked = ("--schema", "t.yaml", "--epsilon", 1)
    assert "40 rows by mosaic" in run(
        "publish", "visits.xlsx", "--sheet", "of 2024", *asked, "-o", "r"
    )
    assert "40 rows by mosaic" in run("publish", "visits.xlsx#of 2024", *asked, "-o", "q")
    assert "name: visits\ncolumns:\n  age:" in run(
        "schema", "draft", "visits.xlsx", "--sheet", "of 2024"
    )
    compared = run(
        *("compare", "visits.xlsx", "--sheet", "of 2024", *asked),
        *("--methods", "mosaic", "--trials", 1),
    )
    assert "28 records to publish from" in compared


def test_a_sheet_that_is_not_there_or_belongs_to_no_workbook_is_refused(run, folder):
    asked = ("--schema", "t.yaml", "--epsilon", 1, "-o", "r")
    refused = run("publish", "visits.xlsx", *asked, code=1)
    assert "has the sheets old, of 2024: say which with --sheet" in refused
    refused = run("publish", "visits.xlsx", "--sheet", "2024", *asked, code=1)
    assert "has no sheet 2024: it has old, of 2024" in refused
    (folder / "t.csv").write_text("age\n3\n")
    refused = run("publish", "t.csv", "--sheet", "x", *asked, code=1)
    assert "sheet names a sheet of a workbook" in refused
    assert not (folder / "r").exists()
