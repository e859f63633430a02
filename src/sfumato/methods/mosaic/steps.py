"""What mosaic buys, step by step: fine tables first, then tables in bins found from them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt

import numpy as np

from sfumato.measure.codes import CodeCounts, CodeTables
from sfumato.measure.joint import JointCounts
from sfumato.measure.joint_table import JointTables
from sfumato.measure.tables import ClassTables, ColumnTables, PairChoice
from sfumato.methods.mosaic.division import Division, Shape, divided, records_or_common
from sfumato.methods.mosaic.first_division import divided_first
from sfumato.methods.mosaic.tabulated import Bought, by_cell, codes_of, deviation_of, is_wide
from sfumato.methods.mosaic.triple_steps import TripleSteps
from sfumato.numeric.arrays import Whole
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import ZCDP
from sfumato.privacy.mechanism import Event, Noise, Purse
from sfumato.privacy.sensitivity import Neighbours
from sfumato.render.bins import FineCounts
from sfumato.render.estimate import NoisyTables, one_ways
from sfumato.render.latent import Settings
from sfumato.render.mosaic import Deviations, fine_counts, merged, noisy_tables
from sfumato.schema.domain import Domain, Grid
from sfumato.synopsis.bins import Fine, Partition
from sfumato.synopsis.heavy import HeavyCodes
from sfumato.synopsis.tables import (
    ONE_WAY,
    RUN,
    TWO_WAY,
    Layout,
    MosaicSynopsis,
    coarse_partition,
    pairs_of,
)
from sfumato.table.records import Records
from sfumato.table.statistic import WholeSum

__all__ = ["REVISION", "Steps"]

REVISION = 2  # of bins, pairs and shares
_SWEPT = 0.6  # noise up to which drawn records are moved to the tables, whatever these tell
_TOLD = 0.2  # of the pairs, beyond: twice what noise alone tells
_MOST_FINE = 2**22  # cells of fine tables of pairs, above which records are read twice


@dataclass(frozen=True)
class Steps:
    """All steps, from public facts."""

    domain: Domain
    budget: Budget
    row_count: int | None  # public, or about how many there are
    revision: int = REVISION

    @cached_property
    def layout(self) -> Layout:
        """Columns, bins and classes."""
        return Layout.of(self.domain)

    @property
    def label(self) -> int | None:
        """The axis of the label, where there is one."""
        return self.layout.label

    @property
    def classes(self) -> int:
        """How many values the label has; 1 without one."""
        return self.layout.classes

    @cached_property
    def columns(self) -> tuple[Fine, ...]:
        """What is released, in as many fine bins as the noise allows."""
        every, shares = self.layout.columns.items(), self.division
        if self.revision == 1:
            return tuple(Fine.first(k, axis, shares.single) for k, axis in every)
        return tuple(Fine.of(k, axis, shares.single, shares.fine) for k, axis in every)

    @cached_property
    def wide(self) -> tuple[Fine, ...]:
        """Columns that need a fine table before they can be counted in bins."""
        return tuple(c for c in self.columns if is_wide(self.layout.columns[c.axis]))

    @cached_property
    def target(self) -> int | None:
        """The column that is to be predicted, where there is no label that is."""
        return self.layout.target

    @cached_property
    def division(self) -> Division:
        """The share of the budget that each step has."""
        records = records_or_common(self.row_count)
        touched = 1 if self.neighbours == "add-remove" else 2
        wide = sum(map(is_wide, self.layout.columns.values()))
        columns, cells = len(self.layout.columns), self.layout.cells
        number = self.target is not None and isinstance(self.domain.axes[self.target], Grid)
        codes = (codes_of(axis) for axis in self.layout.columns.values() if is_wide(axis))
        numbers = tuple(count for count in codes if count)
        shape = Shape(columns, wide, cells, records, touched, self.classes, number, numbers)
        return (divided_first if self.revision == 1 else divided)(self.budget, shape)

    @property
    def neighbours(self) -> Neighbours:
        """Between which tables the promise holds."""
        return self.domain.schema.neighbours

    @property
    def gaussian(self) -> bool:
        """Whether the noise is discrete Gaussian."""
        return isinstance(self.division.classes, ZCDP)

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """All pairs of columns, where all are measured."""
        every = self.division.pairs is not None and not self.division.chosen
        return pairs_of(len(self.columns)) if every else ()

    @cached_property
    def column_tables(self) -> ColumnTables | None:
        """The first purchase: fine tables of the wide columns."""
        if self.division.columns is None:
            return None
        # Under Laplace noise a second table costs as much again, more than runs are worth.
        run = RUN if self.gaussian else 1
        return ColumnTables(self.wide, run, self.neighbours, self.division.columns)

    @cached_property
    def coded(self) -> tuple[Fine, ...]:
        """Columns with more codes than single fine bins, where all codes are counted."""
        if self.division.codes is None:
            return ()
        axes = self.layout.columns
        return tuple(c for c in self.wide if codes_of(axes[c.axis]) > self.division.single)

    @cached_property
    def code_tables(self) -> CodeTables | None:
        """A purchase beside the first one: tables of all codes of these columns."""
        if self.division.codes is None:
            return None
        axes = [self.layout.columns[column.axis] for column in self.coded]
        counts = CodeCounts(
            tuple((c.axis, codes_of(axis)) for c, axis in zip(self.coded, axes, strict=True)),
            tuple(axis.missing for axis in axes),
            self.label,
            self.classes,
        )
        return CodeTables(counts, self.neighbours, self.division.codes)

    def class_tables(self, partition: Partition) -> ClassTables:
        """One-way tables within the classes."""
        tables = tuple((column,) for column in range(len(self.columns)))
        assert self.division.classes is not None  # noqa: S101  every division has this step
        return ClassTables(partition, tables, ONE_WAY, self.neighbours, self.division.classes)

    def pair_tables(
        self, partition: Partition, pairs: tuple[tuple[int, int], ...]
    ) -> ClassTables | None:
        """Two-way tables within the classes, of these pairs."""
        if self.division.pairs is None:
            return None
        return ClassTables(partition, pairs, TWO_WAY, self.neighbours, self.division.pairs)

    def pair_choice(self, partition: Partition) -> PairChoice | None:
        """The choice of pairs, where not all are measured."""
        if self.division.choice is None:
            return None
        return PairChoice(
            partition,
            self.division.chosen,
            self.neighbours,
            self.division.choice,
            self.target if self.revision > 1 else None,
            forest=self.revision == 1,
        )

    @cached_property
    def triples(self) -> TripleSteps | None:
        """The last steps, where there is a number to predict and budget for it."""
        shares = self.division
        if self.target is None or shares.triple_tables is None:
            return None
        return TripleSteps(
            self.unmerged,
            self.target,
            shares.triples,
            self.neighbours,
            shares.triple_choice,
            shares.triple_tables,
        )

    @cached_property
    def unmerged(self) -> Partition:
        """A partition of the right shape, for what needs no bins: prices."""
        groups = {column.axis: np.arange(column.bins) for column in self.columns}
        return coarse_partition(self.columns, groups, self.label, self.classes)

    @cached_property
    def counts(self) -> JointCounts:
        """NOT PRIVATE: what is counted first, of which all tables are sums.

        Where fine tables of pairs would be too large, or bins may be parts of fine ones, pairs
        wait until bins are found.
        """
        pairs = self.division.pairs is not None and self.division.codes is None
        fine = JointCounts(self.unmerged, pairs=pairs)
        return fine if fine.shape[0] <= _MOST_FINE else JointCounts(self.unmerged, pairs=False)

    @property
    def first(self) -> tuple[WholeSum, ...]:
        """NOT PRIVATE: all that is counted in the first pass."""
        codes = () if self.code_tables is None else (self.code_tables.counts,)
        return (self.counts, *codes)

    @cached_property
    def noises(self) -> tuple[Noise | None, Noise | None, Noise, Noise | None, Noise | None]:
        """Of fine, code, one-way, two-way and three-way tables."""
        # Which pairs will be chosen changes no price, how many there are does.
        some = ((0, 1),) * self.division.chosen or self.pairs
        pairs = self.pair_tables(self.unmerged, some)
        return (
            self.column_tables.noise if self.column_tables else None,
            self.code_tables.noise if self.code_tables else None,
            self.class_tables(self.unmerged).noise,
            pairs.noise if pairs else None,
            self.triples.noise if self.triples else None,
        )

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """All purchases, in order."""
        columns, codes, classes, pairs, _ = self.noises
        choice = self.pair_choice(self.unmerged)
        steps = (columns, codes, classes, choice, pairs)
        events = tuple(step.event for step in steps if step is not None)
        return (*events, *(self.triples.events if self.triples else ()))

    @property
    def rounds(self) -> tuple[int, ...]:
        """How many tables are bought at a time; none where some are chosen by their records."""
        first, later = (
            sum(noise is not None for noise in some) for some in (self.noises[:2], self.noises[2:])
        )
        if self.division.choice is not None or self.triples is not None:
            return ()
        return (first, later) if first else (later,)

    @property
    def longest(self) -> tuple[int, ...]:
        """How many entries the tables of each purchase have at most, whatever bins are found."""
        wide = {column.axis for column in self.wide}
        # Missing is no bin of the numbers: it stays by itself.
        bins = [
            min(c.bins, self.division.bins + (c.bins - c.ordered if c.ordered else 0))
            if c.axis in wide
            else c.bins
            for c in self.columns
        ]
        first = self.column_tables
        fine = sum(c.bins + c.runs(first.run) for c in first.columns) if first else None
        codes = self.code_tables.counts.shape[0] if self.code_tables else None
        one, two = sum(bins), sum(bins[i] * bins[j] for i, j in self.pairs)
        pairs = self.classes * two if self.pairs else None
        return tuple(n for n in (fine, codes, self.classes * one, pairs) if n is not None)

    @cached_property
    def deviations(self) -> Deviations:
        """Of one cell of each kind of table."""
        return Deviations(*(deviation_of(noise) for noise in self.noises))

    @property
    def settings(self) -> Settings:
        """How hard the latent classes are fitted."""
        noise = self.division.noise
        return Settings(
            pull=10 * 4**noise,
            steps=round(600 - 300 * noise),
            lean=(1 - noise) / 2,
            swept_from=0.0 if noise < _SWEPT else _TOLD,
        )

    def measure(self, records: Records, purse: Purse) -> MosaicSynopsis:
        """Two purchases: fine tables, then tables in bins that were found from the noisy first.

        Between the two only public numbers are looked at, so the second is planned and priced
        without a record; it goes back to the exact counts with bins in its hand, and to the
        records where they were not counted by pairs yet.  Triples, where there are any, are a
        third: chosen by what the noisy pairs do not explain, in bands that were found from them.
        """
        counted = JointTables(self.counts, records.fold(self.counts))
        codes = None if self.code_tables is None else records.fold(self.code_tables.counts)
        first = Bought(*self._fine_tables(counted, purse), self._heavy_codes(codes, purse))
        found, partition = self._bins_found(first)
        paired = self.division.pairs is not None
        if first.codes or (paired and not self.counts.pairs):
            again = JointCounts(partition, pairs=paired)
            counted = JointTables(again, records.fold(again))
        rows = counted.rows
        counts = counted.by_pair(partition) if paired else counted.by_class(partition)
        del counted  # as large as what was taken out of it
        synopsis = self._tables_in_bins(rows, counts, purse, first, found, partition)
        if self.triples is None:
            return synopsis
        del counts
        known, deviation = noisy_tables(synopsis, self.deviations), self.deviations.triples
        triples = self.triples.measure(known, deviation, records.fold, purse)
        return replace(synopsis, triples=triples)

    def _bins_found(self, first: Bought) -> tuple[dict[int, FineCounts], Partition]:
        """Post-processing: bins of about equal noisy counts; no record is seen here."""
        public = self.row_count if self.neighbours == "replace-one" else None
        found = fine_counts(
            self.columns,
            first.fine,
            first.runs,
            self.deviations.columns,
            public,
            first.codes,
            self.deviations.codes,
        )
        bins = tuple(merged(self.columns, found, self.division.bins))
        return found, Partition(bins, self.label, self.classes)

    def _tables_in_bins(
        self,
        rows: int,
        counts: Whole,
        purse: Purse,
        first: Bought,
        found: Mapping[int, FineCounts],
        partition: Partition,
    ) -> MosaicSynopsis:
        """The second purchase: one-way tables by class, then pairs of columns."""
        stated = rows if self.neighbours == "replace-one" else None
        flat = self.class_tables(partition).perturb(counts, purse)
        one = by_cell(flat, partition)
        chosen = self._chosen(partition, found, one, stated, counts, purse)
        pairs = chosen or self.pairs
        two = self.pair_tables(partition, pairs)
        noisy = {} if two is None else two.by_pair(two.perturb(counts, purse))
        states_bins = self.revision > 1
        tables = (first.fine, first.runs, one, noisy)
        return MosaicSynopsis(
            partition, stated, *tables, chosen, states_bins=states_bins, codes=first.codes
        )

    def _fine_tables(
        self, counted: JointTables, purse: Purse
    ) -> tuple[dict[int, Whole], dict[int, Whole]]:
        fine: dict[int, Whole] = {}
        runs: dict[int, Whole] = {}
        if self.column_tables is None:
            return fine, runs
        exact = [counted.columns[self.columns.index(column)] for column in self.wide]
        rest = self.column_tables.perturb(exact, purse)
        for column in self.wide:
            fine[column.axis], rest = np.split(rest, [column.bins])
            if count := column.runs(self.column_tables.run):
                runs[column.axis], rest = np.split(rest, [count])
        return fine, runs

    def _heavy_codes(self, counted: Whole | None, purse: Purse) -> dict[int, HeavyCodes]:
        if self.code_tables is None or counted is None:
            return {}
        found = {}
        for column, noisy in zip(self.coded, self.code_tables.perturb(counted, purse), strict=True):
            axis = self.layout.columns[column.axis]
            assert isinstance(axis, Grid)  # noqa: S101  categories have no such codes
            found[column.axis] = HeavyCodes.above(self.division.heavy, noisy, column, axis)
        return found

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
                (np.rint(table).astype(np.int64) for table in ones.independent()),
                np.rint(handicap).astype(np.int64),
                purse,
            )
        )
