"""Records of one class, column after column, each given the ones before.

Given what is drawn already, the mean and variance of the next column are those of the
Gaussian with this mean and covariance.  Categories are drawn with these means as
probabilities (brought back to the class shares where clipping moved them); numbers from the
beta distribution with this mean and variance, which stays inside its range.  So first and
second moments survive, and no argmax or clipping bends them.
"""

import numpy as np

from sfumato.numeric.arrays import Matrix
from sfumato.render.shrink import columns
from sfumato.synopsis.features import Features

__all__ = ["sequential"]

_RARE = 1e-6
_EDGE = 1e-3  # a beta distribution needs a mean strictly inside its range
_FLATTEST = 0.02  # and some weight to be drawn with
_ROUNDS = 5


def sequential(
    features: Features, mean: Matrix, S: Matrix, rows: int, rng: np.random.Generator
) -> Matrix:
    """`rows` records with features in [0, 1], categories before numbers."""
    Z = np.zeros((rows, len(features)))
    if not rows:
        return Z
    done = np.array([], np.int64)
    for group in sorted(columns(features), key=lambda g: bool(features.units[g[0]] > 1)):
        slope = (
            S[np.ix_(group, done)]
            @ np.linalg.pinv(S[np.ix_(done, done)], rcond=1e-6, hermitian=True)
            if len(done)
            else np.zeros((len(group), 0))
        )
        expected = mean[group] + (Z[:, done] - mean[done]) @ slope.T
        if features.units[group[0]] > 1:
            rest = S[group[0], group[0]] - float(slope[0] @ S[done, group[0]])
            Z[:, group[0]] = _numbers(expected[:, 0], rest, rng)
        elif len(group) == 1:
            both = np.column_stack([1 - expected[:, 0], expected[:, 0]])
            share = mean[group[0]]
            Z[:, group[0]] = _levels(both, np.array([1 - share, share]), rng)
        else:
            Z[np.arange(rows), group[_levels(expected, mean[group], rng)]] = 1
        done = np.concatenate([done, group])
    return Z


def _levels(expected: Matrix, shares: Matrix, rng: np.random.Generator) -> Matrix:
    """A level for each row, by probabilities near `expected` whose mean is `shares`."""
    P = np.clip(expected, _RARE, 1)
    wanted = np.maximum(shares, _RARE) / np.maximum(shares, _RARE).sum()
    for _ in range(_ROUNDS):
        P /= P.sum(axis=1, keepdims=True)
        P *= wanted / np.maximum(P.mean(axis=0), _RARE)
    P /= P.sum(axis=1, keepdims=True)
    passed = rng.random((len(P), 1)) > P.cumsum(axis=1)[:, :-1]
    return np.asarray(passed.sum(axis=1))


def _numbers(expected: Matrix, variance: float, rng: np.random.Generator) -> Matrix:
    """Beta draws with these means and this variance, as far as the range allows it."""
    m = np.clip(expected, _EDGE, 1 - _EDGE)
    weight = np.maximum(m * (1 - m) / max(variance, _RARE) - 1, _FLATTEST)
    return rng.beta(m * weight, (1 - m) * weight)
