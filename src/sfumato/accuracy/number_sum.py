"""The mean of a number, from its noisy sum and, where it is noisy too, the number of records."""

from dataclasses import dataclass
from itertools import product

from sfumato.accuracy.law import share
from sfumato.accuracy.noisy import Interval, Noisy
from sfumato.domain import Grid
from sfumato.privacy.guarantee import Number
from sfumato.schema import Date

__all__ = ["NumberSum"]


@dataclass(frozen=True, eq=False)
class NumberSum:
    """The noisy sum of a number over all records, from 0 (low) to 1 (high) each."""

    axis: Grid
    sum: Noisy
    total: Noisy
    absent: Noisy | None  # records where it is missing; they stand at `middle`

    def mean(self, confidence: Number) -> tuple[float, Interval]:
        """The mean of the values that are there, and what the true mean lies between.

        (sum − middle · missing) / (records − missing) goes one way in each of the three, so its
        ends lie at corners of what they can be; the noisy ones share the missing confidence.
        """
        parts = [self.sum, self.total, *([self.absent] if self.absent else [])]
        noisy = sum(not part.public for part in parts)
        each = 1 - (1 - share("confidence", confidence)) / noisy
        corners = product(*(part.interval(each) for part in parts))
        shares = [self._share(*corner) for corner in corners]
        if None in shares:  # perhaps nobody has a value, so the mean may be anything
            shares = [0.0, 1.0]
        ends = [self._real(share) for share in shares if share is not None]
        seen = self._share(*(part.value for part in parts))
        return self._real(0.5 if seen is None else seen), (min(ends), max(ends))

    def _share(self, top: float, records: float, away: float = 0.0) -> float | None:
        there = records - away
        middle = self.axis.middle / self.axis.points
        return (top - middle * away) / there if there >= 1 else None

    def _real(self, share: float) -> float:
        column = self.axis.column
        assert not isinstance(column, Date)  # noqa: S101  refused when it was asked for
        low, high = float(column.low), float(column.high)
        return low + min(max(share, 0.0), 1.0) * (high - low)
