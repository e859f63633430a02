"""Records of classes with one covariance, column after column, each given the ones before.

Given what is drawn already, the mean and variance of the next column are those of the
Gaussian with the mean of the class and the covariance that all classes share: so what a column
follows the others by is worked out once.  Categories are drawn with these means as
probabilities (brought back to the class shares where clipping moved them); numbers from the
beta distribution with this mean and variance, which stays inside its range.  So first and
second moments survive, and no argmax or clipping bends them.
"""

from dataclasses import dataclass

import numpy as np

from sfumato.numeric.arrays import Matrix, Vector, Whole
from sfumato.render.shrink import columns
from sfumato.synopsis.features import Features

__all__ = ["Sequential"]

_RARE = 1e-6
_EDGE = 1e-3  # a beta distribution needs a mean strictly inside its range
_FLATTEST = 0.02  # and some weight to be drawn with
_ROUNDS = 5


@dataclass(frozen=True, eq=False)
class _Step:
    """One column, given those before it."""

    here: slice  # among features in the order in which they are drawn
    slope: Matrix  # a row for each feature of the column, a column for each one before
    base: Matrix  # what is expected of each class where all before are zero
    rest: float | None  # the variance that is left to a number

    def expected(self, k: int, before: Matrix) -> Matrix:
        """A row for each feature of the column; `before` has one for each that is drawn."""
        found = self.slope @ before
        found += self.base[k][:, None]
        return found


@dataclass(frozen=True, eq=False)
class Sequential:
    """A sampler of records with features in [0, 1], categories before numbers."""

    order: Whole  # of the features, as they are drawn
    means: Matrix  # by class, in this order
    steps: tuple[_Step, ...]

    @classmethod
    def of(cls, features: Features, means: Matrix, S: Matrix) -> "Sequential":
        """With the means of each class and the covariance about them that all share."""
        groups = sorted(columns(features), key=lambda group: bool(features.units[group[0]] > 1))
        order, steps, first = np.concatenate(groups), [], 0
        for group in groups:
            done = order[:first]
            slope = S[np.ix_(group, done)] @ np.linalg.pinv(
                S[np.ix_(done, done)], rcond=1e-6, hermitian=True
            )
            rest = None
            if features.units[group[0]] > 1:
                rest = float(S[group[0], group[0]] - slope[0] @ S[done, group[0]])
            base = means[:, group] - means[:, done] @ slope.T
            steps.append(_Step(slice(first, first + len(group)), slope, base, rest))
            first += len(group)
        return cls(order, means[:, order], tuple(steps))

    def __call__(self, labels: Whole, rng: np.random.Generator) -> Matrix:
        """The features of one record per label."""
        Z = np.empty((len(self.order), len(labels)))
        for k in np.unique(labels):
            here = np.flatnonzero(labels == k)
            drawn = self._class(int(k), len(here), rng)
            for j, feature in zip(self.order, drawn, strict=True):
                Z[j, here] = feature
        return Z.T

    def _class(self, k: int, rows: int, rng: np.random.Generator) -> Matrix:
        """Records of one class: a row for each feature, so that columns lie side by side."""
        Y = np.zeros((len(self.order), rows))
        for step in self.steps:
            here = step.here
            expected = step.expected(k, Y[: here.start])
            if step.rest is not None:
                Y[here.start] = _numbers(expected[0], step.rest, rng)
            elif len(expected) == 1:
                share = self.means[k, here.start]
                both = np.concatenate([1 - expected, expected])
                Y[here.start] = _levels(both, np.array([1 - share, share]), rng)
            else:
                level = _levels(expected, self.means[k, here], rng)
                Y[here.start + level, np.arange(rows)] = 1
        return Y


def _levels(expected: Matrix, shares: Vector, rng: np.random.Generator) -> Whole:
    """A level for each column, by probabilities near `expected` whose mean is `shares`."""
    P = np.clip(expected, _RARE, 1)
    wanted = np.maximum(shares, _RARE) / np.maximum(shares, _RARE).sum()
    weight = np.ones(len(P))
    for _ in range(_ROUNDS):  # to sums of 1 for each record, then to the shares of each level
        found = weight * (P @ (1 / (weight @ P))) / P.shape[1]
        weight *= wanted / np.maximum(found, _RARE)
    P *= weight[:, None]
    upto = np.cumsum(P, axis=0, out=P)
    passed = rng.random(P.shape[1]) * upto[-1] > upto[:-1]
    return np.asarray(passed.sum(axis=0))


def _numbers(expected: Vector, variance: float, rng: np.random.Generator) -> Vector:
    """Beta draws with these means and this variance, as far as the range allows it."""
    m = np.clip(expected, _EDGE, 1 - _EDGE)
    weight = np.maximum(m * (1 - m) / max(variance, _RARE) - 1, _FLATTEST)
    return rng.beta(m * weight, (1 - m) * weight)
