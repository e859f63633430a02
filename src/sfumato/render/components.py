"""Leading directions of noisy moments, and how many of them are worth their noise."""

import numpy as np

from sfumato.render.spectrum import Matrix

__all__ = ["expected_errors", "leading"]


def leading(S: Matrix, rank: int) -> tuple[Matrix, Matrix]:
    """The largest eigenvalues of a symmetric matrix and their directions, one per row.

    The sign of a direction is chosen so that its largest entry is positive.
    """
    values, vectors = np.linalg.eigh(S)
    V = vectors.T[::-1][:rank]
    peaks = np.take_along_axis(V, np.abs(V).argmax(axis=1, keepdims=True), axis=1)
    return values[::-1][:rank], V * np.sign(peaks)


def expected_errors(values: Matrix, energies: Matrix) -> Matrix:
    """Squared error per record for rank 0, 1, 2 …: variance left out plus noise let in.

    `values` are all noisy eigenvalues, largest first; `energies[k]` is the noise of k + 1
    coordinates.
    """
    variances = np.maximum(values, 0)
    left_out = np.concatenate([[variances.sum()], variances.sum() - np.cumsum(variances)])
    return np.asarray(left_out[: len(energies) + 1] + np.concatenate([[0.0], energies]))
