"""NOT PRIVATE: the distribution of every column, records beside release, the worst first.

Cells are public (`sfumato.inspection.information`), so both sides are counted in the same
ones.  The scores are for the owner alone; `sfumato.inspection` says why.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.inspection.figure import drawn
from sfumato.inspection.information import Cells
from sfumato.inspection.section import Picture
from sfumato.inspection.utility import AnySchema, domain_of
from sfumato.report.style import COLOURS, QUIET
from sfumato.report.svg import short
from sfumato.schema import Date
from sfumato.schema.domain import Axis, Grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MOST_COLUMNS", "Marginal", "draw_marginal", "marginals"]

MOST_COLUMNS = 30  # drawn
_MOST_NAMED = 8  # levels with their name under the axis

Shares = NDArray[np.float64]


@dataclass(frozen=True)
class Marginal:
    """Shares of the cells of one column, the missing ones last where they are declared."""

    axis: Axis
    records: Shares
    release: Shares

    @property
    def distance(self) -> float:
        """Total variation: 0 is equal, 1 has nothing in common."""
        return float(np.abs(self.records - self.release).sum() / 2)


def marginals(release: Any, original: Any, schema: AnySchema) -> tuple[Marginal, ...]:
    """NOT PRIVATE: every column of a release beside the records, the farthest off first.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "columns": {
    ...     "a": {"kind": "boolean"}, "b": {"kind": "integer", "low": 0, "high": 3}}}
    >>> records = pa.table({"a": [True, False], "b": [0, 3]})
    >>> release = pa.table({"a": [True, True], "b": [0, 3]})
    >>> [(found.axis.name, found.distance) for found in marginals(release, records, schema)]
    [('a', 0.5), ('b', 0.0)]
    """
    domain = domain_of(schema)
    ours, theirs = Cells.of(release, domain), Cells.of(original, domain)
    found = [
        Marginal(axis, theirs.shares((j,)), ours.shares((j,))) for j, axis in enumerate(domain.axes)
    ]
    return tuple(sorted(found, key=lambda marginal: -marginal.distance))


def draw_marginal(found: Marginal) -> Picture:
    """The histogram of one column: records as an area, release as a line."""
    name = short(found.axis.name, 40)
    text = (
        f"Histogram of {name}: the records as an area, the release as a line. "
        f"Total variation distance {found.distance:.3f}."
    )
    return drawn(
        f"{name} · {found.distance:.3f}", text, lambda axes: _draw(axes, found), height=2.0
    )


def _draw(axes: "Axes", found: Marginal) -> None:
    places = np.arange(len(found.records) + 1)
    axes.stairs(100 * found.records, places, fill=True, color=QUIET, alpha=0.35, linewidth=0)
    axes.stairs(100 * found.release, places, color=COLOURS[1], linewidth=1.6)
    ticks, labels = _names(found.axis, len(found.records))
    turned = max((len(label) for label in labels), default=0) * len(labels) > 44
    axes.set_xticks(ticks, labels, rotation=35 if turned else 0, ha="right" if turned else "center")
    axes.set(ylabel="% of rows", xlim=(0, len(found.records)), ylim=(0, None))
    axes.tick_params(length=0)
    axes.locator_params(axis="y", nbins=4)


def _names(axis: Axis, cells: int) -> tuple[list[float], list[str]]:
    """Where a name stands under the axis, and which."""
    if isinstance(axis, Grid):
        last = cells - axis.missing
        ends = [0.0, last / 2, float(last)]
        labels = [_spelt(axis, share / last) for share in ends]
        if axis.missing:  # on a line of its own, beside the end of the range
            return [*ends, last + 0.5], [*labels, "\nmissing"]
        return ends, labels
    names = [str(value) for value in axis.values] + ["missing"] * axis.missing
    every = -(-len(names) // _MOST_NAMED)
    shown = range(0, len(names), every)
    return [k + 0.5 for k in shown], [short(names[k], 14) for k in shown]


def _spelt(axis: Grid, share: float) -> str:
    column = axis.column
    if isinstance(column, Date):
        return str((column.low + (column.high - column.low) * share).date())
    return f"{column.low + (column.high - column.low) * share:.4g}"
