"""Choosing a method for a part of the budget, so that the choice itself may be known.

Guarantee.  With neighbours that replace one record, `choose_method` costs the stated share of the
budget, whatever the methods are, and tells nothing but the name of one.
How.  Records are dealt out by their position alone: a part for every candidate and one for
the judge.  Each candidate publishes from its own part with the whole share; the judge counts
how well each release fits the judge's part (`fitness`) and draws one by the exponential
mechanism with the whole share.  A record lies in one part, so the share is paid once
(parallel composition).  The proof page is docs/proofs/private-choice.md.
Limits.  Candidates are judged on fewer records and less budget than the release will have:
a method that needs much of either may be undervalued.  Few candidates choose better.
"""

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.errors import DataError, ParameterError, SchemaError
from sfumato.inspection.compare.contender import methods_named, planned
from sfumato.inspection.compare.fitness import Fitness, fitness
from sfumato.inspection.utility import AnySchema, domain_of, encoded, has_rows, opened
from sfumato.ledger import Ledger
from sfumato.numeric.arrays import Codes
from sfumato.plan import RECORD, Plan
from sfumato.plan.terms import protection
from sfumato.privacy.budget import budget, charge
from sfumato.privacy.choice import Choice
from sfumato.privacy.guarantee import (
    ApproxDP,
    Guarantee,
    Heuristic,
    Number,
    PureDP,
    exact,
    to_json,
)
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import Bits, SeededBits, SystemBits
from sfumato.publishing.doubt import unheard
from sfumato.publishing.table import publish
from sfumato.render.decode import Decoder
from sfumato.schema.domain import Domain
from sfumato.table.header import check_header
from sfumato.table.query import Relation
from sfumato.table.records import Records
from sfumato.table.sql.stored import StoredTable

__all__ = ["PrivateChoice", "choose_method", "dealt"]

_MOST = 8  # candidates
_FEWEST = 30  # records for the judge, and for each candidate
_DOUBT = 0.05

Stage = PureDP | ApproxDP
Bought = tuple[str, dict[str, Any]]  # a method and its budget


@dataclass(frozen=True, slots=True)
class PrivateChoice:
    """A method, what choosing it cost, and what is left for its release.

    `left` is in whole units of a ledger, which rounds charges up: its release can be paid for.
    `within` is, from public facts alone, by how much the chosen method may fall short of the
    best candidate at 95 % confidence: in shares of the judge's records.
    """

    method: str
    candidates: tuple[str, ...]
    release: str
    guarantee: Guarantee
    left: Stage
    judged: int
    within: float
    measure: str


def choose_method(
    data: Any,
    schema: AnySchema,
    *,
    methods: Sequence[str],
    epsilon: Number,
    delta: Number | None = None,
    share: Number,
    ledger: Ledger | None = None,
    release: str | None = None,
    seed: int | None = None,
) -> PrivateChoice:
    """One of `methods` for `share` of the budget; the rest is left for its release.

    With `ledger` the share is charged, on the disk before a record is read.  A `seed` makes a
    test run without any guarantee.

    >>> from sfumato.example import CLINIC, clinic
    >>> from sfumato.schema import Schema
    >>> found = choose_method(clinic(3_000), Schema.parse(CLINIC),
    ...     methods=["dp-lda", "exponential"], epsilon=2, share="0.25")
    >>> found.method in found.candidates, str(found.guarantee), str(found.left)
    (True, '0.5-differential privacy', '1.5-differential privacy')
    """
    if seed is not None and ledger is not None:
        raise ParameterError("a seeded run is a test: leave out the seed, or the ledger")
    domain, part = domain_of(schema), exact("share", share, below=1)
    names, whole = methods_named(methods), budget(epsilon=epsilon, delta=delta)
    stage = _part_of(whole, part)
    left = _left_of(whole, stage)
    plans = _plans(domain, names, stage)
    plain = Domain.of(domain.schema.plain())  # for rows that were decoded from the grid
    judge = fitness(plain)
    price = PureDP(stage.epsilon)
    source = opened(data, domain)
    if isinstance(source, StoredTable | Relation):  # where one record may move all others
        raise DataError(
            "a private choice deals records by their position, which a database does not keep: "
            "save the table as a file first, or choose on public records"
        )
    check_header(source, domain)  # as its release will: what it refuses is not chosen for
    if not has_rows(source, fewest := _fewest(len(names), float(stage.epsilon))):
        raise DataError(
            f"choosing among {len(names)} methods with this share needs at least {fewest} records: "
            "name fewer methods, raise the share, or choose on public records"
        )
    identity = release or f"choice-{secrets.token_hex(8)}"
    decided = {"choice": list(names), "score": judge.what, "cost": to_json(stage)}
    if ledger is not None:
        plan = hashlib.sha256(
            json.dumps(decided | {"schema": domain.schema.to_json()}, sort_keys=True).encode()
        ).hexdigest()
        about = protection(RECORD, domain.schema.neighbours)
        ledger.reserve(identity, domain.schema.name, stage, plan=plan, protects=about)
        ledger.draw(identity, Records(source, domain, key=ledger.fingerprint_key).fingerprint())
    judged, parts = dealt(encoded(data, domain), len(names))
    releases = [
        _released(one, rows, plain, k, seed)
        for k, (one, rows) in enumerate(zip(plans, parts, strict=True))
    ]
    bits: Bits = SystemBits() if seed is None else SeededBits(seed)
    purse = Purse(price, bits)
    chosen = names[_drawn(judge, price, releases, judged, purse)]
    if ledger is not None:
        told = json.dumps(decided | {"chosen": chosen}, sort_keys=True)
        ledger.settle(identity, hashlib.sha256(told.encode()).hexdigest())
    return PrivateChoice(
        method=chosen,
        candidates=names,
        release=identity,
        guarantee=stage if seed is None else purse.guarantee,
        left=left,
        judged=len(judged),
        within=_within(len(names), float(stage.epsilon), len(judged)),
        measure=judge.what,
    )


