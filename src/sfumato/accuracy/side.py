"""One column of a table of two: what its coarse bins hold, as constraints speak of it.

>>> from sfumato.schema import Schema
>>> from sfumato.schema.domain import Domain
>>> from sfumato.synopsis.bins import Fine
>>> days = {"kind": "integer", "low": -1, "high": 3, "missing": "allowed"}
>>> (axis,) = Domain.of(Schema.of({"name": "t", "columns": {"days": days}})).axes
>>> side = Side.of(axis, Merged(Fine.of(0, axis), np.array([0, 1, 1, 1, 1, 2])))
>>> side.names, [side.said(k) for k in side.single]
(('-1', '0 to 3', '(missing)'), ['days is -1', 'days is missing'])
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import get_args

import numpy as np

from sfumato.accuracy.bins import merged_names
from sfumato.schema import Date
from sfumato.schema.column import Step
from sfumato.schema.constraint import Value
from sfumato.schema.domain import MISSING, Axis, Grid, Levels, moment_of, step_of
from sfumato.synopsis.bins import Merged

__all__ = ["Side", "ends"]

Ends = tuple[list[Fraction], list[Fraction]]


@dataclass(frozen=True, eq=False)
class Side:
    """One column of a table, in coarse bins."""

    axis: Axis
    names: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]  # in each bin of a category; of others none
    first: tuple[int, ...] = ()  # code in each bin of a number or date
    last: tuple[int, ...] = ()

    @classmethod
    def of(cls, axis: Axis, column: Merged) -> "Side":
        """A column in the bins of a release."""
        names = tuple(merged_names(axis, column))
        inside = [np.flatnonzero(column.group == k) for k in range(column.bins)]
        if isinstance(axis, Levels):
            written = (*axis.values, *((None,) if axis.missing else ()))
            return cls(axis, names, tuple(tuple(written[k] for k in bins) for bins in inside))
        first = tuple(int(column.fine.start[bins[0]]) for bins in inside)
        last = tuple(int(column.fine.stop[bins[-1]]) - 1 for bins in inside)
        return cls(axis, names, ((),) * column.bins, first, last)

    @classmethod
    def of_label(cls, axis: Levels, names: tuple[str, ...]) -> "Side":
        """The label, each of whose values is a class."""
        written = (*axis.values, *((None,) if axis.missing else ()))
        return cls(axis, names, tuple((value,) for value in written))

    @property
    def listed(self) -> bool:
        """Whether a constraint can list its values."""
        return isinstance(self.axis, Levels)

    @property
    def single(self) -> list[int]:
        """Bins that can be spoken of."""
        if self.listed:
            return list(range(len(self.names)))
        return [k for k in range(len(self.names)) if self.first[k] == self.last[k]]

    def said(self, k: int) -> str:
        """A bin in words."""
        absent = self.values[k] == (None,) if self.listed else self.first[k] == MISSING
        return f"{self.axis.name} is {'missing' if absent else self.names[k]}"


def ends(a: Side, b: Side) -> tuple[Ends, Ends] | None:
    """The least and largest value of each bin of either column, if they can be compared.

    Dates are compared in the longer of their steps, as constraints compare them.
    """
    if not (isinstance(a.axis, Grid) and isinstance(b.axis, Grid)):
        return None
    columns = a.axis.column, b.axis.column
    steps = [column.step for column in columns if isinstance(column, Date)]
    if len(steps) == 1:
        return None
    longer = max(steps, key=get_args(Step).index) if steps else None
    return _ends(a, a.axis, longer), _ends(b, b.axis, longer)


def _ends(side: Side, axis: Grid, longer: Step | None) -> Ends:
    first, last = ([_value(axis, code, longer) for code in e] for e in (side.first, side.last))
    return first, last


def _value(axis: Grid, code: int, longer: Step | None) -> Fraction:
    column, steps = axis.column, axis.steps or axis.points
    at = (2 * code * steps + axis.points) // (2 * axis.points)  # the nearest step
    if isinstance(column, Date):
        start = step_of(np.array([column.low], "datetime64[s]"), column.step)
        return Fraction(int(step_of(moment_of(start + at, column.step), longer or column.step)[0]))
    low, high = Fraction(str(column.low)), Fraction(str(column.high))
    step = (high - low) / axis.points if column.step is None else Fraction(str(column.step))
    return low + at * step
