"""Released rows on their way into files or into memory: what is drawn, is drawn by threads.

A part is drawn and hashed by one thread, and the parts come out in their order: how many
threads there are changes nothing but the time.
"""

from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing

import pyarrow as pa

from sfumato.publishing.people_rows import PeopleRows
from sfumato.release.content import LEAF_ROWS, Hashed, leaf_digest
from sfumato.render.drawing import Drawing
from sfumato.table.workers import in_order

__all__ = ["hashed_rows", "hashed_tables"]

Told = Callable[[int], None]


def hashed_tables(
    rows: Iterable[pa.RecordBatch] | PeopleRows,
    told: Told | None = None,
    columns: Mapping[str, pa.Schema] | None = None,
) -> Generator[tuple[str, Hashed], None, None]:
    """Batches of each table, by its name, as `hashed_rows` gives those of one.

    >>> [name for name, _ in hashed_tables([pa.RecordBatch.from_pydict({"a": [1, 2]})])]
    ['data']
    """
    if isinstance(rows, PeopleRows):
        with closing(_of_people(rows, told, columns)) as found:
            yield from found
        return
    schema = None if columns is None else columns["data"]
    with closing(hashed_rows(rows, told, schema)) as batches:
        for batch in batches:
            yield "data", batch


def _of_people(
    rows: PeopleRows, told: Told | None, columns: Mapping[str, pa.Schema] | None
) -> Generator[tuple[str, Hashed], None, None]:
    def made(named: tuple[str, pa.RecordBatch]) -> tuple[str, Hashed]:
        name, batch = named
        return name, _hashed(batch, None if columns is None else columns[name])

    with closing(rows.batches()) as batches, closing(in_order(made, batches)) as found:
        for name, batch in found:
            if told is not None and name != "persons":
                told(batch.batch.num_rows)
            yield name, batch


def hashed_rows(
    rows: Iterable[pa.RecordBatch],
    told: Told | None = None,
    columns: pa.Schema | None = None,
) -> Generator[Hashed, None, None]:
    """Batches, with their digests where they are leaves; in the types of `columns` if given.

    `told` learns how many rows came.  What is not followed to its end is to be closed.

    >>> [batch.num_rows for batch, _ in hashed_rows([pa.RecordBatch.from_pydict({"a": [1, 2]})])]
    [2]
    """
    if isinstance(rows, Drawing):
        drawing = rows  # which is known by its type inside the function, too
        parts = in_order(lambda part: _hashed(drawing(part), columns), range(drawing.parts))
    else:
        parts = (_hashed(batch, columns) for batch in rows)
    try:
        for found in parts:
            if told is not None:
                told(found.batch.num_rows)
            yield found
    finally:
        parts.close()


def _hashed(batch: pa.RecordBatch, columns: pa.Schema | None) -> Hashed:
    # Texts are hashed faster as the dictionaries that they come in.
    digest = leaf_digest(batch) if batch.num_rows == LEAF_ROWS else None
    return Hashed(batch if columns is None else batch.cast(columns), digest)
