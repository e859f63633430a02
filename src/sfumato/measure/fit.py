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
from numpy.typing import NDArray

from sfumato.measure.tables import moved
from sfumato.numeric.arrays import Whole
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.privacy.mechanism import Noise, Purse
from sfumato.schema import Boolean
from sfumato.schema.domain import Axis, Domain, Grid
from sfumato.table.cells import FirstComplaint
from sfumato.table.complaint import Complaint, Complaints
from sfumato.table.records import Records
from sfumato.table.statistic import Reads, WholeSum

__all__ = ["STATISTIC", "FirstComplaints", "FitCounts", "complaints_of"]

STATISTIC = "fit"


def complaints_of(axis: Axis) -> tuple[Complaint, ...]:
    """What can be said against a value of this column: a public fact.

    >>> from sfumato.schema import Schema
    >>> domain = Domain.of(Schema.of({"name": "t", "columns": {
    ...     "age": {"kind": "integer", "low": 0, "high": 110, "missing": "allowed"},
    ...     "ward": {"kind": "category", "values": ["a", "b"]}}}))
    >>> [[complaint.words for complaint in complaints_of(axis)] for axis in domain.axes]
    [['unreadable', 'below', 'above'], ['unreadable', 'not listed', 'missing']]
    """
    found = [Complaint.UNREADABLE]
    if isinstance(axis, Grid):
        found += [Complaint.BELOW, Complaint.ABOVE]
    elif not (isinstance(axis.column, Boolean) or axis.other):
        found.append(Complaint.NOT_LISTED)
    if not axis.missing:
        found.append(Complaint.MISSING)
    return tuple(found)


@dataclass(frozen=True)
class FirstComplaints(WholeSum):
    """How many records fit, then how many have each complaint of each column as their first."""

    domain: Domain

    reads: ClassVar[Reads] = "complaints"

    @property
    def shape(self) -> tuple[int, ...]:
        """Those that fit, and one count for each complaint that can be made."""
        return (1 + sum(len(complaints_of(axis)) for axis in self.domain.axes),)

    def add(self, total: Whole, records: Complaints) -> Whole:
        """NOT PRIVATE: with these records."""
        cell = np.zeros(len(records), np.intp)
        for j in reversed(range(len(self.domain.axes))):  # an earlier column overrules a later one
            wrong = np.flatnonzero(records[:, j])
            cell[wrong] = self._place[j, records[wrong, j]]
        return self.merge(total, np.bincount(cell, minlength=len(total)))

    def tables(self) -> list[tuple[FirstComplaint]]:
        """One, by the first complaint."""
        return [(FirstComplaint(self._place),)]

    def gathered(self, counted: Sequence[Whole]) -> Whole:
        """NOT PRIVATE: the same total, of counts by the first complaint."""
        total, (found,) = self.zero(), counted
        total[found[:, 0]] = found[:, 1]
        return total

    @cached_property
    def _place(self) -> NDArray[np.intp]:
        """The cell of each column and complaint; one that cannot be made stands with the first."""
        place = np.zeros((len(self.domain.axes), max(Complaint) + 1), np.intp)
        start = 1
        for j, axis in enumerate(self.domain.axes):
            possible = complaints_of(axis)
            place[j, Complaint.FITS + 1 :] = start
            place[j, list(possible)] = np.arange(start, start + len(possible))
            start += len(possible)
        return place


@dataclass(frozen=True)
class FitCounts:
    """Noisy counts of records by their first complaint; those that fit come first."""

    domain: Domain
    budget: PureDP | ZCDP

    @cached_property
    def cells(self) -> tuple[tuple[str, Complaint], ...]:
        """Column and complaint of each count after the first."""
        return tuple((a.name, said) for a in self.domain.axes for said in complaints_of(a))

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
