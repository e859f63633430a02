"""compressive: every record along public random directions, under noise (Li et al. 2011)."""

from hashlib import shake_256
from math import sqrt
from typing import Any

import numpy as np

from sfumato.errors import ParameterError
from sfumato.measure.projection import Projection
from sfumato.methods.basis import Rank
from sfumato.methods.record_plan import Projected, record_plan
from sfumato.numeric.arrays import Matrix
from sfumato.plan import AuditCase, ContractCase, Family, Method, Plan, Setting
from sfumato.plan.made_up import MIXED, NUMBERS, PLAIN, TWO_FEATURES
from sfumato.privacy.budget import Budget
from sfumato.privacy.mechanism import Purse
from sfumato.render.reduced import component_columns
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import Centred
from sfumato.synopsis.directions import UNIT, Directions
from sfumato.table.records import Records

__all__ = ["METHOD"]

DEFAULT_RANK = 5


def plan(
    domain: Domain,
    budget: Budget,
    rank: Any = None,
    radius: Any = None,
    space: str = "columns",
    projection: Any = "1",
) -> Plan:
    """The whole budget for coordinates along directions that are the same for everyone."""
    if space not in ("columns", "components"):
        raise ParameterError(f"space must be columns or components, got {space!r}")
    centred = Centred.of(domain, radius)
    wanted = min(DEFAULT_RANK, len(centred))
    if rank is not None:
        chosen = Rank.of(rank, 1, len(centred)).fixed
        if chosen is None:
            raise ParameterError(f"rank must be from 1 to {len(centred)} (features), got {rank!r}")
        wanted = chosen
    directions = Directions.of(centred, bernoulli(wanted, len(centred), str(projection)))
    noisy = Projection(directions, budget)
    noisy.noise.check(UNIT)

    def measure(records: Records, purse: Purse) -> Projected:
        return Projected(directions, noisy.perturb(records, purse), np.zeros(len(centred)))

    return record_plan(
        METHOD.name,
        domain,
        budget,
        events=(noisy.noise.event,),
        measure=measure,
        columns=component_columns(wanted) if space == "components" else None,
        options={
            "rank": wanted,
            "radius": centred.written_radius,
            "space": space,
            "projection": str(projection),
        },
    )


def bernoulli(rank: int, features: int, name: str) -> Matrix:
    """A matrix of ±1/√rank, a fair coin for every entry; a public function of its name.

    Nobody needs to trust a generator: whoever holds the certificate makes the same matrix.

    >>> bernoulli(1, 6, "1").tolist()
    [[1.0, 1.0, 1.0, 1.0, -1.0, 1.0]]
    """
    coins = shake_256(f"sfumato projection {name}".encode()).digest(rank * features)
    signs = 1 - 2.0 * (np.frombuffer(coins, np.uint8) & 1)
    return np.asarray(signs.reshape(rank, features) / sqrt(rank))


METHOD = Method(
    name="compressive",
    summary="Noisy coordinates of every record along public random directions; a baseline.",
    promise="epsilon-DP, or (epsilon, delta)-DP and rho-zCDP, under replace-one",
    source="Li et al. 2011, as in Chanyaswad et al. 2017, section VIII, with exact sensitivity",
    proof="proofs/compressive.md",
    plan=plan,
    options={
        "rank": f"how many directions, {DEFAULT_RANK} by default",
        "radius": "draw records into this ball (each range is 1 wide); default: the box",
        "space": "columns (default): a table like the original; components: the coordinates",
        "projection": "any word: it names the public random directions",
    },
    family=Family.BASELINE,
    use="to compare with: a random projection of every record",
    contract=(
        ContractCase({"epsilon": "1"}),
        ContractCase({"rho": "0.1"}, options={"rank": 14}),
    ),
    audit=AuditCase(
        TWO_FEATURES,
        {"rank": 1},
        settings=(
            Setting("plain", PLAIN, {"rank": 3}),
            Setting("mixed", MIXED),
            Setting("number", NUMBERS, {"radius": "1/2", "rank": 2}),
        ),
    ),
)
