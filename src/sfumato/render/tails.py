"""Where a noisy histogram ends: no mass where there is nothing, and a tail that falls.

Noise over many empty bins adds up to a tail that is not there, and a few records far out move
every mean.  So the last block of neighbouring bins is found that noise alone would hardly make,
and from there on the counts are those of a tail that falls: exponentially, or faster, in the width
of the bins, and no more slowly than the histogram has fallen since its highest place.  Tails are
weighed by how likely the noise makes each (decision 0031).

A block is significant above `z` deviations of its noise, where `z` is such that noise alone makes
one anywhere in a column with a chance of at most `FALSE_ALARM`.  Runs of bins are measured under
Gaussian noise only, so where there are none the noise is taken for Laplace noise, which strays
further; sums of several bins of it stray less, in deviations, than single ones.
"""

from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from sfumato.numeric.arrays import Vector, Whole

__all__ = ["FALSE_ALARM", "Seen", "significant", "tailed"]

FALSE_ALARM = 0.01  # of a column, that a block of noise alone is taken for records
_FEWEST = 12  # bins of a column that has tails
_BLOCKS = 8  # a block is at most one part of so many
_SMOOTH = 5  # bins over which the highest place is looked for
_RATES = 30
# Deviations of the misfit of noise alone, above which there is more than a tail: Laplace or not.
_MISFIT = {True: 3.0, False: 2.0}


def significant(bins: int, alarm: float = FALSE_ALARM, *, laplace: bool = False) -> float:
    """Deviations that no block of noise reaches but with this chance: 2 x bins of them.

    >>> round(significant(100), 2), round(significant(100, laplace=True), 2)
    (4.45, 6.51)
    """
    return log(bins / alarm) / sqrt(2) if laplace else sqrt(2 * log(2 * bins / alarm))


