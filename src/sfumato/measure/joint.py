"""Tables of all pairs of columns within classes, exactly, in one pass over encoded records.

Columns with few bins are counted together: a *group* of columns has a cell for each combination
of their bins, so one step counts a record in the tables of many pairs at once
(`sfumato.measure.joint_table` takes them out again).

Exactness.  All counts are whole numbers: in 32 bits within a batch, which has fewer than 2³²
records, and in 64 bits beyond it, modulo 2⁶⁴.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import inf, prod

import numpy as np

from sfumato.measure.joint_step import Cells, count_pairs
from sfumato.numeric.arrays import Codes, Whole
from sfumato.synopsis.bins import Partition
from sfumato.table.cells import Cell
from sfumato.table.statistic import WholeSum

__all__ = ["Group", "JointCounts"]

_LARGEST = (1, 8, 16, 32, 64, 128, 256, 512)  # cells of a group of several columns, at most
_MOST_CELLS = 2**22  # of all tables together, unless columns by themselves have half of that
_CELL = 2**-17  # what a cell of a table costs each record, in steps: batches have so many records

Group = tuple[int, ...]  # columns, by their place in the partition


@dataclass(frozen=True, eq=False)
class JointCounts(WholeSum):
    """By class, how many records lie in each cell of two groups of columns.

    The total holds a panel for each group: class, cell of the group, cell of a later group.  Where
    there are no pairs to count, a panel is the table of its group.
    """

    partition: Partition  # the bins in which columns are counted
    pairs: bool = True  # else one-way tables alone

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Columns that are counted together, so that a record takes few steps."""
        bins = [column.bins for column in self.partition.columns]
        if not self.pairs:
            return tuple((column,) for column in range(len(bins)))
        found = {_packed(bins, most): None for most in _LARGEST}
        return min(found, key=lambda groups: _steps(groups, bins, self.partition.classes))

    @cached_property
    def sizes(self) -> Whole:
        """Cells of each group."""
        columns = self.partition.columns
        return np.array([prod(columns[c].bins for c in g) for g in self.groups], np.int64)

    @cached_property
    def offset(self) -> Whole:
        """Where the cells of each group begin, and where the last ones end."""
        return np.concatenate([[0], np.cumsum(self.sizes)])

    @property
    def paired(self) -> bool:
        """Whether two groups are counted against each other."""
        return self.pairs and len(self.groups) > 1

    @cached_property
    def widths(self) -> Whole:
        """Columns of each panel."""
        return self.offset[-1] - self.offset[1:] if self.paired else np.ones_like(self.sizes)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Panel after panel."""
        return (int((self.partition.classes * self.sizes * self.widths).sum()),)

    def panels(self, total: Whole) -> list[Whole]:
        """The panels of a total, a row for each class and cell."""
        rows = self.partition.classes * self.sizes
        parts = np.split(total, np.cumsum(rows * self.widths)[:-1])
        shapes = zip(rows, self.widths, strict=True)
        return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]

    def add(self, total: Whole, records: Codes) -> Whole:
        """NOT PRIVATE: with these records."""
        cells = np.zeros((len(self.groups), len(records)), self._stored)
        for row, group in zip(cells, self._places, strict=True):
            for axis, place in group:
                row += (
                    records[:, axis].astype(row.dtype) if place is None else place[records[:, axis]]
                )
        classes = self.partition.classes_of(records)
        panels = self.panels(total)
        if self.paired:
            count_pairs(panels[:-1], cells, classes, self.sizes)
        else:
            for panel, row, size in zip(panels, cells, self.sizes, strict=True):
                panel[:, 0] += np.bincount(classes * size + row, minlength=len(panel))
        return total

    def tables(self) -> list[tuple[Cell, ...]]:
        """Class and the cells of one group or two, panel by panel."""
        label, class_of = self.partition.label, self.partition.class_of
        every = np.arange(self.partition.classes) if class_of is None else class_of
        own = () if label is None else ((label, every),)
        cells = [
            Cell(tuple((axis, self._by_code(axis, place)) for axis, place in group))
            for group in self._places
        ]
        return [(Cell(own), *(cells[group] for group in groups)) for groups in self._panelled]

    def gathered(self, counted: Sequence[Whole]) -> Whole:
        """NOT PRIVATE: the same total, of counts by class and cells."""
        total = self.zero()
        panels = self.panels(total)
        for (first, *second), found in zip(self._panelled, counted, strict=True):
            rows = found[:, 0] * self.sizes[first] + found[:, 1]
            columns = 0
            if second:
                columns = found[:, 2] + self.offset[second[0]] - self.offset[first + 1]
            panels[first][rows, columns] = found[:, -1]
        return total

    @property
    def _panelled(self) -> list[Group]:
        """Groups that are counted against each other; each by itself where there are no pairs."""
        groups = range(len(self.groups))
        return list(combinations(groups, 2)) if self.paired else [(group,) for group in groups]

    def _by_code(self, axis: int, place: Cells | None) -> Whole:
        if place is not None:
            return place.astype(np.int64)
        (bins,) = {c.bins for c in self.partition.columns if c.fine.axis == axis}
        return np.arange(bins)

    @cached_property
    def _places(self) -> list[list[tuple[int, Cells | None]]]:
        """For each group: axes, and what each code adds to the cell; None where it is the code."""
        return [
            [self._place(column, stride) for column, stride in zip(g, self.strides(g), strict=True)]
            for g in self.groups
        ]

    def _place(self, column: int, stride: int) -> tuple[int, Cells | None]:
        one = self.partition.columns[column]
        fine = one.fine
        place = one.place * stride
        plain = fine.start.min(initial=0) >= 0 and np.array_equal(place, np.arange(len(place)))
        return fine.axis, None if plain else place.astype(self._stored)

    def strides(self, group: Group) -> list[int]:
        """What a bin of each column adds to the cell of the group."""
        bins = [self.partition.columns[column].bins for column in group]
        return [prod(bins[k + 1 :]) for k in range(len(bins))]

    @property
    def _stored(self) -> type[np.unsignedinteger]:
        largest = max(self.sizes, default=1)
        return np.uint8 if largest <= 2**8 else np.uint16 if largest <= 2**16 else np.uint32


def _packed(bins: Sequence[int], most: int) -> tuple[Group, ...]:
    """Columns in groups of at most so many cells, from the smallest column on.

    >>> _packed([2, 7, 2, 3], 6)
    ((0, 2), (3,), (1,))
    """
    groups, cells = list[list[int]](), inf
    for column in sorted(range(len(bins)), key=lambda c: bins[c]):
        cells *= bins[column]
        if cells > most:
            groups.append([])
            cells = bins[column]
        groups[-1].append(column)
    return tuple(map(tuple, groups))


def _steps(groups: tuple[Group, ...], bins: Sequence[int], classes: int) -> float:
    """What a record costs; no bound where groups would take too much memory."""
    cells = _cells([prod(bins[column] for column in group) for group in groups], classes)
    if cells > max(_MOST_CELLS, 2 * _cells(bins, classes)):
        return inf
    return len(groups) * (len(groups) - 1) / 2 + cells * _CELL


def _cells(sizes: Sequence[int], classes: int) -> int:
    """Of all tables of two groups of such sizes."""
    return classes * (sum(sizes) ** 2 - sum(size**2 for size in sizes)) // 2
