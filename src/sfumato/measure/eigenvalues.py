"""Eigenvalues of the second moment about a public centre, under exact noise.

Guarantee.  ε-DP (discrete Laplace) or ρ-zCDP (discrete Gaussian), for both neighbour
relations.  The directions that belong to the eigenvalues are never released.
Sensitivity.  With ‖z‖² ≤ L, one record moves all eigenvalues together by at most 2L
(Lidskii, Mirsky), and by L if it is added or removed: all cost no more than two.
Machine numbers.  Eigenvalues come from floats.  They are rounded to steps of 1/`UNIT`, and
what rounding and LAPACK can add on both neighbours is part of the sensitivity: assumed is
that LAPACK's values are the exact ones of a matrix that differs from its own by at most
`BACKWARD` (M + 8) 2⁻⁵³ of the Frobenius norm, and that there are at most 2³¹ records.
Proof: `docs/proofs/pca-gauss.md`.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.errors import DataError
from sfumato.measure.scatter import exact_scatter
from sfumato.numeric.arrays import Matrix, Whole
from sfumato.privacy.budget import Budget
from sfumato.privacy.centred_sensitivity import eigenvalues
from sfumato.privacy.mechanism import Event, Noise, Purse
from sfumato.privacy.sensitivity import Sensitivity, root
from sfumato.synopsis.centred import UNIT as FEATURE_UNIT
from sfumato.synopsis.scatter import ScatterLayout
from sfumato.table.records import Records

__all__ = ["BACKWARD", "UNIT", "EigenvalueSynopsis", "Eigenvalues", "machine_error"]

UNIT = 2**20  # eigenvalues count steps of 1/unit
BACKWARD = 16  # matrices of known spectra needed a fifteenth of it at most
_RECORDS = 2**31
_ROUNDING = Fraction(1, 2**53)


@dataclass(frozen=True)
class Eigenvalues:
    """The `rank` largest noisy eigenvalues and, where it is not public, a noisy count."""

    layout: ScatterLayout
    rank: int
    budget: Budget
    for_count: Budget | None = None

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """How far one record moves the whole numbers of `query`, in real units."""
        centred, half = self.layout.centred, Fraction(1, 2 * UNIT)
        ideal = eigenvalues(self.rank, centred.largest_square, self.layout.neighbours)
        off = machine_error(len(centred), _RECORDS * centred.largest_square)
        spread = root(Fraction(self.rank))
        l1 = ideal.l1 + 2 * (spread * off + self.rank * half)
        l2 = root(ideal.l2_squared) + 2 * (off + spread * half)
        return Sensitivity(l1, l2**2)

    @property
    def noise(self) -> Noise:
        """What the eigenvalues cost and how much noise that buys."""
        return Noise("eigenvalues", self.sensitivity, self.budget)

    @property
    def count_noise(self) -> Noise | None:
        """What the number of records costs, where it is bought."""
        if self.for_count is None:
            return None
        return Noise("number of records", Sensitivity(Fraction(1), Fraction(1)), self.for_count)

    @property
    def events(self) -> tuple[Event, ...]:
        """Both, in the order in which they are bought."""
        paid = (self.count_noise, self.noise)
        return tuple(noise.event for noise in paid if noise is not None)

    def query(self, records: Records) -> tuple[int, Whole]:
        """NOT PRIVATE: the number of records and the largest eigenvalues, in steps."""
        exact = exact_scatter(self.layout, records)
        values = np.linalg.eigvalsh(exact.second.astype(np.float64))[::-1][: self.rank]
        # A power of two, so that only the rounding to whole steps changes a value.
        return exact.rows, np.rint(values * (UNIT / FEATURE_UNIT**2)).astype(np.int64)

    def perturb(self, records: Records, purse: Purse) -> "EigenvalueSynopsis":
        """`query` under its noise: the one place where the eigenvalues spend."""
        rows, values = self.query(records)
        if self.layout.neighbours == "replace-one" and rows > _RECORDS:  # n is public
            raise DataError("more than 2^31 records: their eigenvalues cannot be bounded exactly")
        # Both are paid for before a bit is drawn for either.
        counted = None if self.count_noise is None else purse.pay(self.count_noise)
        noisy = purse.pay(self.noise).add(values, np.full(self.rank, UNIT, np.int64))
        count = None
        if counted is not None:
            one = np.ones(1, np.int64)
            count = int(counted.add(one * rows, one)[0])
        public = rows if self.layout.neighbours == "replace-one" else None
        return EigenvalueSynopsis(noisy, count, public)


@dataclass(frozen=True)
class EigenvalueSynopsis:
    """Noisy eigenvalues; `rows` is the public number of records, else `count` the noisy one."""

    values: Whole
    count: int | None
    rows: int | None

    @property
    def size(self) -> int:
        """How many records there are, never below 0."""
        return max(self.count or 0, 0) if self.rows is None else self.rows

    @property
    def mean_squares(self) -> Matrix:
        """Mean square of each coordinate in real units; noise may make it negative."""
        return np.asarray(self.values / (float(UNIT) * max(self.size, 1)))

    def to_json(self) -> dict[str, Any]:
        """Kind, unit, public rows and noisy integers."""
        return {
            "kind": "eigenvalues",
            "unit": UNIT,
            "rows": self.rows,
            "count": self.count,
            "values": self.values.tolist(),
        }


def machine_error(width: int, norm: Fraction) -> Fraction:
    """How far computed eigenvalues lie, in ℓ₂, from those of a whole-number matrix.

    Turning whole numbers into floats is off by 2⁻⁵³ of the norm, and may make it that much
    larger before LAPACK is: the 2 covers both.

    >>> float(machine_error(100, Fraction(10**6)))
    1.9206...e-07
    """
    return (BACKWARD * (width + 8) + 2) * _ROUNDING * norm
