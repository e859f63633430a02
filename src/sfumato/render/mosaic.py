"""From noisy tables to records: estimate, model, draw, and fill the bins with values."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from sfumato.numeric.arrays import Array, Codes, Mask, Whole
from sfumato.render.bins import FineCounts, merge, whole_column
from sfumato.render.conditional import Asked, forest_given, mixture_given
from sfumato.render.constrained import kept
from sfumato.render.decode import Decoder
from sfumato.render.denoised import Denoised, never_together
from sfumato.render.drawing import Drawing
from sfumato.render.estimate import NoisyTables, OneWays, one_ways
from sfumato.render.forest import Forest, forest
from sfumato.render.heavy import by_class, with_heavy
from sfumato.render.latent import Mixture, Settings, Targets, fit
from sfumato.render.piecewise import beyond_noise
from sfumato.render.rules import Rules
from sfumato.render.sweeps import FEWEST, Sweeps
from sfumato.render.swept_triples import SweptTriples
from sfumato.render.systematic import Places, draw, draw_within, expect
from sfumato.render.three_way import wanted_triples
from sfumato.schema.domain import MISSING, Domain
from sfumato.synopsis.bins import Fine, Merged, Partition
from sfumato.synopsis.heavy import HeavyCodes
from sfumato.synopsis.tables import RUN, MosaicSynopsis

__all__ = [
    "Deviations",
    "Filling",
    "Model",
    "fillings",
    "fine_counts",
    "merged",
    "noisy_tables",
    "pair_targets",
    "sample",
]

_LEAST = 2.0  # deviations that a coarse bin should be worth
_NEVER = -1e4  # the logarithm of no chance at all
_RAREST = 1e-5  # of a class: a bin that is not ruled out
_ANCHOR = 2.0  # deviations of a measured pair that one which was not is allowed from the forest

Model = Literal["latent", "forest"]


@dataclass(frozen=True)
class Deviations:
    """Of a cell of each kind of table; 0 where there is none."""

    columns: float
    codes: float
    classes: float
    pairs: float
    triples: float = 0.0


def fine_counts(
    columns: tuple[Fine, ...],
    fine: Mapping[int, Whole],
    runs: Mapping[int, Whole],
    deviation: float,
    rows: int | None,
    codes: Mapping[int, HeavyCodes] | None = None,
    code_deviation: float = 0.0,
) -> dict[int, FineCounts]:
    """The wide columns, by position, made whole; heavy codes have bins of their own."""
    found = {}
    for position, column in enumerate(columns):
        if column.axis in fine:
            table = fine[column.axis].astype(np.float64)
            coarse = runs.get(column.axis)
            total = float(max(table.sum(), 1.0)) if rows is None else float(rows)
            in_runs = None if coarse is None else coarse.astype(np.float64)
            seen = (table, in_runs, RUN, deviation, total)
            heavy = (codes or {}).get(column.axis)
            found[position] = (
                whole_column(column, *seen)
                if heavy is None
                else with_heavy(heavy, code_deviation, *seen)
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
    columns = tuple(synopsis.counted(column) for column in partition.columns)
    return NoisyTables(
        partition,
        fine_counts(
            columns,
            synopsis.fine,
            synopsis.runs,
            deviations.columns,
            synopsis.rows,
            synopsis.codes,
            deviations.codes,
        ),
        None if synopsis.one is None else synopsis.one.astype(np.float64),
        max(deviations.classes**2, 1e-9),
        {pair: table.astype(np.float64) for pair, table in synopsis.pairs.items()},
        max(deviations.pairs**2, 1e-9),
        synopsis.rows,
        synopsis.codes,
        deviations.codes**2,
        synopsis.triples,
        max(deviations.triples**2, 1e-9),
    )


def sample(
    tables: NoisyTables,
    *,
    model: Model,
    chosen: bool,
    settings: Settings,
    rows: int | None,
    rules: Rules,
    given: Mapping[int, Mask],
    domain: Domain,
    rng: np.random.Generator,
) -> Drawing:
    """Drawn records that keep the rules, in parts.

    Each part is drawn as evenly as it can be, so that drawing adds little noise of its own.
    Without a number of rows there are as many as records were counted, or, of those with the
    codes that are given, as many as the model expects.
    """
    partition, ones = tables.partition, one_ways(tables)
    trees = forest(tables, ones, chosen=chosen)
    joined: Forest | Mixture = trees
    if model == "latent":
        targets = pair_targets(tables, ones, trees, settings.lean)
        joined = fit(targets, settings.within(partition), rng)
    if rows is None:
        rows = round(ones.total) if tables.rows is None else tables.rows
        if given:
            share = _given(joined, tables, fillings(tables, ones, given), given)[1]
            rows = min(rows, max(1, round(rows * share)))
    possible = dict(enumerate(rules.possible)) if rules.bind else {}
    fill = fillings(tables, ones, possible)
    whole = joined
    if rules.bind:
        joined = _given(joined, tables, fill, possible)[0]
    sweeps = None
    if isinstance(joined, Mixture) and isinstance(whole, Mixture):
        corrected = Denoised.of(whole.tables(ones.total), tables)
        if corrected.told >= settings.swept_from:
            sweeps = _sweeps(whole, joined, tables, ones, corrected)
    records = _Records(joined, partition, tuple(fill), rules, Decoder(domain), rows, sweeps)
    return Drawing.of(records, rows, rng)


@dataclass(frozen=True, eq=False)
class _Records:
    """What the records of a release are drawn from."""

    joined: Forest | Mixture
    partition: Partition
    fill: tuple["Filling", ...]
    rules: Rules
    decoder: Decoder
    rows: int  # of the release
    sweeps: Sweeps | None = None

    def __call__(self, _start: int, count: int, rng: np.random.Generator) -> pa.RecordBatch:
        expect(self.rows * (len(self.fill) + 1))
        if not self.rules.bind:
            return self.decoder.encoded(self._codes(count, rng))
        found = kept(lambda some: self._codes(some, rng), self.rules, count, rng)
        return self.decoder.encoded(np.concatenate(list(found)))

    def _codes(self, count: int, rng: np.random.Generator) -> Codes:
        bins: Iterable[Places]
        if isinstance(self.joined, Mixture):
            classes, bins = self._from_mixture(self.joined, count, rng)
        else:
            classes = draw(self.joined.ones.classes, count, rng)
            bins = iter(self.joined.draw(classes, rng).T)
        codes = np.empty((count, len(self.rules.axes)), np.int32, order="F")
        for filling, inside in zip(self.fill, bins, strict=True):
            codes[:, filling.axis] = filling.codes(inside, classes, rng)
        if self.partition.label is not None:
            codes[:, self.partition.label] = classes
        return codes

    def _from_mixture(
        self, mixture: Mixture, count: int, rng: np.random.Generator
    ) -> tuple[Places, Iterable[Places]]:
        """A class for each record, and its coarse bins, a column at a time."""
        if self.sweeps is None:
            return _from_mixture(mixture, self.partition, count, rng)
        # Tables of few records are all chance: more are moved, of which some are taken.
        some = max(count, FEWEST)
        classes, drawn = _from_mixture(mixture, self.partition, some, rng)
        passes = self.sweeps.passes(max(self.rows, some))
        bins = self.sweeps.moved(np.stack(list(drawn), axis=1), classes, passes, rng)
        which = slice(None) if some == count else rng.permutation(some)[:count]
        return classes[which], bins[which].T


def _given(
    joined: Forest | Mixture, tables: NoisyTables, fill: list["Filling"], given: Mapping[int, Mask]
) -> tuple[Forest | Mixture, float]:
    label, classes = tables.partition.label, np.ones(tables.partition.classes, bool)
    asked = Asked(
        tuple(filling.share for filling in fill),
        classes if label is None else given.get(label, classes),
    )
    if isinstance(joined, Mixture):
        return mixture_given(joined, asked)
    return forest_given(joined, asked)


def fillings(tables: NoisyTables, ones: OneWays, given: Mapping[int, Mask]) -> list["Filling"]:
    """For each column, how codes lie inside its coarse bins."""
    return [
        Filling(column, _spread(tables, ones, k), given.get(column.fine.axis))
        for k, column in enumerate(tables.partition.columns)
    ]


def _spread(tables: NoisyTables, ones: OneWays, k: int) -> Array:
    """Records in the fine bins of a column: of all classes in one row, or a row for each."""
    column, found = tables.partition.columns[k], tables.fine.get(k)
    if found is None:
        return np.ones((1, column.fine.bins))
    heavy = tables.codes.get(column.fine.axis)
    if heavy is None or tables.partition.label is None:
        return found.counts[None]
    coarse = ones.counts[:, tables.partition.block(k)]
    return by_class(column, heavy, found.counts, coarse, tables.code_variance, tables.one_variance)


def _from_mixture(
    mixture: Mixture, partition: Partition, rows: int, rng: np.random.Generator
) -> tuple[Places, Iterator[Places]]:
    """A class for each record, and its coarse bins, a column at a time."""
    which = draw(mixture.weight.ravel(), rows, rng)
    component, classes = np.divmod(which, mixture.weight.shape[1])
    blocks = (partition.block(column) for column in range(len(partition.columns)))
    return classes, (draw_within(component, mixture.chance[:, block], rng) for block in blocks)


def _sweeps(
    whole: Mixture, joined: Mixture, tables: NoisyTables, ones: OneWays, corrected: Denoised
) -> Sweeps | None:
    """What drawn records should have, by the model and by what the noisy tables say beyond it.

    Where the model is held to what is asked for, tables are as much smaller as the model's.
    """
    if len(tables.partition.columns) < 2:
        return None
    total = ones.total
    share = corrected.tables / total
    triples = wanted_triples(tables, share[0], total) if tables.triples else {}
    if joined is not whole:
        share *= joined.tables() / np.maximum(whole.tables(), _RAREST**2)
        triples = {
            pair: table * _held(whole, joined, tables, pair) for pair, table in triples.items()
        }
    weight = joined.weight / np.maximum(joined.weight.sum(axis=0), 1e-12)
    chance = weight.T @ joined.chance
    possible = joined.chance.max(axis=0) > 0
    return Sweeps(
        tables.partition.offset,
        share,
        np.where(possible, np.log(np.maximum(chance, _RAREST)), _NEVER),
        never_together(tables, ones),
        SweptTriples.of(tables.triples, triples, tables.partition.offset) if triples else None,
    )


def _held(whole: Mixture, joined: Mixture, tables: NoisyTables, pair: tuple[int, int]) -> Array:
    """How much smaller a triple is where the model is held to what is asked for."""
    partition, triples = tables.partition, tables.triples
    assert triples is not None  # noqa: S101  there is one
    columns = [partition.block(c) for c in (triples.target, *pair)]
    found = []
    for model in (joined, whole):
        target, one, two = (model.chance[:, block] for block in columns)
        bands = np.stack([target[:, triples.band == t].sum(axis=1) for t in range(triples.bands)])
        weight = model.weight.sum(axis=1)
        found.append(np.einsum("c,tc,ca,cb->tab", weight, bands, one, two, optimize=True))
    return np.asarray(found[0] / np.maximum(found[1], _RAREST**3))


def pair_targets(tables: NoisyTables, ones: OneWays, joined: Forest, lean: float) -> Targets:
    """All that was measured, drawn a little to the forest, whose word stands for other pairs."""
    partition, total = tables.partition, ones.total
    columns = len(partition.columns)
    anchor = _ANCHOR**2 * tables.pair_variance if tables.pairs else tables.one_variance
    weight = np.full((columns, columns), total**2 / anchor)
    np.fill_diagonal(weight, 0.0)
    implied = joined.expected() / total
    pairs = implied.copy()
    for (i, j), noisy in tables.pairs.items():
        first, second = partition.block(i), partition.block(j)
        away = noisy - total * implied[:, first, second]
        share = beyond_noise(away, lean * tables.pair_variance * away.size)
        table = implied[:, first, second] + share * away / total
        pairs[:, first, second] = table
        pairs[:, second, first] = table.transpose(0, 2, 1)
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


class Filling:
    """Codes inside the coarse bins of one column, as its fine counts are spread."""

    def __init__(self, column: Merged, spread: Array, possible: Mask | None) -> None:
        fine, every = column.fine, np.arange(column.fine.bins)
        self.axis, self.column, self.spread = fine.axis, column, spread
        mask = np.ones(len(fine.place), bool) if possible is None else possible
        codes = np.arange(len(mask), dtype=np.int32)
        codes[codes >= fine.stop.max()] = MISSING  # in the last bin
        self._codes, inside = codes[mask], fine.place[mask]
        self._first = np.searchsorted(inside, every)
        last = np.maximum(np.searchsorted(inside, every, side="right"), self._first + 1)
        self._wide = last - self._first
        if not mask.all():  # how much of a bin is possible is said of all classes alike
            spread = spread.sum(axis=0, keepdims=True)
        by_class = np.zeros((len(spread), column.bins, fine.bins))
        by_class[:, column.group, every] = spread + 1e-9
        self._classes, self._bins = len(spread), column.bins
        weights = by_class.reshape(-1, fine.bins)
        self._weights = weights * (
            np.bincount(inside, minlength=fine.bins) / (fine.stop - fine.start)
        )
        self.share = (self._weights.sum(axis=1) / weights.sum(axis=1))[: column.bins]

        # Where every coarse bin is one fine bin, and that is one code, nothing is left to draw.
        self._only = np.argsort(column.group) if column.bins == fine.bins else None
        several = bool((self._wide > 1).any())
        self._each = None if several else self._codes[np.minimum(self._first, len(self._codes) - 1)]

    def codes(self, bins: Places, classes: Places, rng: np.random.Generator) -> Codes:
        """A code for each of these bins."""
        fine: Places
        if self._only is not None:
            fine = self._only[bins]
        else:
            if self._classes > 1:
                bins = classes.astype(np.int64) * self._bins + bins
            fine = draw_within(bins, self._weights, rng)
        if self._each is not None:
            return np.asarray(self._each[fine])
        # Evenly, but for a share of the codes over 2³², which nobody sees.
        place = rng.integers(0, 2**32, len(fine), np.uint32).astype(np.int64)
        place *= self._wide[fine]
        place >>= 32
        place += self._first[fine]
        return np.asarray(self._codes[np.minimum(place, len(self._codes) - 1, out=place)])