def dealt(codes: Codes, candidates: int) -> tuple[Codes, list[Codes]]:
    """The judge's records, a third of all, and a part for every candidate, by position alone.

    >>> judged, parts = dealt(np.arange(12).reshape(-1, 1), 2)
    >>> judged.ravel().tolist(), [part.ravel().tolist() for part in parts]
    ([0, 1, 6, 7], [[2, 4, 8, 10], [3, 5, 9, 11]])
    """
    place = np.arange(len(codes)) % (3 * candidates)
    judged = codes[place < candidates]
    parts = [codes[(place >= candidates) & (place % candidates == k)] for k in range(candidates)]
    return judged, parts


def _drawn(
    judge: Fitness, price: PureDP, releases: list[pa.Table], judged: Codes, purse: Purse
) -> int:
    """The position of the chosen release: the one place where the judge's records are seen."""
    choice = Choice("method", judge.sensitivity, price)
    bits = purse.spend(choice.event)
    scores = np.array([judge.score(table, judged) for table in releases], np.int64)
    return choice.draw(scores, bits)


def _released(plan: Bought, rows: Codes, domain: Domain, number: int, seed: int | None) -> pa.Table:
    name, bought = plan
    table = pa.Table.from_batches([Decoder(domain).batch(rows)])
    noise = None if seed is None else seed + 1 + number
    # These are values as they were read: nothing is left that would not fit.
    return publish(
        table,
        schema=domain.schema,
        method=name,
        seed=noise,
        fit=False,
        progress=False,
        on_doubt=unheard,  # the scores tell
        **bought,
    ).table


def _part_of(whole: Any, share: Fraction) -> Stage:
    if isinstance(whole, ApproxDP):
        return ApproxDP(whole.epsilon * share, whole.delta * share)
    return PureDP(whole.epsilon * share)


def _left_of(whole: Any, stage: Stage) -> Stage:
    """What a ledger has left of `whole` after `stage`, in its units: that much can be published."""
    paid = charge(stage)
    epsilon = Fraction(floor(whole.epsilon * 10**6) - paid.micro_epsilon, 10**6)
    delta = Fraction(0)
    if isinstance(whole, ApproxDP):
        delta = Fraction(floor(whole.delta * 10**12) - paid.pico_delta, 10**12)
    for name, left in (("epsilon", epsilon), ("delta", delta)):
        if left <= 0 and hasattr(whole, name):
            raise ParameterError(
                f"this share leaves nothing of {name} for the release: lower share, or raise {name}"
            )
    return ApproxDP(epsilon, delta) if delta else PureDP(epsilon)


def _plans(
    domain: Domain, names: tuple[str, ...], stage: Stage
) -> list[tuple[str, dict[str, Any]]]:
    """What each candidate is run with; refused from public facts, before anything is charged."""
    if domain.schema.neighbours != "replace-one":
        raise SchemaError(
            "a private choice deals records out by position, so it needs neighbours: replace-one"
        )
    if not 2 <= len(names) <= _MOST:
        raise ParameterError(f"methods must name 2 to {_MOST} candidates, got {len(names)}")
    delta = stage.delta if isinstance(stage, ApproxDP) else None
    found = []
    for name in names:
        plan, used = planned(domain, name, stage.epsilon, delta)
        _check(plan)
        bought = {"epsilon": stage.epsilon} | ({} if used is None else {"delta": delta})
        found.append((name, bought))
    return found


def _check(plan: Plan) -> None:
    if isinstance(plan.guarantee, Heuristic):
        raise ParameterError(f"{plan.method} promises nothing, so it cannot be chosen privately")
    if plan.columns is not None:
        raise ParameterError(
            f"{plan.method} does not release the columns of the schema: it cannot be judged"
        )


def _fewest(candidates: int, epsilon: float) -> int:
    """Records without which a part would be too small, or the choice promise nothing."""
    judged = ceil(_within(candidates, epsilon, 1))  # from there on the bound says something
    return 3 * max(judged, _FEWEST, -(-candidates * _FEWEST // 2))


def _within(candidates: int, epsilon: float, judged: int) -> float:
    """McSherry and Talwar's bound: short by more than this with probability 1/20 at most."""
    return 2 * (log(candidates) + log(1 / _DOUBT)) / (epsilon * max(judged, 1))
