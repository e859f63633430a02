"""Mean and covariance from noisy moments, made possible again after the noise."""

import numpy as np

from sfumato.numeric.arrays import Matrix
from sfumato.synopsis.moments import MomentSynopsis

__all__ = ["covariance", "nearest_psd"]


def covariance(synopsis: MomentSynopsis) -> tuple[Matrix, Matrix]:
    """Mean and covariance of all records, features in [0, 1]; the covariance may be indefinite."""
    n = max(float(synopsis.counts.sum()), 1.0)
    mean = np.clip(synopsis.sums.sum(axis=0) / n, 0, 1)
    return mean, synopsis.second / n - np.outer(mean, mean)


def nearest_psd(S: Matrix) -> Matrix:
    """The positive semidefinite matrix nearest to a symmetric one in the Frobenius norm.

    >>> nearest_psd(np.diag([2.0, -1.0])).tolist()
    [[2.0, 0.0], [0.0, 0.0]]
    """
    values, vectors = np.linalg.eigh(S)
    return np.asarray((vectors * np.maximum(values, 0)) @ vectors.T)
