"""How a file writes its values is asked for once, and again where a column says otherwise."""

from datetime import date
from pathlib import Path

import pytest

from sfumato.schema import Schema
from sfumato.schema.wizard import Session, interview, written
from sfumato.schema.wizard.preset import suggested
from wizard_answers import Scripted, answered, facts, facts_typed, header

FILE = ["", "", "", "", "no"]  # the general questions, the last of which leads to the others


def file_of(*answers):
    """What is said under file, of these seven answers; the schema takes it."""
    found = answered(["x"], *FILE, *answers, "y", "")
    schema = Schema.parse(written(found, Path("t.csv"), Path("s.yaml")))
    return found.file, schema.file


def test_one_enter_is_a_plain_file():
    found = answered(["x"], *[""] * 5, "y", "")
    assert found.file == {}
    assert "file:" not in written(found, Path("t.csv"), Path("s.yaml"))


def test_a_file_that_is_not_plain_is_asked_for_part_by_part():
    said, taken = file_of("comma", "point", "dd.mm.yyyy", "ja,nein", "k.A.,-99", "latin-1", "tab")
    assert said == {
        "decimal": ",",
        "thousands": ".",
        "format": "%d.%m.%Y",
        "true": ["ja"],
        "false": ["nein"],
        "missing_words": ["k.A.", -99],
        "encoding": "latin-1",
        "delimiter": "\t",
    }
    assert (taken.decimal, taken.thousands, taken.delimiter) == (",", ".", "\t")
    assert taken.missing_words == ("k.A.", "-99")
    assert file_of(*[""] * 7) == ({}, None)


@pytest.mark.parametrize(
    ("before", "wrong", "told"),
    [
        (0, "3", "point or comma"),
        (1, "x", "none, point, comma, space or apostrophe"),
        (1, "point", "another mark than the decimal one"),
        (2, "tomorrow", "format is written in codes"),
        (3, "ja", "two words"),
        (5, "klingon", "encoding"),
        (6, "ab", "delimiter must be one mark"),
    ],
)
def test_what_no_file_could_be_is_explained_and_asked_again(before, wrong, told):
    answers = [*FILE, *[""] * before, wrong, *[""] * (7 - before), "y", ""]
    asker = Scripted(*answers)
    found = Session(asker).run(lambda asking: interview(header(["x"]), asking))
    assert found.file == {}
    assert any(told in line for line in asker.told)


def test_a_column_may_say_how_it_is_written():
    assert facts("x", "y ja,nein") == {"kind": "boolean", "true": ["ja"], "false": ["nein"]}
    seen = {"kind": "date", "low": None, "high": None, "format": "%d/%m/%Y"}
    assert facts("seen", "d dd/mm/yyyy", "") == seen
    timed = facts_typed("x", "d %d.%m.%Y %H:%M 2020-01-01 2020-12-31")
    assert (timed["format"], timed["high"]) == ("%d.%m.%Y %H:%M", date(2020, 12, 31))
    share = facts("x", "percent%")
    assert (share["percent"], share["high"]) == (True, 100)
    assert facts_typed("x", "percent% 0 10")["percent"] is True


@pytest.mark.parametrize("name", ["day", "datum", "visit_day", "admitted", "seen_on"])
def test_days_are_known_by_many_names(name):
    assert suggested(name).name == "date"


@pytest.mark.parametrize(
    "name", ["dob", "Geburtsdatum", "birthdate", "birth_date", "dateOfBirth", "born_on"]
)
def test_days_of_birth_alone_have_a_range_by_their_name(name):
    assert suggested(name).name == "birthdate"
    assert suggested("birth", "date").name == "date"
