"""Three-way tables that records are moved to, laid out for the loop that moves them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Array, Whole
from sfumato.synopsis.triples import Triples

__all__ = ["Laid", "SweptTriples"]

_Float = NDArray[np.float32]
# Columns of each table; where it begins; how many bins columns have; which tables each column is
# in, and how many; the target; the place of each bin in a table: its band, if it is the target's.
Laid = tuple[Whole, Whole, Whole, Whole, Whole, int, Whole]


@dataclass(frozen=True, eq=False)
class SweptTriples:
    """Shares of all records by triple, one after the other: band, first column, second column."""

    laid: Laid
    share: _Float

    @classmethod
    def of(
        cls, triples: Triples | None, share: Mapping[tuple[int, int], Array], offset: Whole
    ) -> "SweptTriples":
        """Laid out for all columns; nothing for any of them where there are none."""
        columns, bins = len(offset) - 1, np.diff(offset)
        target = -1 if triples is None else triples.target
        member = np.array(list(share), np.int64).reshape(-1, 2)
        sizes = [table.size for table in share.values()]
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        inside = [
            [t for t, pair in enumerate(share) if column == target or column in pair]
            for column in range(columns)
        ]
        many = np.array([len(found) for found in inside], np.int64)
        tables = np.zeros((columns, max(int(many.max(initial=0)), 1)), np.int64)
        for column, found in enumerate(inside):
            tables[column, : len(found)] = found
        place = np.tile(np.arange(int(bins.max(initial=1))), (columns, 1))
        if triples is not None:
            place[target, : len(triples.band)] = triples.band
        flat = [table.ravel() for table in share.values()]
        wanted = np.concatenate([np.zeros(0), *flat]).astype(np.float32)
        return cls((member, start, bins.astype(np.int64), tables, many, target, place), wanted)

    @property
    def steps(self) -> int:
        """How many cells of triples are looked at for a record."""
        _, _, size, _, many, _, _ = self.laid
        return int(size @ many)

    def counted(self, bins: Whole) -> _Float:
        """How many of the records there are in each cell."""
        member, start, size, _, _, target, place = self.laid
        found = np.zeros(len(self.share), np.float32)
        for (i, j), first, last in zip(member, start[:-1], start[1:], strict=True):
            cell = (place[target][bins[:, target]] * size[i] + bins[:, i]) * size[j] + bins[:, j]
            found[first:last] = np.bincount(cell, minlength=int(last - first))
        return found
