"""Noisy first and second moments: which entries, in which order, in which units.

`MomentLayout` says which entries of the moments are released and in which order; both
sides of the door use it, so that what was measured is what is read.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ReleaseError
from sfumato.numeric.arrays import Matrix, Whole
from sfumato.privacy.sensitivity import Neighbours, Sensitivity, class_moments, moments
from sfumato.schema.domain import Grid
from sfumato.synopsis.features import Features

__all__ = ["MomentLayout", "MomentSynopsis", "public_rows", "whole_entries"]


@dataclass(frozen=True)
class MomentLayout:
    """Released entries: counts, sums (by class), then the upper triangle of second moments.

    Left out is whatever the public facts already fix: the number of records under
    replace-one, the last of two class counts, and the products in `Features.fixed`.
    """

    features: Features
    neighbours: Neighbours
    classes: int = 1

    def __post_init__(self) -> None:
        self.features.check_products()

    @cached_property
    def counts(self) -> int:
        """How many counts are released."""
        if self.neighbours == "add-remove":
            return self.classes
        return {1: 0, 2: 1}.get(self.classes, self.classes)

    @cached_property
    def triangle(self) -> tuple[Whole, Whole]:
        """Row and column of each released product."""
        rows, columns = np.triu_indices(len(self.features))
        free = ~self.features.fixed[rows, columns]
        return rows[free], columns[free]

    @cached_property
    def units(self) -> Whole:
        """The whole number that stands for 1 in each entry."""
        one, (i, j) = self.features.units, self.triangle
        return np.concatenate(
            [np.ones(self.counts, np.int64), np.tile(one, self.classes), one[i] * one[j]]
        )

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """How far one record moves the entries, in real units."""
        f, relation = self.features, self.neighbours
        if self.classes == 1:
            return moments(f.continuous, f.binary, f.blocks, neighbours=relation)
        counts = min(self.counts, 2)
        return class_moments(f.continuous, f.binary, f.blocks, neighbours=relation, counts=counts)

    def filled(self, totals: Matrix, products: Matrix) -> Matrix:
        """The second moment from its released products and the sums of all features."""
        width, (i, j) = len(self.features), self.triangle
        S = np.zeros((width, width))
        S[i, j] = products
        for k, item in enumerate(self.features.items):
            axis = self.features.domain.axes[item.axis]
            if item.unit == 1:
                S[k, k] = totals[k]
            if isinstance(axis, Grid) and item.level is not None:
                S[k - 1, k] = axis.middle / axis.points * totals[k]
        return np.asarray(np.triu(S) + np.triu(S, 1).T)

    def pack(self, counts: Whole, sums: Whole, second: Whole) -> Whole:
        """The released entries of exact moments (classes, classes × features, features²)."""
        return np.concatenate([counts[: self.counts], sums.ravel(), second[self.triangle]])


@dataclass(frozen=True)
class MomentSynopsis:
    """Noisy moments; `rows` is the public number of records, or None under add-remove."""

    layout: MomentLayout
    entries: Whole
    rows: int | None

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """Records per class, at least zero, consistent with a public total."""
        noisy = np.maximum(self.entries[: self.layout.counts].astype(np.float64), 0)
        if self.rows is None:
            return noisy
        if self.layout.classes == 1:
            return np.array([float(self.rows)])
        if self.layout.classes == 2:
            first = min(noisy[0], float(self.rows))
            return np.array([first, self.rows - first])
        return (
            noisy * (self.rows / noisy.sum())
            if noisy.sum() > 0
            else np.full(self.layout.classes, self.rows / self.layout.classes)
        )

    @cached_property
    def sums(self) -> Matrix:
        """Sum of the features over the records of each class, features in [0, 1]."""
        width = len(self.layout.features)
        values = self.entries[self.layout.counts :][: self.layout.classes * width]
        return values.astype(np.float64).reshape(-1, width) / self.layout.features.units

    @cached_property
    def second(self) -> Matrix:
        """Sum of x xᵀ over all records, with the fixed products filled in."""
        units, (i, j) = self.layout.features.units, self.layout.triangle
        released = self.entries[len(self.entries) - len(i) :].astype(np.float64)
        return self.layout.filled(self.sums.sum(axis=0), released / (units[i] * units[j]))

    def to_json(self) -> dict[str, Any]:
        """Kind, public rows and noisy integers; everything else follows from the schema."""
        return {
            "kind": "moments",
            "classes": self.layout.classes,
            "rows": self.rows,
            "entries": [int(entry) for entry in self.entries],
        }

    @classmethod
    def from_json(cls, record: dict[str, Any], layout: MomentLayout) -> "MomentSynopsis":
        """The inverse of `to_json`, checked against the layout of the schema."""
        entries = whole_entries(record.get("entries"), len(layout.units))
        if record.get("classes") != layout.classes:
            raise ReleaseError("the synopsis does not have the classes that its schema calls for")
        return cls(layout, entries, public_rows(record.get("rows"), layout.neighbours))


def whole_entries(entries: Any, size: int) -> Whole:
    """Noisy numbers of a received synopsis, so many as its schema calls for."""
    if not isinstance(entries, list) or not all(_is_int64(entry) for entry in entries):
        raise ReleaseError("the synopsis is not a list of whole numbers of 64 bits")
    if len(entries) != size:
        raise ReleaseError("the synopsis does not have the entries that its schema calls for")
    return np.array(entries, np.int64)


def public_rows(rows: Any, neighbours: Neighbours) -> int | None:
    """The number of records that a received synopsis states, exactly where it is public."""
    public = neighbours == "replace-one"
    if (type(rows) is not int or rows < 0) if public else rows is not None:
        raise ReleaseError("the synopsis must state rows under replace-one, and only there")
    return int(rows) if public else None


def _is_int64(value: object) -> bool:
    return type(value) is int and -(2**63) <= value < 2**63
