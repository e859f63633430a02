"""One small table out of all there are, by the exponential mechanism (Blum, Ligett, Roth 2008).

Guarantee.  ε-DP for both neighbour relations; proof in `docs/proofs/small-database.md`.
Candidates.  All tables of m records, in no order, over the cells of the public domain.
Score.  u(D, y) = −max |m · q(D) − N · q(y)|, a whole number, over the counts q of every
value of a column and of every pair of values of two columns; N is the number of records in D.
Sensitivity.  One record moves each score by at most m; a record that comes lifts none by more
than m − 1, so that there two scores move apart by 2m − 1.  Where the number of records is
private, a noisy one is bought for the rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations, combinations_with_replacement, islice
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ReleaseError
from sfumato.numeric.arrays import Codes, Matrix, Whole
from sfumato.privacy.choice import Choice
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Event, Noise, Purse
from sfumato.privacy.sensitivity import Sensitivity
from sfumato.schema.domain import Domain, Grid
from sfumato.table.records import Records
from sfumato.table.statistic import WholeSum

__all__ = ["CellCounts", "SmallDatabase", "SmallTable", "cells_of", "positions"]

_COUNT_SHARE = Fraction(1, 10)  # of the budget, for the number of records where it is private
_BLOCK = 2**15  # candidates that are scored at a time


def cells_of(domain: Domain) -> int:
    """How many different records there are."""
    return prod(axis.codes for axis in domain.axes)


def positions(domain: Domain) -> list[NDArray[np.int32]]:
    """The codes of each column in the order of its cells: missing numbers come first."""
    firsts = [-int(axis.missing) if isinstance(axis, Grid) else 0 for axis in domain.axes]
    return [
        np.arange(first, first + axis.codes, dtype=np.int32)
        for first, axis in zip(firsts, domain.axes, strict=True)
    ]


@dataclass(frozen=True)
class SmallTable:
    """The synopsis: the records of the chosen table by cell, and how many it stands for."""

    counts: Whole
    records: int  # public under replace-one, noisy under add-remove

    def to_json(self) -> dict[str, Any]:
        """Cells in the order of the schema's columns, the last of which varies fastest."""
        held = np.flatnonzero(self.counts)
        return {
            "kind": "small database",
            "records": self.records,
            "table": [[int(cell), int(self.counts[cell])] for cell in held],
        }


@dataclass(frozen=True)
class CellCounts(WholeSum):
    """How many records lie in each cell of the domain."""

    domain: Domain

    @property
    def shape(self) -> tuple[int, ...]:
        """One count for each cell."""
        return (cells_of(self.domain),)

    def add(self, total: Whole, records: Codes) -> Whole:
        """NOT PRIVATE: with these records."""
        firsts, strides = self._places
        cell = (records.astype(np.int64) - firsts) @ strides
        return self.merge(total, np.bincount(cell, minlength=len(total)))

    @cached_property
    def _places(self) -> tuple[Whole, Whole]:
        firsts = np.array([order[0] for order in positions(self.domain)], np.int64)
        sizes = [axis.codes for axis in self.domain.axes]
        strides = [prod(sizes[j + 1 :]) for j in range(len(sizes))]
        return firsts, np.array(strides, np.int64)


