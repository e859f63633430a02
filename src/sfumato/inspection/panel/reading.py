"""NOT PRIVATE: records and release as panels of codes: persons with all of their rows.

Records are grouped as a release by person groups them (`sfumato.table.people`): ids by the same
rule, at most the schema's number of rows of each.  Which rows of a longer history count follows
from a key, and not from that of the data set, so they are others than the release was made from,
by chance.  A release is taken as it is written, so that one which is out of order shows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError, SchemaError
from sfumato.inspection.panel.persons import Everybody, in_a_fixed_order
from sfumato.inspection.utility import AnySchema, encoded, has_rows
from sfumato.numeric.arrays import Codes, Mask
from sfumato.publishing.people_source import layout_of
from sfumato.schema import Schema
from sfumato.schema.domain import Axis, Domain
from sfumato.schema.person import People as Declared
from sfumato.table.header import check_names
from sfumato.table.people.layout import PeopleLayout
from sfumato.table.people.panel import Panel
from sfumato.table.people.people import People
from sfumato.table.people.person_id import check_ids, id_hashes
from sfumato.table.source import Source, columns_of, held, open_source

__all__ = [
    "_KEY",
    "Frame",
    "Released",
    "people_frame",
    "recorded",
    "released",
    "sources_of",
    "tables_in",
]

Hashes = NDArray[np.uint64]

_BOTH = {"persons", "events"}
_KEY = b"inspection by person"  # no secret: nothing of this leaves the owner's hands


@dataclass(frozen=True)
class Frame:
    """The public facts by which both sides are read."""

    domain: Domain
    people: Declared

    @cached_property
    def layout(self) -> PeopleLayout:
        """Which columns are about a person, and which about each row."""
        return layout_of(self.people)

    @cached_property
    def constants(self) -> Domain:
        """What each person has once."""
        return Domain(self.domain.schema, self.layout.person_axes(self.domain))

    @cached_property
    def rows(self) -> Domain:
        """What each row has."""
        return Domain(self.domain.schema, self.layout.row_axes(self.domain))

    @cached_property
    def both(self) -> Domain:
        """What a row has together with its person, of whom the columns come first."""
        return Domain(self.domain.schema, (*self.constants.axes, *self.rows.axes))

    @property
    def order(self) -> int | None:
        """The place, among the columns of rows, of the one that orders them."""
        order = self.people.order
        return None if order is None else self.people.per_row.index(order)

    @property
    def axes(self) -> tuple[tuple[str, tuple[Axis, ...]], ...]:
        """The id and the columns of each table: persons first, where they have one."""
        if self.people.key is None:
            return ((self.people.person, self.both.axes),)
        return (self.people.key, self.constants.axes), (self.people.person, self.rows.axes)


def people_frame(schema: AnySchema) -> Frame:
    """The facts of a schema, however it is given; refused where rows are the unit."""
    read = Schema.read(schema) if isinstance(schema, str | Path) else Schema.of(schema)
    if read.people is None:
        raise SchemaError(
            "the schema makes each row a unit: say whose row it is (person, or tables), or use "
            "the figures and attacks for rows"
        )
    return Frame(Domain.of(read), read.people)


def tables_in(data: Any, schema: Schema) -> tuple[Any, ...]:
    """One table, or persons and events: from what is given under these names, or as it is.

    >>> schema = Schema.of({"name": "t", "person": "id", "columns": {
    ...     "id": {"kind": "id"}, "sick": {"kind": "boolean"}}})
    >>> tables_in({"data": "visits.csv"}, schema), tables_in("visits.csv", schema)
    (('visits.csv',), ('visits.csv',))
    """
    named = set(data) if isinstance(data, Mapping) else set()
    if schema.people is not None and schema.people.linked:
        if named != _BOTH:
            raise DataError(
                "the schema is of two tables, persons and events: give that of persons as well "
                "(--original-persons beside --original, --control-persons beside --control); in "
                'Python, {"persons": …, "events": …}'
            )
        return data["persons"], data["events"]
    if named == _BOTH and not set(schema.columns) >= _BOTH:  # else they are columns of one table
        raise DataError(
            "two tables were given, persons and events, and the schema is of one: leave out that "
            "of persons"
        )
    alone = schema.people is not None and named == {"data"}  # else it is a column
    return (data["data"] if alone else data,)


def held_tables(data: Any, schema: Schema) -> dict[str, Any]:
    """The same by name, tables of a database as they are now, for several looks at them."""
    found = tables_in(data, schema)
    names = ("persons", "events") if len(found) > 1 else ("data",)
    return {name: held(table) for name, table in zip(names, found, strict=True)}


def sources_of(data: Any, frame: Frame) -> tuple[Source, ...]:
    """The tables, opened; refused by header where a column or an id is not there."""
    found = []
    for table, (key, axes) in zip(tables_in(data, frame.domain.schema), frame.axes, strict=True):
        names = [axis.name for axis in axes]
        source = open_source(table, [key, *names], frame.domain.schema.file)
        check_names(source.names, names)
        check_ids(source, (key,))
        has_rows(source, 1)  # a file that breaks off is refused before the look is counted
        found.append(source)
    return tuple(found)


def recorded(data: Any, frame: Frame) -> Panel:
    """NOT PRIVATE: records as persons, in an order that follows from what they hold."""
    *persons, rows = sources_of(data, frame)
    table = persons[0] if persons else None
    people = People(rows, frame.domain, frame.layout, key=_KEY, persons=table)
    (found,) = people.fold(Everybody(len(frame.constants.axes), len(frame.rows.axes)))
    return in_a_fixed_order(found)


@dataclass(frozen=True, eq=False)
class Released:
    """A release as it is written: persons and rows in its own order."""

    panel: Panel
    constant: Mapping[str, Mask]  # of each column, whose value is the same in all of their rows


def released(data: Any, frame: Frame) -> Released:
    """NOT PRIVATE if the release is not: its tables as persons.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "person": "id", "columns": {"id": {"kind": "id"},
    ...     "sex": {"kind": "category", "values": ["f", "m"], "per": "person"},
    ...     "age": {"kind": "integer", "low": 0, "high": 9}}}
    >>> table = pa.table({"id": [1, 1, 2], "sex": ["m", "m", "f"], "age": [3, 4, 0]})
    >>> panel = released({"data": table}, people_frame(schema)).panel
    >>> panel.constants.tolist(), panel.counts.tolist(), panel.rows.tolist()
    ([[1], [0]], [2, 1], [[3], [4], [0]])
    """
    schema = frame.domain.schema
    read = [
        _coded(table, key, Domain(schema, axes))
        for table, (key, axes) in zip(tables_in(data, frame.domain.schema), frame.axes, strict=True)
    ]
    ids, codes = read[0]
    known, first, whose = np.unique(ids, return_index=True, return_inverse=True)
    place = np.empty(len(known), np.int64)  # persons in the order of their first row
    place[np.argsort(first, kind="stable")] = np.arange(len(known))
    whose, width = place[whose], len(frame.constants.axes)
    constants = codes[np.sort(first), :width]
    same = codes[:, :width] == constants[whose]
    constant = {
        axis.name: np.bincount(whose, ~same[:, j], len(known)) == 0
        for j, axis in enumerate(frame.constants.axes)
    }
    rows = codes[:, width:]
    if frame.people.linked:
        ids, rows = read[1]
        there = np.isin(ids, known)
        whose, rows = place[np.searchsorted(known, ids[there])], rows[there]
    start = np.append(0, np.cumsum(np.bincount(whose, minlength=len(known))))
    return Released(Panel(constants, start, rows[np.argsort(whose, kind="stable")]), constant)


def _coded(table: Any, key: str, domain: Domain) -> tuple[Hashes, Codes]:
    """The ids of a table of a release, as numbers, and its codes; rows without an id left out."""
    source = open_source(table)
    check_ids(source, (key,))
    ids = columns_of(source, (key,)).combine_chunks().to_batches()
    found = [id_hashes(batch, (key,), _KEY) for batch in ids]
    hashes = np.concatenate([np.empty(0, np.uint64), *(each[:, 0] for each, _ in found)])
    there = np.concatenate([np.empty(0, np.bool_), *(whole for _, whole in found)])
    codes = encoded(table, domain) if domain.axes else np.empty((len(hashes), 0), np.int32)
    return hashes[there], codes[there]
