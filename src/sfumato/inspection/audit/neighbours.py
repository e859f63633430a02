"""Tables that differ in one record, made of nothing but the public domain.

No data is involved: an audit asks what *any* table could show, and the worst ones are made
of extremes.  Four fixed records balance the directions in which one more can tip a table.

>>> from sfumato.schema import Schema
>>> domain = Domain.of(Schema.of({"name": "t", "columns": {
...     "level": {"kind": "integer", "low": 0, "high": 9}, "sick": {"kind": "boolean"}}}))
>>> [neighbour.text for neighbour in neighbours(domain)][:3]
['level=0, sick=False', 'level=9, sick=True', 'level=0, sick=True']
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pyarrow as pa

from sfumato.domain import MISSING, Axis, Domain, Grid
from sfumato.render.decode import Decoder
from sfumato.table.records import Codes, Records
from sfumato.table.source import open_source

__all__ = ["ABSENT", "Encoded", "Neighbour", "candidates", "neighbours"]

T = TypeVar("T")
ABSENT = "(no such record)"


class Encoded(Records):
    """Records that were encoded once and are handed out again and again."""

    def __init__(self, table: pa.Table, domain: Domain) -> None:
        super().__init__(open_source(table), domain)
        self._parts = list(super().map(lambda codes: codes))
        self._empty = np.empty((0, len(domain.axes)), np.int32)

    def reduce(self, partial: Callable[[Codes], T], merge: Callable[[T, T], T]) -> T:
        """As for records that are read anew."""
        first, *rest = self._parts or [self._empty]
        total = partial(first)
        for codes in rest:
            total = merge(total, partial(codes))
        return total

    def map(self, change: Callable[[Codes], T]) -> Iterator[T]:
        """At once, so that a record-wise method has measured before it is rendered."""
        return iter([change(codes) for codes in self._parts])


def _ends(axis: Axis) -> tuple[int, int]:
    return 0, axis.points if isinstance(axis, Grid) else max(len(axis.values) - 1, 0)


def _extremes(domain: Domain) -> list[Codes]:
    """All low, all high, and the two ways to alternate."""
    ends = np.array([_ends(axis) for axis in domain.axes], np.int32)
    each = np.arange(len(ends))
    return [ends[each, which] for which in (each * 0, each * 0 + 1, each % 2, 1 - each % 2)]


def _levels(axis: Axis) -> list[int]:
    """What one column can be: all of its levels, or the ends and the middle of a range."""
    if not isinstance(axis, Grid):
        return list(range(axis.codes))
    inside = [0, axis.middle, axis.points]
    return [*inside, MISSING] if axis.missing else inside


def candidates(domain: Domain) -> list[Codes]:
    """Records at the extremes and in the middle, then the first two with one column changed."""
    middle = [axis.middle if isinstance(axis, Grid) else 0 for axis in domain.axes]
    found = [*_extremes(domain), np.array(middle, np.int32)]
    for base in found[:2]:
        for j, axis in enumerate(domain.axes):
            for level in _levels(axis):
                changed = base.copy()
                changed[j] = level
                found.append(changed)
    gaps = [MISSING if isinstance(a, Grid) else a.codes - 1 for a in domain.axes if a.missing]
    if gaps:
        missing = found[0].copy()
        missing[[a.missing for a in domain.axes]] = gaps
        found.append(missing)
    return list({record.tobytes(): record for record in found}.values())


@dataclass(frozen=True)
class Neighbour:
    """A table whose last record is `text`, by the levels of the public domain."""

    text: str
    records: Encoded


def neighbours(domain: Domain) -> list[Neighbour]:
    """The fixed records with each candidate; under add-remove, first without any.

    Under replace-one any two of these are neighbours, under add-remove the first and
    any other.
    """
    decoder, fixed = Decoder(domain), _extremes(domain)
    last: list[list[Codes]] = [[record] for record in candidates(domain)]
    if domain.schema.neighbours == "add-remove":
        last = [[], *last]
    found = []
    for rows in last:
        batch = decoder.batch(np.array([*fixed, *rows], np.int32))
        text = _spelt(batch.slice(len(fixed))) if rows else ABSENT
        found.append(Neighbour(text, Encoded(pa.Table.from_batches([batch]), domain)))
    return found


def _spelt(batch: pa.RecordBatch) -> str:
    values = ((name, batch.column(name)[0].as_py()) for name in batch.schema.names)
    return ", ".join(f"{name}={'missing' if value is None else value}" for name, value in values)
