"""Noisy class moments made consistent with what every table satisfies.

The dummies of a block sum to one in each record.  So in each class their sums add up to
the class count, and their products with any other feature add up to the sum of that
feature.  Sums and products of features in [0, 1] lie between zero and the count.  The noisy
entries all carry noise of one scale in real units, so the nearest consistent point (in
least squares, by Dykstra's alternating projections) uses each of them as well as it can.
It is post-processing: it costs nothing, and the true moments are always consistent.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import factorized

from sfumato.numeric.arrays import Matrix
from sfumato.synopsis.moments import MomentLayout, MomentSynopsis

__all__ = ["ClassMoments", "consistent"]

_ROUNDS = 60


@dataclass(frozen=True)
class ClassMoments:
    """Counts per class, sums per class and feature, shared second moment; real units."""

    counts: Matrix
    sums: Matrix
    second: Matrix

    @property
    def means(self) -> Matrix:
        """Mean of each feature in each class, in [0, 1]."""
        return np.asarray(np.clip(self.sums / np.maximum(self.counts, 1.0)[:, None], 0, 1))

    @property
    def shares(self) -> Matrix:
        """Share of each class; equal shares where the noise left no counts at all."""
        total = float(self.counts.sum())
        equal = np.full(len(self.counts), 1 / len(self.counts))
        return np.asarray(self.counts / total) if total > 0 else equal

    @property
    def within(self) -> Matrix:
        """Covariance around the class means, shared by the classes; may be indefinite."""
        n, means = max(float(self.counts.sum()), 1.0), self.means
        return np.asarray(self.second / n - (means.T * self.shares) @ means)


def consistent(synopsis: MomentSynopsis) -> ClassMoments:
    """The consistent class moments nearest to the noisy ones."""
    places = _Places(synopsis.layout)
    i, j = synopsis.layout.triangle
    x = np.concatenate([synopsis.counts, synopsis.sums.ravel(), synopsis.second[i, j]])
    project = _projection(*_equations(places, synopsis.rows), size=len(x))
    correction = np.zeros_like(x)
    for _ in range(_ROUNDS):
        x = project(x)
        # Dykstra's correction belongs to the inequalities; a subspace needs none.
        bounded = np.clip(x + correction, 0, places.upper(x))
        correction += x - bounded
        x = bounded
    counts, sums, products = places.parts(x)
    return ClassMoments(counts, sums, synopsis.layout.filled(sums.sum(axis=0), products))


class _Places:
    """Where counts, sums and products stand in one long vector."""

    def __init__(self, layout: MomentLayout) -> None:
        self.layout, self.classes, self.width = layout, layout.classes, len(layout.features)
        self.products = self.classes * (1 + self.width)
        self.size = self.products + len(layout.triangle[0])

    def parts(self, x: Matrix) -> tuple[Matrix, Matrix, Matrix]:
        sums = x[self.classes : self.products].reshape(self.classes, self.width)
        return x[: self.classes], sums, x[self.products :]

    def sum_of(self, label: int, feature: int) -> int:
        return self.classes + label * self.width + feature

    def upper(self, x: Matrix) -> Matrix:
        """No sum above its count, no product above the sum of either factor."""
        counts, sums, _ = self.parts(x)
        counts = np.maximum(counts, 0)
        totals = np.clip(sums, 0, counts[:, None]).sum(axis=0)
        i, j = self.layout.triangle
        every = np.full(self.classes, counts.sum())
        return np.concatenate(
            [every, np.repeat(counts, self.width), np.minimum(totals[i], totals[j])]
        )


def _equations(places: _Places, rows: int | None) -> tuple[list[dict[int, float]], Matrix]:
    """Left sides (position to coefficient) and right sides of all that must hold."""
    layout, classes = places.layout, range(places.classes)
    block = np.array([-1 if f.block is None else f.block for f in layout.features.items])
    where = np.full((places.width, places.width), -1)
    where[layout.triangle] = np.arange(places.products, places.size)
    where = np.maximum(where, where.T)
    left: list[dict[int, float]] = []
    for b in sorted(set(block.tolist()) - {-1}):
        members = np.flatnonzero(block == b).tolist()
        for k in classes:
            left.append({places.sum_of(k, d): 1.0 for d in members} | {k: -1.0})
        for f in np.flatnonzero(block != b).tolist():
            totals = {places.sum_of(k, f): -1.0 for k in classes}
            left.append({int(where[d, f]): 1.0 for d in members} | totals)
    right = np.zeros(len(left))
    if rows is not None:
        left.append(dict.fromkeys(classes, 1.0))
        right = np.append(right, float(rows))
    return left, right


def _projection(
    left: list[dict[int, float]], right: Matrix, *, size: int
) -> Callable[[Matrix], Matrix]:
    """The nearest solution of the equations, as a function of the point to start from."""
    if not left:
        return lambda x: x
    entries = [(r, c, v) for r, row in enumerate(left) for c, v in row.items()]
    r, c, v = (np.array(part) for part in zip(*entries, strict=True))

    A = sparse.csr_matrix((v, (r, c)), shape=(len(left), size))
    # The equations between two blocks overlap in one; a tiny ridge chooses among them.
    solve = factorized((A @ A.T + 1e-9 * sparse.eye(len(left))).tocsc())
    return lambda x: np.asarray(x - A.T @ solve(A @ x - right))
