"""Rows to persons in bounded memory: piles by hash of the id, each of them grouped at a time.

What is more than `rows` rows is split by six bits of the id hash, twice if need be.  What is too
many even then is one person with very many rows, or few such, and is split by hashes of rows,
cut to the public number in each part, and put together: a row is kept among all if it is kept
among the rows of its part, so the cut is exact.  Nothing is ever sorted as a whole.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Mask, Whole
from sfumato.schema.domain import MISSING, Axis, Domain, Grid
from sfumato.table.first_complaint import ComplaintCells
from sfumato.table.people.keep import Keeper, Kept
from sfumato.table.people.layout import PeopleLayout
from sfumato.table.people.packed import PackedRows, Packer, cells_in, codes_in
from sfumato.table.people.panel import Panel
from sfumato.table.people.pile import Pile, by_digit, digit, piles_by
from sfumato.table.people.store import HELD, Store

__all__ = ["Found", "Grouping", "Room"]

_ID_LEVELS = 2  # digits of id hashes before those of rows
_ROW_LEVELS = 2
_NESTED = 4  # times as little memory for what is split once more


class Found(NamedTuple):
    """Some persons, and what their rows add to the fingerprint, those that were cut too."""

    panel: Panel
    sums: NDArray[np.uint64]


@dataclass(frozen=True)
class Room:
    """How much memory is taken: rows that are grouped at a time, bytes before the disk is used."""

    rows: int = 2**18
    held: int = HELD


@dataclass(frozen=True, eq=False)
class Grouping:
    """How packed rows of one table, or of two, become persons: the same wherever it is done."""

    domain: Domain
    layout: PeopleLayout
    key: bytes = field(repr=False)
    room: Room = Room()
    complaints: bool = False  # whether rows come with what is said against them

    @cached_property
    def _cells(self) -> ComplaintCells | None:
        return ComplaintCells(self.domain) if self.complaints else None

    @cached_property
    def row_packer(self) -> Packer:
        """Of the table of rows; what is constant comes with every row, unless it has a table."""
        constants = () if self.layout.linked else self.layout.person_axes(self.domain)
        axes = (*constants, *self.layout.row_axes(self.domain))
        return Packer(self.domain, axes, self.layout.ids, self.key, self._cells)

    @cached_property
    def person_packer(self) -> Packer | None:
        """Of the table of persons, if there is one."""
        if self.layout.key is None:
            return None
        axes = self.layout.person_axes(self.domain)
        return Packer(self.domain, axes, self.layout.key, self.key, self._cells)

    @cached_property
    def _keepers(self) -> tuple[Keeper, Keeper]:
        """Of persons, of whom one row counts, and of rows."""
        persons = len(self.layout.constants)
        return (
            Keeper(1, persons, self.key + b" of persons"),
            Keeper(self.layout.most, len(self.row_packer.axes), self.key),
        )

    def of(self, tagged: Iterable[tuple[bool, PackedRows]]) -> Iterator[Found]:
        """NOT PRIVATE: all persons; rows come with whether they are of the table of rows."""
        with Store(self.room.held) as store:
            for piles in self._gathered(tagged, store):
                yield from self._grouped(piles, 1)

    def _gathered(self, tagged: Iterable[tuple[bool, PackedRows]], store: Store) -> "list[_Piles]":
        """One pair of piles, or one for each digit once there are too many rows."""
        all_piles = [self._piles(store)]
        for of_rows, rows in tagged:
            if len(all_piles) == 1:
                all_piles[0][of_rows].add(rows)
                if _size(all_piles[0]) > self.room.rows:
                    all_piles = _split(all_piles[0], 0, store)
            else:
                for number, some in by_digit(rows, digit(rows["hi"], 0)):
                    all_piles[number][of_rows].add(some)
        return all_piles

    def _piles(self, store: Store) -> "_Piles":
        packers = (self.person_packer or self.row_packer, self.row_packer)
        return Pile(store, packers[0].type), Pile(store, packers[1].type)

    def _grouped(self, piles: "_Piles", level: int) -> Iterator[Found]:
        if not _size(piles):
            return
        if _size(piles) <= self.room.rows or level > _ID_LEVELS:
            rows = self._cut(1, piles[1], 0)
            if not self.layout.linked:
                yield self._alone(rows)
            elif piles[0].rows:  # else nobody is there
                yield self._linked(self._cut(0, piles[0], 0), rows)
            return
        with Store(self.room.held // _NESTED) as store:
            for part in _split(piles, level, store):
                yield from self._grouped(part, level + 1)

    def _cut(self, table: int, pile: Pile, level: int) -> Kept:
        """The rows that are kept; in parts that have no equal rows in common if there are many."""
        keeper = self._keepers[table]
        if pile.rows <= self.room.rows:
            return keeper.of([pile.whole()])
        with Store(self.room.held // _NESTED) as store:
            if level == _ROW_LEVELS:  # the same rows again and again
                return keeper.of(pile.by_complaint(store))
            digits = ((rows, digit(keeper.row_hashes(rows), level)) for rows in pile.chunks())
            parts = [part for part in piles_by(digits, pile, store) if part.rows]
            cut = (self._cut(table, part, level + 1) for part in parts)
            return reduce(lambda a, b: keeper.merged((a, b)), cut)

    def _alone(self, kept: Kept) -> Found:
        """Constants are the first values that are not missing, in the order of the kept rows."""
        axes, width = self.row_packer.axes, len(self.layout.constants)
        rows = self._ordered(kept, axes)
        codes = codes_in(rows, range(len(axes)))
        found = np.empty((len(kept.hi), width), np.int32, order="F")
        for place, axis in enumerate(axes[:width]):
            found[:, place] = _first_there(codes[:, place], kept.start, _missing(axis))
        sums = kept.sums.sum(axis=0, dtype=np.uint64)
        return Found(Panel(found, kept.start, codes[:, width:], _said(rows)), sums)

    def _linked(self, persons: Kept, kept: Kept) -> Found:
        """Rows whose person is in no table of persons are left out."""
        whose, owned = _matched(persons, kept)
        counts = np.zeros(len(persons.hi), np.int64)
        counts[whose] = np.diff(kept.start)[owned]
        axes = self.row_packer.axes
        mine = np.flatnonzero(np.repeat(owned, np.diff(kept.start)))
        rows = self._ordered(kept, axes).take(mine)
        sums = persons.sums.sum(axis=0, dtype=np.uint64)
        sums += kept.sums[owned].sum(axis=0, dtype=np.uint64)
        constants = codes_in(persons.rows, range(len(self.layout.constants)))
        start, codes = np.append(0, np.cumsum(counts)), codes_in(rows, range(len(axes)))
        return Found(Panel(constants, start, codes, _said(rows), _said(persons.rows)), sums)

    def _ordered(self, kept: Kept, axes: tuple[Axis, ...]) -> PackedRows:
        """Of each person by the order, and by the hash where that is equal or there is none."""
        if self.layout.order is None:
            return kept.rows
        place = [axis.name for axis in axes].index(self.layout.order)
        owner = np.repeat(np.arange(len(kept.hi)), np.diff(kept.start))
        order = np.argsort((owner << 32) + kept.rows[str(place)], kind="stable")
        return kept.rows.take(order)


_Piles = tuple[Pile, Pile]  # of persons, which may be none, and of rows


def _size(piles: _Piles) -> int:
    return piles[0].rows + piles[1].rows


def _split(piles: _Piles, level: int, store: Store) -> list[_Piles]:
    persons, rows = (
        piles_by(((some, digit(some["hi"], level)) for some in pile.chunks()), pile, store)
        for pile in piles
    )
    return list(zip(persons, rows, strict=True))


def _said(rows: PackedRows) -> NDArray[np.unsignedinteger] | None:
    """By itself, so that the rows need not be held."""
    cells = cells_in(rows)
    return None if cells is None else cells.copy()


def _missing(axis: Axis) -> int | None:
    if not axis.missing:
        return None
    return MISSING if isinstance(axis, Grid) else axis.codes - 1


def _first_there(codes: NDArray[np.int32], start: Whole, missing: int | None) -> NDArray[np.int32]:
    """Of each person the first code that is not missing; persons have a row at least.

    >>> _first_there(np.array([-1, 4, 5, -1], np.int32), np.array([0, 3, 4]), -1).tolist()
    [4, -1]
    """
    if missing is None or not len(codes):
        return codes[start[:-1]]
    places = np.where(codes == missing, len(codes), np.arange(len(codes)))
    first = np.minimum.reduceat(places, start[:-1])
    return np.where(first < len(codes), codes[np.minimum(first, len(codes) - 1)], missing)


def _matched(persons: Kept, kept: Kept) -> tuple[Whole, Mask]:
    """The places of persons who have rows, and which owners of rows are among the persons."""
    hi, lo = np.append(persons.hi, kept.hi), np.append(persons.lo, kept.lo)
    order = np.lexsort((lo, hi))  # stable: of two that are equal the person comes first
    hi, lo = hi[order], lo[order]
    same = np.flatnonzero((hi[1:] == hi[:-1]) & (lo[1:] == lo[:-1]))
    owned = np.zeros(len(kept.hi), np.bool_)
    owned[order[same + 1] - len(persons.hi)] = True
    return order[same], owned
