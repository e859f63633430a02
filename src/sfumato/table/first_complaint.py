"""The one cell in which a row stands: that it fits, or its first column that does not, and why.

>>> from sfumato.schema import Schema
>>> domain = Domain.of(Schema.of({"name": "t", "columns": {
...     "age": {"kind": "integer", "low": 0, "high": 110, "missing": "allowed"},
...     "ward": {"kind": "category", "values": ["a", "b"]}}}))
>>> cells = ComplaintCells(domain)
>>> [(column, said.words) for column, said in cells.named]  # doctest: +NORMALIZE_WHITESPACE
[('age', 'unreadable'), ('age', 'below'), ('age', 'above'),
 ('ward', 'unreadable'), ('ward', 'not listed'), ('ward', 'missing')]
>>> above, missing = Complaint.ABOVE, Complaint.MISSING
>>> cells.of(np.array([[0, 0], [above, missing], [0, missing]], np.uint8), domain.axes).tolist()
[0, 3, 6]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.schema import Boolean
from sfumato.schema.domain import Axis, Domain, Grid
from sfumato.table.complaint import Complaint, Complaints

__all__ = ["ComplaintCells", "complaints_of"]


def complaints_of(axis: Axis) -> tuple[Complaint, ...]:
    """What can be said against a value of this column: a public fact.

    >>> from sfumato.schema import Schema
    >>> domain = Domain.of(Schema.of({"name": "t", "columns": {"a": {"kind": "boolean"}}}))
    >>> [complaint.words for complaint in complaints_of(domain.axes[0])]
    ['unreadable', 'missing']
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
class ComplaintCells:
    """A cell for all that fits, then one for each complaint of each column of the schema."""

    domain: Domain

    @cached_property
    def named(self) -> tuple[tuple[str, Complaint], ...]:
        """Column and complaint of each cell after the first."""
        return tuple((a.name, said) for a in self.domain.axes for said in complaints_of(a))

    @property
    def type(self) -> np.dtype[Any]:
        """The smallest that holds a cell."""
        return np.min_scalar_type(len(self.named))

    def of(self, records: Complaints, axes: Sequence[Axis]) -> NDArray[np.intp]:
        """NOT PRIVATE: the cell of each row, judged by these columns in the schema's order."""
        cell = np.zeros(len(records), np.intp)
        order = {axis.name: k for k, axis in enumerate(self.domain.axes)}
        judged = sorted(((order[axis.name], j) for j, axis in enumerate(axes)), reverse=True)
        for column, j in judged:  # an earlier column overrules a later one
            wrong = np.flatnonzero(records[:, j])
            cell[wrong] = self.places[column, records[wrong, j]]
        return cell

    @cached_property
    def places(self) -> NDArray[np.intp]:
        """The cell of each column and complaint; one that cannot be made stands with the first."""
        place = np.zeros((len(self.domain.axes), max(Complaint) + 1), np.intp)
        start = 1
        for j, axis in enumerate(self.domain.axes):
            possible = complaints_of(axis)
            place[j, Complaint.FITS + 1 :] = start
            place[j, list(possible)] = np.arange(start, start + len(possible))
            start += len(possible)
        return place
