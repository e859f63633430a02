"""What mosaic buys of persons: fine tables and steps, then tables in bins found from these."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from sfumato.measure.panel import PanelCounts, PanelTables
from sfumato.measure.tables import PairChoice, in_runs
from sfumato.methods.mosaic.division import Part, records_or_common
from sfumato.methods.mosaic.people_division import PeopleDivision, PeopleShape, divided_people
from sfumato.methods.mosaic.tabulated import deviation_of, is_wide
from sfumato.numeric.arrays import Whole
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import ZCDP
from sfumato.privacy.mechanism import Event, Purse
from sfumato.privacy.sensitivity import Neighbours
from sfumato.render.bins import FineCounts
from sfumato.render.estimate import NoisyTables, one_ways
from sfumato.render.panel.measured import PanelDeviations, fine_of_panel, in_bins
from sfumato.schema.domain import Domain
from sfumato.synopsis.bins import Fine, Partition
from sfumato.synopsis.flat_people import FlatPeople
from sfumato.synopsis.panel import NEXT, OTHER, STAYING, STEPS, PanelSynopsis, Spec
from sfumato.synopsis.tables import (
    ONE_WAY,
    RUN,
    TWO_WAY,
    Layout,
    MosaicSynopsis,
    coarse_partition,
    pairs_of,
)
from sfumato.synopsis.triples import Pair
from sfumato.table.people.people import People
from sfumato.table.people.ticket import mass

__all__ = ["PeopleSteps"]

_FEW_RUNS = 8
_HANDICAP = 0.3  # of the noise of a pair's own table, that speaks against choosing it


@dataclass(frozen=True)
class PeopleSteps:
    """All steps, from public facts."""

    domain: Domain  # of the schema
    budget: Budget
    persons: int | None  # public, or about how many there are

    @cached_property
    def flat(self) -> FlatPeople:
        """The columns that are counted."""
        return FlatPeople.of(self.domain)

    @cached_property
    def layout(self) -> Layout:
        """The flat columns as one table."""
        return Layout.of(self.flat.domain)

    @property
    def whole(self) -> int:
        """The tickets of a person."""
        return mass(self.flat.people.rows)

    @property
    def neighbours(self) -> Neighbours:
        """Between which tables the promise holds."""
        return self.domain.schema.neighbours

    @property
    def gaussian(self) -> bool:
        """Whether the noise is discrete Gaussian."""
        return isinstance(self.division.one, ZCDP)

    @cached_property
    def division(self) -> PeopleDivision:
        """The share of the budget that each step has."""
        axes, flat = self.flat.domain.axes, self.flat
        shape = PeopleShape(
            columns=len(axes),
            in_runs=sum(Fine.of(j, axes[j]).ordered > _FEW_RUNS * RUN for j in self.wide),
            varying=len(flat.rows) - (flat.order is not None),
            numbers=len(flat.numbers),
            cells=self.layout.cells,
            persons=records_or_common(self.persons),
            moved=1 if self.neighbours == "add-remove" else 2,
            constants=flat.count,
        )
        return divided_people(self.budget, shape)

    @cached_property
    def columns(self) -> tuple[Fine, ...]:
        """Flat columns, in as many fine bins as the noise allows."""
        shares, axes = self.division, self.flat.domain.axes
        return tuple(Fine.of(j, axis, shares.single, shares.most) for j, axis in enumerate(axes))

    @cached_property
    def wide(self) -> tuple[int, ...]:
        """Columns with more values than two-way tables have bins."""
        return tuple(j for j, axis in enumerate(self.flat.domain.axes) if is_wide(axis))

    @cached_property
    def run(self) -> int:
        """Fine bins in a run; under Laplace noise runs cost more than they are worth."""
        return RUN if self.gaussian else 1

    @cached_property
    def in_runs(self) -> tuple[int, ...]:
        """Columns of many fine bins, of which runs are counted, too: of few, bins say it all."""
        if self.run == 1:
            return ()
        return tuple(j for j in self.wide if self.columns[j].ordered > _FEW_RUNS * RUN)

    @cached_property
    def varying(self) -> tuple[int, ...]:
        """Columns of rows of which two rows of a person are looked at."""
        return tuple(j for j in self.flat.rows if j != self.flat.order)

    @cached_property
    def unmerged(self) -> Partition:
        """Fine bins as they are."""
        groups = {column.axis: np.arange(column.bins) for column in self.columns}
        return coarse_partition(self.columns, groups, None, 1)

    def _tables(self, statistic: str, tables: int, part: Part | None) -> PanelTables | None:
        if part is None or not tables:
            return None
        return PanelTables(statistic, tables, self.whole, self.neighbours, part)

    @cached_property
    def bought(self) -> dict[str, PanelTables | None]:
        """All tables, by kind."""
        shares = self.division
        in_all = len(self.columns) + len(self.in_runs)
        every = len(pairs_of(len(self.columns)))
        some = len(self.fixed) + shares.chosen if shares.chosen else every
        pairs = 0 if shares.pairs is None else some
        return {
            ONE_WAY: self._tables(ONE_WAY, in_all, shares.one),
            STEPS: self._tables(STEPS, len(self.flat.numbers), shares.steps),
            TWO_WAY: self._tables(TWO_WAY, pairs, shares.pairs),
            NEXT: self._tables(NEXT, len(self.varying), shares.next),
            OTHER: self._tables(OTHER, len(self.varying), shares.other),
            STAYING: self._tables(STAYING, 1, shares.staying),
        }

    @cached_property
    def fixed(self) -> tuple[Pair, ...]:
        """Pairs that are measured whatever is chosen: what persons are, and how many rows."""
        if not self.division.chosen:
            return ()
        return tuple((j, self.flat.count) for j in range(self.flat.count))

    def pair_choice(self, partition: Partition) -> PairChoice | None:
        """The choice of pairs, where not all are measured."""
        shares = self.division
        if shares.choice is None:
            return None
        return PairChoice(
            partition,
            shares.chosen,
            self.neighbours,
            shares.choice,
            self.layout.target,
            unit=self.whole,
            known=self.fixed,
        )

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """All purchases, in order."""
        paid = {kind: [one.noise.event] if one else [] for kind, one in self.bought.items()}
        choice = self.pair_choice(self.unmerged)
        chosen = [] if choice is None else [choice.event]
        return (
            *paid[ONE_WAY],
            *paid[STEPS],
            *chosen,
            *paid[TWO_WAY],
            *paid[NEXT],
            *paid[OTHER],
            *paid[STAYING],
        )

    @cached_property
    def deviations(self) -> PanelDeviations:
        """Of one cell of each kind of table, in persons."""
        found = {
            kind: deviation_of(None if one is None else one.noise)
            for kind, one in self.bought.items()
        }
        kinds = (ONE_WAY, TWO_WAY, NEXT, OTHER, STEPS, STAYING)
        return PanelDeviations(*(found[kind] for kind in kinds))

    def measure(self, people: People, purse: Purse) -> PanelSynopsis:
        """Two purchases: columns and steps, then tables in bins found from the noisy first."""
        stepped = self.flat.numbers if self.bought[STEPS] else ()
        every_column = range(len(self.columns))
        specs = [Spec("one", (j,)) for j in every_column] + [Spec("step", (j,)) for j in stepped]
        first = PanelCounts(self.flat, self.unmerged, tuple(specs))
        exact = first.split(people.fold(first)[0])
        fine, runs = self._fine(exact[: len(self.columns)], purse)
        steps = self._paid(STEPS, exact[len(self.columns) :], purse)
        public = people.persons if self.neighbours == "replace-one" else None
        found = fine_of_panel(
            self.flat, self.columns, fine, runs, self.deviations, self.whole, public
        )
        partition = in_bins(self.flat, self.columns, found, self.wide, self.division.bins)
        every = pairs_of(len(self.columns)) if self.bought[TWO_WAY] else ()
        two = self.varying if self.bought[NEXT] else ()
        specs = [Spec("pair", pair) for pair in every]
        specs += [Spec(kind, (j,)) for kind in ("next", "other") for j in two]
        stays = [Spec("stay", self.varying)] if self.bought[STAYING] else []
        specs += stays
        second = PanelCounts(self.flat, partition, tuple(specs))
        tables = dict(zip(specs, second.split(people.fold(second)[0]), strict=True))
        exact_pairs = {pair: tables[Spec("pair", pair)] for pair in every}
        chosen = self._chosen(partition, found, exact_pairs, public, purse)
        pairs = (*self.fixed, *chosen) if chosen else every
        noisy = self._paid(TWO_WAY, [exact_pairs[pair] for pair in pairs], purse)
        following = self._paid(NEXT, [tables[Spec("next", (j,))] for j in two], purse)
        others = self._paid(OTHER, [tables[Spec("other", (j,))] for j in two], purse)
        staying = self._paid(STAYING, [tables[spec] for spec in stays], purse)
        flat = MosaicSynopsis(
            partition,
            public,
            fine,
            runs,
            None,
            {pair: table[None] for pair, table in zip(pairs, noisy, strict=True)},
            chosen,
        )
        return PanelSynopsis(
            self.whole,
            flat,
            dict(zip(two, following, strict=True)),
            dict(zip(two, others, strict=True)),
            dict(zip(stepped, steps, strict=True)),
            staying[0] if staying else None,
        )

    def _paid(self, kind: str, exact: list[Whole], purse: Purse) -> list[Whole]:
        tables = self.bought[kind]
        return [] if tables is None else tables.perturb(exact, purse)

    def _fine(self, exact: list[Whole], purse: Purse) -> tuple[dict[int, Whole], dict[int, Whole]]:
        """Fine tables, and sums of their neighbouring bins that are measured apart."""
        columns = self.columns
        runs = [in_runs(exact[j][: columns[j].ordered], self.run) for j in self.in_runs]
        noisy = self._paid(ONE_WAY, [*exact, *runs], purse)
        fine = dict(enumerate(noisy[: len(exact)]))
        return fine, dict(zip(self.in_runs, noisy[len(exact) :], strict=True))

    def _chosen(
        self,
        partition: Partition,
        found: Mapping[int, FineCounts],
        exact: Mapping[Pair, Whole],
        persons: int | None,
        purse: Purse,
    ) -> tuple[Pair, ...]:
        choice = self.pair_choice(partition)
        if choice is None:
            return ()
        known = NoisyTables(
            partition,
            found,
            None,
            max(self.deviations.one**2, 1e-9),
            rows=persons,
        )
        bins = np.diff(partition.offset)
        noise = _HANDICAP * sqrt(2 / np.pi) * self.deviations.pairs * np.outer(bins, bins)
        counts = np.zeros((1, partition.cells, partition.cells), np.int64)
        for (i, j), table in exact.items():
            counts[0, partition.block(i), partition.block(j)] = table
        expected = (
            np.triu(np.rint(self.whole * table).astype(np.int64))
            for table in one_ways(known).independent()
        )
        handicap = np.rint(self.whole * noise).astype(np.int64)
        return tuple(choice.perturb(counts, expected, handicap, purse))
