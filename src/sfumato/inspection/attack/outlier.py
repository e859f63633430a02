"""NOT PRIVATE: is a planted outlier seen in what a method releases?  Many runs, two tables.

An outlier is put into a table, and the method publishes both tables many times.  An attacker
who knows all of that and the outlier is to tell, from one release, which table it came from
(Stadler, Oprisanu and Troncoso 2022).  A quarter of the runs teaches a few scores of what is
released (`trace`), a quarter chooses the best score and its threshold, and half tests it.
`success` is how often a release with the outlier is said to have it, `control` how often one
without is.

The difference is the attacker's advantage.  A promise caps it, for every attack there is:

    ε:  (e^ε − 1) / (e^ε + 1)      (ε, δ):  (e^ε − 1 + 2δ) / (e^ε + 1)
    ρ:  the smaller of √(ρ/2) and √(1 − e^(−ρ)),

by Kairouz, Oh and Viswanath 2015 for the first two, by Pinsker and by Bretagnolle and Huber for
the last, as ρ bounds the divergence.  A lower bound above the cap refutes the promise.

Power.  The same attack is made on the same method with hardly any noise (a budget of ten
thousand), or on the records themselves where a method has no budget; where that does not tell
the tables apart, nothing follows from a failure.

This judges a method and not a release: of one release nobody can say how often it would have
come from the other table.  So it stands on no page about a single release.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, sqrt, tanh
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from sfumato.errors import DataError, ParameterError
from sfumato.inspection.attack.outcome import Chance, Gap, Rate, gap
from sfumato.inspection.attack.parameter import confident, whole
from sfumato.inspection.attack.result import Attack
from sfumato.inspection.attack.tables import points
from sfumato.inspection.attack.telling import Told, tell
from sfumato.inspection.attack.trace import trace
from sfumato.inspection.audit.neighbours import Encoded
from sfumato.inspection.utility import AnySchema, domain_of, encoded
from sfumato.methods import method as registered
from sfumato.numeric.arrays import Codes
from sfumato.plan import Method, Plan
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import (
    ZCDP,
    ApproxDP,
    Guarantee,
    Heuristic,
    LocalDP,
    Number,
    PureDP,
)
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import Bits, SeededBits, SystemBits
from sfumato.publishing.transaction import priced_for
from sfumato.render.decode import Decoder
from sfumato.schema.domain import Domain, Grid
from sfumato.table.statistic import Rows

__all__ = ["RUNS", "Outlier", "most_advantage", "outlier_attack"]

RUNS = 200
_FEWEST_RUNS = 40
_HARDLY_ANY_NOISE = 10_000
_CLEARLY = 0.9  # the AUC that the control must pass

Verdict = Literal["beyond the promise", "told apart", "not told apart", "no power"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlier:
    """How well releases with a planted outlier are told from those without.  NOT PRIVATE."""

    attack: Attack
    auc: Rate  # of pairs of runs, how often the one with the outlier scores higher
    control_auc: Rate  # the same with hardly any noise, or of the records themselves
    most: float  # the advantage that the promise allows
    promise: Guarantee
    runs: int  # on each table

    @property
    def advantage(self) -> Gap:
        """Called a member with the outlier, minus without; at the confidence of the attack."""
        return gap(self.attack.success, self.attack.control or Chance(0), self.attack.confidence)

    @property
    def power(self) -> bool:
        """Whether the attack sees the outlier where hardly any noise hides it."""
        return self.attack.power and self.control_auc.value > _CLEARLY

    @property
    def verdict(self) -> Verdict:
        """`beyond the promise` refutes it; `told apart` is within it; else nothing was seen."""
        if self.advantage.low > self.most:
            return "beyond the promise"
        if not self.power:
            return "no power"
        return "told apart" if self.advantage.low > 0 else "not told apart"

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        found, seen, bare = self.advantage, self.attack.success, self.attack.control or Chance(0)
        low, high = self.auc.interval(self.attack.confidence)
        said = (
            f"planted outlier: said to be there in {seen.value:.1%} of releases that hold it and "
            f"in {bare.value:.1%} of those that do not ({seen.tries} runs each); advantage "
            f"{found.value:.1%} ({found.low:.1%} to {found.high:.1%}), {self._allowed}; AUC "
            f"{self.auc.value:.2f} ({low:.2f} to {high:.2f}), guessing 0.50, where hardly anything "
            f"hides it {self.control_auc.value:.2f}. "
        )
        return said + _MEANING[self.verdict]

    @property
    def _allowed(self) -> str:
        if isinstance(self.promise, Heuristic):
            return "and nothing is promised"
        return f"of which {self.promise} allows {self.most:.1%}"


_MEANING: Mapping[Verdict, str] = {
    "beyond the promise": "More than the promise allows: it is false.",
    "told apart": "The outlier shows, no more than the promise allows.",
    "not told apart": "The outlier was not seen, as far as this many runs can show.",
    "no power": "No verdict: even where hardly anything hides it the attack does not see it.",
}


def most_advantage(promise: Guarantee) -> float:
    """The largest advantage that any attacker can have under a promise; 1 where there is none.

    >>> round(most_advantage(PureDP(1)), 3), round(most_advantage(ApproxDP(1, "0.01")), 3)
    (0.462, 0.467)
    """
    match promise:
        case PureDP(epsilon=epsilon) | LocalDP(epsilon=epsilon):
            return tanh(float(epsilon) / 2)
        case ApproxDP(epsilon=epsilon, delta=delta):
            either = exp(-float(epsilon)) / (1 + exp(-float(epsilon)))  # 1 / (1 + e^ε)
            return tanh(float(epsilon) / 2) + 2 * float(delta) * either
        case ZCDP(rho=rho):
            return min(sqrt(float(rho) / 2), sqrt(1 - exp(-float(rho))))
    return 1.0


def outlier_attack(
    data: Any,
    schema: AnySchema,
    *,
    method: str | Method,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    runs: int = RUNS,
    confidence: float = 0.95,
    seed: int | None = None,
    progress: Callable[[], None] | None = None,
    **options: Any,
) -> Outlier:
    """NOT PRIVATE: plant an outlier into `data` and look for it in releases by a method.

    The outlier is at the end of every range that is farther from the median, with the rarest
    value of every category.  Under replace-one it takes the place of the record that is least
    like it.  Nothing is charged and nothing is released.

    >>> from sfumato.example import clinic
    >>> schema = {"name": "clinic", "columns": {
    ...     "age": {"kind": "integer", "low": 18, "high": 98}, "smoker": {"kind": "boolean"}}}
    >>> found = outlier_attack(
    ...     clinic(60), schema, method="modips", epsilon=1, runs=80, seed=1)
    >>> found.verdict, found.control_auc.value, round(found.most, 2)
    ('not told apart', 1.0, 0.46)
    """
    confident(confidence)
    if whole("runs", runs) < _FEWEST_RUNS:
        raise ParameterError(f"runs must be at least {_FEWEST_RUNS}, got {runs!r}")
    recipe = registered(method) if isinstance(method, str) else method
    budget = priced_for(recipe.name, recipe.budgeted, epsilon=epsilon, delta=delta, rho=rho)
    domain = domain_of(schema)
    planted, record = _planted(domain, encoded(data, domain))
    tables = tuple(Encoded([encoded(table, domain)], domain) for table in planted)
    bits: Bits = SystemBits() if seed is None else SeededBits(seed)
    rng, tick = np.random.default_rng(seed), progress or _quiet

    def repeated(part: Budget | None) -> tuple[Plan, list[list[dict[str, float]]]]:
        plan = _sized(recipe.price(domain, part, options), tables)
        return plan, [_runs(plan, side, record, runs, bits, rng, tick) for side in tables]

    plan, noisy = repeated(budget)
    if budget is None:  # no budget to raise: what is clearest are the records themselves
        clear = [[trace(domain, record, None, table)] * runs for table in planted]
    else:
        clear = repeated(_without_noise(budget))[1]
    told, control = tell(noisy, clear, rng), tell(clear, clear, rng)
    return _judged(plan, told, control, runs, confidence)


def _judged(plan: Plan, told: Told, control: Told, runs: int, confidence: float) -> Outlier:
    share = (told.success.hits + told.control.hits) / (told.success.tries + told.control.tries)
    attack = Attack(
        name="planted outlier",
        knows="the whole table but for one record, that record, and the method",
        success=told.success,
        baseline=Chance(share),
        baseline_is="saying so as often at random",
        control=told.control,
        control_is="on releases without it",
        confidence=confidence,
        reach=gap(control.success, control.control, confidence),
        details={"score": told.score},
    )
    return Outlier(
        attack=attack,
        auc=told.auc,
        control_auc=control.auc,
        most=most_advantage(plan.guarantee),
        promise=plan.guarantee,
        runs=runs,
    )


def _without_noise(budget: Budget) -> Budget:
    match budget:
        case PureDP():
            return PureDP(_HARDLY_ANY_NOISE)
        case ApproxDP(delta=delta):
            return ApproxDP(_HARDLY_ANY_NOISE, delta)
        case ZCDP():
            return ZCDP(_HARDLY_ANY_NOISE**2)


def _planted(domain: Domain, codes: Codes) -> tuple[tuple[pa.Table, pa.Table], Codes]:
    """The table with the outlier, the table without, and the outlier."""
    if len(codes) < 2:
        raise DataError("an outlier needs at least two records to stand out from")
    record = np.array(
        [_far(axis, column) for axis, column in zip(domain.axes, codes.T, strict=True)], np.int32
    )
    others = codes
    if domain.schema.neighbours == "replace-one":
        places = range(len(domain.axes))
        away = points(domain, codes, places) - points(domain, record[None], places)
        others = np.delete(codes, (away**2).sum(axis=1).argmax(), axis=0)
    decoder = Decoder(domain)
    held, lacking = (
        pa.Table.from_batches([decoder.batch(part)])
        for part in (np.vstack([others, record]), codes)
    )
    return (held, lacking), record


def _far(axis: Any, codes: Codes) -> int:
    if isinstance(axis, Grid):
        return 0 if np.median(codes) > axis.points / 2 else axis.points
    return int(np.bincount(codes, minlength=axis.codes)[: len(axis.values)].argmin())


def _sized(plan: Plan, tables: Sequence[Encoded]) -> Plan:
    """As it is priced for this many records, where that is public."""
    return plan if plan.sized is None else plan.sized(tables[0].fold(Rows()))


def _runs(
    plan: Plan,
    records: Encoded,
    record: Codes,
    count: int,
    bits: Bits,
    rng: np.random.Generator,
    tick: Callable[[], None],
) -> list[dict[str, float]]:
    features = partial(trace, plan.domain, record)
    found = []
    for _ in range(count):
        synopsis = plan.measure(records, Purse(plan.guarantee, bits))
        rows = plan.table_of(plan.render(synopsis, None, rng))
        found.append(features(synopsis, rows))
        tick()
    return found


def _quiet() -> None:
    """No progress is shown."""
