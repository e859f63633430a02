"""Records about a public centre, on one whole-number scale, in a box or a ball.

The middle of every range is the centre: numbers and 0/1 features run from -½ to ½, dummies
of a block are 0 or 1, all counted in steps of 1/`UNIT`.  With a radius, whatever lies
outside that ball is drawn in along its ray.  Nothing here depends on other records.

>>> from sfumato.schema import Schema
>>> centred = Centred(Features.of(Domain.of(Schema.of({"name": "t", "columns": {
...     "age": {"kind": "integer", "low": 0, "high": 100}, "smoker": {"kind": "boolean"}}}))))
>>> (centred.design(np.array([[100, 0], [50, 1]], np.int32)) / UNIT).tolist()
[[0.5, -0.5], [0.0, 0.5]]
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.domain import MISSING, Domain, Grid
from sfumato.errors import SchemaError
from sfumato.features import Features
from sfumato.privacy.centred_sensitivity import largest_square
from sfumato.privacy.guarantee import exact

__all__ = ["UNIT", "Centred", "drawn_in"]

UNIT = 2**15  # what stands for 1: the width of a range

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Centred:
    """The centred features of a domain; `radius` bounds their Euclidean norm."""

    features: Features
    radius: Fraction | None = None

    @classmethod
    def of(cls, domain: Domain, radius: Any = None, *, without: tuple[int, ...] = ()) -> "Centred":
        """All features but those of the axes in `without`; `radius` as a person writes it."""
        features = Features.of(domain, without=without)
        if len(features) < 2:
            raise SchemaError("components need at least two features: there are not that many")
        wanted = None if radius in (None, "") else exact("radius", radius)
        return cls(features, wanted)

    def __len__(self) -> int:
        return len(self.features)

    @property
    def shape(self) -> dict[str, Any]:
        """What sensitivities depend on."""
        f = self.features
        kinds = {"continuous": f.continuous, "binary": f.binary, "blocks": f.blocks}
        return {**kinds, "radius": self.radius}

    @property
    def largest_square(self) -> Fraction:
        """The largest squared norm a record can have."""
        return largest_square(**self.shape)

    @cached_property
    def units(self) -> NDArray[np.int64]:
        """The whole number that stands for 1 in each feature."""
        return np.full(len(self), UNIT, np.int64)

    @cached_property
    def middle(self) -> Matrix:
        """Where zero lies in features that run from 0 to 1."""
        return np.array([0.0 if item.block is not None else 0.5 for item in self.features.items])

    def design(self, codes: NDArray[np.int32]) -> Matrix:
        """NOT PRIVATE if the codes are: whole numbers in float64, one row per record."""
        Z = np.empty((len(codes), len(self.features)), order="F")
        for j, item in enumerate(self.features.items):
            column = codes[:, item.axis]
            if item.level is not None:
                Z[:, j] = (column == item.level) * UNIT
            else:
                axis = self.features.domain.axes[item.axis]
                assert isinstance(axis, Grid)  # noqa: S101  only grids have units without levels
                if axis.missing:
                    column = np.where(column == MISSING, axis.middle, column)
                np.multiply(column, UNIT / item.unit, out=Z[:, j])
                np.rint(Z[:, j], out=Z[:, j])
            if item.block is None:
                Z[:, j] -= UNIT // 2
        return Z if self.radius is None else drawn_in(Z, floor(self.radius * UNIT))

    def restored(self, Z: Matrix) -> Matrix:
        """Centred records in real units as features from 0 to 1, to be decoded."""
        return Z + self.middle


def drawn_in(Z: Matrix, limit: int) -> Matrix:
    """Whole-number rows drawn in until no norm passes `limit`; others stay as they are.

    >>> drawn_in(np.array([[3.0, 4.0], [30.0, 40.0]]), 10).tolist()
    [[3.0, 4.0], [5.0, 7.0]]
    """
    norms = np.einsum("ij,ij->i", Z, Z)  # whole numbers far below 2^53: exact in any order
    outside = norms > limit**2
    if outside.any():
        # A hair too short, then cut towards zero: rounding can only shorten further.
        shrink = limit * (1 - 2.0**-40) / np.sqrt(norms[outside])
        Z = Z.copy()
        Z[outside] = np.trunc(Z[outside] * shrink[:, None])
    return Z
