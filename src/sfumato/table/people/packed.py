"""A row in few bytes: the keyed hash of its person, and its codes in small whole numbers.

Where it is asked for, the cell of its first complaint is behind them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.numeric.arrays import Codes
from sfumato.schema.domain import Axis, Domain
from sfumato.table.encode import encode, read
from sfumato.table.first_complaint import ComplaintCells
from sfumato.table.fold import coded
from sfumato.table.people.person_id import id_hashes

__all__ = ["PackedRows", "Packer", "cells_in", "codes_in", "joined", "small_type", "with_codes"]

PackedRows = NDArray[Any]  # a struct per row: two numbers of the hash, then a code per axis
_SAID = "said"


def small_type(axes: tuple[Axis, ...]) -> list[tuple[str, str]]:
    """Of each axis the smallest type that holds its codes, those below zero too; by its place.

    >>> from sfumato.schema import Schema
    >>> schema = Schema.of({"name": "t", "columns": {"a": {"kind": "boolean"}}})
    >>> small_type(Domain.of(schema).axes)
    [('0', '|i1')]
    """
    return [(str(k), np.min_scalar_type(-axis.codes - 1).str) for k, axis in enumerate(axes)]


def codes_in(rows: PackedRows, places: range) -> Codes:
    """The codes of these axes, a column each."""
    codes = np.empty((len(rows), len(places)), np.int32, order="F")
    for column, place in enumerate(places):
        codes[:, column] = rows[str(place)]
    return codes


def cells_in(rows: PackedRows) -> NDArray[np.unsignedinteger] | None:
    """The cell of each row's first complaint, where that was asked for."""
    return rows[_SAID] if _SAID in (rows.dtype.names or ()) else None


def with_codes(rows: PackedRows, codes: Codes) -> PackedRows:
    """The same rows, with these codes written into them."""
    for place, column in enumerate(codes.T):
        rows[str(place)] = column
    return rows


def joined(parts: Iterable[PackedRows], kind: np.dtype[Any]) -> PackedRows:
    """All in one, as bytes: NumPy would copy them field by field."""
    plain = np.dtype(f"V{kind.itemsize}")
    return np.concatenate([np.empty(0, plain), *(part.view(plain) for part in parts)]).view(kind)


@dataclass(frozen=True, eq=False)
class Packer:
    """Batches of a source as packed rows; those without an id are left out."""

    domain: Domain
    axes: tuple[Axis, ...]
    ids: tuple[str, ...]
    key: bytes = field(repr=False)
    cells: ComplaintCells | None = None  # in which to say what does not fit

    @cached_property
    def type(self) -> np.dtype[Any]:
        """Of a packed row."""
        said = [] if self.cells is None else [(_SAID, self.cells.type.str)]
        return np.dtype([("hi", "<u8"), ("lo", "<u8"), *small_type(self.axes), *said])

    @property
    def columns(self) -> list[str]:
        """What is read of the source."""
        return [*self.ids, *(axis.name for axis in self.axes)]

    def __call__(self, batch: pa.RecordBatch) -> PackedRows:
        """NOT PRIVATE: the rows of a batch."""
        hashes, there = coded(self._ids, self.domain, batch)
        rows = np.empty(len(hashes), self.type)
        rows["hi"], rows["lo"] = hashes[:, 0], hashes[:, 1]
        own = Domain(self.domain.schema, self.axes)
        if self.cells is None:
            codes = coded(encode, own, batch)
        else:
            codes, complaints = coded(read, own, batch)
            rows[_SAID] = self.cells.of(complaints, self.axes)
        rows = with_codes(rows, codes)
        return rows if there.all() else rows[there]

    def _ids(self, _domain: Domain, batch: pa.RecordBatch) -> Any:
        return id_hashes(batch, self.ids, self.key)
