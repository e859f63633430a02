"""One-way tables of columns, and one- and two-way tables within classes, under exact noise.

Guarantee.  ε-DP (discrete Laplace) or ρ-zCDP (discrete Gaussian) for the tables, the exponential
mechanism for the choice of pairs; both neighbour relations, and the label may change as well.
Sensitivity.  A record lies in one cell of each table: replaced, it moves two cells of each by
one; added or removed, one (`docs/proofs/mosaic.md`).
Exactness.  All counts are whole numbers (`sfumato.measure.joint`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np

from sfumato.measure.candidates import Candidates
from sfumato.numeric.arrays import Whole
from sfumato.privacy.budget import Budget
from sfumato.privacy.choice import Choice
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.privacy.mechanism import Event, Noise, Purse
from sfumato.privacy.sensitivity import Neighbours, Sensitivity
from sfumato.synopsis.bins import Fine, Partition
from sfumato.synopsis.tables import FINE
from sfumato.synopsis.triples import Pair

__all__ = ["ClassTables", "ColumnTables", "PairChoice", "moved"]


def moved(tables: int, neighbours: Neighbours) -> Sensitivity:
    """How far so many tables move together, each cell by one."""
    cells = Fraction(tables * (1 if neighbours == "add-remove" else 2))
    return Sensitivity(cells, cells)


@dataclass(frozen=True)
class ColumnTables:
    """Noisy one-way tables in fine bins and, of numbers where `run` is above 1, in runs of bins."""

    columns: tuple[Fine, ...]
    run: int
    neighbours: Neighbours
    budget: Budget

    @property
    def noise(self) -> Noise:
        """One price for all of them."""
        in_runs = sum(column.runs(self.run) > 0 for column in self.columns)
        tables = len(self.columns) + in_runs
        return Noise(FINE, moved(tables, self.neighbours), self.budget)

    def query(self, counted: Sequence[Whole]) -> Whole:
        """NOT PRIVATE: table after table, runs after fine bins, as `perturb` adds noise to them.

        `counted` are the tables of the columns in fine bins.
        """
        tables = []
        for column, fine in zip(self.columns, counted, strict=True):
            tables.append(fine)
            if column.runs(self.run):  # missing is in none
                tables.append(in_runs(fine[: column.ordered], self.run))
        return np.concatenate(tables)

    def perturb(self, counted: Sequence[Whole], purse: Purse) -> Whole:
        """`query` under its noise."""
        exact = self.query(counted)
        return purse.pay(self.noise).add(exact, np.ones(len(exact), np.int64))


def in_runs(fine: Whole, run: int) -> Whole:
    """Sums of `run` neighbouring bins; the last run may be shorter.

    >>> in_runs(np.array([1, 2, 3, 4, 5]), 2).tolist()
    [3, 7, 5]
    """
    return np.add.reduceat(fine, np.arange(0, len(fine), run))


@dataclass(frozen=True)
class ClassTables:
    """Noisy tables of columns (one-way) or of pairs, within each class, at one price."""

    partition: Partition
    tables: tuple[tuple[int, ...], ...]
    statistic: str
    neighbours: Neighbours
    budget: Budget

    @property
    def noise(self) -> Noise:
        """One price for all of them."""
        return Noise(self.statistic, moved(len(self.tables), self.neighbours), self.budget)

    def query(self, counts: Whole) -> Whole:
        """NOT PRIVATE: the tables out of the counts, one after the other, class by class.

        `counts` are those of pairs or, for one-way tables, of cells.
        """
        return np.concatenate([self._one(counts, table).ravel() for table in self.tables])

    def _one(self, counts: Whole, table: tuple[int, ...]) -> Whole:
        first, last = (self.partition.block(column) for column in (table[0], table[-1]))
        if counts.ndim == 2:  # one-way tables are all that was counted
            return counts[:, first]
        block = counts[:, first, last]
        return np.diagonal(block, axis1=1, axis2=2) if len(table) == 1 else block

    def perturb(self, counts: Whole, purse: Purse) -> Whole:
        """`query` under its noise."""
        exact = self.query(counts)
        return purse.pay(self.noise).add(exact, np.ones(len(exact), np.int64))

    def by_pair(self, flat: Whole) -> dict[Pair, Whole]:
        """What `perturb` gave, by pair: class, cell of the first column, cell of the second."""
        bins, classes = np.diff(self.partition.offset), self.partition.classes
        shapes = [(classes, int(bins[i]), int(bins[j])) for i, j in self.tables]
        parts = np.split(flat, np.cumsum([np.prod(shape) for shape in shapes])[:-1])
        pairs = ((i, j) for i, j in self.tables)
        return {pair: p.reshape(s) for pair, p, s in zip(pairs, parts, shapes, strict=True)}


@dataclass(frozen=True)
class PairChoice:
    """Pairs chosen one after the other for how far their tables are from what was expected.

    Where there is a target, the first half of them are pairs with it.
    """

    partition: Partition
    pairs: int
    neighbours: Neighbours
    budget: PureDP | ZCDP
    target: int | None = None  # a column
    forest: bool = False  # whether a pair must join columns that no chosen pairs join yet
    unit: int = 1  # what a record weighs in the counts
    known: tuple[Pair, ...] = ()  # that are measured anyway

    @property
    def choice(self) -> Choice:
        """One draw; all of them cost the budget or, by a rounding, a little less."""
        far = Fraction(self.unit * (1 if self.neighbours == "add-remove" else 2))
        step = f", in steps of 1/{self.unit}" if self.unit > 1 else ""
        return Choice(f"pairs to measure{step}", far, choice_price(self.budget, self.pairs))

    @property
    def event(self) -> Event:
        """All draws together."""
        one, each = self.choice.event, self.choice.budget.epsilon
        cost = (
            PureDP(self.pairs * each)
            if isinstance(self.budget, PureDP)
            else ZCDP(self.pairs * each**2 / 2)
        )
        return Event(one.statistic, one.mechanism, one.sensitivity, one.noise, cost)

    def scores(self, counts: Whole, expected: Iterable[Whole], handicap: Whole) -> Whole:
        """NOT PRIVATE: for each two columns, the distance of their tables less a public handicap.

        `expected` are whole numbers, class by class, so a score moves by no more than the counts.
        """
        scores = -handicap
        for here, there in zip(counts, expected, strict=True):
            apart = here - there
            scores += self.by_columns(np.abs(apart, out=apart))
        return scores

    def by_columns(self, cells: Whole) -> Whole:
        """For each two columns, the sum over their cells."""
        offsets = self.partition.offset[:-1]
        return np.add.reduceat(np.add.reduceat(cells, offsets, axis=0), offsets, axis=1)

    def perturb(
        self, counts: Whole, expected: Iterable[Whole], handicap: Whole, purse: Purse
    ) -> list[Pair]:
        """The chosen pairs, in the order in which they were chosen."""
        scores = self.scores(counts, expected, handicap)
        paid = purse.pay_draws(self.event, self.choice)
        left = self.candidates()
        by_place, chosen = scores[tuple(left.every.T)], list[Pair]()
        for _ in range(self.pairs):
            places = left.places
            i, j = left.every[places[paid.draw(by_place[places])]].tolist()
            chosen.append((i, j))
            left.take((i, j))
        return chosen

    def candidates(self) -> Candidates:
        """What may be chosen, before anything is."""
        columns = len(self.partition.columns)
        return Candidates(columns, self.pairs, self.target, forest=self.forest, known=self.known)


def choice_price(budget: PureDP | ZCDP, draws: int) -> PureDP:
    """What each of so many draws may cost; ε-DP is ε²/2-zCDP.

    >>> choice_price(ZCDP("0.02"), 4).epsilon
    Fraction(1, 10)
    """
    if isinstance(budget, PureDP):
        return PureDP(budget.epsilon / draws)
    square = 2 * budget.rho / draws
    return PureDP(Fraction(isqrt(int(square * 10**18)), 10**9))
