"""The schema: every refusal by its message, and the way to YAML and JSON and back."""

import json
from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import SchemaError
from sfumato.schema import Boolean, Category, Date, Identifier, Integer, Number, Schema

KINDS = "number, integer, category, boolean, date, id, code"

WRITTEN = """\
name: adult
neighbours: replace-one            # n is public (default); or add-remove
columns:
  age:        {kind: integer, low: 17, high: 90}
  weight:     {kind: number, low: 30, high: 200, step: 0.1, missing: allowed}
  workclass:  {kind: category, values: [Private, State-gov, Self-emp], other: Other}
  smoker:     {kind: boolean}
  admitted:   {kind: date, low: 2020-01-01, high: 2025-12-31, step: day}
  income:     {kind: category, values: ["<=50K", ">50K"], other: none, role: label}
  patient_id: {kind: id}           # never read, never released
"""


def one(column):
    return Schema.of({"name": "t", "columns": {"x": column}})


def refusal(content):
    with pytest.raises(SchemaError) as caught:
        Schema.of(content, where="s.yaml")
    return str(caught.value)


def column_refusal(column):
    return refusal({"name": "t", "columns": {"x": column}}).removeprefix("s.yaml: column x: ")


def test_the_file_a_person_writes_is_understood():
    schema = Schema.parse(WRITTEN)
    kinds = [type(column) for column in schema.columns.values()]
    assert kinds == [Integer, Number, Category, Boolean, Date, Category, Identifier]
    assert schema.columns["admitted"].low.isoformat() == "2020-01-01T00:00:00"
    assert schema.label == "income"
    assert list(schema.released) == list(schema.columns)[:-1]


def test_the_same_facts_in_json_are_the_same_schema():
    schema = Schema.parse(WRITTEN)
    assert Schema.parse(json.dumps(schema.to_json(), indent="\t")) == schema


