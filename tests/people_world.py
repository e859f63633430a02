"""Persons of a few small columns for tests, and tables of tickets over them."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.people.layout import PeopleLayout
from sfumato.table.people.panel import Persons
from sfumato.table.people.people import People
from sfumato.table.people.ticket import tickets
from sfumato.table.source import open_source
from sfumato.table.statistic import WholeSum

KEY = b"a key of the tests"
YEARS, WARDS, SEXES = 3, 2, 3  # codes; the last sex is missing
DOMAIN = Domain.of(
    Schema.of(
        {
            "name": "visits",
            "columns": {
                "patient": {"kind": "id"},
                "sex": {"kind": "category", "values": ["f", "m"], "missing": "allowed"},
                "year": {"kind": "integer", "low": 0, "high": YEARS - 1},
                "ward": {"kind": "category", "values": ["a", "b"], "other": "none"},
            },
        }
    )
)
LAYOUT = PeopleLayout(
    ids=("patient",), constants=("sex",), rows=("year", "ward"), order="year", most=3
)
LINKED = PeopleLayout(
    ids=("patient",), constants=("sex",), rows=("year", "ward"), order="year", most=3, key=("pid",)
)

ROWS = [
    (None if k % 11 == 0 else str(k * 7 % 23), "fm"[k % 3 % 2], k % 3, "ab"[k * k % 5 % 2])
    for k in range(300)
]
EVENTS = [(i, year, ward) for i, _, year, ward in ROWS]
PERSONS = [(str(k), "fm"[k % 2]) for k in range(12)] + [("3", "m"), (None, "f")]


def table(rows):
    """Rows (id, sex, year, ward) as a table; ids are texts."""
    names = ("patient", "sex", "year", "ward")
    kinds = (pa.string(), pa.string(), pa.int64(), pa.string())
    columns = list(zip(*rows, strict=True)) or [()] * 4
    return pa.table({n: pa.array(c, k) for n, c, k in zip(names, columns, kinds, strict=True)})


def people_of(rows, layout=LAYOUT, **given):
    return People(open_source(table(rows)), DOMAIN, layout, key=KEY, **given)


def linked(persons, events, layout=LINKED, **given):
    """Persons (id, sex) and events (id, year, ward)."""
    first = pa.table(
        {
            "pid": pa.array([p[0] for p in persons], pa.string()),
            "sex": pa.array([p[1] for p in persons], pa.string()),
        }
    )
    second = table([(i, None, year, ward) for i, year, ward in events])
    return People(open_source(second), DOMAIN, layout, key=KEY, persons=open_source(first), **given)


@dataclass(frozen=True)
class Entries:
    """Every person as it is kept: constants and rows."""

    def zero(self):
        return Counter()

    def add(self, total, panel):
        for k in range(panel.persons):
            rows = panel.rows[panel.start[k] : panel.start[k + 1]]
            total[tuple(panel.constants[k].tolist()), tuple(map(tuple, rows.tolist()))] += 1
        return total

    def merge(self, a, b):
        return a + b


def entries(people):
    return people.fold(Entries())[0]


@dataclass(frozen=True)
class Tables(WholeSum):
    """Tables in tickets, side by side: persons, number of rows, rows, lags, persons × rows."""

    least: int
    whole: int
    weight: Callable = tickets

    parts: ClassVar = {
        "constants": SEXES,
        "counts": 4,
        "rows": YEARS * WARDS,
        "lags": (WARDS + 1) * WARDS,
        "persons and rows": SEXES * WARDS,
    }

    @property
    def shape(self):
        return (sum(self.parts.values()),)

    @property
    def cells(self):
        ends = np.cumsum([0, *self.parts.values()])
        return {n: slice(a, b) for n, a, b in zip(self.parts, ends[:-1], ends[1:], strict=True)}

    def add(self, total, panel):
        weight = self.weight(panel.counts, self.least, self.whole)[panel.owner]
        year, ward = panel.rows.T
        sex = panel.constants[:, 0]
        before = np.concatenate([[WARDS], ward[:-1]]) if len(ward) else ward
        before[panel.start[:-1][panel.counts > 0]] = WARDS
        found = {
            "constants": (sex, np.full(panel.persons, self.whole)),
            "counts": (panel.counts, np.full(panel.persons, self.whole)),
            "rows": (year * WARDS + ward, weight),
            "lags": (before * WARDS + ward, weight),
            "persons and rows": (sex[panel.owner] * WARDS + ward, weight),
        }
        for name, cells in self.cells.items():
            np.add.at(total[cells], *found[name])
        return total


def largest_distances(vectors, nobody):
    """Over all pairs: add-remove L1 and squared L2, then those of replace-one."""
    moved = vectors - nobody
    pairs = moved[:, None, :] - moved[None, :, :]
    each = (np.abs(moved).sum(1).max(), (moved**2).sum(1).max())
    return (*each, np.abs(pairs).sum(2).max(), (pairs**2).sum(2).max())


def same_people(one, other):
    """Refuse any difference between two that should be the same."""
    statistics = (Persons(), Entries(), Tables(2, 100))
    for a, b in zip(one.fold(*statistics), other.fold(*statistics), strict=True):
        assert (a == b).all() if hasattr(a, "all") else a == b
    assert (one.persons, one.fingerprint()) == (other.persons, other.fingerprint())
