"""NOT PRIVATE: which method to take, and why, from a comparison.

The measure is that of the schema's task: telling classes apart, predicting a target, else
pairs of columns.  Only methods with a proof are recommended.  What counts is the gain over
guessing that is certain (Student's t over the trials, at 95 % for all methods together),
averaged over the budgets: where all is noise, luck does not decide.  Methods that so few
trials do not tell apart are named.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import hypot, inf

import numpy as np

from sfumato.inspection.compare.comparison import Cell, Comparison
from sfumato.inspection.compare.trial import MEASURES

__all__ = ["COST", "Recommendation", "leading_measure", "recommended"]

COST = (
    "Choosing by these figures gives something away that no budget pays for. Decide on public or "
    "made-up records of the same kind, or pay for the choice: --private-choice."
)
_DOUBT = 0.05


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A method with its reason; and for each budget the best, or None where all is guessing."""

    method: str
    reason: str
    by_budget: Mapping[str, str | None]


def leading_measure(found: Comparison) -> str | None:
    """What decides: the schema's task, else pairs of columns, else columns."""
    order = ("auc", "error", "two-way", "one-way")
    return next((name for name in order if name in found.measures), None)


def recommended(found: Comparison) -> Recommendation | None:
    """NOT PRIVATE: None where no method with a proof released rows in the schema's columns."""
    measure = leading_measure(found)
    if measure is None:
        return None
    proved = [name for name in found.methods if found.contender(name).proved]
    table = {e: _cells(found, proved, measure, e) for e in found.epsilons}
    names = sorted({name for cells in table.values() for name in cells}, key=proved.index)
    if not names:
        return None
    judge = _Judge(found, measure, _DOUBT / len(names))
    gains = {
        name: float(np.mean([judge.gain(cells.get(name)) for cells in table.values()]))
        for name in names
    }
    by_budget = {epsilon: judge.best(cells) for epsilon, cells in table.items()}
    if max(gains.values()) > judge.nothing:
        chosen = max(gains, key=gains.__getitem__)
    else:  # all is guessing: the best of the luckiest, and the reason says so
        last = next(cells for cells in reversed(table.values()) if cells)
        chosen = max(last, key=lambda name: judge.sign * last[name].mean)
    return Recommendation(chosen, judge.reason(chosen, table), by_budget)


@dataclass(frozen=True)
class _Judge:
    found: Comparison
    measure: str
    doubt: float  # for each method

    @cached_property
    def errors(self) -> float:
        """How many standard errors are allowed for."""
        from scipy.stats import t

        return float(t.isf(self.doubt, self.found.wanted - 1)) if self.found.wanted > 1 else 0.0

    @property
    def sign(self) -> int:
        return 1 if MEASURES[self.measure].higher else -1

    @property
    def least(self) -> float | None:
        """What guessing scores, where that is known."""
        return self.found.framed[self.measure][1]

    @property
    def nothing(self) -> float:
        return 0.0 if self.least is not None else -inf

    def gain(self, cell: Cell | None) -> float:
        """What is certain of the gain over guessing; of a distance, the distance itself."""
        if cell is None:
            return 0.0 if self.least is not None else -1.0
        if self.least is None:
            return self.sign * cell.mean
        return max(0.0, self.sign * (cell.mean - self.least) - self.errors * (cell.error or 0))

    def best(self, cells: Mapping[str, Cell]) -> str | None:
        told = {name: self.gain(cell) for name, cell in cells.items()}
        useful = {name: gain for name, gain in told.items() if gain > self.nothing}
        return max(useful, key=useful.__getitem__) if useful else None

    def reason(self, chosen: str, table: Mapping[str, Mapping[str, Cell]]) -> str:
        budgets = [epsilon for epsilon, cells in table.items() if chosen in cells]
        certain = [e for e in budgets if self.gain(table[e][chosen]) > self.nothing]
        at = (certain or budgets)[-1]
        last, whole = table[at], self.found.framed[self.measure][0]
        cell, unit = last[chosen], MEASURES[self.measure].unit
        said = f"{unit}: {_spelt(cell)} at ε = {at}, the records themselves {whole:.3f}."
        if self.found.wanted == 1:
            said += " One trial each: luck is not ruled out."
        if self.least is not None and self.gain(cell) == 0:
            return f"{said} Not told from guessing ({self.least:.3f}): raise the budget."
        rivals = {name: other for name, other in last.items() if name != chosen}
        tied = [name for name, other in rivals.items() if not self._worse(other, cell)]
        if tied:
            said += f" {self.found.wanted} trials do not tell it from {', '.join(tied)}."
            keeps = min([chosen, *tied], key=self._pairs)
            if self.measure != "two-way" and keeps != chosen:
                said += f" Of these {keeps} keeps pairs of columns best."
        elif rivals:
            second = max(rivals, key=lambda name: self.sign * rivals[name].mean)
            said += f" Next is {second} with {_spelt(rivals[second])}."
        return said

    def _worse(self, cell: Cell, best: Cell) -> bool:
        """Whether the trials tell it from the best."""
        if cell.error is None or best.error is None:
            return cell.mean != best.mean
        gap = self.sign * (best.mean - cell.mean)
        return gap > self.errors * hypot(cell.error, best.error)

    def _pairs(self, name: str) -> float:
        cell = self.found.cell(name, "two-way", self.found.epsilons[-1])
        return inf if cell is None else cell.mean


def _cells(found: Comparison, names: list[str], measure: str, epsilon: str) -> dict[str, Cell]:
    cells = {name: found.cell(name, measure, epsilon) for name in names}
    return {name: cell for name, cell in cells.items() if cell is not None}


def _spelt(cell: Cell) -> str:
    return f"{cell.mean:.3f}" + (f" ± {cell.error:.3f}" if cell.error is not None else "")
