"""How the codes of each column fall into bins: fine public ones, and coarse ones merged of them.

Fine bins follow from public facts: one per code of a number where these are few enough for the
noise, else a hundred, of which the first and the last hold one code each, because values outside
the range are drawn to its ends.  Coarse bins are merged of fine ones by whoever has seen noisy
counts only; both sides of the door then read records and draw them by the same partition.

>>> from sfumato.schema.domain import Domain
>>> from sfumato.schema import Schema
>>> domain = Domain.of(Schema.of({"name": "t", "columns": {
...     "gain": {"kind": "integer", "low": 0, "high": 9999, "missing": "allowed"},
...     "sex": {"kind": "category", "values": ["f", "m"]}}}))
>>> gain, sex = (Fine.of(i, axis) for i, axis in enumerate(domain.axes))
>>> gain.bins, gain.start[:3].tolist(), gain.stop[:3].tolist(), sex.bins
(101, [0, 1, 103], [1, 103, 205], 2)
>>> merged = Merged(sex, np.array([0, 0]))
>>> merged.bins, merged.place.tolist()
(1, [0, 0])
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Whole
from sfumato.schema.domain import MISSING, Axis, Grid, Levels

__all__ = ["ABSENT", "Fine", "Merged", "Partition", "levels"]

ABSENT = "(missing)"

_MOST_SINGLE = 512  # codes of a number or date that may have a bin each
_FEW = 100  # bins where there are more codes, or where there is much noise


@dataclass(frozen=True, eq=False)
class Fine:
    """The fine bins of one column: bin b holds the codes start[b] … stop[b] − 1."""

    axis: int
    start: Whole
    stop: Whole
    ordered: int  # so many first bins are in the order of a number or date

    @classmethod
    def of(cls, index: int, axis: Axis) -> "Fine":
        """Bins of a column of the domain; missing comes last."""
        if not isinstance(axis, Grid):
            codes = np.arange(axis.codes, dtype=np.int64)
            return cls(index, codes, codes + 1, 0)
        return cls._ordered(index, axis.points + 1, _MOST_SINGLE, missing=axis.missing)

    @classmethod
    def _ordered(cls, index: int, codes: int, single: int, *, missing: bool) -> "Fine":
        edges = np.arange(codes + 1, dtype=np.int64)
        if codes > single:
            inner = np.arange(_FEW - 1) * (codes - 2) // (_FEW - 2)
            edges = np.concatenate([[0], 1 + inner, [codes]])
        start, stop = edges[:-1], edges[1:]
        if missing:
            start, stop = np.append(start, MISSING), np.append(stop, MISSING + 1)
        return cls(index, start, stop, len(edges) - 1)

    @cached_property
    def few(self) -> "Fine":
        """At most a hundred bins of the same codes, and one for missing."""
        if self.ordered <= _FEW:
            return self
        missing = self.bins > self.ordered
        return self._ordered(self.axis, self.ordered, _FEW, missing=missing)

    def single(self, most: int) -> "Fine":
        """One bin per code where there are so many codes at most, else few."""
        return self if self.ordered <= most else self.few

    def as_many_as(self, bins: int) -> "Fine":
        """These bins or, where a release has only so many, few."""
        return self.few if bins == self.few.bins else self

    @property
    def bins(self) -> int:
        """How many there are."""
        return len(self.start)

    def runs(self, run: int) -> int:
        """How many runs of so many neighbouring bins there are; none of categories."""
        return -(-self.ordered // run) if run > 1 else 0

    @cached_property
    def place(self) -> NDArray[np.int32]:
        """The bin of each code; code -1 is found from the end."""
        lengths = self.stop - self.start
        return np.repeat(np.arange(self.bins, dtype=np.int32), lengths)


@dataclass(frozen=True, eq=False)
class Merged:
    """One column in coarse bins: fine bin f belongs to coarse bin group[f]."""

    fine: Fine
    group: Whole

    @property
    def bins(self) -> int:
        """How many coarse bins there are."""
        return int(self.group.max(initial=-1)) + 1

    @cached_property
    def place(self) -> NDArray[np.int32]:
        """The coarse bin of each code; code -1 is found from the end."""
        return self.group.astype(np.int32)[self.fine.place]


@dataclass(frozen=True, eq=False)
class Partition:
    """All columns in coarse bins, side by side as the cells of one-hot records, and the classes.

    With a label, every table is counted within each of its classes; without, there is one.
    """

    columns: tuple[Merged, ...]
    label: int | None  # the axis whose codes are the classes
    classes: int

    @cached_property
    def offset(self) -> Whole:
        """Where the cells of each column begin, and where the last ones end."""
        return np.concatenate([[0], np.cumsum([column.bins for column in self.columns])]).astype(
            np.int64
        )

    @property
    def cells(self) -> int:
        """Coarse bins over all columns."""
        return int(self.offset[-1])

    @cached_property
    def owner(self) -> Whole:
        """The column of each cell."""
        return np.repeat(np.arange(len(self.columns)), np.diff(self.offset))

    def block(self, column: int) -> slice:
        """The cells of a column."""
        return slice(int(self.offset[column]), int(self.offset[column + 1]))


def levels(axis: Levels) -> list[str]:
    """The values of a category by their codes, as a person writes them.

    >>> from sfumato.schema import Boolean
    >>> levels(Levels("smoker", Boolean(kind="boolean", missing="allowed")))
    ['false', 'true', '(missing)']
    """
    names = [str(value).lower() if isinstance(value, bool) else str(value) for value in axis.values]
    return [*names, *([ABSENT] if axis.missing else [])]
