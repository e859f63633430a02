"""Every record by its own exponential mechanism, order kept: a baseline.

Guarantee.  ε-DP under replace-one, n public.  A record x becomes y with probability
∝ exp(−ε ‖x − y‖₁ / (2Δ)) over the whole public grid, where a record stands for its features:
a number for its place in [0, 1], two levels for 0 and 1, three or more for a block of
dummies, and a missing number for the middle of its range with the flag raised.
Sensitivity.  Δ = `record(...)`: by the triangle inequality no distance to y moves further
than the record itself.
Exactness.  The law is a product over columns, and each column is drawn from whole-number
ceilings of its weights (`sfumato.privacy.choice`): no float decides.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Codes, Whole
from sfumato.privacy.choice import Ceilings, Choice, width_for
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.keyed import NoiseKey
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.noise import uniform_below
from sfumato.privacy.randomness import Bits
from sfumato.privacy.sensitivity import record
from sfumato.schema.domain import MISSING, Axis, Grid, Levels
from sfumato.synopsis.features import Features
from sfumato.table.mapped import Mapped
from sfumato.table.records import Records

__all__ = ["ExponentialRecords"]


_STEEPEST = Fraction(2**900)  # floats stand in with it for rates that no float holds


@dataclass(frozen=True)
class ExponentialRecords:
    """Each record replaced by one that is the likelier the nearer it is."""

    features: Features
    budget: PureDP

    @property
    def choice(self) -> Choice:
        """What the records cost, and how fast probability falls with distance."""
        f = self.features
        moved = record(continuous=f.continuous, binary=f.binary, blocks=f.blocks)
        return Choice("records", moved.l1, self.budget)

    def perturb(self, records: Records, purse: Purse) -> Mapped[Codes]:
        """New codes, part by part, in order; paid for once, up front."""
        return records.map(_PaidDraws(self, purse.spend_by_part(self.choice.event)))


@dataclass(frozen=True, eq=False)
class _PaidDraws:
    records: ExponentialRecords
    key: NoiseKey

    def __call__(self, number: int, codes: Codes, /) -> Codes:
        bits, out = self.key.part(number, codes), np.empty_like(codes)
        for j, law in enumerate(self._laws):
            out[:, j] = _draw(law, codes[:, j].astype(np.int64), bits)
        return out

    @cached_property
    def _laws(self) -> "list[_Law]":
        rate = self.records.choice.rate
        return [_law(axis, rate) for axis in self.records.features.domain.axes]

    def __reduce__(self) -> Any:
        return _PaidDraws, (self.records, self.key)  # laws are made again where they are used


class _Proposal(NamedTuple):
    """Cells drawn for some records: where they lead, and the weight each has to stay under."""

    code: Whole
    which: Whole
    level: Whole
    inside: NDArray[np.bool_]


class _Law(Protocol):
    """One column: what a code becomes."""

    ceilings: Ceilings

    def bounds(self, codes: Whole) -> list[tuple[Whole, int]]:
        """Which records draw below which number of cells: at most twice as many as they have."""

    def locate(self, code: Whole, cell: Whole) -> _Proposal:
        """What uniform cells mean for records with these codes."""


def _draw(law: _Law, codes: Whole, bits: Bits) -> Whole:
    """A new code for each, by proposals until each has one."""
    out = np.empty_like(codes)
    for waiting, cells in law.bounds(codes):
        while waiting.size:
            cell = uniform_below(cells, waiting.size, bits)
            found = law.locate(codes[waiting], cell)
            taken = found.inside
            taken[taken] = law.ceilings.accept(found.which[taken], found.level[taken], bits)
            out[waiting[taken]] = found.code[taken]
            waiting = waiting[~taken]
    return out


def _law(axis: Axis, rate: Fraction) -> _Law:
    return _NumberLaw(axis, rate) if isinstance(axis, Grid) else _LevelLaw(axis, rate)


class _LevelLaw:
    """Stay with weight 1, or become any other level with weight exp(−rate · distance)."""

    def __init__(self, axis: Levels, rate: Fraction) -> None:
        exponents = [Fraction(0), rate * (2 if axis.codes > 2 else 1)]
        self.ceilings = Ceilings(_floats(exponents), exponents.__getitem__, width_for(axis.codes))
        self._stay, self._move = (int(cells) for cells in self.ceilings.above)
        self._cells = self._stay + (axis.codes - 1) * self._move

    def bounds(self, codes: Whole) -> list[tuple[Whole, int]]:
        return [(np.arange(len(codes)), self._cells)]

    def locate(self, code: Whole, cell: Whole) -> _Proposal:
        moved = cell >= self._stay
        other, level = np.divmod(cell - self._stay, self._move)
        other += other >= code  # the others, in order
        return _Proposal(
            code=np.where(moved, other, code),
            which=moved.astype(np.int64),
            level=np.where(moved, level, cell),
            inside=np.ones_like(moved),
        )


class _NumberLaw:
    """Cells of a record at c: 0, 1, … steps upwards, then 1, 2, … downwards, then missing.

    The weights by distance come twice where missing is declared: once plain, and once with
    the change of the flag.  The second half serves the way into missing and out of it.
    """

    def __init__(self, axis: Grid, rate: Fraction) -> None:
        self._last, self._middle = axis.points, axis.middle
        self._missing, self._size = axis.missing, axis.points + 1
        step, flag = rate / axis.points, [Fraction(0), rate]
        away = np.arange(self._size) * _floats([step])
        plain = np.concatenate([away, away + _floats([rate])]) if axis.missing else away
        self.ceilings = Ceilings(
            plain,
            lambda i: flag[i // self._size] + i % self._size * step,
            width_for(len(plain)),
        )
        self._above, self._ends = self.ceilings.above, np.cumsum(self.ceilings.above)

    def bounds(self, codes: Whole) -> list[tuple[Whole, int]]:
        # Few cells lead out of missing where the flag weighs much: it has a bound of its own.
        cells = self._edges(np.arange(MISSING if self._missing else 0, self._size))[-1]
        gone = codes == MISSING
        most = [(np.flatnonzero(~gone), int(cells[int(self._missing) :].max()))]
        return [*most, (np.flatnonzero(gone), int(cells[0]))]

    def _edges(self, code: Whole) -> tuple[Whole, ...]:
        """Centre, first weight, weight of missing, and where the three runs of cells end."""
        gone = code == MISSING
        centre, first = np.where(gone, self._middle, code), np.where(gone, self._size, 0)
        up = self._ends[first + self._last - centre] - self._ends[first] + self._above[first]
        down = up + self._ends[first + centre] - self._ends[first]
        if not self._missing:
            return centre, first, first, up, down, down
        missing = np.where(gone, 0, self._size + np.abs(centre - self._middle))
        return centre, first, missing, up, down, down + self._above[missing]

    def locate(self, code: Whole, cell: Whole) -> _Proposal:
        centre, first, missing, up, down, end = self._edges(code)
        present, downwards = cell < down, cell >= up
        # Downwards the distance 0 is left out, since it was counted upwards.
        start = self._ends[first] - self._above[first]
        at = start + cell + np.where(downwards, self._above[first] - up, 0)
        which = np.searchsorted(self._ends, np.where(present, at, 0), side="right")
        distance = which - first
        which = np.where(present, which, missing)
        return _Proposal(
            code=np.where(present, np.where(downwards, centre - distance, centre + distance), -1),
            which=which,
            level=np.where(present, at - (self._ends[which] - self._above[which]), cell - down),
            inside=cell < end,
        )


def _floats(exponents: list[Fraction]) -> NDArray[np.float64]:
    return np.array([float(min(z, _STEEPEST)) for z in exponents])