def test_defaults_are_the_careful_ones():
    schema = one({"kind": "number", "low": 0, "high": 1})
    assert (schema.neighbours, schema.grid_bits, schema.label) == ("replace-one", 15, None)
    assert (schema.columns["x"].provenance, schema.columns["x"].missing) == ("declared", None)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ({"kind": "number", "low": 1, "high": 1}, "low must be below high: correct one of them"),
        ({"kind": "integer", "low": 2, "high": 1}, "low must be below high"),
        ({"kind": "date", "low": "2020-01-02", "high": "2020-01-01"}, "low must be below high"),
        ({"kind": "number", "low": 0, "high": 1e-201}, "the range is too narrow to tell values"),
        ({"kind": "number", "high": 1}, "low is missing: declare it from public knowledge"),
        ({"kind": "category"}, "values is missing: declare it from public knowledge"),
        ({"kind": "number", "low": None, "high": 1}, "low is blank: declare it from public"),
        ({"kind": "category", "values": None}, "values is blank: declare it from public"),
        ({"kind": "number", "low": "nan", "high": 1}, "low: input should be a finite number"),
        ({"kind": "number", "low": 0, "high": "inf"}, "high: input should be a finite number"),
        ({"kind": "number", "low": 0, "high": 1.1e300}, "high: input should be less than or equal"),
        ({"kind": "number", "low": -1.1e300, "high": 0}, "low: input should be greater than or eq"),
        ({"kind": "number", "low": "small", "high": 1}, "low must be a number, such as 12.5"),
        (
            {"kind": "number", "low": 0, "high": 1, "step": 0},
            "step: input should be greater than 0",
        ),
        (
            {"kind": "number", "low": 0, "high": 1, "step": 0.3},
            "high must be a whole number of steps above low: change high or step",
        ),
        ({"kind": "integer", "low": 0, "high": 10, "step": 3}, "high must be a whole number of"),
        ({"kind": "integer", "low": 0, "high": 1.5}, "high must be a whole number, such as"),
        ({"kind": "integer", "low": 0, "high": 2**53 + 1}, "high: input should be less than or eq"),
        (
            {"kind": "integer", "low": 0, "high": 9, "step": -1},
            "step: input should be greater than",
        ),
        ({"kind": "category", "values": []}, "values must not be empty"),
        ({"kind": "category", "values": "ab"}, "values must be a list"),
        ({"kind": "category", "values": ["a", True]}, "true and false are not category values"),
        ({"kind": "category", "values": [date(2020, 1, 1)]}, "quote values that look like dates"),
        ({"kind": "category", "values": ["a", None]}, "values must be texts or whole numbers"),
        ({"kind": "category", "values": ["a", " "]}, "an empty text means a missing value"),
        ({"kind": "category", "values": ["a", " a"]}, "values must differ from each other and"),
        ({"kind": "category", "values": [1, "1"]}, "values must differ from each other and"),
        ({"kind": "category", "values": ["a"], "other": "a"}, "values must differ from each other"),
        ({"kind": "category", "values": ["a"], "other": ""}, "other must be a text, or none where"),
        (
            {"kind": "category", "values": ["a"], "other": 3},
            "other must be a text: put it in quotes",
        ),
        (
            {"kind": "category", "values": [str(i) for i in range(10_001)]},
            "values must have at most 10,000 items: put rare ones together",
        ),
        ({"kind": "date", "low": 20200101, "high": "2021-01-01"}, "write dates as YYYY-MM-DD"),
        ({"kind": "date", "low": "20200101", "high": "2021-01-01"}, "write dates as YYYY-MM-DD"),
        ({"kind": "date", "low": "spring", "high": "2021-01-01"}, "write dates as YYYY-MM-DD"),
        (
            {"kind": "date", "low": "2020-13-01", "high": "2021-01-01"},
            "low: input should be a valid",
        ),
        (
            {"kind": "date", "low": "2020-01-01T00:00:00Z", "high": "2021-01-01"},
            "write low and high without a time zone; days of records are read as written",
        ),
        (
            {"kind": "date", "low": "2020-01-01", "high": "2021-01-01", "step": "week"},
            "step: input should be 'second', 'minute', 'hour', 'day', 'month' or 'year'",
        ),
        ({"kind": "boolean", "low": 0}, "low is not known here: remove it or correct its name"),
        ({"kind": "boolean", "date": 0}, "date is not known here: remove it or correct its name"),
        ({"kind": "id", "role": "group"}, "role is not known here: remove it or correct its name"),
        ({"kind": "boolean", "missing": "maybe"}, "missing: input should be 'allowed'"),
        ({"kind": "boolean", "role": "id"}, "role: input should be 'label', 'target' or 'group'"),
        (
            {"kind": "boolean", "provenance": "guessed"},
            "provenance must be declared, or the release",
        ),
        ({"kind": "boolean", "provenance": None}, "provenance must be declared, or the release"),
        (
            {"kind": "boolean", "provenance": {"release": "r", "epsilon": 0}},
            "provenance must be declared, or the release and the epsilon that paid for it",
        ),
        ({"kind": "int"}, f"kind must be one of {KINDS}"),
        ({"kind": None}, f"kind must be one of {KINDS}"),
        ({}, f"kind must be one of {KINDS}"),
        ("integer", f"kind must be one of {KINDS}"),
        (None, f"kind must be one of {KINDS}"),
    ],
)
def test_a_column_that_contradicts_itself_is_refused_by_column_rule_and_remedy(column, message):
    assert column_refusal(column).startswith(message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "a schema is a mapping with name and columns"),
        ([], "a schema is a mapping with name and columns"),
        ({"columns": {"x": {"kind": "boolean"}}}, "schema: name is missing"),
        (
            {"name": "", "columns": {"x": {"kind": "boolean"}}},
            "schema: name: string should have at",
        ),
        ({"name": "n" * 201, "columns": {"x": {"kind": "boolean"}}}, "schema: name: string should"),
        (
            {"name": 3, "columns": {"x": {"kind": "boolean"}}},
            "schema: name: input should be a valid",
        ),
        ({"name": "t"}, "schema: columns is missing"),
        ({"name": "t", "columns": None}, "schema: columns is blank"),
        ({"name": "t", "columns": {}}, "schema: columns must not be empty"),
        ({"name": "t", "columns": ["x"]}, "schema: columns must be a mapping from column names"),
        ({"name": "t", "columns": {"x": {"kind": "id"}}}, "schema: at least one column besides"),
        ({"name": "t", "columns": {7: {"kind": "boolean"}}}, "column 7: the name is not text: put"),
        (
            {"name": "t", "neighbours": "all", "columns": {"x": {"kind": "boolean"}}},
            "schema: neighbours: input should be 'replace-one' or 'add-remove'",
        ),
        (
            {"name": "t", "grid_bits": 17, "columns": {"x": {"kind": "boolean"}}},
            "schema: grid_bits: input should be less than or equal to 16",
        ),
        (
            {"name": "t", "grid_bits": 0, "columns": {"x": {"kind": "boolean"}}},
            "schema: grid_bits: input should be greater than or equal to 1",
        ),
        (
            {"name": "t", "colums": {}, "columns": {"x": {"kind": "boolean"}}},
            "schema: colums is not known here (did you mean columns?): "
            "remove it or correct its name",
        ),
    ],
)
def test_a_schema_that_contradicts_itself_is_refused(content, message):
    assert refusal(content).startswith(f"s.yaml: {message}")


