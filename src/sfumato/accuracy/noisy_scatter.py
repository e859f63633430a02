"""Scatter inside and between classes, and what noise of a known law adds to it.

Noise e of variance v_j on attribute j, independent of the records and from record to record,
adds to the scatter matrices of N records in k classes, on average,

    E[Δ_W] = Σ_y (N_y − 1) diag(v) = (N − k) diag(v)      inside classes,
    E[Δ_B] = (k − 1) diag(v)                              between their means,

whatever the records are: the mixed terms have mean 0.  So subtracting these two is right on
average, and b and the ranges of a Laplace release are all it needs.

A difference of two matrices need not be a scatter: `cleaned` says how it becomes one again.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import DataError, ParameterError
from sfumato.numeric.arrays import Matrix

__all__ = ["ClassScatter", "class_scatter", "cleaned", "expected_noise", "laplace_variance"]


class ClassScatter(NamedTuple):
    """Class by class: how many records and their mean; and the scatter about those means."""

    classes: NDArray[Any]
    counts: NDArray[Any]  # whole numbers, unless they are estimates themselves
    means: Matrix
    within: Matrix

    @property
    def between(self) -> Matrix:
        """Scatter of the class means about the mean of all, weighted by the counts."""
        apart = self.means - self.counts @ self.means / self.counts.sum()
        return np.asarray((apart.T * self.counts) @ apart)


def class_scatter(X: ArrayLike, y: ArrayLike) -> ClassScatter:
    """Counts, means and scatter of the rows of X, whose classes are y.

    >>> found = class_scatter([[0.0], [2.0], [7.0], [9.0]], ["a", "a", "b", "b"])
    >>> found.counts.tolist(), found.means.tolist(), found.within.tolist()
    ([2, 2], [[1.0], [8.0]], [[4.0]])
    >>> found.between.tolist()
    [[49.0]]
    """
    points, labels = np.asarray(X, np.float64), np.asarray(y)
    if points.ndim != 2 or labels.shape != points.shape[:1]:
        raise DataError(f"X must be a table and y its labels, got {points.shape}, {labels.shape}")
    if not np.isfinite(points).all():
        raise DataError("X must hold finite numbers only")
    classes, codes = np.unique(labels, return_inverse=True)
    counts = np.bincount(codes)
    sums = np.column_stack([np.bincount(codes, weights=column) for column in points.T])
    means = sums / counts[:, None]
    apart = points - means[codes]
    return ClassScatter(classes, counts, means, apart.T @ apart)


def laplace_variance(b: float, ranges: ArrayLike) -> Matrix:
    """Variance of Laplace noise of scale b · R_j on an attribute of range R_j.

    >>> laplace_variance(0.5, [1, 4]).tolist()
    [0.5, 8.0]
    """
    return np.asarray(2 * (b * np.asarray(ranges, np.float64)) ** 2)


def expected_noise(counts: ArrayLike, variance: ArrayLike) -> tuple[Matrix, Matrix]:
    """What the noise adds on average: to the scatter within classes, and between them.

    >>> within, between = expected_noise([10, 5], [2.0])
    >>> within.tolist(), between.tolist()
    ([[26.0]], [[2.0]])
    """
    sizes, each = np.asarray(counts), np.asarray(variance, np.float64)
    if each.ndim != 1 or not (np.isfinite(each) & (each >= 0)).all():
        raise ParameterError("the variance must be one finite number from 0 up per attribute")
    return float((sizes - 1).sum()) * np.diag(each), (len(sizes) - 1) * np.diag(each)


def cleaned(noisy: Matrix, noise: Matrix, most: float) -> Matrix:
    """`noisy − noise`, made positive definite again.

    In a direction v with noise v = s noisy v, the noise makes up the share s of the scatter,
    and 1 − s is left.  Where s is more than `most`, which is less than 1, only the share
    `most` is taken away; elsewhere the subtraction is exact.

    >>> cleaned(np.diag([3.0, 1.0, 4.0]), np.diag([1.0, 2.0, 0.0]), 0.75).round(12).tolist()
    [[2.0, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 4.0]]
    """
    try:
        L = np.linalg.cholesky(noisy)
    except np.linalg.LinAlgError:
        raise DataError(
            "some attribute is a combination of the others inside the classes: leave it out"
        ) from None
    part = np.linalg.solve(L, np.linalg.solve(L, noise).T)
    shares, V = np.linalg.eigh((part + part.T) / 2)
    G = L @ V
    return np.asarray((G * (1 - np.minimum(shares, most))) @ G.T)
