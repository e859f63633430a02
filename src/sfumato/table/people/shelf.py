"""Panels that were put away, to be read again by every later pass."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sfumato.numeric.arrays import Codes
from sfumato.schema.domain import Axis
from sfumato.table.people.packed import small_type
from sfumato.table.people.panel import Panel
from sfumato.table.people.store import HELD, Piece, Store

__all__ = ["Shelf"]


class _Place(NamedTuple):
    constants: list[Piece]
    start: Piece
    rows: list[Piece]
    said: list[Piece | None]  # against rows, and against persons


class Shelf:
    """Keeps codes in small whole numbers, in memory or on disk."""

    def __init__(
        self, constants: tuple[Axis, ...], rows: tuple[Axis, ...], held: int = HELD
    ) -> None:
        self._store, self._places = Store(held), list[_Place]()
        self._types = [[kind for _, kind in small_type(axes)] for axes in (constants, rows)]

    def put(self, panel: Panel) -> None:
        """Put it away."""
        constants, rows = self._types
        place = _Place(
            [self._store.put(codes.astype(t)) for codes, t in _paired(panel.constants, constants)],
            self._store.put(panel.start),
            [self._store.put(codes.astype(t)) for codes, t in _paired(panel.rows, rows)],
            [
                None if cells is None else self._store.put(cells)
                for cells in (panel.said, panel.person_said)
            ],
        )
        self._places.append(place)

    def __iter__(self) -> Iterator[Panel]:
        """All panels, in the order in which they came."""
        for place in self._places:
            start = self._store.get(place.start)
            constants = self._codes(place.constants, len(start) - 1)
            rows = self._codes(place.rows, int(start[-1]))
            said = (None if piece is None else self._store.get(piece) for piece in place.said)
            yield Panel(constants, start, rows, *said)

    def _codes(self, pieces: list[Piece], length: int) -> Codes:
        codes = np.empty((length, len(pieces)), np.int32, order="F")
        for column, piece in enumerate(pieces):
            codes[:, column] = self._store.get(piece)
        return codes


def _paired(codes: Codes, types: list[str]) -> Iterator[tuple[Codes, str]]:
    return zip(codes.T, types, strict=True)
