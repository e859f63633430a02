"""Declared formats: read as they look, kept in YAML and JSON, refused where they contradict."""

import json

import pytest

from sfumato.errors import SchemaError
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

NUMBER = {"kind": "number", "low": 0, "high": 12}
DAY = {"kind": "date", "low": "2020-01-01", "high": "2021-01-01"}
WARD = {"kind": "category", "values": ["x", "y", 3], "other": "else"}
LOCAL = {"decimal": ",", "thousands": "."}
WRITTEN = """\
name: clinic
file:
  encoding: latin-1
  delimiter: ";"
  quote: none
  decimal: ","
  thousands: "."
  format: "%d.%m.%Y"
  true: [ja, 1]
  false: [nein, 2]
  missing_words: [NA, -99, "?", 1900-01-01]
columns:
  a: {kind: number, low: 0, high: 12}
  b: {kind: boolean}
  c:
    kind: boolean
    true: [J]
    false: [N]
    missing_words: []
  d: {kind: category, values: [x, 3], aliases: {x: [X, Ex], 3: [drei]}}
  e: {kind: date, low: 2020-01-01, high: 2021-01-01}
  f: {kind: integer, low: 0, high: 9, decimal: ".", thousands: none, percent: true}
  g: {kind: date, low: 2020-01-01, high: 2021-01-01, format: iso}
"""


def test_what_is_declared_for_the_file_holds_where_a_column_says_nothing():
    schema = Schema.parse(WRITTEN)
    a, b, c, d, e, f, g = (axis.column for axis in Domain.of(schema).axes)
    assert (a.decimal, a.thousands, a.percent) == (",", ".", False)
    assert (b.true, b.false) == (("ja", "1"), ("nein", "2"))
    assert a.missing_words == ("NA", "-99", "?", "1900-01-01") == b.missing_words
    assert (c.true, c.false, c.missing_words) == (("J",), ("N",), ())
    assert d.aliases == {"x": ("X", "Ex"), "3": ("drei",)}
    assert e.format == "%d.%m.%Y"
    assert (f.decimal, f.thousands, f.percent, g.format) == (".", None, True, None)


def test_formats_survive_yaml_and_json():
    schema = Schema.parse(WRITTEN)
    assert Schema.parse(schema.to_yaml()) == schema
    assert Schema.parse(json.dumps(schema.to_json())) == schema
    assert schema.to_json()["file"]["true"] == ["ja", "1"]


def test_a_schema_without_formats_is_written_as_before():
    content = {"name": "t", "columns": {"a": {"kind": "boolean"}}}
    assert Schema.of(content).to_json() == content


