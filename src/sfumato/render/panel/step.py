"""How a number goes on from one row of a person to the next: by which differences.

A noisy table of steps says how much more often a difference occurs than it would if rows knew
nothing of each other: the *tilt* of that difference.  Codes inside coarse bins are then drawn, row
after row, in proportion to their share among all rows times the tilt of the step to them.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.numeric.arrays import Array, Vector, Whole
from sfumato.render.piecewise import beyond_noise, simplex
from sfumato.schema.domain import Grid
from sfumato.synopsis.bins import Fine
from sfumato.synopsis.panel import step_edges

__all__ = ["Tilt", "tilt_of"]

_SEEN = 1.0  # deviations above which a kind of step is believed in
_ANY = 0.1  # of all steps: those that are as if rows knew nothing of each other


@dataclass(frozen=True, eq=False)
class Tilt:
    """By bin of the difference, how much more often it occurs than by chance."""

    edges: Whole
    points: int
    tilt: Vector

    @cached_property
    def upto(self) -> Vector:
        """The tilts of differences up to each one added up, from −points on; 0 first."""
        every = np.arange(-self.points, self.points + 1)
        each = self.tilt[np.searchsorted(self.edges, every, side="right") - 1]
        return np.concatenate([[0.0], np.cumsum(each)])

    def before(self, difference: Whole) -> Vector:
        """The sum of the tilts of all smaller differences than this."""
        return np.asarray(self.upto[np.clip(difference + self.points, 0, len(self.upto) - 1)])

    def within(self, start: Whole, stop: Whole) -> Array:
        """The mean tilt between codes of two bins, for all pairs of bins."""
        return _means(self.upto, self.points, start, stop)


def _means(upto: Vector, points: int, start: Whole, stop: Whole) -> Array:
    twice = np.concatenate([[0.0], np.cumsum(upto)])

    def summed(difference: Whole) -> Vector:
        return np.asarray(twice[np.clip(difference + points + 1, 0, len(twice) - 1)])

    a, b = start[:, None], stop[:, None]
    c, d = start[None], stop[None]
    total = summed(d - a) - summed(d - b) - summed(c - a) + summed(c - b)
    return np.asarray(total / ((b - a) * (d - c)))


def tilt_of(
    noisy: Vector, deviation: float, axis: Grid, column: Fine, share: Vector, fewest: int | None
) -> Tilt:
    """The tilt that a noisy table of steps calls for; no step below `fewest` ever occurs.

    `share`: of all rows by fine bin of a number, which add up to one.
    """
    edges, bins = step_edges(axis), column.ordered
    start, stop = column.start[:bins], column.stop[:bins]
    by_chance = np.empty(len(noisy))
    for k in range(len(noisy)):
        only = Tilt(edges, axis.points, np.eye(len(noisy))[k])
        by_chance[k] = share @ only.within(start, stop) @ share
    allowed = np.ones(len(noisy), bool) if fewest is None else edges[:-1] >= fewest
    total = max(float(noisy[allowed].sum()), 1.0)
    expected = np.where(allowed, by_chance, 0.0)
    expected *= total / max(float(expected.sum()), 1e-12)
    away = np.where(allowed, noisy - expected, 0.0)
    kept = beyond_noise(away, int(allowed.sum()) * deviation**2)
    counts = np.zeros(len(noisy))
    counts[allowed] = simplex((expected + kept * away)[allowed], total)
    counts[counts < _SEEN * deviation] = 0.0
    tilt = counts / np.maximum(by_chance * total, 0.3 * deviation + 1e-9 * total)
    tilt[by_chance <= 1e-9] = 0.0
    tilt = np.where(allowed, tilt + _ANY * max(float(tilt @ by_chance), 1e-9), 0.0)
    return Tilt(edges, axis.points, tilt)
