"""How the codes of each column fall into bins: fine public ones, and coarse ones merged of them.

Fine bins follow from public facts: one per code of a number where these are few enough for the
noise, else as many as the noise allows, by the scale of the number (`sfumato.synopsis.scale`).
Coarse bins are merged of fine ones by whoever has seen noisy counts only; both sides of the door
then read records and draw them by the same partition.

>>> from sfumato.schema.domain import Domain
>>> from sfumato.schema import Schema
>>> domain = Domain.of(Schema.of({"name": "t", "columns": {
...     "gain": {"kind": "integer", "low": 0, "high": 9999, "missing": "allowed"},
...     "sex": {"kind": "category", "values": ["f", "m"]}}}))
>>> gain, sex = (Fine.of(i, axis, 512, 100) for i, axis in enumerate(domain.axes))
>>> gain.bins, gain.start[:3].tolist(), gain.stop[-4:].tolist(), sex.bins
(98, [0, 1, 2], [9741, 9999, 10000, 0], 2)
>>> merged = Merged(sex, np.array([0, 0]))
>>> merged.bins, merged.place.tolist()
(1, [0, 0])
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Codes, Vector, Whole
from sfumato.schema import Date
from sfumato.schema.domain import MISSING, Axis, Grid, Levels
from sfumato.synopsis.scale import MOST, fine_edges, logarithmic_width

__all__ = ["ABSENT", "FEW", "Fine", "Merged", "Partition", "levels"]

ABSENT = "(missing)"

FEW = 100  # codes of a number that have a bin each, whatever the noise
_FIRST_SINGLE, _FIRST_FEW = 512, 100  # of releases that do not state their fine bins


@dataclass(frozen=True, eq=False)
class Fine:
    """The fine bins of one column: bin b holds the codes start[b] … stop[b] − 1."""

    axis: int
    start: Whole
    stop: Whole
    ordered: int  # so many first bins are in the order of a number or date
    # How much of a logarithmic scale each of these covers, where bins grow with the number.
    width: Vector | None = None

    @classmethod
    def of(cls, index: int, axis: Axis, single: int = MOST, most: int = MOST) -> "Fine":
        """One bin per code; of a number with more than `single`, and a hundred, about `most` bins.

        Missing comes last.
        """
        if not isinstance(axis, Grid):
            codes = np.arange(axis.codes, dtype=np.int64)
            return cls(index, codes, codes + 1, 0)
        many = axis.points + 1
        alone = many <= max(single, FEW)
        edges = np.arange(many + 1) if alone else fine_edges(axis, most)
        return cls.cut(index, axis, edges)

    @classmethod
    def cut(cls, index: int, axis: Grid, edges: Whole) -> "Fine":
        """The bins between these codes."""
        start, stop = edges[:-1], edges[1:]
        width = None if isinstance(axis.column, Date) else logarithmic_width(axis, edges)
        if axis.missing:
            start, stop = np.append(start, MISSING), np.append(stop, MISSING + 1)
        return cls(index, start, stop, len(edges) - 1, width)

    @classmethod
    def first(cls, index: int, axis: Axis, most: int) -> "Fine":
        """As releases have them that do not state them: single codes, or a hundred even bins."""
        if not isinstance(axis, Grid):
            return cls.of(index, axis)
        codes = axis.points + 1
        if codes <= max(min(most, _FIRST_SINGLE), _FIRST_FEW):
            return cls.cut(index, axis, np.arange(codes + 1))
        inner = np.arange(_FIRST_FEW - 1) * (codes - 2) // (_FIRST_FEW - 2)
        return cls.cut(index, axis, np.concatenate([[0], 1 + inner, [codes]]))

    def split(self, codes: Whole, axis: Grid) -> "Fine":
        """With a bin for each of these codes."""
        edges = np.unique(np.concatenate([self.edges, codes, np.add(codes, 1)]).astype(np.int64))
        return self.cut(self.axis, axis, edges)

    @property
    def edges(self) -> Whole:
        """Of a number: where bins begin, and where the last one ends."""
        return np.append(self.start[: self.ordered], self.stop[self.ordered - 1])

    @property
    def bins(self) -> int:
        """How many there are."""
        return len(self.start)

    @property
    def single(self) -> bool:
        """Whether each bin is one code."""
        return bool((self.stop - self.start == 1).all())

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
    # Where classes are groups of the label's codes: the class of each; -1 is found from the end.
    class_of: NDArray[np.int32] | None = None

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

    def within(self, column: int, group: Whole) -> "Partition":
        """The same bins, counted within groups of the bins of one column.

        >>> codes = np.arange(3)
        >>> level = Merged(Fine(0, codes, codes + 1, 3), codes)
        >>> Partition((level,), None, 1).within(0, np.array([0, 0, 1])).class_of.tolist()
        [0, 0, 1]
        """
        one = self.columns[column]
        class_of = group.astype(np.int32)[one.place]
        return Partition(self.columns, one.fine.axis, int(group.max()) + 1, class_of)

    def classes_of(self, records: Codes) -> NDArray[np.int32]:
        """NOT PRIVATE: the class of each record."""
        if self.label is None:
            return np.zeros(len(records), np.int32)
        codes = records[:, self.label]
        return codes if self.class_of is None else self.class_of[codes]


def levels(axis: Levels) -> list[str]:
    """The values of a category by their codes, as a person writes them.

    >>> from sfumato.schema import Boolean
    >>> levels(Levels("smoker", Boolean(kind="boolean", missing="allowed")))
    ['false', 'true', '(missing)']
    """
    names = [str(value).lower() if isinstance(value, bool) else str(value) for value in axis.values]
    return [*names, *([ABSENT] if axis.missing else [])]
