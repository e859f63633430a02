"""The scale of a number: a public fact of numbers and integers, and nothing if it is not said."""

import json

import pytest
import yaml

from sfumato.errors import SchemaError
from sfumato.schema import Schema
from sfumato.schema.column_facts import column_facts
from sfumato.schema.partial import PartialSchema

PAID = {"kind": "number", "low": -500.0, "high": 1e6}


def one(**column):
    return {"name": "t", "columns": {"x": column}}


@pytest.mark.parametrize("kind", ["number", "integer"])
@pytest.mark.parametrize("scale", ["log", "linear"])
def test_a_scale_comes_back_from_json_and_yaml(kind, scale):
    schema = Schema.of(one(kind=kind, low=0, high=10**6, scale=scale))
    assert schema.columns["x"].scale == scale
    assert Schema.from_json(json.loads(json.dumps(schema.to_json()))) == schema
    assert Schema.of(yaml.safe_load(schema.to_yaml())) == schema
    assert schema.plain().columns["x"].scale == scale


@pytest.mark.parametrize("said", [{}, {"scale": None}])
def test_where_it_is_not_said_it_is_not_written(said):
    written = {"name": "t", "columns": {"x": PAID, "n": {"kind": "integer", "low": 0, "high": 9}}}
    content = {"name": "t", "columns": {n: c | said for n, c in written["columns"].items()}}
    assert json.dumps(Schema.of(content).to_json()) == json.dumps(written)


@pytest.mark.parametrize(
    "column",
    [
        {"kind": "category", "values": ["a", "b"]},
        {"kind": "code", "book": "nace-2"},
        {"kind": "boolean"},
        {"kind": "date", "low": "2020-01-01", "high": "2021-01-01"},
        {"kind": "id"},
    ],
)
def test_other_kinds_have_none(column):
    said = "column x: scale is for columns of kind number or integer: remove it here"
    content = {"name": "t", "columns": {"y": PAID, "x": column | {"scale": "log"}}}
    with pytest.raises(SchemaError) as refused:
        Schema.of(content)
    assert str(refused.value) == f"schema: {said}"


@pytest.mark.parametrize("scale", ["logarithmic", "Log", "", True, 10, ["log"]])
def test_a_scale_is_log_or_linear(scale):
    with pytest.raises(SchemaError, match="column x: scale must be log or linear"):
        Schema.of(one(**PAID, scale=scale))


def test_the_table_of_columns_shows_it():
    columns = {
        "x": PAID | {"scale": "log"},
        "n": {"kind": "integer", "low": 0, "high": 90, "step": 5, "scale": "linear"},
        "y": PAID,
    }
    shown = [row[2] for row in column_facts(Schema.of({"name": "t", "columns": columns}))]
    assert shown == [
        "-500 … 1000000, log scale",
        "0 … 90 by 5, linear scale",
        "-500 … 1000000",
    ]


def test_it_stays_where_a_range_is_bought():
    partial = PartialSchema.of(one(kind="number", scale="log"))
    assert partial.to_json()["columns"]["x"] == {"kind": "number", "scale": "log"}
    assert partial.completed({"x": {"low": 0, "high": 9}}).columns["x"].scale == "log"
