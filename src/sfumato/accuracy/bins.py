"""What the values and bins of a column are called."""

import numpy as np

from sfumato.numeric.arrays import Whole
from sfumato.schema import Date
from sfumato.schema.domain import Axis, Grid, Levels, moment_of, step_of
from sfumato.schema.grid_number import code_numbers
from sfumato.synopsis.bins import ABSENT, Fine, Merged, levels

__all__ = ["ABSENT", "bin_names", "levels", "merged_names", "moment_text"]

_MOST_NAMED = 3  # values of a bin that are listed


def bin_names(axis: Axis, fine: Fine) -> list[str]:
    """The fine bins of a column: its values or, of a number or date, what lies in each.

    >>> from sfumato.schema.domain import Domain
    >>> from sfumato.schema import Schema
    >>> grid = Domain.of(Schema.of({"name": "t", "columns": {
    ...     "gain": {"kind": "integer", "low": 0, "high": 9999}}})).axes[0]
    >>> bin_names(grid, Fine.of(0, grid, 512, 100))[-3:]
    ['9599 to 9740', '9741 to 9998', '9999']
    """
    if isinstance(axis, Levels):
        return levels(axis)
    names = _spans(axis, fine.start[: fine.ordered], fine.stop[: fine.ordered] - 1)
    return [*names, *([ABSENT] if axis.missing else [])]


def merged_names(axis: Axis, column: Merged) -> list[str]:
    """The coarse bins of a column."""
    fine, single, names = column.fine, bin_names(axis, column.fine), []
    for group in range(column.bins):
        inside = np.flatnonzero(column.group == group)
        if len(inside) == 1:
            names.append(single[int(inside[0])])
        elif isinstance(axis, Grid):
            ends = fine.start[inside[:1]], fine.stop[inside[-1:]] - 1
            names.extend(_spans(axis, *ends))
        elif len(inside) <= _MOST_NAMED:
            names.append(" or ".join(single[k] for k in inside))
        else:
            names.append(f"{len(inside):,} other values")
    return names


def moment_text(column: Date, number: float) -> str:
    """The day, or minute, of a numbered step of a date column."""
    moment = moment_of(np.array([round(number)]), column.step)[0]
    fine = column.step in ("second", "minute", "hour")
    return str(moment).replace("T", " ")[: 16 if fine else 10]


def _spans(axis: Grid, first: Whole, last: Whole) -> list[str]:
    """From what to what each bin reaches, by its first and its last code."""
    ends = zip(_texts(axis, first), _texts(axis, last), strict=True)
    return [low if low == high else f"{low} to {high}" for low, high in ends]


def _texts(axis: Grid, codes: Whole) -> list[str]:
    """What codes stand for; no separators, for values are listed by commas."""
    column = axis.column
    if isinstance(column, Date):
        start, stop = step_of(np.array([column.low, column.high], "datetime64[s]"), column.step)
        return [moment_text(column, start + c * (stop - start) / axis.points) for c in codes]
    return [np.format_float_positional(v, trim="-") for v in code_numbers(axis)[codes]]
