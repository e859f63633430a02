"""A directed search for the neighbours that move each measurement furthest.

Tables are small: a few records that stay, and one that is replaced, added or removed; or persons,
where they are the unit, and one of them with all rows.  They
begin with extremes, random corners, records inside the ranges and values outside of them; from
the worst pair of each measurement the search then changes one value at a time, in the record
that differs or in those that stay, and keeps what moves the measurement further.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sfumato.inspection.audit.neighbours import (
    Neighbour,
    candidates,
    extremes,
    levels,
    with_one,
)
from sfumato.inspection.audit.path import LEAKS, Path, Run
from sfumato.inspection.audit.step import Price, Step
from sfumato.numeric.arrays import Codes
from sfumato.plan import Plan
from sfumato.schema.domain import Axis, Domain, Grid

__all__ = ["BEYOND", "Measured", "Pair", "Search"]

Pair = tuple[Neighbour, Neighbour]
Rng = np.random.Generator

_CORNERS, _ANYWHERE = 24, 8  # random records, at the ends of all ranges and inside them
_CLIMBED = 4  # sets of records that stay, from which the search goes on
_SWEEPS = 4  # through all columns of a pair
_ATTAINED = 1 - 1e-9
BEYOND = 1 + 1e-9  # distances and prices are compared as floats


@dataclass(frozen=True)
class Measured:
    """The furthest that one measurement was moved, by which pair, and what that costs."""

    name: str
    ratio: float  # of its declared sensitivity, in the norm of its noise
    other: float  # in the other norm, at most
    price: Price  # of that move under the noise that was drawn
    stated: Price  # of the declared sensitivity under that noise
    cost: Price  # what was paid
    pair: Pair


class Search:
    """The worst that was found; the same for the same plan, seed and effort."""

    def __init__(self, plan: Plan, *, seed: int = 0, effort: int = 400) -> None:
        self.plan, self.domain, self.effort = plan, plan.domain, effort
        self.removing = plan.domain.schema.neighbours == "add-remove"
        self.found: dict[str, Measured] = {}
        self.faults: dict[str, None] = {}  # in order
        self.routes: set[tuple[str, ...]] = set()  # measurements that were made together
        self.runs = 0
        self.steps: tuple[Step, ...] = ()  # of one run
        self._rng = np.random.default_rng(seed)

    @property
    def together(self) -> list[list[Measured]]:
        """The measurements of each route that was taken."""
        return [[self.found[name] for name in route] for route in self.routes if not self.faults]

    def explore(self) -> None:
        """All candidates beside all sets of records that stay, then upwards from the worst."""
        rows, bases = _rows(self.domain, self._rng), _bases(self.domain, self._rng)
        for seed, base in enumerate(bases):
            whole = seed % 2 == 0  # one batch or two: a method must not care
            path = Path(self.plan, Neighbour(self.domain, base, rows[:1], whole), seed)
            here = rows if seed == 0 else rows[seed % _CLIMBED :: _CLIMBED]
            last = with_one(self.domain, here)
            # The worst records so far, so that the way upwards goes on beside other records.
            last += [table.last for one in self.found.values() for table in one.pair]
            if self.removing:
                last = [rows[:0], *last]
            self.compare(path, [Neighbour(self.domain, base, row, whole) for row in last])
            if seed < _CLIMBED:  # the others are for the sake of other outputs
                self._climb(path, self.effort // _CLIMBED)
            self.runs, self.steps = self.runs + path.runs, self.steps or path.first.steps or ()
            if self.faults or any(one.ratio > BEYOND for one in self.found.values()):
                return

    def compare(self, path: Path, tables: Sequence[Neighbour]) -> None:
        """All pairs of these tables that are neighbours; if one lacks a record, it is the first."""
        if path.first.steps is None:
            self.faults.setdefault(path.first.fault)
            return
        self.routes.add(tuple(step.name for step in path.first.steps))
        known = [(table, steps) for table in tables if (steps := self._steps(path, table))]
        firsts = known[:1] if self.removing else known
        for k in range(len(known[0][1]) if known else 0):
            others = [steps[k] for _, steps in known]
            for table, steps in firsts:
                moved = steps[k].moved(others)
                at = int(np.argmax(moved.ratio))
                figures = moved.ratio[at], moved.other.max(), moved.epsilon[at], moved.rho[at]
                self._note(path, steps[k], figures, (table, known[at][0]))

    def _steps(self, path: Path, table: Neighbour) -> tuple[Step, ...] | None:
        run: Run = path.run(table)
        if run.steps is None:
            self.faults.setdefault(run.fault)
        elif run.released != path.first.released:
            self.faults.setdefault(LEAKS)
        return run.steps

    def _note(self, path: Path, step: Step, figures: Sequence[float], pair: Pair) -> float:
        ratio, other, epsilon, rho = (float(figure) for figure in figures)
        if ratio > path.worst.get(step.name, (-1.0, pair))[0]:
            path.worst[step.name] = ratio, pair
        before = self.found.get(step.name)
        other = max(other, before.other if before else 0.0)
        if before is None or ratio > before.ratio:
            price = Price(epsilon, rho)
            made = Measured(step.name, ratio, other, price, step.stated, step.cost, pair)
            self.found[step.name] = made
        return ratio

    def _climb(self, path: Path, effort: int) -> None:
        """Upwards for each measurement in turn, those that moved least first."""
        names = sorted(path.worst, key=lambda name: self.found[name].ratio)
        names = [name for name in names if self.found[name].ratio < _ATTAINED]
        for turn, name in enumerate(names):
            limit = path.runs + (effort - turn * effort // len(names)) // (len(names) - turn)
            self._ascend(path, name, limit)

    def _ascend(self, path: Path, name: str, limit: int) -> None:
        best, pair = path.worst[name]
        for _ in range(_SWEEPS):
            start = best
            for changed in _changes(self.domain, self._rng):
                if path.runs >= limit or self.found[name].ratio >= _ATTAINED or self.faults:
                    return
                tried = changed(pair)
                ratio = self._ratio(path, name, tried)
                if ratio > best:
                    best, pair = ratio, tried
            if best <= start:
                return

    def _ratio(self, path: Path, name: str, pair: Pair) -> float:
        mine, theirs = (self._steps(path, table) for table in pair)
        if mine is None or theirs is None:
            return 0.0
        ratio = 0.0
        for step, other in zip(mine, theirs, strict=True):
            moved = step.moved([other])
            figures = (moved.ratio[0], moved.other[0], moved.epsilon[0], moved.rho[0])
            found = self._note(path, step, figures, pair)
            ratio = found if step.name == name else ratio
        return ratio


def _rows(domain: Domain, rng: Rng) -> Codes:
    """Candidates for the record that differs."""
    corners = [[rng.choice(levels(axis)) for axis in domain.axes] for _ in range(_CORNERS)]
    anywhere = [[rng.choice(_values(axis, rng)) for axis in domain.axes] for _ in range(_ANYWHERE)]
    rows = np.array([*candidates(domain), *corners, *anywhere], np.int32)
    inside = []
    for share in np.arange(1, 8) / 8:
        for row in extremes(domain)[:2]:
            inside.append(_through(domain, row, share))
    return np.unique(np.concatenate([rows, np.array(inside, np.int32)]), axis=0)


def _through(domain: Domain, row: Codes, share: float) -> Codes:
    """All numbers of a record at this share of their range."""
    grids = [isinstance(axis, Grid) for axis in domain.axes]
    points = np.array([axis.points if isinstance(axis, Grid) else 0 for axis in domain.axes])
    return np.where(grids, np.rint(share * points), row).astype(np.int32)


def _values(axis: Axis, rng: Rng) -> list[int]:
    """Levels of a column and, of a range, a few places inside it."""
    if not isinstance(axis, Grid):
        return levels(axis)
    inside = np.rint(axis.points * np.array([0.25, 0.75, rng.random(), rng.random()]))
    return [*levels(axis), *inside.astype(int).tolist()]


def _bases(domain: Domain, rng: Rng) -> list[Codes]:
    """Records that stay: balanced, leaning to one side, none, and some at random."""
    low, high, one, two = extremes(domain)
    mixed = [
        np.array([[rng.choice(levels(axis)) for axis in domain.axes] for _ in range(several)])
        for several in (6, 1, 2, 3, 2)
    ]
    bases = [
        np.array([low, high, one, two]),
        np.array([high, high, high, one, one, two]),
        mixed[0],
        low[None, :][:0],
        *mixed[1:],
    ]
    return [base.astype(np.int32) for base in bases]


class _Change:
    """One value of a pair replaced, or all numbers of a record set to one share."""

    def __init__(self, who: int, row: float, axis: int | None, value: float) -> None:
        self.who, self.row, self.axis, self.value = who, row, axis, value

    def __call__(self, pair: Pair) -> Pair:
        first, second = pair
        if self.who == 2:  # a record that stays
            base = self._changed(first.domain, first.base, self._row(first.base))
            return replace(first, base=base), replace(second, base=base)
        tables = [first, second]
        mine = tables[self.who]
        tables[self.who] = replace(
            mine, last=self._changed(mine.domain, mine.last, self._row(mine.last))
        )
        return tables[0], tables[1]

    def _row(self, rows: Codes) -> int:
        return int(self.row * len(rows))

    def _changed(self, domain: Domain, rows: Codes, row: int) -> Codes:
        if not len(rows):
            return rows
        rows = rows.copy()
        if self.axis is None:
            rows[row] = _through(domain, rows[row], self.value)
        else:
            rows[row, self.axis] = int(self.value)
        return rows


def _changes(domain: Domain, rng: Rng) -> Iterator[_Change]:
    """All single changes of the records that differ, then as many of those that stay."""
    found, beside = [], []
    for who in (0, 1):
        for j, axis in enumerate(domain.axes):
            for value in _values(axis, rng):
                row = rng.random()
                found.append(_Change(who, row, j, value))
                beside.append(_Change(2, row, j, value))
        found += [_Change(who, 0, None, share) for share in np.arange(1, 8) / 8]
    for changes in (found, beside):
        for place in rng.permutation(len(changes)):
            yield changes[place]
