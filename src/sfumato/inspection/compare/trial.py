"""NOT PRIVATE: one release by one contender, and how good it is beside the records."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.inspection.classify import classification, missing
from sfumato.inspection.compare.contender import Contender
from sfumato.inspection.information import total_variation
from sfumato.inspection.regression import regression
from sfumato.inspection.subspace import captured_variance
from sfumato.inspection.task import MODELS, target_of
from sfumato.inspection.utility import encoded
from sfumato.publishing.doubt import unheard
from sfumato.publishing.table import publish
from sfumato.render.components import COLUMNS
from sfumato.render.decode import Decoder
from sfumato.schema.domain import Domain

__all__ = ["MEASURES", "Measure", "Parts", "Trial", "run_trial"]

_HELD_OUT = 0.3


@dataclass(frozen=True, slots=True)
class Measure:
    """What is measured, in which unit, and whether more of it is better."""

    title: str
    unit: str
    higher: bool


MEASURES: Mapping[str, Measure] = {
    "auc": Measure("Telling the classes apart", "AUC on held-out records", True),
    "accuracy": Measure("Naming the class", "share of held-out records named rightly", True),
    "error": Measure("Predicting the target", "root mean square error, in ranges", False),
    "two-way": Measure("Pairs of columns", "total variation, mean over pairs", False),
    "one-way": Measure("Columns", "total variation, mean over columns", False),
    "variance": Measure("Components", "share of the best components' variance", True),
}


@dataclass(frozen=True, slots=True)
class Trial:
    """Scores of one release; empty where its rows are not in the schema's columns."""

    contender: Contender
    number: int
    seconds: float
    scores: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Parts:
    """The records on the public grid: those to publish from, and those held out."""

    domain: Domain  # without formats of text: both are stored as what they are
    known: pa.Table
    held_out: pa.Table

    @classmethod
    def of(cls, data: Any, domain: Domain, seed: int) -> "Parts":
        """Drawn without replacement: no order of the records matters."""
        codes = encoded(data, domain)
        order = np.random.default_rng(seed).permutation(len(codes))
        held = round(_HELD_OUT * len(codes))
        decoder = Decoder(domain)
        tables = (
            pa.Table.from_batches([decoder.batch(codes[rows])])
            for rows in (order[held:], order[:held])
        )
        return cls(Domain.of(domain.schema.plain()), *tables)

    @cached_property
    def framed(self) -> dict[str, tuple[float, float | None]]:
        """What the records themselves would score, and the least worth having."""
        found: dict[str, tuple[float, float | None]] = {}
        for measure, score in self.scores(self.known).items():
            found[measure] = (score, None)
        if "auc" in found:
            guess = float(np.bincount(self._labels).max() / len(self._labels))
            found["auc"] = (found["auc"][0], 0.5)
            found["accuracy"] = (found["accuracy"][0], guess)
        if "error" in found:
            target = target_of(self.domain)
            assert target is not None  # noqa: S101  only then is there an error
            mean = regression(
                self.known.slice(0, 0), self.held_out, self.domain.schema, target=target
            )
            found["error"] = (found["error"][0], mean.lowest)
        for ways, name in ((1, "one-way"), (2, "two-way")):
            if name in found:
                # Two samples of the same people differ by as much: nothing can be closer.
                apart = total_variation(self.held_out, self.known, self.domain.schema, ways=ways)
                found[name] = (apart.mean, None)
        return found

    @cached_property
    def unmeasured(self) -> dict[str, str]:
        """Measures that this schema allows and this machine does not, with what it lacks."""
        if self.domain.label is None or not (absent := missing()):
            return {}
        return {"measures of the label": absent}

    @property
    def _labels(self) -> Any:
        assert self.domain.label is not None  # noqa: S101  only asked for with a label
        return encoded(self.held_out, self.domain)[:, self.domain.label]

    def scores(self, release: pa.Table) -> dict[str, float]:
        """NOT PRIVATE: every measure that this schema allows, of rows in its columns."""
        schema, found = self.domain.schema, {}
        if self.domain.label is not None and not self.unmeasured:
            learnt = classification(release, self.held_out, schema, models=MODELS).scores
            found["auc"] = float(np.mean([score.auc for score in learnt.values()]))
            found["accuracy"] = float(np.mean([score.accuracy for score in learnt.values()]))
        if (target := target_of(self.domain)) is not None:
            found["error"] = regression(release, self.held_out, schema, target=target).rmse
        for ways, name in ((1, "one-way"), (2, "two-way")):
            if len(self.domain.axes) >= ways and release.num_rows:
                found[name] = total_variation(release, self.known, schema, ways=ways).mean
        return found


def run_trial(parts: Parts, contender: Contender, number: int, seed: int) -> Trial:
    """NOT PRIVATE: publish once with seeded noise, in memory, and score the release.

    It is priced as `publish` prices it, counts of what does not fit included, and never stops.
    The processor's time is taken, not the clock's: others may be at work beside.
    """
    before = process_time()
    release = publish(
        parts.known,
        schema=parts.domain.schema,
        method=contender.method,
        seed=seed,
        accept_no_guarantee=True,
        misfit=1,
        progress=False,
        on_doubt=unheard,  # the scores tell
        **contender.budget,
    )
    table = release.table  # its rows are drawn by now
    seconds = process_time() - before
    scores: dict[str, float] = {}
    if {axis.name for axis in parts.domain.axes} <= set(table.column_names):
        scores = parts.scores(table)
    elif table.column_names[: len(COLUMNS)] == [*COLUMNS]:
        held = captured_variance(table, parts.known, parts.domain.schema)
        scores = {"variance": held.of_best}
    return Trial(contender, number, seconds, scores)
