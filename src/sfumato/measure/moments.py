"""First and second moments of a table, as exact integers under exact noise.

Guarantee.  ε-DP (discrete Laplace) or ρ-zCDP (discrete Gaussian), for both neighbour
relations; with classes, the label may change as well.
Sensitivity.  `MomentLayout.sensitivity`: exact over the reals, so an upper bound on the
grid; proof in `docs/proofs/moments.md`.
Exactness.  A block of rows is small enough that no partial sum of its float64 product
reaches 2^53, so each product is the integer it stands for, whatever the order in which
BLAS adds; blocks are added as 64-bit integers, which hold 2^31 records on the finest grid.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Codes, Whole
from sfumato.privacy.budget import Budget
from sfumato.privacy.mechanism import Noise, Purse
from sfumato.synopsis.moments import MomentLayout, MomentSynopsis
from sfumato.table.records import Records
from sfumato.table.statistic import Statistic

__all__ = ["MomentSums", "Moments", "gram", "sums_and_gram"]

_FLOAT_EXACT = 2**53
_CELLS = 2**17  # of a design matrix that stays in cache from its making to its product


class _Sums(NamedTuple):
    rows: int
    counts: Whole
    sums: Whole
    second: Whole


@dataclass(frozen=True)
class MomentSums(Statistic[_Sums]):
    """Exact counts and sums by class, and second moments."""

    layout: MomentLayout
    label: int | None

    def zero(self) -> _Sums:
        """Of no records."""
        classes, width = self.layout.classes, len(self.layout.features)
        shapes = (classes,), (classes, width), (width, width)
        return _Sums(0, *(np.zeros(shape, np.int64) for shape in shapes))

    def add(self, total: _Sums, records: Codes) -> _Sums:
        """NOT PRIVATE: with these records."""
        X, classes = self.layout.features.design(records), self.layout.classes
        labels = np.zeros(len(records), np.int32) if self.label is None else records[:, self.label]
        counts = np.bincount(labels, minlength=classes)
        # bincount adds in float64: whole numbers far below 2^53, so exact as well.
        sums = np.array([np.bincount(labels, column, classes) for column in X.T])
        sums = sums.reshape(-1, classes).T.astype(np.int64)
        largest = int(self.layout.features.units.max(initial=1))
        return self.merge(total, _Sums(len(records), counts, sums, gram(X, largest)))

    def merge(self, a: _Sums, b: _Sums) -> _Sums:
        """NOT PRIVATE: of both together."""
        # In 64 bits, modulo 2^64 on every path: no type may depend on how many records there are.
        sums = a.counts + b.counts, a.sums + b.sums, a.second + b.second
        return _Sums(a.rows + b.rows, *sums)


@dataclass(frozen=True)
class Moments:
    """Noisy counts, sums and second moments, by class where the layout has classes."""

    layout: MomentLayout
    budget: Budget
    label: int | None = None  # the axis whose codes are the classes

    @property
    def noise(self) -> Noise:
        """What the moments cost and how much noise that buys."""
        return Noise("moments", self.layout.sensitivity, self.budget)

    @cached_property
    def statistic(self) -> MomentSums:
        """NOT PRIVATE: what is counted, exactly."""
        return MomentSums(self.layout, self.label)

    def query(self, records: Records) -> Whole:
        """NOT PRIVATE: the exact entries that `perturb` adds noise to."""
        return self._packed(self._exact(records))

    def perturb(self, records: Records, purse: Purse) -> MomentSynopsis:
        """`query` under its noise: the one place where the moments spend."""
        exact = self._exact(records)
        entries = purse.pay(self.noise).add(self._packed(exact), self.layout.units)
        public_rows = exact.rows if self.layout.neighbours == "replace-one" else None
        return MomentSynopsis(self.layout, entries, public_rows)

    def _packed(self, exact: _Sums) -> Whole:
        return self.layout.pack(exact.counts, exact.sums, exact.second)

    def _exact(self, records: Records) -> _Sums:
        return records.fold(self.statistic)


def sums_and_gram(
    design: Callable[[Codes], NDArray[np.float64]], codes: Codes, largest: int
) -> tuple[Whole, Whole]:
    """Σ z and Σ z zᵀ of the rows z of `design(codes)`, exactly; it is made block by block.

    >>> sums_and_gram(lambda codes: codes.astype(np.float64), np.array([[3, 4], [1, 0]]), 4)
    (array([4, 4]), array([[10, 12],
           [12, 16]]))
    """
    Z = design(codes[:0])
    rows = max(_CELLS // max(Z.shape[1], 1), 1)
    sums, second = np.zeros(Z.shape[1], np.int64), gram(Z, largest)
    for start in range(0, len(codes), rows):
        Z = design(codes[start : start + rows])
        # A product with ones: as exact as all other products, and faster than adding.
        sums += (np.ones(len(Z)) @ Z).astype(np.int64)
        second += gram(Z, largest)
    return sums, second


def gram(X: NDArray[np.float64], largest: int) -> Whole:
    """Xᵀ X of whole numbers of size at most `largest`, exactly.

    >>> gram(np.array([[3.0, 4.0], [1.0, 0.0]]), 4).tolist()
    [[10, 12], [12, 16]]
    """
    block = max(_FLOAT_EXACT // max(largest, 1) ** 2 - 1, 1)
    total = np.zeros((X.shape[1], X.shape[1]), np.int64)
    for start in range(0, len(X), block):
        part = X[start : start + block]
        total += (part.T @ part).astype(np.int64)
    return total