@pytest.mark.parametrize(
    ("column", "facts", "words"),
    [
        (NUMBER, {"decimal": ",", "thousands": ","}, "decimal and thousands must differ"),
        (NUMBER, {"thousands": "."}, "decimal and thousands must differ"),
        (NUMBER, {"thousands": ";"}, "thousands must be a comma, a point"),
        (NUMBER, {"decimal": "x"}, "decimal"),
        (NUMBER, {"missing_words": "NA"}, "write the words as a list"),
        (NUMBER, {"missing_words": ["NA", False]}, "put yes, no, true, false and null in quotes"),
        (NUMBER, {"missing_words": ["NA", None]}, "in quotes"),
        (NUMBER, {"missing_words": [" "]}, "an empty text is missing in any case"),
        (NUMBER, {"missing_words": ["NA", 12.0]}, "missing word 12.0 lies within the range"),
        (NUMBER, {"decimal": ",", "missing_words": ["9,9"]}, "missing word 9,9 lies within"),
        (NUMBER, {"percent": True, "missing_words": ["9.5%"]}, "missing word 9.5% lies within"),
        (NUMBER, {"percent": True, "missing_words": ["9 %"]}, "missing word 9 % lies within"),
        (NUMBER | {"high": 2000}, {**LOCAL, "missing_words": ["1.000"]}, "word 1.000 lies within"),
        (NUMBER, {**LOCAL, "missing_words": ["9.000"]}, "word 9.000 lies within"),  # as stored
        (DAY | {"low": "1968-12-31"}, {"format": "%d.%m.%y"}, "%y stands for the years 1969 to"),
        (DAY | {"high": "2069-01-01"}, {"format": "%d.%m.%y"}, "%y stands for the years 1969 to"),
        (NUMBER, {"format": "%Y"}, "format is not known here"),
        (WARD, {"decimal": ","}, "decimal is not known here"),
        (WARD, {"aliases": {"x": ["X"], "y": ["X"]}}, "X is declared twice"),
        (WARD, {"aliases": {"x": ["y"]}}, "y is declared twice"),
        (WARD, {"aliases": {"x": ["else"]}}, "else is declared twice"),
        (WARD, {"aliases": {"z": ["Z"]}}, "z is not one of the values"),
        (WARD, {"aliases": ["X"]}, "aliases must be a mapping from values"),
        (WARD, {"missing_words": ["3.0"]}, "missing word 3.0 is one of the values"),
        (WARD, {"missing_words": ["else"]}, "missing word else is one of the values"),
        (WARD, {"aliases": {"x": ["?"]}, "missing_words": ["?"]}, "missing word ? is one"),
        ({"kind": "boolean"}, {"true": ["ja"]}, "declare the words for both"),
        ({"kind": "boolean"}, {"true": ["ja"], "false": ["JA"]}, "ja is declared twice"),
        ({"kind": "boolean"}, {"true": ["1"], "false": ["1.0"]}, "1 is declared twice"),
        ({"kind": "boolean"}, {"true": [], "false": ["n"]}, "true"),
        ({"kind": "boolean"}, {"missing_words": ["N"]}, "missing word n is one of the values"),
        (DAY, {"missing_words": ["2020-06-01"]}, "missing word 2020-06-01 lies within"),
        (
            DAY,
            {"format": "%d.%m.%Y", "missing_words": ["01.06.2020"]},
            "missing word 01.06.2020 lies within",
        ),
        (DAY, {"format": "%m.%Y"}, "format does not tell the day"),
        (DAY | {"step": "hour"}, {"format": "%d.%m.%Y"}, "format does not tell the hour"),
    ],
)
def test_facts_that_contradict_each_other_are_refused_by_name(column, facts, words):
    alone = {"name": "t", "columns": {"a": column | facts}}
    with pytest.raises(SchemaError, match=r"^schema: column a: ") as error:
        Schema.of(alone)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"encoding": "rot13"}, "encoding is not known"),
        ({"delimiter": ";;"}, 'delimiter must be one mark, such as ";"'),
        ({"delimiter": "a"}, "delimiter must be one mark"),
        ({"delimiter": "none"}, "delimiter must be one mark"),
        ({"delimiter": "§"}, "delimiter must be one mark"),
        ({"delimiter": "\n"}, "delimiter must be one mark"),
        ({"delimiter": '"'}, "delimiter and quote must differ"),
        ({"quote": ","}, "delimiter and quote must differ"),
        (
            {"thousands": "."},
            "column a, with what file declares: decimal and thousands",
        ),
        ({"missing_words": [3]}, "column a, with what file declares: the missing word 3"),
        ({"format": "%m.%Y"}, "column d, with what file declares: format does not tell the day"),
        ({"separator": ";"}, "file.separator is not known here"),
        ([], "file must be a mapping"),
    ],
)
def test_a_file_that_contradicts_itself_or_a_column_is_refused(facts, words):
    with pytest.raises(SchemaError) as error:
        Schema.of({"name": "t", "file": facts, "columns": {"a": NUMBER, "d": DAY}})
    assert words in str(error.value)


@pytest.mark.parametrize(
    "facts",
    [
        'kind: boolean, true: [ja], "true": [J], false: [nein]',
        "kind: boolean, true: [ja], yes: [J], false: [nein]",
        'kind: category, values: [3], aliases: {3: [a], "3": [b]}',
    ],
)
def test_a_fact_that_is_declared_twice_in_two_ways_is_refused(facts):
    with pytest.raises(SchemaError, match="is declared twice: keep one"):
        Schema.parse(f"name: t\ncolumns:\n  a: {{{facts}}}\n")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("\n    low: 0\n    high: 12,000", "high: write 12000, with no marks between its digits"),
        ("\n    low: 0\n    high: 1.200.000", "high: write 1200000,"),
        ("\n    low: 0\n    high: 12 000", "high: write 12000,"),
        ("\n    low: 0,5\n    high: 12", "low: write 0.5,"),
    ],
)
def test_a_number_written_with_separators_is_answered_with_the_number(written, meant):
    with pytest.raises(SchemaError) as error:
        Schema.parse(f"name: t\ncolumns:\n  a:\n    kind: number{written}\n")
    assert meant in str(error.value)


@pytest.mark.parametrize("number", ["12,000", "12,500", "1,250,000"])
def test_a_comma_within_braces_ends_the_fact_and_this_is_said(number):
    with pytest.raises(SchemaError, match="write numbers as 12000, not as 12,000"):
        Schema.parse(f"name: t\ncolumns:\n  a: {{kind: number, low: 0, high: {number}}}\n")
