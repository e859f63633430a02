"""Schemas in which a person is the unit: what they say, and what they may not."""

import json

import pytest

from sfumato.errors import SchemaError
from sfumato.schema import Schema
from sfumato.schema.blank import read_or_partial
from sfumato.schema.column_facts import column_facts
from sfumato.schema.partial import PartialSchema
from sfumato.schema.person import PERSON, RECORD, check_one_row_each
from sfumato.schema.person import ROWS as MOST
from visits_world import PEOPLE, ROWS, TWO_FILES

WARD = {"kind": "category", "values": ["a", "b"], "other": "c"}
DAYS = ROWS["columns"]["days"]
TABLES = TWO_FILES["tables"]


def changed(schema, columns=None, **facts):
    """The schema with other facts; None takes one away."""
    whole = {**schema, **facts, "columns": {**schema["columns"], **(columns or {})}}
    kept = {name: fact for name, fact in whole["columns"].items() if fact is not None}
    return {name: fact for name, fact in {**whole, "columns": kept}.items() if fact is not None}


def refusal(schema):
    with pytest.raises(SchemaError) as refused:
        Schema.of(schema, where="s.yaml")
    return str(refused.value)


def test_one_file_says_whose_rows_they_are_and_how_they_follow():
    born = {**ROWS["columns"]["born"], "per": "person"}
    people = Schema.of(changed(PEOPLE, {"born": born}, rows_per_person=8)).people
    assert (people.person, people.key, people.order, people.rows) == ("patient", None, "year", 8)
    assert people.per_person == ("born",)
    assert people.per_row == ("year", "days", "cured")
    assert not people.linked


def test_two_files_come_to_the_same_view_with_the_key_of_the_persons():
    people = Schema.of(TWO_FILES).people
    assert (people.person, people.key, people.order) == ("patient", "patient", "year")
    assert people.rows == MOST == 64
    assert people.linked
    named = {**TABLES, "persons": {"key": "number"}}
    other = Schema.of(changed(TWO_FILES, {"number": {"kind": "id"}}, tables=named)).people
    assert (other.person, other.key) == ("patient", "number")
    assert other.per_person == ("born",)


def test_without_persons_one_row_is_the_unit():
    assert Schema.of(ROWS).people is None
    assert Schema.of(ROWS).unit == RECORD
    assert {Schema.of(schema).unit for schema in (PEOPLE, TWO_FILES)} == {PERSON}


def test_rows_without_an_order_and_columns_that_differ_in_every_row_are_allowed():
    people = Schema.of(changed(PEOPLE, order=None)).people
    assert people.order is None
    assert people.per_person == ()


@pytest.mark.parametrize("kind", ["integer", "number", "date"])
def test_an_order_is_an_integer_a_number_or_a_date_and_growth_may_be_missing(kind):
    ends = {"low": "2020-01-01", "high": "2021-01-01"} if kind == "date" else {"low": 0, "high": 9}
    column = {"kind": kind, **ends}
    grows = {**column, "increasing": True, "missing": "allowed"}
    schema = Schema.of(changed(PEOPLE, {"at": column, "grows": grows}, order="at"))
    assert schema.people.order == "at"
    assert schema.columns["grows"].increasing


@pytest.mark.parametrize("role", ["label", "target", "group"])
@pytest.mark.parametrize("per", [{}, {"per": "person"}])
def test_roles_may_be_of_a_person_or_of_a_row(role, per):
    cured = {"kind": "boolean", "role": role, **per}
    assert Schema.of(changed(PEOPLE, {"cured": cured})).people is not None


@pytest.mark.parametrize("schema", [PEOPLE, TWO_FILES])
def test_constraints_may_mix_columns_of_persons_and_of_rows(schema):
    born = {"kind": "integer", "low": 1920, "high": 2010, "per": "person"}
    mixed = changed(schema, {"born": born}, constraints=["born <= year", "days != born"])
    assert len(Schema.of(mixed).constraints) == 2


