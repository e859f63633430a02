"""An audit from end to end: neighbours, frozen noise, runs, control, verdict."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import ParameterError
from sfumato.inspection.audit.bound import Claim, check_claim
from sfumato.inspection.audit.finding import examine
from sfumato.inspection.audit.frozen import freeze
from sfumato.inspection.audit.learned import apart
from sfumato.inspection.audit.likelihood import Likelihood
from sfumato.inspection.audit.neighbours import Neighbour, neighbours
from sfumato.inspection.audit.released import Released, aligned, runs_of
from sfumato.inspection.audit.result import Audit, Control
from sfumato.inspection.audit.scrutiny import Effort, scrutinise
from sfumato.inspection.audit.settings import case, default_runs, settings
from sfumato.methods import method as registered
from sfumato.plan import AuditCase, Method, Plan, Setting
from sfumato.privacy.budget import Budget
from sfumato.privacy.budget import budget as stated_budget
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Number, PureDP
from sfumato.privacy.randomness import Bits, SeededBits, SystemBits
from sfumato.progress import Wish, phases
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

__all__ = ["DEFAULT_CONFIDENCE", "DEFAULT_EFFORT", "FEWEST_RUNS", "audit", "check"]

DEFAULT_CONFIDENCE = 0.99
DEFAULT_EFFORT = 200  # tables of each setting that the search may add to the candidates
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
    runs: int | None = None,
    effort: int = DEFAULT_EFFORT,
    confidence: float = DEFAULT_CONFIDENCE,
    seed: int | None = None,
    progress: Wish = None,
    **options: Any,
) -> Audit:
    """Try to contradict what a method claims; no data is read, all tables are made up.

    First noise is frozen, on rich tables: a hundred or so in each setting, and `effort` more that
    are searched for (0: only on the small table that the runs use).  Then `runs` are made on
    each of two neighbouring tables that suit the method, and as many for the positive control;
    the bounds from these hold together with probability `confidence`, whatever the method is.
    With a `schema`, both use it.  A `method` that is not registered
    can be given as a `Method`.  With a `seed` the audit repeats.  `progress=False` shows nothing.

    >>> found = audit("identity-laplace", epsilon=2, runs=600, effort=0, seed=1)
    >>> found.verdict, 1 < found.epsilon < 2, found.worst
    ('not contradicted', True, 1.0)
    """
    recipe = registered(method) if isinstance(method, str) else method
    count = default_runs(recipe) if runs is None else runs
    check(count, confidence, effort)
    if not recipe.budgeted:
        raise ParameterError(f"{recipe.name} promises nothing: there is no claim to be tested")
    own = None if schema is None else _read(schema).to_json()
    suited = case(recipe) if own is None else AuditCase(own)
    given = {**suited.options, **options}
    budget = stated_budget(epsilon=epsilon, delta=delta, rho=rho)
    check_claim(budget)
    domain, more = Domain.of(Schema.of(suited.schema)), larger(budget)
    plan, wider = (recipe.price(domain, part, given) for part in (budget, more))
    bits: Bits = SystemBits() if seed is None else SeededBits(seed)
    rng = np.random.default_rng(seed)
    small = Setting("your" if own else "a few", suited.schema, suited.options)
    rich = (small,) if own or not effort else (*settings(suited), small)
    sampled: Bits = SystemBits() if seed is None else SeededBits(seed + 1)  # runs keep their own
    with phases({"frozen noise": None, "runs": 4 * count}, progress) as tick:
        how = Effort(effort, seed or 0, sampled, tick)
        scrutinies = list(scrutinise(recipe, (budget, more), rich, options, how))
        tables = neighbours(domain)
        frozen = freeze(plan, tables)
        told = frozen.bought and not frozen.leaks and not frozen.violations
        i, j = (
            frozen.pair if frozen.complete and not frozen.leaks else _pilot(plan, tables, bits, rng)
        )
        pair = (tables[i].records, tables[j].records)
        claim, found = Claim.of(budget, plan.events), []
        for phase, made in (("runs", plan), ("control", wider)):
            subject = Likelihood(made, pair, frozen.steady) if told else Released(made, pair, rng)
            sample = subject.sample(count, bits, partial(tick, phase, 1))
            found.append(examine(sample, claim, confidence))
    beyond = [(f"{s.where}: " if own is None else "", v) for s in scrutinies for v in s.violations]
    return Audit(
        method=recipe.name,
        claimed=budget,
        promise=plan.guarantee,
        neighbours=domain.schema.neighbours,
        pair=(tables[i].text, tables[j].text),
        confidence=confidence,
        runs=count,
        scrutinies=tuple(scrutinies),
        violations=(*frozen.violations, *(where + said for where, said in beyond)),
        control=Control(more, found[1].best),
        finding=found[0],
    )


def check(runs: int, confidence: float, effort: int = DEFAULT_EFFORT) -> None:
    """Refuse numbers with which nothing can be said."""
    if isinstance(effort, bool) or not isinstance(effort, int) or effort < 0:
        raise ParameterError(f"effort must be a whole number of at least 0, got {effort!r}")
    if isinstance(runs, bool) or not isinstance(runs, int) or runs < FEWEST_RUNS:
        raise ParameterError(f"runs must be a whole number of at least {FEWEST_RUNS}, got {runs!r}")
    if isinstance(confidence, bool) or not isinstance(confidence, float) or not 0 < confidence < 1:
        raise ParameterError(f"confidence must be above 0 and below 1, got {confidence!r}")


def _read(schema: Schema | Mapping[str, Any] | str | Path) -> Schema:
    return Schema.read(schema) if isinstance(schema, str | Path) else Schema.of(schema)


def larger(budget: Budget) -> Budget:
    """Three times the budget: a third of the noise, whichever the currency."""
    match budget:
        case PureDP(epsilon=epsilon):
            return PureDP(_LARGER * epsilon)
        case ApproxDP(epsilon=epsilon, delta=delta):
            return ApproxDP(_LARGER * epsilon, delta)
        case ZCDP(rho=rho):
            return ZCDP(_LARGER**2 * rho)


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
