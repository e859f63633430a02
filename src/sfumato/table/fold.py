"""What is sent to where records are: encode them, add them up, and hand a small answer back.

A task is a frozen value without locks or open files, so that an engine may send it anywhere, run
it twice and throw one answer away.  It answers once for all batches of a partition, in bytes.
What goes wrong on the way is caught there and comes back as a marker: an error that travelled
could quote a record.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import DataError
from sfumato.numeric.arrays import Codes, Mask
from sfumato.numeric.threads import one_blas_thread
from sfumato.schema.domain import Domain
from sfumato.table.complaint import Complaints
from sfumato.table.encode import encode, read
from sfumato.table.source import BATCH_ROWS, Inside, broken_off
from sfumato.table.statistic import Statistic

__all__ = ["FoldTask", "coded", "cut", "to_its_end"]

T = TypeVar("T")

_MOST_BYTES = 2**27  # of texts that are worked on at a time, unless a single record has more
# One thread of a process at a time: many short steps get in each other's way in Python's lock,
# but not in that of the long ones that statistics take.
_ENCODING = Lock()

Totals = tuple[Any, ...]


@dataclass(frozen=True)
class Failed:
    """The marker of a partition that was not counted; the words are ours, of the data or not."""

    words: str
    of_data: bool

    def error(self) -> Exception:
        """What is raised for it where the answers are wanted."""
        return DataError(self.words) if self.of_data else RuntimeError(self.words)


@dataclass(frozen=True, eq=False)
class FoldTask:
    """Statistics of the records of a partition, and others of all of them, whichever are inside."""

    domain: Domain
    statistics: tuple[Statistic[Any], ...]
    whole: tuple[Statistic[Any], ...] = ()
    inside: Inside | None = None

    @property
    def columns(self) -> list[str]:
        """What it reads."""
        return [axis.name for axis in self.domain.axes]

    def zero(self) -> Totals:
        """Of no records: its size is that of every answer."""
        return tuple(each.zero() for each in self._all)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> bytes:
        """NOT PRIVATE: the totals of all records of these batches, or the marker of a failure."""
        try:
            with one_blas_thread:
                return pickle.dumps(self._totals(batches), protocol=5)
        except Exception as error:  # whatever it is, it may quote a record
            return pickle.dumps(_failed(error))

    def merged(self, answers: Iterable[bytes]) -> bytes:
        """NOT PRIVATE: one answer for several partitions, for engines that merge by trees."""
        try:
            return pickle.dumps(self._total(answers), protocol=5)
        except Exception as error:
            return pickle.dumps(_failed(error))

    def total(self, answers: Iterable[bytes]) -> Totals:
        """NOT PRIVATE: the totals of all partitions; raises what a marker stands for."""
        found = self._total(answers)
        if isinstance(found, Failed):
            raise found.error()
        return found

    def _total(self, answers: Iterable[bytes]) -> Totals | Failed:
        """The first marker, if there is any, in place of the totals."""
        total: Totals | None = None
        for answer in answers:
            found = pickle.loads(answer)  # noqa: S301  our own, from a task of our own
            if isinstance(found, Failed):
                return found
            total = found if total is None else self._merged(total, found)
        return self.zero() if total is None else total

    def _merged(self, a: Totals, b: Totals) -> Totals:
        return tuple(each.merge(x, y) for each, x, y in zip(self._all, a, b, strict=True))

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


def _failed(error: Exception) -> Failed:
    if isinstance(error, DataError):
        return Failed(str(error), of_data=True)
    # By its type alone: an error of NumPy names the number that it met.
    return Failed(f"the records could not be counted ({type(error).__name__})", of_data=False)


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
