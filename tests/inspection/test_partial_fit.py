"""A file is held to what a partial schema declares, before anything is bought."""

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli import app
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP

PARTIAL = {
    "name": "t",
    "columns": {
        "cost": {"kind": "number", "low": 0},
        "top": {"kind": "number", "high": 9},
        "free": {"kind": "integer"},
        "seen": {"kind": "date", "format": "%d.%m.%Y"},
        "ward": {"kind": "category", "other": "elsewhere"},
        "ill": {"kind": "boolean"},
    },
}
DATA = pa.table(
    {
        "cost": ["5000", "-1", "1,5"],
        "top": ["10", "-500", "3"],
        "free": ["-900", "900", "many"],
        "seen": ["01.02.1950", "2020-01-01", "31.12.2099"],
        "ward": ["a", "b", "c"],
        "ill": ["yes", "no", "perhaps"],
    }
)
EXPECTED = [
    ("cost", "unreadable", 1),
    ("cost", "below", 1),
    ("top", "above", 1),
    ("free", "unreadable", 1),
    ("seen", "unreadable", 1),
    ("ill", "unreadable", 1),
]


def test_only_what_is_declared_is_held_against_values():
    found = sf.check(DATA, schema=PARTIAL, uncounted=True)
    assert [(one.column, one.complaint, one.values) for one in found.misfits] == EXPECTED
    assert (found.fitting, found.records) == (0, 3)
    assert found.blank == ("cost", "top", "free", "seen", "ward")
    assert sf.check(DATA.slice(0, 1).drop_columns("top"), schema=_without("top"), uncounted=True)


@pytest.mark.parametrize("stored", [[1, 2], [1.5, 2.5], [True, False]], ids=str)
def test_numbers_and_truths_fit_a_category_whose_values_are_blank(stored):
    schema = {"name": "t", "columns": {"code": {"kind": "category"}}}
    table = pa.table({"code": stored})
    assert sf.check(table, schema=schema, uncounted=True)
    assert sf.check(table.to_pandas(), schema=schema, uncounted=True)


def _without(name):
    columns = {key: facts for key, facts in PARTIAL["columns"].items() if key != name}
    return {**PARTIAL, "neighbours": "add-remove", "columns": columns}


def test_the_look_is_counted_and_the_blanks_are_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "s.yaml").write_text(
        "name: t\ncolumns: {free: {kind: integer}, ill: {kind: boolean}}"
    )
    (tmp_path / "t.csv").write_text("free,ill\n5,yes\nx,no\n")
    with Ledger.create("budget.db") as ledger:
        ledger.grant("t", PureDP(1), reason="test")
    asked = ["check", "t.csv", "--schema", "s.yaml", "--ledger", "budget.db", "-o", "page.html"]
    found = CliRunner().invoke(app, asked)
    assert found.exit_code == 0
    assert "values of free are held only to what it declares" in found.output
    assert "1 of 2 records fit" in found.output
    assert "blank" in (tmp_path / "page.html").read_text("utf-8")
    with Ledger("budget.db") as ledger:
        assert ledger.inspections("t") == {None: 1}


def test_a_wrong_schema_is_refused_as_ever():
    with pytest.raises(sf.SchemaError, match="kind"):
        sf.check(DATA, schema={"name": "t", "columns": {"cost": {}}}, uncounted=True)
