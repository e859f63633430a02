"""Persons and their rows, drawn from noisy tables: post-processing, no record is seen here.

Latent classes are fitted to the tables of flat rows; a person has one class, so tables of two
rows of a person are what the model says of a column and itself.  Persons get a class, constants
and a number of rows; rows are drawn from the class, put in order, and moved to the tables
(`sfumato.render.panel.sweeps`); then each value is drawn inside its bin.
"""

from dataclasses import dataclass, replace

import numpy as np

from sfumato.numeric.arrays import Array, Codes, Vector, Whole
from sfumato.render.denoised import Denoised
from sfumato.render.estimate import one_ways
from sfumato.render.forest import forest
from sfumato.render.latent import Mixture, Settings, fit
from sfumato.render.mosaic import Filling, fillings, pair_targets
from sfumato.render.panel.fill import filled
from sfumato.render.panel.measured import PanelDeviations, tables_in_persons
from sfumato.render.panel.people_rules import PeopleRules
from sfumato.render.panel.step import Tilt
from sfumato.render.panel.sweeps import FREE, RISING, STRICT, PanelSweeps
from sfumato.render.panel.told import Told
from sfumato.render.panel_drawing import DrawnPersons, PanelDrawing
from sfumato.render.systematic import draw, draw_within
from sfumato.schema.domain import Grid
from sfumato.synopsis.flat_people import FlatPeople
from sfumato.synopsis.panel import PanelSynopsis

__all__ = ["sample_people"]

_PART = 2**13  # persons
_RAREST = 1e-5  # of all rows: a bin that is not ruled out


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
    told = Told(synopsis, flat, deviations, tables, ones)
    return PanelDrawing.of(_model(told, settings, rng, persons), persons, _PART, rng)


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
            if j > flat.count:  # of classes without rows any bin will do
                block = block + _RAREST**2
                if (barred := self.sweeps.barred[j - flat.count - 1]) >= 0:
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
        for place, j in enumerate(flat.rows):  # who has no row has one in which all is missing
            bins[~there, j] = self.sweeps.missing[place]
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


def _model(told: Told, settings: Settings, rng: np.random.Generator, persons: int) -> _Persons:
    """What persons are drawn from, so many of them in all."""
    tables, ones, flat = told.tables, told.ones, told.flat
    partition, total = tables.partition, ones.total
    targets = pair_targets(tables, ones, forest(tables, ones, chosen=False), settings.lean)
    pairs, weight = targets.pairs.copy(), targets.pair_weight.copy()
    for j, table in told.others.items():  # of a column and itself: two rows of one class
        block, gone = partition.block(j), told.gone(j)
        pairs[0, block, block] = (1 - told.nobody) * table
        if told.nobody:
            pairs[0, block, block][gone, gone] += told.nobody
        spread = told.deviations.other or told.deviations.staying
        weight[j, j] = total**2 / max(spread**2, 1e-9) / 2
    targets = replace(targets, pairs=pairs, pair_weight=weight)
    mixture = fit(targets, settings.within(partition), rng)
    share = Denoised.of(mixture.tables(total), tables).tables[0] / total
    for j in range(len(partition.columns)):
        share[partition.block(j), partition.block(j)] = 0.0
    number = np.zeros((told.bins(flat.count), len(told.numbers)))
    places = partition.columns[flat.count].place
    number[places, np.arange(len(places))] = told.numbers + 1e-12
    chance, block = mixture.chance.copy(), partition.block(flat.count)
    chance[:, block] = np.where(told.possible_numbers, chance[:, block] + _RAREST**2, 0.0)
    each = float(told.numbers @ np.arange(len(places))) / max(float(told.numbers.sum()), 1e-9)
    return _Persons(
        flat,
        np.asarray(mixture.weight[:, 0]),
        chance,
        number,
        _sweeps(told, mixture, share, persons * each),
        tuple(fillings(tables, ones, {})),
        told.tilts,
        told.distinct,
        PeopleRules.of(flat),
    )


def _sweeps(told: Told, mixture: Mixture, share: Array, rows: float) -> PanelSweeps:
    columns, offset = told.flat.rows, told.tables.partition.offset
    size = max(told.bins(j) for j in columns)
    two = np.zeros((2, len(columns), size, size))
    for place, j in enumerate(columns):
        for which, known in enumerate((told.following, told.others)):
            if j in known:
                two[which, place, : len(known[j]), : len(known[j])] = known[j]
    return PanelSweeps(
        offset,
        np.array(columns),
        np.log(np.maximum(mixture.weight[:, 0] @ mixture.chance, _RAREST)),
        share,
        two[0],
        two[1],
        np.array([told.rule(j) for j in columns]),
        np.array([told.gone(j) for j in columns]),
        np.array([told.barred(j) for j in columns]),
        rows,
    )
