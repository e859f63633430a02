"""A keyed fingerprint of all records: a sum, so that every pass can take it on its way.

It does not depend on the order of the records, on file names or formats.  Without the key,
which the ledger holds, nobody can test a guess against it; whoever may publish from that
ledger could, so the ledger belongs to those who may see the records.
"""

import hmac
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Codes
from sfumato.schema.domain import Domain
from sfumato.table.row_digest import row_digests, row_weights
from sfumato.table.statistic import Statistic

__all__ = ["Tallied", "Tally"]


class Tallied(NamedTuple):
    """How many records there were, and the sums of their hashes."""

    rows: int
    sums: NDArray[np.uint64]


@dataclass(frozen=True)
class Tally(Statistic[Tallied]):
    """Sum over records of a keyed hash, modulo 2^64, twice with independent keys."""

    key: bytes = field(repr=False)
    domain: Domain

    @cached_property
    def weights(self) -> NDArray[np.uint64]:
        """Of the two hash functions: as secret as the key."""
        return row_weights(self.key, len(self.domain.axes), 2)

    def zero(self) -> Tallied:
        """Of no records."""
        return Tallied(0, np.zeros(2, np.uint64))

    def add(self, total: Tallied, records: Codes) -> Tallied:
        """NOT PRIVATE: with these records."""
        found = [row_digests(records, w).sum(dtype=np.uint64) for w in self.weights]
        return self.merge(total, Tallied(len(records), np.array(found, np.uint64)))

    def merge(self, a: Tallied, b: Tallied) -> Tallied:
        """NOT PRIVATE: of both together."""
        # Arrays wrap around in silence, single numbers would warn.
        return Tallied(a.rows + b.rows, a.sums + b.sums)

    def digest(self, total: Tallied) -> bytes:
        """Also of a handful of records: whether there is one must not tell how many there are."""
        facts = repr([(axis.name, axis.codes) for axis in self.domain.axes]).encode()
        content = total.rows.to_bytes(8, "big") + total.sums.tobytes() + facts
        return hmac.digest(self.key, content, "sha256")
