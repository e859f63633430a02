"""The unit of protection stands in the terms of a plan, and only a plan that pays for it has it."""

from dataclasses import replace

import pytest

from sfumato.errors import SchemaError
from sfumato.methods import METHODS
from sfumato.plan import PERSON, RECORD
from sfumato.publishing.table import price
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from visits_world import PEOPLE, ROWS, TWO_FILES, plan_for_persons

SEVERAL_RECORDS = "People with several records"


def test_the_terms_of_a_table_state_one_record():
    terms = price(ROWS, method="modips", epsilon=1).terms
    assert terms.subject["unit"] == RECORD
    assert terms.protects == "one record (row) of the table; replace-one"
    assert any(SEVERAL_RECORDS in line for line in terms.caveats)


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("schema", [PEOPLE, TWO_FILES])
def test_the_terms_of_persons_state_them_and_what_is_not_covered(schema, neighbours):
    bounded = {**schema, "neighbours": neighbours, "rows_per_person": 8}
    terms = plan_for_persons(bounded).terms
    assert terms.subject["unit"] == PERSON
    assert terms.protects == f"one person, with all of their rows; {neighbours}"
    said = " ".join(terms.caveats)
    assert SEVERAL_RECORDS not in said
    assert "all rows of one person together" in said
    assert "At most 8 rows of a person are used" in said
    assert "several persons share, as in a household" in said


def test_a_plan_that_measures_rows_cannot_be_one_of_persons():
    plan = price(ROWS, method="modips", epsilon=1)
    with pytest.raises(SchemaError, match="modips measures each row as a unit of its own"):
        replace(plan, domain=Domain.of(Schema.of(PEOPLE)))


@pytest.mark.parametrize("schema", [PEOPLE, TWO_FILES])
@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if not method.people])
def test_every_method_that_takes_rows_for_units_refuses_persons_by_its_name(name, schema):
    chosen, domain = METHODS[name], Domain.of(Schema.of(schema))
    with pytest.raises(SchemaError) as refused:
        chosen.price(domain, None, {})
    said = str(refused.value)
    assert said.startswith(f"{name} measures each row as a unit of its own, and the schema (")
    assert "makes a person with all of their rows the unit: " in said


def test_methods_that_know_persons_are_named_as_the_way_out(monkeypatch):
    monkeypatch.setitem(METHODS, "mosaic", replace(METHODS["mosaic"], people=True))
    with pytest.raises(SchemaError, match="the unit: choose mosaic, or take person out of the"):
        METHODS["modips"].check_facts(Domain.of(Schema.of(PEOPLE)))
