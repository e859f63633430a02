"""Constraints in a schema: what is refused, what survives, and who keeps them."""

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ParameterError, SchemaError
from sfumato.methods import METHODS
from sfumato.publishing.table import price, publish
from sfumato.schema import Schema
from sfumato.schema.constraint import Ordering, ordering

COLUMNS = {
    "low": {"kind": "integer", "low": 0, "high": 9},
    "high": {"kind": "number", "low": 0, "high": 9, "step": 0.5, "missing": "allowed"},
    "sex": {"kind": "category", "values": ["f", "m"]},
    "ward": {"kind": "category", "values": ["a", 1], "other": "else", "missing": "allowed"},
    "smoker": {"kind": "boolean"},
    "seen": {"kind": "date", "low": "2020-01-01", "high": "2020-12-31"},
    "patient": {"kind": "id"},
}


def schema(*constraints):
    return Schema.of({"name": "t", "columns": COLUMNS, "constraints": list(constraints)})


def listed(**changes):
    return {"columns": ["sex", "ward"], "allowed": [["f", "a"], ["m", 1]]} | changes


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        ("low high", "constraint low high: write two columns with <=, <, >=, >, == or !="),
        ("low = high", "constraint low = high: write two columns with"),
        ("low <= height", "constraint low <= height: no column height is released: correct"),
        ("low <= patient", "constraint low <= patient: no column patient is released"),
        ("low <= low", "constraint low <= low: both sides are the same column: name two"),
        ("low <= seen", "constraint low <= seen: only two numbers or two dates have an order"),
        ("sex == ward", "constraint sex == ward: only two numbers or two dates have an order"),
        (7, "a constraint is a text (admitted <= discharged), or columns and their combin"),
        (["low", "<=", "high"], "a constraint is a text (admitted <= discharged), or columns"),
        (listed(allowed=None), "constraint on sex, ward: list either allowed or forbidden comb"),
        (listed(forbidden=[["f", 1]]), "constraint on sex, ward: list either allowed or forbid"),
        (listed(allowed=[]), "constraint: allowed: "),
        (listed(allowed="fa"), "constraint: allowed must be a list"),
        (listed(allowed=["fa"]), "constraint: write each combination as a list of values"),
        (listed(allowed=[["f", ["a"]]]), "constraint: values must be texts, whole numbers, true"),
        (listed(allowd=[["f", "a"]]), "constraint: allowd is not known here: remove it or corr"),
        ({"allowed": [["f", "a"]]}, "constraint: columns is missing"),
        (listed(columns=["sex"]), "constraint on sex: a combination needs two columns"),
        (listed(columns=["sex", "sex"]), "constraint on sex, sex: a column is named twice"),
        (listed(columns=["sex", "wart"]), "constraint on sex, wart: no column wart is released"),
        (listed(columns=["sex", "low"]), "constraint on sex, low: low is no category or boolean"),
        (listed(allowed=[["f"]]), "constraint on sex, ward: each combination needs one value per"),
        (listed(allowed=[["g", "a"]]), "constraint on sex, ward: sex has no value g: take one"),
        (listed(allowed=[[None, "a"]]), "constraint on sex, ward: sex is never missing: declare"),
    ],
)
def test_a_constraint_that_says_nothing_is_refused_by_rule_and_remedy(constraint, message):
    with pytest.raises(SchemaError) as caught:
        schema(constraint)
    assert str(caught.value).startswith(f"schema: {message}")


def test_constraints_that_are_no_list_are_refused():
    with pytest.raises(SchemaError, match="constraints must be a list"):
        Schema.of({"name": "t", "columns": COLUMNS, "constraints": "low <= high"})


def test_a_file_with_constraints_is_read_and_written_back():
    text = """\
name: t
columns:
  low: {kind: integer, low: 0, high: 9}
  high: {kind: integer, low: 0, high: 9}
  sex: {kind: category, values: [f, m]}
  pregnant: {kind: boolean, missing: allowed}
constraints:
  - low <= high
  - {columns: [sex, pregnant], forbidden: [[m, true], [m, false]]}
  - columns: [sex, pregnant]
    allowed: [[f, true], [f, false], [m, null]]
"""
    known = Schema.parse(text)
    assert known.constraints[0] == "low <= high"
    assert known.constraints[2].allowed == (("f", True), ("f", False), ("m", None))
    assert Schema.parse(known.to_yaml()) == known
    assert Schema.parse(json.dumps(known.to_json())) == known


def test_a_schema_without_constraints_is_written_as_before():
    assert "constraints" not in schema().to_json()


NAMES = st.text("ab<=>! ", min_size=1, max_size=5).filter(lambda name: name == name.strip())


@given(st.lists(NAMES, min_size=2, max_size=2, unique=True), st.sampled_from(["<=", "<", "!="]))
def test_whatever_signs_names_hold_the_two_columns_are_found(names, relation):
    found = ordering(f"{names[0]} {relation} {names[1]}", names)
    # Two names full of signs may be split in two ways; both must name the columns.
    assert {found.first, found.second} <= set(names)


def test_blanks_around_the_sign_are_optional():
    assert ordering("low>=high", COLUMNS) == Ordering("low", ">=", "high")


@pytest.mark.parametrize("name", sorted(set(METHODS) - {"mosaic"}))
def test_a_method_that_cannot_keep_constraints_says_so_and_what_to_do(name):
    budget = {"epsilon": 1} if METHODS[name].budgeted else {}
    with pytest.raises(ParameterError, match=r"does not keep the constraints .* method mosaic"):
        price(schema("low <= high"), method=name, **budget)


def test_records_that_break_a_constraint_are_counted_and_not_refused():
    row = {"low": 9, "high": 0.0, "sex": "m", "ward": "a", "smoker": True, "seen": "2020-02-02"}
    table = pa.Table.from_pylist([row] * 300)
    known = schema("low <= high", listed(forbidden=[["m", "a"]], allowed=None))
    release = publish(table, schema=known, epsilon=1)
    assert Schema.of(release.certificate.public_schema) == known
    assert any("by rejection" in limit for limit in release.certificate.limits)
    rows = release.data.to_pylist()
    assert len(rows) == 300
    assert all(r["high"] is None or r["low"] <= r["high"] for r in rows)
    assert not any(r["sex"] == "m" and r["ward"] == "a" for r in rows)


@pytest.mark.parametrize(
    "constraints",
    [
        ["low < other", "other < low"],
        ["low == other", "low < other"],
        ["low != other", "low == other"],
        ["low > large"],
        [
            listed(columns=["sex", "smoker"], allowed=None, forbidden=[[s, b]])
            for s in "fm"
            for b in (True, False)
        ],
    ],
)
def test_constraints_that_no_record_keeps_are_refused_before_any_charge(constraints):
    columns = COLUMNS | {
        "other": {"kind": "integer", "low": 0, "high": 9},
        "large": {"kind": "integer", "low": 9, "high": 99},
    }
    known = Schema.of({"name": "t", "columns": columns, "constraints": constraints})
    with pytest.raises(SchemaError, match=r"keeps all constraints.*correct one of them"):
        price(known, epsilon=1)
