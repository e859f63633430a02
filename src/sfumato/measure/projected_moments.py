"""Counts, sums and second moments of records in reduced coordinates, under exact noise.

Guarantee.  ε-DP (discrete Laplace) or ρ-zCDP (discrete Gaussian) given directions that are
public or were released before, for both neighbour relations; labels may change.
Sensitivity.  A record is its coordinates along the directions over √L, the largest norm it
can have; they are rounded to steps of 1/`UNIT` and drawn into the unit ball inside the
query, so ‖x‖ ≤ 1 holds for the whole numbers that are summed, whatever the directions.  A
target is one more entry in [-1, 1].  Proofs: `docs/proofs/pca-gauss-regression.md` and
`docs/proofs/pca-gauss-mixture.md`.
Exactness.  Every entry is a whole number of size at most 2¹⁵, so sums of 2³¹ records stay in
64 bits and a batch's float64 products are exact (`sfumato.measure.moments`).
"""

from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from sfumato.measure.moments import gram
from sfumato.measure.projection import coordinates
from sfumato.numeric.arrays import Codes, Matrix, Whole
from sfumato.privacy.budget import Budget
from sfumato.privacy.centred_sensitivity import Parts, mixture, regression
from sfumato.privacy.mechanism import Noise, Purse
from sfumato.privacy.sensitivity import Neighbours
from sfumato.schema.domain import Grid
from sfumato.synopsis.centred import UNIT, Centred, drawn_in
from sfumato.synopsis.directions import Directions
from sfumato.table.records import Records
from sfumato.table.statistic import Statistic

__all__ = ["Budgets", "Outcome", "ProjectedMoments", "ProjectedSums", "ProjectedSynopsis"]


@dataclass(frozen=True)
class Outcome:
    """What stands beside the coordinates: a target, or a label with so many classes."""

    neighbours: Neighbours
    axis: int
    labels: int | None = None  # None for a target

    @property
    def classes(self) -> int:
        """How many groups of records are summed apart."""
        return self.labels or 1

    @property
    def counts(self) -> int:
        """How many counts are released: none that the public number of records fixes."""
        if self.neighbours == "add-remove":
            return self.classes
        return {1: 0, 2: 1}.get(self.classes, self.classes)

    def sensitivity(self, rank: int) -> Parts:
        """How far one record moves counts, sums and second moments, in real units."""
        if self.labels is None:
            return regression(rank, self.neighbours)
        return mixture(rank, self.labels, self.neighbours)


@dataclass(frozen=True)
class Budgets:
    """What counts (where they are bought), sums and second moments may cost."""

    counts: Budget | None
    sums: Budget
    second: Budget

    def noises(self, outcome: Outcome, rank: int) -> tuple[Noise, ...]:
        """What is bought in this many dimensions, in its order, under which noise."""
        moved = outcome.sensitivity(rank)
        what = "number of records" if outcome.labels is None else "class sizes"
        counts = () if self.counts is None else (Noise(what, moved.counts, self.counts),)
        sums = Noise("projected sums", moved.sums, self.sums)
        return (*counts, sums, Noise("projected second moments", moved.second, self.second))


class _Sums(NamedTuple):
    rows: int
    counts: Whole
    sums: Whole  # class by class, one entry per dimension
    second: Whole  # class by class, upper triangle


