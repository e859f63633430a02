"""Every record projected on released directions, each coordinate under its own noise.

Guarantee.  ε-DP (or ρ-zCDP) under replace-one, n public, given directions that were
released before (adaptive composition: the sensitivity may depend on them).  Directions that
are public make it ε-local: a coordinate depends on one record, and any two records are neighbours.
Sensitivity.  Directions are whole numbers per step of each feature, so a coordinate
is a whole number and the ℓ₁ distance between two projected records is, by duality, at most

    max over signs σ of  Σ_features |w_i| unit_i  +  Σ_blocks (max w − min w),   w = Vᵀ σ,

which two records attain.  For more than `EXACT_RANK` directions, where there are too
many signs, a certified bound takes its place.  Proof: `docs/proofs/dp-pca.md`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Codes, Whole
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import LocalDP
from sfumato.privacy.mechanism import Noise, PaidByPart, Purse
from sfumato.synopsis.directions import Directions
from sfumato.table.mapped import EachPart, Mapped
from sfumato.table.records import Records

__all__ = ["Projection", "coordinates"]


def coordinates(directions: Directions, codes: Codes) -> Whole:
    """NOT PRIVATE: whole-number coordinates of each record."""
    # Whole numbers below 2^53 in float64: exact, and as fast as the linear algebra library.
    X = directions.space.design(codes)
    return np.asarray(X @ directions.steps.T.astype(np.float64)).astype(np.int64)


@dataclass(frozen=True)
class Projection:
    """Noisy coordinates of each record along released directions."""

    directions: Directions
    budget: Budget | LocalDP

    @property
    def noise(self) -> Noise:
        """What the coordinates cost and how much noise that buys."""
        return Noise("projected records", self.directions.sensitivity, self.budget)

    def query(self, codes: Codes) -> Whole:
        """NOT PRIVATE: whole-number coordinates of each record."""
        return coordinates(self.directions, codes)

    def perturb(self, records: Records, purse: Purse) -> Mapped[NDArray[np.float64]]:
        """Noisy coordinates in real units, part by part, in order; paid for once."""
        return records.map(self.paid(purse))

    def paid(self, purse: Purse) -> EachPart[NDArray[np.float64]]:
        """Pay for the coordinates of all records; how each of them is made noisy by itself."""
        return _PaidCoordinates(self, purse.pay_by_part(self.noise))


@dataclass(frozen=True, eq=False)
class _PaidCoordinates:
    projection: Projection
    paid: PaidByPart

    def __call__(self, number: int, codes: Codes, /) -> NDArray[np.float64]:
        exact, unit = self.projection.query(codes), self.projection.directions.unit
        units = np.full(exact.shape, unit, np.int64)
        return np.asarray(self.paid.part(number, codes).add(exact, units) / unit)
