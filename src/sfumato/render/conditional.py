"""Models of a table given what is asked of its columns, exactly.

What is asked of a column is the share of each coarse bin that fits.  Of latent classes, each
weighs as much more as its records fit; in a forest, each column tells the one it hangs on
how well what is below fits there (Pearl 1988).  Both then draw as they always do.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Array
from sfumato.render.estimate import OneWays
from sfumato.render.forest import Forest
from sfumato.render.latent import Mixture

__all__ = ["Asked", "forest_given", "mixture_given"]

_LEAST = 1e-12  # of a count: what is asked for can be drawn even where none was estimated


@dataclass(frozen=True, eq=False)
class Asked:
    """The share of every coarse bin that fits, by column, and which classes do."""

    shares: tuple[Array, ...]
    classes: NDArray[np.bool_]


def mixture_given(mixture: Mixture, asked: Asked) -> tuple[Mixture, float]:
    """The mixture among the records that fit, and how large a share they are."""
    share = np.concatenate(asked.shares)
    ends = np.cumsum([len(one) for one in asked.shares])[:-1]
    parts = np.split(mixture.chance * share, ends, axis=1)
    inside = [np.maximum(part.sum(axis=1), 1e-300) for part in parts]
    logs = np.log(inside).sum(axis=0)  # of many columns: no underflow
    weight = mixture.weight * asked.classes * np.exp(logs - logs.max())[:, None]
    total = max(float(weight.sum()), 1e-300)
    chance = np.hstack([part / sums[:, None] for part, sums in zip(parts, inside, strict=True)])
    return Mixture(weight / total, chance), float(total * np.exp(logs.max()))


def forest_given(joined: Forest, asked: Asked) -> tuple[Forest, float]:
    """The forest among the records that fit, and how large a share they are."""
    partition, ones = joined.tables.partition, joined.ones
    fits = [np.tile(share, (partition.classes, 1)) for share in asked.shares]
    counts, classes, pairs = ones.counts.copy(), ones.classes * asked.classes, {}
    logs = 0.0
    for column, parent in reversed(joined.steps()):
        largest = float(fits[column].max())  # taken out, so that nothing underflows
        fits[column] = fits[column] / largest
        logs += float(np.log(largest))
        if parent is None:
            block = partition.block(column)
            count = np.maximum(ones.counts[:, block], _LEAST)
            counts[:, block] = count * fits[column]
            classes = classes * counts[:, block].sum(axis=1) / count.sum(axis=1)
            continue
        table = np.maximum(joined.table(parent, column), _LEAST)
        pairs[parent, column] = table * fits[column][:, None, :]
        fits[parent] = fits[parent] * (pairs[parent, column].sum(axis=2) / table.sum(axis=2))
    share = float(classes.sum() / ones.total * np.exp(logs))
    return Forest(OneWays(counts, classes), pairs, joined.tables), share
