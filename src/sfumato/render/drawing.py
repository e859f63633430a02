"""Rows of a release in parts: each a pure function of the model, a seed and its number.

So the rows are the same whoever draws them, in whatever order, and however often: threads here, or
workers elsewhere that are started again.  Nothing in a drawing is private.

>>> def counting(start: int, count: int, _: np.random.Generator) -> pa.RecordBatch:
...     return pa.RecordBatch.from_pydict({"row": range(start, start + count)})
>>> drawn = Drawing(counting, rows=BATCH_ROWS + 2, seed=7)
>>> drawn.parts, drawn(1).to_pydict()
(2, {'row': [65536, 65537]})
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from sfumato.numeric.threads import one_blas_thread
from sfumato.render.decode import BATCH_ROWS

__all__ = ["Drawing", "RowModel"]


class RowModel(Protocol):
    """What rows are drawn from; it can be pickled, and is not changed by drawing."""

    def __call__(self, start: int, count: int, rng: np.random.Generator, /) -> pa.RecordBatch:
        """So many rows, the first of which is row `start` of the release."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """All rows of a release that are drawn from a model, before they are."""

    model: RowModel
    rows: int
    seed: int

    @classmethod
    def of(cls, model: RowModel, rows: int, rng: np.random.Generator) -> "Drawing":
        """With a seed of its own, taken from a generator."""
        return cls(model, rows, int.from_bytes(rng.bytes(16), "little"))

    @property
    def parts(self) -> int:
        """How many there are; all but the last have `BATCH_ROWS` rows."""
        return -(-self.rows // BATCH_ROWS)

    def __call__(self, part: int) -> pa.RecordBatch:
        """The rows of one part."""
        start = part * BATCH_ROWS
        entropy = np.random.SeedSequence(self.seed, spawn_key=(part,))
        rng = np.random.Generator(np.random.PCG64(entropy))
        with one_blas_thread:  # it is parts that threads share
            return self.model(start, min(BATCH_ROWS, self.rows - start), rng)

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return map(self, range(self.parts))
