"""Counting records in the tables of two groups of columns: the innermost loop of `mosaic`.

A table is counted in a scratch of its own, which stays in cache, and added to the total once per
batch.  With numba (the extra `fast`) a record takes less than a nanosecond for each table, two with
NumPy; but numba takes a moment to load, so it is fetched once NumPy has worked for about as long.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Codes, Whole
from sfumato.numeric.compiled import Worthwhile, compiled

__all__ = ["Cells", "count_pairs"]

_FEW = 8  # cells for each record of a batch, above which the record's own ones alone are touched

_worthwhile = Worthwhile(2**29)  # steps

Cells = NDArray[np.unsignedinteger]  # of a group; for records, a row for each group


def count_pairs(panels: Sequence[Whole], cells: Cells, classes: Codes, sizes: Whole) -> None:
    """NOT PRIVATE: add records to the panels of all groups but the last, each with all later ones.

    >>> panel, cells = np.zeros((2, 3), np.int64), np.array([[1, 0], [2, 2]], np.uint8)
    >>> count_pairs([panel], cells, np.zeros(2, np.int32), np.array([2, 3]))
    >>> panel.tolist()
    [[0, 0, 1], [0, 0, 1]]
    """
    steps = cells.shape[1] * len(cells) * (len(cells) - 1) // 2
    way = _one_by_one if _worthwhile(steps) else _in_numpy
    for g, panel in enumerate(panels):
        way(panel, classes * sizes[g] + cells[g], cells[g + 1 :], sizes[g + 1 :])


def _in_numpy(panel: Whole, first: Whole, others: Cells, sizes: Whole) -> None:
    """`first` is the row of each record in the panel, `others` its cells of later groups."""
    start = 0
    for cell, size in zip(others, sizes.tolist(), strict=True):
        table = panel[:, start : start + size]
        if table.size > _FEW * len(first):
            np.add.at(table, (first, cell), 1)
        else:
            joint = first * size
            joint += cell
            table += np.bincount(joint, minlength=table.size).reshape(table.shape)
        start += size


@compiled
def _one_by_one(panel: Whole, first: Whole, others: Cells, sizes: Whole) -> None:
    """The same, in terms that numba compiles as they stand."""
    rows, start = panel.shape[0], 0
    scratch = np.zeros(rows * sizes.max(), np.uint32)
    for later in range(len(sizes)):
        cell, size = others[later], sizes[later]
        if rows * size > _FEW * len(first):
            for r in range(len(first)):
                panel[first[r], start + cell[r]] += 1
        else:
            for r in range(len(first)):
                scratch[first[r] * size + cell[r]] += np.uint32(1)
            place = 0
            for row in range(rows):
                for column in range(start, start + size):
                    panel[row, column] += scratch[place]
                    scratch[place] = 0
                    place += 1
        start += size
