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
    assert "--epsilon 0.1 --delta 1e-9 --folder estimate -o NEW.yaml" in told
    assert "not known here" not in told


def test_what_cannot_be_bought_is_refused_as_ever(refused):
    assert "kind" in refused(PARTIAL.replace("kind: boolean", "kind:"))
    assert "colour" in refused(PARTIAL.replace("kind: boolean", "kind: boolean, colour: red"))


@pytest.mark.parametrize(
    ("column", "rule"),
    [
        ("other: none", "name what they become"),
        ("aliases: {a: [b]}", "aliases need values: declare them, or leave out aliases"),
        ("taxonomy: {a: [b]}", "a taxonomy names the values"),
        ("other: x, provenance: {release: r, epsilon: 1}", "lost from the account"),
        ("other: x, colour: red", "column ward: colour is not known here"),
    ],
)
def test_blanks_that_cannot_be_bought_as_they_are_say_why_and_what_they_are(refused, column, rule):
    told = refused(PARTIAL.replace("other: other", column).replace(", same_range_as: cost", ""))
    assert "columns cost, paid: high is missing: declare it from public knowledge" in told
    assert "column ward: values is missing" in told
    head, _, why = told.partition("can also be bought (sfumato schema estimate), once this is")
    assert head
    assert rule in why


def test_what_must_be_corrected_either_way_is_said_once(refused):
    told = refused(
        "name: t\ncolumns:\n  a: {kind: integer, low: 0, hihg: 18}\n"
        "  b: {kind: integer, low: zero, high: 18}"
    )
    assert told.count("hihg is not known here (did you mean high?)") == 1
    assert told.count("column a: high is missing") == 1
    assert told.count("column b: low must be a whole number, such as 12") == 1


def test_where_nothing_is_blank_nothing_is_offered(refused):
    told = refused("name: t\ncolumns: {a: {kind: integer, low: 5, high: 4}}")
    assert "low must be below high" in told
    assert "bought" not in told


def test_a_whole_schema_is_one():
    whole = Schema.of({"name": "t", "columns": {"ill": {"kind": "boolean"}}})
    assert read_or_partial(whole) is whole
