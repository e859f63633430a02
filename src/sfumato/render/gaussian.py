"""Records drawn from a Gaussian."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sfumato.numeric.arrays import Matrix
from sfumato.render.decode import Decoder, nearest_codes
from sfumato.synopsis.features import Features

__all__ = ["Gaussian", "GaussianRecords"]


@dataclass(frozen=True, eq=False)
class Gaussian:
    """A mean, and a matrix that gives independent draws their covariance."""

    mean: Matrix
    root: Matrix

    @classmethod
    def of(cls, mean: Matrix, S: Matrix) -> "Gaussian":
        """With this (positive semidefinite) covariance."""
        values, vectors = np.linalg.eigh(S)
        return cls(mean, vectors * np.sqrt(np.maximum(values, 0)))

    def draw(self, rows: int, rng: np.random.Generator) -> Matrix:
        """As many draws, one per row."""
        drawn = rng.standard_normal((rows, len(self.mean))) @ self.root.T
        drawn += self.mean
        return drawn


@dataclass(frozen=True, eq=False)
class GaussianRecords:
    """What draws the records whose features are nearest to draws from a Gaussian."""

    features: Features
    decoder: Decoder
    gaussian: Gaussian

    def __call__(self, _start: int, count: int, rng: np.random.Generator) -> pa.RecordBatch:
        """So many rows."""
        drawn = self.gaussian.draw(count, rng)
        return self.decoder.encoded(nearest_codes(self.features, drawn))
