"""A made-up table of visits: several rows of each patient, and a schema that says so."""

import pyarrow as pa

from sfumato.privacy.budget import budget
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from toy_people import METHOD

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
    """A plan of the toy method, which need not be among the methods for that."""
    return METHOD.price(Domain.of(Schema.of(schema)), budget(**({"epsilon": 1} | asked)), {})
