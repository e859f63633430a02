"""A panel laid flat: what is counted of a row together with its person.

The columns are those of persons, the number of rows of the person, and those of rows.  A person
without any row (of two tables) has one flat row whose columns of rows are missing, so that
nobody is left out of a table.

>>> from sfumato.schema import Schema
>>> flat = FlatPeople.of(Domain.of(Schema.of({"name": "t", "person": "id", "order": "year",
...     "rows_per_person": 9, "columns": {"id": {"kind": "id"},
...         "year": {"kind": "integer", "low": 2015, "high": 2025},
...         "born": {"kind": "integer", "low": 1920, "high": 2010, "per": "person"}}})))
>>> [axis.name for axis in flat.domain.axes], flat.count, flat.rows, flat.order
(['born', 'number of rows', 'year'], 1, (2,), 2)
"""

from dataclasses import dataclass, replace

from sfumato.errors import SchemaError
from sfumato.schema.column import Integer
from sfumato.schema.domain import Axis, Domain, Grid
from sfumato.schema.person import People

__all__ = ["COUNT", "FlatPeople"]

COUNT = "number of rows"


@dataclass(frozen=True, eq=False)
class FlatPeople:
    """The flat columns, by their places: persons first, then how many rows, then rows."""

    people: People
    domain: Domain

    @classmethod
    def of(cls, domain: Domain) -> "FlatPeople":
        """Of a schema with persons."""
        people = domain.schema.people
        if people is None:
            raise SchemaError("the schema names no persons: say whose row it is (person: …)")
        known = {axis.name: axis for axis in domain.axes}
        rows = (known[name] for name in people.per_row)
        count = Integer(kind="integer", low=0, high=people.rows)
        axes = (
            *(_plain(known[name]) for name in people.per_person),
            Grid(COUNT, count, people.rows, people.rows),
            *(_plain(axis, missing=people.linked) for axis in rows),
        )
        return cls(people, Domain(domain.schema, axes))

    @property
    def count(self) -> int:
        """The place of the number of rows."""
        return len(self.people.per_person)

    @property
    def rows(self) -> tuple[int, ...]:
        """The places of the columns of rows."""
        return tuple(range(self.count + 1, len(self.domain.axes)))

    @property
    def order(self) -> int | None:
        """The place of the column by which rows follow."""
        names = self.people.per_row
        return None if self.people.order is None else self.rows[names.index(self.people.order)]

    @property
    def increasing(self) -> tuple[int, ...]:
        """The places of columns that never fall, besides the order."""
        axes = self.domain.axes
        return tuple(j for j in self.rows if getattr(axes[j].column, "increasing", False))

    @property
    def never_missing(self) -> tuple[int, ...]:
        """The places of columns of rows that are missing only where a person has no row."""
        released, axes = self.domain.schema.released, self.domain.axes
        missing = (j for j in self.rows if axes[j].missing)
        return tuple(j for j in missing if released[axes[j].name].missing is None)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The places of numbers and dates of rows."""
        return tuple(j for j in self.rows if isinstance(self.domain.axes[j], Grid))


def _plain(axis: Axis, *, missing: bool = False) -> Axis:
    """Without a class: a label is a column that is to be told by others, as a target is."""
    told: dict[str, object] = {}
    if axis.column.role == "label":
        told["role"] = "target"
    if missing and axis.column.missing is None:
        told["missing"] = "allowed"
    if isinstance(axis, Grid):
        return replace(axis, column=axis.column.model_copy(update=told))
    return replace(axis, column=axis.column.model_copy(update=told))
