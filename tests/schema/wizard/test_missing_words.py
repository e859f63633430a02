"""Words for missing that a column may hold itself: asked about, so that the schema holds."""

from datetime import date
from pathlib import Path

import pytest

from sfumato.schema import Schema
from sfumato.schema.blank import read_or_partial
from sfumato.schema.strict_yaml import load
from sfumato.schema.wizard import Session, interview, written
from wizard_answers import Scripted, answered, header

FILE = ["", "", "", "", "no", "", "", "", ""]  # what is asked before the words for missing


def typed(words, column, *answers):
    """The facts of a column of a file with these words for missing; an estimate takes them."""
    found = answered([column, "z"], *FILE, words, "", "", *answers, "i", "")
    text = written(found, Path("t.csv"), Path("s.yaml"))
    read_or_partial(load(text, where="schema"))
    return found.columns[column]


def test_a_code_that_stands_for_missing_is_a_country_or_missing_as_is_answered():
    country = typed("NA,-99", "country", "", "value")
    assert country == {"kind": "code", "book": "iso-3166", "missing_words": [-99]}
    taken_out = typed("NA,-99", "country", "", "missing")
    assert len(taken_out["values"]) == 248
    assert "NA" not in taken_out["values"]
    assert (taken_out["kind"], taken_out["other"]) == ("category", "other")
    assert "ISO 3166" in taken_out["source"]
    assert "missing_words" not in taken_out


@pytest.mark.parametrize(
    ("words", "column", "answers", "kept"),
    [
        ("NA,99", "age", ["", "v"], {"low": 0, "high": 120, "missing_words": ["NA"]}),
        ("99", "age", ["", "buy"], {"low": None, "high": None}),
        ("1999", "year", ["", "value"], {"low": 1900, "high": 2026, "missing_words": []}),
        ("0", "cost", ["", "", "no", "buy"], {"low": None, "high": None}),
        ("0", "cost", ["", "", "no", "v"], {"low": 0, "high": None, "missing_words": []}),
        ("1900-01-01", "dob", ["", "buy"], {"low": None, "high": None}),
        ("N,0", "smoker", ["", "ja,nein"], {"true": ["ja"], "false": ["nein"]}),
        ("n", "smoker", ["", "v"], {"missing_words": []}),
        ("other", "ward", ["", "", "v"], {"values": None, "other": "other", "missing_words": []}),
    ],
)
def test_whatever_is_answered_is_a_schema_that_can_be_used(words, column, answers, kept):
    found = {f: v for f, v in typed(words, column, *answers).items() if f not in ("kind", "source")}
    assert {"other": "other", **found} == {"other": "other", **kept}


def test_a_list_or_range_without_the_word_has_the_source_of_what_is_typed():
    for words, column, answers, kept in (
        ("9", "score", ["c 1,2,9", "m"], {"values": [1, 2], "other": "other"}),
        ("99", "age", ["", "0 98"], {"low": 0, "high": 98}),
        ("-99", "lon", ["-180 180", "5 16"], {"low": 5, "high": 16}),
        ("1900-01-01", "dob", ["", "1901 2010"], {"low": date(1901, 1, 1)}),
    ):
        found = answered([column], *FILE, words, "", "", *answers, "", "the law")
        Schema.parse(written(found, Path("t.csv"), Path("s.yaml")))
        said = found.columns[column]
        assert {fact: said[fact] for fact in kept} == kept
        assert said["source"] == "the law"
        assert "missing_words" not in said


@pytest.mark.parametrize(
    ("words", "first", "wrong", "told"),
    [
        ("99", "age", "", "value: in this column it never stands for missing"),
        ("99", "age", "1 100", "could still hold 99"),
        ("99", "age", "missing", "two ends"),
        ("NA", "country", "perhaps", "value or missing, please"),
        ("other", "c a,b", "missing", "could still hold other"),
        ("n", "y", "ja", "two words"),
    ],
)
def test_an_answer_that_leaves_it_open_is_explained_and_asked_again(words, first, wrong, told):
    asker = Scripted(*FILE, words, "", "", first, wrong, "value", "")
    asker.answers += [""] * first.startswith("c ")
    Session(asker).run(lambda asking: interview(header(["x"]), asking))
    assert any(told in line for line in asker.told)
    assert not asker.answers


def test_a_column_with_the_range_of_another_is_asked_about_as_well():
    found = answered(
        ["a", "b"], *FILE, "5", "", "", "w 0 9", "value", "same a", "value", "", ""
    ).columns
    assert found["a"] == found["b"]
    assert found["b"]["missing_words"] == []
    dates = answered(["a", "b"], *FILE[:4], "", "d", "", "d dd.mm.yyyy", "a", "").columns
    assert dates["b"] == dates["a"] | {"format": "%d.%m.%Y", "same_range_as": "a"}
