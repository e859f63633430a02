"""Schemas whose forecasts are held against releases."""

import sfumato as sf

FALSE_ALARM = 1e-6  # chance that a right forecast fails one statistical test
RUNS = 120
BUDGETS = [{"epsilon": "0.7"}, {"epsilon": 1, "delta": "1e-9"}, {"rho": "0.1"}]
# Skewed, heaped, nearly always the same: nothing like the made-up records.
SKEWED = {
    "name": "skewed",
    "columns": {
        "age": {"kind": "integer", "low": 0, "high": 100},
        "cost": {"kind": "number", "low": 0, "high": 9_000, "step": 0.5},
        "dose": {"kind": "number", "low": 1, "high": 1_000, "scale": "log", "missing": "allowed"},
        "ward": {"kind": "category", "values": list("abcdef")},
        "code": {"kind": "category", "values": [f"c{k}" for k in range(300)]},
        "seen": {"kind": "date", "low": "2020-01-01", "high": "2024-12-31"},
        "smoker": {"kind": "boolean"},
    },
}
LABELLED = SKEWED | {
    "columns": SKEWED["columns"]
    | {"home": {"kind": "category", "values": ["yes", "no"], "role": "label"}}
}
# Nothing here has so many codes that bins would have to be found.
SMALL = {
    "name": "small",
    "columns": {
        "ward": {"kind": "category", "values": ["a", "b", "c"]},
        "sex": {"kind": "boolean"},
        "stage": {"kind": "integer", "low": 0, "high": 4},
    },
}


def of(columns, neighbours):
    return sf.Schema.of({**columns, "neighbours": neighbours})


def in_classes(neighbours):
    columns = SMALL["columns"] | {"home": {"kind": "boolean", "role": "label"}}
    return of({"name": "t", "columns": columns}, neighbours)
