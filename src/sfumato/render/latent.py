"""Latent classes fitted to noisy tables: a mixture of records with independent columns.

    P(class, x)  =  Σₖ wₖ(class) Πⱼ θₖⱼ(xⱼ)

Its two-way tables within a class are Θᵀ diag(w) Θ, so all of them are compared with all noisy
tables in two products of matrices.  The fit minimises the squared misfit over the variance of
the noise, pulled a little towards the one-way tables and, in columns of numbers, towards
neighbouring bins being alike.  Several fits from different starts are averaged, which takes
off noise that each fits by chance; the average of mixtures is a mixture.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.partition import Partition

__all__ = ["Mixture", "Settings", "Targets", "fit"]

Array = NDArray[np.float64]
_FLATTEST = 30.0  # logarithms of chances are kept within, so that no exponential overflows


@dataclass(frozen=True)
class Settings:
    """How many latent classes, starts and steps, and how strong the pulls are."""

    components: int = 50
    starts: int = 4
    steps: int = 600
    pull: float = 10.0
    smooth: float = 10.0
    spread: float = 0.7  # of the starts, in logarithms
    rate: float = 0.05


@dataclass(frozen=True, eq=False)
class Targets:
    """Shares of all records that tables should have, and one over the variance of each."""

    partition: Partition
    pairs: Array  # by class and two cells
    pair_weight: Array  # by two columns; zero where nothing is known
    one: Array  # by class and cell
    one_weight: Array  # by column
    fine: Array  # by cell, over all classes
    fine_weight: Array  # by column
    mean: Array  # by cell: where every latent class is pulled to
    classes: Array


@dataclass(frozen=True, eq=False)
class Mixture:
    """Weights by component and class, summing to one, and chances by component and cell."""

    weight: Array
    chance: Array

    def tables(self, total: float = 1.0) -> Array:
        """The expected two-way tables, by class and two cells."""
        return np.stack([total * (self.chance.T * w) @ self.chance for w in self.weight.T])


class _Fit:
    """One gradient for all starts at once: axes are start, component, cell."""

    def __init__(self, targets: Targets, settings: Settings, rng: np.random.Generator) -> None:
        self.targets, self.settings, partition = targets, settings, targets.partition
        self.starts, self.owner = partition.offset[:-1], partition.owner
        self.mean = targets.mean / self.summed(targets.mean)
        shape = settings.starts, settings.components
        self.log_weight = np.log(targets.classes / targets.classes.sum()) + rng.normal(
            0, settings.spread, (*shape, partition.classes)
        )
        self.log_chance = np.log(self.mean) + rng.normal(
            0, settings.spread, (*shape, partition.cells)
        )
        by_cell = self.owner
        self.pair_weight = targets.pair_weight[by_cell][:, by_cell] / 2  # both triangles count
        self.one_weight, self.fine_weight = (
            targets.one_weight[by_cell],
            targets.fine_weight[by_cell],
        )
        self.alike = _alike(partition)

    def summed(self, values: Array) -> Array:
        """For each cell, the sum over its column."""
        return np.asarray(np.add.reduceat(values, self.starts, axis=-1)[..., self.owner])

    def mixtures(self) -> tuple[Array, Array]:
        weight = np.exp(self.log_weight - self.log_weight.max(axis=(1, 2), keepdims=True))
        weight /= weight.sum(axis=(1, 2), keepdims=True)
        chance = np.exp(np.clip(self.log_chance, -_FLATTEST, _FLATTEST))
        return weight, chance / self.summed(chance)

    def gradient(self) -> tuple[Array, Array]:
        t, (weight, chance) = self.targets, self.mixtures()
        of_weight, of_chance = np.empty_like(weight), np.zeros_like(chance)
        size = weight.sum(axis=2)
        fine = self.fine_weight * (np.einsum("rc,rcf->rf", size, chance) - t.fine)
        for k in range(weight.shape[2]):
            here = weight[:, :, k, None]
            misfit = np.matmul((chance * here).transpose(0, 2, 1), chance)
            misfit -= t.pairs[k]
            misfit *= self.pair_weight
            back = np.matmul(chance, misfit)
            one = np.einsum("rc,rcf->rf", weight[:, :, k], chance) - t.one[k]
            single = (self.one_weight * one + fine)[:, None, :]
            of_weight[:, :, k] = np.einsum("rcf,rcf->rc", back + single, chance)
            of_chance += here * (2 * back + single)
        along = chance * (of_chance - self.summed(of_chance * chance))
        along += self.settings.pull * size[:, :, None] * (chance - self.mean)
        if self.alike is not None:
            apart = (self.log_chance - np.log(self.mean)) @ self.alike
            along += self.settings.smooth * size[:, :, None] * apart
        return weight * (of_weight - (of_weight * weight).sum(axis=(1, 2), keepdims=True)), along


def _alike(partition: Partition) -> Array | None:
    """The squared differences between neighbouring bins of a number, as a matrix."""
    matrix = np.zeros((partition.cells, partition.cells))
    for column, first in zip(partition.columns, partition.offset, strict=False):
        ordered = column.fine.ordered
        bins = int(column.group[ordered - 1]) + 1 if ordered else 0
        for cell in range(first, first + bins - 1):
            matrix[cell : cell + 2, cell : cell + 2] += np.array([[1, -1], [-1, 1]])
    return matrix if matrix.any() else None


def fit(targets: Targets, settings: Settings, rng: np.random.Generator) -> Mixture:
    """The averaged mixture, by steps of adaptive size (Kingma and Ba 2015)."""
    fitted = _Fit(targets, settings, rng)
    values = [fitted.log_weight, fitted.log_chance]
    mean = [np.zeros_like(value) for value in values]
    square = [np.zeros_like(value) for value in values]
    for step in range(1, settings.steps + 1):
        # Full steps first; the last third slows down, so that the fit settles.
        rate = settings.rate * min(1.0, 3 * (1 - step / settings.steps) + 0.02)
        for value, slope, m, s in zip(values, fitted.gradient(), mean, square, strict=True):
            m *= 0.9
            m += 0.1 * slope
            s *= 0.99
            s += 0.01 * slope**2
            value -= rate * (m / (1 - 0.9**step)) / (np.sqrt(s / (1 - 0.99**step)) + 1e-12)
    weight, chance = fitted.mixtures()
    return Mixture(
        weight.reshape(-1, weight.shape[2]) / settings.starts, chance.reshape(-1, chance.shape[2])
    )
