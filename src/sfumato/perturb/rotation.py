"""Rotation with noise: A R + E, R orthogonal (Chen and Liu 2005; Liu 2015, equation 2.1).

NOT PRIVATE by any proof.  Without noise all distances and angles are kept exactly, which is
what clustering needs and what an attacker needs as well: as many known records as there
are columns give R, and R gives every other record.  With noise, least squares take R's place.
"""

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from sfumato.errors import ParameterError
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.additive import additive
from sfumato.perturb.matrix import deviations, real_matrix

__all__ = ["orthogonal", "random_orthogonal", "rotation"]

_ROUNDING = 1e-8  # how far the rows of R may be from orthonormal: decimals written to a file


def rotation(
    A: ArrayLike, rng: Generator, *, R: ArrayLike | None = None, deviation: ArrayLike = 0.0
) -> Matrix:
    """NOT PRIVATE by any proof: A R, and Gaussian noise where `deviation` is above 0.

    Without `R` one is drawn, uniformly among all orthogonal matrices.

    >>> rng = np.random.default_rng(0)
    >>> rotation([[3.0, 4.0]], rng, R=[[0.0, 1.0], [-1.0, 0.0]]).tolist()
    [[-4.0, 3.0]]
    """
    X = real_matrix(A)
    columns = X.shape[1]
    noise = deviations(deviation, columns)
    turned = X @ (random_orthogonal(columns, rng) if R is None else orthogonal(R, columns))
    return additive(turned, rng, noise) if noise.any() else turned


def random_orthogonal(m: int, rng: Generator) -> Matrix:
    """An orthogonal m × m matrix, uniform in the sense of Haar (Mezzadri 2007).

    >>> R = random_orthogonal(3, np.random.default_rng(0))
    >>> np.allclose(R @ R.T, np.eye(3))
    True
    """
    Q, T = np.linalg.qr(rng.standard_normal((m, m)))
    # The signs that QR leaves to the algorithm would spoil uniformity: T's diagonal fixes them.
    uniform: Matrix = Q * np.where(np.diag(T) < 0, -1.0, 1.0)
    return uniform


def orthogonal(R: ArrayLike, columns: int) -> Matrix:
    """R as float64, refused unless it is orthogonal and fits the columns.

    >>> orthogonal([[0.0, 1.0], [1.0, 0.0]], 2).shape
    (2, 2)
    """
    try:
        Q = np.asarray(R, np.float64)
    except (TypeError, ValueError):
        raise ParameterError("rotation must be a matrix of numbers") from None
    if Q.shape != (columns, columns):
        raise ParameterError(
            f"rotation must be {columns} × {columns}, one row and column per column of the "
            f"table, got shape {Q.shape}"
        )
    off = np.abs(Q.T @ Q - np.eye(columns)).max()
    if not off <= _ROUNDING:
        raise ParameterError(
            "rotation must be orthogonal: its columns must have length 1 and right angles; "
            "random_orthogonal draws one, a QR decomposition repairs one"
        )
    return Q
