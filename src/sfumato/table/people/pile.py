"""Packed rows on the way to their persons: piled up, and split by digits of hashes."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.table.people.packed import PackedRows, cells_in, joined
from sfumato.table.people.store import Piece, Store

__all__ = ["Pile", "by_digit", "digit", "piles_by"]

_BITS = 6
_DIGITS = 2**_BITS
_PIECE = 2**14  # rows that are put away together


class Pile:
    """Rows in no order, in a store."""

    def __init__(self, store: Store, kind: np.dtype[Any]) -> None:
        self._store, self._kind, self.rows = store, kind, 0
        self._pieces: list[Piece] = []
        self._loose: list[PackedRows] = []
        self._waiting = 0

    def add(self, rows: PackedRows) -> None:
        """Some more."""
        self._loose.append(rows)
        self._waiting += len(rows)
        self.rows += len(rows)
        if self._waiting >= _PIECE:
            self._pieces.append(self._store.put(joined(self._loose, self._kind)))
            self._loose, self._waiting = [], 0

    def chunks(self) -> Iterator[PackedRows]:
        """All rows, so many at a time."""
        for piece in self._pieces:
            yield self._store.get(piece)
        yield from self._loose

    def whole(self) -> PackedRows:
        """All rows at once."""
        return joined(self.chunks(), self._kind)

    def by_complaint(self, store: Store) -> Iterator[PackedRows]:
        """All rows, so many at a time: those that fit first, then by their first complaint."""
        piles: dict[int, Pile] = {}
        for rows in self.chunks():
            if (said := cells_in(rows)) is None:
                yield rows
                continue
            for cell in np.unique(said).tolist():
                pile = piles.setdefault(cell, self.empty(store))
                pile.add(rows.take(np.flatnonzero(said == cell)))
        for _, pile in sorted(piles.items()):
            yield from pile.chunks()

    def empty(self, store: Store) -> "Pile":
        """Another one for the same kind of rows."""
        return Pile(store, self._kind)


def digit(hashes: NDArray[np.uint64], level: int) -> NDArray[np.uint8]:
    """Six bits of each hash, the highest first.

    >>> digit(np.array([2**63 + 2**58, 2**52], np.uint64), 0).tolist()
    [33, 0]
    >>> digit(np.array([2**63 + 2**58, 2**52], np.uint64), 1).tolist()
    [0, 1]
    """
    found = (hashes >> np.uint64(64 - _BITS * (level + 1))) & np.uint64(_DIGITS - 1)
    return found.astype(np.uint8)


def by_digit(rows: PackedRows, digits: NDArray[np.uint8]) -> Iterator[tuple[int, PackedRows]]:
    """The rows of each digit that occurs."""
    rows = rows.take(np.argsort(digits, kind="stable"))  # several times as fast as an index
    ends = np.cumsum(np.bincount(digits, minlength=_DIGITS))
    for number, some in enumerate(np.split(rows, ends[:-1])):
        if len(some):
            yield number, joined([some], some.dtype)  # a view would hold on to all the others


def piles_by(
    chunks: Iterable[tuple[PackedRows, NDArray[np.uint8]]], like: Pile, store: Store
) -> list[Pile]:
    """Rows with their digits, in a pile for each digit."""
    piles = [like.empty(store) for _ in range(_DIGITS)]
    for rows, digits in chunks:
        for number, some in by_digit(rows, digits):
            piles[number].add(some)
    return piles
