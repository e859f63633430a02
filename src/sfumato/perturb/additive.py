"""Gaussian noise on every entry: A + E (Agrawal and Srikant 2000; Liu 2015, 2.2).

NOT PRIVATE by any proof.  Where columns are correlated the records lie near a few directions
and the noise in all of them: a projection on the leading ones takes most of it away again
(Kargupta et al. 2003; Huang, Du and Chen 2005).
"""

from numpy.random import Generator
from numpy.typing import ArrayLike

from sfumato.numeric.arrays import Matrix
from sfumato.perturb.matrix import deviations, real_matrix

__all__ = ["additive"]


def additive(A: ArrayLike, rng: Generator, deviation: ArrayLike) -> Matrix:
    """NOT PRIVATE by any proof: A under independent Gaussian noise of mean 0.

    `deviation` is the standard deviation of the noise, one for all columns or one for each.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> additive([[1.0, 20.0], [2.0, 30.0]], rng, [0.1, 1.0]).round(2).tolist()
    [[1.01, 19.87], [2.06, 30.1]]
    """
    X = real_matrix(A)
    sizes = deviations(deviation, X.shape[1])
    noisy: Matrix = rng.standard_normal(X.shape)
    noisy *= sizes
    noisy += X
    return noisy