@pytest.mark.parametrize("role", ["label", "target"])
def test_two_columns_with_the_same_leading_role_are_refused_by_name(role):
    columns = {name: {"kind": "boolean", "role": role} for name in ("a", "b")}
    message = refusal({"name": "t", "columns": columns})
    assert message == f"s.yaml: schema: only one column can be the {role}, not a, b"


def test_several_groups_are_allowed():
    columns = {name: {"kind": "boolean", "role": "group"} for name in ("a", "b")}
    assert Schema.of({"name": "t", "columns": columns}).label is None


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ({"kind": "integer", "low": 0, "high": 1}, "label x must be a category or a boolean"),
        ({"kind": "category", "values": ["a"]}, "label x needs at least two values"),
    ],
)
def test_a_label_must_tell_classes_apart(column, message):
    assert refusal({"name": "t", "columns": {"x": column | {"role": "label"}}}).endswith(message)


def test_other_counts_as_a_class_of_the_label():
    column = {"kind": "category", "values": ["a"], "other": "b", "role": "label"}
    assert one(column).label == "x"


def test_columns_with_the_same_blanks_are_listed_together():
    blank = {"kind": "number", "low": None, "high": None}
    message = refusal({"name": "t", "columns": {"a": blank, "b": blank, "c": {"kind": None}}})
    assert message == (
        "s.yaml: columns a, b: low is blank: declare it from public knowledge; "
        "columns a, b: high is blank: declare it from public knowledge; "
        f"column c: kind must be one of {KINDS}"
    )


def test_a_range_that_was_paid_for_says_by_which_release():
    column = {"kind": "boolean", "provenance": {"release": "r-7", "epsilon": 0.1}}
    provenance = one(column).columns["x"].provenance
    assert (provenance.release, provenance.epsilon) == ("r-7", 0.1)


def test_a_schema_can_not_be_changed_after_the_fact():
    schema = Schema.parse(WRITTEN)
    with pytest.raises(ValueError, match="frozen"):
        schema.name = "other"
    with pytest.raises(ValueError, match="frozen"):
        schema.columns["age"].high = 120


def test_numbers_written_with_an_exponent_are_numbers():
    column = Schema.parse("name: t\ncolumns: {x: {kind: number, low: -1e3, high: 1e3}}").columns[
        "x"
    ]
    assert (column.low, column.high) == (-1000, 1000)


def test_codes_with_leading_zeros_stay_codes():
    text = "name: t\ncolumns: {x: {kind: category, values: [01, 02, 10, 1.5]}}"
    assert Schema.parse(text).columns["x"].values == ("01", "02", 10, "1.5")


@pytest.mark.parametrize(
    ("content", "reason"),
    [(None, "No such file or directory"), (b"\xff\xfe", "it is not UTF-8 text")],
)
def test_a_file_that_cannot_be_read_is_refused_by_name(tmp_path, content, reason):
    path = tmp_path / "s.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SchemaError) as caught:
        Schema.read(path)
    assert str(caught.value) == f"schema {path} cannot be read: {reason}"


def test_a_folder_is_not_a_schema(tmp_path):
    with pytest.raises(SchemaError, match="cannot be read: Is a directory"):
        Schema.read(tmp_path)


def test_a_byte_order_mark_does_no_harm(tmp_path):
    path = tmp_path / "s.json"
    text = json.dumps(Schema.parse(WRITTEN).to_json(), indent="\t")
    path.write_text(text, encoding="utf-8-sig")
    assert Schema.read(path) == Schema.parse(WRITTEN)


