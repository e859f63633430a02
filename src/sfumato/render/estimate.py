"""One-way tables within classes, from every noisy table that says something about them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from sfumato.numeric.arrays import Array
from sfumato.render.bins import FineCounts
from sfumato.render.piecewise import beyond_noise, simplex
from sfumato.synopsis.bins import Partition
from sfumato.synopsis.triples import Triples

__all__ = ["NoisyTables", "OneWays", "one_ways"]

_SMALLEST_CLASS = 0.002  # of all records, or two deviations of its size if that is less


@dataclass(frozen=True, eq=False)
class NoisyTables:
    """What was measured in coarse bins, in records; pair (i, j) is by class, then i, then j."""

    partition: Partition
    fine: Mapping[int, FineCounts]  # by column, where one was measured finely
    one: Array | None  # by class and cell
    one_variance: float
    pairs: Mapping[tuple[int, int], Array] = field(default_factory=dict)
    pair_variance: float = 1.0
    rows: int | None = None  # the public number of records
    triples: Triples | None = None  # where there are any
    triple_variance: float = 1.0

    def coarse(self, column: int) -> Array | None:
        """The fine counts of a column in its coarse bins."""
        found = self.fine.get(column)
        if found is None:
            return None
        return np.asarray(np.bincount(self.partition.columns[column].group, found.counts), float)


@dataclass(frozen=True, eq=False)
class OneWays:
    """Records by class and cell, at least zero and consistent with the sizes of the classes."""

    counts: Array
    classes: Array

    @property
    def total(self) -> float:
        """All records."""
        return float(self.classes.sum())

    def independent(self) -> Iterator[Array]:
        """The counts of any two cells if columns were independent; one class at a time."""
        for row, size in zip(self.counts, self.classes, strict=True):
            table = np.outer(row, row)
            table /= size
            yield table


def one_ways(tables: NoisyTables) -> OneWays:
    """Weighted means of all sums that stand for the same count, then the nearest possible table."""
    partition = tables.partition
    bins, columns = np.diff(partition.offset), len(partition.columns)
    sums = np.zeros((partition.classes, partition.cells))
    weight = np.zeros(columns)
    if tables.one is not None:
        sums += tables.one / tables.one_variance
        weight += 1 / tables.one_variance
    for (i, j), table in tables.pairs.items():
        for column, other, axis in ((i, j, 2), (j, i, 1)):
            known = 1 / (tables.pair_variance * bins[other])
            sums[:, partition.block(column)] += known * table.sum(axis=axis)
            weight[column] += known
    measured = weight > 0
    counts = sums / np.where(measured, weight, 1.0)[partition.owner]
    classes = _class_sizes(tables, counts, weight / bins * measured)
    for column in range(columns):
        block = partition.block(column)
        counts[:, block] = _column(tables, column, counts[:, block], weight[column], classes)
    return OneWays(counts, classes)


def _class_sizes(tables: NoisyTables, counts: Array, weight: Array) -> Array:
    partition = tables.partition
    sizes = np.stack(
        [counts[:, partition.block(c)].sum(axis=1) for c in range(len(weight))], axis=1
    )
    if weight.any():
        mean = sizes @ weight / weight.sum()
    else:  # nothing but fine tables, so one class
        fine = [found.counts.sum() for found in tables.fine.values()]
        mean = np.array([float(np.mean(fine)) if fine else 1.0])
    total = max(float(mean.sum()), 1.0) if tables.rows is None else max(float(tables.rows), 1.0)
    variance = 1 / float(weight.sum()) if weight.any() else 0.0
    even = mean.mean()
    mean = even + beyond_noise(mean - even, (len(mean) - 1) * variance) * (mean - even)
    shares = simplex(mean, total)
    least = min(_SMALLEST_CLASS * total, 2 * variance**0.5)
    shares = np.maximum(shares, max(least, 1e-6 * total))
    return np.asarray(shares * (total / shares.sum()))


def _by_class(counts: Array, variance: float, classes: Array) -> Array:
    """What each class has beyond its share of all, without the part that noise explains."""
    share = (classes / classes.sum())[:, None]
    common = share * counts.sum(axis=0)
    own = counts - common
    free = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    return np.asarray(common + beyond_noise(own, free * variance) * own)


def _column(
    tables: NoisyTables, column: int, counts: Array, weight: float, classes: Array
) -> Array:
    fine = tables.coarse(column)
    if weight == 0:
        if fine is None:
            fine = np.ones(counts.shape[1])
        return np.asarray(classes[:, None] * fine / max(float(fine.sum()), 1e-9))
    variance = 1 / weight
    counts = counts + ((classes - counts.sum(axis=1)) / counts.shape[1])[:, None]
    counts = _by_class(counts, variance, classes)
    if fine is not None:
        # The fine table knows the sum over the classes; what it adds is shared among them.
        known = 2 * tables.fine[column].deviation ** 2
        missing = fine * (classes.sum() / max(float(fine.sum()), 1e-9)) - counts.sum(axis=0)
        counts = counts + missing * (variance / (len(classes) * variance + known))
    return np.stack([simplex(row, size) for row, size in zip(counts, classes, strict=True)])