@pytest.mark.parametrize("schema", [PEOPLE, TWO_FILES])
@pytest.mark.parametrize("bound", [None, 1, 64, 4096])
def test_what_is_written_is_read_again(schema, bound):
    grown = changed(schema, {"days": {**DAYS, "increasing": True}}, rows_per_person=bound)
    found = Schema.of(grown)
    assert Schema.from_json(json.loads(json.dumps(found.to_json()))) == found
    assert Schema.parse(found.to_yaml()) == found
    assert found.plain().people == found.people
    assert PartialSchema.of(found).completed({}) == found


def test_the_default_bound_is_the_same_schema_whether_it_is_said_or_not():
    assert Schema.of(changed(PEOPLE, rows_per_person=64)).to_json() == Schema.of(PEOPLE).to_json()


def test_schemas_without_persons_are_written_as_before():
    assert Schema.of(ROWS).to_json() == ROWS


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (changed(PEOPLE, person="patiant"), "person: no column patiant (did you mean patient?) is"),
        (changed(PEOPLE, person="born"), "person: column born is of kind integer: who a person"),
        (changed(PEOPLE, person=3), "person must name a column: write its name as text"),
        (changed(PEOPLE, person=""), "person must name a column"),
        (changed(PEOPLE, order="yaer"), "order: no column yaer (did you mean year?) is declared"),
        (changed(PEOPLE, order="cured"), "order: column cured is of kind boolean: rows follow by"),
        (changed(PEOPLE, {"w": WARD}, order="w"), "order: column w is of kind category: rows foll"),
        (changed(PEOPLE, order="patient"), "order: column patient is of kind id"),
        (
            changed(PEOPLE, {"year": {**DAYS, "per": "person"}}),
            "order: column year has one value for each person, and orders nothing",
        ),
        (
            changed(PEOPLE, {"year": {**DAYS, "missing": "allowed"}}),
            "order: column year may be missing, and a row without it has no place",
        ),
        (changed(PEOPLE, person=None), "order: year orders the rows of a person: name the id"),
        (
            changed(ROWS, rows_per_person=64),
            "rows_per_person: bounds the rows of a person: name the id column",
        ),
        (
            changed(ROWS, {"born": {**DAYS, "per": "person"}}),
            "column born: per: person: no column says who a person is: name an id column",
        ),
        (
            changed(PEOPLE, {"days": {**DAYS, "increasing": True}}, order=None),
            "column days: increasing: no column says how the rows of a person follow: name one",
        ),
        (
            changed(ROWS, {"days": {**DAYS, "increasing": True}}),
            "column days: increasing: no column says how",
        ),
        (
            changed(PEOPLE, {"days": {**DAYS, "increasing": True, "per": "person"}}),
            "column days: increasing, and one value for each person: leave out one",
        ),
        (
            changed(PEOPLE, {"year": {**DAYS, "increasing": True}}),
            "column year: increasing: rows follow by it, so that it never falls: leave out",
        ),
        (
            changed(PEOPLE, {"w": {**WARD, "increasing": True}}),
            "column w: increasing is for columns of kind integer, number or date: remove it here",
        ),
        (
            changed(PEOPLE, {"days": {**DAYS, "increasing": "yes"}}),
            "column days: increasing must be true: leave it out",
        ),
        (
            changed(PEOPLE, {"patient": {"kind": "id", "per": "person"}}),
            "column patient: per is for columns that are released, and an id never is",
        ),
        (
            changed(PEOPLE, {"days": {**DAYS, "per": "household"}}),
            "column days: per must be person: leave it out where values differ",
        ),
        *(
            (changed(PEOPLE, rows_per_person=bound), "rows_per_person must be a whole number from")
            for bound in (0, -1, 4097, 1.5, True, "8", [8])
        ),
        (
            {
                **PEOPLE,
                "order": None,
                "columns": {"patient": {"kind": "id"}, "days": {**DAYS, "per": "person"}},
            },
            "column days: all have one value for each person, and nothing is left to differ",
        ),
        (
            changed(TWO_FILES, {"born": DAYS}),
            "tables: the file of persons has no released column: give those that are in it per",
        ),
        (changed(TWO_FILES, person="patient"), "person: patient stands beside tables: of one file"),
        (changed(TWO_FILES, order="year"), "order: year stands beside tables: of one file say"),
        (changed(TWO_FILES, tables=[]), "tables must say the ids of two files: write tables: {per"),
        (
            changed(TWO_FILES, tables={"persons": {"key": "patient"}}),
            "tables lacks events: write tables: {persons: {key: …}",
        ),
        (
            changed(TWO_FILES, tables={**TABLES, "visits": {}}),
            "tables has no visits: write tables: {persons",
        ),
        (
            changed(TWO_FILES, tables={**TABLES, "event": {}}),
            "tables has no event (did you mean events?): write tables",
        ),
        (
            changed(TWO_FILES, tables={**TABLES, "persons": {"key": "patient", "order": "year"}}),
            "tables.persons has no order: write tables",
        ),
        (
            changed(TWO_FILES, tables={**TABLES, "persons": {"key": 7}}),
            "tables must say the ids of two files",
        ),
        (
            changed(TWO_FILES, tables={**TABLES, "persons": {"key": "pateint"}}),
            "tables: persons: key: no column pateint (did you mean patient?) is declared",
        ),
        (
            changed(TWO_FILES, tables={**TABLES, "events": {"person": "born"}}),
            "tables: events: person: column born is of kind integer",
        ),
        (
            changed(TWO_FILES, tables={**TABLES, "events": {"person": "patient", "order": "born"}}),
            "tables: events: order: column born has one value for each person",
        ),
        (
            changed(PEOPLE, {"days": {**DAYS, "provenance": {"release": "r", "epsilon": 0.1}}}),
            "column days: provenance: what was bought was paid for by row, and that price says",
        ),
        (changed(PEOPLE, persn="patient"), "persn is not known here (did you mean person?)"),
        (changed(PEOPLE, row_per_person=3), "row_per_person is not known here (did you mean rows_"),
        (
            changed(PEOPLE, {"days": {**DAYS, "increasng": True}}),
            "column days: increasng is not known here (did you mean increasing?)",
        ),
        (
            changed(PEOPLE, {"days": {**DAYS, "order": "year"}}),
            "column days: order is said of the schema, not of a column: move it there",
        ),
        (changed(PEOPLE, per="person"), "schema: per is said of a column, not of the schema: move"),
    ],
)
def test_what_does_not_go_together_is_refused_by_column_rule_and_remedy(schema, said):
    assert said in refusal(schema)


