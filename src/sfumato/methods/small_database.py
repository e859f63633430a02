"""small-database: one table out of all small ones, by its counts; for small domains."""

from math import comb, floor, log10
from typing import Any

import numpy as np

from sfumato.errors import ParameterError, SchemaError
from sfumato.measure.small_database import SmallDatabase, SmallTable, cells_of, positions
from sfumato.plan import AuditCase, ContractCase, Family, Method, Plan, Setting
from sfumato.plan.made_up import FLAT, LABELLED, ONE_BIT, TWO_FEATURES, counted
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PureDP
from sfumato.render.decode import Decoder
from sfumato.render.drawing import Drawing
from sfumato.render.leaves import Parts, apportion, sample
from sfumato.schema.domain import Domain

__all__ = ["METHOD"]

_MOST_CANDIDATES = 10**6
_LONGEST = 4  # digits of a size
_LEAST, _MOST = 4, 100  # records of the small table that `auto` takes


def plan(domain: Domain, budget: Budget, size: int | str = "auto") -> Plan:
    """One choice for the whole budget; where the number of records is private, a tenth for it."""
    if not isinstance(budget, PureDP):
        raise ParameterError("small-database promises pure epsilon-DP only: no delta and no rho")
    if cells_of(domain) == 1:
        raise SchemaError("every column has a single value: there is nothing to measure")
    what = SmallDatabase(domain, _size(size, cells_of(domain)), budget)
    if not what.public:
        what.noise.check(1)

    def render(found: SmallTable, rows: int | None, rng: np.random.Generator) -> Drawing:
        total = max(found.records, 0) if rows is None else rows
        columns = [
            Parts(axis, order, [(k, k + 1) for k in range(len(order))])
            for axis, order in enumerate(positions(domain))
        ]
        whole = apportion(found.counts.astype(np.float64), total, rng)
        return sample(columns, whole, Decoder(domain).encoded, rng)

    return Plan(
        method=METHOD.name,
        domain=domain,
        budget=budget,
        events=what.events,
        measure=what.perturb,
        first=(what.statistic,),
        render=render,
        recount=what.checked,
        options={"size": what.size},
        invariants=("the number of records",) if what.public else (),
        limits=(
            f"All rows are copies of the {what.size} records of one small table, which was chosen "
            "by counts of one and two columns: shares come in steps of "
            f"1/{what.size}, and rows mean nothing one by one.",
        ),
    )


def _size(size: Any, cells: int) -> int:
    """How many records the small table has; refused where there are too many such tables."""
    if size == "auto":
        fitting = [m for m in range(_LEAST, _MOST + 1) if _candidates(cells, m) <= _MOST_CANDIDATES]
        if not fitting:
            raise SchemaError(_too_many(cells, _LEAST))
        return fitting[-1]
    text = str(size)
    short = len(text) <= _LONGEST and text.isascii() and text.isdigit()
    if not (short and 1 <= int(text) <= 1000):
        raise ParameterError("size must be auto or a whole number from 1 to 1000")
    if _candidates(cells, int(text)) > _MOST_CANDIDATES:
        raise SchemaError(_too_many(cells, int(text)))
    return int(text)


def _candidates(cells: int, size: int) -> int:
    return comb(cells + size - 1, size)


def _too_many(cells: int, size: int) -> str:
    return (
        f"the columns hold {_shown(cells)} different records, so there are "
        f"{_shown(_candidates(cells, size))} tables of {size}, and "
        f"all of them would be scored: small-database takes at most {_MOST_CANDIDATES:,}. Leave "
        "out columns (kind: id), use fewer values or a smaller size, or choose another method"
    )


def _shown(number: int) -> str:
    """A number that may have more digits than can be printed."""
    return f"{number:,}" if number < 10**15 else f"more than 10^{floor(log10(number))}"


METHOD = Method(
    name="small-database",
    summary="Chooses one small table by its counts and repeats it; tiny domains; a baseline.",
    promise="epsilon-DP",
    source="Blum, Ligett and Roth 2008, the exponential mechanism over whole tables",
    proof="proofs/small-database.md",
    plan=plan,
    options={
        "size": "records of the small table, or auto (default): as many as a million tables allow",
    },
    family=Family.BASELINE,
    use="to compare with, where few columns have few values",
    contract=(
        ContractCase({"epsilon": "1"}, options={"size": 3}, columns=("sex", "site", "outcome")),
        ContractCase(
            {"epsilon": "1"},
            neighbours="add-remove",
            options={"size": 5},
            columns=("dose", "outcome"),
        ),
    ),
    audit=AuditCase(
        counted(ONE_BIT),
        {"size": 1},
        settings=(
            Setting("flat", FLAT, {"size": 3}),
            Setting("two features", TWO_FEATURES, {"size": 4}),
            Setting("labelled", counted(LABELLED), {"size": 6}),
        ),
    ),
)
