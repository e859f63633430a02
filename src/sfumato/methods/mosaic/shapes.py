"""Tables of `mosaic` in the shapes in which later steps need them."""

from collections.abc import Iterator

import numpy as np

from sfumato.numeric.arrays import Whole
from sfumato.render.estimate import OneWays
from sfumato.synopsis.bins import Partition

__all__ = ["by_cell", "by_pair", "independent"]


def independent(ones: OneWays) -> Iterator[Whole]:
    """The counts of any two cells if columns were independent; one class at a time, for memory."""
    for row, size in zip(ones.counts, ones.classes, strict=True):
        table = np.outer(row, row)
        table /= size
        yield np.rint(table, out=table).astype(np.int64)


def by_cell(flat: Whole, partition: Partition) -> Whole:
    """Column after column, class by class, as one row per class."""
    ends = np.cumsum(np.diff(partition.offset) * partition.classes)[:-1]
    return np.hstack([t.reshape(partition.classes, -1) for t in np.split(flat, ends)])


def by_pair(
    flat: Whole, partition: Partition, pairs: tuple[tuple[int, int], ...]
) -> dict[tuple[int, int], Whole]:
    """Pair after pair, as a table for each: class, cell, cell."""
    bins = np.diff(partition.offset)
    shapes = [(partition.classes, int(bins[i]), int(bins[j])) for i, j in pairs]
    ends = np.cumsum([np.prod(shape) for shape in shapes])[:-1]
    parts = np.split(flat, ends)
    return {pair: p.reshape(s) for pair, p, s in zip(pairs, parts, shapes, strict=True)}
