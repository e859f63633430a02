"""Declared facts: what was said of each column, and on whose word."""

from types import SimpleNamespace

import pytest

import sfumato as sf
from sfumato.report.declared import _source, declared


def fact(**column):
    schema = sf.Schema.of({"name": "t", "columns": {"a": column}})
    (found,) = declared(schema)
    return found.says


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ({"kind": "number", "low": 0, "high": 1, "step": 0.25}, "from 0 to 1, in steps of 0.25"),
        ({"kind": "integer", "low": -3, "high": 12_000}, "from -3 to 12,000"),
        ({"kind": "boolean"}, "what is not true or false counts as false"),
        ({"kind": "boolean", "missing": "allowed"},
         "what is not true or false counts as missing; may be missing"),
        ({"kind": "date", "low": "2020-01-01", "high": "2021-12-31", "step": "month"},
         "from 2020-01-01 to 2021-12-31, by the month"),
        ({"kind": "category", "values": ["x", "y"], "other": "z"},
         "x, y; what is not listed counts as z"),
        ({"kind": "category", "values": ["x", "y"], "missing": "allowed"},
         "x, y; what is not listed counts as missing; may be missing"),
    ],
)  # fmt: skip
def test_a_fact_is_said_with_what_becomes_of_everything_else(column, said):
    assert fact(**column) == said


def test_a_long_list_is_cut_and_counted():
    said = fact(kind="category", values=[f"{k} {'long ' * 20}" for k in range(40)])
    assert " and 28 more; what is not listed counts as 0 long" in said
    assert len(said) < 700


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (SimpleNamespace(provenance="declared", source="the census bureau"),
         "declared: the census bureau"),
        (SimpleNamespace(provenance="declared", source=None), "declared, without a source"),
    ],
)  # fmt: skip
def test_the_source_of_a_declared_fact_is_named(column, said):
    assert _source(column) == said


def test_a_column_that_is_never_read_declares_nothing():
    columns = {"id": {"kind": "id"}, "a": {"kind": "boolean"}}
    assert [f.column for f in declared(sf.Schema.of({"name": "t", "columns": columns}))] == ["a"]


FILE = {
    "decimal": ",",
    "thousands": ".",
    "format": "%d.%m.%Y",
    "missing_words": ["k.A.", -99],
    "true": ["ja", "j"],
    "false": ["nein"],
    "encoding": "latin-1",
    "delimiter": ";",
}


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ({"kind": "boolean"},
         "true is written ja or j, false is written nein; what is none of these counts as false"),
        ({"kind": "boolean", "true": ["wahr"], "false": ["falsch"]},
         "true is written wahr, false is written falsch; what is none of these counts as false"),
        ({"kind": "number", "low": 0, "high": 9, "percent": True},
         "from 0 to 9; written in percent; decimals after “,”; thousands set apart by “.”"),
        ({"kind": "number", "low": 0, "high": 9, "thousands": "none"},
         "from 0 to 9; decimals after “,”"),
        ({"kind": "date", "low": "2020-01-01", "high": "2021-12-31"},
         "from 2020-01-01 to 2021-12-31, by the day; written as %d.%m.%Y"),
        ({"kind": "category", "values": ["x"], "other": "z", "aliases": {"x": ["X", "ix"]}},
         "x; what is not listed counts as z; x is also written X or ix"),
    ],
)  # fmt: skip
def test_how_a_column_is_written_is_declared_as_well(column, said):
    schema = sf.Schema.of({"name": "t", "file": FILE, "columns": {"a": column}})
    whole, found = declared(schema)
    assert found.says == f"{said}; missing is written k.A. or -99"
    assert (whole.column, whole.says) == (
        "the file",
        "its encoding is latin-1; columns are set apart by “;”",
    )


def test_many_words_are_cut_and_counted():
    said = fact(kind="boolean", missing_words=[f"word {k}" for k in range(40)])
    assert said.endswith("word 11 or 28 more")


def test_marks_that_nobody_sees_are_named():
    said = fact(kind="integer", low=0, high=9, thousands="\u202f", decimal=",")
    assert "thousands set apart by a narrow no-break space" in said
