"""Second moments about a public centre, as exact integers under exact noise.

Guarantee.  ε-DP (discrete Laplace: LIP, Lap-PCA) or ρ-zCDP (discrete Gaussian: Analyze
Gauss), for both neighbour relations; the sums, which give the mean, are paid for apart.
Sensitivity.  `ScatterLayout`: certified in the box and in the ball, proof in
`docs/proofs/centred.md`.  Records are drawn into the ball inside the query.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sfumato.measure.moments import sums_and_gram
from sfumato.numeric.arrays import Codes, Whole
from sfumato.privacy.budget import Budget
from sfumato.privacy.mechanism import Event, Noise, Purse
from sfumato.synopsis.centred import UNIT
from sfumato.synopsis.scatter import ScatterLayout, ScatterSynopsis
from sfumato.table.records import Records
from sfumato.table.statistic import Statistic

__all__ = ["Scatter", "ScatterSums", "exact_scatter"]


class _Sums(NamedTuple):
    rows: int
    sums: Whole
    second: Whole


@dataclass(frozen=True)
class ScatterSums(Statistic[_Sums]):
    """Number of records, Σ z and Σ z zᵀ of centred records z."""

    layout: ScatterLayout

    def zero(self) -> _Sums:
        """Of no records."""
        width = len(self.layout.centred)
        return _Sums(0, np.zeros(width, np.int64), np.zeros((width, width), np.int64))

    def add(self, total: _Sums, records: Codes) -> _Sums:
        """NOT PRIVATE: with these records."""
        found = sums_and_gram(self.layout.centred.design, records, UNIT)
        return self.merge(total, _Sums(len(records), *found))

    def merge(self, a: _Sums, b: _Sums) -> _Sums:
        """NOT PRIVATE: of both together."""
        # Modulo 2^64 on every path: no type may depend on how many records there are.
        return _Sums(a.rows + b.rows, a.sums + b.sums, a.second + b.second)


@dataclass(frozen=True)
class Scatter:
    """Noisy products about the centre and, where a budget is given, noisy sums."""

    layout: ScatterLayout
    budget: Budget
    for_sums: Budget | None = None

    @property
    def noise(self) -> Noise:
        """What the products cost and how much noise that buys."""
        return Noise("second moments", self.layout.sensitivity, self.budget)

    @property
    def sums_noise(self) -> Noise | None:
        """What the sums cost, where they are bought."""
        if self.for_sums is None:
            return None
        return Noise("sums", self.layout.sums_sensitivity, self.for_sums)

    @property
    def events(self) -> tuple[Event, ...]:
        """Both, in the order in which they are bought."""
        paid = (self.noise, self.sums_noise)
        return tuple(noise.event for noise in paid if noise is not None)

    def check(self) -> None:
        """Refuse noise that cannot be drawn, before anything is read or paid."""
        self.noise.check(UNIT**2)
        if self.sums_noise is not None:
            self.sums_noise.check(UNIT)

    def query(self, records: Records) -> tuple[Whole, Whole]:
        """NOT PRIVATE: the exact products and sums that `perturb` adds noise to."""
        exact = exact_scatter(self.layout, records)
        return self.layout.pack(exact.rows, exact.second), exact.sums

    def perturb(self, records: Records, purse: Purse) -> ScatterSynopsis:
        """`query` under its noise: the one place where the second moments spend."""
        exact = exact_scatter(self.layout, records)
        packed = self.layout.pack(exact.rows, exact.second)
        entries = purse.pay(self.noise).add(packed, self.layout.units)
        sums = None
        if self.sums_noise is not None:
            units = np.full(len(exact.sums), UNIT, np.int64)
            sums = purse.pay(self.sums_noise).add(exact.sums, units)
        public = exact.rows if self.layout.neighbours == "replace-one" else None
        return ScatterSynopsis(self.layout, entries, sums, public)


def exact_scatter(layout: ScatterLayout, records: Records) -> _Sums:
    """NOT PRIVATE: number of records, Σ z and Σ z zᵀ as whole numbers."""
    return records.fold(ScatterSums(layout))
