"""Frozen noise: with the same outputs, what do neighbouring tables still change?

Along the same outputs each statistic may differ between neighbours by its sensitivity and
no more; its noise, its shape and everything that leaves the method may not differ at all.
One pair that breaks this is a counterexample to the proof: no statistics are needed.

>>> from sfumato.inspection.audit.neighbours import neighbours
>>> from sfumato.publishing.table import price
>>> plan = price({"name": "t", "columns": {"a": {"kind": "boolean"}}}, epsilon=1, fit=False)
>>> found = freeze(plan, neighbours(plan.domain))
>>> found.worst, found.loss, found.violations
(1.0, 1.0, ())
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.inspection.audit.judge import violations
from sfumato.inspection.audit.neighbours import Neighbour
from sfumato.inspection.audit.path import LEAKS, Path
from sfumato.inspection.audit.search import Measured, Search
from sfumato.inspection.audit.step import Step
from sfumato.inspection.audit.tape import Added, taped
from sfumato.numeric.arrays import Matrix
from sfumato.plan import Plan
from sfumato.privacy.guarantee import Heuristic, LocalDP, PureDP

__all__ = ["Frozen", "freeze"]

_PATHS = 3  # different outputs along which the tables are compared


@dataclass(frozen=True)
class Frozen:
    """What was found with frozen noise."""

    complete: bool  # whether all that was drawn could be frozen; else nothing was compared
    worst: float | None = None  # largest distance between neighbours, as a share of its bound
    violations: tuple[str, ...] = ()
    pair: tuple[int, int] = (0, 1)  # the tables that the claimed noise hides least
    loss: float | None = None  # their privacy loss under that noise: ε, or ρ if it is Gaussian
    steady: bool = False  # whether no statistic depends on earlier outputs
    leaks: bool = False  # whether releases differ although the outputs are the same
    bought: bool = False  # whether all was bought as noise or as draws, so that it can be replayed
    measured: tuple[Measured, ...] = ()


def freeze(plan: Plan, tables: Sequence[Neighbour]) -> Frozen:
    """Compare all neighbours along a few frozen paths; nothing where nothing is promised."""
    if isinstance(plan.guarantee, Heuristic):
        return Frozen(complete=False)
    search, several, bought = Search(plan), len(tables), True
    losses, exact = np.zeros((several, several)), set[bytes]()
    with taped():
        for seed in range(_PATHS):
            path = Path(plan, tables[seed % several], seed, rendered=seed == 0)
            search.compare(path, tables)
            bought &= path.first.complete
            runs = [path.run(table).steps for table in tables]
            known = [steps for steps in runs if steps is not None]
            if len(known) < several:
                break
            firsts = 1 if search.removing else several
            losses += _losses(plan, known, firsts) / _PATHS
            exact.add(b"".join(_exact(step) for steps in known for step in steps))
    said = violations(search)
    i, j = divmod(int(losses.argmax()), several)
    return Frozen(
        complete=True,
        worst=max((one.ratio for one in search.found.values()), default=0.0),
        violations=tuple(said),
        pair=(i, j) if losses[i, j] else (0, 1),
        loss=float(losses[i, j]),
        steady=len(exact) == 1 and LEAKS not in search.faults,
        leaks=LEAKS in search.faults,
        bought=bought,
        measured=tuple(search.found.values()),
    )


def _losses(plan: Plan, runs: Sequence[Sequence[Step]], firsts: int) -> Matrix:
    """What each pair of tables costs under the noise that was drawn, in the unit of the claim."""
    losses = np.zeros((len(runs), len(runs)))
    for k in range(len(runs[0])):
        others = [steps[k] for steps in runs]
        for i in range(firsts):
            moved = runs[i][k].moved(others)
            pure = isinstance(plan.guarantee, PureDP | LocalDP)
            losses[i] += moved.epsilon if pure else moved.rho
    return losses


def _exact(step: Step) -> bytes:
    return b"".join(
        entry.exact.tobytes() if isinstance(entry, Added) else b"drawn" for entry in step.entries
    )
