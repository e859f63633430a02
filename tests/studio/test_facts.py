"""One line of facts, read and written."""

from contextlib import suppress
from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.studio.facts import read_facts, written_facts

READ = [
    ("integer", "0..110", {"low": 0, "high": 110}),
    ("integer", " -5 .. 5 by 5", {"low": -5, "high": 5, "step": 5}),
    ("integer", "0 to 10; scale: log", {"low": 0, "high": 10, "scale": "log"}),
    ("number", "30..200 by 0.1", {"low": 30, "high": 200, "step": 0.1}),
    ("number", "1e-3...0.5; decimal: \",\"", {"low": 0.001, "high": 0.5, "decimal": ","}),
    ("number", "0..1; decimal: ,; thousands: .",
     {"low": 0, "high": 1, "decimal": ",", "thousands": "."}),
    ("number", "0..1; decimal: comma; thousands: point",
     {"low": 0, "high": 1, "decimal": ",", "thousands": "."}),
    ("integer", "0..9; thousands: ,", {"low": 0, "high": 9, "thousands": ","}),
    ("category", "a, b; other: elsewhere", {"values": ["a", "b"], "other": "elsewhere"}),
    ("category", '"a;b", "c,d", "e""f", 7', {"values": ["a;b", "c,d", 'e"f', 7]}),
    ("category", "01, 1.5", {"values": ["01", "1.5"]}),
    ("category", "book: nace-2", {"book": "nace-2"}),
    ("date", "2024-01-01..2025-12-31", {"low": date(2024, 1, 1), "high": date(2025, 12, 31)}),
    ("date", "2024-01-01T06:00..2025-01-01 by hour",
     {"low": datetime.fromisoformat("2024-01-01T06:00"), "high": date(2025, 1, 1), "step": "hour"}),
    ("date", "2024-01-01..2025-01-01; written: %d.%m.%Y",
     {"low": date(2024, 1, 1), "high": date(2025, 1, 1), "format": "%d.%m.%Y"}),
    ("boolean", "", {}),
    ("boolean", "yes: ja, j; no: nein", {"true": ["ja", "j"], "false": ["nein"]}),
    ("id", "whatever", {}),
]  # fmt: skip
REFUSED = [
    ("integer", "", "two ends"),
    ("integer", "110", "two ends"),
    ("integer", "0..1.5", "whole numbers"),
    ("integer", "0..1,000", "two ends|whole numbers"),
    ("number", "0..1,5", "above the columns"),
    ("number", "0..nan", "point"),
    ("date", "01.02.2024..2025-01-01", "YYYY-MM-DD"),
    ("date", "2024-01-01..2025-01-01 by week", "by one of"),
    ("category", "", "list the values"),
    ("category", 'a, "b', "in pairs"),
    ("category", "a; elsewhere", "commas between the values"),
    ("category", "a; scale: log", "behind a semicolon"),
    ("category", "a; other:", "one word"),
    ("category", "a, other: elsewhere", "semicolon before other"),
    ("boolean", "ja, nein", "yes: ja; no: nein"),
]


@pytest.mark.parametrize(("kind", "text", "facts"), READ)
def test_a_line_says_what_it_looks_like(kind, text, facts):
    assert read_facts(kind, text) == facts


@pytest.mark.parametrize(("kind", "text", "said"), REFUSED)
def test_a_line_that_cannot_be_read_says_how_to_write_it(kind, text, said):
    with pytest.raises(ParameterError, match=said):
        read_facts(kind, text)


@pytest.mark.parametrize(("kind", "text", "facts"), READ)
def test_what_is_written_reads_the_same(kind, text, facts):
    assert read_facts(kind, written_facts(kind, facts)) == facts


@given(st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1), min_size=1))
def test_any_list_of_words_is_written_so_that_it_reads_the_same(words):
    found = read_facts("category", written_facts("category", {"values": words}))["values"]
    assert [str(word) for word in found] == words


@given(st.sampled_from(["integer", "number", "category", "date", "boolean"]), st.text(max_size=40))
def test_whatever_is_typed_is_read_or_refused(kind, text):
    with suppress(ParameterError):
        assert isinstance(read_facts(kind, text), dict)
