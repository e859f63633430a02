"""The two verbs over encoded records, and a keyed fingerprint taken on the way.

`reduce` folds partial statistics that are exact integers, so the result is the same for
every order and batching; `map` hands transformed batches on, in order.  The fingerprint is
a keyed sum over records: it does not depend on their order, on file names or formats.
Without the key, which the ledger holds, nobody can test a guess against it; whoever may
publish from that ledger could, so the ledger belongs to those who may see the records.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.domain import Domain
from sfumato.errors import DataError
from sfumato.table.encode import encode
from sfumato.table.source import BATCH_ROWS, Source

__all__ = ["Records"]

T = TypeVar("T")
_FEWEST = 20  # records that a fingerprint is taken of
Codes = NDArray[np.int32]


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

    def reduce(self, partial: Callable[[Codes], T], merge: Callable[[T, T], T]) -> T:
        """Fold `partial` over all batches; an empty table is one batch without records."""
        total: T | None = None
        for codes in self._batches():
            part = partial(codes)
            total = part if total is None else merge(total, part)
        if total is None:
            return partial(np.empty((0, len(self._domain.axes)), np.int32))
        return total

    def map(self, change: Callable[[Codes], T]) -> Iterator[T]:
        """`change` of each batch, in the order of the records."""
        return (change(codes) for codes in self._batches())

    def fingerprint(self) -> bytes | None:
        """Keyed digest of all records: from the first whole pass, or from one of its own."""
        if self._key is not None and not self._known:
            for _ in self._batches():
                pass
        return self._fingerprint

    def _batches(self) -> Iterator[Codes]:
        names = [axis.name for axis in self._domain.axes]
        tally, reason = None, None
        if self._key is not None and not self._known:
            tally = _Tally(self._key, self._domain)
        try:
            for batch in self._source.batches(names):
                for start in range(0, batch.num_rows, BATCH_ROWS):
                    codes = encode(self._domain, batch.slice(start, BATCH_ROWS))
                    if tally:
                        tally.add(codes)
                    if self._progress:
                        self._progress(len(codes))
                    yield codes
        except (OSError, OverflowError, pa.ArrowException) as error:
            reason = getattr(error, "strerror", None) or "it is damaged or half-written"
        if reason:  # raised here, because the error above may quote a record
            raise DataError(f"the data could not be read to its end: {reason}")
        if tally:
            self._fingerprint, self._known = tally.digest(), True


class _Tally:
    """Sum over records of a keyed hash, modulo 2^64, twice with independent keys."""

    def __init__(self, key: bytes, domain: Domain) -> None:
        self._key, self._rows, width = key, 0, len(domain.axes)
        self._facts = repr([(axis.name, axis.codes) for axis in domain.axes]).encode()
        stream = hashlib.shake_256(b"sfumato fingerprint" + key).digest(16 * (width + 1))
        self._weights = np.frombuffer(stream, np.uint64).reshape(2, width + 1)
        self._sums = np.zeros(2, np.uint64)

    def add(self, codes: Codes) -> None:
        self._rows += len(codes)
        for which, weights in enumerate(self._weights):
            mixed = np.full(len(codes), weights[-1])
            for column, weight in zip(codes.T, weights[:-1], strict=True):
                mixed += column.astype(np.uint64) * weight
            # Two rounds of multiply and shift, so that equal sums need equal records.
            for _ in range(2):
                mixed ^= mixed >> np.uint64(32)
                mixed *= np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(32)
            # Arrays wrap around in silence, single numbers with a warning.
            self._sums[which : which + 1] += mixed.sum(dtype=np.uint64)

    def digest(self) -> bytes | None:
        """None for a handful of records: there equality would say too much about each."""
        if self._rows < _FEWEST:
            return None
        content = self._rows.to_bytes(8, "big") + self._sums.tobytes() + self._facts
        return hmac.digest(self._key, content, "sha256")
