"""NOT PRIVATE: how much of the records' variance released components hold.

Records are the centred features of `sfumato.synopsis.centred`: numbers and 0/1 features from -½ to
½, dummies 0 or 1; captured variance and angles do not depend on where zero lies if they are
taken about the mean.  The scores are for the owner alone; `sfumato.inspection` says why.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sfumato.errors import DataError, ParameterError
from sfumato.inspection.utility import AnySchema, domain_of, numbers_only, opened
from sfumato.measure.scatter import exact_scatter
from sfumato.numeric.arrays import Matrix
from sfumato.render.components import COLUMNS, leading
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import Centred
from sfumato.synopsis.features import Features
from sfumato.synopsis.scatter import ScatterLayout, ScatterSynopsis
from sfumato.table.records import Records

__all__ = ["About", "CapturedVariance", "Exact", "captured_variance", "subspace_angle"]

About = Literal["mean", "centre"]


@dataclass(frozen=True, slots=True)
class CapturedVariance:
    """Variance along released directions, as shares from 0 to 1; not-a-number without any."""

    of_best: float  # of what the same number of exact components holds
    of_total: float


@dataclass(frozen=True)
class Exact:
    """NOT PRIVATE: the exact second moments of records, about their mean or the public centre."""

    space: Centred
    rows: int
    second: Matrix

    @classmethod
    def of(
        cls,
        original: Any,
        schema: AnySchema,
        *,
        radius: Any = None,
        about: About = "mean",
        without: tuple[int, ...] = (),
    ) -> "Exact":
        """As whole numbers, so to the last bit, from a frame, an Arrow table or a file.

        `without`: the axes that have no part in it.
        """
        if about not in ("mean", "centre"):
            raise ParameterError(f"about must be mean or centre, got {about!r}")
        domain = domain_of(schema)
        space = Centred.of(domain, radius, without=without)
        layout = ScatterLayout(space, "replace-one")
        rows, sums, second = exact_scatter(layout, Records(opened(original, domain), domain))
        if not rows:
            raise DataError("there are no records: nothing can be compared")
        bought = sums if about == "mean" else None
        found = ScatterSynopsis(layout, layout.pack(rows, second), bought, rows)
        return cls(space, rows, found.covariance)

    @property
    def spectrum(self) -> Matrix:
        """All eigenvalues, largest first; never below zero."""
        return np.asarray(np.maximum(np.linalg.eigvalsh(self.second)[::-1], 0), np.float64)

    def best(self, rank: int) -> Matrix:
        """The leading exact directions, one per row."""
        return leading(self.second, rank)[1]

    def along(self, U: Any) -> tuple[Matrix, float]:
        """Orthonormal rows with the span of the directions U, and the variance in that span."""
        Q = _orthonormal(U, self.space)
        return Q, float(np.einsum("ij,jk,ik->", Q, self.second, Q))


def captured_variance(
    U: Any, original: Any, schema: AnySchema, *, radius: Any = None, about: About = "mean"
) -> CapturedVariance:
    """NOT PRIVATE: the records' variance in the span of the directions U.

    U has one direction per row, or is the table that `lap-pca` or `analyze-gauss` released; or
    `dca`, whose components are compared with those of all columns but the label.  Give the
    `radius` that was published with; `about` is the mean of the records, or the public centre
    for components without a mean.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "columns": {
    ...     name: {"kind": "number", "low": 0, "high": 1} for name in ("a", "b")}}
    >>> points = pa.table({"a": [0.0, 0.0, 1.0, 1.0], "b": [0.0, 0.5, 0.0, 0.5]})
    >>> captured_variance([[0, 1]], points, schema)
    CapturedVariance(of_best=0.25, of_total=0.2)
    """
    left_out = _left_out(U, domain_of(schema))
    exact = Exact.of(original, schema, radius=radius, about=about, without=left_out)
    Q, held = exact.along(U)
    spectrum = exact.spectrum
    best, total = spectrum[: len(Q)].sum(), spectrum.sum()
    # Without variance there is nothing to hold.
    return CapturedVariance(*(float(held / x) if x > 0 else float("nan") for x in (best, total)))


def subspace_angle(
    U: Any, original: Any, schema: AnySchema, *, radius: Any = None, about: About = "mean"
) -> float:
    """NOT PRIVATE: largest principal angle between U and the exact components, in radians.

    It is 0 if both span the same and π/2 if U misses an exact direction altogether.  Where
    the last variance inside and the first outside are close, the exact span is a matter of
    chance and so is the angle: then look at `captured_variance`.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "columns": {
    ...     name: {"kind": "number", "low": 0, "high": 1} for name in ("a", "b")}}
    >>> points = pa.table({"a": [0.0, 0.0, 1.0, 1.0], "b": [0.0, 0.5, 0.0, 0.5]})
    >>> round(subspace_angle([[1, 1]], points, schema) / np.pi, 6)
    0.25
    """
    from scipy.linalg import subspace_angles

    left_out = _left_out(U, domain_of(schema))
    exact = Exact.of(original, schema, radius=radius, about=about, without=left_out)
    Q, _ = exact.along(U)
    return float(subspace_angles(Q.T, exact.best(len(Q)).T).max())


def _left_out(U: Any, domain: Domain) -> tuple[int, ...]:
    """The label, where a table has components of all other columns alone."""
    if domain.label is None or isinstance(U, np.ndarray | list | tuple):
        return ()
    rest = Features.of(domain, without=(domain.label,)).names
    return (domain.label,) if numbers_only(U)[0] == [*COLUMNS, *rest] else ()


def _orthonormal(U: Any, space: Centred) -> Matrix:
    directions = _matrix(U, space)
    width = len(space)
    if directions.ndim != 2 or directions.shape[1] != width or not 1 <= len(directions) <= width:
        raise ParameterError(f"U must have 1 to {width} rows of {width} features (directions)")
    if not np.isfinite(directions).all() or np.linalg.matrix_rank(directions) < len(directions):
        raise ParameterError("U must hold finite directions that do not depend on each other")
    return np.asarray(np.linalg.qr(directions.T)[0].T)


def _matrix(U: Any, space: Centred) -> Matrix:
    if isinstance(U, np.ndarray | list | tuple):
        return np.asarray(U, np.float64)
    names, values = numbers_only(U)
    if names != [*COLUMNS, *space.features.names]:
        raise ParameterError("U is not a table of the components of this schema")
    return values[:, len(COLUMNS) :]
