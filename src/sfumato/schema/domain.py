"""The public integer grid: which whole numbers each column of a schema can become.

A number, integer or date keeps `points` + 1 codes, 0 … points; a category or boolean keeps
one code per level.  A declared missing value is code -1 on a grid, and the last level of
a category.  Everything here follows from the schema alone, so both sides of the door may
use it.

>>> from sfumato.schema.schema import Schema
>>> domain = Domain.of(Schema.of({"name": "t", "columns": {
...     "age": {"kind": "integer", "low": 0, "high": 110},
...     "sex": {"kind": "category", "values": ["f", "m"], "missing": "allowed"}}}))
>>> [axis.codes for axis in domain.axes]
[111, 3]
"""

from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from functools import cached_property
from math import ulp

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import SchemaError
from sfumato.schema.column import Boolean, Category, Date, Integer, Number, Step
from sfumato.schema.formats import written
from sfumato.schema.schema import Schema

__all__ = ["MISSING", "Axis", "Domain", "Grid", "Levels", "moment_of", "step_of"]

MISSING = -1

_CALENDAR = {"month": "M", "year": "Y", "day": "D", "hour": "h", "minute": "m", "second": "s"}


@dataclass(frozen=True, slots=True)
class Grid:
    """A column of ordered codes 0 … points; `steps` is how many steps its range holds."""

    name: str
    column: Number | Integer | Date
    points: int
    steps: int | None
    even: bool = False  # whether codes stand for the points themselves, not for round numbers

    @property
    def missing(self) -> bool:
        """Whether code -1 can occur."""
        return self.column.missing is not None

    @property
    def codes(self) -> int:
        """How many codes can occur."""
        return self.points + 1 + self.missing

    @property
    def middle(self) -> int:
        """What an unusable value becomes where missing is not declared."""
        return self.points // 2

    def nearest_steps(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The step nearest to each point; the codes themselves where there are no more steps."""
        steps = self.steps or self.points
        each, rest = divmod(steps, self.points)  # apart, so that no product passes 64 bits
        return np.asarray(codes * each + (2 * codes * rest + self.points) // (2 * self.points))


@dataclass(frozen=True, slots=True)
class Levels:
    """A column of unordered codes, one per level: the values, then `other`, then missing."""

    name: str
    column: Category | Boolean

    @property
    def values(self) -> tuple[str | int | bool, ...]:
        """The levels a person wrote, with `other` where it is declared."""
        if isinstance(self.column, Boolean):
            return (False, True)
        return (*self.column.values, *((self.column.other,) if self.column.other else ()))

    @property
    def missing(self) -> bool:
        """Whether the last code stands for a missing value."""
        return self.column.missing is not None

    @property
    def codes(self) -> int:
        """How many codes can occur."""
        return len(self.values) + self.missing

    @property
    def other(self) -> bool:
        """Whether what is not listed has a level of its own."""
        return isinstance(self.column, Category) and bool(self.column.other)

    @property
    def unusable(self) -> int:
        """What an empty value becomes: missing, else `other`, else the first value."""
        return self.codes - 1 if self.missing or self.other else 0

    @property
    def unknown(self) -> int:
        """What a value outside the list becomes: `other`, else missing, else the first value."""
        return len(self.values) - 1 if self.other else self.unusable


Axis = Grid | Levels


@dataclass(frozen=True)
class Domain:
    """The axes of the released columns, in the order of the schema."""

    schema: Schema
    axes: tuple[Axis, ...]

    @classmethod
    def of(cls, schema: Schema) -> "Domain":
        """The grid of a schema; refused where steps are too few or too close to tell apart."""
        finest = 2**schema.grid_bits
        columns = {n: written(c, schema.file) for n, c in schema.released.items()}
        return cls(schema, tuple(_axis(n, c, finest) for n, c in columns.items()))

    @cached_property
    def label(self) -> int | None:
        """Position of the label among the axes, if there is one."""
        return next((i for i, a in enumerate(self.axes) if a.column.role == "label"), None)

    def with_even_points(self) -> "Domain":
        """The same codes, which stand for evenly spaced points, as in the first releases."""
        axes = (replace(axis, even=True) if isinstance(axis, Grid) else axis for axis in self.axes)
        return Domain(self.schema, tuple(axes))


def _axis(name: str, column: Number | Integer | Category | Boolean | Date, finest: int) -> Axis:
    if isinstance(column, Category | Boolean):
        return Levels(name, column)
    steps = _steps(column)
    if steps == 0:
        raise SchemaError(f"column {name}: low and high fall into the same step: widen the range")
    points = finest if steps is None else min(steps, finest)
    if isinstance(column, Number) and _crowded(column, points):
        raise SchemaError(
            f"column {name}: numbers of this size cannot be told apart so finely: "
            "use another unit or origin, a larger step, or fewer grid_bits"
        )
    return Grid(name, column, points, steps)


def _crowded(column: Number, points: int) -> bool:
    step = column.step or (column.high - column.low) / points
    # Rounding moves a value, its bounds and its width by one ulp at most.
    return step < 8 * ulp(max(abs(column.low), abs(column.high)))


def _steps(column: Number | Integer | Date) -> int | None:
    if isinstance(column, Date):
        low, high = (step_of(np.array([m], "datetime64[s]"), column.step) for m in _ends(column))
        return int(high[0] - low[0])
    if column.step is None:
        return None
    width = Fraction(str(column.high)) - Fraction(str(column.low))
    return int(width / Fraction(str(column.step)))


def _ends(column: Date) -> tuple[datetime, datetime]:
    return column.low, column.high


def step_of(moments: NDArray[np.datetime64], step: Step) -> NDArray[np.int64]:
    """The number of the day, month, hour … since 1970 in which each moment lies."""
    return moments.astype(f"datetime64[{_CALENDAR[step]}]").astype(np.int64)


def moment_of(numbers: NDArray[np.int64], step: Step) -> NDArray[np.datetime64]:
    """The first second of each numbered step: the inverse of `step_of`."""
    return numbers.astype(f"datetime64[{_CALENDAR[step]}]").astype("datetime64[s]")
