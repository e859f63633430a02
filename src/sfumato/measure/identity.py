"""Every record under its own noise, order kept: the baseline of record-wise release.

Guarantee.  ε-DP under replace-one, n public: replacing a record moves one row, by at
most one per number and two per block of dummies.  Add-remove is meaningless here: the
number of rows of the release is the number of records.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Codes
from sfumato.privacy.budget import Budget
from sfumato.privacy.mechanism import Noise, PaidByPart, Purse
from sfumato.privacy.sensitivity import record
from sfumato.synopsis.features import Features
from sfumato.table.mapped import Mapped
from sfumato.table.records import Records

__all__ = ["NoisyRecords"]

DUMMY_UNIT = 2**15  # dummies get the fine grid too, so that ties are rare when they are decoded


@dataclass(frozen=True)
class NoisyRecords:
    """The features of each record, each under independent noise."""

    features: Features
    budget: Budget

    @property
    def noise(self) -> Noise:
        """What the records cost and how much noise that buys."""
        f = self.features
        moved = record(continuous=f.continuous, binary=f.binary, blocks=f.blocks)
        return Noise("records", moved, self.budget)

    @cached_property
    def units(self) -> NDArray[np.int64]:
        """The whole number that stands for 1 in each entry of a noisy record."""
        return np.where(self.features.units == 1, DUMMY_UNIT, self.features.units)

    def query(self, codes: Codes) -> NDArray[np.int64]:
        """NOT PRIVATE: the entries of each record that `perturb` adds noise to."""
        X = self.features.design(codes).astype(np.int64)
        return X * (self.units // self.features.units)

    def perturb(self, records: Records, purse: Purse) -> Mapped[NDArray[np.float64]]:
        """Noisy records in real units, part by part, in order; paid for once, up front."""
        return records.map(_PaidRecords(self, purse.pay_by_part(self.noise)))


@dataclass(frozen=True, eq=False)
class _PaidRecords:
    records: NoisyRecords
    paid: PaidByPart

    def __call__(self, number: int, codes: Codes, /) -> NDArray[np.float64]:
        exact, units = self.records.query(codes), self.records.units
        noisy = self.paid.part(number, codes).add(exact, np.broadcast_to(units, exact.shape))
        return np.asarray(noisy / units)