def test_a_refusal_of_a_file_names_the_file(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text("name: t")
    with pytest.raises(SchemaError) as caught:
        Schema.read(path)
    assert str(caught.value).startswith(f"{path}: schema: columns is missing")


def test_dates_are_written_as_a_person_would():
    assert Schema.parse(WRITTEN).to_json()["columns"]["admitted"] == {
        "kind": "date",
        "low": "2020-01-01",
        "high": "2025-12-31",
    }


TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), min_size=1, max_size=8
)
VALUE = TEXT.filter(lambda text: text.strip()) | st.integers(-(2**53), 2**53)
FACTS = st.fixed_dictionaries(
    {},
    optional={
        "missing": st.just("allowed"),
        "role": st.just("group"),
        "provenance": st.just("declared")
        | st.fixed_dictionaries({"release": TEXT, "epsilon": st.floats(1e-6, 1e6)}),
    },
)


@st.composite
def columns(draw):
    kind = draw(st.sampled_from(["number", "integer", "category", "boolean", "date", "id"]))
    if kind == "id":
        return {"kind": kind}
    facts = {"kind": kind} | draw(FACTS)
    if kind == "number":
        low, high = sorted(draw(st.tuples(*[st.floats(-1e300, 1e300)] * 2).filter(apart)))
        facts |= {"low": low, "high": high}
    if kind == "integer":
        low, steps = draw(st.integers(-(2**52), 2**51)), draw(st.integers(1, 2**20))
        step = draw(st.integers(1, 2**20))
        facts |= {"low": low, "high": low + steps * step, "step": step}
    if kind == "category":
        values = draw(st.lists(VALUE, min_size=2, max_size=6, unique_by=lambda v: str(v).strip()))
        facts["values"] = values[:-1]
        if draw(st.booleans()):
            facts["other"] = str(values[-1])
    if kind == "date":
        low, high = sorted(draw(st.tuples(*[st.datetimes()] * 2).filter(distinct)))
        step = draw(st.sampled_from(["second", "minute", "hour", "day", "month", "year"]))
        facts |= {"low": low.isoformat(), "high": high.isoformat(), "step": step}
    return facts


def distinct(pair):
    return pair[0] != pair[1]


def apart(pair):
    return abs(pair[0] - pair[1]) > 1e-100


SCHEMAS = st.fixed_dictionaries(
    {
        "name": TEXT,
        "columns": st.dictionaries(TEXT, columns(), min_size=1, max_size=5).filter(
            lambda found: any(column["kind"] != "id" for column in found.values())
        ),
    },
    optional={"neighbours": st.just("add-remove"), "grid_bits": st.integers(1, 16)},
)


@settings(deadline=None, max_examples=100)
@given(SCHEMAS)
@pytest.mark.long
def test_every_schema_survives_yaml_and_json(content):
    schema = Schema.of(content)
    assert Schema.parse(schema.to_yaml()) == schema
    assert Schema.parse(json.dumps(schema.to_json())) == schema
    assert list(Schema.parse(schema.to_yaml()).columns) == list(content["columns"])


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=60) | st.text("{}[]:,&*?-|>%@`'\" \n\t#!~0a", max_size=60))
def test_any_text_is_a_schema_or_a_refusal(text):
    # Anything but a schema or a SchemaError would leave the block as an error.
    with suppress(SchemaError):
        assert Schema.parse(text).released


def test_the_published_json_schema_is_that_of_the_code():
    published = Path(__file__).parents[2] / "docs" / "schema.json"
    stale = "docs/schema.json is stale: run `sfumato schema json > docs/schema.json`"
    assert json.loads(published.read_text("utf-8")) == Schema.model_json_schema(), stale


def test_the_published_json_schema_knows_every_kind_and_refuses_unknown_facts():
    definitions = Schema.model_json_schema()["$defs"]
    kinds = {
        d["properties"]["kind"]["const"] for d in definitions.values() if "kind" in d["properties"]
    }
    assert kinds == set(KINDS.split(", "))
    assert all(d["additionalProperties"] is False for d in definitions.values())


def test_the_yaml_is_plain_and_without_defaults():
    content = yaml.safe_load(Schema.parse(WRITTEN).to_yaml())
    assert set(content) == {"name", "columns"}
    assert content["columns"]["smoker"] == {"kind": "boolean"}
