"""What a certificate states of persons, and the tables that it is about."""

from collections.abc import Mapping
from typing import Annotated

import pyarrow as pa
from pydantic import Field

from sfumato.release.section import Section
from sfumato.schema import Schema
from sfumato.schema.arrow import arrow_tables
from sfumato.schema.domain import Domain

__all__ = ["PeopleFacts", "check_people", "released_tables", "table_names"]

_TYPES = {"double": pa.float64(), "int64": pa.int64(), "string": pa.string()}


class PeopleFacts(Section):
    """How many persons were drawn; the certificate counts their rows."""

    persons: Annotated[int, Field(ge=0, le=2**48)]


def check_people(
    facts: PeopleFacts | None, schema: Schema | None, columns: Mapping[str, str] | None
) -> None:
    """Refuse persons where no person is the unit, and their absence where one is.

    A release of a method's own columns, components say, has no persons in it.
    """
    drawn = schema is not None and schema.people is not None and columns is None
    if drawn != (facts is not None):
        raise ValueError("the number of persons must be stated where rows of persons were drawn")


def table_names(schema: Schema | None, columns: Mapping[str, str] | None) -> tuple[str, ...]:
    """The released tables: one, or persons and their events.

    >>> table_names(None, {"time": "int64"})
    ('data',)
    """
    people = None if schema is None or columns is not None else schema.people
    return ("persons", "events") if people is not None and people.linked else ("data",)


def released_tables(
    schema: Schema | None, columns: Mapping[str, str] | None
) -> dict[str, pa.Schema]:
    """Names and types of each table: the columns that are stated, else those of the schema."""
    if columns is None:
        return {} if schema is None else arrow_tables(Domain.of(schema))
    own = [pa.field(name, _TYPES[kind], nullable=False) for name, kind in columns.items()]
    return {"data": pa.schema(own)}
