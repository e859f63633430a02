"""Persons and their rows, drawn from noisy tables: post-processing, no record is seen here.

Latent classes are fitted to the tables of flat rows; a person has one class, so tables of two
rows of a person are what the model says of a column and itself.  Persons get a class, constants
and a number of rows; rows are drawn from the class, put in order, and moved to the tables
(`sfumato.render.panel.sweeps`); then each value is drawn inside its bin.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt

import numpy as np

from sfumato.numeric.arrays import Array, Codes, Vector, Whole
from sfumato.render.denoised import Denoised
from sfumato.render.estimate import NoisyTables, OneWays, one_ways
from sfumato.render.forest import forest
from sfumato.render.latent import Mixture, Settings, fit
from sfumato.render.mosaic import Filling, fillings, pair_targets
from sfumato.render.panel.fill import filled
from sfumato.render.panel.measured import PanelDeviations, tables_in_persons
from sfumato.render.panel.people_rules import PeopleRules
from sfumato.render.panel.step import Tilt, tilt_of
from sfumato.render.panel.sweeps import FREE, RISING, STRICT, PanelSweeps
from sfumato.render.panel.two_rows import of_two_rows
from sfumato.render.panel_drawing import DrawnPersons, PanelDrawing
from sfumato.render.systematic import draw, draw_within
from sfumato.schema.domain import Axis, Grid
from sfumato.synopsis.flat_people import FlatPeople
from sfumato.synopsis.panel import NEXT, OTHER, PanelSynopsis

__all__ = ["sample_people"]

_PART = 2**13  # persons
_RAREST = 1e-5  # of all rows: a bin that is not ruled out
_TIES = 0.03  # of all steps, above which rows of one person may have the same time


def sample_people(
    synopsis: PanelSynopsis,
    flat: FlatPeople,
    deviations: PanelDeviations,
    settings: Settings,
    persons: int | None,
    rng: np.random.Generator,
) -> PanelDrawing:
    """So many persons, or as many as there are."""
    tables = tables_in_persons(synopsis, flat, deviations)
    ones = one_ways(tables)
    if persons is None:
        persons = round(ones.total) if tables.rows is None else tables.rows
    model = _Fitting(synopsis, flat, deviations, tables, ones).model(settings, rng)
    return PanelDrawing.of(model, persons, _PART, rng)


@dataclass(frozen=True, eq=False)
class _Persons:
    """What the persons of a release are drawn from."""

    flat: FlatPeople
    weight: Vector  # of classes, among persons
    chance: Array  # by class and cell
    number: Array  # of rows: by bin and number
    sweeps: PanelSweeps
    fill: tuple[Filling, ...]
    tilts: dict[int, Tilt]
    distinct: bool  # whether no two rows of a person have the same time
    rules: PeopleRules

    def __call__(self, _start: int, count: int, rng: np.random.Generator) -> DrawnPersons:
        flat, offset = self.flat, self.sweeps.offset
        kind = draw(self.weight, count, rng).astype(np.int64)

        def drawn(j: int, classes: Whole) -> Whole:
            block = self.chance[:, offset[j] : offset[j + 1]]
            if j > flat.count and (barred := self.sweeps.barred[j - flat.count - 1]) >= 0:
                block = block + _RAREST**2  # of classes without rows any other bin will do
                block[:, barred] = 0.0
            return draw_within(classes, block, rng).astype(np.int64)

        ours = [drawn(j, kind) for j in range(flat.count + 1)]
        counts = self._possible(draw_within(ours[flat.count], self.number, rng).astype(np.int64))
        each = np.maximum(counts, 1)
        start, owner = np.append(0, np.cumsum(each)), np.repeat(np.arange(count), each)
        bins = np.empty((len(owner), len(offset) - 1), np.int64)
        for j in range(bins.shape[1]):
            bins[:, j] = ours[j][owner] if j <= flat.count else drawn(j, kind[owner])
        for place, j in enumerate(self.sweeps.columns.tolist()):
            if self.sweeps.rule[place] == STRICT:
                bins[:, j] = self._times(j, kind, each, rng)
            elif self.sweeps.rule[place] == RISING:
                known = np.flatnonzero(bins[:, j] != self.sweeps.missing[place])
                order = np.lexsort((bins[known, j], owner[known]))
                bins[known, j] = bins[known, j][order]
        there = np.repeat(counts > 0, each)
        for j in flat.rows:  # who has no row is counted with one in which all is missing
            bins[~there, j] = self.fill[j].column.group[-1]
        bins = self.sweeps.moved(bins, start, np.flatnonzero(there), rng)
        constants = np.empty((count, flat.count), np.int32, order="F")
        for j in range(flat.count):
            constants[:, j] = self.fill[j].codes(ours[j], np.zeros(count, np.int64), rng)
        rows = self._rows(bins, start, rng)[there]
        return self.rules.kept(DrawnPersons(constants, counts, np.asfortranarray(rows)), rng)

    def _rows(self, bins: Whole, start: Whole, rng: np.random.Generator) -> Codes:
        """Codes inside the bins of rows."""
        flat = self.flat
        rows = np.empty((len(bins), len(flat.rows)), np.int32, order="F")
        for place, j in enumerate(flat.rows):
            axis, rising = flat.domain.axes[j], bool(self.sweeps.rule[place] != FREE)
            apart = axis.points if j == flat.order and isinstance(axis, Grid) else None
            rows[:, place] = filled(
                self.fill[j],
                bins[:, j],
                start,
                self.tilts.get(j),
                rng,
                rising=rising,
                distinct=apart if self.distinct else None,
            )
        return rows

    def _possible(self, counts: Whole) -> Whole:
        """No more rows than there are times, where each has its own; one at least in one table."""
        axis = None if self.flat.order is None else self.flat.domain.axes[self.flat.order]
        if self.distinct and isinstance(axis, Grid):
            counts = np.minimum(counts, axis.points + 1)
        return counts if self.flat.people.linked else np.maximum(counts, 1)

    def _times(self, j: int, kind: Whole, each: Whole, rng: np.random.Generator) -> Whole:
        """So many different times for each person, in order, by the shares of their class."""
        offset = self.sweeps.offset
        times = offset[j + 1] - offset[j] - self.flat.domain.axes[j].missing
        chance = np.maximum(self.chance[:, offset[j] : offset[j] + times], _RAREST)
        keys = np.log(chance)[kind] + rng.gumbel(size=(len(kind), times))
        rank = np.empty(keys.shape, np.int64)
        np.put_along_axis(rank, np.argsort(-keys, axis=1), np.arange(times)[None], 1)
        return np.asarray(np.nonzero(rank < each[:, None])[1], np.int64)


@dataclass(frozen=True, eq=False)
class _Fitting:
    """From noisy tables to what persons are drawn from."""

    synopsis: PanelSynopsis
    flat: FlatPeople
    deviations: PanelDeviations
    tables: NoisyTables
    ones: OneWays

    def model(self, settings: Settings, rng: np.random.Generator) -> _Persons:
        partition, total = self.tables.partition, self.ones.total
        following, others = self._two(NEXT), self._two(OTHER)
        trees = forest(self.tables, self.ones, chosen=False)
        targets = pair_targets(self.tables, self.ones, trees, settings.lean)
        pairs, weight = targets.pairs.copy(), targets.pair_weight.copy()
        for j, table in others.items():  # of a column and itself: two rows of one class
            block, gone = partition.block(j), partition.offset[j] + partition.columns[j].group[-1]
            pairs[0, block, block] = (1 - self._nobody) * table
            pairs[0, gone, gone] += self._nobody
            weight[j, j] = total**2 / max(self.deviations.other**2, 1e-9) / 2
        targets = replace(targets, pairs=pairs, pair_weight=weight)
        mixture = fit(targets, settings.within(partition), rng)
        share = Denoised.of(mixture.tables(total), self.tables).tables[0] / total
        for j in range(len(partition.columns)):
            block = partition.block(j)
            share[block, block] = 0.0
        fill = fillings(self.tables, self.ones, {})
        return _Persons(
            self.flat,
            np.asarray(mixture.weight[:, 0]),
            mixture.chance,
            self._numbers(),
            self._sweeps(mixture, share, following, others),
            tuple(fill),
            self._tilts(),
            self.distinct,
            PeopleRules.of(self.flat),
        )

    def _share(self, j: int) -> Vector:
        """Of all rows, by coarse bin."""
        counts = self.ones.counts[0, self.tables.partition.block(j)]
        return np.asarray(counts / max(float(counts.sum()), 1e-9))

    def _row_share(self, j: int) -> Vector:
        """The same without persons who have no row, of whom all is missing."""
        share = self._share(j) + 1e-9
        if self.flat.people.linked:
            gone = self.tables.partition.columns[j].group[-1]
            never = j in self.flat.never_missing
            share[gone] = 0.0 if never else max(share[gone] - self._nobody, 0.0)
        return np.asarray(share / max(float(share.sum()), 1e-9))

    @cached_property
    def _nobody(self) -> float:
        """The share of persons without any row."""
        number = self._number_counts
        return float(number[0] / max(float(number.sum()), 1e-9))

    @cached_property
    def _several(self) -> float:
        """Persons with two rows and more."""
        number = self._number_counts
        return float(self.ones.total * number[2:].sum() / max(float(number.sum()), 1e-9))

    @cached_property
    def _number_counts(self) -> Vector:
        """Persons by how many rows they have."""
        j = self.flat.count
        found, column = self.tables.fine.get(j), self.tables.partition.columns[j]
        coarse = np.maximum(self.ones.counts[0, self.tables.partition.block(j)], 0.0)
        within = np.ones(column.fine.bins) if found is None else found.counts + 1e-9
        counts = within / np.bincount(column.group, within)[column.group] * coarse[column.group]
        spread = counts / (column.fine.stop - column.fine.start)
        each = spread[column.fine.place]
        if not self.flat.people.linked:
            each[0] = 0.0
        return np.asarray(each)

    def _numbers(self) -> Array:
        """How many rows persons have, by coarse bin."""
        column = self.tables.partition.columns[self.flat.count]
        each = self._number_counts + 1e-12
        found = np.zeros((column.bins, len(each)))
        found[column.place, np.arange(len(each))] = each
        return found

    def _two(self, kind: str) -> dict[int, Array]:
        """Tables of two rows, as shares."""
        measured = self.synopsis.next if kind == NEXT else self.synopsis.other
        deviation = self.deviations.next if kind == NEXT else self.deviations.other
        found = {}
        for j, table in measured.items():
            noisy, share = table / self.synopsis.whole, self._row_share(j)
            bins, axis = np.flatnonzero(np.arange(len(share)) != self._barred(j)), self._axis(j)
            every, noisy, share = noisy.shape, noisy[np.ix_(bins, bins)], share[bins]
            missing = axis.missing and self._barred(j) < 0
            ordered = len(share) - missing if isinstance(axis, Grid) else 0
            possible = None
            if kind == OTHER:
                noisy, spread = (noisy + noisy.T) / 2, deviation / sqrt(2)
            else:
                spread = deviation
                if j in self.flat.increasing:
                    possible = np.triu(np.ones(noisy.shape, bool))
                    possible[ordered:] = possible[:, ordered:] = True
            found[j] = np.zeros(every)
            found[j][np.ix_(bins, bins)] = of_two_rows(
                noisy, share, self._several, spread, ordered, possible
            )
        return found

    @cached_property
    def distinct(self) -> bool:
        """Whether no two rows of a person have the same time, as far as noise lets it be seen."""
        if self.flat.order is None:
            return True
        axis, number = self.flat.domain.axes[self.flat.order], self._number_counts
        times = axis.codes - axis.missing
        if float(number[times + 1 :].sum()) > _TIES * float(number[2:].sum()):
            return False  # more rows than there are times
        if self.flat.order not in self.synopsis.steps:
            return True
        table = self.synopsis.steps[self.flat.order] / self.synopsis.whole
        same = len(table) // 2  # in the middle: no step at all
        seen = float(table[same]) - 3 * self.deviations.steps
        return bool(seen < _TIES * self._several)

    def _axis(self, j: int) -> Axis:
        return self.flat.domain.axes[j]

    def _barred(self, j: int) -> int:
        """The bin of persons without rows, where rows are never in it; else −1."""
        only = self.flat.people.linked and j in self.flat.never_missing
        return int(self.tables.partition.columns[j].group[-1]) if only else -1

    def _rule(self, j: int) -> int:
        if j in self.flat.increasing:
            return RISING
        if j != self.flat.order:
            return FREE
        column = self.tables.partition.columns[j]
        alone = (
            column.fine.stop - column.fine.start == 1
        ).all() and column.bins == column.fine.bins
        return STRICT if self.distinct and alone else RISING

    def _fine_share(self, j: int) -> Vector:
        """Of all rows with a number, by fine bin of it."""
        column, found = self.tables.partition.columns[j], self.tables.fine.get(j)
        inside = np.ones(column.fine.bins) if found is None else found.counts + 1e-9
        share = inside / np.bincount(column.group, inside)[column.group]
        share = (share * self._share(j)[column.group])[: column.fine.ordered]
        return np.asarray(share / max(float(share.sum()), 1e-12))

    def _tilts(self) -> dict[int, Tilt]:
        found = {}
        for j, table in self.synopsis.steps.items():
            axis, column = self.flat.domain.axes[j], self.tables.partition.columns[j].fine
            fewest = {FREE: None, RISING: 0, STRICT: 1}[self._rule(j)]
            if j == self.flat.order and self.distinct:
                fewest = 1
            noisy = table / self.synopsis.whole
            assert isinstance(axis, Grid)  # noqa: S101  steps are of numbers
            share = self._fine_share(j)
            found[j] = tilt_of(noisy, self.deviations.steps, axis, column, share, fewest)
        return found

    def _sweeps(
        self,
        mixture: Mixture,
        share: Array,
        following: dict[int, Array],
        others: dict[int, Array],
    ) -> PanelSweeps:
        partition, rows = self.tables.partition, self.flat.rows
        size = int(max(np.diff(partition.offset)[list(rows)]))
        tables = np.zeros((2, len(rows), size, size))
        order = self.flat.order
        if order is not None and order in self.synopsis.steps:
            following = following | {order: self._order_table(order)}
        for place, j in enumerate(rows):
            for which, known in enumerate((following, others)):
                if j in known:
                    bins = len(known[j])
                    tables[which, place, :bins, :bins] = known[j]
        axes = self.flat.domain.axes
        barred = [self._barred(j) for j in rows]
        gone = [
            partition.columns[j].bins - 1 if axes[j].missing and bar < 0 else -1
            for j, bar in zip(rows, barred, strict=True)
        ]
        return PanelSweeps(
            partition.offset,
            np.array(rows),
            np.log(np.maximum(mixture.weight[:, 0] @ mixture.chance, _RAREST)),
            share,
            tables[0],
            tables[1],
            np.array([self._rule(j) for j in rows]),
            np.array(gone),
            np.array(barred),
        )

    def _order_table(self, j: int) -> Array:
        """A time and the next one: by their shares and the steps between them."""
        column, share = self.tables.partition.columns[j], self._fine_share(j)
        fine, bins = column.fine, column.fine.ordered
        tilt = self._tilts()[j].within(fine.start[:bins], fine.stop[:bins])
        inside = np.zeros((column.bins, bins))
        inside[column.group[:bins], np.arange(bins)] = 1.0
        table = inside @ (np.outer(share, share) * np.maximum(tilt, 0.0)) @ inside.T
        return np.asarray(table / max(float(table.sum()), 1e-12))
