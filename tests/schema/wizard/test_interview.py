"""The wizard's questions: what Enter accepts, what is asked again, what can be taken back."""

from datetime import date
from pathlib import Path

import pytest

from sfumato.schema import Schema
from sfumato.schema.wizard import Quit, Session, interview, next_steps, written
from wizard_answers import GENERAL, Scripted, answered, facts, facts_typed, header

# Seventeen columns, as a bank's open data has them, and what is typed for each.
BANK = {
    "age": [""],
    "job": ["", ""],
    "marital": ["", ""],
    "education": ["", ""],
    "default": ["y"],
    "balance": ["", "", "yes"],
    "housing": ["y"],
    "loan": ["y"],
    "contact": ["c", ""],
    "day": ["w 1 31"],
    "month": ["", ""],
    "duration": ["w", "", ""],
    "campaign": ["w", "", ""],
    "pdays": ["w", "", "yes"],
    "previous": ["", ""],
    "poutcome": ["c", ""],
    "y": ["y"],
}


@pytest.mark.parametrize(
    ("column", "kept"),
    [
        ("age", {"kind": "integer", "low": 0, "high": 120}),
        ("share_pct", {"kind": "number", "low": 0, "high": 100}),
        ("birth_year", {"kind": "integer", "low": 1900, "high": 2026}),
        ("dob", {"kind": "date", "low": date(1900, 1, 1), "high": date(2025, 12, 31)}),
        ("isActive", {"kind": "boolean"}),
        ("has_visit_on", {"kind": "boolean"}),
        ("patient_id", {"kind": "id"}),
        ("country", {"kind": "code", "book": "iso-3166"}),
    ],
)
def test_enter_takes_the_preset_that_a_name_suggests_and_its_schema_is_sound(column, kept):
    found = answered([column, "z"], *GENERAL, "", "y", "")
    said = dict(found.columns[column])
    source = said.pop("source", None)
    assert said == kept
    assert (source is not None) == ("low" in kept)
    schema = Schema.parse(written(found, Path("t.csv"), Path("s.yaml")))
    assert list(schema.columns) == [column, "z"]


@pytest.mark.parametrize(
    ("answers", "kept"),
    [
        (["n", "", ""], {"kind": "number", "low": 0, "high": None}),
        (["n", "", "yes"], {"kind": "number", "low": None, "high": None}),
        (["money", "buy", "no"], {"kind": "number", "low": 0, "high": None}),
        (["count", ""], {"kind": "integer", "low": 0, "high": None}),
        (["date", ""], {"kind": "date", "low": None, "high": None}),
        (["latitude", ""], {"kind": "number", "low": None, "high": None}),
        (["longitude", "buy"], {"kind": "number", "low": None, "high": None}),
        (["c", ""], {"kind": "category", "values": None, "other": "other"}),
        (["code", "nace-2"], {"kind": "code", "book": "nace-2"}),
        (["code nace-2.1"], {"kind": "code", "book": "nace-2.1"}),
        (["c", "icd-10-chapters"], {"kind": "code", "book": "icd-10-chapters"}),
        (["y"], {"kind": "boolean"}),
        (["i"], {"kind": "id"}),
    ],
)
def test_what_is_not_known_in_public_is_left_to_be_bought(answers, kept):
    asked = answered(["x", "z"], *GENERAL, *answers, "y", "")
    assert asked.columns["x"] == kept
    assert asked.blank == (["x"] if None in kept.values() else [])


