"""What noisy second moments say about variances and covariances of numbers.

Released are, under noise, the sums of z_i z_j over all records and, as a rule, of z_i, where z is
a number's place in its range less a public point c (0, or the middle).  Whatever c is,

    cov(x_i, x_j) = M_ij − M_i M_j      in units of the two ranges, M the means of what is summed.

Each noisy sum (and the number of records, where that is noisy) lies in its interval with its
share of the confidence, so all do at once; over that box M_i M_j is largest and smallest at
corners, a square perhaps at 0.  Which products are released is public, so this holds whatever
the data are.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from sfumato.accuracy.law import share
from sfumato.accuracy.noisy import Entries, Interval, Noisy, noise_of, often
from sfumato.errors import ParameterError, ReleaseError
from sfumato.numeric.arrays import Whole
from sfumato.privacy.guarantee import Number
from sfumato.release.certificate import Certificate, stated
from sfumato.schema import Date
from sfumato.schema.domain import Domain, Grid
from sfumato.synopsis.centred import UNIT, Centred
from sfumato.synopsis.features import Features
from sfumato.synopsis.moments import MomentSynopsis
from sfumato.synopsis.scatter import ScatterLayout

__all__ = ["Covariance", "SecondMoments", "of_moments", "of_scatter"]

_HALF, _QUARTER = 0.5, 0.25


class Covariance(NamedTuple):
    """The mean product about a public point, and the covariance; each with what it lies between."""

    about: tuple[float, float]
    second: float
    second_between: Interval
    value: float | None  # None where no sums were published
    between: Interval | None

    @property
    def deviation(self) -> Interval:
        """Of a column with itself: what its standard deviation lies between."""
        low, high = self.between or (0.0, self.second_between[1])
        return sqrt(max(low, 0.0)), sqrt(max(high, 0.0))


@dataclass(frozen=True, eq=False)
class SecondMoments:
    """Noisy sums of products of numbers, and of the numbers themselves."""

    axes: Mapping[str, tuple[int, Grid]]  # numbers by name, with their feature
    total: Noisy
    centre: float  # the point of a range that z is counted from
    twice: Callable[[int, int], Noisy] = field(repr=False)
    once: Callable[[int], Noisy] | None = field(repr=False)
    rounded: bool  # whether values were put on a common grid before

    def covariance(self, first: str, second: str, confidence: Number) -> Covariance:
        """Of two numbers as they were read; the variance if both are the same."""
        (i, one), (j, other) = self._column(first), self._column(second)
        sums = [self.twice(i, j)]
        if self.once is not None:
            sums += [self.once(k) for k in dict.fromkeys((i, j))]
        noisy = sum(not part.public for part in [*sums, self.total])
        each = 1 - (1 - share("confidence", confidence)) / noisy
        count = self.total.interval(each)
        ranges = _width(one) * _width(other)
        # Rounding moves every z by `off` at most, and none is farther than 1 from the point.
        off = [_off(axis) if self.rounded else 0.0 for axis in (one, other)]
        spare = off[0] + off[1] + off[0] * off[1]
        both = _mean(sums[0].interval(each), count, spare)
        seen = sums[0].value / max(self.total.value, 1.0)
        about = _place(one, self.centre), _place(other, self.centre)
        found = (about, seen * ranges, _scaled(both, ranges))
        if self.once is None:
            return Covariance(*found, None, None)
        means = [_mean(part.interval(each), count, max(off)) for part in sums[1:]]
        noisy_means = [part.value / max(self.total.value, 1.0) for part in sums[1:]]
        corners = [a * b for a, b in product(means[0], means[-1])]
        if i == j:
            corners = [end**2 for end in means[0]]
            corners += [0.0] if means[0][0] <= 0 <= means[0][1] else []
        low = max(both[0] - max(corners), 0.0 if i == j else -_QUARTER)
        high = min(both[1] - min(corners), _QUARTER)
        value = (seen - noisy_means[0] * noisy_means[-1]) * ranges
        return Covariance(*found, value, _scaled((min(low, _QUARTER), max(high, low)), ranges))

    def _column(self, name: str) -> tuple[int, Grid]:
        if name not in self.axes:
            offered = ", ".join(self.axes) or "none"
            raise ParameterError(
                f"no second moments of {name} are known as it was read; there are those of numbers "
                f"that may not be missing: {offered}"
            )
        return self.axes[name]


def of_moments(found: MomentSynopsis, entries: Entries, total: Noisy) -> SecondMoments:
    """Those of `modips`, `dp-pca` and `dp-lda`, which count from the low end of a range."""
    layout, rows = found.layout, None if found.rows is None else Fraction(found.rows)
    width, (i, j) = len(layout.features), layout.triangle
    place = _places(i, j, len(found.entries) - len(i))
    units = layout.features.units

    def twice(a: int, b: int) -> Noisy:
        step = Fraction(1, int(units[a]) * int(units[b]))
        return entries.total([place[min(a, b), max(a, b)]], step, rows)

    def once(a: int) -> Noisy:
        first = layout.counts + a
        which = range(first, layout.counts + layout.classes * width, width)
        return entries.total(which, Fraction(1, int(units[a])), rows)

    return SecondMoments(_numbers(layout.features), total, 0.0, twice, once, rounded=False)


def of_scatter(certificate: Certificate, record: Mapping[str, Any]) -> SecondMoments:
    """Those of `lap-pca`, `analyze-gauss` and `lip`, about the middle of every range."""
    if record["radius"] is not None:
        raise ReleaseError(
            f"{certificate.method} drew its records into a ball before it measured them, so its "
            "second moments are not those of the records; without radius they are"
        )
    schema = stated(certificate.public_schema)
    domain, values = Domain.of(schema), np.array(record["entries"], np.int64)
    layout = ScatterLayout(Centred.of(domain), schema.neighbours)
    if len(layout.units) != len(values) and domain.label is not None:
        layout = ScatterLayout(Centred.of(domain, without=(domain.label,)), schema.neighbours)
    if len(layout.units) != len(values):
        raise ValueError
    entries = Entries(values, *noise_of(certificate, "second moments"), often=often(certificate))
    rows = None if record["rows"] is None else Fraction(record["rows"])
    if (rows is None) != (layout.counts == 1):
        raise ValueError
    total = entries.total([0], Fraction(1)) if rows is None else entries.known(rows)
    place = _places(*layout.triangle, layout.counts)

    def twice(a: int, b: int) -> Noisy:
        found = entries.total([place[min(a, b), max(a, b)]], Fraction(1, UNIT**2))
        return found.bounded(None, None)

    once = None
    if record["sums"] is not None:
        noise = noise_of(certificate, "sums")
        sums = Entries(np.array(record["sums"], np.int64), *noise, often=often(certificate))

        def once(a: int) -> Noisy:
            return sums.total([a], Fraction(1, UNIT)).bounded(None, None)

    axes = _numbers(layout.centred.features)
    return SecondMoments(axes, total, _HALF, twice, once, rounded=True)


def _numbers(features: Features) -> dict[str, tuple[int, Grid]]:
    """Numbers that are there for every record: missing ones would stand at the middle."""
    found = {}
    for k, item in enumerate(features.items):
        axis = features.domain.axes[item.axis]
        number = isinstance(axis, Grid) and not isinstance(axis.column, Date)
        # A number of two points is 0 or 1: its square is itself, and is not released.
        if isinstance(axis, Grid) and number and not axis.missing and item.unit > 1:
            found[axis.name] = (k, axis)
    return found


def _places(i: Whole, j: Whole, start: int) -> dict[tuple[int, int], int]:
    pairs = zip(i.tolist(), j.tolist(), strict=True)
    return {pair: start + k for k, pair in enumerate(pairs)}


def _mean(top: Interval, count: Interval, spare: float) -> Interval:
    """A sum over a number of records, within what is possible; anything if there may be none."""
    if count[0] < 1:
        return -1.0, 1.0
    ends = [end / records for end, records in product(top, count)]
    return max(min(ends) - spare, -1.0), min(max(ends) + spare, 1.0)


def _off(axis: Grid) -> float:
    return 0.0 if UNIT % axis.points == 0 else _HALF / UNIT


def _width(axis: Grid) -> float:
    assert not isinstance(axis.column, Date)  # noqa: S101  left out above
    return float(axis.column.high) - float(axis.column.low)


def _place(axis: Grid, share_of_range: float) -> float:
    assert not isinstance(axis.column, Date)  # noqa: S101  left out above
    return float(axis.column.low) + share_of_range * _width(axis)


def _scaled(ends: Interval, by: float) -> Interval:
    return ends[0] * by, ends[1] * by
