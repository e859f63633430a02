"""The last two steps, where there is a number to predict: triples are chosen, then measured."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import pi, sqrt

import numpy as np

from sfumato.measure.joint import JointCounts
from sfumato.measure.joint_table import JointTables
from sfumato.measure.tables import ClassTables
from sfumato.measure.triples import TripleChoice, pairs_without
from sfumato.numeric.arrays import Whole
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.privacy.mechanism import Event, Noise, Purse
from sfumato.privacy.sensitivity import Neighbours
from sfumato.render.estimate import NoisyTables
from sfumato.render.three_way import without_triples
from sfumato.synopsis.bins import Partition
from sfumato.synopsis.triples import THREE_WAY, Pair, Triples

__all__ = ["TripleSteps"]


@dataclass(frozen=True, eq=False)
class TripleSteps:
    """Pairs within bands of a target: so many are chosen, by what other tables do not explain."""

    unmerged: Partition  # of the right shape, for what needs no bins: prices
    target: int  # a column
    chosen: int
    neighbours: Neighbours
    choice_budget: PureDP | ZCDP | None  # None where all pairs are taken
    tables_budget: PureDP | ZCDP

    @cached_property
    def noise(self) -> Noise:
        """Of all tables; which were chosen changes no price."""
        return self._tables(self.unmerged, ((0, 1),) * self.chosen).noise

    @property
    def events(self) -> tuple[Event, ...]:
        """Both purchases, or that of tables alone."""
        choice = self._choice(self.unmerged, ())
        return (self.noise.event,) if choice is None else (choice.event, self.noise.event)

    def measure(
        self,
        known: NoisyTables,
        deviation: float,
        fold: Callable[[JointCounts], Whole],
        purse: Purse,
    ) -> Triples:
        """Bands and expectations from noisy tables alone, then counts of the records in them."""
        expectation = without_triples(known, self.target)
        banded = known.partition.within(self.target, expectation.band)
        counted = JointCounts(banded)
        counts = JointTables(counted, fold(counted)).by_pair(banded)
        choice = self._choice(banded, expectation.values)
        if choice is None:
            chosen = pairs_without(self.target, len(banded.columns))
        else:
            # What the noise of its own table would add to a triple's score speaks against it.
            length = sqrt(sum(value**2 for value in expectation.values))
            bins = np.diff(banded.offset)
            handicap = sqrt(2 / pi) * deviation * length * np.outer(bins, bins)
            expected = (np.rint(table).astype(np.int64) for table in expectation.counts)
            chosen = choice.perturb(counts, expected, np.rint(handicap).astype(np.int64), purse)
        tables = self._tables(banded, tuple(chosen))
        noisy = tables.by_pair(tables.perturb(counts, purse))
        return Triples(self.target, expectation.band, noisy)

    def _choice(self, partition: Partition, values: tuple[int, ...]) -> TripleChoice | None:
        if self.choice_budget is None:
            return None
        draws, price = self.chosen, self.choice_budget
        return TripleChoice(partition, draws, self.neighbours, price, self.target, values=values)

    def _tables(self, partition: Partition, pairs: tuple[Pair, ...]) -> ClassTables:
        return ClassTables(partition, pairs, THREE_WAY, self.neighbours, self.tables_budget)
