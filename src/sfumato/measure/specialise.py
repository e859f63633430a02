"""Top-down specialisation of a table by exponential choices, and the noisy counts of its leaves.

Guarantee.  ε-DP for both neighbour relations; proof in `docs/proofs/diffgen.md`.
Budget.  With m numeric columns and h steps, each split point and each choice costs
ε / (2(m + 2h)), or ε / (2h) where no column is numeric; the leaf counts cost ε / 2.
Sensitivity.  Scores depend on one column and the label, so one pass over the records
gives all of them.  `Score.sensitivity` is half of how far two scores can move apart; the counts
of the leaves move by 1 (add-remove) or 2 (replace-one).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.measure.hierarchy import Cut, Hierarchy, Node, walk
from sfumato.numeric.arrays import Codes, Whole
from sfumato.privacy.choice import Choice
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Event, Noise, Purse
from sfumato.privacy.randomness import Bits
from sfumato.privacy.sensitivity import Neighbours, Sensitivity
from sfumato.table.records import Records
from sfumato.table.statistic import WholeSum

__all__ = ["SCORES", "LeafCounts", "Leaves", "PositionCounts", "Score", "Specialisation"]


_UNIT = 2**16  # information gain is rounded to steps of 1/2¹⁶ bit
_GAIN = Fraction(9, 5)  # one record more or less moves two gains apart by at most so many bits
_LARGEST_GAIN = {2: Fraction(1), 3: Fraction(8, 5)}  # log₂ of the number of classes, rounded up


def majority(parts: Whole) -> Whole:
    """Records that the majority of their part labels rightly; parts × classes come last.

    >>> majority(np.array([[3, 1], [0, 5]])).tolist()
    8
    """
    return np.asarray(parts.max(axis=-1).sum(axis=-1))


def information(parts: Whole) -> Whole:
    """What the part of a record tells about its class, in steps of 1/2¹⁶ bit.

    >>> (information(np.array([[4, 0], [0, 4]])) / 2**16).tolist()
    1.0
    """
    total = parts.sum(axis=(-2, -1))
    gain = (
        _xlogx(parts).sum(axis=(-2, -1))
        + _xlogx(total)
        - _xlogx(parts.sum(axis=-1)).sum(axis=-1)
        - _xlogx(parts.sum(axis=-2)).sum(axis=-1)
    )
    steps = np.rint(gain * (_UNIT / np.log(2)) / np.maximum(total, 1))
    return np.asarray(steps, np.int64)


def _xlogx(counts: Whole) -> NDArray[np.float64]:
    return np.asarray(counts * np.log(np.maximum(counts, 1)))


@dataclass(frozen=True)
class Score:
    """How good a specialisation is, in whole steps of 1/unit, and how far one record moves it."""

    name: str
    of: Callable[[Whole], Whole]
    unit: int = 1

    def sensitivity(
        self, neighbours: Neighbours, classes: int, *, within: bool = False
    ) -> Fraction:
        """Half of how far one record moves two scores apart.

        With `within`, of scores that split the same interval; summed over disjoint intervals.
        """
        records = 1 if neighbours == "add-remove" else 2  # how many come or go
        if self.name == "max":
            return Fraction(records, 2)
        moved = Fraction(records, 2) if within else records * _GAIN / 2
        moved = min(moved, _LARGEST_GAIN.get(classes, moved))
        return moved + Fraction(4, self.unit)  # for the rounding


SCORES = {
    score.name: score for score in (Score("max", majority), Score("infogain", information, _UNIT))
}


@dataclass(frozen=True)
class Leaves:
    """The synopsis: the walk, the cut it led to, and the noisy counts by leaf and class."""

    cut: Cut
    walked: list[dict[str, Any]]
    counts: Whole
    rows: int | None  # the public number of records, or None under add-remove

    def to_json(self) -> dict[str, Any]:
        """Split points and specialisations in order, then counts; the class varies fastest."""
        return {
            "kind": "leaves",
            "rows": self.rows,
            "walk": self.walked,
            "counts": [int(count) for count in self.counts],
        }


@dataclass(frozen=True, eq=False)
class PositionCounts(WholeSum):
    """For each column, records by position and class."""

    places: Mapping[int, Whole] = field(repr=False)  # the position of each code, by axis
    positions: tuple[int, ...]
    label: int
    classes: int

    @property
    def shape(self) -> tuple[int, ...]:
        """The tables one after the other; the class varies fastest."""
        return (sum(self.positions) * self.classes,)

    def add(self, total: Whole, records: Codes) -> Whole:
        """NOT PRIVATE: with these records."""
        label, tables = records[:, self.label], []
        for (axis, place), size in zip(self.places.items(), self.positions, strict=True):
            cell = place[records[:, axis]] * self.classes + label
            tables.append(np.bincount(cell, minlength=size * self.classes))
        return self.merge(total, np.concatenate(tables))


@dataclass(frozen=True, eq=False)
class LeafCounts(WholeSum):
    """Records by leaf and class."""

    places: Mapping[int, Whole] = field(repr=False)  # what each code adds to the cell, by axis
    label: int
    cells: int

    @property
    def shape(self) -> tuple[int, ...]:
        """One count for each leaf and class."""
        return (self.cells,)

    def add(self, total: Whole, records: Codes) -> Whole:
        """NOT PRIVATE: with these records."""
        cell = records[:, self.label].astype(np.int64)
        for axis, place in self.places.items():
            cell += place[records[:, axis]]
        return self.merge(total, np.bincount(cell, minlength=self.cells))


@dataclass(frozen=True)
class Specialisation:
    """A walk of up to `steps` specialisations of the columns, and the counts at its end."""

    axes: tuple[int, ...]
    columns: tuple[Hierarchy, ...]
    label: int
    classes: int
    neighbours: Neighbours
    score: Score
    steps: int
    budget: PureDP

    @property
    def share(self) -> PureDP:
        """The price of one choice."""
        numbers = sum(column.number for column in self.columns)
        choices = numbers + 2 * self.steps if numbers else self.steps
        return PureDP(self.budget.epsilon / (2 * choices))

    def choice(self, statistic: str, *, within: bool = False) -> Choice:
        """One draw among nodes, or (`within`) among the points of each of disjoint intervals."""
        moved = self.score.sensitivity(self.neighbours, self.classes, within=within)
        return Choice(statistic, moved, self.share, self.score.unit)

    def split(self, step: int, nodes: Sequence[Node]) -> Choice:
        """The draw of the split points of intervals that a step made (step 0: whole columns)."""
        if step:
            return self.choice(f"split points after specialisation {step}", within=True)
        column = self.columns[nodes[0].column]
        return self.choice(f"split point of {column.axis.name}", within=True)

    @property
    def noise(self) -> Noise:
        """The counts of the leaves for the other half of the budget."""
        moved = Fraction(1 if self.neighbours == "add-remove" else 2)
        half = PureDP(self.budget.epsilon / 2)
        return Noise("leaf counts", Sensitivity(moved, moved), half)

    @property
    def events(self) -> tuple[Event, ...]:
        """All that is bought, whatever the data: a step on a category leaves its split points."""
        cut, found = self.cut(), []
        found += [self.split(0, [interval]).event for interval in cut.unsplit()]
        for step in range(1, self.steps + 1):
            found.append(self.choice(f"specialisation {step}").event)
            found += [self.split(step, []).event] * bool(cut.unsplit())
        return *found, self.noise.event

    def cut(self) -> Cut:
        """The fully generalised table."""
        return Cut(self.columns, self.classes)

    def spelt(self, node: Node) -> dict[str, Any]:
        """A node as the synopsis names it."""
        column = self.columns[node.column]
        return {"column": column.axis.name, "node": column.spelt(node.start, node.stop)}

    @cached_property
    def statistic(self) -> PositionCounts:
        """NOT PRIVATE: what the choices look at, exactly."""
        places = {a: column.place for a, column in zip(self.axes, self.columns, strict=True)}
        sizes = tuple(len(column.order) for column in self.columns)
        return PositionCounts(places, sizes, self.label, self.classes)

    def query(self, records: Records) -> list[Whole]:
        """NOT PRIVATE: for each column, the records up to each position, by class."""
        flat = records.fold(self.statistic)
        ends = np.cumsum([len(column.order) * self.classes for column in self.columns])
        tables = (part.reshape(-1, self.classes) for part in np.split(flat, ends[:-1]))
        nothing = np.zeros((1, self.classes), np.int64)
        return [np.concatenate([nothing, table.cumsum(axis=0)]) for table in tables]

    def leaf_counts(self, records: Records, cut: Cut) -> Whole:
        """NOT PRIVATE: records by leaf and class, as `perturb` adds noise to them."""
        places, stride = [], self.classes
        for nodes, column in zip(reversed(cut.nodes), reversed(self.columns), strict=True):
            leaf = np.repeat(np.arange(len(nodes)), [stop - start for start, stop in nodes])
            places.append(leaf[column.place] * stride)
            stride *= len(nodes)
        where = dict(zip(reversed(self.axes), places, strict=True))
        return records.fold(LeafCounts(where, self.label, stride))

    def perturb(self, records: Records, purse: Purse) -> Leaves:
        """Every choice and every count, all paid for before the first bit is drawn."""
        *choices, _ = self.events
        for event in choices:
            purse.spend(event)
        paid, cut = purse.pay(self.noise), self.cut()
        mechanism = _Mechanism(self, cut, self.query(records), paid.bits)
        walk(cut, self.steps, mechanism)
        exact = self.leaf_counts(records, cut)
        noisy = paid.add(exact, np.ones(len(exact), np.int64))
        rows = int(exact.sum()) if self.neighbours == "replace-one" else None
        return Leaves(cut, mechanism.walked, noisy, rows)


class _Mechanism:
    """NOT PRIVATE inside: the guide that looks at scores, and draws what was paid for."""

    def __init__(self, what: Specialisation, cut: Cut, tables: list[Whole], bits: Bits) -> None:
        self._what, self._cut, self._tables, self._bits = what, cut, tables, bits
        self.walked: list[dict[str, Any]] = []

    def split(self, step: int, nodes: Sequence[Node]) -> list[int]:
        choice, points = self._what.split(step, nodes), []
        for node in nodes:
            table = self._tables[node.column][node.start : node.stop + 1]
            sides = np.stack([table[1:-1] - table[0], table[-1] - table[1:-1]], axis=1)
            points.append(node.start + 1 + choice.draw(self._what.score.of(sides), self._bits))
            code = int(self._what.columns[node.column].order[points[-1]])
            self.walked.append(self._what.spelt(node) | {"split": code})
        return points

    def choose(self, step: int, candidates: Sequence[Node]) -> Node:
        choice = self._what.choice(f"specialisation {step}")
        scores = [self._what.score.of(self._parts(node)) for node in candidates]
        chosen = candidates[choice.draw(np.array(scores), self._bits)]
        self.walked.append(self._what.spelt(chosen))
        return chosen

    def _parts(self, node: Node) -> Whole:
        table, runs = self._tables[node.column], self._cut.parts(node)
        return np.stack([table[stop] - table[start] for start, stop in runs])
