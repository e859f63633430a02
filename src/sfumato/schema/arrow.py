"""Names and Arrow types of a released table: they follow from the schema alone.

A column that may be missing is nullable whether or not a value is missing, and categories are
plain values, never a dictionary of those seen.
"""

import pyarrow as pa

from sfumato.schema.column import Boolean, Category, Date, Integer
from sfumato.schema.domain import Axis, Domain

__all__ = ["arrow_schema", "arrow_tables", "arrow_type"]


def arrow_schema(domain: Domain) -> pa.Schema:
    """Names and types of a release: a public fact."""
    return pa.schema([pa.field(a.name, arrow_type(a), nullable=a.missing) for a in domain.axes])


def arrow_tables(domain: Domain) -> dict[str, pa.Schema]:
    """Names and types of each released table, by its name: `data`, or `persons` and `events`.

    Where a person is the unit, the column that says whose row it is holds fresh keys.

    >>> from sfumato.schema import Schema
    >>> visits = Schema.of({"name": "visits", "person": "patient", "columns": {
    ...     "cost": {"kind": "integer", "low": 0, "high": 9}, "patient": {"kind": "id"},
    ...     "born": {"kind": "integer", "low": 1920, "high": 2010, "per": "person"}}})
    >>> {name: table.names for name, table in arrow_tables(Domain.of(visits)).items()}
    {'data': ['cost', 'patient', 'born']}
    """
    whole, people = arrow_schema(domain), domain.schema.people
    if people is None:
        return {"data": whole}
    key = pa.field(people.person, pa.int64(), nullable=False)
    if people.key is None:
        named = [key if name == people.person else name for name in domain.schema.columns]
        fields = [whole.field(one) if one in whole.names else one for one in named]
        return {"data": pa.schema([one for one in fields if isinstance(one, pa.Field)])}
    return {
        "persons": pa.schema([key.with_name(people.key), *map(whole.field, people.per_person)]),
        "events": pa.schema([key, *map(whole.field, people.per_row)]),
    }


def arrow_type(axis: Axis) -> pa.DataType:
    """The type that the values of a column are released in."""
    column = axis.column
    if isinstance(column, Boolean):
        return pa.bool_()
    if isinstance(column, Category):
        whole = not column.other and all(
            isinstance(v, int) and -(2**63) <= v < 2**63 for v in column.values
        )
        return pa.int64() if whole else pa.string()
    if isinstance(column, Date):
        return pa.timestamp("s") if column.step in ("second", "minute", "hour") else pa.date32()
    return pa.int64() if isinstance(column, Integer) else pa.float64()
