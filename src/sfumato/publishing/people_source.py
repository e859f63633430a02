"""The tables that persons are read from: one, or persons and their events; no record is looked at.

Each file has the columns that are its own: that of persons its key and what is `per: person`, that
of events the id and all the others.  What is wrong with a file is said with its name.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sfumato.database.url import is_url
from sfumato.errors import DataError
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.schema.person import People as Unit
from sfumato.table.header import check_columns
from sfumato.table.people.layout import PeopleLayout
from sfumato.table.source import Source, open_source

__all__ = ["PeopleSource", "given_tables", "layout_of"]

_BOTH = ("persons", "events")


def given_tables(data: Any, schema: Schema) -> dict[str, Any]:
    """The tables that were given, by name; refused where the schema is of more of them, or fewer.

    >>> columns = {"a": {"kind": "boolean"}}
    >>> given_tables("a.csv", Schema.of({"name": "t", "columns": columns}))
    {'data': 'a.csv'}
    """
    both = isinstance(data, Mapping) and set(data) == set(_BOTH)
    if schema.people is not None and schema.people.linked:
        if not both:
            raise DataError(
                "the schema is of two files (tables): give that of persons as well, with --persons "
                'FILE; in Python, {"persons": …, "events": …} and nothing else'
            )
        return {name: data[name] for name in _BOTH}
    if both and not set(_BOTH) <= set(schema.columns):  # else they are columns of one table
        raise DataError(
            "two tables were given, persons and events, and the schema is of one file: leave out "
            "that of persons (--persons), or say in the schema tables: {persons: {key: …}, "
            "events: {person: …}}"
        )
    return {"data": data}


def layout_of(unit: Unit) -> PeopleLayout:
    """What a schema says of persons, as those who read them take it."""
    return PeopleLayout(
        ids=(unit.person,),
        constants=unit.per_person,
        rows=unit.per_row,
        order=unit.order,
        most=unit.rows,
        key=None if unit.key is None else (unit.key,),
    )


class PeopleSource(NamedTuple):
    """The table of rows, and that of persons where there is one."""

    rows: Source
    persons: Source | None

    @classmethod
    def of(cls, tables: Mapping[str, Any], domain: Domain, layout: PeopleLayout) -> "PeopleSource":
        """Opened, with headers that fit the schema."""
        if layout.key is None:
            ids = layout.ids
            return cls(_opened(tables["data"], domain, ids, tuple(domain.schema.columns)), None)
        persons = Domain(domain.schema, layout.person_axes(domain))
        events = Domain(domain.schema, layout.row_axes(domain))
        return cls(
            _named("events", tables["events"], events, layout.ids),
            _named("persons", tables["persons"], persons, layout.key),
        )

    @property
    def both(self) -> tuple[Source, ...]:
        """Those that there are."""
        return (self.rows,) if self.persons is None else (self.persons, self.rows)


def _named(table: str, data: Any, domain: Domain, ids: tuple[str, ...]) -> Source:
    """One of two tables; what is wrong with it is said with its name."""
    own = (*ids, *(axis.name for axis in domain.axes))
    path = isinstance(data, str | Path) and not is_url(data)  # which may hold a user's name
    where = f"{table} ({data})" if path else table
    try:
        source = _opened(data, domain, ids, own)
    except DataError as error:
        raise DataError(f"{where}: {error}") from None
    foreign = [n for n in source.names if n in domain.schema.released and n not in own]
    if foreign:
        word, other = ("leave out its", "persons") if table == "events" else ("declare", "events")
        raise DataError(
            f"{where}: column {foreign[0]} belongs to the file of {other}: drop it here, or {word} "
            "per: person"
        )
    return source


def _opened(data: Any, domain: Domain, ids: tuple[str, ...], names: tuple[str, ...]) -> Source:
    # Where records are to be counted in a database, whoever groups them refuses it by name.
    source = open_source(data, names, domain.schema.file, counted=True)
    check_columns(source, domain, ids=ids)
    return source
