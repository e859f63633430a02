"""From noisy tables to records: estimate, model, draw, and fill the bins with values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.mosaic_synopsis import MosaicSynopsis
from sfumato.partition import Fine, Merged, Partition
from sfumato.render.bins import FineCounts, merge, whole_column
from sfumato.render.decode import BATCH_ROWS
from sfumato.render.estimate import NoisyTables, OneWays, one_ways
from sfumato.render.forest import Forest, forest
from sfumato.render.latent import Mixture, Settings, Targets, fit
from sfumato.render.systematic import draw, draw_within

__all__ = ["RUN", "Deviations", "Model", "fine_counts", "merged", "noisy_tables", "sample"]

RUN = 5  # fine bins in a run
_LEAST = 3.0  # deviations that a coarse bin should be worth
_ANCHOR = 2.0  # how much less a pair that was not measured counts, as a deviation

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Model = Literal["latent", "forest"]


@dataclass(frozen=True)
class Deviations:
    """Of a cell of each kind of table; 0 where there is none."""

    columns: float
    classes: float
    pairs: float


def fine_counts(
    columns: tuple[Fine, ...],
    fine: Mapping[int, Integers],
    runs: Mapping[int, Integers],
    deviation: float,
    rows: int | None,
) -> dict[int, FineCounts]:
    """The wide columns, by position, made whole."""
    found = {}
    for position, column in enumerate(columns):
        if column.axis in fine:
            table = fine[column.axis].astype(np.float64)
            coarse = runs.get(column.axis)
            total = float(max(table.sum(), 1.0)) if rows is None else float(rows)
            found[position] = whole_column(
                column,
                table,
                None if coarse is None else coarse.astype(np.float64),
                RUN,
                deviation,
                total,
            )
    return found


def merged(columns: tuple[Fine, ...], found: Mapping[int, FineCounts], most: int) -> list[Merged]:
    """Every column in coarse bins."""
    return [
        merge(found[k], most, _LEAST * found[k].deviation)
        if k in found
        else Merged(column, np.arange(column.bins))
        for k, column in enumerate(columns)
    ]


def noisy_tables(synopsis: MosaicSynopsis, deviations: Deviations) -> NoisyTables:
    """What was measured, as floats with variances."""
    partition = synopsis.partition
    columns = tuple(column.fine for column in partition.columns)
    return NoisyTables(
        partition,
        fine_counts(columns, synopsis.fine, synopsis.runs, deviations.columns, synopsis.rows),
        None if synopsis.one is None else synopsis.one.astype(np.float64),
        max(deviations.classes**2, 1e-9),
        {pair: table.astype(np.float64) for pair, table in synopsis.pairs.items()},
        max(deviations.pairs**2, 1e-9),
        synopsis.rows,
    )


def sample(
    tables: NoisyTables,
    *,
    model: Model,
    chosen: bool,
    settings: Settings,
    rows: int | None,
    rng: np.random.Generator,
) -> Iterator[NDArray[np.int32]]:
    """Codes of the drawn records, a batch at a time; the columns of the partition, then the label.

    Each batch is drawn as evenly as it can be, so that drawing adds little noise of its own.
    """
    ones = one_ways(tables)
    total = round(ones.total) if rows is None else rows
    joined = forest(tables, ones, chosen=chosen)
    mixture = None
    if model == "latent":
        mixture = fit(_targets(tables, ones, joined), settings, rng)
    fill = [
        _Filling(column, tables.fine.get(k)) for k, column in enumerate(tables.partition.columns)
    ]
    for start in range(0, total, BATCH_ROWS):
        count = min(BATCH_ROWS, total - start)
        if mixture is None:
            classes = draw(ones.classes, count, rng)
            bins = joined.draw(classes, rng)
        else:
            classes, bins = _from_mixture(mixture, tables.partition, count, rng)
        codes = np.empty((count, len(fill) + 1), np.int32, order="F")
        for k, filling in enumerate(fill):
            codes[:, k] = filling.codes(bins[:, k], rng)
        codes[:, -1] = classes
        yield codes


def _from_mixture(
    mixture: Mixture, partition: Partition, rows: int, rng: np.random.Generator
) -> tuple[Integers, Integers]:
    which = draw(mixture.weight.ravel(), rows, rng)
    component, classes = np.divmod(which, mixture.weight.shape[1])
    bins = np.empty((rows, len(partition.columns)), np.int64, order="F")
    for column in range(len(partition.columns)):
        bins[:, column] = draw_within(component, mixture.chance[:, partition.block(column)], rng)
    return classes, bins


def _targets(tables: NoisyTables, ones: OneWays, joined: Forest) -> Targets:
    """All that was measured, and the forest's word on pairs that were not."""
    partition, total = tables.partition, ones.total
    columns = len(partition.columns)
    every = columns * (columns - 1) // 2
    anchor = (_ANCHOR**2) * (tables.pair_variance if tables.pairs else tables.one_variance)
    weight = np.full((columns, columns), total**2 / anchor)
    np.fill_diagonal(weight, 0.0)
    if len(tables.pairs) < every:
        pairs = joined.expected() / total
    else:
        pairs = np.zeros((partition.classes, partition.cells, partition.cells))
    for (i, j), table in tables.pairs.items():
        first, second = partition.block(i), partition.block(j)
        pairs[:, first, second] = table / total
        pairs[:, second, first] = table.transpose(0, 2, 1) / total
        weight[i, j] = weight[j, i] = total**2 / tables.pair_variance
    fine, fine_weight = np.zeros(partition.cells), np.zeros(columns)
    for column in tables.fine:
        coarse = tables.coarse(column)
        if coarse is not None:
            fine[partition.block(column)] = coarse / max(float(coarse.sum()), 1e-9)
            fine_weight[column] = total**2 / (2 * tables.fine[column].deviation ** 2)
    known = tables.one is not None
    return Targets(
        partition,
        pairs,
        weight,
        (tables.one if tables.one is not None else ones.counts) / total,
        np.full(columns, total**2 / tables.one_variance if known else 0.0),
        fine,
        fine_weight,
        np.maximum(ones.counts.sum(axis=0) / total, 1e-4),
        ones.classes,
    )


class _Filling:
    """Codes inside the coarse bins of one column, as its fine counts are spread."""

    def __init__(self, column: Merged, found: FineCounts | None) -> None:
        self._column = column
        counts = np.ones(column.fine.bins) if found is None else found.counts
        self._weights = np.zeros((column.bins, column.fine.bins))
        self._weights[column.group, np.arange(column.fine.bins)] = counts + 1e-9

    def codes(self, bins: Integers, rng: np.random.Generator) -> NDArray[np.int64]:
        fine = draw_within(bins, self._weights, rng)
        start, stop = self._column.fine.start, self._column.fine.stop
        return np.asarray(rng.integers(start[fine], stop[fine]))
