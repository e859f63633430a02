"""The public facts that a release rests on: what was declared of each column, and on whose word.

>>> schema = Schema.of({"name": "t", "columns": {
...     "ward": {"kind": "category", "values": ["a", "b"]},
...     "age": {"kind": "integer", "low": 0, "high": 110},
...     "cost": {"kind": "number", "low": 0, "high": 900,
...              "provenance": {"release": "ranges-1", "epsilon": 0.1}}}})
>>> for fact in declared(schema):
...     print(fact.column, fact.kind, fact.says, fact.source, sep=" | ")
ward | category | a, b; what is not listed counts as a | declared, without a source
age | integer | from 0 to 110 | declared, without a source
cost | number | from 0 to 900 | estimated by release ranges-1 at ε = 0.1
"""

from dataclasses import dataclass

from sfumato.accuracy.spelling import spelt
from sfumato.privacy.guarantee import ApproxDP
from sfumato.report.svg import short
from sfumato.report.written import any_of, how_the_file, how_written
from sfumato.schema import Boolean, Category, Date, Schema
from sfumato.schema.column import Estimated, Integer, Number
from sfumato.schema.formats import written

__all__ = ["Fact", "declared"]

_MOST_VALUES, _LONG = 12, 40  # of a list, and characters of each
Kept = Number | Integer | Category | Boolean | Date


@dataclass(frozen=True)
class Fact:
    """What a schema says of a column, and where that came from."""

    column: str
    kind: str
    says: str
    source: str


def declared(schema: Schema) -> list[Fact]:
    """The file where the schema tells of it, then every column that is read, in its order."""
    columns = {name: written(column, schema.file) for name, column in schema.released.items()}
    marks = "; ".join(how_the_file(schema.file))
    return [
        *([Fact("the file", "text", marks, "declared, without a source")] if marks else []),
        *(
            Fact(name, column.kind, "; ".join(_says(column)), _source(column))
            for name, column in columns.items()
        ),
    ]


def _says(column: Kept) -> list[str]:
    found = []
    if isinstance(column, Date):
        found.append(f"from {_day(column.low)} to {_day(column.high)}, by the {column.step}")
    elif isinstance(column, Number | Integer):
        step = f", in steps of {spelt(column.step)}" if column.step not in (None, 1) else ""
        scale = f", on a {column.scale} scale" if column.scale else ""
        found.append(f"from {spelt(column.low)} to {spelt(column.high)}{step}{scale}")
    elif isinstance(column, Boolean):
        what = "not true or false"
        if column.true and column.false:  # declared together
            words = f"true is written {any_of(column.true)}, false is written"
            found.append(f"{words} {any_of(column.false)}")
            what = "none of these"
        found.append(f"what is {what} counts as {'missing' if column.missing else 'false'}")
    else:
        values = [short(str(value), _LONG) for value in column.values[:_MOST_VALUES]]
        left = len(column.values) - len(values)
        found.append(", ".join(values) + (f" and {left:,} more" if left else ""))
        other = column.other or ("missing" if column.missing else str(column.values[0]))
        found.append(f"what is not listed counts as {short(other, _LONG)}")
    return [*found, *(["may be missing"] if column.missing else []), *how_written(column)]


def _source(column: Kept) -> str:
    bought = column.provenance
    if isinstance(bought, Estimated):
        paid = bought.price
        price = f"ε = {float(paid.epsilon):g}"
        if isinstance(paid, ApproxDP):
            price += f", δ = {float(paid.delta):g}"
        return f"estimated by release {bought.release} at {price}"
    source = getattr(column, "source", None)
    return f"declared: {source}" if source else "declared, without a source"


def _day(moment: object) -> str:
    return str(moment).removesuffix(" 00:00:00")
