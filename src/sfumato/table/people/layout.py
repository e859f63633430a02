"""Which columns are about a person, which about each of its rows, and how many rows count.

All of it is public: it is what a schema declares.
"""

from dataclasses import dataclass

from sfumato.errors import SchemaError
from sfumato.schema.domain import Axis, Domain
from sfumato.schema.person import MOST_ROWS

__all__ = ["PeopleLayout"]


@dataclass(frozen=True)
class PeopleLayout:
    """One table of rows with an id, or a table of persons and one of their rows.

    >>> visits = PeopleLayout(ids=("patient",), constants=("sex",), rows=("age", "ward"))
    >>> visits.most, visits.linked
    (64, False)
    """

    ids: tuple[str, ...]  # of the table of rows; several are one id together
    constants: tuple[str, ...]  # names of axes: one value per person
    rows: tuple[str, ...]  # names of axes: one value per row
    order: str | None = None  # one of `rows`
    most: int = 64  # rows of a person that count
    key: tuple[str, ...] | None = None  # of the table of persons, where that is another one

    def __post_init__(self) -> None:
        if not self.ids or (self.key is not None and len(self.key) != len(self.ids)):
            raise SchemaError("a person needs an id: the same number of columns in both tables")
        if not 1 <= self.most <= MOST_ROWS:
            raise SchemaError(f"rows per person must be a whole number from 1 to {MOST_ROWS:,}")
        if self.order is not None and self.order not in self.rows:
            raise SchemaError(f"column {self.order}: what orders rows belongs to each row")
        named = [*self.ids, *self.constants, *self.rows]
        if len(set(named)) < len(named) or set(self.key or ()) & {*self.constants, *self.rows}:
            raise SchemaError("each column is an id, or about the person, or about its rows")

    @property
    def linked(self) -> bool:
        """Whether persons have a table of their own."""
        return self.key is not None

    def person_axes(self, domain: Domain) -> tuple[Axis, ...]:
        """One code per person, in this order."""
        return _named(domain, self.constants)

    def row_axes(self, domain: Domain) -> tuple[Axis, ...]:
        """One code per row, in this order."""
        return _named(domain, self.rows)


def _named(domain: Domain, names: tuple[str, ...]) -> tuple[Axis, ...]:
    known = {axis.name: axis for axis in domain.axes}
    for name in names:
        if name not in known:
            raise SchemaError(f"column {name} is not one that the schema releases")
    return tuple(known[name] for name in names)
