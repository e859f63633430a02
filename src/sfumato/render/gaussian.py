"""Records drawn from a Gaussian, a batch at a time."""

from collections.abc import Iterator

import numpy as np

from sfumato.numeric.arrays import Matrix
from sfumato.render.decode import BATCH_ROWS

__all__ = ["sample"]


def sample(mean: Matrix, S: Matrix, rows: int, rng: np.random.Generator) -> Iterator[Matrix]:
    """`rows` draws with this mean and (positive semidefinite) covariance."""
    values, vectors = np.linalg.eigh(S)
    root = vectors * np.sqrt(np.maximum(values, 0))
    for start in range(0, rows, BATCH_ROWS):
        count = min(BATCH_ROWS, rows - start)
        yield mean + rng.standard_normal((count, len(mean))) @ root.T
