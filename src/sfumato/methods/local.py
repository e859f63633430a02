"""local: every record answers by itself, by randomized response and under its own noise."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.errors import ParameterError
from sfumato.measure.local import Answers
from sfumato.methods.row_per_record import check_neighbours
from sfumato.numeric.arrays import Whole
from sfumato.plan import AuditCase, ContractCase, Family, Method, Plan, Setting
from sfumato.plan.made_up import LEVELS, MIXED, ONE_BIT, PLAIN
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PureDP
from sfumato.render.answers import answer_batch, answer_columns, shuffled
from sfumato.schema.domain import Domain, Grid
from sfumato.synopsis.questionnaire import ENCODINGS, Questionnaire
from sfumato.table.mapped import Mapped

__all__ = ["METHOD"]

_ORDERS = ("kept", "shuffled")
_LITTLE = "A single answer says little: use sums over many records (sfumato accuracy)."
_OUTSIDE = "Numbers are noisy and may lie outside the range of their column."
_DATES = "Dates are counted in their steps from the beginning of their range."


def plan(
    domain: Domain, budget: Budget, encoding: Any = "best", weights: Any = None, order: Any = "kept"
) -> Plan:
    """The budget of a record shared among its columns by weight."""
    if not isinstance(budget, PureDP):
        raise ParameterError(
            "local promises pure epsilon-local differential privacy: leave out delta and rho"
        )
    if order not in _ORDERS:
        raise ParameterError(f"order must be one of {', '.join(_ORDERS)}, got {order!r}")
    check_neighbours(METHOD.name, domain)
    shares = _weights(weights)
    asked = Questionnaire.of(domain, budget.epsilon, encoding=str(encoding), weights=shares)
    columns = answer_columns(asked)

    def render(
        made: Mapped[list[Whole]], _: object, rng: np.random.Generator
    ) -> Iterable[pa.RecordBatch]:
        batches = made.then(partial(answer_batch, asked))
        return batches if order == "kept" else shuffled(batches, columns, rng)

    shown = ("the number of records", "the order of the records")
    return Plan(
        method=METHOD.name,
        domain=domain,
        budget=budget,
        local=True,
        events=asked.events,
        measure=Answers(asked).perturb,
        render=render,
        options={"encoding": str(encoding), "weights": shares, "order": str(order)},
        row="record",
        columns=columns,
        invariants=shown if order == "kept" else shown[:1],
        limits=_limits(domain),
    )


def _limits(domain: Domain) -> tuple[str, ...]:
    grids = [axis for axis in domain.axes if isinstance(axis, Grid)]
    dated = any(axis.column.kind == "date" for axis in grids)
    return _LITTLE, *((_OUTSIDE,) if grids else ()), *((_DATES,) if dated else ())


def _weights(said: Any) -> dict[str, str] | None:
    """Weights by column: a mapping, or `age=2,ward=1` as a person writes it."""
    if said is None or said == "":
        return None
    if isinstance(said, Mapping):
        return {str(name): str(weight) for name, weight in said.items()}
    found: dict[str, str] = {}
    for part in str(said).split(","):
        name, given, weight = (text.strip() for text in part.rpartition("="))
        if not given or not name or name in found:
            raise ParameterError(f"weights must be COLUMN=WEIGHT,…, each column once, got {said!r}")
        found[name] = weight
    return found


METHOD = Method(
    name="local",
    summary="Every record answers by itself: randomized response for categories, noise on numbers.",
    promise="epsilon-local DP, and so epsilon-DP under replace-one",
    source="Warner 1965; Kairouz et al. 2016; Wang et al. 2017 (optimised unary encoding)",
    proof="proofs/local.md",
    plan=plan,
    options={
        "encoding": f"{', '.join(ENCODINGS)}: how a category is answered; best has less variance",
        "weights": "COLUMN=WEIGHT,…: how the budget is shared among the columns; default: equally",
        "order": "kept (default) or shuffled, which takes memory for all answers",
    },
    family=Family.RECORDS,
    use="surveys and devices: nobody who collects the answers has to be trusted",
    contract=(
        ContractCase({"epsilon": "3"}, frozen=False),
        ContractCase(
            {"epsilon": "1"},
            options={"encoding": "unary", "weights": {"ward": "2"}, "order": "shuffled"},
            frozen=False,
        ),
    ),
    audit=AuditCase(
        ONE_BIT,
        settings=(
            Setting("plain", PLAIN),
            Setting("level", LEVELS, {"encoding": "unary"}),
            Setting("mixed", MIXED, {"weights": {"ward": "3", "dose": "1/2"}}),
        ),
    ),
)
