"""Rows of drawn persons moved, one value at a time, until they have the tables that they should.

As for records (`sfumato.render.sweeps`), each value of each row is drawn again, with chances

    mean(b) exp(−Σ over tables (N without this row − Y)),

where N counts what the rows have now and Y is what they should have: tables of flat rows, and
tables of two rows of a person, of which a value is part with the row before it, the row after it
and two counterparts.  What must not fall is drawn between the rows around it.  A row counts by its
weight in N and moves as readily as any other: were it drawn by its weight, persons with few rows
would make up a table by themselves, and rows of those with many would know little of each other.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Array, Vector, Whole
from sfumato.numeric.compiled import HAVE_NUMBA, compiled

__all__ = ["FREE", "RISING", "STRICT", "PanelSweeps"]

FREE, RISING, STRICT = 0, 1, 2  # how a value follows the one before
_PASSES, _PLAIN = 6, 2  # with compiled loops, and without
_BLOCK, _BLOCKS = 64, 64  # rows that are moved at once where nothing is compiled: of few, fewer
_Float = NDArray[np.float32]
_WORK = 2.0**33  # values weighed in a release, beyond which rows are gone over less often


@dataclass(frozen=True, eq=False)
class PanelSweeps:
    """What rows should have, as shares; by place among the columns of rows what is said of two."""

    offset: Whole  # where the cells of each flat column begin
    columns: Whole  # the flat columns that are moved
    mean: Vector  # by cell, the logarithm of its share
    pairs: Array  # by two cells, of all flat rows
    next: Array  # by moved column and the bins of two rows; nothing where none is known
    other: Array
    rule: Whole  # by moved column: free, rising, strict
    missing: Whole  # by moved column, the bin of missing values, or −1
    barred: Whole  # by moved column, the bin that no row may be in, or −1
    rows: float  # of the release, about

    def moved(self, bins: Whole, start: Whole, there: Whole, rng: np.random.Generator) -> Whole:
        """The bins of these rows, by flat column, after some passes; `there`: rows that move."""
        state = self._state(np.ascontiguousarray(bins), start)
        rows, columns = len(there), len(self.columns)
        work = self.rows * columns * float(self.offset[-1])
        passes = max(1, int(min(_PASSES if HAVE_NUMBA else _PLAIN, _WORK / max(work, 1.0))))
        block = max(min(_BLOCK, rows // _BLOCKS), 1)
        place = np.arange(len(bins)) - np.repeat(start[:-1], np.diff(start))
        for _ in range(passes):
            order = there[rng.permutation(rows)]
            if HAVE_NUMBA:
                _sweep(state, order, rng.random((rows, columns), np.float32))
                continue
            # Rows of one block are of different persons: they have the same place in them.
            order = order[np.argsort(place[order], kind="stable")]
            for same in np.split(order, np.flatnonzero(np.diff(place[order])) + 1):
                for some in np.split(same, range(block, len(same), block)):
                    _sweep_block(state, some, rng.random((len(some), columns), np.float32))
        return state.bins

    def _state(self, bins: Whole, start: Whole) -> "_State":
        counts = np.diff(start)
        person = np.repeat(np.arange(len(counts)), counts)
        rows = len(bins)
        weight = 1.0 / np.maximum(counts, 1)[person]
        weight *= rows / max(float(weight.sum()), 1e-9)
        later = np.flatnonzero(np.diff(person) == 0) + 1
        of_step = np.zeros(rows)
        of_step[later] = 1.0 / (counts[person[later]] - 1)
        of_step *= len(later) / max(float(of_step.sum()), 1e-9)
        first = start[:-1][person]
        many = counts[person]
        across = first + (np.arange(rows) - first + many // 2) % many
        back = np.empty(rows, np.int64)
        back[across] = np.arange(rows)
        several = np.flatnonzero(across != np.arange(rows))
        bins_of, offset = np.diff(self.offset), self.offset
        apart = -float(rows) * self.pairs
        for i in range(bins.shape[1]):
            for j in range(i + 1, bins.shape[1]):
                one, two = slice(offset[i], offset[i + 1]), slice(offset[j], offset[j + 1])
                table = _table(bins[:, i], bins[:, j], weight, int(bins_of[i]), int(bins_of[j]))
                apart[one, two] += table
                apart[two, one] += table.T
        following, others = (
            -float(len(later)) * self.next,
            -float(weight[several].sum()) * self.other,
        )
        for place, j in enumerate(self.columns):
            size, column = int(bins_of[j]), bins[:, j]
            step = _table(column[later - 1], column[later], of_step[later], size, size)
            following[place, :size, :size] += step
            pair = _table(column[several], column[across[several]], weight[several], size, size)
            others[place, :size, :size] += pair
        small = partial(np.asarray, dtype=np.float32)  # as exact as counts need, and faster
        told = np.array([self.next.any(axis=(1, 2)), self.other.any(axis=(1, 2))])
        return _State(
            bins, person, start, across, back, small(weight), small(of_step), small(self.mean),
            self.offset, self.columns, small(apart), small(following), small(others), told,
            self.rule, self.missing,
            self.barred,
        )  # fmt: skip


def _table(a: Whole, b: Whole, weight: Vector, first: int, second: int) -> Array:
    flat = np.bincount(a * second + b, weight, first * second)
    return np.asarray(flat, np.float64).reshape(first, second)


class _State(NamedTuple):
    """What a pass works on: rows, what they should have, and how far they are from it."""

    bins: Whole
    person: Whole
    start: Whole
    across: Whole  # the counterpart of each row
    back: Whole  # whose counterpart it is
    weight: _Float
    of_step: _Float
    mean: _Float
    offset: Whole
    columns: Whole
    apart: _Float  # by how much cells are too full
    following: _Float
    others: _Float
    told: NDArray[np.bool_]  # of which columns next rows, and others, are known
    rule: Whole
    missing: Whole
    barred: Whole


@compiled
def _sweep(state: _State, order: Whole, chance: _Float) -> None:
    """Each value of these rows drawn again."""
    (bins, person, start, across, back, weight, of_step, mean, offset, columns, apart, following,
     others, told, rule, missing, barred) = state  # fmt: skip
    flat = bins.shape[1]
    largest = 0
    for place in range(len(columns)):
        largest = max(largest, offset[columns[place] + 1] - offset[columns[place]])
    room = np.empty(largest, np.float32)
    for q in range(len(order)):
        i = order[q]
        begin, end, w = start[person[i]], start[person[i] + 1], weight[i]
        for place in range(len(columns)):
            j = columns[place]
            first = offset[j]
            size, never = offset[j + 1] - first, barred[place]
            now, gone = bins[i, j], missing[place]
            for b in range(size):
                room[b] = mean[first + b]
            for o in range(flat):
                if o != j:
                    row = apart[offset[o] + bins[i, o]]
                    for b in range(size):
                        room[b] -= row[first + b]
            room[now] += w * (flat - 1)  # the row itself is taken out
            if told[0, place]:
                if i > begin:
                    before = bins[i - 1, j]
                    for b in range(size):
                        room[b] -= following[place, before, b]
                    room[now] += of_step[i]
                if i < end - 1:
                    after = bins[i + 1, j]
                    for b in range(size):
                        room[b] -= following[place, b, after]
                    room[now] += of_step[i + 1]
            if told[1, place] and across[i] != i:
                to, of = bins[across[i], j], bins[back[i], j]
                for b in range(size):
                    room[b] -= others[place, b, to] + others[place, of, b]
                room[now] += 2 * w
            low, high = 0, size
            if rule[place] > 0:
                k = i - 1
                while k >= begin and bins[k, j] == gone:
                    k -= 1
                if k >= begin:
                    low = bins[k, j] + rule[place] - 1
                k = i + 1
                while k < end and bins[k, j] == gone:
                    k += 1
                if k < end:
                    high = bins[k, j] + 2 - rule[place]
            top = np.float32(-1e30)
            for b in range(size):
                if (low <= b < high or b == gone) and b != never:
                    top = max(top, room[b])
            total = np.float32(0)
            for b in range(size):
                if (low <= b < high or b == gone) and b != never:
                    room[b] = np.exp(room[b] - top)
                    total += room[b]
                else:
                    room[b] = np.float32(0)
            if total <= 0.0:
                continue
            level, new, upto = chance[q, place] * total, now, np.float32(0)
            for b in range(size):
                if room[b] > 0.0:
                    new = b
                    upto += room[b]
                    if upto >= level:
                        break
            if new == now:
                continue
            for o in range(flat):
                if o != j:
                    cell = offset[o] + bins[i, o]
                    apart[cell, first + now] -= w
                    apart[first + now, cell] -= w
                    apart[cell, first + new] += w
                    apart[first + new, cell] += w
            if i > begin:
                following[place, bins[i - 1, j], now] -= of_step[i]
                following[place, bins[i - 1, j], new] += of_step[i]
            if i < end - 1:
                following[place, now, bins[i + 1, j]] -= of_step[i + 1]
                following[place, new, bins[i + 1, j]] += of_step[i + 1]
            if across[i] != i:
                to, of = bins[across[i], j], bins[back[i], j]
                others[place, now, to] -= w
                others[place, new, to] += w
                others[place, of, now] -= w
                others[place, of, new] += w
            bins[i, j] = new


def _sweep_block(state: _State, some: Whole, chance: _Float) -> None:
    """The same for rows of different persons at once, which do not see each other move."""
    s = state
    flat, every = s.bins.shape[1], np.arange(s.bins.shape[1])
    w, here = s.weight[some], np.arange(len(some))
    begin, end = s.start[s.person[some]], s.start[s.person[some] + 1]
    after, before = np.minimum(some + 1, len(s.bins) - 1), np.maximum(some - 1, 0)
    follows, leads, paired = some > begin, some < end - 1, s.across[some] != some
    back, ahead = s.of_step[some] * follows, s.of_step[after] * leads
    for place, j in enumerate(s.columns):
        first, last = s.offset[j], s.offset[j + 1]
        size, now = int(last - first), s.bins[some, j]
        others = every[every != j]
        cells = s.offset[others] + s.bins[np.ix_(some, others)]
        room = s.mean[first:last] - s.apart[cells, first:last].sum(axis=1)
        room[here, now] += w * (flat - 1)
        one, two = s.bins[before, j], s.bins[after, j]
        if s.told[0, place]:
            room -= follows[:, None] * s.following[place, one, :size]
            room -= leads[:, None] * s.following[place, :size, two]
            room[here, now] += back + ahead
        to, of = s.bins[s.across[some], j], s.bins[s.back[some], j]
        if s.told[1, place]:
            pair = s.others[place, :size, to] + s.others[place, of, :size]
            room -= paired[:, None] * pair
            room[here, now] += 2 * w * paired
        allowed = _allowed(s, place, some, begin, end, size)
        room = np.where(allowed, room, -np.inf)
        stuck = ~allowed.any(axis=1)
        room[stuck, now[stuck]] = 0.0
        weights = np.exp(room - room.max(axis=1, keepdims=True))
        upto = np.cumsum(weights, axis=1)
        new = (upto < (chance[:, place] * upto[:, -1])[:, None]).sum(axis=1)
        new = np.minimum(new, size - 1)
        for there, sign in ((now, -1.0), (new, 1.0)):
            cell = np.broadcast_to((first + there)[:, None], cells.shape)
            change = np.broadcast_to((sign * w)[:, None], cells.shape)
            np.add.at(s.apart, (cells, cell), change)
            np.add.at(s.apart, (cell, cells), change)
            np.add.at(s.following, (place, one, there), sign * back)
            np.add.at(s.following, (place, there, two), sign * ahead)
            np.add.at(s.others, (place, there, to), sign * w * paired)
            np.add.at(s.others, (place, of, there), sign * w * paired)
        s.bins[some, j] = new


def _allowed(s: _State, place: int, some: Whole, begin: Whole, end: Whole, size: int) -> Any:
    """Which bins lie between the rows around, for what must not fall."""
    allowed = np.ones((len(some), size), bool)
    rule, gone, j = int(s.rule[place]), int(s.missing[place]), s.columns[place]
    if (never := int(s.barred[place])) >= 0:
        allowed[:, never] = False
    if not rule:
        return allowed
    low, high = np.zeros(len(some), np.int64), np.full(len(some), size)
    for step in (-1, 1):
        k = some + step
        inside = (k >= begin) & (k < end)
        while (skip := inside & (s.bins[np.clip(k, 0, len(s.bins) - 1), j] == gone)).any():
            k = np.where(skip, k + step, k)
            inside = (k >= begin) & (k < end)
        found = s.bins[np.clip(k, 0, len(s.bins) - 1), j]
        if step < 0:
            low = np.where(inside, found + rule - 1, low)
        else:
            high = np.where(inside, found + 2 - rule, high)
    across = np.arange(size)
    allowed &= (across >= low[:, None]) & (across < high[:, None])
    if gone >= 0:
        allowed[:, gone] = gone != never
    return allowed
