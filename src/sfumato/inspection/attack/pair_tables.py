"""Tables of two columns, as an attacker who rebuilds records from them holds them.

Columns are in bins, side by side as cells; every table is a share of the records of one class, so
that what was counted within the values of a label is used so.  They come from published noisy
counts (`of_synopsis`) or, for the control, from records without noise (`of_cells`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sfumato.inspection.attack.bins import Cells
from sfumato.numeric.arrays import Codes
from sfumato.synopsis.bins import Partition
from sfumato.synopsis.tables import MosaicSynopsis

__all__ = ["PairTables", "cells_of"]

Shares = NDArray[np.float32]


def cells_of(partition: Partition, codes: Codes) -> Cells:
    """Records in the bins of a partition; the class comes last."""
    label = partition.label
    classes = np.zeros(len(codes), np.int64) if label is None else codes[:, label]
    columns = (column.place[codes[:, column.fine.axis]] for column in partition.columns)
    return np.column_stack([*columns, classes]).astype(np.int64)


@dataclass(frozen=True, eq=False)
class PairTables:
    """Shares of the records of each class in any two cells, where both columns were counted."""

    sizes: tuple[int, ...]  # bins of each column
    shares: Shares  # by class, cell and cell; of one column on the diagonal
    counted: NDArray[np.bool_]  # by column and column
    classes: NDArray[np.float64]  # the share of each class

    @property
    def offset(self) -> NDArray[np.int64]:
        """Where the cells of each column begin, and where the last ones end."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @classmethod
    def of_cells(cls, cells: Cells, sizes: Sequence[int], classes: int) -> "PairTables":
        """NOT PRIVATE: every pair, without noise.

        >>> tables = PairTables.of_cells(np.array([[0, 1, 0], [1, 1, 0]]), (2, 2), 1)
        >>> tables.shares[0].tolist()[0]
        [0.5, 0.0, 0.0, 0.5]
        """
        offset = np.concatenate([[0], np.cumsum(sizes)])
        shares = np.zeros((classes, offset[-1], offset[-1]), np.float32)
        count = np.bincount(cells[:, -1], minlength=classes)
        for k in np.flatnonzero(count):
            own = cells[cells[:, -1] == k, :-1] + offset[:-1]
            X = np.zeros((len(own), offset[-1]), np.float32)
            np.put_along_axis(X, own, 1, axis=1)
            shares[k] = X.T @ X / len(own)
        counted = np.ones((len(sizes), len(sizes)), np.bool_)
        return cls(tuple(sizes), shares, counted, count / count.sum())

    @classmethod
    def of_synopsis(cls, synopsis: MosaicSynopsis) -> "PairTables":
        """From published noisy counts: what is negative counts as nobody."""
        part = synopsis.partition
        cells, columns = part.cells, len(part.columns)
        counts = np.zeros((part.classes, cells, cells))
        counted = np.eye(columns, dtype=np.bool_)
        each = np.arange(cells)
        if synopsis.one is not None:
            counts[:, each, each] = np.maximum(synopsis.one, 0)
        for (i, j), table in synopsis.pairs.items():
            counted[i, j] = counted[j, i] = True
            counts[:, part.block(i), part.block(j)] = np.maximum(table, 0)
            counts[:, part.block(j), part.block(i)] = np.maximum(table, 0).transpose(0, 2, 1)
        people = np.array([counts[k, each, each].sum() for k in range(part.classes)])
        for i in range(columns):
            for j in range(columns):
                block = counts[:, part.block(i), part.block(j)]
                total = block.sum(axis=(1, 2), keepdims=True)
                block /= np.where(total > 0, total, 1)  # in place: a view
        sizes = tuple(int(bins) for bins in np.diff(part.offset))
        shares = people / people.sum() if people.sum() > 0 else people * 0 + 1 / len(people)
        return cls(sizes, counts.astype(np.float32), counted, shares)

    def among(self, counted: NDArray[np.bool_]) -> "PairTables":
        """The same tables, of these pairs alone."""
        return replace(self, counted=counted)
