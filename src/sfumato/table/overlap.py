"""Whether rows that are called public were taken from the records that are to be protected.

Rows that two independent tables have in common prove nothing by themselves: where a row can take
few values, all of them coincide.  So look at the values that occur exactly twice in both tables
together.  If the tables are independent, such a pair lies in one of them at least as often as it
is split between them, whatever the two populations and sizes are: with chances p and b of the
value, there are nm pairs of rows across and n(n-1)/2 and m(m-1)/2 within, and nm p b is at most
(n² p² + m² b²) / 2.  A table that holds a sample of the other splits nearly all of its pairs.

Rule.  The same rows, as often, are refused.  So are tables of whose pairs more are split than
`SHARE` of them allow with a chance of 1e-6; that takes 28 pairs at least.  `SHARE` is above a half
for the -1 in n(n-1), and for rows that are not quite independent.

Limits.  A trip wire for mistakes, not a lock: rows that were changed in one value, a few rows
among many others, and samples of tables whose rows nearly all repeat are not recognised.  Tables
from which repeated rows were taken out, and tables that share a column such as the date, can be
refused without cause.  Whether it refuses depends on the records: it is for their owner's eyes.

>>> one, other = np.arange(500, dtype=np.uint64), np.arange(450, 950, dtype=np.uint64)
>>> taken_from(Sketch.of(one), Sketch.of(other)), taken_from(Sketch.of(one[:40]), Sketch.of(one))
(True, True)
>>> taken_from(Sketch.of(one), Sketch.of(other[40:]))
False
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from sfumato.numeric.arrays import Codes
from sfumato.table.records import Records
from sfumato.table.row_digest import row_digests, row_weights
from sfumato.table.statistic import Statistic

__all__ = ["SHARE", "Sketch", "sketches", "taken_from"]

SHARE, ALARM = 0.6, 1e-6
_MOST = 1 << 22  # rows that are compared; of more, those whose hash is small
_TOP = 2**64

Digests = NDArray[np.uint64]


@dataclass(frozen=True)
class Sketch:
    """NOT PRIVATE: hashes of all rows, or of the rows with a hash below a limit.

    Which rows are kept depends on their values alone, so that a value is kept with all its
    repetitions or not at all, and the same values of two tables are kept.
    """

    digests: Digests
    limit: int = _TOP

    @classmethod
    def of(cls, digests: Digests) -> "Sketch":
        """The sketch of these rows."""
        return cls(digests)._small()

    def merged(self, other: "Sketch") -> "Sketch":
        """The sketch of both tables together; the same in whatever order they are merged."""
        limit = min(self.limit, other.limit)
        both = np.concatenate([self.below(limit), other.below(limit)])
        return Sketch(both, limit)._small()

    def below(self, limit: int) -> Digests:
        """Hashes below a limit."""
        return self.digests if limit >= self.limit else self.digests[self.digests < limit]

    def _small(self) -> "Sketch":
        kept, limit = self.digests, self.limit
        while kept.size > _MOST and limit > 1:
            limit //= 2
            kept = kept[kept < limit]
        return Sketch(kept, limit)


def sketches(tables: Sequence[Records], columns: Sequence[int]) -> list[Sketch]:
    """NOT PRIVATE: each table's rows in these columns, hashed under one key that nobody keeps."""
    weights = row_weights(secrets.token_bytes(32), len(columns))[0]
    statistic = _Sketching(tuple(columns), weights)
    return [records.fold(statistic) for records in tables]


@dataclass(frozen=True, eq=False)
class _Sketching(Statistic[Sketch]):
    columns: tuple[int, ...]
    weights: NDArray[np.uint64] = field(repr=False)

    def zero(self) -> Sketch:
        return Sketch.of(np.empty(0, np.uint64))

    def add(self, total: Sketch, records: Codes) -> Sketch:
        return total.merged(Sketch.of(row_digests(records[:, list(self.columns)], self.weights)))

    def merge(self, a: Sketch, b: Sketch) -> Sketch:
        return a.merged(b)


def taken_from(public: Sketch, records: Sketch) -> bool:
    """NOT PRIVATE: whether the rows of one table are, or are sampled from, those of the other."""
    limit = min(public.limit, records.limit)
    (a, of_a), (b, of_b) = (
        np.unique(table.below(limit), return_counts=True) for table in (public, records)
    )
    if a.size and np.array_equal(a, b) and np.array_equal(of_a, of_b):
        return True
    if not a.size or not b.size:
        return False
    # A table that is written twice is still that table.
    of_a, of_b = of_a // np.gcd.reduce(of_a), of_b // np.gcd.reduce(of_b)
    _, in_a, in_b = np.intersect1d(a, b, assume_unique=True, return_indices=True)
    split = int(np.count_nonzero((of_a[in_a] == 1) & (of_b[in_b] == 1)))
    whole = _pairs(of_a, in_a) + _pairs(of_b, in_b)
    return bool(split and bdtrc(split - 1, split + whole, SHARE) < ALARM)


def _pairs(counts: NDArray[np.int64], shared: NDArray[np.intp]) -> int:
    """Values that a table has twice and the other one not at all."""
    return int(np.count_nonzero(counts == 2) - np.count_nonzero(counts[shared] == 2))
