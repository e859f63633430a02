"""Three-way tables that pairs imply, and what noisy ones say beyond them.

Of all tables of two columns and bands of a target that have the same two-way tables, the one
without an interaction of all three is found by iterative proportional fitting (Deming and Stephan
1940).  It is what is expected before a three-way table is measured, and what a noisy one is
shrunken to.
"""

from dataclasses import dataclass

import numpy as np

from sfumato.numeric.arrays import Array, Vector, Whole
from sfumato.render.denoised import Denoised, by_resolution
from sfumato.render.estimate import NoisyTables, one_ways
from sfumato.synopsis.bins import Partition
from sfumato.synopsis.triples import BANDS, Pair, band_values

__all__ = ["Expectation", "bands_of", "implied", "wanted_triples", "without_triples"]

_ROUNDS = 15  # of fitting
_RAREST = 1e-6  # of all records: a cell that noise does not rule out


@dataclass(frozen=True, eq=False)
class Expectation:
    """Bands of a target, a whole number for each, and what pairs imply by band and two cells."""

    band: Whole  # of each of the target's bins
    values: tuple[int, ...]
    counts: Array


def without_triples(tables: NoisyTables, target: int) -> Expectation:
    """What noisy pairs say, before a triple is measured."""
    partition, ones = tables.partition, one_ways(tables)
    column = partition.columns[target]
    numbers = int(column.group[column.fine.ordered - 1]) + 1
    band = bands_of(ones.counts[0, partition.block(target)], numbers)
    pairs = Denoised.of(np.stack(list(ones.independent())), tables).tables[0]
    return Expectation(band, band_values(band, numbers), implied(pairs, partition, target, band))


def bands_of(mass: Vector, numbers: int) -> Whole:
    """The band of each bin: runs of about equal mass of so many first bins, the others apart.

    >>> bands_of(np.array([5.0, 5, 1, 1, 8, 10, 10, 3]), 7).tolist()
    [0, 0, 1, 1, 2, 3, 4, 5]
    """
    mass = np.maximum(mass, 0.0)
    total = max(float(mass[:numbers].sum()), 1e-9)
    middle = (np.cumsum(mass[:numbers]) - mass[:numbers] / 2) / total
    found = np.minimum((BANDS * middle).astype(np.int64), BANDS - 1)
    rest = BANDS + np.arange(len(mass) - numbers)
    return np.asarray(np.unique(np.append(found, rest), return_inverse=True)[1], np.int64)


def implied(pairs: Array, partition: Partition, target: int, band: Whole) -> Array:
    """By band and two cells: the pairs' table, and no three-way interaction, for all columns.

    `pairs` is by two cells; tables that do not quite agree are met as nearly as they can be.
    """
    offset, owner = partition.offset[:-1], partition.owner
    # Where far fewer records were than was said, noise can leave nothing of them.
    total = max(float(pairs[partition.block(0), partition.block(1)].sum()), 1.0)
    both = np.maximum(pairs, _RAREST * total)
    both *= total / _by_column(_by_column(both, offset, 0), offset, 1)[np.ix_(owner, owner)]
    belongs = (band == np.arange(int(band.max()) + 1)[:, None]).astype(np.float64)
    alone = belongs @ both[partition.block(target)]  # band and cell
    found = np.ones((len(belongs), *both.shape))
    for _ in range(_ROUNDS):
        found *= both / found.sum(axis=0)
        for table, wanted in zip(found, alone, strict=True):
            table *= (wanted[:, None] / _by_column(table, offset, 1))[:, owner]
            table *= (wanted / _by_column(table, offset, 0))[owner]
    return found


def wanted_triples(tables: NoisyTables, share: Array, total: float) -> dict[Pair, Array]:
    """Shares of all records that each measured triple should have, given those of pairs."""
    partition, triples = tables.partition, tables.triples
    if triples is None:
        return {}
    expected = implied(share * total, partition, triples.target, triples.band)
    found = {}
    for (i, j), noisy in triples.tables.items():
        block = expected[:, partition.block(i), partition.block(j)]
        ordered = (True, *(bool(partition.columns[c].fine.ordered) for c in (i, j)))
        rest = by_resolution(noisy - block, tables.triple_variance, ordered)
        found[i, j] = (block + rest) / total
    return found


def _by_column(cells: Array, offset: Whole, axis: int) -> Array:
    return np.add.reduceat(cells, offset, axis=axis)
