"""The two verbs over encoded records, and a keyed fingerprint taken on the way.

`reduce` folds partial statistics that are exact integers, so the result is the same for
every order and batching, and several batches can be worked on at a time; `map` hands
transformed batches on, one by one and in order.  The fingerprint is a keyed sum over
records: it does not depend on their order, on file names or formats.  Without the key,
which the ledger holds, nobody can test a guess against it; whoever may publish from that
ledger could, so the ledger belongs to those who may see the records.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterator
from contextlib import closing
from operator import add
from threading import Lock
from typing import TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.domain import Domain
from sfumato.errors import DataError
from sfumato.table.encode import encode
from sfumato.table.source import BATCH_ROWS, Source
from sfumato.table.workers import in_order

__all__ = ["Records"]

T = TypeVar("T")
_UNREADABLE = (OSError, OverflowError, pa.ArrowException)
Codes = NDArray[np.int32]
Mixed = NDArray[np.uint64]


class Records:
    """NOT PRIVATE: the records of a source as codes of the public grid."""

    def __init__(
        self,
        source: Source,
        domain: Domain,
        *,
        key: bytes | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self._source, self._domain, self._progress = source, domain, progress
        self._key = key
        self._fingerprint: bytes | None = None
        self._known = False  # whether a whole pass has been made
        self._encoding = Lock()

    def reduce(self, partial: Callable[[Codes], T], merge: Callable[[T, T], T]) -> T:
        """Fold `partial` over all batches; an empty table is one batch without records.

        `partial` is called from several threads, `merge` in the order of the records.
        """
        tally = self._tally()

        def work(batch: pa.RecordBatch) -> tuple[int, Mixed | None, T]:
            codes = self._codes(batch)
            return len(codes), tally.mixed(codes) if tally else None, partial(codes)

        total: T | None = None
        with closing(in_order(work, self._batches())) as done:
            for count, mixed, part in done:
                self._passed(count, mixed, tally)
                total = part if total is None else merge(total, part)
        self._finished(tally)
        if total is None:
            return partial(np.empty((0, len(self._domain.axes)), np.int32))
        return total

    def map(self, change: Callable[[Codes], T]) -> Iterator[T]:
        """`change` of each batch, one after the other, in the order of the records."""
        tally = self._tally()
        for batch in self._batches():
            codes = self._codes(batch)
            self._passed(len(codes), tally.mixed(codes) if tally else None, tally)
            yield change(codes)
        self._finished(tally)

    def fingerprint(self) -> bytes | None:
        """Keyed digest of all records: from the first whole pass, or from one of its own."""
        if self._key is not None and not self._known:
            self.reduce(len, add)
        return self._fingerprint

    def _batches(self) -> Iterator[pa.RecordBatch]:
        reason = None
        try:
            for batch in self._source.batches([axis.name for axis in self._domain.axes]):
                for start in range(0, batch.num_rows, BATCH_ROWS):
                    yield batch.slice(start, BATCH_ROWS)
        except _UNREADABLE as error:
            reason = _reason(error)
        if reason:  # raised here, because the error above may quote a record
            raise DataError(reason)

    def _codes(self, batch: pa.RecordBatch) -> Codes:
        try:
            # One thread at a time: many short steps get in each other's way in Python's lock,
            # but not in that of the long ones that `partial` takes.
            with self._encoding:
                return encode(self._domain, batch)
        except _UNREADABLE as error:
            reason = _reason(error)
        raise DataError(reason)

    def _tally(self) -> "_Tally | None":
        return None if self._key is None or self._known else _Tally(self._key, self._domain)

    def _passed(self, count: int, mixed: Mixed | None, tally: "_Tally | None") -> None:
        if tally and mixed is not None:
            tally.add(count, mixed)
        if self._progress:
            self._progress(count)

    def _finished(self, tally: "_Tally | None") -> None:
        if tally:
            self._fingerprint, self._known = tally.digest(), True


def _reason(error: BaseException) -> str:
    why = getattr(error, "strerror", None) or "it is damaged or half-written"
    return f"the data could not be read to its end: {why}"


class _Tally:
    """Sum over records of a keyed hash, modulo 2^64, twice with independent keys."""

    def __init__(self, key: bytes, domain: Domain) -> None:
        self._key, self._rows, width = key, 0, len(domain.axes)
        self._facts = repr([(axis.name, axis.codes) for axis in domain.axes]).encode()
        stream = hashlib.shake_256(b"sfumato fingerprint" + key).digest(16 * (width + 1))
        self._weights = np.frombuffer(stream, np.uint64).reshape(2, width + 1)
        self._sums = np.zeros(2, np.uint64)

    def mixed(self, codes: Codes) -> Mixed:
        """What these records add to the sums."""
        sums = np.zeros(2, np.uint64)
        for which, weights in enumerate(self._weights):
            mixed = np.full(len(codes), weights[-1])
            for column, weight in zip(codes.T, weights[:-1], strict=True):
                mixed += column.astype(np.uint64) * weight
            # Two rounds of multiply and shift, so that equal sums need equal records.
            for _ in range(2):
                mixed ^= mixed >> np.uint64(32)
                mixed *= np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(32)
            sums[which] = mixed.sum(dtype=np.uint64)
        return sums

    def add(self, count: int, mixed: Mixed) -> None:
        """Count what was mixed; arrays wrap around in silence, single numbers would warn."""
        self._rows += count
        self._sums += mixed

    def digest(self) -> bytes:
        """Also of a handful of records: whether there is one must not tell how many there are."""
        content = self._rows.to_bytes(8, "big") + self._sums.tobytes() + self._facts
        return hmac.digest(self._key, content, "sha256")
