"""Two-way tables as they should be: the model's, and what of the noisy ones' rest is not noise.

What a noisy table has beyond the model is taken apart by resolution: of two numbers, what goes up
or down with both, a single figure; then means over blocks of four neighbouring bins, then of two,
then single ones.  Each part is shrunken by the share of it that the
noise explains (James and Stein 1961), and left out where noise alone would make as much.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Array
from sfumato.render.estimate import NoisyTables, OneWays

__all__ = ["Denoised", "by_resolution", "never_together"]

_BLOCKS = (4, 2, 1)
_NONE, _MANY = 2.0, 10.0  # deviations: what may be none, and what would have been seen
_CHANCE = 2.0  # deviations of the square of what is noise alone


@dataclass(frozen=True, eq=False)
class Denoised:
    """By class and two cells, in records; and of how many pairs the model did not say all."""

    tables: Array
    told: float  # the share of pairs, of all that were measured

    @classmethod
    def of(cls, model: Array, tables: NoisyTables) -> "Denoised":
        """The tables of a model, as noisy ones correct them."""
        partition, found, told = tables.partition, model.copy(), 0
        for (i, j), noisy in tables.pairs.items():
            one, two = partition.block(i), partition.block(j)
            ordered = [bool(partition.columns[column].fine.ordered) for column in (i, j)]
            rest = noisy - found[:, one, two]
            kept = by_resolution(rest, tables.pair_variance, (False, *ordered))
            told += bool(kept.any())
            found[:, one, two] += kept
            found[:, two, one] += kept.transpose(0, 2, 1)
        return cls(found, told / max(len(tables.pairs), 1))


def never_together(tables: NoisyTables, ones: OneWays) -> NDArray[np.bool_]:
    """Cells of two columns that noisy tables show to be empty, by two cells.

    A bin goes with one bin of another column alone, if what is seen of it with all the others is
    within two deviations of none, where ten deviations would be there by chance.
    """
    partition = tables.partition
    found = np.zeros((partition.cells, partition.cells), bool)
    counts = ones.counts.sum(axis=0)
    for pair, noisy in tables.pairs.items():
        table = noisy.sum(axis=0)
        for (i, j), seen in ((pair, table), (pair[::-1], table.T)):
            one, two = partition.block(i), partition.block(j)
            deviation = sqrt(len(noisy) * tables.pair_variance * max(seen.shape[1] - 1, 1))
            mate = seen.argmax(axis=1)
            rest = seen.sum(axis=1) - seen.max(axis=1)
            expected = counts[one] * (1 - counts[two][mate] / ones.total)
            alone = (rest < _NONE * deviation) & (expected > _MANY * deviation)
            empty = alone[:, None] & (np.arange(seen.shape[1]) != mate[:, None])
            found[one, two] |= empty
            found[two, one] |= empty.T
    return found


def by_resolution(rest: Array, variance: float, ordered: Sequence[bool]) -> Array:
    """What is not noise of this variance, along axes that are in order or are not.

    >>> rng = np.random.default_rng(0)
    >>> noise, slope = rng.normal(0, 1, (8, 8)), np.linspace(-4, 4, 8)
    >>> bool(np.abs(by_resolution(noise, 1.0, (True, True))).max() < 1e-9)
    True
    >>> bool(np.corrcoef(by_resolution(slope + noise, 1.0, (True, True))[0], slope)[0, 1] > 0.9)
    True
    """
    line = _line(rest, ordered)
    kept = _shrunken(line, variance, rest.size // (rest.shape[-2] * rest.shape[-1]))
    rest, before, known = rest - line, np.zeros_like(rest), 0
    for size in _BLOCKS:
        means, free = _block_means(rest, size, ordered)
        if free == known:
            continue
        kept = kept + _shrunken(means - before, variance, free - known)
        before, known = means, free
    return kept


def _shrunken(part: Array, variance: float, free: int) -> Array:
    """Without the share that noise explains; nothing where noise alone would make as much."""
    square = float((part**2).sum()) / variance
    if square <= free + _CHANCE * sqrt(2 * free):
        return np.zeros_like(part)
    return np.asarray((1 - free / square) * part)


def _line(rest: Array, ordered: Sequence[bool]) -> Array:
    """What of a table goes up or down along both of its last axes: one figure that says most."""
    if not all(ordered[-2:]):
        return np.zeros_like(rest)
    one, two = (np.arange(size) - (size - 1) / 2 for size in rest.shape[-2:])
    plane = np.outer(one, two)
    plane /= max(float(np.sqrt((plane**2).sum())), 1e-9)
    return np.asarray((rest * plane).sum(axis=(-2, -1), keepdims=True) * plane)


def _block_means(table: Array, size: int, ordered: Sequence[bool]) -> tuple[Array, int]:
    """Every cell's mean over its block, and how many blocks there are."""
    free = 1
    for axis, in_order in enumerate(ordered):
        bins = table.shape[axis]
        if not in_order or size == 1:
            free *= bins
            continue
        starts = np.arange(0, bins, size)
        sums = np.add.reduceat(table, starts, axis=axis)
        lengths = np.diff(np.append(starts, bins))
        means = sums / np.expand_dims(lengths, tuple(range(1, table.ndim - axis)))
        table = means.repeat(lengths, axis=axis)
        free *= len(starts)
    return table, free
