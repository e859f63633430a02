"""Made-up histories of persons, as one table and as two, and releases of them by hand."""

from types import SimpleNamespace

import numpy as np
import pyarrow as pa

from sfumato.release.kind import TABLE
from sfumato.schema import Schema

COLUMNS = {
    "patient": {"kind": "id"},
    "sex": {"kind": "category", "values": ["f", "m"], "per": "person"},
    "born": {"kind": "integer", "low": 1930, "high": 2000, "per": "person"},
    "year": {"kind": "integer", "low": 2000, "high": 2040},
    "cost": {"kind": "number", "low": 0, "high": 1000, "step": 0.5, "missing": "allowed"},
    "days": {"kind": "integer", "low": 0, "high": 400, "increasing": True},
    "ward": {"kind": "category", "values": ["a", "b", "c"], "other": "none"},
}
ONE = {"name": "visits", "person": "patient", "order": "year", "columns": COLUMNS}
LOOSE = {
    "name": "visits",
    "person": "patient",
    "columns": {**COLUMNS, "days": {"kind": "integer", "low": 0, "high": 400}},
}
TWO = {
    "name": "visits",
    "tables": {"persons": {"key": "patient"}, "events": {"person": "patient", "order": "year"}},
    "columns": COLUMNS,
}
OF_PERSONS = ("sex", "born")


def histories(count, rng, *, first=0, fewest=1):
    """Persons with up to seven rows, in the order of persons and years."""
    counts = rng.integers(fewest, 8, count)
    who = np.repeat(np.arange(count), counts)
    place = np.arange(len(who)) - np.repeat(np.cumsum(counts) - counts, counts)
    usual, slow = rng.uniform(100, 900, count), rng.integers(1, 40, count)
    cost = np.clip(usual[who] + rng.normal(0, 40, len(who)), 0, 1000)
    return pa.table(
        {
            "patient": who + first,
            "sex": np.where(rng.random(count) < 0.5, "f", "m")[who],
            "born": rng.integers(1930, 2001, count)[who],
            "year": rng.integers(2000, 2030, count)[who] + place,
            "cost": pa.array(cost, mask=rng.random(len(who)) < 0.1),
            "days": slow[who] * place,
            "ward": np.array(["a", "b", "c"])[(usual // 300 % 3).astype(int)[who]],
        }
    )


def linked(table, without=3):
    """The same as two tables, with some persons who have no row."""
    frame = table.to_pandas()
    persons = frame.groupby("patient", sort=False)[list(OF_PERSONS)].first().reset_index()
    nobody = persons.head(without).assign(patient=lambda p: p.patient + 10**6)
    persons = pa.Table.from_pandas(
        type(frame)(
            {name: [*persons[name], *nobody[name]] for name in ("patient", *OF_PERSONS)},
        ),
        preserve_index=False,
    )
    return {"persons": persons, "events": table.drop_columns(list(OF_PERSONS))}


def with_new_keys(table, rng=None):
    """The records as they are, under keys 1, 2, …; rows of a person mixed where `rng` is given."""
    frame = table.to_pandas()
    if rng is not None:
        frame = frame.iloc[rng.permutation(len(frame))]
    keys = {old: new for new, old in enumerate(frame.patient.unique(), 1)}
    frame = frame.assign(patient=frame.patient.map(keys)).sort_values("patient", kind="stable")
    return pa.Table.from_pandas(frame, preserve_index=False)


def release_of(tables, schema):
    """What an inspection reads of a release."""
    tables = tables if isinstance(tables, dict) else {"data": tables}
    rows = tables.get("data", tables.get("events")).num_rows
    certificate = SimpleNamespace(
        kind=TABLE,
        public_schema=Schema.of(schema),
        columns=None,
        part=None,
        dataset="visits",
        method="mosaic",
        statement="1-differential privacy",
        rows=rows,
        ledger=None,
        release="r",
        seal="same",
        digest="same",
    )
    return SimpleNamespace(certificate=certificate, tables=tables, synopsis=None)
