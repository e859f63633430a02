"""What becomes of each column of a schema, in words: for the terminal and for notebooks."""

from collections.abc import Iterator
from datetime import datetime

from sfumato.privacy.guarantee import ApproxDP, PureDP
from sfumato.schema import Date, Schema
from sfumato.schema.domain import Axis, Domain, Levels

__all__ = ["HEADINGS", "column_facts"]

HEADINGS = ("column", "kind", "domain", "codes", "missing", "role", "provenance")
_SHOWN = 4  # category values in the table; the file has them all


def column_facts(schema: Schema) -> Iterator[tuple[str, ...]]:
    """A row for each column, under `HEADINGS`.

    >>> age = {"kind": "integer", "low": 0, "high": 9}
    >>> [*column_facts(Schema.of({"name": "t", "columns": {"age": age}}))]
    [('age', 'integer', '0 … 9', '10 points', 'becomes the middle', '', 'declared')]
    """
    axes = {axis.name: axis for axis in Domain.of(schema).axes}
    for name, column in schema.columns.items():
        cells = _cells(axes[name]) if name in axes else ["never read", "", "", "", ""]
        yield name, column.kind, *cells


def _cells(axis: Axis) -> list[str]:
    column = axis.column
    paid = column.provenance
    origin = paid if isinstance(paid, str) else f"release {paid.release}, {_price(paid.price)}"
    origin += f": {column.source}" if column.source else ""
    return [_domain(axis), _codes(axis), _missing(axis), column.role or "", origin]


def _price(price: PureDP | ApproxDP) -> str:
    delta = f", δ {float(price.delta):g}" if isinstance(price, ApproxDP) else ""
    return f"ε {float(price.epsilon):g}{delta}"


def _domain(axis: Axis) -> str:
    if isinstance(axis, Levels):
        values = [_spelt(value) for value in axis.values]
        more = [f"… {len(values) - _SHOWN} more"] * (len(values) > _SHOWN)
        return ", ".join(values[:_SHOWN] + more)
    column = axis.column
    ends = f"{_spelt(column.low)} … {_spelt(column.high)}"
    if isinstance(column, Date):
        return f"{ends} by {column.step}"
    steps = "" if column.step in (None, 1) else f" by {_spelt(column.step)}"
    return f"{ends}{steps}" + (f", {column.scale} scale" if column.scale else "")


def _codes(axis: Axis) -> str:
    if isinstance(axis, Levels):
        return f"{len(axis.values)} levels"
    merged = axis.steps is not None and axis.steps > axis.points
    return f"{axis.points + 1} points" + ", steps merged" * merged


def _missing(axis: Axis) -> str:
    if axis.missing:
        return "its own level"
    if isinstance(axis, Levels):
        return f"becomes {_spelt(axis.values[axis.unusable])}"
    return "becomes the middle"


def _spelt(value: object) -> str:
    """A fact as the schema file would write it."""
    if isinstance(value, datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value).lower() if isinstance(value, bool) else str(value)
