"""parts under audit: releases of several parts of one table, at the price that a ledger asks.

Tables that differ by one record, added or taken away, of every kind: in one part, in two parts
that overlap, in none, with values that are missing or cannot be read.  All releases run on both,
and what their noise hides together must be within what the ledger counts as spent.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from sfumato.inspection.audit.coupled import Checked, Family, checked, public, stated
from sfumato.inspection.audit.sampled import Effort, Measure, Sampled, sampled
from sfumato.ledger import Ledger
from sfumato.plan import Plan
from sfumato.privacy.budget import Budget, Charge
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.publishing.doubt import unheard
from sfumato.publishing.table import price, publish_plan
from sfumato.table.records import Records
from sfumato.table.source import open_source

__all__ = ["check_parts", "sample_parts"]

_SCHEMA = {
    "name": "audit",
    "neighbours": "add-remove",
    "columns": {
        "region": {"kind": "category", "values": ["n", "s"], "missing": "allowed"},
        "age": {"kind": "integer", "low": 0, "high": 2},
    },
}
_METHOD = "modips"
_BIT = {"name": "audit", "neighbours": "add-remove", "columns": {"a": {"kind": "boolean"}}}
Record = tuple[str | None, str | None]
_RECORDS: tuple[Record, ...] = (
    *product(("n", "s"), ("0", "1", "2")),
    (None, "1"),
    ("?", "2"),
    ("n", "old"),
    ("s", None),
)


@dataclass(frozen=True)
class _Case:
    """Parts, each with its share of the budget; None stands for the whole table."""

    text: str
    parts: tuple[tuple[str | None, Fraction], ...]

    def plans(self, budget: Budget) -> tuple[Plan, ...]:
        """What is released, in order."""
        return tuple(
            price(_SCHEMA, method=_METHOD, part=part, fit=False, **stated(_share(budget, share)))
            for part, share in self.parts
        )


_WHOLE, _HALF = Fraction(1), Fraction(1, 2)
_CASES = (
    _Case(
        "parts without a common record",
        (("region=n", _WHOLE), ("region=s", _HALF), ("region=", _WHOLE)),
    ),
    _Case("ranges that meet in a value", (("age=..2", _WHOLE), ("age=2..", _HALF))),
    _Case("parts of two columns", (("region=n", _WHOLE), ("age=2", _WHOLE))),
    _Case("parts and the whole table", (("age=0", _HALF), (None, _HALF), ("age=2", _WHOLE))),
)


def check_parts(budget: Budget) -> Iterator[Checked]:
    """Frozen checks of what parts of a table cost together, against what a ledger says."""
    for case in _CASES:
        plans = case.plans(budget)

        def publish(table: pa.Table, plans: Sequence[Plan] = plans) -> Any:
            return [
                public(publish_plan(p, table, seed=0, release="audit", on_doubt=unheard))
                for p in plans
            ]

        yield checked(case.text, _charged(plans), publish, _families())


def _share(budget: Budget, share: Fraction) -> Budget:
    match budget:
        case PureDP(epsilon=epsilon):
            return PureDP(share * epsilon)
        case ApproxDP(epsilon=epsilon, delta=delta):
            return ApproxDP(share * epsilon, delta)
        case ZCDP(rho=rho):
            return ZCDP(share * rho)


def _charged(plans: Sequence[Plan]) -> Budget:
    """What a ledger counts as spent on all of these."""
    with TemporaryDirectory() as folder, Ledger.create(Path(folder) / "budget.db") as ledger:
        for large in (ApproxDP(10**6, "0.5"), ZCDP(10**6)):
            ledger.grant("audit", large, reason="an audit")
        for number, plan in enumerate(plans):
            terms = plan.terms
            ledger.reserve(
                f"part-{number}",
                terms.dataset,
                terms.guarantee,
                plan=terms.digest(),
                protects=terms.protects,
                table_part=terms.part,
            )
        return _budget(ledger.balance("audit").spent)


def _budget(spent: Charge) -> Budget:
    epsilon, rho = Fraction(spent.micro_epsilon, 10**6), Fraction(spent.micro_rho, 10**6)
    if rho:
        return ZCDP(rho)
    delta = Fraction(spent.pico_delta, 10**12)
    return ApproxDP(epsilon, delta) if delta else PureDP(epsilon)


def _families() -> Iterator[Family]:
    for text, records in (("no records", ()), ("some records", _RECORDS[1::2])):
        others = [(f"with {new}", _table((*records, new))) for new in _RECORDS]
        for place, old in enumerate(records):
            others.append((f"without {old}", _table((*records[:place], *records[place + 1 :]))))
        yield Family(text, _table(records), others)


def _table(records: Sequence[Record]) -> pa.Table:
    region, age = ([record[k] for record in records] for k in (0, 1))
    return pa.table({"region": pa.array(region, pa.string()), "age": pa.array(age, pa.string())})


def sample_parts(budget: Budget, effort: Effort) -> Sampled:
    """Real noise on a part with a record more; what other parts draw is the same for both."""

    def measure(planned: Budget) -> Measure:
        plan = price(_BIT, part="a=true", fit=False, **stated(planned))
        assert plan.part is not None  # noqa: S101  it was asked for
        part = plan.part

        def run(table: pa.Table, purse: Purse) -> None:
            plan.measure(Records(part.of_source(open_source(table)), plan.domain), purse)

        return run

    few, more = (pa.table({"a": pa.array(a, pa.bool_())}) for a in ([False], [False, True]))
    return sampled("a record more in a part", budget, measure, (few, more), effort)
