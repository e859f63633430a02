"""What every perturbation is given: a finite real matrix, one row per record."""

from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from sfumato.errors import DataError, ParameterError
from sfumato.numeric.arrays import Matrix

__all__ = ["between", "deviations", "real_matrix"]


def real_matrix(A: ArrayLike) -> Matrix:
    """A as float64, copied only if it must be; refused by shape and kind, never by a value.

    >>> real_matrix([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    try:
        X = np.asarray(A, np.float64)
    except (TypeError, ValueError):
        raise DataError("the matrix must hold numbers only: leave out other columns") from None
    if X.ndim != 2 or not X.size:
        raise DataError(f"the matrix must have rows and columns, got shape {X.shape}")
    # Not-a-number survives min and max, and so two passes need no mask of the whole matrix.
    if not (isfinite(X.min()) and isfinite(X.max())):
        raise DataError("the matrix must be finite: fill in or drop missing values")
    return X


def between(name: str, value: float, low: float, high: float) -> float:
    """A number of a closed interval, else refused by name.

    >>> between("share", 0.5, 0, 1)
    0.5
    """
    if not low <= value <= high:
        raise ParameterError(f"{name} must be from {low:g} to {high:g}, got {value!r}")
    return float(value)


def deviations(deviation: ArrayLike, columns: int) -> Matrix:
    """A standard deviation for each column, from one for all or one for each.

    >>> deviations(0.1, 3).tolist()
    [0.1, 0.1, 0.1]
    """
    sizes = np.asarray(deviation, np.float64)
    if sizes.shape not in ((), (columns,)):
        raise ParameterError(
            f"deviation must be one number, or one for each of the {columns} columns"
        )
    if not (np.isfinite(sizes).all() and (sizes >= 0).all()):
        raise ParameterError("deviation must be finite and at least 0")
    return np.broadcast_to(sizes, (columns,))
