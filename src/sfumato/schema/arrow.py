"""Names and Arrow types of a released table: they follow from the schema alone.

A column that may be missing is nullable whether or not a value is missing, and categories are
plain values, never a dictionary of those seen.
"""

import pyarrow as pa

from sfumato.schema.column import Boolean, Category, Date, Integer
from sfumato.schema.domain import Axis, Domain

__all__ = ["arrow_schema", "arrow_type"]


def arrow_schema(domain: Domain) -> pa.Schema:
    """Names and types of a release: a public fact."""
    return pa.schema([pa.field(a.name, arrow_type(a), nullable=a.missing) for a in domain.axes])


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
