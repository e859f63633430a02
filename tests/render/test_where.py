"""What is asked for, as a person writes it."""

from datetime import date

import numpy as np
import pytest

from sfumato.errors import ParameterError
from sfumato.render.rules import Rules
from sfumato.render.where import parse_where, where_masks
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

DOMAIN = Domain.of(
    Schema.of(
        {
            "name": "t",
            "columns": {
                "age": {"kind": "integer", "low": 16, "high": 20},
                "dose": {"kind": "number", "low": 0, "high": 1, "step": 0.1, "missing": "allowed"},
                "size": {"kind": "number", "low": 0, "high": 1},
                "ward": {"kind": "category", "values": ["a", "b", "a|b", "x,y", 3], "other": "o"},
                "smoker": {"kind": "boolean", "missing": "allowed"},
                "seen": {"kind": "date", "low": "2024-01-01", "high": "2024-12-31"},
                "hour": {"kind": "date", "low": "2024-01-01", "high": "2024-01-03", "step": "hour"},
                "month": {
                    "kind": "date",
                    "low": "2024-01-01",
                    "high": "2024-12-01",
                    "step": "month",
                },
                "patient": {"kind": "id"},
            },
            "constraints": ["seen <= month"],
        }
    )
)
NAMES = [axis.name for axis in DOMAIN.axes]


def codes(where):
    masks = where_masks(DOMAIN, parse_where(DOMAIN, where))
    return {NAMES[axis]: np.flatnonzero(mask).tolist() for axis, mask in masks.items()}


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("age=18", {"age": [2]}),
        ("age=18..30", {"age": [2, 3, 4]}),
        ("age = ..17", {"age": [0, 1]}),
        ("age=17.5..", {"age": [2, 3, 4]}),
        ("dose=0.3", {"dose": [3]}),
        ("dose=0.3..0.5", {"dose": [3, 4, 5]}),
        ("dose=", {"dose": [11]}),
        ("ward=a", {"ward": [0]}),
        ("ward=a|b", {"ward": [2]}),
        ("ward=b|3|o", {"ward": [1, 4, 5]}),
        ("ward=x,y", {"ward": [3]}),
        ("ward=x,y,age=16", {"age": [0], "ward": [3]}),
        ("smoker=true", {"smoker": [1]}),
        ("smoker=True|", {"smoker": [1, 2]}),
        ("seen=2024-02-01..2024-02-03", {"seen": [31, 32, 33]}),
        ("seen=2024-12-30..", {"seen": [364, 365]}),
        ("hour=2024-01-02T22:00:00..2024-01-02", {"hour": [46, 47]}),
        ("month=2024-02-15..2024-03-01", {"month": [1, 2]}),
        ({"age": 18, "smoker": True}, {"age": [2], "smoker": [1]}),
        ({"smoker": None}, {"smoker": [2]}),
        ({"seen": date(2024, 1, 2)}, {"seen": [1]}),
        ({"ward": "x,y"}, {"ward": [3]}),
        (None, {}),
        ({}, {}),
    ],
)
def test_conditions_select_the_codes_they_say(where, expected):
    assert codes(where) == expected
    assert codes(parse_where(DOMAIN, where)) == expected  # as a certificate repeats it


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("age", "where: write COLUMN=VALUE, not 'age'"),
        ("", "where: write COLUMN=VALUE"),
        ("agee=3", "where: no column agee is released: correct its name"),
        ("patient=3", "where: no column patient is released"),
        ("age=17,age=18", "where: a column is named twice: combine its conditions"),
        ("age=old", "where: age must be a value or a range such as 18..30, got 'old'"),
        ("age=nan", "where: age has no value in nan: give a range"),
        ("age=30..40", "where: age has no value in 30..40: give a range"),
        ("age=20..18", "where: age has no value in 20..18: give a range"),
        ("size=0.33333", "where: size has no value in 0.33333: give a range"),
        ("age=", "where: age is never missing: give a value or a range"),
        ("ward=", "where: ward is never missing"),
        ("ward=c", "where: ward has no value c: take one that is declared"),
        ("ward=a|c", "where: ward has no value c"),
        ("seen=spring", "where: seen must be a value or a range such as 2024-01-01..2024-03-31"),
        ("seen=2024-02-30", "where: seen must be a value or a range"),
        ("seen=2024-02-01T00:00:00Z", "where: seen must be a value or a range"),
        (["age=18"], "where must be a text such as sex=f, or a mapping by column"),
        ({"age": (18, 30)}, "where: write values as text, such as f, a|b or 18..30"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_by_column_and_remedy(where, message):
    with pytest.raises(ParameterError) as caught:
        codes(where)
    assert str(caught.value).startswith(message)


def test_what_the_constraints_rule_out_cannot_be_asked_for():
    asked = where_masks(DOMAIN, parse_where(DOMAIN, "seen=2024-05-01.., month=..2024-04-01"))
    with pytest.raises(ParameterError, match="no record with these values keeps all constraints"):
        Rules.of(DOMAIN, asked)
