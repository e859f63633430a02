"""Records moved, one value at a time, until they have the tables that they should have.

Latent classes take the noise off the tables, but records drawn from them have only the dependence
that so many classes hold.  So drawn records are gone over a few times: each value of each record is
drawn again, with chances

    mean(b) exp(−Σ over tables (N without this record − Y)),

where N counts the records as they are now and Y is what the table should have; so cells that are
too full lose records to those that are too empty; three-way tables with a target, where there are
any, among them.  No record of the data is seen here.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Array, Whole
from sfumato.numeric.compiled import HAVE_NUMBA, compiled
from sfumato.render.swept_triples import Laid, SweptTriples

__all__ = ["FEWEST", "Sweeps"]

_BLOCK = 32  # records that are moved at once where nothing is compiled
_MOST = 3  # times that each record is gone over
_TOO_FULL = 1e4  # records, by which cells that should be empty are
_PLAIN = 2  # where nothing is compiled
_WORK = 2.0**31  # values weighed in a release, beyond which not all records are gone over
FEWEST = 2**10  # records: of fewer, their tables would be all chance
_Float = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Sweeps:
    """What records should have: shares by class and two cells, and logarithms of means."""

    offset: Whole  # where the cells of each column begin
    share: Array  # by class and two cells, of all records
    mean: Array  # by class and cell
    never: NDArray[np.bool_]  # by two cells: what no record should have together
    triples: SweptTriples | None = None

    @cached_property
    def _triples(self) -> SweptTriples:
        return self.triples or SweptTriples.of(None, {}, self.offset)

    def passes(self, rows: int) -> float:
        """How often each record of a release of so many is gone over; less than 1: not all are."""
        columns = len(self.offset) - 1
        tables = columns * float(self.offset[-1]) + self._triples.steps
        work = rows * tables
        return float(min(_MOST if HAVE_NUMBA else _PLAIN, _WORK / max(work, 1.0)))

    def moved(
        self, bins: NDArray[Any], classes: NDArray[Any], passes: float, rng: np.random.Generator
    ) -> Whole:
        """The bins of these records, by column, after so many passes."""
        bins, classes = np.array(bins, np.int64, order="C"), classes.astype(np.int64)
        apart = self._counted(bins, classes)
        apart -= np.float32(len(bins)) * self.share.astype(np.float32)
        apart += np.float32(_TOO_FULL) * self.never
        triples = self._triples
        beyond = triples.counted(bins) - np.float32(len(bins)) * triples.share
        sweep = _sweep if HAVE_NUMBA else _sweep_in_blocks
        mean = self.mean.astype(np.float32)
        state = _State(bins, classes, mean, self.offset, apart, triples.laid, beyond)
        room = np.empty(int(np.diff(self.offset).max()), np.float32)
        while passes > 0:
            order = rng.permutation(len(bins))
            # Where not all are gone over, those come first that should not be as they are.
            order = order[np.argsort(~self._impossible(bins)[order], kind="stable")]
            order = order[: max(1, round(len(bins) * min(passes, 1.0)))]
            chance = rng.random((len(order), bins.shape[1]), np.float32)
            sweep(state, order, chance, room)
            passes -= 1
        return bins

    def _impossible(self, bins: Whole) -> NDArray[np.bool_]:
        """Which records have something together that no record should have."""
        found = np.zeros(len(bins), bool)
        for i, j in zip(*np.triu_indices(bins.shape[1], 1), strict=True):
            one, two = (slice(self.offset[c], self.offset[c + 1]) for c in (i, j))
            if self.never[one, two].any():
                found |= self.never[one, two][bins[:, i], bins[:, j]]
        return found

    def _counted(self, bins: Whole, classes: Whole) -> _Float:
        """How many of the records there are by class and two cells."""
        offset, size = self.offset, np.diff(self.offset)
        found = np.zeros(self.share.shape, np.float32)
        for i in range(bins.shape[1]):
            for j in range(i + 1, bins.shape[1]):
                shape = len(found), int(size[i]), int(size[j])
                cell = (classes * shape[1] + bins[:, i]) * shape[2] + bins[:, j]
                table = np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)
                one, two = (slice(offset[c], offset[c + 1]) for c in (i, j))
                found[:, one, two] = table
                found[:, two, one] = table.transpose(0, 2, 1)
        return found


class _State(NamedTuple):
    """What a pass works on: records, what they should have, and how far they are from it."""

    bins: Whole
    classes: Whole
    mean: _Float
    offset: Whole
    apart: _Float  # by how much cells are too full
    laid: Laid
    beyond: _Float  # the same of triples


@compiled
def _sweep(state: _State, order: Whole, chance: _Float, room: _Float) -> None:
    """Each value of these records drawn again."""
    bins, classes, mean, offset, apart, laid, beyond = state
    _, _, _, tables, many, _, places = laid
    columns = bins.shape[1]
    for q in range(len(order)):
        i = order[q]
        k = classes[i]
        for j in range(columns):
            first = offset[j]
            size = offset[j + 1] - first
            now = bins[i, j]
            for b in range(size):
                room[b] = mean[k, first + b]
            for other in range(columns):
                if other != j:
                    row = apart[k, offset[other] + bins[i, other]]
                    for b in range(size):
                        room[b] -= row[first + b]
            room[now] += columns - 1  # the record itself is taken out
            place = places[j]
            for s in range(many[j]):
                at, by = _line(laid, tables[j, s], bins, i, j)
                for b in range(size):
                    room[b] -= beyond[at + by * place[b]]
                    if place[b] == place[now]:
                        room[b] += 1
            top = room[0]
            for b in range(1, size):
                top = max(top, room[b])
            total = np.float32(0)
            for b in range(size):
                room[b] = np.exp(room[b] - top)
                total += room[b]
            level = chance[q, j] * total
            new, upto = 0, room[0]
            while upto < level and new < size - 1:
                new += 1
                upto += room[new]
            if new != now:
                for other in range(columns):
                    if other != j:
                        cell = offset[other] + bins[i, other]
                        apart[k, cell, first + now] -= 1
                        apart[k, first + now, cell] -= 1
                        apart[k, cell, first + new] += 1
                        apart[k, first + new, cell] += 1
                for s in range(many[j]):
                    at, by = _line(laid, tables[j, s], bins, i, j)
                    beyond[at + by * place[now]] -= 1
                    beyond[at + by * place[new]] += 1
                bins[i, j] = new


@compiled
def _line(laid: Laid, table: int, bins: Whole, i: Any, j: int) -> Any:
    """Where a triple's cells for each place of column j begin, and how far they are apart."""
    member, start, sizes, _, _, target, places = laid
    one, two = member[table]
    high, wide = sizes[one], sizes[two]
    band = places[target][bins[i, target]]
    if j == target:
        return start[table] + bins[i, one] * wide + bins[i, two], high * wide
    if j == one:
        return start[table] + band * high * wide + bins[i, two], wide
    return start[table] + (band * high + bins[i, one]) * wide, 1


