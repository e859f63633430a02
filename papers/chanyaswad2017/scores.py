"""Scores by table, contender, budget and rank: means, intervals, and who is better."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from papers.chanyaswad2017.compete import at
from papers.chanyaswad2017.settings import ALPHAS, FEWEST
from papers.jiang2013.significance import p_value
from papers.outcome import Outcomes

__all__ = ["Cell", "Scores", "half_width"]

SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Cell:
    """The trials of one release; `rank` is None for methods without components."""

    rank: int | None
    values: NDArray[np.float64]
    share: str | None = None  # of the budget for components, where it is not the default

    @property
    def mean(self) -> float:
        """Not-a-number where nothing was run."""
        return float(self.values.mean()) if len(self.values) else nan

    @property
    def median(self) -> float:
        """For records that k-means parts in one of two ways, far apart in score."""
        return float(np.median(self.values)) if len(self.values) else nan


@dataclass(frozen=True)
class Scores:
    """All cells of a table; for errors, less is better."""

    found: Outcomes
    table: str
    width: int  # all features

    @property
    def sign(self) -> int:
        """1 where more is better."""
        return -1 if self.table == "IV" else 1

    def cell(
        self, name: str, epsilon: float | None, rank: int | None = None, share: str | None = None
    ) -> Cell:
        """The trials with so many components; without a number, those of a method without."""
        values = self.found.values(self.table, name, epsilon, at(self.table, rank, share))
        return Cell(rank, values, share)

    def curve(self, name: str, epsilon: float | None, share: str | None = None) -> list[Cell]:
        """All cells with components, by their number."""
        cells = (self.cell(name, epsilon, rank, share) for rank in range(1, self.width + 1))
        return [cell for cell in cells if len(cell.values)]

    def best_with(self, name: str, epsilon: float | None, share: str | None) -> Cell | None:
        """The best dimension with one share of the budget; None where none was tried."""
        fewest = min(FEWEST[self.table], self.width - 1)
        cells = self.curve(name, epsilon, share)
        reduced = [cell for cell in cells if fewest <= (cell.rank or 0) < self.width]
        return max(reduced, key=lambda cell: self.sign * cell.mean, default=None)

    def best(self, name: str, epsilon: float | None) -> Cell:
        """The cell with the best mean among those that reduce, or the only one there is.

        Choosing dimension and share by scores is not private; the paper's tables do it as well.
        """
        plain = self.cell(name, epsilon)
        if len(plain.values):
            return plain
        tried = (self.best_with(name, epsilon, share) for share in (None, *ALPHAS))
        found = [cell for cell in tried if cell is not None]
        return max(found, key=lambda cell: self.sign * cell.mean, default=plain)

    def better(self, ours: Cell, theirs: Cell) -> bool | None:
        """Whether the mean is better with p < 0.05 (Welch); None where one was not run."""
        p = p_value(ours.values, theirs.values)
        if not isfinite(p):
            return None
        return bool(self.sign * (ours.mean - theirs.mean) > 0 and p < SIGNIFICANT)

    def loss(self, ours: Cell, real: Cell) -> float:
        """How much worse a release is than the median of the records; negative if it is better."""
        return self.sign * (real.median - ours.mean)


def half_width(values: Sequence[float] | NDArray[np.float64]) -> float:
    """Half of the 95 % interval for the mean, by Student's t; not-a-number below two trials.

    >>> round(half_width([1.0, 2.0, 3.0]), 3)
    2.484
    """
    from scipy.stats import t

    found = np.asarray(values)
    if len(found) < 2:
        return nan
    return float(t.ppf(0.975, len(found) - 1) * found.std(ddof=1) / sqrt(len(found)))
