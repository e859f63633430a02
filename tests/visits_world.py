"""A made-up table of visits: several rows of each patient, and a schema that says so."""

from dataclasses import replace

import pyarrow as pa

from sfumato.publishing.table import price
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

ROWS = {
    "name": "visits",
    "columns": {
        "patient": {"kind": "id"},
        "born": {"kind": "integer", "low": 1920, "high": 2010},
        "year": {"kind": "integer", "low": 2015, "high": 2025},
        "days": {"kind": "integer", "low": 0, "high": 400},
        "cured": {"kind": "boolean", "role": "label"},
    },
}
PEOPLE = {**ROWS, "person": "patient", "order": "year"}
TWO_FILES = {
    **ROWS,
    "tables": {"persons": {"key": "patient"}, "events": {"person": "patient", "order": "year"}},
    "columns": {**ROWS["columns"], "born": {**ROWS["columns"]["born"], "per": "person"}},
}


def visits(patients=40):
    """Four visits of each patient."""
    numbers = [k for k in range(patients) for _ in range(4)]
    return pa.table(
        {
            "patient": numbers,
            "born": [1930 + k % 70 for k in numbers],
            "year": [2015 + j for j in range(4)] * patients,
            "days": [j * 3 for j in range(4)] * patients,
            "cured": [k % 2 == 0 for k in numbers],
        }
    )


def plan_for_persons(schema=PEOPLE, **asked):
    """A plan that claims what no method of these tests does: only its words are looked at."""
    rows = Schema.of({**ROWS, "neighbours": Schema.of(schema).neighbours})
    plan = price(rows, method="modips", fit=False, **({"epsilon": 1} | asked))
    return replace(plan, domain=Domain.of(Schema.of(schema)), people=True)
