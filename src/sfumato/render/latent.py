"""Latent classes fitted to noisy tables: a mixture of records with independent columns.

    P(class, x)  =  Σₖ wₖ(class) Πⱼ θₖⱼ(xⱼ)

Its two-way tables within a class are Θᵀ diag(w) Θ, so all of them are compared with all noisy
tables in two products of matrices.  The fit minimises the squared misfit over the variance of
the noise, pulled a little towards the one-way tables and, in columns of numbers, towards
neighbouring bins being alike.  Several fits from different random starts are averaged, which takes
off noise that each fits by chance; the average of mixtures is a mixture.

Steps are taken in float32, whose roundings are far below any noise, at half the time.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Array
from sfumato.numeric.threads import one_blas_thread
from sfumato.synopsis.bins import Partition

__all__ = ["Mixture", "Settings", "Targets", "fit"]

Real = NDArray[np.floating[Any]]  # float32 while fitting
_FLATTEST = 30.0  # logarithms of chances are kept within, so that no exponential overflows
_MOST_WORK = 1.5e11  # products, of a fit
_FEWEST, _FEWEST_STEPS = 16, 150  # components and steps, however many cells there are
_STILL = 1e-18  # a slope that moves nothing: below it float32 holds no squares


@dataclass(frozen=True)
class Settings:
    """How many latent classes, restarts and steps, and how strong the pulls are."""

    components: int = 50
    restarts: int = 8
    steps: int = 600
    pull: float = 10.0
    smooth: float = 10.0
    lean: float = 0.5  # of the noise in a pair's table, by which it is drawn to the forest
    spread: float = 0.7  # of the restarts, in logarithms
    rate: float = 0.05
    # Drawn records are moved to the tables where these tell of so many pairs what the model does
    # not, as a share of all.
    swept_from: float = 0.0

    def within(self, partition: Partition) -> "Settings":
        """As hard as so many cells can be fitted in a few seconds."""
        restarts, steps, components = self.restarts, self.steps, self.components
        each = 4.0 * partition.cells**2 * partition.classes
        while restarts * steps * components * each > _MOST_WORK and components > _FEWEST:
            if restarts > 2:
                restarts //= 2
            elif steps > _FEWEST_STEPS:
                steps = max(steps * 3 // 4, _FEWEST_STEPS)
            elif restarts > 1:
                restarts = 1
            else:
                components = components * 3 // 4
        return replace(self, restarts=restarts, steps=steps, components=components)


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
    """One gradient for all restarts at once: axes are restart, component, cell.

    Only the relations of weights and pulls count, so the largest is made 1.
    """

    def __init__(
        self,
        targets: Targets,
        settings: Settings,
        rng: np.random.Generator,
        precision: type[np.floating[Any]] = np.float64,
    ) -> None:
        of = partial(np.asarray, dtype=precision)
        partition, by_cell = targets.partition, targets.partition.owner
        self.offsets, self.owner = partition.offset[:-1], by_cell
        mean = targets.mean / self.summed(targets.mean)
        shape = settings.restarts, settings.components
        self.log_weight = of(
            np.log(targets.classes / targets.classes.sum())
            + rng.normal(0, settings.spread, (*shape, partition.classes))
        )
        self.log_chance = of(
            np.log(mean) + rng.normal(0, settings.spread, (*shape, partition.cells))
        )
        self.mean, self.log_mean = of(mean), of(np.log(mean))
        both = targets.pair_weight / 2  # both triangles count
        largest = max(
            settings.pull,
            settings.smooth,
            *(float(w.max(initial=0)) for w in (both, targets.one_weight, targets.fine_weight)),
        )
        unit = 1 / largest if largest else 1.0
        self.pair_weight = of(unit * both[by_cell][:, by_cell])
        self.one_weight = of(unit * targets.one_weight[by_cell])
        self.fine_weight = of(unit * targets.fine_weight[by_cell])
        self.pull, self.smooth = unit * settings.pull, unit * settings.smooth
        self.pairs, self.one, self.fine = map(of, (targets.pairs, targets.one, targets.fine))
        alike = _alike(partition)
        self.alike = None if alike is None else of(alike)

    def summed(self, values: Real) -> Real:
        """For each cell, the sum over its column."""
        return np.asarray(np.add.reduceat(values, self.offsets, axis=-1)[..., self.owner])

    def mixtures(self) -> tuple[Real, Real]:
        weight = np.exp(self.log_weight - self.log_weight.max(axis=(1, 2), keepdims=True))
        weight /= weight.sum(axis=(1, 2), keepdims=True)
        chance = np.exp(np.clip(self.log_chance, -_FLATTEST, _FLATTEST))
        return weight, chance / self.summed(chance)

    def gradient(self) -> tuple[Real, Real]:
        weight, chance = self.mixtures()
        of_weight, of_chance = np.empty_like(weight), np.zeros_like(chance)
        size = weight.sum(axis=2)
        fine = self.fine_weight * (np.einsum("rc,rcf->rf", size, chance) - self.fine)
        for k in range(weight.shape[2]):
            here = weight[:, :, k, None]
            misfit = np.matmul((chance * here).transpose(0, 2, 1), chance)
            misfit -= self.pairs[k]
            misfit *= self.pair_weight
            back = np.matmul(chance, misfit)
            one = np.einsum("rc,rcf->rf", weight[:, :, k], chance) - self.one[k]
            single = (self.one_weight * one + fine)[:, None, :]
            of_weight[:, :, k] = np.einsum("rcf,rcf->rc", back + single, chance)
            of_chance += here * (2 * back + single)
        along = chance * (of_chance - self.summed(of_chance * chance))
        along += self.pull * size[:, :, None] * (chance - self.mean)
        if self.alike is not None:
            apart = (self.log_chance - self.log_mean) @ self.alike
            along += self.smooth * size[:, :, None] * apart
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
    """The averaged mixture."""
    fitted = _Fit(targets, settings, rng, np.float32)
    with one_blas_thread:
        _descend(fitted, settings)
    weight, chance = (value.astype(np.float64) for value in fitted.mixtures())
    chance /= fitted.summed(chance)
    return Mixture(
        weight.reshape(-1, weight.shape[2]) / weight.sum(), chance.reshape(-1, chance.shape[2])
    )


def _descend(fitted: _Fit, settings: Settings) -> None:
    """Steps of adaptive size (Kingma and Ba 2015)."""
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
            value -= rate * (m / (1 - 0.9**step)) / (np.sqrt(s / (1 - 0.99**step)) + _STILL)