@pytest.mark.parametrize(
    ("answers", "kept"),
    [
        (["w 0 50"], {"kind": "integer", "low": 0, "high": 50}),
        (["n -5.5 to 40"], {"kind": "number", "low": -5.5, "high": 40}),
        (["n", "1..2"], {"kind": "number", "low": 1, "high": 2}),
        (["age 18 65"], {"kind": "integer", "low": 18, "high": 65}),
        (
            ["date 2020-01-01 2024-12-31"],
            {"kind": "date", "low": date(2020, 1, 1), "high": date(2024, 12, 31)},
        ),
        (["d", "2022 2024"], {"kind": "date", "low": date(2022, 1, 1), "high": date(2024, 12, 31)}),
        (["lat -90 90"], {"kind": "number", "low": -90, "high": 90}),
        (["c red, green"], {"kind": "category", "values": ["red", "green"], "other": "other"}),
        (["c", "a,b", "none"], {"kind": "category", "values": ["a", "b"], "other": "none"}),
        (
            ["c", '1,2,"3,4"', "rest"],
            {"kind": "category", "values": [1, 2, "3,4"], "other": "rest"},
        ),
    ],
)
def test_what_was_typed_has_the_source_that_is_asked_for_in_the_end(answers, kept):
    found = answered(["x"], *GENERAL, *answers, "", "the law")
    assert found.columns["x"] == kept | {"source": "the law"}
    Schema.parse(written(found, Path("t.csv"), Path("s.yaml")))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("n 5 5", "low must be below high"),
        ("w 0.5 3", "whole numbers, please"),
        ("w 12,000 13,000", "whole numbers, please, without separators"),
        ("n 1,5 2,5", "numbers with a decimal point, please, without separators"),
        ("w 0", "two ends"),
        ("n low high", "numbers with a decimal point"),
        ("d 01.02.2020 03.04.2021", "dates as YYYY-MM-DD"),
        ("c a,a", "values must differ"),
        ("c other", "values must differ"),
        ('c "a', "quotes come in pairs"),
        ("code nowhere", "there is no code book nowhere"),
        ("code ../secret.csv", "must lie beside the schema"),
        ("code absent.csv", "cannot be read"),
        ("i 0 1", "needs nothing more"),
        ("y 0 1", "two words, please"),
        ("y ja,Ja", "two words, please"),
        ("d %d.%m", "format does not tell the day"),
        ("d %d.%m.%Q", "%Q is not known"),
        ("d dd.mm.yyyy 1 2", "dates as YYYY-MM-DD"),
        ("paint", "one of age, percent"),
        ("co", "which one: count, country, code?"),
        ("same x", "the name of an earlier column"),
        ("x" * 100_001, "at most 100,000 characters"),
        ("?", "n number, w whole number"),
        ("", "n number, w whole number"),
    ],
)
def test_what_cannot_be_read_is_explained_and_asked_again(wrong, told):
    asker = Scripted(*GENERAL, wrong, "y", "")
    found = Session(asker).run(lambda asking: interview(header(["x"]), asking))
    assert found.columns["x"] == {"kind": "boolean"}
    assert any(told in line for line in asker.told)


def test_a_bare_range_or_list_is_one_of_the_proposed_kind():
    assert facts_typed("age", "18 65") == {"kind": "integer", "low": 18, "high": 65}
    ends = {"low": date(2020, 1, 1), "high": date(2020, 12, 31)}
    assert facts_typed("date", "2020-01-01 2020-12-31") == {"kind": "date", **ends}
    listed = {"values": ["f", "m"], "other": "other"}
    assert facts_typed("sex", "f,m") == {"kind": "category", **listed}


def test_columns_of_one_meaning_share_a_range_whether_known_or_bought():
    known = answered(["a", "b"], *GENERAL, "w 0 9", "same a", "", "")
    assert known.columns["b"] == known.columns["a"]
    bought = answered(["a", "b", "c"], *GENERAL, "w", "", "", "w", "a", "same as b", "")
    assert bought.columns["b"] == bought.columns["c"]
    assert bought.columns["b"]["same_range_as"] == "a"
    assert "same_range_as: a" in written(bought, Path("t.csv"), Path("s.yaml"))


def test_a_share_in_a_range_of_another_kind_is_refused():
    asker = Scripted(*GENERAL, "w 0 9", "n", "a", "0 1", "", "")
    Session(asker).run(lambda asking: interview(header(["a", "b"]), asking))
    assert any("a is of another kind, integer" in line for line in asker.told)


def test_missing_columns_are_named_or_counted_and_ids_never_miss_anything():
    columns = ["id", "age", "is_on"]
    assert "missing" not in answered(columns, *GENERAL, "", "", "", "").columns["age"]
    for answer in ("2", "age", "age, 1"):
        found = answered(columns, *GENERAL, "", "", "", answer).columns
        assert [name for name in columns if "missing" in found[name]] == ["age"]
    found = answered(columns, *GENERAL, "", "", "", "all").columns
    assert [name for name in columns if "missing" in found[name]] == ["age", "is_on"]


def test_the_kinds_that_a_file_stores_are_proposed_and_hold_against_the_name():
    assert facts("age", "", age="integer")["high"] == 120
    assert facts("speed", "", "0 9", "", speed="number")["high"] == 9
    assert facts("year", "", "", year="category")["kind"] == "category"


def test_back_takes_answers_back_one_by_one_to_the_very_first():
    asker = Scripted(
        "first", "back", "second", "", "", "back", "9", "", "", "n 0 1", "back", "y", ""
    )
    found = Session(asker).run(lambda asking: interview(header(["x"]), asking))
    assert (found.name, found.records, found.columns) == ("second", 9, {"x": {"kind": "boolean"}})


