"""Hypothesis strategies: schemas of every kind of column, tables, and absurd neighbours."""

import datetime as dt

import pyarrow as pa
from hypothesis import strategies as st

from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.records import Records
from sfumato.table.source import open_source

MIXED = {
    "name": "mixed",
    "columns": {
        "size": {"kind": "number", "low": -1, "high": 3},
        "dose": {"kind": "number", "low": 0, "high": 2, "step": 0.5, "missing": "allowed"},
        "age": {"kind": "integer", "low": 0, "high": 7},
        "sex": {"kind": "category", "values": ["f", "m"], "other": "none"},
        "ward": {"kind": "category", "values": ["a", "b", 3], "other": "else"},
        "site": {
            "kind": "category",
            "values": ["x", "y", "z"],
            "missing": "allowed",
            "other": "none",
        },
        "smoker": {"kind": "boolean"},
        "seen": {"kind": "date", "low": "2020-01-01", "high": "2020-01-09"},
        "outcome": {
            "kind": "category",
            "values": ["home", "care", "died"],
            "other": "none",
            "role": "label",
        },
    },
}

ABSURD = [
    *(None, "", "  ", "nan", "NaN", "inf", "-inf", "1e300", "-1e300", "1e-300", "9" * 400),
    *("0x1f", "1_0", "½", "\x00", "a,b", 'q"', "x" * 5_000, "2020-02-30", "0001-01-01", "true"),
    *("9999-12-31T23:59:59+14:00", "𝔘𝔫𝔦", "f", "m", "a", "x", "home", "died", "2020-01-04", "3"),
]


def schema(**changes):
    return Schema.of(MIXED | changes)


def typed_rows():
    """Records as they should be: each value of its column's own kind."""
    day = st.dates(dt.date(2019, 12, 30), dt.date(2020, 1, 12))
    return st.fixed_dictionaries(
        {
            "size": st.one_of(st.floats(allow_nan=True, allow_infinity=True), st.floats(-1, 3)),
            "dose": st.one_of(st.none(), st.floats(-1, 4)),
            "age": st.one_of(st.none(), st.integers(-(2**62), 2**62), st.integers(0, 7)),
            "sex": st.sampled_from(["f", "m", "?", None]),
            "ward": st.sampled_from(["a", "b", "3", "zz", None]),
            "site": st.sampled_from(["x", "y", "z", "q", None]),
            "smoker": st.sampled_from([True, False, None]),
            "seen": st.one_of(st.none(), day),
            "outcome": st.sampled_from(["home", "care", "died", "", None]),
        }
    )


def text_rows():
    """Records as a careless file holds them: any text in any column."""
    return st.fixed_dictionaries({name: st.sampled_from(ABSURD) for name in MIXED["columns"]})


def as_text(row):
    return {name: None if value is None else str(value) for name, value in row.items()}


def table(rows):
    """All columns as text, so that one record never decides how another is stored."""
    texts = [as_text(row) for row in rows]
    columns = {n: pa.array([row[n] for row in texts], pa.string()) for n in MIXED["columns"]}
    return pa.table(columns)


def records(rows, known=None):
    domain = Domain.of(known or schema())
    return Records(open_source(table(rows)), domain)
