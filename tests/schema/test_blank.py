"""A schema with blanks is told from a wrong one, and says what it lacks."""

import pytest
from typer.testing import CliRunner

from sfumato.cli.schema import app
from sfumato.errors import SchemaError
from sfumato.schema import Schema
from sfumato.schema.blank import read_or_partial

PARTIAL = """
name: t
columns:
  cost: {kind: number, low: 0}
  paid: {kind: number, low: 0, same_range_as: cost}
  ward: {kind: category, other: other}
  ill: {kind: boolean}
"""


@pytest.fixture
def refused(tmp_path):
    def invoke(text):
        path = tmp_path / "s.yaml"
        path.write_text(text)
        refusal = CliRunner().invoke(app, ["check", str(path)]).exception
        assert isinstance(refusal, SchemaError)
        return str(refusal)

    return invoke


def test_blanks_are_named_with_the_command_that_buys_them(refused):
    told = refused(PARTIAL)
    assert "has blanks (cost: high; paid: high; ward: values)" in told
    assert "sfumato schema estimate DATA --schema" in told
    assert "--epsilon 0.1 --delta 1e-9 -o NEW.yaml" in told
    assert "not known here" not in told


def test_what_cannot_be_bought_is_refused_as_ever(refused):
    assert "kind" in refused(PARTIAL.replace("kind: boolean", "kind:"))
    assert "colour" in refused(PARTIAL.replace("kind: boolean", "kind: boolean, colour: red"))


def test_a_whole_schema_is_one():
    whole = Schema.of({"name": "t", "columns": {"ill": {"kind": "boolean"}}})
    assert read_or_partial(whole) is whole
