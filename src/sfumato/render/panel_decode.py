"""From drawn persons to the tables of a release, with fresh keys.

Keys are 1, 2, 3 … in the order in which persons are drawn: they say which rows belong together,
and nothing else.  In one table a person without a row would leave no trace, and has no key.
"""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from sfumato.numeric.arrays import Codes
from sfumato.render.decode import Decoder
from sfumato.render.panel_drawing import DrawnPersons
from sfumato.schema.arrow import arrow_tables
from sfumato.schema.domain import Domain
from sfumato.schema.person import People

__all__ = ["DecodedPersons", "PeopleDecoder"]


class DecodedPersons(NamedTuple):
    """Some persons as batches of each table; the first of them has the key 1."""

    persons: int
    tables: dict[str, pa.RecordBatch]
    keys: dict[str, int]  # the place of the key in each table

    def after(self, persons: int) -> dict[str, pa.RecordBatch]:
        """The same with the keys that they have after so many others."""
        return {
            name: _moved(batch, self.keys[name], persons) for name, batch in self.tables.items()
        }


def _moved(batch: pa.RecordBatch, place: int, by: int) -> pa.RecordBatch:
    keys = pa.array(np.asarray(batch.column(place)) + by, pa.int64())
    return batch.set_column(place, batch.schema.field(place), keys)


class PeopleDecoder:
    """Codes of persons to Arrow batches, texts as places among all levels of the schema.

    >>> from sfumato.schema import Schema
    >>> domain = Domain.of(Schema.of({"name": "visits", "person": "id", "columns": {
    ...     "id": {"kind": "id"}, "smoker": {"kind": "boolean", "per": "person"},
    ...     "year": {"kind": "integer", "low": 2020, "high": 2029}}}))
    >>> codes = np.array([[1], [0]], np.int32)
    >>> drawn = DrawnPersons(codes, np.array([2, 1]), np.array([[0], [3], [9]], np.int32))
    >>> PeopleDecoder(domain)(drawn).after(4)["data"].to_pydict()
    {'id': [5, 5, 6], 'smoker': [True, True, False], 'year': [2020, 2023, 2029]}
    """

    def __init__(self, domain: Domain) -> None:
        self.tables, self._domain = arrow_tables(domain), domain
        people = domain.schema.people
        assert people is not None  # noqa: S101  who publishes rows has no persons to decode
        self._people: People = people
        names = [axis.name for axis in domain.axes]
        self._constants = [names.index(name) for name in people.per_person]
        self._varying = [names.index(name) for name in people.per_row]

    def __reduce__(self) -> Any:
        return PeopleDecoder, (self._domain,)  # which is small; the values of a fine grid are many

    @cached_property
    def _decoders(self) -> dict[str, Decoder]:
        if not self._people.linked:
            return {"data": Decoder(self._domain)}
        return {"persons": self._of(self._constants), "events": self._of(self._varying)}

    def _of(self, places: list[int]) -> Decoder:
        axes = self._domain.axes
        return Decoder(Domain(self._domain.schema, tuple(axes[place] for place in places)))

    def __call__(self, drawn: DrawnPersons) -> DecodedPersons:
        """The tables of these persons."""
        if not self._people.linked:
            return self._one(drawn)
        persons = np.arange(1, len(drawn.counts) + 1)
        tables = {
            "persons": self._keyed("persons", persons, drawn.constants),
            "events": self._keyed("events", persons.repeat(drawn.counts), drawn.rows),
        }
        return DecodedPersons(len(persons), tables, {"persons": 0, "events": 0})

    def _one(self, drawn: DrawnPersons) -> DecodedPersons:
        there = drawn.counts > 0
        codes = np.empty((len(drawn.rows), len(self._domain.axes)), np.int32, order="F")
        codes[:, self._constants] = drawn.constants.repeat(drawn.counts, axis=0)
        codes[:, self._varying] = drawn.rows
        keys = np.cumsum(there).repeat(drawn.counts)
        place = self.tables["data"].names.index(self._people.person)
        return DecodedPersons(
            int(there.sum()), {"data": self._keyed("data", keys, codes, place)}, {"data": place}
        )

    def _keyed(self, table: str, keys: Any, codes: Codes, place: int = 0) -> pa.RecordBatch:
        batch = self._decoders[table].encoded(codes)
        field = self.tables[table].field(place)
        return batch.add_column(place, field, pa.array(keys, pa.int64()))