@dataclass(frozen=True)
class SmallDatabase:
    """A draw among all tables of `size` records, the likelier the nearer their counts."""

    domain: Domain
    size: int
    budget: PureDP

    @property
    def candidates(self) -> int:
        """How many tables there are to choose from."""
        return comb(cells_of(self.domain) + self.size - 1, self.size)

    @property
    def public(self) -> bool:
        """Whether the number of records is."""
        return self.domain.schema.neighbours == "replace-one"

    @property
    def noise(self) -> Noise:
        """What the number of records costs, where it is private."""
        one = Sensitivity(Fraction(1), Fraction(1))
        return Noise("number of records", one, PureDP(self.budget.epsilon * _COUNT_SHARE))

    @property
    def choice(self) -> Choice:
        """The draw, for all of the budget or for what the number of records leaves."""
        left, apart = (1, 2 * self.size) if self.public else (1 - _COUNT_SHARE, 2 * self.size - 1)
        return Choice("small table", Fraction(apart, 2), PureDP(self.budget.epsilon * left))

    @property
    def events(self) -> tuple[Event, ...]:
        """What is bought, whatever the records."""
        return (*(() if self.public else (self.noise.event,)), self.choice.event)

    @cached_property
    def statistic(self) -> CellCounts:
        """NOT PRIVATE: what is counted, exactly."""
        return CellCounts(self.domain)

    def query(self, records: Records) -> Whole:
        """NOT PRIVATE: how many records lie in each cell."""
        return records.fold(self.statistic)

    def scores(self, counts: Whole) -> Whole:
        """NOT PRIVATE: the score of every candidate, in the order of `table`."""
        asked, records = self._queries.astype(np.int64) @ counts * self.size, counts.sum()
        found = np.empty(self.candidates, np.int64)
        for start, block in self._blocks():
            # Answers of so few records are small: floats hold them, and their products, exactly.
            answers = (self._counted(block) @ self._queries.T).astype(np.int64)
            worst = np.abs(asked - records * answers).max(axis=1)
            found[start : start + len(block)] = -worst
        return found

    def table(self, candidate: int) -> Whole:
        """The records by cell of the candidate in that place."""
        cells = next(islice(self._ordered(), candidate, None))
        return np.bincount(cells, minlength=cells_of(self.domain))

    def perturb(self, records: Records, purse: Purse) -> SmallTable:
        """All is paid for before the first bit is drawn."""
        paid = None if self.public else purse.pay(self.noise)
        draws = purse.pay_draws(self.choice.event, self.choice)
        exact = self.query(records)
        total = exact.sum(keepdims=True)
        noisy = total if paid is None else paid.add(total, np.ones(1, np.int64))
        return SmallTable(self.table(draws.draw(self.scores(exact))), int(noisy[0]))

    def checked(self, synopsis: Mapping[str, Any]) -> tuple[Event, ...]:
        """The events, which no outcome changes; a synopsis that cannot be is refused."""
        table, records = synopsis.get("table"), synopsis.get("records")
        cells = _cells(table)
        if cells is None or sum(held for _, held in cells) != self.size:
            raise ReleaseError(f"the synopsis does not hold a table of {self.size} records")
        places = [cell for cell, _ in cells]
        if places != sorted(set(places)) or not all(p < cells_of(self.domain) for p in places):
            raise ReleaseError("the synopsis holds records outside the public domain")
        if type(records) is not int or (self.public and records < 0):
            raise ReleaseError("the synopsis does not state the number of records")
        return self.events

    @cached_property
    def _queries(self) -> Matrix:
        """One row for each count: 1 in the cells that it counts."""
        sizes = [axis.codes for axis in self.domain.axes]
        where = np.indices(sizes).reshape(len(sizes), -1)
        single = [where[j] == code for j, size in enumerate(sizes) for code in range(size)]
        columns = [j for j, size in enumerate(sizes) for _ in range(size)]
        pairs = [
            single[a] & single[b]
            for a, b in combinations(range(len(single)), 2)
            if columns[a] != columns[b]
        ]
        return np.array([*single, *pairs], np.float64)

    def _ordered(self) -> Iterator[tuple[int, ...]]:
        return combinations_with_replacement(range(cells_of(self.domain)), self.size)

    def _blocks(self) -> Iterator[tuple[int, Whole]]:
        ordered, start = self._ordered(), 0
        while block := list(islice(ordered, _BLOCK)):
            flat = np.fromiter(chain.from_iterable(block), np.int64, len(block) * self.size)
            yield start, flat.reshape(-1, self.size)
            start += len(block)

    def _counted(self, block: Whole) -> Matrix:
        cells = cells_of(self.domain)
        flat = (block + cells * np.arange(len(block))[:, None]).ravel()
        return np.bincount(flat, minlength=cells * len(block)).reshape(-1, cells).astype(np.float64)


def _cells(table: Any) -> Sequence[tuple[int, int]] | None:
    if not isinstance(table, list) or not all(isinstance(one, list) for one in table):
        return None
    whole = all(len(one) == 2 and all(type(n) is int for n in one) for one in table)
    cells = [(cell, held) for cell, held in table] if whole else []
    return cells if whole and all(cell >= 0 and held > 0 for cell, held in cells) else None
