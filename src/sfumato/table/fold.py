"""What is sent to where records are: encode them, add them up, and hand a small answer back.

A task is a frozen value without locks or open files, so that an engine may send it anywhere, run
it twice and throw one answer away (`sfumato.table.totals`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import DataError
from sfumato.numeric.arrays import Codes, Mask
from sfumato.schema.domain import Domain
from sfumato.table.complaint import Complaints
from sfumato.table.encode import encode, read
from sfumato.table.source import BATCH_ROWS, Inside, broken_off
from sfumato.table.statistic import Statistic
from sfumato.table.totals import Totals, TotalsTask

__all__ = ["FoldTask", "coded", "cut", "to_its_end"]

T = TypeVar("T")

_MOST_BYTES = 2**27  # of texts that are worked on at a time, unless a single record has more
# One thread of a process at a time: many short steps get in each other's way in Python's lock,
# but not in that of the long ones that statistics take.
_ENCODING = Lock()


@dataclass(frozen=True, eq=False)
class FoldTask(TotalsTask[pa.RecordBatch]):
    """Statistics of the records of a partition, and others of all of them, whichever are inside."""

    domain: Domain
    statistics: tuple[Statistic[Any], ...]
    whole: tuple[Statistic[Any], ...] = ()
    inside: Inside | None = None

    @property
    def columns(self) -> list[str]:
        """What it reads."""
        return [axis.name for axis in self.domain.axes]

    @property
    def _all(self) -> tuple[Statistic[Any], ...]:
        return (*self.statistics, *self.whole)

    def _totals(self, batches: Iterable[pa.RecordBatch]) -> Totals:
        totals, counted = list(self.zero()), len(self.statistics)
        for codes, said in self._read(batches):
            table: dict[str, NDArray[Any]] = {"codes": codes, "complaints": said}
            part = table if self.inside is None else _rows_of(table, self.inside.of(codes))
            for k, each in enumerate(self._all):
                seen = part if k < counted else table
                totals[k] = each.add(totals[k], seen[each.reads])
        return tuple(totals)

    def _read(self, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[Codes, Complaints]]:
        complaints = any(each.reads == "complaints" for each in self._all)
        for batch in to_its_end(batches):
            for piece in cut(batch):
                if complaints:
                    yield coded(read, self.domain, piece)
                else:
                    yield coded(encode, self.domain, piece), _NOTHING_SAID


_NOTHING_SAID: Complaints = np.empty((0, 0), np.uint8)  # nobody asked


def _rows_of(table: Mapping[str, NDArray[Any]], which: Mask) -> dict[str, NDArray[Any]]:
    """Column by column in memory, as all records are."""
    return {
        name: read if read is _NOTHING_SAID else np.asfortranarray(read[which])
        for name, read in table.items()
    }


def to_its_end(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """All batches; where reading breaks off, a refusal without what the error says."""
    try:
        yield from batches
    except DataError:  # in words of ours
        raise
    except Exception as error:
        reason = broken_off(error)
    else:
        return
    raise DataError(reason)  # here, because the error above may quote a record


def coded(rule: Callable[[Domain, pa.RecordBatch], T], domain: Domain, batch: pa.RecordBatch) -> T:
    """NOT PRIVATE: a batch by `encode` or `read`; a last line of defence, for neither raises."""
    try:
        with _ENCODING:
            return rule(domain, batch)
    except Exception as error:
        reason = broken_off(error)
    raise DataError(reason)


def cut(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The batch in pieces that take little memory."""
    for start in range(0, batch.num_rows, BATCH_ROWS):
        yield from _small(batch.slice(start, BATCH_ROWS))


def _small(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The batch, in halves of halves where its texts together would take too much memory."""
    half = batch.num_rows // 2
    if half and sum(c.nbytes for c in batch.columns if _is_text(c.type)) > _MOST_BYTES:
        yield from _small(batch.slice(0, half))
        yield from _small(batch.slice(half))
    else:
        yield batch


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
