"""Noise frozen on rich tables: the worst neighbours of every measurement of a method.

The search (`search`) looks for tables; `judge` holds what it found against the promise; the
control is the same method planned for a larger budget and judged against the smaller one, on
the very pairs that were found.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.errors import Refused
from sfumato.inspection.audit.judge import dearer, promised, spent, violations
from sfumato.inspection.audit.path import Path
from sfumato.inspection.audit.sampler import wrong_laws
from sfumato.inspection.audit.search import Measured, Search
from sfumato.inspection.audit.tape import taped
from sfumato.plan import Method, Plan, Setting
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import Heuristic
from sfumato.privacy.randomness import Bits
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

__all__ = ["Effort", "Scrutiny", "scrutinise", "unseen"]

_RELATIONS = ("replace-one", "add-remove")


@dataclass(frozen=True)
class Effort:
    """How long is searched, with which seed, which bits samplers are tried with, who is told."""

    tables: int
    seed: int
    bits: Bits
    tick: Callable[[str, int], None]


@dataclass(frozen=True)
class Scrutiny:
    """What frozen noise showed in one setting, under one neighbour relation."""

    setting: Setting
    neighbours: str
    tables: int  # that were measured
    unit: str  # of the promise
    found: float  # the price of the worst pairs, all measurements together
    claimed: float
    measured: tuple[Measured, ...]
    violations: tuple[str, ...]
    seen: frozenset[str]  # measurements of which the larger budget was caught

    @property
    def where(self) -> str:
        """Setting and relation, in words."""
        return f"{self.setting}, {self.neighbours}"


def unseen(found: Sequence[Scrutiny]) -> list[str]:
    """Measurements whose control was caught in no setting: nothing follows for them."""
    names = dict.fromkeys(one.name for part in found for one in part.measured)
    return [name for name in names if not any(name in part.seen for part in found)]


def scrutinise(
    recipe: Method,
    budgets: tuple[Budget, Budget],
    settings: Sequence[Setting],
    options: Mapping[str, Any],
    how: Effort,
) -> Iterator[Scrutiny]:
    """Every setting and both relations, as far as the method takes them, one by one."""
    rng = np.random.default_rng(how.seed)
    for setting in settings:
        for relation in _RELATIONS:
            schema = {**setting.schema, "neighbours": relation}
            try:
                domain = Domain.of(Schema.of(schema))
                plan, wider = (
                    recipe.price(domain, part, {**setting.options, **options}) for part in budgets
                )
            except Refused:
                continue
            if isinstance(plan.guarantee, Heuristic):
                continue
            with taped():
                search = _searched(plan, how)
                laws = wrong_laws(search.steps, how.bits, rng)
                control = _again(wider, list(search.found.values()))
            measured = tuple(search.found.values())
            unit, price = spent(search)
            how.tick("frozen noise", 1)
            yield Scrutiny(
                setting=setting,
                neighbours=relation,
                tables=search.runs,
                unit=unit,
                found=price,
                claimed=promised(plan.guarantee),
                measured=measured,
                violations=(*violations(search), *laws),
                seen=_seen(search.found, control),
            )


def _searched(plan: Plan, how: Effort) -> Search:
    search = Search(plan, seed=how.seed, effort=how.tables)
    search.explore()
    pairs = [one.pair for one in search.found.values()]
    if pairs and not search.faults:  # rendering takes longer: one pair is compared
        search.compare(Path(plan, pairs[0][0], 0, rendered=True), pairs[0])
    return search


def _seen(found: Mapping[str, Measured], control: Sequence[Measured]) -> frozenset[str]:
    """Where the larger budget costs more than was paid under the smaller one."""
    return frozenset(
        one.name for one in control if one.name in found and dearer(one.price, found[one.name].cost)
    )


def _again(wider: Plan, measured: Sequence[Measured]) -> list[Measured]:
    """The worst pairs once more, under the noise of the larger budget."""
    search = Search(wider)
    for one in measured:
        search.compare(Path(wider, one.pair[0], 0), one.pair)
    return list(search.found.values())
