"""Records drawn in reduced coordinates: possible moments, and the way back to a table."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import SchemaError
from sfumato.numeric.arrays import Codes, Matrix
from sfumato.render.decode import Decoder, nearest_codes
from sfumato.schema.domain import Domain, Grid
from sfumato.synopsis.centred import Centred
from sfumato.synopsis.directions import Directions

__all__ = [
    "Reduced",
    "ReducedModel",
    "ReducedRecords",
    "ReducedTable",
    "component_batch",
    "component_columns",
    "possible",
]


@dataclass(frozen=True)
class Reduced:
    """Coordinates in the unit ball, and the centred records that they stand for."""

    space: Centred
    directions: Directions
    mean: Matrix  # of the centred records, as far as it is known
    missed: float  # mean variance along what the directions leave out

    def coordinates(self, X: Matrix) -> Matrix:
        """In real centred units."""
        return X * sqrt(self.space.largest_square)

    def codes(self, X: Matrix, rng: np.random.Generator) -> NDArray[np.int32]:
        """Codes of the nearest records.

        What the directions miss is drawn about the mean with the variance that they leave, the
        same in every direction (Tipping and Bishop 1999): records on a plane would make every
        model trust the rounding errors off the plane.
        """
        V = self.directions.matrix
        R = self.mean + sqrt(self.missed) * rng.standard_normal((len(X), len(self.mean)))
        R -= (R @ V.T) @ V
        R += self.coordinates(X) @ V
        return nearest_codes(self.space.features, self.space.restored(R))


@dataclass(frozen=True)
class ReducedTable:
    """How drawn records are written, with the axis `beside` next to their coordinates.

    Without `columns` the table is like the original; with them it holds the coordinates.
    """

    domain: Domain
    beside: int
    columns: pa.Schema | None

    @classmethod
    def of(cls, domain: Domain, beside: int, components: int | None) -> "ReducedTable":
        """A table of this many components, or (None) one like the original."""
        if components is None:
            return cls(domain, beside, None)
        axis = domain.axes[beside]
        kind = pa.float64() if isinstance(axis, Grid) else pa.string()
        columns = component_columns(components, pa.field(axis.name, kind, nullable=False))
        if columns.names.count(axis.name) > 1:
            raise SchemaError(
                f"column {axis.name}: a table of components would have this name twice: rename it"
            )
        return cls(domain, beside, columns)

    def batch(
        self, reduced: Reduced, X: Matrix, beside: NDArray[np.int32], rng: np.random.Generator
    ) -> pa.RecordBatch:
        """Coordinates in the unit ball and the codes of the axis beside them, written."""
        if self.columns is None:
            codes = reduced.codes(X, rng)
            codes[:, self.beside] = beside
            return self._whole.encoded(codes)
        value = self._alone.batch(beside[:, None]).column(0).cast(self.columns.types[-1])
        if value.null_count:  # only a label that may be missing
            value = value.fill_null("(missing)")
        return component_batch(self.columns, reduced.coordinates(X), value)

    @cached_property
    def _whole(self) -> Decoder:
        return Decoder(self.domain)

    @cached_property
    def _alone(self) -> Decoder:
        return Decoder(Domain(self.domain.schema, (self.domain.axes[self.beside],)))


# Coordinates in the unit ball and codes of the axis beside them: from a row on, so many.
ReducedModel = Callable[[int, int, np.random.Generator], tuple[Matrix, Codes]]


@dataclass(frozen=True, eq=False)
class ReducedRecords:
    """What draws records in reduced coordinates and writes them."""

    table: ReducedTable
    reduced: Reduced
    model: ReducedModel

    def __call__(self, start: int, count: int, rng: np.random.Generator) -> pa.RecordBatch:
        """So many rows, the first of which is row `start` of the release."""
        return self.table.batch(self.reduced, *self.model(start, count, rng), rng)


def possible(mean: Matrix, second: Matrix, square: float, least: float) -> tuple[Matrix, Matrix]:
    """Mean and covariance that records with ‖x‖² ≤ `square` could have.

    Noise divided by a small count can make both far larger than any record.  And no variance
    is below `least`, the size of the noise: a model would trust exactly those directions
    that noise made small.

    >>> mean, S = possible(np.array([0.0, 0.0]), np.diag([0.5, -0.2]), 1.0, 0.1)
    >>> S.tolist()
    [[0.5, 0.0], [0.0, 0.1]]
    """
    mean = mean * (sqrt(square) / max(float(np.linalg.norm(mean)), sqrt(square)))
    values, vectors = np.linalg.eigh(second - np.outer(mean, mean))
    values = np.maximum(values, least)
    # Not less for a long mean: one that noise carried to the edge would leave nothing.
    values *= square / max(float(values.sum()), square)
    return mean, np.asarray((vectors * values) @ vectors.T)


def component_columns(width: int, *extra: pa.Field) -> pa.Schema:
    """The columns component_1, component_2, … and what stands beside them.

    >>> component_columns(2).names
    ['component_1', 'component_2']
    """
    names = [f"component_{k + 1}" for k in range(width)]
    return pa.schema([*(pa.field(name, pa.float64(), nullable=False) for name in names), *extra])


def component_batch(columns: pa.Schema, coordinates: Matrix, *extra: pa.Array) -> pa.RecordBatch:
    """One batch; components beyond those that were kept are zero."""
    nothing = np.zeros(len(coordinates))
    width = len(columns) - len(extra)
    kept = [*coordinates.T, *[nothing] * (width - coordinates.shape[1])]
    return pa.RecordBatch.from_arrays([*map(pa.array, kept), *extra], schema=columns)
