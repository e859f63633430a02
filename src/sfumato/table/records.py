"""Map and reduce over encoded records, and a keyed fingerprint taken on the way.

`reduce` folds partial statistics that are exact integers, so the result is the same for
every order and batching, and several batches can be worked on at a time; `map` hands
transformed batches on, one by one and in order.  The fingerprint is a keyed sum over
records: it does not depend on their order, on file names or formats.  Without the key,
which the ledger holds, nobody can test a guess against it; whoever may publish from that
ledger could, so the ledger belongs to those who may see the records.
"""

import hmac
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from operator import add
from threading import Lock
from typing import TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import DataError
from sfumato.numeric.arrays import Codes, Mask
from sfumato.schema.domain import Domain
from sfumato.table.complaint import Complaints
from sfumato.table.encode import encode, read
from sfumato.table.row_digest import row_digests, row_weights
from sfumato.table.source import BATCH_ROWS, PartOf, Source, broken_off
from sfumato.table.workers import in_order

__all__ = ["Records"]

T = TypeVar("T")
_MOST_BYTES = 2**27  # of texts that are worked on at a time, unless a single record has more
Mixed = NDArray[np.uint64]


class Records:
    """NOT PRIVATE: the records of a source as codes of the public grid.

    Of a part of a table the records of the part alone are handed on.  The fingerprint is that of
    all records, taken in the same pass: what was measured is what was known.
    """

    def __init__(
        self,
        source: Source,
        domain: Domain,
        *,
        key: bytes | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self._part = source if isinstance(source, PartOf) else None
        self._source: Source = source.source if isinstance(source, PartOf) else source
        self._domain, self._progress = domain, progress
        self._key = key
        self._fingerprint: bytes | None = None
        self._known = False  # whether a whole pass has been made
        self._encoding = Lock()

    def reduce(self, partial: Callable[[Codes], T], merge: Callable[[T, T], T]) -> T:
        """Fold `partial` over all batches; an empty table is one batch without records.

        `partial` is called from several threads, `merge` in the order of the records.
        """

        def work(batch: pa.RecordBatch) -> tuple[Codes, T]:
            codes = self._codes(batch)
            return codes, partial(self._of_part(codes))

        found = self._folded(work, merge)
        return partial(np.empty((0, len(self._domain.axes)), np.int32)) if found is None else found

    def reduce_complaints(
        self, partial: Callable[[Complaints], T], merge: Callable[[T, T], T]
    ) -> T:
        """The same over what is said against each value, in place of its code."""

        def work(batch: pa.RecordBatch) -> tuple[Codes, T]:
            codes, said = self._read(batch)
            return codes, partial(said[self._inside(codes)])

        found = self._folded(work, merge)
        return partial(np.empty((0, len(self._domain.axes)), np.uint8)) if found is None else found

    def _folded(
        self, work: Callable[[pa.RecordBatch], tuple[Codes, T]], merge: Callable[[T, T], T]
    ) -> T | None:
        """`work` gives the codes of all records of a batch, and what becomes of the batch."""
        tally = self._tally()

        def mixed_in(batch: pa.RecordBatch) -> tuple[int, Mixed | None, T]:
            codes, part = work(batch)
            return len(codes), tally.mixed(codes) if tally else None, part

        total: T | None = None
        with closing(in_order(mixed_in, self._batches())) as done:
            for count, mixed, part in done:
                self._passed(count, mixed, tally)
                total = part if total is None else merge(total, part)
        self._finished(tally)
        return total

    def with_complaints(self) -> Iterator[tuple[pa.RecordBatch, Complaints]]:
        """The records as they are stored, beside what is said against each of their values."""
        for batch in self._batches():
            codes, said = self._read(batch)
            inside = self._inside(codes)
            kept = batch if isinstance(inside, slice) else batch.filter(pa.array(inside))
            yield kept, said[inside]

    def map(self, change: Callable[[Codes], T]) -> Iterator[T]:
        """`change` of so many records at a time, one after the other, in their order.

        How many follows from their number alone: what is released may be cut where these are,
        and the blocks of a file end where its texts are long.
        """
        return map(change, _even(self._encoded()))

    def _encoded(self) -> Iterator[Codes]:
        tally = self._tally()
        for batch in self._batches():
            codes = self._codes(batch)
            self._passed(len(codes), tally.mixed(codes) if tally else None, tally)
            yield self._of_part(codes)
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
                    yield from _small(batch.slice(start, BATCH_ROWS))
        except Exception as error:
            reason = broken_off(error)
        if reason:  # raised here, because the error above may quote a record
            raise DataError(reason)

    def _of_part(self, codes: Codes) -> Codes:
        return codes if self._part is None else np.asfortranarray(codes[self._inside(codes)])

    def _inside(self, codes: Codes) -> Mask | slice:
        """Which of these records belong to the part that is handed on."""
        if self._part is None:
            return slice(None)
        return self._part.inside(codes[:, self._domain.axes.index(self._part.axis)])

    def _codes(self, batch: pa.RecordBatch) -> Codes:
        return self._guarded(encode, batch)

    def _read(self, batch: pa.RecordBatch) -> tuple[Codes, Complaints]:
        return self._guarded(read, batch)

    def _guarded(self, rule: Callable[[Domain, pa.RecordBatch], T], batch: pa.RecordBatch) -> T:
        try:
            # One thread at a time: many short steps get in each other's way in Python's lock,
            # but not in that of the long ones that `partial` takes.
            with self._encoding:
                return rule(self._domain, batch)
        except Exception as error:
            reason = broken_off(error)
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


def _even(parts: Iterable[Codes]) -> Iterator[Codes]:
    """The same records, `BATCH_ROWS` at a time, and at last the rest."""
    held: list[Codes] = []
    for codes in parts:
        held.append(codes)
        while (rows := sum(map(len, held))) >= BATCH_ROWS:
            whole = held[0] if len(held) == 1 else np.concatenate(held)
            yield np.asfortranarray(whole[:BATCH_ROWS])
            held = [whole[BATCH_ROWS:]] if rows > BATCH_ROWS else []
    if any(map(len, held)):
        yield np.asfortranarray(np.concatenate(held))


class _Tally:
    """Sum over records of a keyed hash, modulo 2^64, twice with independent keys."""

    def __init__(self, key: bytes, domain: Domain) -> None:
        self._key, self._rows, width = key, 0, len(domain.axes)
        self._facts = repr([(axis.name, axis.codes) for axis in domain.axes]).encode()
        self._weights = row_weights(key, width, 2)
        self._sums = np.zeros(2, np.uint64)

    def mixed(self, codes: Codes) -> Mixed:
        """What these records add to the sums."""
        found = [row_digests(codes, w).sum(dtype=np.uint64) for w in self._weights]
        return np.array(found, np.uint64)

    def add(self, count: int, mixed: Mixed) -> None:
        """Count what was mixed; arrays wrap around in silence, single numbers would warn."""
        self._rows += count
        self._sums += mixed

    def digest(self) -> bytes:
        """Also of a handful of records: whether there is one must not tell how many there are."""
        content = self._rows.to_bytes(8, "big") + self._sums.tobytes() + self._facts
        return hmac.digest(self._key, content, "sha256")
