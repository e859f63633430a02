"""Shrinkage: entries that are mostly noise are drawn towards what is expected without it.

The noise of every entry has a public size.  A block of covariances (between two columns)
that is no larger than its noise is set to zero, a larger one keeps the share that noise
does not explain (James and Stein 1961); directions in which the covariance is small
against the noise, and class differences along them, are damped as a ridge of the size of
the noise would.  Without this a classifier trusts exactly the directions that the noise
made small.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Matrix
from sfumato.render.consistent import ClassMoments
from sfumato.render.spectrum import nearest_psd
from sfumato.synopsis.features import Features

__all__ = ["columns", "shrunken"]

_CAUTION = 4.0  # how many times its expected energy the noise is taken for
_RIDGE = 2.0  # in standard deviations of an entry of the covariance
_LEAST_VARIANCE = 1e-6


def shrunken(moments: ClassMoments, features: Features, deviation: float) -> tuple[Matrix, Matrix]:
    """Class means and shared covariance; `deviation` is the noise of one entry of a sum."""
    noise = deviation / max(float(moments.counts.sum()), 1.0)
    S = _without_noise(moments.within, features, _CAUTION * noise**2)
    # A variance that noise made tiny would give the column a huge weight: none below the noise.
    least = np.where(features.units > 1, max(noise, _LEAST_VARIANCE), _LEAST_VARIANCE)
    variances = np.maximum(np.diag(S), least)
    damped = nearest_psd(S) + _RIDGE * noise * np.eye(len(S))
    scale = np.sqrt(variances / np.diag(damped))
    means = moments.means
    pooled = moments.shares @ means
    keep = variances / (variances + _RIDGE * noise)
    return pooled + (means - pooled) * keep, damped * np.outer(scale, scale)


def _without_noise(S: Matrix, features: Features, energy: float) -> Matrix:
    """Covariances between different columns, each block shrunk by its share of noise."""
    S = S.copy()
    groups = list(columns(features))
    for a, first in enumerate(groups):
        for second in groups[a + 1 :]:
            here = np.ix_(first, second)
            free = max(len(first) - 1, 1) * max(len(second) - 1, 1)
            found = float((S[here] ** 2).sum())
            keep = max(0.0, 1 - energy * free / found) if found > 0 else 0.0
            S[here] *= keep
            S[np.ix_(second, first)] *= keep
    return S


def columns(features: Features) -> Iterator[NDArray[np.int64]]:
    """The positions of each block of dummies, and of each other feature alone."""
    seen: dict[tuple[str, int], list[int]] = {}
    for position, item in enumerate(features.items):
        name = ("block", item.block) if item.block is not None else ("feature", position)
        seen.setdefault(name, []).append(position)
    return (np.array(positions) for positions in seen.values())
