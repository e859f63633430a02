"""Steps: the coarsest grid that values lie on, of decimals or of the calendar.

Grids are nested: whoever lies on a coarse one lies on every finer one.  So a record has a level,
the coarsest grid that all of its values lie on, and grid k loses the records of a higher level.
One is drawn with P(k) ∝ exp(−α · lost(k) − cost(k)), where finer grids cost more.

Sensitivity.  The scores lost(k) of one record are 1 below its level and 0 from there on; a
record that is replaced moves those between two levels, all in one direction, by 1.  So no two
scores move apart by more than 1, for both relations (`docs/proofs/ranges.md`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.facts.window import UNIT
from sfumato.numeric.arrays import Whole

__all__ = ["CALENDAR", "DECIMALS", "Steps", "calendar_levels", "decimal_levels"]

DECIMALS = 6  # places after the point; what has more is said to have no step
CALENDAR = ("year", "month", "day", "hour", "minute", "second")
_UNITS = ("Y", "M", "D", "h", "m")
_FINER = 2.0  # nats for each finer grid


@dataclass(frozen=True)
class Steps:
    """Nested grids, from the coarsest on; None stands for no grid at all."""

    names: Sequence[Fraction | str | None]

    def scores(self, levels: Whole, alpha: Fraction) -> Whole:
        """NOT PRIVATE: minus records lost and costs, in 1/UNIT records; `levels` counts records."""
        lost = levels.sum() - np.cumsum(levels)
        costs = np.rint(
            np.arange(len(self.names)) * _FINER * (UNIT / float(min(alpha, Fraction(UNIT))))
        )
        scores: Whole = -lost * UNIT - costs.astype(np.int64)
        return scores

    @classmethod
    def decimal(cls) -> "Steps":
        """Whole numbers, tenths, hundredths and so on, or any number."""
        return cls((*(Fraction(1, 10**d) for d in range(DECIMALS + 1)), None))

    @classmethod
    def calendar(cls, finest: str = "second") -> "Steps":
        """From years down to seconds, or to the finest that a format tells."""
        return cls(CALENDAR[: CALENDAR.index(finest) + 1])


def decimal_levels(numbers: NDArray[np.float64]) -> Whole:
    """How many decimals each number has, by itself; 0 where there is none to read.

    >>> decimal_levels(np.array([3.0, 0.1 + 0.2, 1.25, 1 / 3, np.nan])).tolist()
    [0, 1, 2, 7, 0]
    """
    level = np.full(numbers.shape, DECIMALS + 1, np.int64)
    finite = np.where(np.isfinite(numbers), numbers, 0.0)
    near = 4 * np.spacing(np.abs(finite))
    for places in range(DECIMALS, -1, -1):
        with np.errstate(over="ignore", invalid="ignore"):
            on_grid = np.abs(np.rint(finite * 10.0**places) / 10.0**places - finite) <= near
        level[on_grid | ~np.isfinite(numbers)] = places
    return level


def calendar_levels(moments: NDArray[np.datetime64]) -> Whole:
    """The coarsest step of the calendar that each moment begins; 0 where there is none to read.

    >>> times = ["2020-01-01", "2020-03-01", "2020-03-02", "2020-03-02T10:30", "NaT"]
    >>> calendar_levels(np.array(times, "datetime64[s]")).tolist()
    [0, 1, 2, 4, 0]
    """
    level = np.full(moments.shape, len(CALENDAR) - 1, np.int64)
    for k in range(len(_UNITS) - 1, -1, -1):
        begins = moments.astype(f"datetime64[{_UNITS[k]}]").astype("datetime64[s]") == moments
        level[begins | np.isnat(moments)] = k
    return level
