"""Tables of all codes of numbers, by class, under exact noise.

Guarantee.  ε-DP (discrete Laplace) or ρ-zCDP (discrete Gaussian) for the noisy tables; only what
is above a public threshold is kept of them, which is post-processing.
Sensitivity.  A record lies in one cell of each table, or in none where it has no value: replaced,
it moves at most two cells of each by one; added or removed, one (`docs/proofs/mosaic.md`).
Exactness.  All counts are whole numbers of 64 bits.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.measure.tables import moved
from sfumato.numeric.arrays import Codes, Whole
from sfumato.privacy.budget import Budget
from sfumato.privacy.mechanism import Noise, Purse
from sfumato.privacy.sensitivity import Neighbours
from sfumato.synopsis.tables import CODES
from sfumato.table.cells import Cell
from sfumato.table.statistic import WholeSum

__all__ = ["CodeCounts", "CodeTables"]


@dataclass(frozen=True, eq=False)
class CodeCounts(WholeSum):
    """By class, how many records have each code of some columns; missing is no code here."""

    codes: tuple[tuple[int, int], ...]  # the axis of each column, and how many codes it has
    missing: tuple[bool, ...]  # whether a value of the column may be missing
    label: int | None  # the axis whose codes are the classes
    classes: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Column after column, class by class."""
        return (self.classes * sum(codes for _, codes in self.codes),)

    def by_column(self, total: Whole) -> list[Whole]:
        """The tables of a total: class, code."""
        ends = np.cumsum([self.classes * codes for _, codes in self.codes])[:-1]
        return [table.reshape(self.classes, -1) for table in np.split(total, ends)]

    def add(self, total: Whole, records: Codes) -> Whole:
        """NOT PRIVATE: with these records."""
        for (axis, codes), table in zip(self.codes, self.by_column(total), strict=True):
            own = records[:, axis].astype(np.int64)
            if self.label is not None:
                own += codes * records[:, self.label].astype(np.int64)
            there = own[records[:, axis] >= 0]
            table += np.bincount(there, minlength=table.size).reshape(table.shape)
        return total

    def tables(self) -> list[tuple[Cell, ...]]:
        """Class and code, column by column; what is missing comes after all codes."""
        own = () if self.label is None else ((self.label, np.arange(self.classes)),)
        return [
            (Cell(own), Cell(((axis, np.arange(codes + gone)),)))
            for (axis, codes), gone in zip(self.codes, self.missing, strict=True)
        ]

    def gathered(self, counted: Sequence[Whole]) -> Whole:
        """NOT PRIVATE: the same total, of counts by class and code."""
        total = self.zero()
        for table, found in zip(self.by_column(total), counted, strict=True):
            there = found[found[:, 1] < table.shape[1]]
            table[there[:, 0], there[:, 1]] = there[:, 2]
        return total


@dataclass(frozen=True)
class CodeTables:
    """Noisy tables of all codes of some columns, within each class, at one price."""

    counts: CodeCounts
    neighbours: Neighbours
    budget: Budget

    @property
    def noise(self) -> Noise:
        """One price for all of them."""
        return Noise(CODES, moved(len(self.counts.codes), self.neighbours), self.budget)

    def query(self, counted: Whole) -> Whole:
        """NOT PRIVATE: the tables, as `perturb` adds noise to them."""
        return counted

    def perturb(self, counted: Whole, purse: Purse) -> list[Whole]:
        """`query` under its noise, as tables by class and code."""
        exact = self.query(counted)
        noisy = purse.pay(self.noise).add(exact, np.ones(len(exact), np.int64))
        return self.counts.by_column(noisy)
