"""Tables that differ in one record, made of nothing but the public domain.

No data is involved: an audit asks what *any* table could show, and the worst ones are made
of extremes.  Four fixed records balance the directions in which one more can tip a table.

>>> from sfumato.schema import Schema
>>> domain = Domain.of(Schema.of({"name": "t", "columns": {
...     "level": {"kind": "integer", "low": 0, "high": 9}, "sick": {"kind": "boolean"}}}))
>>> [neighbour.text for neighbour in neighbours(domain)][:3]
['level=0, sick=False', 'level=9, sick=True', 'level=0, sick=True']
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import pyarrow as pa

from sfumato.inspection.audit.persons import people_of, persons
from sfumato.numeric.arrays import Codes
from sfumato.render.decode import Decoder
from sfumato.schema.arrow import arrow_schema
from sfumato.schema.domain import MISSING, Axis, Domain, Grid
from sfumato.table.encode import encode
from sfumato.table.mapped import EachPart, Mapped, part_number
from sfumato.table.people.people import People
from sfumato.table.records import Records
from sfumato.table.source import open_source
from sfumato.table.statistic import Statistic, folded

__all__ = [
    "ABSENT",
    "Encoded",
    "Neighbour",
    "candidates",
    "extremes",
    "levels",
    "neighbours",
    "with_one",
]

T = TypeVar("T")
ABSENT = "(no such record)"


class Encoded(Records):
    """Records that were encoded once and are handed out again and again, part by part."""

    def __init__(self, parts: Sequence[Codes], domain: Domain) -> None:
        super().__init__(open_source(arrow_schema(domain).empty_table()), domain)
        none = np.empty((0, len(domain.axes)), np.int32)
        self._parts = [part for part in parts if len(part)] or [none]

    def fold(self, statistic: Statistic[T]) -> T:
        """As for records that are read anew."""
        return folded(statistic, self._parts)

    def parts(self) -> Iterator[Codes]:
        """As they were given."""
        return iter(self._parts)

    def map(self, each: EachPart[T]) -> Mapped[T]:
        """At once, so that a record-wise method has measured before it is rendered."""
        made = {part_number(k): each(part_number(k), part) for k, part in enumerate(self._parts)}
        return Mapped(self, lambda number, _: made[number])


def _ends(axis: Axis) -> tuple[int, int]:
    return 0, axis.points if isinstance(axis, Grid) else max(len(axis.values) - 1, 0)


def extremes(domain: Domain) -> list[Codes]:
    """All low, all high, and the two ways to alternate."""
    ends = np.array([_ends(axis) for axis in domain.axes], np.int32)
    each = np.arange(len(ends))
    return [ends[each, which] for which in (each * 0, each * 0 + 1, each % 2, 1 - each % 2)]


def levels(axis: Axis) -> list[int]:
    """What one column can be: all of its levels, or the ends and the middle of a range."""
    if not isinstance(axis, Grid):
        return list(range(axis.codes))
    inside = [0, axis.middle, axis.points]
    return [*inside, MISSING] if axis.missing else inside


def candidates(domain: Domain) -> list[Codes]:
    """Records at the extremes and in the middle, then the first two with one column changed.

    Last come records with values that no schema allows, as they are encoded.
    """
    middle = [axis.middle if isinstance(axis, Grid) else 0 for axis in domain.axes]
    found = [*extremes(domain), np.array(middle, np.int32)]
    for base in found[:2]:
        for j, axis in enumerate(domain.axes):
            for level in levels(axis):
                changed = base.copy()
                changed[j] = level
                found.append(changed)
    gaps = [MISSING if isinstance(a, Grid) else a.codes - 1 for a in domain.axes if a.missing]
    if gaps:
        missing = found[0].copy()
        missing[[a.missing for a in domain.axes]] = gaps
        found.append(missing)
    again = encode(domain, Decoder(domain).batch(np.array(found, np.int32)))
    rows = [*again, *encode(domain, _wild(domain))]
    return list({row.tobytes(): np.ascontiguousarray(row) for row in rows}.values())


def _wild(domain: Domain) -> pa.RecordBatch:
    """Values far outside every range, and none at all."""
    numbers = pa.array([1e300, -1e300, float("inf"), float("nan"), None, 2.0**40])
    moments = pa.array([2**39, -(2**39), 2**62, -(2**62), None, 2**35], pa.timestamp("s"))
    words = pa.array(["?", "", "no such value", "nan", None, "-1"])
    kinds = {"date": moments, "number": numbers, "integer": numbers}
    columns = {axis.name: kinds.get(axis.column.kind, words) for axis in domain.axes}
    return pa.RecordBatch.from_pydict(columns)


@dataclass(frozen=True)
class Neighbour:
    """A table of some records and, unless it is absent, one more; or of persons, and one more."""

    domain: Domain
    base: Codes
    last: Codes  # one row, or none; where a person is the unit, all of their rows
    whole: bool = False  # whether all records come in one batch, or the last one in its own

    @cached_property
    def records(self) -> Encoded | People:
        """As a method reads them."""
        if self.domain.schema.people is not None:
            return people_of(self.domain, self.base, self.last, whole=self.whole)
        parts = [self.base, self.last]
        return Encoded([np.concatenate(parts)] if self.whole else parts, self.domain)

    @cached_property
    def text(self) -> str:
        """The last record by the levels of the public domain."""
        more = max(len(self.last) - 1, 0)
        return spelt(self.domain, self.last) + (f", and {more} rows more" if more else "")


def with_one(domain: Domain, rows: Codes) -> list[Codes]:
    """What may differ between neighbours: one of these rows, or one person who has some of them."""
    if domain.schema.people is not None:
        return persons(domain, rows)
    return [rows[k : k + 1] for k in range(len(rows))]


def neighbours(domain: Domain) -> list[Neighbour]:
    """The fixed records with each candidate; under add-remove, first without any.

    Under replace-one any two of these are neighbours, under add-remove the first and
    any other.
    """
    fixed = np.array(extremes(domain), np.int32)
    last = with_one(domain, np.array(candidates(domain), np.int32))
    if domain.schema.neighbours == "add-remove":
        last = [fixed[:0], *last]
    return [Neighbour(domain, fixed, rows) for rows in last]


def spelt(domain: Domain, rows: Codes) -> str:
    """The first of these records in words; codes that the domain does not have as they are."""
    if not len(rows):
        return ABSENT
    said = []
    for axis, code in zip(domain.axes, rows[0].tolist(), strict=True):
        low = MISSING if axis.missing and isinstance(axis, Grid) else 0
        high = axis.points if isinstance(axis, Grid) else axis.codes - 1
        if not low <= code <= high:
            said.append(f"{axis.name}=code {code}")
            continue
        alone = Decoder(Domain(domain.schema, (axis,)))
        value = alone.batch(np.array([[code]], np.int32)).column(0)[0].as_py()
        said.append(f"{axis.name}={'missing' if value is None else value}")
    return ", ".join(said)
