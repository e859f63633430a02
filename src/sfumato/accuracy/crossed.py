"""Which relations of one noisy table of two columns look exact, and by what bounds.

The rule is in `sfumato.accuracy.relations`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from math import floor, sqrt
from typing import Any

import numpy as np

from sfumato.accuracy.hypothesis import Hypothesis, declares, hypotheses, matched
from sfumato.accuracy.noisy import Noisy, combined
from sfumato.accuracy.side import Side
from sfumato.accuracy.tables import Tables
from sfumato.accuracy.two_way import TwoWay
from sfumato.numeric.arrays import Mask, Vector
from sfumato.schema.constraint import Combination, Constraint
from sfumato.schema.domain import Levels

__all__ = ["Bounds", "Crossed", "Suggestion"]

_SURPRISE = 3  # times as many expected as can be there
_LEAST = 1  # deviations, which noise exceeds far too often for any bound
_MISSED = Fraction(1, 100)  # chance that a constraint that holds exactly is not recognised


@dataclass(frozen=True, eq=False)
class Suggestion:
    """A constraint that looks exact, and what speaks for it."""

    hypothesis: Hypothesis
    columns: tuple[str, str]
    noisy: Noisy  # records that break it
    at_most: int  # of them
    expected: int  # at least, if the columns had nothing to do with each other
    of: float  # records in all, at least
    untold: Noisy | None = None  # of an order: records in bins that overlap, which may break it too

    @property
    def constraint(self) -> str | Combination | None:
        """What the schema would say; None where it cannot."""
        return self.hypothesis.constraint

    @property
    def written(self) -> str | dict[str, Any] | None:
        """The same as a file has it."""
        said = self.constraint
        if isinstance(said, Combination):
            return said.model_dump(mode="json", exclude_none=True)
        return said

    @property
    def share(self) -> float:
        """Of all records, that can break it at most."""
        return self.at_most / self.of

    @property
    def strength(self) -> float:
        """How many times more there would be by chance."""
        return self.expected / max(self.at_most, 1)

    def to_json(self) -> dict[str, Any]:
        """For programs; `constraint` can be put into a schema."""
        return {
            "constraint": self.written,
            "words": self.hypothesis.words,
            "columns": list(self.columns),
            "cells": int(self.hypothesis.block.sum()),
            "noisy": self.noisy.value,
            "deviation": self.noisy.law.deviation,
            "at most": self.at_most,
            "share at most": self.share,
            "expected by chance at least": self.expected,
        } | ({} if self.untold is None else {"not told, about": max(self.untold.value, 0.0)})


@dataclass(frozen=True, eq=False)
class Bounds:
    """What all pairs of columns share: limits, and the chance that one bound may be wrong."""

    tables: Tables
    margins: dict[str, list[Noisy]]
    share: Fraction  # of all records
    single: Fraction  # chance, of each bound from tables of single columns by class
    paired: Fraction  # chance, of each bound from tables of pairs

    @cached_property
    def records(self) -> tuple[float, float]:
        """At least and at most."""
        total = self.tables.total
        if total.public:
            return total.value, total.value
        far = total.law.one_sided(self.single)
        return max(total.value - far, 0.0), max(total.value + far, 1.0)

    @property
    def broken(self) -> Fraction:
        """Records that may break what is suggested."""
        return self.share * Fraction(self.records[0])

    @cached_property
    def least(self) -> dict[str, Vector]:
        """Of the records in each bin."""
        return {
            name: np.array([self._least(n) for n in bins]) for name, bins in self.margins.items()
        }

    def _least(self, noisy: Noisy) -> float:
        return noisy.value if noisy.public else max(noisy.lower_bound(1 - self.single), 0.0)

    def judge(self, pair: "Crossed", one: Hypothesis) -> Suggestion | None:
        """Suggested, or nothing."""
        least, most = self.records
        first, second = (self.least[side.axis.name] for side in pair.sides)
        expected = float(np.outer(first, second)[one.block].sum()) / most
        allowed = min(self.broken, Fraction(expected) / _SURPRISE)
        # Cheap questions first: most hypotheses fall at once.
        spread = _LEAST * pair.deviation
        counted = float(pair.table.counts[one.block].sum())
        if allowed < spread or counted - float(allowed) > spread * sqrt(one.block.sum()):
            return None
        noisy = min(pair.ways(one, self), key=lambda way: way.variance)
        law, room = noisy.law, allowed - noisy.exactly
        chance = self.single if pair.by_class else self.paired
        if room < _LEAST * law.deviation or law.tail(room).upper > chance:
            return None
        if law.tail(noisy.exactly).upper < _MISSED:
            return None
        at_most = max(floor(noisy.exactly + Fraction(law.one_sided(chance))), 0)
        untold = None
        if one.untold is not None and one.untold.any():
            untold = pair.sum(one.untold)
        return Suggestion(one, pair.names, noisy, at_most, floor(expected), least, untold)


@dataclass(frozen=True, eq=False)
class Crossed:
    """Two columns, their noisy table, and what is tried on it."""

    table: TwoWay
    sides: tuple[Side, Side]
    tried: Sequence[Hypothesis]
    by_class: bool  # whether the second column is the label

    @classmethod
    def of(cls, tables: Tables, *names: str) -> "Crossed":
        """Two columns of which a table was measured."""
        table = tables.pair(names[0], names[1])
        axes = {axis.name: k for k, axis in enumerate(tables.domain.axes)}
        columns = {column.fine.axis: column for column in tables.synopsis.partition.columns}
        sides = []
        for name, values in zip(names, table.values, strict=True):
            axis = tables.domain.axes[axes[name]]
            if column := columns.get(axes[name]):
                sides.append(Side.of(axis, column))
            elif isinstance(axis, Levels):
                sides.append(Side.of_label(axis, values))
        first, second = sides
        tried = hypotheses(first, second)
        return cls(table, (first, second), tried, axes[names[1]] not in columns)

    @property
    def names(self) -> tuple[str, str]:
        """Of the two columns."""
        return self.table.columns

    @cached_property
    def deviation(self) -> float:
        """Of the noise on one cell."""
        return self.table.place(0, 0, slice(None)).law.deviation

    def ways(self, one: Hypothesis, bounds: Bounds) -> Iterator[Noisy]:
        """The cells added up; or, of a bin without one companion, the bin less that cell.

        Not where pairs were chosen by what the noise of single columns made of them.
        """
        yield self.sum(one.block)
        if one.line is not None and (self.by_class or not bounds.tables.synopsis.chosen):
            side, own, companion = one.line
            v, w = (own, companion) if side == 0 else (companion, own)
            whole = bounds.margins[self.names[side]][own]
            yield whole - self.table.place(v, w, slice(None))

    def sum(self, block: Mask) -> Noisy:
        """The records of some cells."""
        cells = {
            f"{v},{w}": self.table.place(v, w, slice(None)) for v, w in np.argwhere(block).tolist()
        }
        return combined(cells, dict.fromkeys(cells, 1))

    def suggestions(self, bounds: Bounds, declared: Sequence[Constraint]) -> list[Suggestion]:
        """None of which another one contains or the schema declares."""
        new = [one for one in self.tried if not declares(declared, one.constraint, *self.sides)]
        judged = [bounds.judge(self, one) for one in new]
        found = self._matched([one for one in judged if one is not None], bounds)
        return [one for one in found if not any(_contains(other, one) for other in found)]

    def _matched(self, found: list[Suggestion], bounds: Bounds) -> list[Suggestion]:
        """Two that say one thing become one, whose bound is the sum of theirs."""
        left, together = list(found), []
        for one, other in permutations(found, 2):
            both = matched(one.hypothesis, other.hypothesis, *self.sides)
            at_most = one.at_most + other.at_most
            if both is None or one not in left or other not in left or at_most > bounds.broken:
                continue
            left = [each for each in left if each is not one and each is not other]
            noisy, expected = one.noisy + other.noisy, one.expected + other.expected
            of, untold = one.of, one.untold
            together.append(Suggestion(both, self.names, noisy, at_most, expected, of, untold))
        return together + left


def _contains(large: Suggestion, small: Suggestion) -> bool:
    """Whether one says more; what the schema can say is not given up for what it cannot."""
    outer, inner = large.hypothesis.block, small.hypothesis.block
    more = not (inner & ~outer).any() and (outer & ~inner).any()
    return bool(more) and (large.constraint is not None or small.constraint is None)
