"""Which rows of a person count: the k with the smallest keyed hashes, and nobody else matters.

The hash of a row is one of its person's id, of its codes and of its number among the equal rows of
that person.  Equal rows are interchangeable, so those numbers need no order: the rows that are
kept are a function of that person's set of rows and of the key, not of files, batches or
machines, and each row has the same chance, however often it occurs.

What is said against rows has no part in it, so the same rows are kept whether or not that is asked
for.  Rows of equal codes are told apart by it: they are numbered in the order of their complaints.

Hashes of rows have 64 bits under secret weights, as those of fingerprints.  Two different rows
that share one, with a chance of about 2⁻⁶⁴ for each pair, are numbered as if they were equal.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Mask, Whole
from sfumato.table.people.packed import PackedRows, cells_in, joined
from sfumato.table.row_digest import digests, row_weights, scrambled

__all__ = ["Keeper", "Kept"]

Hashes = NDArray[np.uint64]

_FEW_BITS = 18
_FEW = 2**_FEW_BITS


class Kept(NamedTuple):
    """Persons in the order of their hashes; of each the rows that are kept, by their hashes."""

    hi: Hashes
    lo: Hashes
    sums: Hashes  # of two hashes of all rows of each person, kept or not, modulo 2⁶⁴
    start: Whole
    rows: PackedRows
    priority: Hashes


@dataclass(frozen=True)
class Keeper:
    """The rule, for rows of so many codes under one key."""

    most: int
    width: int
    key: bytes = field(repr=False)

    @cached_property
    def _weights(self) -> NDArray[np.uint64]:
        """Of two hashes of a row, and of its number: as secret as the key."""
        return row_weights(b"person's row" + self.key, self.width + 2, 3)

    def row_hashes(self, rows: PackedRows, which: int = 0) -> Hashes:
        """One of two hashes of each row with its person; equal rows of a person have equal ones."""
        columns = (rows[name] for name in (rows.dtype.names or ())[: self.width + 2])
        return digests(columns, self._weights[which], len(rows))

    def of(self, chunks: Iterable[PackedRows]) -> Kept:
        """NOT PRIVATE: of chunks that hold all of the rows that are equal to one of theirs.

        Several of them come in the order of complaints, if there are any.
        """
        chunks = iter(chunks)
        first = next(chunks)
        second = next(chunks, None)
        if second is None:
            return self._kept(first, *self._hashed(first, None))
        seen = _Seen.nothing().with_more(self.row_hashes(first))
        total = self._kept(first, *self._hashed(first, None))
        for rows in chain((second,), chunks):
            part = self._kept(rows, *self._hashed(rows, seen))
            seen = seen.with_more(self.row_hashes(rows))
            total = self.merged((total, part))
        return total

    def merged(self, parts: Iterable[Kept]) -> Kept:
        """NOT PRIVATE: of parts that may share persons, but no row with the same number."""
        given = list(parts)
        rows = joined([part.rows for part in given], given[0].rows.dtype)
        priority = np.concatenate([part.priority for part in given])
        found = self._kept(rows, np.zeros((len(rows), 2), np.uint64), priority)
        ids = _Ids(*(np.concatenate([getattr(p, name) for p in given]) for name in ("hi", "lo")))
        order = ids.order(np.zeros(len(ids.hi), np.uint64))
        begins = np.flatnonzero(ids.taken(order).begins)
        sums = np.concatenate([part.sums for part in given])[order]
        return found._replace(sums=_summed(sums, begins))

    def _hashed(self, rows: PackedRows, seen: "_Seen | None") -> tuple[Hashes, Hashes]:
        """Two hashes of each row, and one with its number among its equals."""
        base = self.row_hashes(rows)
        number = _occurrences(base, cells_in(rows))
        if seen is not None:
            number += seen.before(base)
        mixed = base + (number + np.uint64(1)) * (self._weights[2][0] | np.uint64(1))
        return np.stack([base, self.row_hashes(rows, 1)], axis=1), scrambled(mixed)

    def _kept(self, rows: PackedRows, hashes: Hashes, priority: Hashes) -> Kept:
        ids = _Ids(rows["hi"].copy(), rows["lo"].copy())
        order = ids.order(priority)
        ids = ids.taken(order)
        begins = np.flatnonzero(ids.begins)
        counts = np.diff(np.append(begins, len(rows)))
        if len(counts) and counts.max() > self.most:
            rank = np.arange(len(rows)) - np.repeat(begins, counts)
            chosen = order[rank < self.most]
        else:
            chosen = order
        start = np.append(0, np.cumsum(np.minimum(counts, self.most)))
        sums = _summed(hashes[order], begins)
        kept = rows.take(chosen)
        return Kept(ids.hi[begins], ids.lo[begins], sums, start, kept, priority[chosen])


class _Ids(NamedTuple):
    hi: Hashes
    lo: Hashes

    def taken(self, order: Whole) -> "_Ids":
        return _Ids(self.hi[order], self.lo[order])

    @property
    def begins(self) -> Mask:
        """Where another person begins than the one before."""
        other = np.ones(len(self.hi), np.bool_)
        other[1:] = (self.hi[1:] != self.hi[:-1]) | (self.lo[1:] != self.lo[:-1])
        return other

    def order(self, priority: Hashes) -> Whole:
        """By person, and the rows of each by their hashes."""
        if len(self.hi) <= _FEW:
            order = self._guessed(priority)
            hi, lo, by = self.hi[order], self.lo[order], priority[order]
            same = (hi[1:] == hi[:-1]) & (lo[1:] == lo[:-1]) & (by[1:] >= by[:-1])
            if (same | (hi[1:] > hi[:-1])).all():
                return order
        return np.lexsort((priority, self.lo, self.hi))

    def _guessed(self, priority: Hashes) -> Whole:
        """The same, unless hashes agree in many bits: numbers are sorted faster than places."""
        order = _places(self.hi)
        hi = self.hi[order]
        person = np.append(0, np.cumsum(hi[1:] != hi[:-1]))[: len(hi)].astype(np.uint64)
        share = np.uint64(64 - _FEW_BITS)
        return order[_places((person << share) | (priority[order] >> np.uint64(_FEW_BITS)))]


def _places(keys: Hashes) -> Whole:
    """Where the keys lie in order, by the bits that the places leave."""
    mask = np.uint64(_FEW - 1)
    found = (keys & ~mask) | np.arange(len(keys), dtype=np.uint64)
    found.sort()
    return (found & mask).astype(np.int64)


def _summed(hashes: Hashes, begins: Whole) -> Hashes:
    if not len(begins):
        return np.zeros((0, 2), np.uint64)
    return np.add.reduceat(hashes, begins, axis=0, dtype=np.uint64)


def _occurrences(base: Hashes, said: NDArray[np.unsignedinteger] | None = None) -> Hashes:
    """The number of each hash among the equal ones, from 0; by complaint, where there are any."""
    number = np.zeros(len(base), np.uint64)
    ordered = np.sort(base)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(repeated):
        return number
    place = np.minimum(np.searchsorted(repeated, base), len(repeated) - 1)
    which = np.flatnonzero(repeated[place] == base)
    if said is not None:
        which = which[np.argsort(said[which], kind="stable")]
    which = which[np.argsort(base[which], kind="stable")]
    found = base[which]
    begins = np.flatnonzero(np.append(True, found[1:] != found[:-1]))
    lengths = np.diff(np.append(begins, len(found)))
    number[which] = np.arange(len(found)) - np.repeat(begins, lengths)
    return number


class _Seen(NamedTuple):
    """How often each hash has occurred before."""

    hashes: Hashes
    counts: Hashes

    @classmethod
    def nothing(cls) -> "_Seen":
        return cls(np.empty(0, np.uint64), np.empty(0, np.uint64))

    def before(self, base: Hashes) -> Hashes:
        if not len(self.hashes):
            return np.zeros(len(base), np.uint64)
        place = np.minimum(np.searchsorted(self.hashes, base), len(self.hashes) - 1)
        return np.where(self.hashes[place] == base, self.counts[place], np.uint64(0))

    def with_more(self, base: Hashes) -> "_Seen":
        new, counts = np.unique(base, return_counts=True)
        hashes, inverse = np.unique(np.concatenate([self.hashes, new]), return_inverse=True)
        total = np.zeros(len(hashes), np.uint64)
        np.add.at(total, inverse, np.concatenate([self.counts, counts.astype(np.uint64)]))
        return _Seen(hashes, total)
