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
from itertools import groupby
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError, SchemaError
from sfumato.numeric.arrays import Matrix
from sfumato.privacy.centred_sensitivity import largest_square
from sfumato.privacy.guarantee import exact
from sfumato.schema.domain import MISSING, Domain, Grid
from sfumato.synopsis.features import Features

__all__ = ["UNIT", "Centred", "drawn_in"]

UNIT = 2**15  # what stands for 1: the width of a range
_LEAST, _MOST = Fraction(1, 10_000), 10**6  # radii: less is one point, more is no bound


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
        return cls(features, _radius(radius))

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

    @property
    def written_radius(self) -> str | None:
        """The radius as a certificate has it."""
        return None if self.radius is None else str(self.radius)

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
        Z, axes = np.empty((len(codes), len(self)), order="F"), self.features.domain.axes
        runs, others = self._numbers
        for features, columns, scale in runs:
            part = Z[:, features]
            part[...] = codes[:, columns]
            _rescale(part, scale)
            part -= UNIT // 2
        for j in others:
            item, z = self.features.items[j], Z[:, j]
            column, axis = codes[:, item.axis], axes[item.axis]
            if isinstance(axis, Grid) and item.level is None:
                z[:] = np.where(column == MISSING, axis.middle, column)
                _rescale(z, np.array([UNIT / item.unit]))
            else:
                np.multiply(column == item.level, float(UNIT), out=z)
            if item.block is None:
                z -= UNIT // 2
        return Z if self.radius is None else drawn_in(Z, floor(self.radius * UNIT))

    @cached_property
    def _numbers(self) -> tuple[list[tuple[slice, slice, Matrix]], list[int]]:
        """Runs of numbers that cannot be missing (features, columns, scales), and the rest.

        A whole run is made at one go: a call per feature would cost more than its work.
        """
        items, axes = self.features.items, self.features.domain.axes
        plain = [j for j, i in enumerate(items) if i.level is None and not axes[i.axis].missing]
        runs = []
        # Inside a run, features and columns go up by one together with the place in the list.
        for _, run in groupby(enumerate(plain), lambda p: (p[1] - p[0], items[p[1]].axis - p[0])):
            members = [j for _, j in run]
            first, count = members[0], len(members)
            columns = slice(items[first].axis, items[first].axis + count)
            scale = np.array([UNIT / items[j].unit for j in members])
            runs.append((slice(first, first + count), columns, scale))
        return runs, [j for j in range(len(items)) if j not in plain]

    def restored(self, Z: Matrix) -> Matrix:
        """Centred records in real units as features from 0 to 1, to be decoded."""
        return Z + self.middle


def _radius(written: Any) -> Fraction | None:
    if written is None or (isinstance(written, str) and not written):
        return None
    radius = exact("radius", written)
    if not _LEAST <= radius <= _MOST:
        raise ParameterError(f"radius must be from {_LEAST} to {_MOST}, got {written}")
    return radius


def _rescale(Z: Matrix, scale: Matrix) -> None:
    """Codes to steps of 1/`UNIT`, in place; most grids have just these steps."""
    if (scale != 1).any():
        Z *= scale
        np.rint(Z, out=Z)


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
