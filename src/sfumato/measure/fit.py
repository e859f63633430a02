"""How many records fit the schema, and what is wrong with the others, under exact noise.

Guarantee.  ε-DP (discrete Laplace) or ρ-zCDP (discrete Gaussian), under both neighbour relations.
Sensitivity.  A record counts in exactly one cell: *fits*, or its first column (in the order of
the schema) that does not, with what is said against it there.  Replaced, it moves two cells by
one; added or removed, one, however many columns there are (`docs/proofs/fit.md`).
Limits.  What a record holds behind its first complaint is not counted; a wrong value that is a
right one by the schema (a weight in pounds within the range of kilograms) is none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from sfumato.measure.tables import moved
from sfumato.numeric.arrays import Whole
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.privacy.mechanism import Noise, Purse
from sfumato.schema.domain import Domain
from sfumato.table.cells import FirstComplaint
from sfumato.table.complaint import Complaint, Complaints
from sfumato.table.first_complaint import ComplaintCells
from sfumato.table.records import Records
from sfumato.table.statistic import Reads, WholeSum

__all__ = ["STATISTIC", "FirstComplaints", "FitCounts"]

STATISTIC = "fit"


@dataclass(frozen=True)
class FirstComplaints(WholeSum):
    """How many records fit, then how many have each complaint of each column as their first."""

    domain: Domain

    reads: ClassVar[Reads] = "complaints"

    @property
    def shape(self) -> tuple[int, ...]:
        """Those that fit, and one count for each complaint that can be made."""
        return (1 + len(self.cells.named),)

    def add(self, total: Whole, records: Complaints) -> Whole:
        """NOT PRIVATE: with these records."""
        cell = self.cells.of(records, self.domain.axes)
        return self.merge(total, np.bincount(cell, minlength=len(total)))

    def tables(self) -> list[tuple[FirstComplaint]]:
        """One, by the first complaint."""
        return [(FirstComplaint(self.cells.places),)]

    def gathered(self, counted: Sequence[Whole]) -> Whole:
        """NOT PRIVATE: the same total, of counts by the first complaint."""
        total, (found,) = self.zero(), counted
        total[found[:, 0]] = found[:, 1]
        return total

    @cached_property
    def cells(self) -> ComplaintCells:
        """Where records stand."""
        return ComplaintCells(self.domain)


@dataclass(frozen=True)
class FitCounts:
    """Noisy counts of records by their first complaint; those that fit come first."""

    domain: Domain
    budget: PureDP | ZCDP

    tickets: ClassVar[int | None] = None  # a record counts as one

    @cached_property
    def cells(self) -> tuple[tuple[str, Complaint], ...]:
        """Column and complaint of each count after the first."""
        return self.statistic.cells.named

    @property
    def noise(self) -> Noise:
        """One price for all of them."""
        return Noise(STATISTIC, moved(1, self.domain.schema.neighbours), self.budget)

    @cached_property
    def statistic(self) -> FirstComplaints:
        """NOT PRIVATE: what is counted, exactly."""
        return FirstComplaints(self.domain)

    def query(self, records: Records) -> Whole:
        """NOT PRIVATE: how many records fit, then how many stand in each cell."""
        return records.fold(self.statistic)

    def perturb(self, records: Records, purse: Purse) -> tuple[Whole, int | None]:
        """`query` under its noise, and the number of records where that is public."""
        exact = self.query(records)
        public = self.domain.schema.neighbours == "replace-one"
        noisy = purse.pay(self.noise).add(exact, np.ones(len(exact), np.int64))
        return noisy, int(exact.sum()) if public else None
