"""mosaic: one- and two-way tables under noise, and records drawn to keep them all."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any, cast

import numpy as np
import pyarrow as pa

from sfumato.domain import Domain
from sfumato.errors import ParameterError, SchemaError
from sfumato.measure.tables import ColumnTables, PairChoice, PairTables, pair_counts
from sfumato.methods.mosaic_division import Division, Shape, divided, records_or_common
from sfumato.mosaic_synopsis import MosaicSynopsis, coarse_partition, pairs_of
from sfumato.options import whole
from sfumato.partition import Fine, Partition
from sfumato.plan import Method, Plan
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import ZCDP
from sfumato.privacy.mechanism import Event, Noise, Purse, Whole
from sfumato.privacy.sensitivity import Neighbours
from sfumato.render.bins import FineCounts
from sfumato.render.decode import Decoder
from sfumato.render.estimate import NoisyTables, one_ways
from sfumato.render.latent import Settings
from sfumato.render.mosaic import (
    RUN,
    Deviations,
    Model,
    fine_counts,
    merged,
    noisy_tables,
    sample,
)
from sfumato.table.records import Records

__all__ = ["METHOD"]

_MOST_LEVELS = 12  # of a category that is counted as it is
_MOST_CLASSES = 16  # of a label within which tables are counted
_MOST_LATENT = 800  # coarse bins for which latent classes are fitted unless one asks for them
_BINS, _FEW_BINS = 8, 6  # of a number, in two-way tables


@dataclass(frozen=True)
class _Mosaic:
    """All steps, from public facts."""

    domain: Domain
    budget: Budget
    records: int | None

    @cached_property
    def label(self) -> int | None:
        """The axis whose values every table is counted within, if there is one and few enough."""
        label = self.domain.label
        if label is None or len(self.domain.axes) == 1:
            return None
        return label if self.domain.axes[label].codes <= _MOST_CLASSES else None

    @property
    def classes(self) -> int:
        return 1 if self.label is None else self.domain.axes[self.label].codes

    @cached_property
    def columns(self) -> tuple[Fine, ...]:
        axes = enumerate(self.domain.axes)
        return tuple(Fine.of(i, axis) for i, axis in axes if i != self.label)

    @cached_property
    def wide(self) -> tuple[Fine, ...]:
        most = _MOST_LEVELS
        return tuple(c for c in self.columns if c.bins > (_BINS if c.ordered else most))

    @cached_property
    def division(self) -> Division:
        cells = sum(min(column.bins, _MOST_LEVELS) for column in self.columns)
        records = records_or_common(self.records)
        return divided(self.budget, Shape(len(self.columns), len(self.wide), cells, records))

    @property
    def neighbours(self) -> Neighbours:
        return self.domain.schema.neighbours

    @property
    def gaussian(self) -> bool:
        return isinstance(self.division.classes, ZCDP)

    @property
    def bins(self) -> int:
        return _BINS if self.gaussian and not self.division.noisy else _FEW_BINS

    @cached_property
    def column_tables(self) -> ColumnTables | None:
        if self.division.columns is None:
            return None
        # Under Laplace noise a second table costs as much again, more than runs are worth.
        run = RUN if self.gaussian else 1
        return ColumnTables(self.wide, run, self.neighbours, self.division.columns)

    def class_tables(self, partition: Partition) -> PairTables:
        tables = tuple((column,) for column in range(len(self.columns)))
        assert self.division.classes is not None  # noqa: S101  every division has this step
        return PairTables(partition, tables, "classes", self.neighbours, self.division.classes)

    def pair_tables(
        self, partition: Partition, pairs: tuple[tuple[int, int], ...]
    ) -> PairTables | None:
        if self.division.pairs is None:
            return None
        return PairTables(partition, pairs, "pairs", self.neighbours, self.division.pairs)

    def pair_choice(self, partition: Partition) -> PairChoice | None:
        if self.division.choice is None:
            return None
        return PairChoice(partition, self.division.chosen, self.neighbours, self.division.choice)

    @cached_property
    def unmerged(self) -> Partition:
        """A partition of the right shape, for what needs no bins: prices."""
        groups = {column.axis: np.arange(column.bins) for column in self.columns}
        return coarse_partition(self.columns, groups, self.label, self.classes)

    @cached_property
    def noises(self) -> tuple[Noise | None, Noise, Noise | None]:
        some = pairs_of(len(self.columns))
        some = some[: self.division.chosen] if self.division.chosen else some
        pairs = self.pair_tables(self.unmerged, some)
        return (
            self.column_tables.noise if self.column_tables else None,
            self.class_tables(self.unmerged).noise,
            pairs.noise if pairs else None,
        )

    @cached_property
    def events(self) -> tuple[Event, ...]:
        columns, classes, pairs = self.noises
        choice = self.pair_choice(self.unmerged)
        steps = (columns, classes, choice, pairs)
        return tuple(step.event for step in steps if step is not None)

    @cached_property
    def deviations(self) -> Deviations:
        return Deviations(*(deviation(noise) for noise in self.noises))

    @property
    def settings(self) -> Settings:
        return Settings(pull=40.0, steps=300) if self.division.noisy else Settings()

    def measure(self, records: Records, purse: Purse) -> MosaicSynopsis:
        """Wide columns first; their noisy tables say how the others are counted."""
        fine, runs = self._fine(records, purse)
        public = self.records if self.neighbours == "replace-one" else None
        found = fine_counts(self.columns, fine, runs, self.deviations.columns, public)
        partition = Partition(
            tuple(merged(self.columns, found, self.bins)), self.label, self.classes
        )
        rows, counts = pair_counts(records, partition)
        stated = rows if self.neighbours == "replace-one" else None
        flat = self.class_tables(partition).perturb(counts, purse)
        one = _by_cell(flat, partition)
        chosen = self._chosen(partition, found, one, stated, counts, purse)
        pairs = chosen or pairs_of(len(self.columns))
        tables = self.pair_tables(partition, pairs)
        noisy = {} if tables is None else _by_pair(tables.perturb(counts, purse), partition, pairs)
        return MosaicSynopsis(partition, stated, fine, runs, one, noisy, chosen)

    def _fine(self, records: Records, purse: Purse) -> tuple[dict[int, Whole], dict[int, Whole]]:
        fine: dict[int, Whole] = {}
        runs: dict[int, Whole] = {}
        if self.column_tables is None:
            return fine, runs
        rest = self.column_tables.perturb(records, purse)
        for column in self.wide:
            fine[column.axis], rest = np.split(rest, [column.bins])
            if self.column_tables.run > 1:
                count = -(-column.bins // self.column_tables.run)
                runs[column.axis], rest = np.split(rest, [count])
        return fine, runs

    def _chosen(
        self,
        partition: Partition,
        found: Mapping[int, FineCounts],
        one: Whole,
        rows: int | None,
        counts: Whole,
        purse: Purse,
    ) -> tuple[tuple[int, int], ...]:
        choice = self.pair_choice(partition)
        if choice is None:
            return ()
        variance = self.deviations.classes**2
        known = NoisyTables(partition, found, one.astype(np.float64), variance, rows=rows)
        ones = one_ways(known)
        size = ones.classes[:, None, None]
        expected = ones.counts[:, :, None] * ones.counts[:, None, :] / size
        # What the noise of its own table would add to a pair's distance speaks against it.
        bins = np.diff(partition.offset)
        handicap = sqrt(2 / np.pi) * self.deviations.pairs * self.classes * np.outer(bins, bins)
        return tuple(
            choice.perturb(
                counts,
                np.rint(expected).astype(np.int64),
                np.rint(handicap).astype(np.int64),
                purse,
            )
        )


def deviation(noise: Noise | None) -> float:
    """Of one cell."""
    if noise is None:
        return 0.0
    size = float(noise.event.noise or 0)
    return sqrt(size) if noise.event.mechanism == "discrete-gaussian" else sqrt(2) * size


def _by_cell(flat: Whole, partition: Partition) -> Whole:
    """Column after column, class by class, as one row per class."""
    ends = np.cumsum(np.diff(partition.offset) * partition.classes)[:-1]
    return np.hstack([t.reshape(partition.classes, -1) for t in np.split(flat, ends)])


def _by_pair(
    flat: Whole, partition: Partition, pairs: tuple[tuple[int, int], ...]
) -> dict[tuple[int, int], Whole]:
    bins = np.diff(partition.offset)
    shapes = [(partition.classes, int(bins[i]), int(bins[j])) for i, j in pairs]
    ends = np.cumsum([np.prod(shape) for shape in shapes])[:-1]
    parts = np.split(flat, ends)
    return {pair: p.reshape(s) for pair, p, s in zip(pairs, parts, shapes, strict=True)}


def plan(
    domain: Domain, budget: Budget, records: int | str | None = None, model: str | None = None
) -> Plan:
    """Wide columns, then all columns by class, then pairs: all of them or chosen ones."""
    if not domain.axes:
        raise SchemaError("no column is released: declare at least one that is not an id")
    if model not in (None, "latent", "forest"):
        raise ParameterError(f"model must be latent or forest, got {model!r}")
    known = None if records is None else whole("records", records, 2**40, "about how many")
    what = _Mosaic(domain, budget, known)
    for noise in what.noises:
        if noise is not None:
            noise.check(1)
    cells = sum(min(column.bins, _MOST_LEVELS) for column in what.columns)
    used = cast(Model, model or ("latent" if cells <= _MOST_LATENT else "forest"))
    public = domain.schema.neighbours == "replace-one"

    def render(
        synopsis: MosaicSynopsis, rows: int | None, rng: np.random.Generator
    ) -> Iterator[pa.RecordBatch]:
        drawn = sample(
            noisy_tables(synopsis, what.deviations),
            model=used,
            chosen=bool(synopsis.chosen),
            settings=what.settings,
            rows=rows if rows is not None else synopsis.rows,
            rng=rng,
        )
        order = [column.axis for column in what.columns]
        order += [] if what.label is None else [what.label]
        place = np.argsort(order)
        return Decoder(domain).batches(codes[:, place] for codes in drawn)

    def again(count: int) -> Plan:
        return plan(domain, budget, count, model)

    return Plan(
        method=METHOD.name,
        domain=domain,
        budget=budget,
        events=what.events,
        measure=what.measure,
        render=render,
        recount=lambda synopsis: _recount(what, synopsis),
        options={"records": known, "model": used},
        sized=None if known is not None or not public else again,
        invariants=("the number of records",) if public else (),
        limits=(
            "One- and two-way tables are kept, within the values of the label where there is "
            "one; dependence among three and more columns only as far as these imply it.",
        ),
    )


def _recount(what: _Mosaic, synopsis: Mapping[str, Any]) -> tuple[Event, ...]:
    """The events, which no outcome changes; refused if the tables cannot be theirs."""
    MosaicSynopsis.from_json(synopsis, what.columns, what.label, what.classes)
    return what.events


METHOD = Method(
    name="mosaic",
    summary="Keeps all one- and two-way tables, within the classes of a label; the default.",
    promise="epsilon-DP, (epsilon, delta)-DP or rho-zCDP",
    source="this project; after MST (McKenna et al. 2021) and latent class analysis",
    proof="proofs/mosaic.md",
    plan=plan,
    options={
        "records": "about how many records there are, where that is private; sets the shares",
        "model": "latent (classes, default for up to 800 bins) or forest (joined pairs)",
    },
)
