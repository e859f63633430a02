"""Released rows on their way into a file or into memory: what is drawn, is drawn by threads.

A part is drawn and hashed by one thread, and the parts come out in their order: how many
threads there are changes nothing but the time.
"""

from collections.abc import Callable, Generator, Iterable

import pyarrow as pa

from sfumato.release.content import LEAF_ROWS, Hashed, leaf_digest
from sfumato.render.drawing import Drawing
from sfumato.table.workers import in_order

__all__ = ["hashed_rows"]


def hashed_rows(
    rows: Iterable[pa.RecordBatch],
    told: Callable[[int], None] | None = None,
    columns: pa.Schema | None = None,
) -> Generator[Hashed, None, None]:
    """Batches, with their digests where they are leaves; in the types of `columns` if given.

    `told` learns how many rows came.  What is not followed to its end is to be closed.

    >>> [batch.num_rows for batch, _ in hashed_rows([pa.RecordBatch.from_pydict({"a": [1, 2]})])]
    [2]
    """

    def made(batch: pa.RecordBatch) -> Hashed:
        # Texts are hashed faster as the dictionaries that they come in.
        digest = leaf_digest(batch) if batch.num_rows == LEAF_ROWS else None
        return Hashed(batch if columns is None else batch.cast(columns), digest)

    if isinstance(rows, Drawing):
        drawing = rows  # which is known by its type inside the function, too
        parts = in_order(lambda part: made(drawing(part)), range(drawing.parts))
    else:
        parts = (made(batch) for batch in rows)
    try:
        for found in parts:
            if told is not None:
                told(found.batch.num_rows)
            yield found
    finally:
        parts.close()
