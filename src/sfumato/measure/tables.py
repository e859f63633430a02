"""One-way tables of columns, and one- and two-way tables within classes, under exact noise.

Guarantee.  ε-DP (discrete Laplace) or ρ-zCDP (discrete Gaussian) for the tables, the exponential
mechanism for the choice of pairs; both neighbour relations, and the label may change as well.
Sensitivity.  A record lies in one cell of each table: replaced, it moves two cells of each by
one; added or removed, one (`docs/proofs/mosaic.md`).
Exactness.  The tables within a class are the Gram matrix of its one-hot records, computed in
float32 on blocks so short that every sum is a whole number below 2^24, then added in 64 bits.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Codes, Whole
from sfumato.privacy.budget import Budget
from sfumato.privacy.choice import Choice
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.privacy.mechanism import Event, Noise, Purse
from sfumato.privacy.sensitivity import Neighbours, Sensitivity
from sfumato.synopsis.bins import Fine, Partition
from sfumato.synopsis.tables import FINE
from sfumato.table.records import Records
from sfumato.table.statistic import Statistic, WholeSum

__all__ = ["ClassTables", "ColumnTables", "PairChoice", "moved", "pair_counts"]

_BLOCK = 2**12  # records in a product: far fewer than the 2^24 that float32 counts exactly
Pair = tuple[int, int]


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

    @cached_property
    def statistic(self) -> "ColumnCounts":
        """NOT PRIVATE: what is counted, exactly."""
        return ColumnCounts(self.columns, self.run)

    def query(self, records: Records) -> Whole:
        """NOT PRIVATE: table after table, runs after fine bins, as `perturb` adds noise to them."""
        return records.fold(self.statistic)

    def perturb(self, records: Records, purse: Purse) -> Whole:
        """`query` under its noise."""
        exact = self.query(records)
        return purse.pay(self.noise).add(exact, np.ones(len(exact), np.int64))


@dataclass(frozen=True, eq=False)
class ColumnCounts(WholeSum):
    """One-way tables in fine bins, each with its runs behind it where there are any."""

    columns: tuple[Fine, ...]
    run: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Table after table."""
        return (sum(column.bins + column.runs(self.run) for column in self.columns),)

    def add(self, total: Whole, records: Codes) -> Whole:
        """NOT PRIVATE: with these records."""
        tables = []
        for column in self.columns:
            fine = np.bincount(column.place[records[:, column.axis]], minlength=column.bins)
            tables.append(fine)
            if column.runs(self.run):  # missing is in none
                tables.append(in_runs(fine[: column.ordered], self.run))
        return self.merge(total, np.concatenate(tables))


def in_runs(fine: Whole, run: int) -> Whole:
    """Sums of `run` neighbouring bins; the last run may be shorter.

    >>> in_runs(np.array([1, 2, 3, 4, 5]), 2).tolist()
    [3, 7, 5]
    """
    return np.add.reduceat(fine, np.arange(0, len(fine), run))


def pair_counts(records: Records, partition: Partition, *, pairs: bool = True) -> tuple[int, Whole]:
    """NOT PRIVATE: how many records there are, and per class how often two cells hold together.

    The diagonal holds the one-way tables; without `pairs` it is all that is counted.
    """
    rows, counts = records.fold(PairCounts(partition, pairs))
    return rows, counts


class _Counted(NamedTuple):
    rows: int
    counts: Whole


@dataclass(frozen=True, eq=False)
class PairCounts(Statistic[_Counted]):
    """How many records there are, and per class how often two cells hold together."""

    partition: Partition
    pairs: bool = True

    def zero(self) -> _Counted:
        """Of no records."""
        cells = (self.partition.cells,) * (2 if self.pairs else 1)
        return _Counted(0, np.zeros((self.partition.classes, *cells), np.int64))

    def add(self, total: _Counted, records: Codes) -> _Counted:
        """NOT PRIVATE: with these records."""
        for k, within in enumerate(_by_class(self.partition, records)):
            here = total.counts[k]
            for start in range(0, len(within), _BLOCK):
                X = _one_hot(self.partition, within[start : start + _BLOCK])
                counts = X @ X.T if self.pairs else X.sum(axis=1)
                np.add(here, counts, out=here, dtype=np.int64, casting="unsafe")
        return _Counted(total.rows + len(records), total.counts)

    def merge(self, a: _Counted, b: _Counted) -> _Counted:
        """NOT PRIVATE: of both together."""
        return _Counted(a.rows + b.rows, np.add(a.counts, b.counts, out=a.counts))


def _by_class(partition: Partition, codes: Codes) -> list[Codes]:
    """The records of each class."""
    if partition.label is None:
        return [codes]
    label = codes[:, partition.label]
    return [codes[label == k] for k in range(partition.classes)]


def _one_hot(partition: Partition, codes: Codes) -> NDArray[np.float32]:
    """One row per cell, one column per record."""
    X = np.empty((partition.cells, len(codes)), np.float32)
    for j, column in enumerate(partition.columns):
        place = column.place[codes[:, column.fine.axis]]
        np.equal(place, np.arange(column.bins)[:, None], out=X[partition.block(j)])
    return X


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


@dataclass(frozen=True)
class PairChoice:
    """Pairs chosen one after the other for how far their tables are from what was expected.

    A pair is taken only if it joins columns that no chosen pairs join yet: a forest.
    """

    partition: Partition
    pairs: int
    neighbours: Neighbours
    budget: PureDP | ZCDP

    @property
    def choice(self) -> Choice:
        """One draw; all of them cost the budget or, by a rounding, a little less."""
        far = Fraction(1 if self.neighbours == "add-remove" else 2)
        return Choice("pairs to measure", far, choice_price(self.budget, self.pairs))

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
        offsets, scores = self.partition.offset[:-1], -handicap
        for here, there in zip(counts, expected, strict=True):
            apart = here - there
            np.abs(apart, out=apart)
            scores += np.add.reduceat(np.add.reduceat(apart, offsets, axis=0), offsets, axis=1)
        return scores

    def perturb(
        self, counts: Whole, expected: Iterable[Whole], handicap: Whole, purse: Purse
    ) -> list[Pair]:
        """The chosen pairs, in the order in which they were chosen."""
        scores = self.scores(counts, expected, handicap)
        paid = purse.pay_draws(self.event, self.choice)
        part, chosen = np.arange(len(scores)), list[Pair]()
        i, j = np.triu_indices(len(scores), 1)
        for _ in range(self.pairs):
            which = paid.draw(scores[i, j])
            pair = int(i[which]), int(j[which])
            chosen.append(pair)
            part[part == part[pair[1]]] = part[pair[0]]
            apart = part[i] != part[j]
            i, j = i[apart], j[apart]
        return chosen


def choice_price(budget: PureDP | ZCDP, draws: int) -> PureDP:
    """What each of so many draws may cost; ε-DP is ε²/2-zCDP.

    >>> choice_price(ZCDP("0.02"), 4).epsilon
    Fraction(1, 10)
    """
    if isinstance(budget, PureDP):
        return PureDP(budget.epsilon / draws)
    square = 2 * budget.rho / draws
    return PureDP(Fraction(isqrt(int(square * 10**18)), 10**9))
