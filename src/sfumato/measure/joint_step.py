"""Counting records in the tables of two groups of columns: the innermost loop of `mosaic`.

A table is counted in a scratch of its own, which stays in cache, and added to the total once per
batch.  With numba (the extra `fast`) a record takes less than a nanosecond for each table, two with
NumPy; but numba takes a moment to load, so it is fetched once NumPy has worked for about as long.
"""

import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Codes, Whole
from sfumato.numeric.compiled import HAVE_NUMBA, compiled

__all__ = ["Cells", "count_pairs"]

_WORTHWHILE = 2**30  # steps that NumPy takes about as long for as numba takes to load
_FEW = 8  # cells for each record of a batch, above which the record's own ones alone are touched

Cells = NDArray[np.unsignedinteger]  # of a group; for records, a row for each group


def count_pairs(panels: Sequence[Whole], cells: Cells, classes: Codes, sizes: Whole) -> None:
    """NOT PRIVATE: add records to the panels of all groups but the last, each with all later ones.

    >>> panel, cells = np.zeros((2, 3), np.int64), np.array([[1, 0], [2, 2]], np.uint8)
    >>> count_pairs([panel], cells, np.zeros(2, np.int32), np.array([2, 3]))
    >>> panel.tolist()
    [[0, 0, 1], [0, 0, 1]]
    """
    steps = cells.shape[1] * len(cells) * (len(cells) - 1) // 2
    way = _one_by_one if _paths.compiled(steps) else _in_numpy
    for g, panel in enumerate(panels):
        way(panel, classes * sizes[g] + cells[g], cells[g + 1 :], sizes[g + 1 :])


class _Paths:
    """Which path is taken, and how many steps of NumPy it took to earn the other one."""

    def __init__(self) -> None:
        self._seen = 0

    def compiled(self, steps: int) -> bool:
        """Whether numba is at hand, or worth loading by now."""
        self._seen += steps
        return HAVE_NUMBA and (self._seen >= _WORTHWHILE or "numba" in sys.modules)


_paths = _Paths()


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
