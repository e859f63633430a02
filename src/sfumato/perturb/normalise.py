"""Columns with the mean and the standard deviation they had before (Liu 2015, 3.3).

NOT PRIVATE: the exact mean and deviation of every original column can be read off the result.
"""

import numpy as np
from numpy.typing import ArrayLike

from sfumato.errors import DataError
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.matrix import real_matrix

__all__ = ["normalise"]

_FLAT = 1e-12  # of a column's largest entry: a smaller deviation is rounding


def normalise(perturbed: ArrayLike, original: ArrayLike) -> Matrix:
    """NOT PRIVATE: `perturbed` moved and stretched, column by column, to the original's moments.

    A column without deviation, before or after, cannot be stretched: it is set to its mean.

    >>> normalise([[1.0, 7.0], [2.0, 7.0]], [[10.0, 1.0], [30.0, 3.0]]).tolist()
    [[10.0, 2.0], [30.0, 2.0]]
    """
    P, A = real_matrix(perturbed), real_matrix(original)
    if P.shape != A.shape:
        raise DataError(f"perturbed and original must agree in shape, got {P.shape} and {A.shape}")
    moved: Matrix = P - P.mean(axis=0)
    moved -= moved.mean(axis=0)  # the first mean carries the rounding of large values
    spread = np.sqrt(np.einsum("ij,ij->j", moved, moved) / len(moved))
    # Of the original nothing is asked: where it is flat, the stretch is (nearly) zero anyway.
    flat = spread <= _FLAT * np.abs(P).max(axis=0)
    moved *= np.divide(A.std(axis=0), spread, out=np.zeros_like(spread), where=~flat)
    moved += A.mean(axis=0)
    return moved