def test_blanks_stay_blanks_beside_persons():
    blank = changed(PEOPLE, {"days": {"kind": "integer"}})
    found = read_or_partial(blank)
    assert isinstance(found, PartialSchema)
    assert found.bought == ("days",)
    assert found.template.people.person == "patient"
    assert found.to_json()["person"] == "patient"


def test_columns_say_what_they_are_to_a_person():
    told = {row[0]: row for row in column_facts(Schema.of(TWO_FILES))}
    assert "read, never released" in told["patient"]
    assert "one per person" in told["born"]
    assert "order" in told["year"]
    grows = Schema.of(changed(PEOPLE, {"days": {**DAYS, "increasing": True}}))
    assert any(row[0] == "days" and "never falls" in row for row in column_facts(grows))
    assert "never read" in next(iter(column_facts(Schema.of(ROWS))))


def test_notebooks_show_the_unit():
    shown = Schema.of(PEOPLE)._repr_html_()
    assert "one person (patient), with at most 64 of their rows, in the order of year" in shown
    assert "Unit" not in Schema.of(ROWS)._repr_html_()


def test_whoever_takes_rows_for_units_is_refused_with_a_way_out():
    check_one_row_each(None, "nobody takes")
    with pytest.raises(SchemaError, match="take person out of the schema if each person has one"):
        check_one_row_each(Schema.of(PEOPLE).people, "it takes")
    with pytest.raises(SchemaError, match="choose this, or publish one file, in which each"):
        check_one_row_each(Schema.of(TWO_FILES).people, "it takes", "choose this")
