"""An audit from end to end: neighbours, frozen noise, runs, control, verdict."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.domain import Domain
from sfumato.errors import ParameterError, SchemaError
from sfumato.inspection.audit.bound import Claim
from sfumato.inspection.audit.cases import Case, case
from sfumato.inspection.audit.finding import examine
from sfumato.inspection.audit.frozen import Frozen, freeze
from sfumato.inspection.audit.learned import apart
from sfumato.inspection.audit.likelihood import Likelihood
from sfumato.inspection.audit.neighbours import Neighbour, neighbours
from sfumato.inspection.audit.released import Released, aligned, runs_of
from sfumato.inspection.audit.result import Audit, Control
from sfumato.methods import method as registered
from sfumato.plan import Method, Plan
from sfumato.privacy.budget import Budget
from sfumato.privacy.budget import budget as stated_budget
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Heuristic, Number, PureDP
from sfumato.privacy.randomness import Bits, SeededBits, SystemBits
from sfumato.schema import Schema

__all__ = ["DEFAULT_CONFIDENCE", "DEFAULT_RUNS", "FEWEST_RUNS", "audit", "check"]

DEFAULT_RUNS, DEFAULT_CONFIDENCE = 5_000, 0.99
FEWEST_RUNS = 20
_PILOT_TABLES, _PILOT_RUNS = 12, 40  # where frozen noise cannot tell which pair is the worst
_LARGER = 3  # times the budget: the positive control


def audit(
    method: str | Method,
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    schema: Schema | Mapping[str, Any] | str | Path | None = None,
    runs: int = DEFAULT_RUNS,
    confidence: float = DEFAULT_CONFIDENCE,
    seed: int | None = None,
    progress: Callable[[str, int], None] | None = None,
    **options: Any,
) -> Audit:
    """Try to contradict what a method claims; no data is read, all tables are made up.

    The bounds hold together with probability `confidence`, whatever the method is.  `runs`
    are made on each of two neighbouring tables, and as many for the positive control.
    Without a `schema` the method is audited on a small one that suits it.  A `method` that
    is not registered can be given as a `Method`.  With a `seed` the audit repeats.

    >>> found = audit("identity-laplace", epsilon=2, runs=600, seed=1)
    >>> found.verdict, 1 < found.epsilon < 2, found.worst
    ('not contradicted', True, 1.0)
    """
    check(runs, confidence)
    recipe = registered(method) if isinstance(method, str) else method
    if not recipe.budgeted:
        raise ParameterError(f"{recipe.name} promises nothing: there is no claim to be tested")
    suited = Case(_read(schema).to_json()) if schema is not None else case(recipe.name)
    given = {**suited.options, **options}
    budget = stated_budget(epsilon=epsilon, delta=delta, rho=rho)
    domain = Domain.of(Schema.of(suited.schema))
    larger = _larger(budget)
    plan, wider = (recipe.price(domain, part, given) for part in (budget, larger))
    bits: Bits = SystemBits() if seed is None else SeededBits(seed)
    rng, tick = np.random.default_rng(seed), progress or _quiet
    tables = neighbours(domain)
    frozen = freeze(plan, tables)
    other = _other_relation(recipe, domain, budget, given)
    told = frozen.complete and not frozen.leaks and not isinstance(plan.guarantee, Heuristic)
    i, j = frozen.pair if told else _pilot(plan, tables, bits, rng)
    pair = (tables[i].records, tables[j].records)
    claim, found = Claim.of(budget, plan.events), []
    for phase, made in (("runs", plan), ("control", wider)):
        subject = Likelihood(made, pair, frozen.steady) if told else Released(made, pair, rng)
        sample = subject.sample(runs, bits, partial(tick, phase, 1))
        found.append(examine(sample, claim, confidence))
    worst = (part.worst for part in (frozen, other) if part.worst is not None)
    return Audit(
        method=recipe.name,
        claimed=budget,
        promise=plan.guarantee,
        neighbours=domain.schema.neighbours,
        pair=(tables[i].text, tables[j].text),
        confidence=confidence,
        runs=runs,
        worst=max(worst, default=None),
        violations=(*frozen.violations, *other.violations),
        control=Control(larger, found[1].best),
        finding=found[0],
    )


def check(runs: int, confidence: float) -> None:
    """Refuse a number of runs or a confidence with which nothing can be said."""
    if isinstance(runs, bool) or not isinstance(runs, int) or runs < FEWEST_RUNS:
        raise ParameterError(f"runs must be a whole number of at least {FEWEST_RUNS}, got {runs!r}")
    if isinstance(confidence, bool) or not isinstance(confidence, float) or not 0 < confidence < 1:
        raise ParameterError(f"confidence must be above 0 and below 1, got {confidence!r}")


def _read(schema: Schema | Mapping[str, Any] | str | Path) -> Schema:
    return Schema.read(schema) if isinstance(schema, str | Path) else Schema.of(schema)


def _larger(budget: Budget) -> Budget:
    """Three times the budget: a third of the noise, whichever the currency."""
    match budget:
        case PureDP(epsilon=epsilon):
            return PureDP(_LARGER * epsilon)
        case ApproxDP(epsilon=epsilon, delta=delta):
            return ApproxDP(_LARGER * epsilon, delta)
        case ZCDP(rho=rho):
            return ZCDP(_LARGER**2 * rho)


def _other_relation(
    recipe: Method, domain: Domain, budget: Budget, options: Mapping[str, Any]
) -> Frozen:
    """Frozen noise under the other neighbour relation, where the method offers it."""
    relation = {"replace-one": "add-remove", "add-remove": "replace-one"}[domain.schema.neighbours]
    turned = Domain.of(domain.schema.model_copy(update={"neighbours": relation}))
    try:
        plan = recipe.price(turned, budget, options)
    except (ParameterError, SchemaError):
        return Frozen(complete=False)
    found = freeze(plan, neighbours(turned))
    said = tuple(f"under {relation}, {text}" for text in found.violations)
    return replace(found, violations=said)


def _pilot(
    plan: Plan, tables: Sequence[Neighbour], bits: Bits, rng: np.random.Generator
) -> tuple[int, int]:
    """The pair whose released numbers differ most over a few runs of their own."""
    tried = tables[:_PILOT_TABLES]
    runs = [runs_of(plan, t.records, _PILOT_RUNS, bits, rng, lambda: None) for t in tried]
    _, found = aligned(runs)

    def differ(pair: tuple[int, int]) -> tuple[float, float]:
        a, b = (found[k] for k in pair)
        each = [apart(x, y) for x, y in zip(a.T, b.T, strict=True)]
        return max(each), sum(each)

    pairs = list(combinations(range(len(tried)), 2))
    if plan.domain.schema.neighbours == "add-remove":
        pairs = pairs[: len(tried) - 1]  # those with the first, which lacks the record
    return max(pairs, key=differ)


def _quiet(phase: str, runs: int) -> None:
    """No progress is shown."""
