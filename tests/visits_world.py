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

# What persons can have: constants, an order, what grows with gaps, rules across both.
_COLUMNS = {
    "pid": {"kind": "id"},
    "born": {"kind": "integer", "low": 1920, "high": 1999, "per": "person"},
    "sex": {
        "kind": "category",
        "values": ["f", "m"],
        "other": False,
        "missing": "allowed",
        "per": "person",
    },
    "patient": {"kind": "id"},
    "year": {"kind": "integer", "low": 2015, "high": 2025},
    "days": {"kind": "integer", "low": 0, "high": 400, "increasing": True, "missing": "allowed"},
    "ward": {"kind": "category", "values": ["heart", "lung"], "other": "elsewhere"},
}
PANEL = {
    "name": "panel",
    "person": "patient",
    "order": "year",
    "rows_per_person": 5,
    "columns": _COLUMNS,
    "constraints": ["born < year"],
}
LINKED_PANEL = {
    **{name: fact for name, fact in PANEL.items() if name not in ("person", "order")},
    "tables": {"persons": {"key": "pid"}, "events": {"person": "patient", "order": "year"}},
}


def panel(patients=40):
    """Patients with one to five visits, one row each, without the key of a table of their own."""
    numbers = [k for k in range(patients) for _ in range(1 + k % 5)]
    return pa.table(
        {
            "born": [1930 + k % 60 for k in numbers],
            "sex": ["fm"[k % 2] for k in numbers],
            "patient": [f"p{k}" for k in numbers],
            "year": [2015 + j % 11 for j in range(len(numbers))],
            "days": [j % 7 * 10 for j in range(len(numbers))],
            "ward": [("heart", "lung", "knee")[j % 3] for j in range(len(numbers))],
        }
    )


def linked_panel(patients=40):
    """The same as two tables, with two persons that have no visit."""
    whole, everybody = panel(patients), range(patients + 2)
    persons = {
        "pid": [f"p{k}" for k in everybody],
        "born": [1930 + k % 60 for k in everybody],
        "sex": ["fm"[k % 2] for k in everybody],
    }
    return {"persons": pa.table(persons), "events": whole.drop(["born", "sex"])}


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
