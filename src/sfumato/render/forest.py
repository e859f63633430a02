"""Columns joined in trees, within each class: every pair of the forest keeps its table.

A noisy table is its independent part plus an interaction; the interaction is shrunken by the
share of it that the noise explains (James and Stein 1961), first over all classes together,
then for what each class adds.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Array
from sfumato.render.estimate import NoisyTables, OneWays
from sfumato.render.piecewise import beyond_noise
from sfumato.render.systematic import Places, draw_within

__all__ = ["Forest", "forest", "shrunken"]

_FITTING = 15  # rounds of proportional fitting, after which sums agree to a part in a thousand
_FLOOR = 1e-3  # of the independent count: no cell is ruled out by noise
Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Forest:
    """Estimated tables of the pairs that are joined, in records."""

    ones: OneWays
    pairs: Mapping[Pair, Array]
    tables: NoisyTables

    def steps(self, root: int | None = None) -> list[tuple[int, int | None]]:
        """Columns in an order in which each comes after the one that it hangs on."""
        columns = len(self.tables.partition.columns)
        joined: dict[int, list[int]] = {column: [] for column in range(columns)}
        for i, j in self.pairs:
            joined[i].append(j)
            joined[j].append(i)
        order: list[tuple[int, int | None]] = []
        seen: set[int] = set()
        for first in range(columns) if root is None else [root]:
            if first in seen:
                continue
            seen.add(first)
            order.append((first, None))
            at = len(order) - 1
            while at < len(order):
                for other in joined[order[at][0]]:
                    if other not in seen:
                        seen.add(other)
                        order.append((other, order[at][0]))
                at += 1
        return order

    def table(self, first: int, second: int) -> Array:
        """A joined pair's table, by class, then `first`, then `second`."""
        if (first, second) in self.pairs:
            return self.pairs[first, second]
        return self.pairs[second, first].transpose(0, 2, 1)

    def expected(self) -> Array:
        """The two-way tables of all pairs that the forest implies, by class and two cells."""
        partition, ones = self.tables.partition, self.ones
        counts = ones.counts
        implied = counts[:, :, None] * counts[:, None, :] / ones.classes[:, None, None]
        for column in range(len(partition.columns)):
            here = partition.block(column)
            along = {column: counts[:, here, None] * np.eye(here.stop - here.start)}
            for other, parent in self.steps(column):
                if parent is None:
                    continue
                step = self.table(parent, other)
                step = step / np.maximum(step.sum(axis=2, keepdims=True), 1e-12)
                along[other] = along[parent] @ step
                implied[:, here, partition.block(other)] = along[other]
        return np.asarray(implied)

    def draw(self, classes: Places, rng: np.random.Generator) -> NDArray[np.int32]:
        """Coarse bins of one record for each of the given classes, by column."""
        partition, rows = self.tables.partition, classes.astype(np.int64)
        drawn = np.empty((len(rows), len(partition.columns)), np.int32, order="F")
        for column, parent in self.steps():
            if parent is None:
                weights = self.ones.counts[:, partition.block(column)]
                drawn[:, column] = draw_within(rows, weights, rng)
                continue
            table = self.table(parent, column)
            condition = rows * table.shape[1] + drawn[:, parent]
            drawn[:, column] = draw_within(condition, table.reshape(-1, table.shape[2]), rng)
        return drawn


def forest(tables: NoisyTables, ones: OneWays, *, chosen: bool) -> Forest:
    """The measured pairs, where they were chosen as a forest; else the strongest that are one."""
    found = {pair: shrunken(tables, ones, pair) for pair in tables.pairs}
    if chosen:
        return Forest(ones, found, tables)
    part, strongest = list(range(len(tables.partition.columns))), {}
    for i, j in sorted(found, key=lambda pair: -_information(found[pair])):
        if part[i] != part[j]:
            strongest[i, j] = found[i, j]
            part = [part[i] if p == part[j] else p for p in part]
    return Forest(ones, strongest, tables)


def shrunken(tables: NoisyTables, ones: OneWays, pair: Pair) -> Array:
    """A noisy table without the part of its interaction that is as large as its noise."""
    partition, variance = tables.partition, tables.pair_variance
    rows, columns = (ones.counts[:, partition.block(column)] for column in pair)
    size = ones.classes[:, None, None]
    independent = rows[:, :, None] * columns[:, None, :] / size
    rest = _centred(tables.pairs[pair] - independent)
    free = (rest.shape[1] - 1) * (rest.shape[2] - 1)
    share = size / size.sum()
    pooled = rest.sum(axis=0)
    own = rest - share * pooled
    pooled = pooled * beyond_noise(pooled, free * variance * len(rest))
    left = np.array([beyond_noise(one, free * variance) for one in own])
    table = independent + share * pooled + left[:, None, None] * own
    table = np.maximum(table, _FLOOR * independent + 1e-12)
    for _ in range(_FITTING):
        table *= (rows / np.maximum(table.sum(axis=2), 1e-12))[:, :, None]
        table *= (columns / np.maximum(table.sum(axis=1), 1e-12))[:, None, :]
    return np.asarray(table)


def _centred(table: Array) -> Array:
    means = table.mean(axis=2, keepdims=True), table.mean(axis=1, keepdims=True)
    return np.asarray(table - means[0] - means[1] + table.mean(axis=(1, 2), keepdims=True))


def _information(table: Array) -> float:
    """What two columns say about each other within the classes."""
    share = table / table.sum()
    sums = share.sum(axis=2, keepdims=True), share.sum(axis=1, keepdims=True)
    inside = share.sum(axis=(1, 2), keepdims=True)
    positive = share > 0
    ratio = np.where(positive, share * inside / np.maximum(sums[0] * sums[1], 1e-300), 1.0)
    return float((share * np.log(np.maximum(ratio, 1e-300))).sum())
