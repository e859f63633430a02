"""Tables III and IV, the middle and the right of figure 1: what models learn from releases.

A linear support vector machine says whether a patch of forest is lodgepole pine, kernel ridge
regression how high it lies; both are taught a release and tried on real records that had
no part in it.  PCA-Gauss releases coordinates along its components, as in the paper, and
held-out records are projected on them; all other releases are tables like the original, in
which label and target are columns like any other.

Four lines frame the scores: the same model taught real private records, the same taught
the public part alone, a model that always gives the same answer (the most frequent class, the
held-out mean), and for regression the paper's own frame, uniform random guesses.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from papers.chanyaswad2017.compete import at, compete
from papers.chanyaswad2017.data import LABEL, TARGET, Task
from papers.chanyaswad2017.settings import Settings
from papers.outcome import Outcome, Outcomes
from sfumato.inspection import classification, regression
from sfumato.inspection.utility import encoded
from sfumato.methods.reduction import Released
from sfumato.numeric.arrays import Matrix
from sfumato.schema import Schema
from sfumato.schema.domain import Grid
from sfumato.synopsis.centred import UNIT, Centred

__all__ = ["ALONE", "CONSTANT", "GUESS", "REAL", "run"]

REAL, ALONE = "real data", "the public part alone"
CONSTANT, GUESS = "always the same answer", "random guess"


def run(
    table: str, task: Task, settings: Settings, found: Outcomes, tick: Callable[[str], None]
) -> int:
    """The frame, then every contender; gives back how many features components are made of."""
    model = _Model(table, task)
    for trial in range(settings.trials):
        rng = np.random.default_rng(settings.seed_of(table, REAL, trial))
        part = rng.permutation(task.rows)[: settings.scored[table]]
        for name, value in model.frame(task.private.take(part), rng).items():
            found.add(Outcome(table, name, None, trial, at(table), value))
        tick(f"table {table}, without a budget")
    compete(table, task, len(model.space), model.score, settings, found, tick)
    return len(model.space)


@dataclass(frozen=True)
class _Model:
    """The model of a table, and how releases of either kind are scored by it."""

    table: str
    task: Task

    @property
    def beside(self) -> str:
        """The column that is learnt."""
        return LABEL if self.table == "III" else TARGET

    @cached_property
    def place(self) -> int:
        """Where it stands among the columns."""
        return [axis.name for axis in self.task.domain.axes].index(self.beside)

    @cached_property
    def space(self) -> Centred:
        """The features that components are made of."""
        return Centred.of(self.task.domain, without=(self.place,))

    def frame(self, real: pa.Table, rng: np.random.Generator) -> dict[str, float]:
        """What real records teach, what public ones teach, and what nothing teaches."""
        best, constant = self._scored(real, self.task.held_out, self.task.domain.schema)
        framed = {REAL: best, ALONE: self._alone, CONSTANT: constant}
        axis = self.task.domain.axes[self.place]
        if not isinstance(axis, Grid):
            return framed
        y = encoded(self.task.held_out, self.task.domain)[:, self.place] / axis.points
        error = float(np.sqrt(np.mean((rng.uniform(size=len(y)) - y) ** 2)))
        return framed | {GUESS: 2 * error}

    @cached_property
    def _alone(self) -> float:
        return self.score(self.task.public)

    def score(self, release: pa.Table, measured: object = None) -> float:
        """Accuracy, or the error with the target scaled to [-1, 1]."""
        test, schema = self.task.held_out, self.task.domain.schema
        if isinstance(measured, Released):
            coordinates = self._held_out @ measured.reduced.directions.matrix.T
            names = [name for name in release.column_names if name != self.beside]
            columns = dict(zip(names, coordinates.T, strict=True))
            test = pa.table(columns | {self.beside: test.column(self.beside)})
            kinds = {name: _frame(release.column(name), columns[name]) for name in names}
            kinds[self.beside] = schema.to_json()["columns"][self.beside]
            schema = Schema.of({"name": "components", "columns": kinds})
        return self._scored(release, test, schema)[0]

    def _scored(self, release: pa.Table, test: pa.Table, schema: Schema) -> tuple[float, float]:
        """The score, and that of always giving the same answer."""
        if self.table == "III":
            classified = classification(release, test, schema, models=["svm"])
            return classified.scores["svm"].accuracy, classified.lowest.accuracy
        predicted = regression(release, test, schema, target=TARGET)
        return 2 * predicted.rmse, 2 * predicted.lowest

    @cached_property
    def _held_out(self) -> Matrix:
        """NOT PRIVATE: the features of held-out records, to be projected."""
        codes = encoded(self.task.held_out, self.task.domain)
        return np.asarray(self.space.design(codes) / UNIT)


def _frame(drawn: pa.ChunkedArray, held_out: Matrix) -> dict[str, Any]:
    """A range about zero that holds both, so that scoring cuts nothing off."""
    most = max(float(np.abs(drawn.to_numpy()).max()), float(np.abs(held_out).max()), 1e-9)
    return {"kind": "number", "low": -most, "high": most}
