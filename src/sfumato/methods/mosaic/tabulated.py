"""Which columns have tables of their own, and tables in the shapes that later steps need."""

from dataclasses import dataclass

import numpy as np

from sfumato.numeric.arrays import Whole
from sfumato.privacy.mechanism import Noise
from sfumato.schema.domain import Axis, Grid
from sfumato.synopsis.bins import Partition
from sfumato.synopsis.heavy import HeavyCodes
from sfumato.synopsis.tables import MOST_LEVELS

__all__ = ["Bought", "by_cell", "codes_of", "deviation_of", "is_wide"]

_NARROW = 8  # bins of a number that need no fine table of their own
_LEAST_DEVIATION = 1e-3  # of a cell, in records


@dataclass(frozen=True, eq=False)
class Bought:
    """The first purchases, by axis: tables in fine bins, in runs of them, and heavy codes."""

    fine: dict[int, Whole]
    runs: dict[int, Whole]
    codes: dict[int, HeavyCodes]


def is_wide(axis: Axis) -> bool:
    """Whether a column has a fine table before it is counted in bins."""
    return axis.codes > (_NARROW if isinstance(axis, Grid) else MOST_LEVELS)


def codes_of(axis: Axis) -> int:
    """Of a number or date, besides missing; 0 of a category."""
    return axis.points + 1 if isinstance(axis, Grid) else 0


def deviation_of(noise: Noise | None) -> float:
    """Of one cell; of noise that is nearly always nothing, what can still be divided by."""
    return 0.0 if noise is None else max(noise.event.deviation, _LEAST_DEVIATION)


def by_cell(flat: Whole, partition: Partition) -> Whole:
    """Column after column, class by class, as one row per class."""
    ends = np.cumsum(np.diff(partition.offset) * partition.classes)[:-1]
    return np.hstack([t.reshape(partition.classes, -1) for t in np.split(flat, ends)])
