"""Persons where their records are: rows go to the bucket of their person, and are grouped there.

What travels are packed rows, codes and keyed hashes of ids, in bytes with a mark of their table;
no id does.  A row's bucket follows from the hash of its id alone, so that all rows of a person, of
both tables, meet in one bucket, whoever reads them and however often a task is repeated.
"""

import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.table.fold import cut, to_its_end
from sfumato.table.people.grouping import Grouping
from sfumato.table.people.packed import PackedRows, Packer, joined
from sfumato.table.people.panel import PeopleStatistic
from sfumato.table.people.tally import PeopleTally
from sfumato.table.totals import Failed, Totals, TotalsTask, failed

__all__ = ["GatherTask", "ScatterTask"]

_PERSONS, _ROWS, _FAILED = b"p", b"r", b"!"
_TOGETHER = 2**17  # rows


@dataclass(frozen=True, eq=False)
class ScatterTask:
    """The rows of a partition by the bucket of their person."""

    packer: Packer
    of_rows: bool

    @property
    def columns(self) -> Sequence[str]:
        """What it reads."""
        return self.packer.columns

    def __call__(
        self, batches: Iterable[pa.RecordBatch], buckets: int
    ) -> Iterator[tuple[int, bytes]]:
        """NOT PRIVATE: a bucket and some of its rows in bytes, or the marker of a failure."""
        mark = _ROWS if self.of_rows else _PERSONS
        try:
            for some in self._packed(batches):
                for bucket, rows in _by_bucket(some, buckets):
                    yield bucket, mark + rows.tobytes()
        except Exception as error:  # whatever it is, it may quote a record
            yield 0, _FAILED + pickle.dumps(failed(error))

    def _packed(self, batches: Iterable[pa.RecordBatch]) -> Iterator[PackedRows]:
        """Many rows at a time, so that there are some for every bucket."""
        held: list[PackedRows] = []
        for piece in (piece for batch in to_its_end(batches) for piece in cut(batch)):
            held.append(self.packer(piece))
            if sum(map(len, held)) >= _TOGETHER:
                yield joined(held, self.packer.type)
                held.clear()
        yield joined(held, self.packer.type)


def _by_bucket(rows: PackedRows, buckets: int) -> Iterator[tuple[int, PackedRows]]:
    number = (rows["lo"] % np.uint64(buckets)).astype(np.int64)
    order = np.argsort(number, kind="stable")
    ends = np.cumsum(np.bincount(number, minlength=buckets))
    for bucket, some in enumerate(np.split(rows.take(order), ends[:-1])):
        if len(some):
            yield bucket, some


@dataclass(frozen=True, eq=False)
class GatherTask(TotalsTask[bytes]):
    """Statistics of the persons of some buckets; the last total is their tally."""

    grouping: Grouping
    statistics: tuple[PeopleStatistic[Any], ...]

    @property
    def _all(self) -> tuple[Any, ...]:
        return (*self.statistics, PeopleTally())

    def _totals(self, items: Iterable[bytes]) -> Totals:
        *totals, tally = self.zero()
        for panel, sums in self.grouping.of(map(self._unpacked, items)):
            for k, each in enumerate(self.statistics):
                totals[k] = each.add(totals[k], panel)
            tally = tally.with_more(panel.persons, sums)
        return (*totals, tally)

    def _unpacked(self, item: bytes) -> tuple[bool, PackedRows]:
        if item[:1] == _FAILED:
            marker: Failed = pickle.loads(item[1:])  # noqa: S301  our own
            raise marker.error()
        of_rows = item[:1] == _ROWS
        packer = self.grouping.person_packer
        kind = self.grouping.row_packer.type if of_rows or packer is None else packer.type
        rows = np.frombuffer(item, f"V{kind.itemsize}", offset=1)
        return of_rows, joined([rows], kind)
