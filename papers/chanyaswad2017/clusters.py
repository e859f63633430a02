"""Table II and the left of figure 1: how well releases of faces fall into clusters.

The silhouette coefficient needs no truth about clusters and no common space, as the paper
says.  So it does not need the records either: it says how a table is spread, and a cloud of
normal noise in few dimensions is spread well.  That cloud, made without any record, is run
beside the releases; what scores no better has not shown that it knows anything.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa

from papers.chanyaswad2017.compete import at, compete
from papers.chanyaswad2017.data import Task
from papers.chanyaswad2017.settings import (
    CLUSTERS,
    FEWEST,
    RANKS,
    Contender,
    Settings,
    ranks_upto,
)
from papers.outcome import Outcome, Outcomes
from sfumato.inspection import clustering
from sfumato.numeric.arrays import Matrix

__all__ = ["FRAMED", "NOISE", "REAL", "run"]

REAL, NOISE = "real data", "normal noise, no records"
FRAMED = "pca-gauss, ranges of the camera"


def run(
    task: Task,
    framed: Task,
    settings: Settings,
    found: Outcomes,
    tick: Callable[[str], None],
) -> None:
    """Records and noise first; then every contender; then what wider ranges do."""
    width = len(task.domain.axes)
    for trial in range(settings.trials):
        rng = np.random.default_rng(settings.seed_of("II", REAL, trial))
        part = rng.permutation(task.rows)[: settings.scored["II"]]
        value = _silhouette(task.private.take(part), task, settings)
        found.add(Outcome("II", REAL, None, trial, at("II"), value))
        for rank in [*ranks_upto(RANKS["II"], width), width]:
            cloud = _named(rng.normal(size=(settings.scored["II"], rank)))
            value = clustering(cloud, clusters=CLUSTERS, most=settings.scored["II"]).release
            found.add(Outcome("II", NOISE, None, trial, at("II", rank), value))
        tick("table II, without a budget")

    def score(release: pa.Table, _: object) -> float:
        return _silhouette(release, task, settings)

    compete("II", task, width, score, settings, found, tick)
    if "II" in settings.figures:
        few = (min(FEWEST["II"], width - 1),)
        alone = {"II": (Contender(FRAMED, "pca-gauss", ranks=few),)}
        once = replace(settings, figures=("II",), contenders=alone)
        compete("II", framed, width, score, once, found, tick)


def _silhouette(table: pa.Table, task: Task, settings: Settings) -> float:
    schema = task.domain.schema
    return clustering(table, schema, clusters=CLUSTERS, most=settings.scored["II"]).release


def _named(X: Matrix) -> pa.Table:
    return pa.table({f"component_{k + 1}": x for k, x in enumerate(X.T)})
