"""The best score where noise is known: the log-likelihood ratio under the noise that is claimed.

What both tables give along the same outputs is exact, so the ratio is the one of the
Neyman-Pearson lemma if the noise is as claimed; if it is not, it is a score like any other
and the bound stays valid.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.inspection.audit.finding import Sample, Tick
from sfumato.inspection.audit.region import Score, column
from sfumato.inspection.audit.replay import Diverged, RecordingPurse, Script, Statistic
from sfumato.numeric.arrays import Matrix, Whole
from sfumato.plan import Plan
from sfumato.privacy.guarantee import LocalDP, PureDP
from sfumato.privacy.randomness import Bits
from sfumato.table.people.people import People
from sfumato.table.records import Records

__all__ = ["LIKELIHOOD", "Likelihood"]

LIKELIHOOD: Score = column(0, "log-likelihood ratio")
_CERTAIN = 1e6  # stands for an infinite ratio: the other table asks for other statistics


@dataclass(frozen=True)
class Likelihood:
    """Runs of a plan on two neighbouring tables, each as its log-likelihood ratio."""

    plan: Plan
    tables: tuple[Records | People, Records | People]
    steady: bool  # whether exact values never depend on outputs, so that one replay is enough

    def sample(self, count: int, bits: Bits, tick: Tick) -> Sample:
        """`count` runs on each table."""
        first, second = (self._runs(side, count, bits, tick) for side in (0, 1))
        return Sample(first, second, [LIKELIHOOD])

    def _runs(self, side: int, count: int, bits: Bits, tick: Tick) -> Matrix:
        """Positive where the first table explains a run better."""
        reference = self._measured(self.tables[side], bits=bits)
        theirs = self._explained(reference, 1 - side)
        found, outputs, waiting = np.empty(count), [], []
        for i in range(count):
            run = self._measured(self.tables[side], bits=bits)
            steady = self.steady and not run.draws  # what was drawn differs from run to run
            if steady and theirs is not None and _exact(run) == _exact(reference):
                outputs.append(_outputs(run))
                waiting.append(i)
            else:
                found[i] = _ratio(run, self._explained(run, 1 - side), _outputs(run))
            tick()
        if waiting:
            drawn = [np.array(part) for part in zip(*outputs, strict=True)]
            found[waiting] = _ratio(reference, theirs, drawn)
        return (found if side == 0 else -found)[:, None]

    def _explained(self, run: RecordingPurse, side: int) -> RecordingPurse | None:
        """What the other table would have had along the same outputs; None: it has another path."""
        try:
            other = self._measured(self.tables[side], run.outputs)
        except Diverged:
            return None
        return other if len(other.purchases) == len(run.purchases) else None

    def _measured(
        self, records: Records | People, script: Script | None = None, bits: Bits | None = None
    ) -> RecordingPurse:
        purse = RecordingPurse(self.plan.guarantee, script, bits)
        self.plan.measure(records, purse)
        return purse


def _exact(run: RecordingPurse) -> list[bytes]:
    return [statistic.flat(statistic.exact).tobytes() for statistic in run.statistics]


def _outputs(run: RecordingPurse) -> list[Whole]:
    return [statistic.flat(statistic.outputs) for statistic in run.statistics]


def _ratio(own: RecordingPurse, other: RecordingPurse | None, drawn: Sequence[Whole]) -> Any:
    """How much better a table explains its outputs than its neighbour does; one per run."""
    if other is None:
        return _CERTAIN
    chosen = zip(own.draws, other.draws, strict=True)
    better = sum(theirs.surprise() - mine.surprise() for mine, theirs in chosen)
    parts = zip(own.statistics, other.statistics, drawn, strict=True)
    return better + sum(
        _surprise(theirs, part) - _surprise(mine, part) for mine, theirs, part in parts
    )


def _surprise(statistic: Statistic, outputs: Whole) -> Any:
    """Minus the log-density of outputs, one row per run, about the exact values."""
    away = (outputs - statistic.flat(statistic.exact)).astype(np.float64)
    away /= statistic.flat(statistic.units)
    size = float(statistic.noise.event.noise or 1)
    if isinstance(statistic.noise.cost, PureDP | LocalDP):
        return (np.abs(away) / size + np.log(size)).sum(axis=-1)
    return (away**2 / (2 * size) + np.log(size) / 2).sum(axis=-1)
