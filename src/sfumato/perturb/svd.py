"""The best approximation of lower rank, optionally with sparse factors (Xu et al. 2006).

NOT PRIVATE by any proof, and without any chance: each record is shown exactly along the
leading right singular vectors, and these are the row space of the result.

Arithmetic.  The right singular vectors V are eigenvectors of the m × m matrix Aᵀ A, and the
result is (A V) Vᵀ: two products with A, no n × m factor.  Squaring A costs half the digits:
directions whose singular value lies below 1e-8 of the largest may be mixed up among
themselves, which moves the result by no more than such a share of the largest.
"""

import numpy as np
from numpy.typing import ArrayLike

from sfumato.errors import ParameterError
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.matrix import between, real_matrix

__all__ = ["svd"]


def svd(A: ArrayLike, rank: int, *, sparsify: float = 0.0) -> Matrix:
    """NOT PRIVATE by any proof: A with only its `rank` leading singular values.

    With `sparsify`, entries of a singular vector below that share of its largest entry are
    set to zero.  (A fixed threshold, as published, depends on the number of records: over n
    rows an entry is about 1/√n.)

    >>> A = np.array([[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> svd(A, 1).round(12).tolist()
    [[2.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    """
    X = real_matrix(A)
    most = min(X.shape)
    if isinstance(rank, bool) or not isinstance(rank, int) or not 1 <= rank <= most:
        raise ParameterError(
            f"rank must be a whole number from 1 to {most}, the smaller of {X.shape[0]} rows "
            f"and {X.shape[1]} columns, got {rank!r}"
        )
    share = between("sparsify", sparsify, 0, 1)
    if X.shape[0] < X.shape[1]:
        return _leading(X.T, rank, share).T
    return _leading(X, rank, share)


def _leading(X: Matrix, rank: int, share: float) -> Matrix:
    vectors = np.linalg.eigh(X.T @ X)[1]
    V = np.ascontiguousarray(vectors[:, ::-1][:, :rank])
    P = X @ V  # left singular vectors, each times its singular value
    if share:
        for factor in (P, V):
            factor[np.abs(factor) < share * np.abs(factor).max(axis=0)] = 0
    approximation: Matrix = P @ V.T
    return approximation
