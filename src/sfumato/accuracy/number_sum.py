"""The mean of a number, from its noisy sum or counts and the number of records, noisy or not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from sfumato.accuracy.law import share
from sfumato.accuracy.noisy import Interval, Noisy
from sfumato.privacy.guarantee import Number
from sfumato.schema import Date
from sfumato.schema.domain import Grid

__all__ = ["BinnedMean", "NumberSum", "Reach"]


_AWAY = 0.25  # of the range: how far from its middle a mean is taken to lie, where that matters


class Reach(NamedTuple):
    """How far off a mean may be, as a share of the range; whether that is so for every mean."""

    share: float
    settled: bool


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
        ends = [_real(self.axis, share) for share in shares if share is not None]
        seen = self._share(*(part.value for part in parts))
        return _real(self.axis, 0.5 if seen is None else seen), (min(ends), max(ends))

    def reach(self, confidence: Number, records: float) -> Reach:
        """How far off the mean of so many values may be, as a share of the range.

        With a noisy number of records or of missing values it also depends on the mean itself,
        which is taken to lie a quarter of the range from the middle.
        """
        parts = [part for part in (self.sum, self.total, self.absent) if part]
        away = {id(self.total): 0.5 + _AWAY, id(self.absent): _AWAY}
        return _reach(parts, away, 1.0, records, confidence)

    def _share(self, top: float, records: float, away: float = 0.0) -> float | None:
        there = records - away
        middle = self.axis.middle / self.axis.points
        return (top - middle * away) / there if there >= 1 else None


@dataclass(frozen=True, eq=False)
class BinnedMean:
    """What counts by bin say about the mean of a number; bins stand at marks on a scale.

    The noisy sum is that of the distances from the middle of the scale, in steps; no value of
    a bin lies further than `slack` from its mark, so that is how far the mean may be off besides.
    """

    axis: Grid
    sum: Noisy
    there: Noisy  # records that have a value
    steps: int  # of the scale
    slack: float  # as a share of the range

    def reach(self, confidence: Number, records: float) -> Reach:
        """How far off the mean of so many values may be, as a share of the range.

        With a noisy number of values it also depends on the mean itself, which is taken to lie a
        quarter of the range from the middle.
        """
        away = {id(self.there): _AWAY * self.steps}
        found = _reach([self.sum, self.there], away, self.steps, records, confidence)
        return found._replace(share=min(found.share + self.slack, 1.0))

    def mean(self, confidence: Number) -> tuple[float, Interval]:
        """The mean of the values that are there, and what the true mean lies between."""
        noisy = [part for part in (self.sum, self.there) if not part.public]
        each = 1 - (1 - share("confidence", confidence)) / max(len(noisy), 1)
        if self.there.interval(each)[0] < 1:  # perhaps nobody has a value
            ends = [0.0, 1.0]
        else:
            corners = product(self.sum.interval(each), self.there.interval(each))
            ends = [0.5 + top / count / self.steps for top, count in corners]
        seen = 0.5 + self.sum.value / max(self.there.value, 1.0) / self.steps
        low, high = min(ends) - self.slack, max(ends) + self.slack
        return _real(self.axis, seen), (_real(self.axis, low), _real(self.axis, high))


def _reach(
    parts: Sequence[Noisy],
    away: Mapping[int, float],
    steps: float,
    records: float,
    confidence: Number,
) -> Reach:
    """Of a sum over a number, with what is noisy in either; `away` says how that weighs."""
    noisy = [part for part in parts if not part.public]
    each = (1 - share("confidence", confidence)) / max(len(noisy), 1)
    far = {id(part): part.law.two_sided(each) for part in noisy}
    fewest = records - sum(reach for part, reach in far.items() if part in away)
    if fewest < 1:  # perhaps nobody has a value
        return Reach(1.0, settled=False)
    top = sum(away.get(part, 1.0) * reach for part, reach in far.items())
    found = top / fewest / steps
    # A mean that may be half of the range off is cut to it, wherever it is.
    return Reach(min(found, 1.0), settled=len(noisy) < 2 and found < 0.5)


def _real(axis: Grid, share: float) -> float:
    """The number that lies so far between low and high."""
    column = axis.column
    assert not isinstance(column, Date)  # noqa: S101  refused when it was asked for
    low, high = float(column.low), float(column.high)
    return low + min(max(share, 0.0), 1.0) * (high - low)