def test_an_interview_goes_on_where_it_was_left_and_says_nothing_twice():
    kept = []
    first = Session(Scripted(*GENERAL, "", "quit"), keep=lambda answers: kept.append(list(answers)))
    with pytest.raises(Quit):
        first.run(lambda asking: interview(header(["age", "x"]), asking))
    assert kept[-1] == ["t", "yes", "unknown", "yes", "yes", "age"]
    asker = Scripted("y", "")
    again = Session(asker, kept[-1]).run(lambda asking: interview(header(["age", "x"]), asking))
    assert len(asker.asked) == 2
    assert not asker.told
    assert again == answered(["age", "x"], *GENERAL, "", "y", "")


def test_seventeen_columns_take_sixty_keystrokes_and_no_yaml():
    typed = [*GENERAL, *(answer for answers in BANK.values() for answer in answers), "", ""]
    found = answered(list(BANK), *typed)
    assert sum(len(answer) + 1 for answer in typed) == 60  # with Enter
    kinds = [facts["kind"] for facts in found.columns.values()]
    assert kinds == [
        *("integer", "category", "category", "category", "boolean", "number", "boolean"),
        *("boolean", "category", "integer", "category", "integer", "integer", "integer"),
        *("integer", "category", "boolean"),
    ]
    assert found.columns["pdays"]["low"] is None


def test_the_file_says_what_comes_next():
    found = answered(["x", "z"], "clinic", "no", "45k", "no", "", "c", "", "y", "")
    text = written(found, Path("my data.csv"), Path("s.yaml"))
    assert "# values to be bought: sfumato schema estimate\n" in text
    assert "# About 45,000 records.\n" in text
    assert "what is hidden is one row" in text
    assert "neighbours: add-remove\n" in text
    assert next_steps(found, Path("my data.csv"), Path("s.yaml")) == [
        "sfumato ledger create --ledger budget.db",
        'sfumato ledger grant clinic --epsilon 2 --delta 1e-9 --reason "…" --ledger budget.db',
        "sfumato schema estimate 'my data.csv' --schema s.yaml --epsilon 0.1 --delta 1e-9 "
        "--ledger budget.db --folder estimate -o s-bought.yaml",
        "sfumato schema check s-bought.yaml",
        "sfumato publish 'my data.csv' --schema s-bought.yaml --epsilon 1 --ledger budget.db "
        "-o release",
    ]


@pytest.mark.parametrize("name", ["a: b", "#", "no", "x\n  y:", "2020-01-01", "ü\u202e", '"'])
def test_names_that_yaml_would_misread_come_back_as_they_are(name):
    found = answered([name, "z"], *GENERAL, "y", "y", "")
    assert list(Schema.parse(written(found, Path("t\n.csv"), Path("s.yaml"))).columns) == [
        name,
        "z",
    ]


PANEL = ["", "no", "", "", "", "i", "w 1920 2010", "w 2015 2025", "y", "none"]


def test_where_a_person_has_several_rows_it_is_asked_whose_they_are():
    columns = ["patient", "born", "year", "cured"]
    found = answered(columns, *PANEL, "", "8", "born", "year", "")
    text = written(found, Path("v.csv"), Path("s.yaml"))
    schema = Schema.parse(text)
    assert schema.people.person == "patient"
    assert (schema.people.rows, schema.people.order) == (8, "year")
    assert schema.people.per_person == ("born",)
    assert "what is hidden is one row" not in text


def test_a_person_may_have_rows_in_no_order_and_nothing_that_stays_the_same():
    found = answered(["patient", "born", "year", "cured"], *PANEL, "1", "", "", "", "")
    assert found.whose == {"person": "patient"}
    assert Schema.parse(written(found, Path("v.csv"), Path("s.yaml"))).people.rows == 64


def test_without_whose_row_it_is_one_row_is_hidden_and_the_file_says_so():
    found = answered(["patient", "born", "year", "cured"], *PANEL, "none", "")
    assert found.whose == {}
    assert "what is hidden is one row" in written(found, Path("v.csv"), Path("s.yaml"))


def test_answers_about_persons_that_cannot_be_are_asked_again():
    columns = ["patient", "born", "year", "cured"]
    wrong = ["born", "patient,born", "", "0", "4097", "many", "", "all", "2", "cured", "born", "3"]
    found = answered(columns, *PANEL, *wrong, "")
    assert found.whose == {"person": "patient", "order": "year"}


def test_what_is_blank_beside_persons_is_declared_and_not_bought():
    columns = ["patient", "cost", "cured"]
    found = answered(columns, "", "no", "", "", "", "i", "n", "buy", "yes", "y", *[""] * 5)
    text = written(found, Path("v.csv"), Path("s.yaml"))
    assert "low and high to be declared from public knowledge" in text
    steps = next_steps(found, Path("v.csv"), Path("s.yaml"))
    assert not any("schema estimate" in step for step in steps)
    assert "declare cost in s.yaml" in steps
