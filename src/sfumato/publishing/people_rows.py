"""Drawn persons on their way into the tables of a release: drawn by threads, cut into leaves.

The rows of a person may go over from one batch into the next: batches have as many rows as a leaf
of the digest (`sfumato.release.content`), so that threads can hash them.
"""

from collections.abc import Generator, Iterator
from contextlib import closing

import pyarrow as pa

from sfumato.release.content import LEAF_ROWS
from sfumato.render.panel_decode import PeopleDecoder
from sfumato.render.panel_drawing import PanelDrawing
from sfumato.schema.domain import Domain
from sfumato.table.workers import in_order

__all__ = ["PeopleRows"]


class PeopleRows:
    """The batches of each table, in order; `persons` counts those that have come so far."""

    def __init__(self, drawing: PanelDrawing, domain: Domain) -> None:
        self._drawing, self._decoder, self.persons = drawing, PeopleDecoder(domain), 0

    def batches(self) -> Generator[tuple[str, pa.RecordBatch], None, None]:
        """A table and some of its rows at a time; to be followed once, or closed."""
        drawing, decoder, self.persons = self._drawing, self._decoder, 0
        open_leaves = {name: _OpenLeaf() for name in decoder.tables}
        parts = in_order(lambda part: decoder(drawing(part)), range(drawing.parts))
        with closing(parts) as found:
            for decoded in found:
                for name, batch in decoded.after(self.persons).items():
                    for leaf in open_leaves[name].filled(batch):
                        yield name, leaf
                self.persons += decoded.persons
        for name, leaf in open_leaves.items():
            if leaf.rows:
                yield name, leaf.closed()


class _OpenLeaf:
    """Rows that do not fill a leaf yet."""

    def __init__(self) -> None:
        self.rows, self._held = 0, list[pa.RecordBatch]()

    def filled(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """The leaves that are full with these rows."""
        while self.rows + batch.num_rows >= LEAF_ROWS:
            room = LEAF_ROWS - self.rows
            self._held.append(batch.slice(0, room))
            batch = batch.slice(room)
            yield self.closed()
        if batch.num_rows:
            self._held.append(batch)
            self.rows += batch.num_rows

    def closed(self) -> pa.RecordBatch:
        """What there is, as one batch."""
        (leaf,) = pa.Table.from_batches(self._held).combine_chunks().to_batches()
        self.rows, self._held = 0, []
        return leaf
