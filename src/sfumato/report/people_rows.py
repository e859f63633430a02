"""The released rows of persons, laid flat as they were measured, in batches of whole persons.

Each row comes with what its person has once and the number of that person's rows, and weighs
one over it, so that each person counts once.  Who has no row has one in which all that rows
hold is missing (`sfumato.synopsis.flat_people`).

Released keys go up from person to person, in the table of persons and in that of events.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from sfumato.numeric.arrays import Vector, Whole
from sfumato.release.certificate import stated
from sfumato.release.reading import read_table
from sfumato.release.release import Release, table_schemas
from sfumato.schema.person import People
from sfumato.synopsis.flat_people import COUNT

__all__ = ["FlatRows", "flat_rows"]


class FlatRows(NamedTuple):
    """Rows of whole persons, what each of them weighs, and one row of each person."""

    batch: pa.RecordBatch
    weight: Vector
    one_each: Whole

    @classmethod
    def of(cls, columns: pa.Table, counts: Whole) -> "FlatRows":
        """Of persons with so many rows; `columns` has one row of who has none."""
        each = np.maximum(counts, 1)
        start = np.append(0, np.cumsum(each))[:-1]
        rows = columns.append_column(COUNT, pa.array(np.repeat(counts, each)))
        (batch,) = rows.combine_chunks().to_batches() or [_empty(rows.schema)]
        # Another place among the rows of each, so that all places have their share.
        return cls(batch, np.repeat(1 / each, each), start + np.arange(len(each)) % each)


def flat_rows(release: Release) -> Iterator[FlatRows]:
    """All persons in their order, never all at once where they lie in a folder."""
    people = stated(release.certificate.public_schema).people
    assert people is not None  # noqa: S101  nobody asks elsewhere
    return _linked(release, people) if people.linked else _together(release, people)


def _together(release: Release, people: People) -> Iterator[FlatRows]:
    """Of one table: the last person of a batch may go on in the next one."""
    open_rows: list[pa.RecordBatch] = []
    for batch in _batches(release, "data"):
        keys = _keys(batch, people.person)
        last = int(np.searchsorted(keys, keys[-1])) if len(keys) else 0
        if last or (open_rows and len(keys) and _keys(open_rows[0], people.person)[0] != keys[0]):
            yield from _closed([*open_rows, batch.slice(0, last)], people.person)
            open_rows = []
        open_rows.append(batch.slice(last))
    yield from _closed(open_rows, people.person)


def _closed(batches: list[pa.RecordBatch], person: str) -> Iterator[FlatRows]:
    rows = pa.Table.from_batches(batches) if batches else pa.table({person: []})
    if rows.num_rows:
        keys = np.asarray(rows.column(person), np.int64)
        begins = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1))
        counts = np.diff(begins, append=len(keys))
        yield FlatRows.of(rows, counts)


def _linked(release: Release, people: People) -> Iterator[FlatRows]:
    """Of two tables: the rows of the persons of each batch, from where the last ones ended."""
    events = _Events(release, people.person)
    for persons in _batches(release, "persons"):
        keys = _keys(persons, str(people.key))
        if not len(keys):
            continue
        theirs = events.up_to(int(keys[-1]))
        whose = np.asarray(theirs.column(people.person), np.int64)
        counts = np.searchsorted(whose, keys, "right") - np.searchsorted(whose, keys)
        each = np.maximum(counts, 1)
        place = np.full(each.sum(), -1)
        place[np.repeat(counts > 0, each)] = np.arange(theirs.num_rows)
        where = pa.array(place, pa.int64(), mask=place < 0)
        flat = pa.Table.from_batches([persons]).take(np.repeat(np.arange(len(keys)), each))
        for name in people.per_row:
            flat = flat.append_column(name, theirs.column(name).take(where))
        yield FlatRows.of(flat, counts)


class _Events:
    """The table of events, as far as it was asked for."""

    def __init__(self, release: Release, person: str) -> None:
        self._coming, self._person = _batches(release, "events"), person
        self._held = pa.Table.from_batches([], table_schemas(release.certificate)["events"])

    def up_to(self, key: int) -> pa.Table:
        """The rows that were not given yet, of persons up to this key."""
        while not self._held.num_rows or int(self._held.column(self._person)[-1].as_py()) <= key:
            batch = next(self._coming, None)
            if batch is None:
                break
            more = pa.Table.from_batches([batch], self._held.schema)
            self._held = pa.concat_tables([self._held, more])
        keys = np.asarray(self._held.column(self._person), np.int64)
        end = int(np.searchsorted(keys, key, "right"))
        given, self._held = self._held.slice(0, end), self._held.slice(end)
        return given


def _batches(release: Release, name: str) -> Iterator[pa.RecordBatch]:
    if release.folder is None:
        return iter(release.tables[name].to_batches())
    certificate = release.certificate
    return read_table(release.folder, certificate, name, table_schemas(certificate)[name])


def _keys(batch: pa.RecordBatch, name: str) -> Whole:
    return np.asarray(batch.column(name), np.int64)


def _empty(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([], schema)
