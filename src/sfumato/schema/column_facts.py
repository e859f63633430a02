"""What becomes of each column of a schema, in words: for the terminal and for notebooks."""

from collections.abc import Iterator
from datetime import datetime

from sfumato.privacy.guarantee import ApproxDP, PureDP
from sfumato.schema import Date, Schema
from sfumato.schema.domain import Axis, Domain, Levels
from sfumato.schema.person import People

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
    people = schema.people
    for name, column in schema.columns.items():
        if name in axes:
            yield name, column.kind, *_cells(axes[name], people)
        elif people is not None and name in (people.person, people.key):
            yield name, column.kind, "read, never released", "", "", "person", ""
        else:
            yield name, column.kind, "never read", "", "", "", ""


def _cells(axis: Axis, people: People | None) -> list[str]:
    column = axis.column
    paid = column.provenance
    origin = paid if isinstance(paid, str) else f"release {paid.release}, {_price(paid.price)}"
    origin += f": {column.source}" if column.source else ""
    return [_domain(axis), _codes(axis), _missing(axis), _role(axis, people), origin]


def _role(axis: Axis, people: People | None) -> str:
    """What it is for, and how it goes with the rows of a person."""
    column = axis.column
    said: list[str] = [column.role] if column.role else []
    if column.per is not None:
        said.append("one per person")
    if people is not None and axis.name == people.order:
        said.append("order")
    if getattr(column, "increasing", False):
        said.append("never falls")
    return ", ".join(said)


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
