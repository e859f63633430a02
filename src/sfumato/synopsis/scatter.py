"""Noisy second moments about a public centre.

`ScatterLayout` says which products are released; what structure fixes is not.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Matrix, Whole
from sfumato.privacy.centred_sensitivity import scatter, sums
from sfumato.privacy.sensitivity import Neighbours, Sensitivity
from sfumato.synopsis.centred import UNIT, Centred
from sfumato.synopsis.moments import public_rows, whole_entries

__all__ = ["ScatterLayout", "ScatterSynopsis"]


@dataclass(frozen=True)
class ScatterLayout:
    """Released: the number of records (add-remove), then products of the upper triangle."""

    centred: Centred
    neighbours: Neighbours

    def __post_init__(self) -> None:
        self.centred.features.check_products()

    @cached_property
    def counts(self) -> int:
        """How many counts are released."""
        return 1 if self.neighbours == "add-remove" else 0

    @cached_property
    def triangle(self) -> tuple[Whole, Whole]:
        """Row and column of each released product."""
        items = self.centred.features.items
        block = np.array([-1 if item.block is None else item.block for item in items])
        fixed = (block[:, None] == block) & (block >= 0)
        np.fill_diagonal(fixed, self.fixed_squares)
        rows, columns = np.triu_indices(len(items))
        free = ~fixed[rows, columns]
        return rows[free], columns[free]

    @property
    def fixed_squares(self) -> NDArray[np.bool_]:
        """Squares of 0/1 features are a quarter, unless records are drawn in."""
        f = self.centred.features
        single = np.array([item.block is None for item in f.items])
        fixed: NDArray[np.bool_] = (f.units == 1) & single & (self.centred.radius is None)
        return fixed

    @cached_property
    def units(self) -> Whole:
        """The whole number that stands for 1 in each entry."""
        products = np.full(len(self.triangle[0]), UNIT**2, np.int64)
        return np.concatenate([np.ones(self.counts, np.int64), products])

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """How far one record moves the products (and the count), in real units."""
        return scatter(**self.centred.shape, width=len(self.centred), neighbours=self.neighbours)

    @cached_property
    def sums_sensitivity(self) -> Sensitivity:
        """How far one record moves the sums, in real units."""
        return sums(**self.centred.shape, width=len(self.centred), neighbours=self.neighbours)

    def pack(self, count: int, second: Whole) -> Whole:
        """The entries in their order."""
        counts = np.full(self.counts, count, np.int64)
        return np.concatenate([counts, second[self.triangle]])


@dataclass(frozen=True)
class ScatterSynopsis:
    """Noisy products about the centre and, where they were bought, noisy sums."""

    layout: ScatterLayout
    entries: Whole
    sums: Whole | None
    rows: int | None  # the number of records, where it is public

    @property
    def count(self) -> float:
        """How many records there are; noisy under add-remove, never below 1."""
        return max(float(self.entries[0]) if self.rows is None else float(self.rows), 1.0)

    @cached_property
    def second(self) -> Matrix:
        """Mean of z zᵀ, in real units; symmetric, perhaps indefinite."""
        width, (i, j) = len(self.layout.centred), self.layout.triangle
        S = np.zeros((width, width))
        S[i, j] = self.entries[self.layout.counts :] / (float(UNIT) ** 2 * self.count)
        S = S + np.triu(S, 1).T
        fixed = self.layout.fixed_squares
        S[fixed, fixed] = 0.25
        return S

    @cached_property
    def mean(self) -> Matrix:
        """Mean of z in real units, cut to its range; zero where no sums were bought."""
        if self.sums is None:
            return np.zeros(len(self.layout.centred))
        middle = self.layout.centred.middle
        return np.clip(self.sums / (UNIT * self.count), -middle, 1 - middle)

    @cached_property
    def covariance(self) -> Matrix:
        """Second moment about the noisy mean; about the public centre without one."""
        return self.second - np.outer(self.mean, self.mean)

    def to_json(self) -> dict[str, Any]:
        """Kind, public rows and noisy integers; everything else follows from the schema."""
        return {
            "kind": "scatter",
            "radius": None if self.radius is None else str(self.radius),
            "rows": self.rows,
            "entries": self.entries.tolist(),
            "sums": None if self.sums is None else self.sums.tolist(),
        }

    @classmethod
    def from_json(cls, record: dict[str, Any], layout: ScatterLayout) -> "ScatterSynopsis":
        """The inverse of `to_json`, checked against the layout of the schema."""
        entries = whole_entries(record.get("entries"), len(layout.units))
        sums, rows = record.get("sums"), record.get("rows")
        return cls(
            layout,
            entries,
            None if sums is None else whole_entries(sums, len(layout.centred)),
            public_rows(rows, layout.neighbours),
        )

    @property
    def radius(self) -> Fraction | None:
        """The ball the records were drawn into."""
        return self.layout.centred.radius
