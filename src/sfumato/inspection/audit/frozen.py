"""Frozen noise: with the same outputs, what do neighbouring tables still change?

Along the same outputs each statistic may differ between neighbours by its sensitivity and
no more; its noise, its shape and everything that leaves the method may not differ at all.
One pair that breaks this is a counterexample to the proof: no statistics are needed.

>>> from sfumato.inspection.audit.neighbours import neighbours
>>> from sfumato.publishing import price
>>> plan = price({"name": "t", "columns": {"a": {"kind": "boolean"}}}, epsilon=1)
>>> found = freeze(plan, neighbours(plan.domain))
>>> found.worst, found.loss, found.violations
(1.0, 1.0, ())
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from sfumato.inspection.audit.neighbours import Encoded, Neighbour
from sfumato.inspection.audit.region import Matrix
from sfumato.inspection.audit.replay import Diverged, Draws, RecordingPurse, Script, Statistic
from sfumato.plan import Plan
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.randomness import SeededBits

__all__ = ["Frozen", "freeze"]

_PATHS = 3  # different outputs along which the tables are compared
_MOST_BATCHES = 4  # of a release that is only looked at
_ROUNDING = 1 + 1e-9  # distances are compared as floats


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


def freeze(plan: Plan, tables: Sequence[Neighbour]) -> Frozen:
    """Compare all neighbours along a few frozen paths."""
    several, violations, leaks = len(tables), [], False
    losses, worst, seen = np.zeros((several, several)), 0.0, set()
    for path in range(_PATHS):
        first = RecordingPurse(plan.guarantee, bits=SeededBits(path))
        _released(plan, tables[path % several].records, first, path)
        if not first.complete:
            return Frozen(complete=False)
        runs = [_replayed(plan, table.records, first.outputs, path) for table in tables]
        laws = {run and _law(run[0]) for run in runs}
        if len(laws) > 1 or None in laws:
            violations.append("the statistics, their shape or their noise depend on a record")
            continue
        purses = [run[0] for run in runs if run is not None]
        if len({run[1] for run in runs if run is not None}) > 1:
            leaks = True
            violations.append("the release depends on a record although all noise is frozen")
        for k, bought in enumerate(purses[0].purchases):
            moved = _Moved.between(plan, purses, k)
            losses += moved.loss / _PATHS
            worst = max(worst, float(moved.ratio.max()))
            if worst > _ROUNDING and moved.ratio.max() == worst:
                i, j = _largest(moved.ratio)
                violations.append(
                    f"{_name(bought)}: {worst:.4g} times the claimed sensitivity "
                    f"between {tables[i].text} and {tables[j].text}"
                )
        seen.add((laws.pop(), *(_exact(purse) for purse in purses)))
    i, j = _largest(losses)
    return Frozen(
        complete=True,
        worst=worst,
        violations=tuple(dict.fromkeys(violations)),
        pair=(i, j) if losses[i, j] else (0, 1),
        loss=float(losses[i, j]),
        steady=len(seen) == 1 and not leaks,
        leaks=leaks,
    )


def _largest(table: Matrix) -> tuple[int, int]:
    i, j = divmod(int(table.argmax()), table.shape[1])
    return i, j


def _released(plan: Plan, records: Encoded, purse: RecordingPurse, path: int) -> str:
    """NOT PRIVATE: what a recipient would hold, as text; the table only on the first path."""
    synopsis = plan.measure(records, purse)
    table = []
    if path == 0:  # rendering takes longer than measuring
        rendered = plan.render(synopsis, None, np.random.default_rng(0))
        table = [batch.to_pydict() for batch in islice(rendered, _MOST_BATCHES)]
    paper = synopsis.to_json() if hasattr(synopsis, "to_json") else None
    return json.dumps([table, paper], default=str, sort_keys=True)


def _replayed(
    plan: Plan, records: Encoded, script: Script, path: int
) -> tuple[RecordingPurse, str] | None:
    purse = RecordingPurse(plan.guarantee, script, SeededBits(path))
    try:
        return purse, _released(plan, records, purse, path)
    except Diverged:
        return None


def _law(purse: RecordingPurse) -> tuple[Any, ...]:
    """All that must not depend on a record."""
    return tuple(
        (bought.choice, tuple(part.shape for part in bought.scores))
        if isinstance(bought, Draws)
        else (bought.noise, tuple(part.shape for part in bought.exact))
        for bought in purse.purchases
    )


def _exact(purse: RecordingPurse) -> tuple[bytes, ...]:
    return tuple(
        b"".join(
            part.tobytes()
            for part in (bought.scores if isinstance(bought, Draws) else bought.exact)
        )
        for bought in purse.purchases
    )


def _name(bought: Statistic | Draws) -> str:
    return bought.choice.statistic if isinstance(bought, Draws) else bought.noise.statistic


@dataclass(frozen=True)
class _Moved:
    """For each two neighbours: their distance over its bound, and what the noise makes of it."""

    ratio: Matrix
    loss: Matrix

    @classmethod
    def between(cls, plan: Plan, purses: Sequence[RecordingPurse], k: int) -> "_Moved":
        bought = [purse.purchases[k] for purse in purses]
        firsts = 1 if plan.domain.schema.neighbours == "add-remove" else len(bought)
        if isinstance(bought[0], Draws):
            return cls.of_draws([draws for draws in bought if isinstance(draws, Draws)], firsts)
        return cls.of_noise([one for one in bought if isinstance(one, Statistic)], firsts)

    @classmethod
    def of_draws(cls, draws: Sequence[Draws], firsts: int) -> "_Moved":
        several = len(draws)
        ratio, loss = np.zeros((several, several)), np.zeros((several, several))
        surprise = np.array([one.surprise() for one in draws])
        for i in range(firsts):
            ratio[i] = [draws[i].moved_apart(other) for other in draws]
            loss[i] = np.abs(surprise - surprise[i])
        return cls(ratio, loss)

    @classmethod
    def of_noise(cls, statistics: Sequence[Statistic], firsts: int) -> "_Moved":
        noise, units = statistics[0].noise, statistics[0].flat(statistics[0].units)
        exact = np.array([statistic.flat(statistic.exact) for statistic in statistics])
        several = len(statistics)
        l1, l2 = np.zeros((several, several)), np.zeros((several, several))
        for i in range(firsts):
            moved = np.abs(exact - exact[i]) / units
            l1[i], l2[i] = moved.sum(axis=1), (moved**2).sum(axis=1)
        size, claimed = float(noise.event.noise or 1), noise.sensitivity
        ratio = np.maximum(l1 / float(claimed.l1), l2 / float(claimed.l2_squared))
        return cls(ratio, l1 / size if isinstance(noise.cost, PureDP) else l2 / (2 * size))
