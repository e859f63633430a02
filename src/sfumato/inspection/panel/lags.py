"""NOT PRIVATE: numbers and the same numbers some rows later, and what a panel always keeps.

Correlations are of values as they were read, between rows of one person; both must be there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.inspection.panel.distances import shuffled
from sfumato.inspection.panel.persons import steps
from sfumato.inspection.panel.reading import Frame, Released, people_frame, recorded, released
from sfumato.inspection.utility import AnySchema
from sfumato.schema.domain import MISSING, Grid
from sfumato.table.people.panel import Panel

__all__ = ["LAGS", "LagCorrelation", "always", "correlated", "lag_correlations"]

LAGS = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class LagCorrelation:
    """Of one column with itself so many rows later; not-a-number where nothing varies."""

    column: str
    lag: int
    records: float
    release: float


def lag_correlations(release: Any, original: Any, schema: AnySchema) -> tuple[LagCorrelation, ...]:
    """NOT PRIVATE: of every number of rows at lags 1, 2 and 3, records beside release.

    Where nothing orders the rows of a person, lag 1 stands for any two of them.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "person": "id", "order": "year", "columns": {
    ...     "id": {"kind": "id"}, "year": {"kind": "integer", "low": 0, "high": 9},
    ...     "pay": {"kind": "integer", "low": 0, "high": 99}}}
    >>> years = {"id": [1, 1, 1, 2, 2, 2], "year": [0, 1, 2] * 2}
    >>> steady = pa.table(years | {"pay": [10, 12, 14, 80, 82, 84]})
    >>> found = lag_correlations(steady, steady, schema)
    >>> [(one.column, one.lag, round(one.records, 3), round(one.release, 3)) for one in found]
    [('pay', 1, 1.0, 1.0), ('pay', 2, 1.0, 1.0), ('pay', 3, nan, nan)]
    """
    frame = people_frame(schema)
    return correlated(released(release, frame).panel, recorded(original, frame), frame)


def correlated(release: Panel, original: Panel, frame: Frame) -> tuple[LagCorrelation, ...]:
    """NOT PRIVATE: the same of panels that were read."""
    ordered, sides = frame.order is not None, (original, release)
    if not ordered:
        sides = (shuffled(original), shuffled(release))
    return tuple(
        LagCorrelation(axis.name, lag, *(_correlation(side, j, lag) for side in sides))
        for j, axis in enumerate(frame.rows.axes)
        if isinstance(axis, Grid) and j != frame.order
        for lag in (LAGS if ordered else LAGS[:1])
    )


def _correlation(panel: Panel, column: int, lag: int) -> float:
    at, values = steps(panel, lag), panel.rows[:, column]
    first, later = values[at], values[at + lag]
    there = (first != MISSING) & (later != MISSING)
    x, y = (side[there].astype(np.float64) for side in (first, later))
    if len(x) < 2 or not np.ptp(x) or not np.ptp(y):
        return nan
    return float(np.corrcoef(x, y)[0, 1])


def always(found: Released, frame: Frame) -> Mapping[str, float]:
    """NOT PRIVATE if the release is not: shares of persons for whom it keeps what must hold.

    Of a release as it is written: that the order never falls, nor what is declared as
    increasing, and that what a person has once is the same in all of their rows.
    """
    panel, told = found.panel, {}
    if frame.order is not None:
        name = frame.rows.axes[frame.order].name
        told[f"{name} never falls"] = _never_falls(panel, panel.rows[:, frame.order])
    for j, axis in enumerate(frame.rows.axes):
        if getattr(axis.column, "increasing", False) and j != frame.order:
            told[f"{axis.name} never falls"] = _never_falls(panel, panel.rows[:, j])
    for name, same in found.constant.items():
        told[f"{name} is constant"] = float(same.mean()) if len(same) else 1.0
    return told


def _never_falls(panel: Panel, values: NDArray[np.int32]) -> float:
    """The share of persons whose known values do not, from each to the next."""
    there = values != MISSING
    owner, known = panel.owner[there], values[there]
    falls = (owner[1:] == owner[:-1]) & (known[1:] < known[:-1])
    return 1 - len(np.unique(owner[1:][falls])) / max(panel.persons, 1)
