"""Texts of records, one after the other, as Arrow batches of bounded size."""

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

__all__ = ["BATCH_ROWS", "text_batches"]

BATCH_ROWS = 65_536
_CHARACTERS = 2**26  # of a batch, unless a single record has more


def text_batches(
    rows: Iterable[Sequence[str | None]], columns: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """NOT PRIVATE: these records, whose texts stand in the order of the columns.

    >>> [batch.to_pydict() for batch in text_batches([["1", None], ["", "b"]], ["x", "y"])]
    [{'x': ['1', ''], 'y': [None, 'b']}]
    """
    held: list[Sequence[str | None]] = []
    characters = 0
    for row in rows:
        held.append(row)
        characters += sum(len(text) for text in row if text is not None)
        if len(held) == BATCH_ROWS or characters > _CHARACTERS:
            yield _batch(held, columns)
            held, characters = [], 0
    if held:
        yield _batch(held, columns)


def _batch(rows: list[Sequence[str | None]], columns: Sequence[str]) -> pa.RecordBatch:
    values = [pa.array(column, pa.large_string()) for column in zip(*rows, strict=True)]
    return pa.RecordBatch.from_arrays(values, list(columns))