def _sweep_in_blocks(state: _State, order: Whole, chance: _Float, room: _Float) -> None:
    """The same for a block of records at once, which do not see each other move."""
    del room
    bins, classes, mean, offset, apart, laid, beyond = state
    columns, every = bins.shape[1], np.arange(bins.shape[1])
    _, _, _, tables, many, _, places = laid
    for start in range(0, len(order), _BLOCK):
        some = order[start : start + _BLOCK]
        k = classes[some]
        for j in range(columns):
            others = every[every != j]
            first, last = offset[j], offset[j + 1]
            now, cells = bins[some, j], offset[others] + bins[np.ix_(some, others)]
            rows = apart[k[:, None], cells, first:last].sum(axis=1)
            weight = mean[k, first:last] - rows
            weight[np.arange(len(some)), now] += columns - 1
            place = places[j, : last - first]
            lines = [_line(laid, table, bins, some, j) for table in tables[j, : many[j]]]
            for at, by in lines:
                weight -= beyond[at[:, None] + by * place]
                weight += place == place[now][:, None]
            weight = np.exp(weight - weight.max(axis=1, keepdims=True))
            upto = np.cumsum(weight, axis=1)
            level = chance[start : start + len(some), j] * upto[:, -1]
            new = np.minimum((upto < level[:, None]).sum(axis=1), last - first - 1)
            for there, change in ((now, -1), (new, 1)):
                cell = np.broadcast_to((first + there)[:, None], cells.shape)
                where = np.broadcast_to(k[:, None], cells.shape)
                np.add.at(apart, (where, cells, cell), change)
                np.add.at(apart, (where, cell, cells), change)
                for at, by in lines:
                    np.add.at(beyond, at + by * place[there], change)
            bins[some, j] = new
