"""What noisy tables of persons tell: shares and numbers of rows, and how rows follow."""

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from sfumato.numeric.arrays import Array, Mask, Vector, Whole
from sfumato.render.estimate import NoisyTables, OneWays
from sfumato.render.panel.measured import PanelDeviations
from sfumato.render.panel.step import Tilt, tilt_of
from sfumato.render.panel.sweeps import FREE, RISING, STRICT
from sfumato.render.panel.two_rows import of_two_rows
from sfumato.render.piecewise import simplex
from sfumato.schema.domain import Grid
from sfumato.synopsis.flat_people import FlatPeople
from sfumato.synopsis.panel import NEXT, OTHER, PanelSynopsis

__all__ = ["Told"]

_ANYBODY = 1e-6  # of all persons: fewer are none
_TIES = 0.03  # of all steps, above which rows of one person may have the same time


@dataclass(frozen=True, eq=False)
class Told:
    """Public figures, by flat column."""

    synopsis: PanelSynopsis
    flat: FlatPeople
    deviations: PanelDeviations
    tables: NoisyTables
    ones: OneWays

    def bins(self, j: int) -> int:
        """How many coarse bins a column has."""
        return self.tables.partition.columns[j].bins

    def gone(self, j: int) -> int:
        """The bin of what is missing, by itself but for rare values of one table; −1 if none is."""
        missing = self.flat.domain.axes[j].missing
        return int(self.tables.partition.columns[j].group[-1]) if missing else -1

    def barred(self, j: int) -> int:
        """The bin that no row may be in: missing, where only who has no row is without a value."""
        return self.gone(j) if j in self.flat.never_missing else -1

    def taken(self, j: int) -> Whole:
        """The bins that rows may be in."""
        every = np.arange(self.bins(j))
        return np.asarray(every[every != self.barred(j)])

    def share(self, j: int) -> Vector:
        """Of all flat rows, by coarse bin."""
        counts = self.ones.counts[0, self.tables.partition.block(j)]
        return np.asarray(counts / max(float(counts.sum()), 1e-9))

    def row_share(self, j: int) -> Vector:
        """The same without persons who have no row, of whom all is missing."""
        share, gone = self.share(j) + 1e-9, self.gone(j)
        if self.flat.people.linked:
            share[gone] = 0.0 if self.barred(j) >= 0 else max(share[gone] - self.nobody, 0.0)
        return np.asarray(share / max(float(share.sum()), 1e-9))

    @cached_property
    def numbers(self) -> Vector:
        """Persons by how many rows they have."""
        j = self.flat.count
        found, column = self.tables.fine[j], self.tables.partition.columns[j]
        coarse = np.maximum(self.ones.counts[0, self.tables.partition.block(j)], 0.0)
        within = found.counts + 1e-9
        counts = within / np.bincount(column.group, within)[column.group] * coarse[column.group]
        each = (counts / (column.fine.stop - column.fine.start))[column.fine.place]
        if not self.flat.people.linked:
            each[0] = 0.0
        return np.asarray(each)

    @property
    def possible_numbers(self) -> Mask:
        """The coarse bins of numbers of rows that anybody is seen to have."""
        j = self.flat.count
        seen = np.bincount(self.tables.partition.columns[j].group, self.tables.fine[j].counts)
        return np.asarray(seen > _ANYBODY * seen.sum())

    @cached_property
    def nobody(self) -> float:
        """The share of persons without any row."""
        return float(self.numbers[0] / max(float(self.numbers.sum()), 1e-9))

    @cached_property
    def several(self) -> float:
        """How many persons have two rows and more."""
        share = self.numbers[2:].sum() / max(float(self.numbers.sum()), 1e-9)
        return float(self.ones.total * share)

    @cached_property
    def following(self) -> dict[int, Array]:
        """A row and the next one, as shares by two bins."""
        found = self._two(NEXT) if self.synopsis.staying is None else self._staying
        order = self.flat.order
        if order is None or order not in self.tilts:
            return found
        return found | {order: self._times(order)}

    @cached_property
    def others(self) -> dict[int, Array]:
        """A row and one half of the person's rows away, as shares by two bins."""
        return self._two(OTHER) if self.synopsis.staying is None else self._staying

    def _two(self, kind: str) -> dict[int, Array]:
        measured = self.synopsis.next if kind == NEXT else self.synopsis.other
        deviation = self.deviations.next if kind == NEXT else self.deviations.other
        found = {}
        for j, table in measured.items():
            taken, axis = self.taken(j), self.flat.domain.axes[j]
            noisy, share = (table / self.synopsis.whole)[np.ix_(taken, taken)], self.row_share(j)
            ordered = int((taken != self.gone(j)).sum()) if isinstance(axis, Grid) else 0
            possible, spread = None, deviation
            if kind == OTHER:
                noisy, spread = (noisy + noisy.T) / 2, deviation / sqrt(2)
            elif j in self.flat.increasing:
                possible = np.triu(np.ones(noisy.shape, bool))
                possible[ordered:] = possible[:, ordered:] = True
            wanted = of_two_rows(noisy, share[taken], self.several, spread, ordered, possible)
            found[j] = np.zeros((self.bins(j), self.bins(j)))
            found[j][np.ix_(taken, taken)] = wanted
        return found

    @cached_property
    def _staying(self) -> dict[int, Array]:
        """Tables of which a share stays, and the others know nothing of each other.

        The share is the same in all columns, and such that as many stay the same as were seen.
        """
        columns = [j for j in self.flat.rows if j != self.flat.order]
        shares = {j: self.row_share(j) for j in columns}
        by_chance = sum(float(share @ share) for share in shares.values())
        assert self.synopsis.staying is not None  # noqa: S101  whoever asks has looked
        noisy = self.synopsis.staying / self.synopsis.whole
        counts = simplex(noisy, max(self.several, 1.0))
        seen = float(counts @ np.arange(len(counts))) / max(float(counts.sum()), 1e-9)
        stay = min(max((seen - by_chance) / max(len(columns) - by_chance, 1e-9), 0.0), 1.0)
        found = {}
        for j, share in shares.items():
            table = stay * np.diag(share) + (1 - stay) * np.outer(share, share)
            if j in self.flat.increasing:
                last = self.bins(j) - self.flat.domain.axes[j].missing
                inside = table[:last, :last]
                table[:last, :last] = np.triu(inside) + np.triu(inside.T, 1)
            found[j] = np.asarray(table)
        return found

    @cached_property
    def distinct(self) -> bool:
        """Whether no two rows of a person have the same time, as far as noise lets it be seen."""
        if self.flat.order is None:
            return True
        axis, number = self.flat.domain.axes[self.flat.order], self.numbers
        times = axis.codes - axis.missing
        if float(number[times + 1 :].sum()) > _TIES * float(number[2:].sum()):
            return False  # more rows than there are times
        if self.flat.order not in self.synopsis.steps:
            return True
        table = self.synopsis.steps[self.flat.order] / self.synopsis.whole
        same = len(table) // 2  # in the middle: no step at all
        seen = float(table[same]) - 3 * self.deviations.steps
        return bool(seen < _TIES * self.several)

    def rule(self, j: int) -> int:
        """How a column of rows follows: freely, never falling, or always rising."""
        if j in self.flat.increasing:
            return RISING
        if j != self.flat.order:
            return FREE
        column = self.tables.partition.columns[j]
        single = bool((column.fine.stop - column.fine.start == 1).all())
        return STRICT if self.distinct and single and column.bins == column.fine.bins else RISING

    def _fine_share(self, j: int) -> Vector:
        """Of all rows with a number, by fine bin of it."""
        column, inside = self.tables.partition.columns[j], self.tables.fine[j].counts + 1e-9
        share = inside / np.bincount(column.group, inside)[column.group]
        share = (share * self.row_share(j)[column.group])[: column.fine.ordered]
        return np.asarray(share / max(float(share.sum()), 1e-12))

    @cached_property
    def tilts(self) -> dict[int, Tilt]:
        """How numbers go on from row to row."""
        found = {}
        for j, table in self.synopsis.steps.items():
            axis, column = self.flat.domain.axes[j], self.tables.partition.columns[j].fine
            fewest = {FREE: None, RISING: 0, STRICT: 1}[self.rule(j)]
            if j == self.flat.order and self.distinct:
                fewest = 1
            assert isinstance(axis, Grid)  # noqa: S101  steps are of numbers
            noisy, share = table / self.synopsis.whole, self._fine_share(j)
            found[j] = tilt_of(noisy, self.deviations.steps, axis, column, share, fewest)
        return found

    def _times(self, j: int) -> Array:
        """A time and the next one: by their shares and the steps between them."""
        column, share = self.tables.partition.columns[j], self._fine_share(j)
        fine, bins = column.fine, column.fine.ordered
        tilt = self.tilts[j].within(fine.start[:bins], fine.stop[:bins])
        inside = np.zeros((column.bins, bins))
        inside[column.group[:bins], np.arange(bins)] = 1.0
        table = inside @ (np.outer(share, share) * np.maximum(tilt, 0.0)) @ inside.T
        return np.asarray(table / max(float(table.sum()), 1e-12))
