"""Releases by the library's own methods, many times over, and their scores.

Exact sums of the same records are the same whatever the budget and the trial: they are made
once and only the noise is drawn anew, exactly as a release draws it (from a seed, for the
data is public).  A method that releases every record in its place releases only as many as
are scored: each is drawn by itself, so these are what the whole release would begin with.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from papers.chanyaswad2017.data import Task
from papers.chanyaswad2017.settings import RANKS, Contender, Settings, ranks_upto
from papers.outcome import Outcome, Outcomes
from papers.xu2019.private import Kept
from sfumato.methods import method
from sfumato.numeric.arrays import Codes
from sfumato.plan import Plan
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import ApproxDP, PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.table.records import Records
from sfumato.table.statistic import Statistic

__all__ = ["MEASURES", "Remembered", "Score", "at", "compete", "planned", "released"]

T = TypeVar("T")
# What a table and whatever the plan measured are worth.
Score = Callable[[pa.Table, Any], float]

MEASURES = {"II": "silhouette", "III": "accuracy", "IV": "RMSE"}


def at(table: str, rank: int | None = None, share: str | None = None) -> str:
    """The measure of a table, as results call it.

    >>> at("II", 5), at("III"), at("IV", 2, "0.3")
    ('silhouette, P = 5', 'accuracy', 'RMSE, P = 2, α = 0.3')
    """
    rank_told = f", P = {rank}" if rank else ""
    return MEASURES[table] + rank_told + (f", α = {share}" if share else "")


class Remembered(Records):
    """Records for one plan that sums them once: the sums are kept, and few are released.

    NOT for a plan that sums twice, along directions of its own.
    """

    def __init__(self, kept: Kept, shown: int) -> None:
        self._kept, self._shown = kept, shown
        self._sums: Any = None

    def fold(self, statistic: Statistic[T]) -> T:
        """What the first call found."""
        if self._sums is None:
            self._sums = self._kept.fold(statistic)
        found: T = self._sums
        return found

    def parts(self) -> Iterator[Codes]:
        """The records that are scored."""
        left = self._shown
        for codes in self._kept.codes:
            if left > 0:
                yield codes[:left]
            left -= len(codes)

    def check_number(self, rows: int) -> None:
        """No matter: not all of them are shown."""


def planned(
    contender: Contender, task: Task, epsilon: float, rank: int | None, share: str | None = None
) -> Plan:
    """The plan of a release; what cannot be planned is refused."""
    budget: Budget = PureDP(epsilon)
    if contender.delta:
        budget = ApproxDP(epsilon, Fraction(1, task.rows))
    options = dict(contender.options)
    if rank is not None:
        options["rank"] = rank
    if share is not None:
        options["split"] = share
    if contender.public:
        options["basis"] = task.public
    return method(contender.method).price(task.domain, budget, options)


def released(plan: Plan, records: Records, rows: int, seed: int) -> tuple[Any, pa.Table]:
    """What was measured, and the first rows of the release that is made of it."""
    found = plan.measure(records, Purse(plan.guarantee, SeededBits(seed)))
    drawn = rows if plan.row == "drawn record" else None
    batches = plan.render(found, drawn, np.random.default_rng(seed))
    return found, pa.Table.from_batches(batches, plan.table_schema)


def compete(
    table: str,
    task: Task,
    width: int,
    score: Score,
    settings: Settings,
    found: Outcomes,
    tick: Callable[[str], None],
) -> None:
    """Everyone who was asked for, at their budgets and ranks, every trial."""
    kept = Kept(task.private, task.domain)
    shown = settings.scored[table]
    for contender, budgets in settings.wanted(table):
        ranks = _ranks(contender, table, width)
        memory = {rank: kept if contender.bought else Remembered(kept, shown) for rank in ranks}
        tried = settings.shares(contender)
        for epsilon, share in product(budgets, tried):
            plans = {rank: planned(contender, task, epsilon, rank, share) for rank in ranks}
            for trial in range(tried[share]):
                for rank, plan in plans.items():
                    drawn_for = (share,) if share else ()
                    seed = settings.seed_of(table, contender.name, rank, epsilon, trial, *drawn_for)
                    measured, release = released(plan, memory[rank], shown, seed)
                    value = score(release, measured)
                    cell = contender.name, epsilon, trial
                    found.add(Outcome(table, *cell, at(table, rank, share), value))
                tick(f"table {table}, {contender.name}, ε = {epsilon:g}")


def _ranks(contender: Contender, table: str, width: int) -> list[int] | list[None]:
    """None for a method without; all features too, where that costs no components."""
    if contender.ranks is not None:
        return ranks_upto(contender.ranks, width) if contender.ranks else [None]
    return ranks_upto(RANKS[table], width) + ([] if contender.bought else [width])