@dataclass(frozen=True, eq=False)
class Seen:
    """Noisy counts of the bins of one column, and sums of runs of them that were measured apart."""

    fine: Vector
    runs: Vector | None
    run: int
    width: Vector
    deviation: float

    @property
    def backwards(self) -> "Seen":
        """From high to low; the first run may then be the shorter one."""
        runs = None if self.runs is None else self.runs[::-1]
        return _Backwards(self.fine[::-1], runs, self.run, self.width[::-1], self.deviation)

    @property
    def laplace(self) -> bool:
        """Whether the noise is Laplace noise: under Gaussian noise runs are measured."""
        return self.runs is None

    @property
    def group(self) -> Whole:
        """The run of each bin."""
        return np.arange(len(self.fine)) // self.run

    def last_significant(self) -> int | None:
        """Where the last block begins that is more than noise."""
        bins, found = len(self.fine), list[int]()
        least = significant(bins, laplace=self.laplace) * self.deviation
        if self.runs is None:
            found += _over(self.fine, np.ones(bins), least, bins // _BLOCKS)
            return max(found, default=None)
        found += _over(self.fine, np.ones(bins), least, 2)
        size, inside = np.bincount(self.group), np.bincount(self.group, self.fine)
        # The best mean of two unbiased sums, one of which has the noise of each bin.
        both, variance = (self.runs * size + inside) / (size + 1), size / (size + 1)
        starts = np.searchsorted(self.group, np.arange(len(size)))
        found += [int(starts[k]) for k in _over(both, variance, least, len(size) // _BLOCKS)]
        return max(found, default=None)

    def tail(self, level: Vector) -> tuple[int, Vector] | None:
        """Where the upper tail begins, and its counts; none where nothing stands out.

        Where there is more than a tail, it begins later.
        """
        start = self.last_significant()
        while start is not None and start < len(self.fine) - 1:
            found = self._tail_from(start, level)
            if not self._misses(found, start):
                return start, found
            start += self.run
        return None

    def _tail_from(self, start: int, level: Vector) -> Vector:
        """Tails that fall at different rates, weighed by how likely the noise makes each."""
        ends = np.cumsum(self.width[start:])
        slowest, from_mode = self._fall(level, start)
        slowest = max(slowest, 0.5 / ends[-1])
        fastest = max(20 / float(np.median(self.width[start:])), 2 * slowest)
        rates = np.exp(np.linspace(log(slowest), log(fastest), _RATES))[:, None]
        falls = [np.exp(-rates * np.append(0.0, ends))]
        if from_mode > 0:
            bent = np.append(0.0, ends) * (1 + np.append(0.0, ends) / (2 * from_mode))
            falls.append(np.exp(-rates * bent))
        shapes = -np.diff(np.vstack(falls), axis=1)
        shapes /= shapes.sum(axis=1, keepdims=True)
        power, hit = (shapes**2).sum(axis=1), shapes @ self.fine[start:]
        if self.runs is not None:
            group = self.group[start:]
            whole = group[0] + (1 if start and self.group[start - 1] == group[0] else 0)
            for run in range(whole, len(self.runs)):
                part = shapes[:, group == run].sum(axis=1)
                power, hit = power + part**2, hit + part * self.runs[run]
        size = np.maximum(hit / power, 0)  # records in the tail, by least squares
        likely = size**2 * power / (2 * self.deviation**2) - np.log(power) / 2
        weight = np.exp(likely - likely.max())
        return np.asarray((weight / weight.sum() * size) @ shapes)

    def _misses(self, tail: Vector, start: int) -> bool:
        """Whether what is seen there differs from the tail by more than noise does."""
        away = [self.fine[start:] - tail]
        if self.runs is not None:
            group, every = self.group[start:], np.zeros(len(self.fine))
            every[start:] = tail
            first = int(group[0]) + 1
            away.append((self.runs - np.bincount(self.group, every))[first:])
        apart, free = np.concatenate(away) / self.deviation, sum(map(len, away))
        most = _MISFIT[self.laplace] * sqrt(free)
        if self.laplace:  # the mean of each of these is 1, and so is its variance
            return float(np.abs(apart).sum() * sqrt(2)) > free + most
        return float((apart**2).sum()) > free + sqrt(2) * most

    def _fall(self, level: Vector, start: int) -> tuple[float, float]:
        """How fast the histogram falls from its highest place to here, and how far that is."""
        group = np.arange(len(level)) // _SMOOTH
        wide = np.bincount(group, self.width)
        density = np.bincount(group, np.maximum(level, 0)) / wide
        centre = np.cumsum(wide) - wide / 2
        here = int(group[start])
        mode = int(np.argmax(density[: here + 1]))
        if mode == here or density[here] <= 0:
            return 0.0, 0.0
        far = float(centre[here] - centre[mode])
        return log(density[mode] / density[here]) / far, far


class _Backwards(Seen):
    @property
    def group(self) -> Whole:
        bins = len(self.fine)
        return (-(-bins // self.run) - 1 - np.arange(bins)[::-1] // self.run).astype(np.int64)


def _over(noisy: Vector, variance: Vector, least: float, largest: int) -> list[int]:
    """Where blocks of 1, 2, 4 … neighbours begin whose sum is above what noise makes."""
    found, size = list[int](), 1
    sums, spread = (np.concatenate([[0.0], np.cumsum(v)]) for v in (noisy, variance))
    while size <= max(largest, 1):
        starts = np.arange(0, len(noisy), size)
        stops = np.minimum(starts + size, len(noisy))
        over = sums[stops] - sums[starts] > least * np.sqrt(spread[stops] - spread[starts])
        found += starts[over].tolist()[-1:]
        size *= 2
    return found


def tailed(level: Vector, seen: Seen) -> tuple[Vector, Vector]:
    """The level with a tail at both ends, and which bins are in one."""
    inside = np.zeros(len(level), bool)
    if len(level) < _FEWEST:
        return level, inside
    upper, lower = seen.tail(level), seen.backwards.tail(level[::-1])
    first = len(level) if upper is None else upper[0]
    last = 0 if lower is None else len(level) - lower[0]
    if first < last:
        return level, inside
    level = level.copy()
    if upper is not None:
        level[first:], inside[first:] = upper[1], True
    if lower is not None:
        level[:last], inside[:last] = lower[1][::-1], True
    return level, inside
