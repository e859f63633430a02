"""Tables of persons with several rows, in tickets, under exact noise.

Guarantee.  ε-DP (discrete Laplace) or ρ-zCDP (discrete Gaussian) of persons, with all of their
rows, under both neighbour relations.
Sensitivity.  A person with c rows adds ⌊W / max(c, 1)⌋ tickets for each flat row, ⌊W / (c − 1)⌋ for
each row that follows another, and ⌊W / c⌋ for each row and its counterpart half of the rows away:
never more than W to a table (`docs/proofs/people.md`).  W tickets are one unit, so so many tables
move by as many units, or twice as many where one person takes the place of another.
Exactness.  Tickets are whole numbers.  They are added up in floats within a panel, whose rows
have fewer than 2⁵³ tickets together, and in 64 bits beyond it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.measure.tables import moved
from sfumato.numeric.arrays import Codes, Whole
from sfumato.privacy.budget import Budget
from sfumato.privacy.mechanism import Noise, Purse
from sfumato.privacy.sensitivity import Neighbours
from sfumato.schema.domain import MISSING, Grid
from sfumato.synopsis.bins import Partition
from sfumato.synopsis.flat_people import FlatPeople
from sfumato.synopsis.panel import Spec, step_edges
from sfumato.table.people.panel import Panel
from sfumato.table.people.ticket import mass, tickets

__all__ = ["PanelCounts", "PanelTables", "counterpart", "flat_rows"]


def flat_rows(panel: Panel, flat: FlatPeople) -> tuple[Codes, Whole]:
    """NOT PRIVATE: a code for each flat column of each flat row, and where persons begin.

    Who has no row has one in which all columns of rows are missing.
    """
    each = np.maximum(panel.counts, 1)
    start = np.append(0, np.cumsum(each))
    owner = np.repeat(np.arange(panel.persons), each)
    codes = np.empty((len(owner), len(flat.domain.axes)), np.int32, order="F")
    codes[:, : flat.count] = panel.constants[owner]
    codes[:, flat.count] = panel.counts[owner]
    there = panel.counts[owner] > 0
    for place, j in enumerate(flat.rows):
        axis = flat.domain.axes[j]
        if not there.all():
            codes[:, j] = MISSING if isinstance(axis, Grid) else axis.codes - 1
        codes[there, j] = panel.rows[:, place]
    return codes, start


def counterpart(start: Whole) -> Whole:
    """For each row the one of the same person that is half of its rows further, going round.

    >>> counterpart(np.array([0, 1, 4, 8])).tolist()
    [0, 2, 3, 1, 6, 7, 4, 5]
    """
    counts = np.diff(start)
    first, many = np.repeat(start[:-1], counts), np.repeat(counts, counts)
    return np.asarray(first + (np.arange(start[-1]) - first + many // 2) % np.maximum(many, 1))


@dataclass(frozen=True, eq=False)
class PanelCounts:
    """NOT PRIVATE: tables in tickets, one after the other; a sum over persons."""

    flat: FlatPeople
    partition: Partition  # the bins in which flat columns are counted
    tables: tuple[Spec, ...]

    @property
    def whole(self) -> int:
        """The tickets of a person: a public fact."""
        return mass(self.flat.people.rows)

    @cached_property
    def shapes(self) -> list[tuple[int, ...]]:
        """Of each table."""
        bins = np.diff(self.partition.offset)
        return [self._shape(spec, bins) for spec in self.tables]

    def _shape(self, spec: Spec, bins: Whole) -> tuple[int, ...]:
        if spec.kind == "step":
            return (len(self._edges[spec.columns[0]]) - 1,)
        if spec.kind == "stay":
            return (len(spec.columns) + 1,)
        twice = spec.columns * 2 if spec.kind in ("next", "other") else spec.columns
        return tuple(int(bins[j]) for j in twice)

    @cached_property
    def _edges(self) -> dict[int, Whole]:
        axes = self.flat.domain.axes
        numbers = (spec.columns[0] for spec in self.tables if spec.kind == "step")
        return {j: step_edges(axis) for j in numbers if isinstance(axis := axes[j], Grid)}

    def split(self, total: Whole) -> list[Whole]:
        """The tables of a total."""
        ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes], dtype=np.int64)
        parts = np.split(total, ends)[:-1]  # after the last one nothing is left
        return [part.reshape(shape) for part, shape in zip(parts, self.shapes, strict=True)]

    def zero(self) -> Whole:
        """Of nobody."""
        return np.zeros(sum(int(np.prod(shape)) for shape in self.shapes), np.int64)

    def merge(self, a: Whole, b: Whole) -> Whole:
        """NOT PRIVATE: of both together."""
        return np.add(a, b, out=a)

    def add(self, total: Whole, panel: Panel) -> Whole:
        """NOT PRIVATE: with these persons."""
        if not panel.persons:
            return total
        parts = [_tallied(cells, weights, size) for cells, weights, size in self._cells(panel)]
        return self.merge(total, np.concatenate(parts) if parts else self.zero())

    def _cells(self, panel: Panel) -> list[tuple[NDArray[np.int64], Whole, int]]:
        """Of each table: the cells that are counted, with how many tickets each, of how many."""
        codes, start = flat_rows(panel, self.flat)
        each = tickets(panel.counts, 1, self.whole)
        of_row = np.repeat(each, np.diff(start))
        bins = {j: self._binned(codes, j) for j in {j for s in self.tables for j in s.columns}}
        second = np.flatnonzero(np.diff(np.repeat(np.arange(panel.persons), np.diff(start))) == 0)
        later = second + 1  # rows that follow another one of their person
        of_step = np.repeat(tickets(panel.counts - 1, 1, self.whole), np.diff(start))[later]
        across = counterpart(start)
        several = np.flatnonzero(across != np.arange(len(across)))
        found = []
        for spec, shape in zip(self.tables, self.shapes, strict=True):
            j, size = spec.columns[0], int(np.prod(shape))
            match spec.kind:
                case "one":
                    found.append((bins[j], of_row, size))
                case "pair":
                    cells = bins[j] * shape[1] + bins[spec.columns[1]]
                    found.append((cells, of_row, size))
                case "next":
                    cells = bins[j][later - 1] * shape[1] + bins[j][later]
                    found.append((cells, of_step, size))
                case "other":
                    cells = bins[j][several] * shape[1] + bins[j][across[several]]
                    found.append((cells, of_row[several], size))
                case "stay":
                    same = [bins[k][later - 1] == bins[k][later] for k in spec.columns]
                    found.append((np.sum(same, axis=0, dtype=np.int64), of_step, size))
                case "step":
                    before, after = codes[later - 1, j].astype(np.int64), codes[later, j]
                    both = (before != MISSING) & (after != MISSING)
                    step = (after - before)[both]
                    cells = np.searchsorted(self._edges[j], step, side="right") - 1
                    found.append((cells, of_step[both], size))
        return found

    def _binned(self, codes: Codes, j: int) -> NDArray[np.int64]:
        return np.asarray(self.partition.columns[j].place[codes[:, j]], np.int64)


def _tallied(cells: NDArray[np.int64], weights: Whole, size: int) -> Whole:
    return np.rint(np.bincount(cells, weights, size)).astype(np.int64)


@dataclass(frozen=True)
class PanelTables:
    """So many tables in tickets at one price."""

    statistic: str
    tables: int
    whole: int
    neighbours: Neighbours
    budget: Budget

    @property
    def noise(self) -> Noise:
        """One price for all of them, in units of a person."""
        return Noise(self.statistic, moved(self.tables, self.neighbours), self.budget)

    def perturb(self, exact: Sequence[Whole], purse: Purse) -> list[Whole]:
        """The tables under their noise."""
        if len(exact) != self.tables:
            raise ValueError("other tables than were paid for")
        flat = np.concatenate([table.ravel() for table in exact])
        noisy = purse.pay(self.noise).add(flat, np.full(len(flat), self.whole))
        parts = np.split(noisy, np.cumsum([table.size for table in exact])[:-1])
        return [part.reshape(table.shape) for part, table in zip(parts, exact, strict=True)]