@dataclass(frozen=True)
class ProjectedSums(Statistic[_Sums]):
    """Exact counts, sums and products of whole-number coordinates, by class."""

    directions: Directions
    outcome: Outcome

    def vectors(self, codes: Codes) -> Matrix:
        """NOT PRIVATE: whole-number coordinates in the unit ball, then the target."""
        X = drawn_in(np.rint(coordinates(self.directions, codes) * self._scale), UNIT)
        if self.outcome.labels is not None:
            return X
        axis = self.directions.features.domain.axes[self.outcome.axis]
        assert isinstance(axis, Grid)  # noqa: S101  only a grid can be a target
        y = np.rint(codes[:, self.outcome.axis] * (2 * UNIT / axis.points)) - UNIT
        return np.column_stack([X, y])

    def zero(self) -> _Sums:
        """Of no records."""
        classes, width = self.outcome.classes, self.directions.rank + (self.outcome.labels is None)
        shapes = (classes,), (classes, width), (classes, width * (width + 1) // 2)
        return _Sums(0, *(np.zeros(shape, np.int64) for shape in shapes))

    def add(self, total: _Sums, records: Codes) -> _Sums:
        """NOT PRIVATE: with these records."""
        X, classes = self.vectors(records), self.outcome.classes
        labels = np.zeros(len(records), np.int32)
        if self.outcome.labels is not None:
            labels = records[:, self.outcome.axis]
        parts = [X[labels == k] for k in range(classes)]
        upper = np.triu_indices(X.shape[1])
        found = _Sums(
            len(records),
            np.bincount(labels, minlength=classes),
            np.array([part.sum(axis=0) for part in parts]).astype(np.int64),
            np.array([gram(part, UNIT)[upper] for part in parts]),
        )
        return self.merge(total, found)

    def merge(self, a: _Sums, b: _Sums) -> _Sums:
        """NOT PRIVATE: of both together."""
        # Modulo 2^64 on every path: no type may depend on how many records there are.
        return _Sums(a.rows + b.rows, a.counts + b.counts, a.sums + b.sums, a.second + b.second)

    @cached_property
    def _scale(self) -> float:
        """From steps of the coordinates to steps of the unit ball."""
        space = self.directions.space
        assert isinstance(space, Centred)  # noqa: S101  only centred records have a largest norm
        return UNIT / (self.directions.unit * sqrt(space.largest_square))


@dataclass(frozen=True)
class ProjectedMoments:
    """Noisy moments of the records' coordinates along known directions of centred features."""

    directions: Directions
    outcome: Outcome
    budgets: Budgets

    @cached_property
    def noises(self) -> tuple[Noise, ...]:
        """What is bought and how much noise that buys."""
        return self.budgets.noises(self.outcome, self.directions.rank)

    @cached_property
    def statistic(self) -> ProjectedSums:
        """NOT PRIVATE: what is counted, exactly."""
        return ProjectedSums(self.directions, self.outcome)

    def query(self, records: Records) -> list[Whole]:
        """NOT PRIVATE: exact counts (where bought), sums and triangles that get the noise."""
        return self._bought(self._exact(records))

    def perturb(self, records: Records, purse: Purse) -> "ProjectedSynopsis":
        """`query` under its noise: the one place where the moments spend."""
        exact = self._exact(records)
        paid = [purse.pay(noise) for noise in self.noises]  # all, before a bit is drawn
        units = (1, UNIT, UNIT**2)[-len(paid) :]
        *counts, sums, second = (
            each.add(part, np.full(part.shape, unit, np.int64))
            for each, part, unit in zip(paid, self._bought(exact), units, strict=True)
        )
        public = exact.rows if self.outcome.neighbours == "replace-one" else None
        return ProjectedSynopsis(counts[0] if counts else None, sums, second, public)

    def _bought(self, exact: _Sums) -> list[Whole]:
        counts = [] if self.budgets.counts is None else [exact.counts[: self.outcome.counts]]
        return [*counts, exact.sums, exact.second]

    def _exact(self, records: Records) -> _Sums:
        return records.fold(self.statistic)


@dataclass(frozen=True)
class ProjectedSynopsis:
    """Noisy moments by class; `rows` is the public number of records, None under add-remove."""

    counts: Whole | None
    sums: Whole
    second: Whole
    rows: int | None

    @property
    def sizes(self) -> Matrix:
        """Records per class, at least zero; what the public number of records fixes follows."""
        known = np.zeros(0) if self.counts is None else self.counts.astype(np.float64)
        if self.rows is not None and len(known) < len(self.sums):
            known = np.append(known, self.rows - known.sum())
        return np.maximum(known, 0)

    @property
    def size(self) -> int:
        """How many records there are: the public number, or the sum of the noisy counts."""
        return round(float(self.sizes.sum())) if self.rows is None else self.rows

    def moments(self, k: int) -> tuple[Matrix, Matrix]:
        """Mean of x and of x xᵀ over the records of class k; symmetric, perhaps impossible."""
        size, width = max(float(self.sizes[k]), 1.0), self.sums.shape[1]
        S = np.zeros((width, width))
        S[np.triu_indices(width)] = self.second[k] / (float(UNIT) ** 2 * size)
        return self.sums[k] / (UNIT * size), S + np.triu(S, 1).T

    def variance(self, rank: int) -> float:
        """Sum of the variances of the first `rank` entries over all records."""
        n, width = max(self.size, 1), self.sums.shape[1]
        squares = np.flatnonzero(np.equal(*np.triu_indices(width)))[:rank]
        second = float(self.second[:, squares].sum()) / (float(UNIT) ** 2 * n)
        mean = self.sums[:, :rank].sum(axis=0) / (UNIT * n)
        return second - float(mean @ mean)

    def to_json(self) -> dict[str, Any]:
        """Kind, public rows and noisy integers in steps of 1, 1/unit and 1/unit²."""
        return {
            "kind": "projected moments",
            "unit": UNIT,
            "rows": self.rows,
            "counts": None if self.counts is None else self.counts.tolist(),
            "sums": self.sums.tolist(),
            "second": self.second.tolist(),
        }
