"""Persons whose rows do not all fit, in one table or in two, for tests."""

import pyarrow as pa

from sfumato.measure.people_fit import PeopleFitCounts
from sfumato.privacy.guarantee import PureDP
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.people.layout import PeopleLayout
from sfumato.table.people.people import People
from sfumato.table.source import open_source

KEY = b"a key of the tests"
MOST = 3
# The order of the schema is not that in which rows are packed: what persons have comes first there.
COLUMNS = {
    "patient": {"kind": "id"},
    "year": {"kind": "integer", "low": 0, "high": 2},
    "sex": {"kind": "category", "values": ["f", "m"], "per": "person"},
    "ward": {"kind": "category", "values": ["a", "b"]},
}
ONE = {"name": "visits", "person": "patient", "order": "year", "rows_per_person": MOST}
TWO = {
    "name": "visits",
    "tables": {"persons": {"key": "patient"}, "events": {"person": "patient", "order": "year"}},
    "rows_per_person": MOST,
}


def domain_of(said=ONE, neighbours="replace-one"):
    return Domain.of(Schema.of({**said, "neighbours": neighbours, "columns": COLUMNS}))


def counts_of(said=ONE, neighbours="replace-one", budget=None):
    return PeopleFitCounts(domain_of(said, neighbours), budget or PureDP("0.02"))


def layout_of(domain):
    people = domain.schema.people
    return PeopleLayout(
        ids=(people.person,),
        constants=people.per_person,
        rows=people.per_row,
        order=people.order,
        most=people.rows,
        key=None if people.key is None else (people.key,),
    )


def table(names, rows):
    """Texts, as a file has them, in many small batches."""
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    whole = pa.table({n: pa.array(c, pa.string()) for n, c in zip(names, columns, strict=True)})
    return pa.concat_tables(
        [whole.slice(0, 0), *(whole.slice(k, 7) for k in range(0, 70, 7)), whole.slice(70)]
    )


def visitors(rows, neighbours="replace-one", said=ONE, **given):
    """Rows (id, year, sex, ward) of one table."""
    return _people(said, neighbours, table(COLUMNS, rows), given)


def linked_visitors(persons, events, neighbours="replace-one", **given):
    """Persons (id, sex) and events (id, year, ward)."""
    first = open_source(table(("patient", "sex"), persons))
    second = table(("patient", "year", "ward"), events)
    return _people(TWO, neighbours, second, {"persons": first, **given})


def _people(said, neighbours, rows, given):
    domain = domain_of(said, neighbours)
    given = {"complaints": True, "key": KEY, **given}
    return People(open_source(rows), domain, layout_of(domain), **given)
