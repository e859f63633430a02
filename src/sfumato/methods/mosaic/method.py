"""mosaic: one- and two-way tables under noise, and records drawn to keep them all."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from types import NoneType
from typing import Any, cast

import numpy as np
import pyarrow as pa

from sfumato.errors import ParameterError, ReleaseError, SchemaError
from sfumato.measure.tables import ColumnTables, PairChoice, PairTables, pair_counts
from sfumato.methods.mosaic.division import Division, Shape, divided, records_or_common
from sfumato.plan import Method, Plan
from sfumato.plan.options import whole
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import ZCDP
from sfumato.privacy.mechanism import Event, Noise, Purse, Whole
from sfumato.privacy.sensitivity import Neighbours
from sfumato.render.bins import FineCounts
from sfumato.render.constrained import STATEMENT
from sfumato.render.decode import Decoder
from sfumato.render.estimate import NoisyTables, OneWays, one_ways
from sfumato.render.latent import Settings
from sfumato.render.mosaic import (
    Deviations,
    Model,
    fine_counts,
    merged,
    noisy_tables,
    sample,
)
from sfumato.render.rules import Rules
from sfumato.render.where import given, written
from sfumato.schema.domain import Domain
from sfumato.synopsis.bins import Fine, Partition
from sfumato.synopsis.tables import (
    MOST_LEVELS,
    ONE_WAY,
    RUN,
    TWO_WAY,
    Layout,
    MosaicSynopsis,
    coarse_partition,
    is_forest,
    pairs_of,
)
from sfumato.table.records import Records

__all__ = ["METHOD"]

_MOST_LATENT = 200  # coarse bins for which latent classes are fitted unless one asks for them
_NARROW = 8  # bins of a number that need no fine table of their own
_BINS = {"gaussian": 10, "laplace": 7, "noisy": 6}  # of a number, in two-way tables
_LEAST_DEVIATION = 1e-3  # of a cell, in records


@dataclass(frozen=True)
class _Mosaic:
    """All steps, from public facts."""

    domain: Domain
    budget: Budget
    records: int | None

    @cached_property
    def layout(self) -> Layout:
        return Layout.of(self.domain)

    @property
    def label(self) -> int | None:
        return self.layout.label

    @property
    def classes(self) -> int:
        return self.layout.classes

    @property
    def columns(self) -> tuple[Fine, ...]:
        return self.layout.columns

    @cached_property
    def wide(self) -> tuple[Fine, ...]:
        most = MOST_LEVELS
        return tuple(c for c in self.columns if c.bins > (_NARROW if c.ordered else most))

    @cached_property
    def division(self) -> Division:
        records = records_or_common(self.records)
        touched = 1 if self.neighbours == "add-remove" else 2
        shape = Shape(len(self.columns), len(self.wide), self.layout.cells, records, touched)
        return divided(self.budget, shape)

    @property
    def neighbours(self) -> Neighbours:
        return self.domain.schema.neighbours

    @property
    def gaussian(self) -> bool:
        return isinstance(self.division.classes, ZCDP)

    @property
    def bins(self) -> int:
        if self.division.noisy:
            return _BINS["noisy"]
        return _BINS["gaussian" if self.gaussian else "laplace"]

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """All pairs of columns, where all are measured."""
        every = self.division.pairs is not None and not self.division.chosen
        return pairs_of(len(self.columns)) if every else ()

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
        return PairTables(partition, tables, ONE_WAY, self.neighbours, self.division.classes)

    def pair_tables(
        self, partition: Partition, pairs: tuple[tuple[int, int], ...]
    ) -> PairTables | None:
        if self.division.pairs is None:
            return None
        return PairTables(partition, pairs, TWO_WAY, self.neighbours, self.division.pairs)

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
        # Which pairs will be chosen changes no price, how many there are does.
        some = ((0, 1),) * self.division.chosen or self.pairs
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
        return Settings(pull=40.0, steps=300, lean=0.0) if self.division.noisy else Settings()

    def measure(self, records: Records, purse: Purse) -> MosaicSynopsis:
        """Wide columns first; their noisy tables say how the others are counted."""
        fine, runs = self._fine(records, purse)
        public = self.records if self.neighbours == "replace-one" else None
        found = fine_counts(self.columns, fine, runs, self.deviations.columns, public)
        partition = Partition(
            tuple(merged(self.columns, found, self.bins)), self.label, self.classes
        )
        rows, counts = pair_counts(records, partition, pairs=self.division.pairs is not None)
        stated = rows if self.neighbours == "replace-one" else None
        flat = self.class_tables(partition).perturb(counts, purse)
        one = _by_cell(flat, partition)
        chosen = self._chosen(partition, found, one, stated, counts, purse)
        pairs = chosen or self.pairs
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
            if count := column.runs(self.column_tables.run):
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
        # What the noise of its own table would add to a pair's distance speaks against it.
        bins = np.diff(partition.offset)
        handicap = sqrt(2 / np.pi) * self.deviations.pairs * self.classes * np.outer(bins, bins)
        return tuple(
            choice.perturb(
                counts,
                _independent(ones),
                np.rint(handicap).astype(np.int64),
                purse,
            )
        )


def _independent(ones: OneWays) -> Iterator[Whole]:
    """The counts of any two cells if columns were independent; one class at a time, for memory."""
    for row, size in zip(ones.counts, ones.classes, strict=True):
        table = np.outer(row, row)
        table /= size
        yield np.rint(table, out=table).astype(np.int64)


def deviation(noise: Noise | None) -> float:
    """Of one cell; of noise that is nearly always nothing, what can still be divided by."""
    if noise is None:
        return 0.0
    size = float(noise.event.noise or 0)
    exact = sqrt(size) if noise.event.mechanism == "discrete-gaussian" else sqrt(2) * size
    return max(exact, _LEAST_DEVIATION)


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
    domain: Domain,
    budget: Budget,
    records: int | str | None = None,
    model: str | None = None,
    where: str | Mapping[str, Any] | None = None,
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
    try:
        events = what.events
    except ParameterError:  # the price of one draw, which is rounded down, is nothing
        raise ParameterError(
            f"the budget is too small to choose {what.division.chosen} pairs of columns with it: "
            "raise rho, or release fewer columns"
        ) from None
    used = cast(Model, model or ("latent" if what.layout.cells <= _MOST_LATENT else "forest"))
    public = domain.schema.neighbours == "replace-one"
    asked = written(domain, where)
    codes = given(domain, asked)
    rules = Rules.of(domain, codes)

    def render(
        synopsis: MosaicSynopsis, rows: int | None, rng: np.random.Generator
    ) -> Iterator[pa.RecordBatch]:
        drawn = sample(
            noisy_tables(synopsis, what.deviations),
            model=used,
            chosen=bool(synopsis.chosen),
            settings=what.settings,
            rows=rows,
            rules=rules,
            given=codes,
            rng=rng,
        )
        return Decoder(domain).batches(drawn)

    def again(count: int) -> Plan:
        return plan(domain, budget, count, model, where)

    return Plan(
        method=METHOD.name,
        domain=domain,
        budget=budget,
        events=events,
        measure=what.measure,
        render=render,
        recount=lambda synopsis: _recount(what, synopsis),
        options={"records": known, "model": used} | ({"where": asked} if asked else {}),
        sized=again if public else None,
        # The weighted mean of what the columns say is no noisier than the widest of them.
        summed=what.classes * max(min(column.bins, MOST_LEVELS) for column in what.columns),
        invariants=("the number of records",) if public else (),
        limits=(
            "One- and two-way tables are kept, within the values of the label where there is "
            "one; dependence among three and more columns only as far as these imply it.",
            *((_only(asked),) if asked else ()),
            *((STATEMENT,) if domain.schema.constraints else ()),
        ),
    )


def _only(asked: Mapping[str, str]) -> str:
    conditions = ", ".join(f"{name}={text}" for name, text in asked.items())
    return (
        f"Only records with {conditions} were drawn, as the model has them: shares are shares "
        "among these, and how many rows there are was estimated or asked for."
    )


def _recount(what: _Mosaic, synopsis: Mapping[str, Any]) -> tuple[Event, ...]:
    """The events, which no outcome changes; refused if the tables cannot be theirs."""
    found = MosaicSynopsis.from_json(synopsis, what.layout)
    tables, chosen = what.column_tables, found.chosen
    public = what.records if what.neighbours == "replace-one" else None
    wide, run = ((), 1) if tables is None else (tables.columns, tables.run)
    fine = {column.axis: column.bins for column in wide}
    runs = {column.axis: column.runs(run) for column in wide if column.runs(run)}
    if (
        {axis: len(table) for axis, table in found.fine.items()} != fine
        or {axis: len(table) for axis, table in found.runs.items()} != runs
        or any(c.bins < c.fine.bins for c in found.partition.columns if c.fine.axis not in fine)
        or found.one is None
        or tuple(found.pairs) != (chosen or what.pairs)
        or len(chosen) != what.division.chosen
        or not is_forest(chosen, len(what.columns))
        or type(found.rows) is not (NoneType if what.neighbours == "add-remove" else int)
        or found.rows != public
        # As text, because in Python true is 1 and would pass for a count.
        or json.dumps(found.to_json(), sort_keys=True) != json.dumps(synopsis, sort_keys=True)
    ):
        raise ReleaseError("the synopsis does not hold the tables that its plan calls for")
    return what.events


METHOD = Method(
    name="mosaic",
    summary="Keeps all one- and two-way tables, within the classes of a label; the default.",
    promise="epsilon-DP, (epsilon, delta)-DP or rho-zCDP",
    source="this project; after MST (McKenna et al. 2021) and latent class analysis",
    proof="proofs/mosaic.md",
    plan=plan,
    options={
        "records": "about how many there are, where that is private (else they are counted)",
        "model": "latent (classes, default for up to 200 bins) or forest (joined pairs)",
        "where": "only records with these values, as in sex=f,age=18..30; costs nothing",
    },
    keeps_constraints=True,
)
