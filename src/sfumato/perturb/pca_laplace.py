"""Coordinates along components, each under Laplace noise (Chakrabarti et al. 2010, 5.1).

NOT PRIVATE by any proof, because the noise is drawn in floating point.  On real numbers, with
a basis, a centre and ranges that are public, every record would be hidden by itself:

    a coordinate j moves by at most R_j between two records, so noise of scale s_j on each
    coordinate gives  ε = Σ_j R_j / s_j  of local differential privacy,

which is k / b for k coordinates at the scale b R_j used here.  The paper prints a density
that shrinks the noise as the range grows, and counts one coordinate (ε = 1/b); its claim is
meant for the scale b R_j, and holds for one coordinate alone.
"""

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from sfumato.errors import ParameterError
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.matrix import real_matrix

__all__ = ["coordinate_ranges", "local_epsilon", "pca_laplace"]

_ROUNDING = 1e-6  # how far the basis may be from orthonormal


def pca_laplace(
    A: ArrayLike,
    rng: Generator,
    *,
    basis: ArrayLike,
    centre: ArrayLike,
    ranges: ArrayLike,
    b: float,
) -> Matrix:
    """NOT PRIVATE by any proof: (A − centre) basisᵀ under Laplace noise of scale b times range.

    `basis` has k orthonormal rows, one per coordinate; the result has one row per record
    and k columns.

    >>> rng = np.random.default_rng(0)
    >>> A, basis = [[1.0, 2.0], [3.0, 4.0]], [[0.6, 0.8]]
    >>> pca_laplace(A, rng, basis=basis, centre=[1, 2], ranges=[5], b=0.01).round(2).tolist()
    [[0.02], [2.77]]
    """
    X = real_matrix(A)
    U = _basis(basis, X.shape[1])
    middle = np.asarray(centre, np.float64)
    if middle.shape != (X.shape[1],) or not np.isfinite(middle).all():
        raise ParameterError(f"centre must be {X.shape[1]} finite numbers, one per column")
    scales = _positive("ranges", ranges, len(U)) * _positive("b", [b], 1)
    noisy: Matrix = rng.laplace(size=(len(X), len(U)))
    noisy *= scales
    noisy += X @ U.T - U @ middle
    return noisy


def coordinate_ranges(basis: ArrayLike, widths: ArrayLike) -> Matrix:
    """How far each coordinate can move between two records of a box with these widths.

    >>> coordinate_ranges([[0.6, -0.8]], [10, 5]).tolist()
    [10.0]
    """
    U = np.atleast_2d(np.asarray(basis, np.float64))
    reach: Matrix = np.abs(U) @ _positive("widths", widths, U.shape[1])
    return reach


def local_epsilon(ranges: ArrayLike, scales: ArrayLike) -> float:
    """Σ R_j / s_j: what holds on real numbers, with public ranges, for a whole record.

    >>> local_epsilon([1.0, 3.0], [0.2, 0.6])
    10.0
    """
    reach = np.atleast_1d(np.asarray(ranges, np.float64))
    reach = _positive("ranges", reach, len(reach))
    return float((reach / _positive("scales", scales, len(reach))).sum())


def _basis(basis: ArrayLike, columns: int) -> Matrix:
    U = np.asarray(basis, np.float64)
    if U.ndim != 2 or U.shape[1] != columns or not 1 <= len(U) <= columns:
        raise ParameterError(
            f"basis must have {columns} columns and from 1 to {columns} rows, got shape {U.shape}"
        )
    if not np.abs(U @ U.T - np.eye(len(U))).max() <= _ROUNDING:
        raise ParameterError("basis must have orthonormal rows")
    return U


def _positive(name: str, values: ArrayLike, count: int) -> Matrix:
    numbers = np.asarray(values, np.float64)
    if numbers.shape != (count,) or not (np.isfinite(numbers).all() and (numbers > 0).all()):
        many = "a finite number" if count == 1 else f"{count} finite numbers"
        raise ParameterError(f"{name} must be {many} above 0")
    return numbers
