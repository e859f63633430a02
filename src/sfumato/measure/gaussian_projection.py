"""A Gaussian projection of the sample axis (Blocki et al. 2012).  Without a promise.

A matrix A of records becomes A' = (A; w I), whose singular values are √(σ² + w²), and R A'
with r rows of independent standard normals is published through its Gram matrix.  Each row
of R A' is a draw from N(0, Aᵀ A + w² I), so it is drawn as such from the exact scatter: the
same law, for r × features normals instead of r × records.  Over the reals this is (ε, δ)-DP
for

    w  =  4 √(r ln(2/δ)) / ε · ln(4r/δ)        (rows that may change by 1)

as `docs/proofs/jl-gauss.md` shows.  NOT CLAIMED HERE: the normals are floating-point
numbers multiplied with a root of the scatter, and the last bits of such products may tell two
tables apart; no theorem about real numbers covers that.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log, sqrt
from typing import ClassVar

import numpy as np
from scipy.special import ndtri

from sfumato.errors import ParameterError
from sfumato.measure.scatter import exact_scatter
from sfumato.numeric.arrays import Matrix
from sfumato.privacy.guarantee import ApproxDP, Heuristic
from sfumato.privacy.mechanism import Event, Purse
from sfumato.privacy.randomness import Bits
from sfumato.synopsis.centred import UNIT, Centred
from sfumato.synopsis.scatter import ScatterLayout
from sfumato.table.records import Records

__all__ = ["GaussianProjection", "ProjectedScatter"]


_LEAST = Fraction(1, 10**100)
_REASON = (
    "floating-point Gaussians are multiplied with the records, and the theorem is about real "
    "numbers"
)


@dataclass(frozen=True)
class ProjectedScatter:
    """Mean of z zᵀ after the projection, the raised singular values taken out again."""

    second: Matrix  # symmetric, perhaps indefinite
    rows: int

    def to_json(self) -> dict[str, object]:
        """What was released, and the public number of records."""
        return {"kind": "projected scatter", "rows": self.rows, "second": self.second.tolist()}


@dataclass(frozen=True)
class GaussianProjection:
    """r random combinations of all records, with singular values raised by w."""

    space: Centred
    budget: ApproxDP
    projections: int
    cost: ClassVar[Heuristic] = Heuristic(_REASON)

    @property
    def diameter_squared(self) -> Fraction:
        """The largest ‖z − z'‖² of two records."""
        f, radius = self.space.features, self.space.radius
        box = Fraction(f.continuous + f.binary + 2 * f.blocks)
        return box if radius is None else min(box, 4 * radius**2)

    @property
    def raised(self) -> Fraction:
        """w² in real units: the published figure for the diameter of the records."""
        if min(self.budget.epsilon, self.budget.delta) < _LEAST:
            raise ParameterError("epsilon and delta must be at least 1e-100 for this method")
        r, epsilon, delta = self.projections, self.budget.epsilon, float(self.budget.delta)
        w = 4 * sqrt(r * log(2 / delta)) / float(epsilon) * log(4 * r / delta)
        return Fraction(ceil(w * w)) * self.diameter_squared

    @property
    def event(self) -> Event:
        """What is released, with the figure that stands for noise."""
        moved = self.diameter_squared
        return Event("second moments", "gaussian-projection", moved, self.raised, self.cost)

    def perturb(self, records: Records, purse: Purse) -> ProjectedScatter:
        """The scatter through the projection: the one place where records meet normals."""
        bits = purse.spend(self.event)
        exact = exact_scatter(ScatterLayout(self.space, "replace-one"), records)
        lift = float(self.raised) * np.eye(len(self.space))
        root = np.linalg.cholesky(exact.second / float(UNIT) ** 2 + lift)
        projected = normals((self.projections, len(self.space)), bits) @ root.T
        gram = projected.T @ projected / self.projections
        return ProjectedScatter((gram - lift) / max(exact.rows, 1), exact.rows)


def normals(shape: tuple[int, int], bits: Bits) -> Matrix:
    """Standard normals from random words, by inversion, in floating point."""
    words = bits.words(shape[0] * shape[1]) >> np.uint64(11)
    return np.asarray(ndtri((words + 0.5) * 2.0**-53).reshape(shape))
