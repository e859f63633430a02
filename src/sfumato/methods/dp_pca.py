"""dp-pca: each record as noisy coordinates along noisy components (Jiang et al. 2013, 3.1)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sfumato.errors import ParameterError, SchemaError
from sfumato.measure.moments import Moments
from sfumato.measure.projection import Projection
from sfumato.methods.record_plan import (
    DEFAULT_SPLIT,
    Projected,
    check_worst,
    later,
    record_plan,
    recounted,
)
from sfumato.numeric.arrays import Matrix
from sfumato.plan import AuditCase, ContractCase, Family, Method, Plan, Setting
from sfumato.plan.made_up import MANY, MIXED, ONE_BIT, PLAIN
from sfumato.privacy.budget import Budget, shared
from sfumato.privacy.guarantee import exact
from sfumato.privacy.mechanism import Event, Purse
from sfumato.render.components import expected_errors, leading
from sfumato.render.spectrum import covariance
from sfumato.schema.domain import Domain
from sfumato.synopsis.directions import EXACT_RANK, Directions
from sfumato.synopsis.features import Features
from sfumato.synopsis.moments import MomentLayout
from sfumato.table.records import Records

__all__ = ["METHOD"]


def plan(
    domain: Domain, budget: Budget, rank: int | str = "auto", split: Any = DEFAULT_SPLIT
) -> Plan:
    """A share `split` of the budget for the directions, the rest for the coordinates."""
    features = Features.of(domain)
    if not len(features):
        raise SchemaError("every column has a single value: there is nothing to measure")
    wanted = _rank(rank, len(features))
    first = exact("split", split, below=1)
    for_directions, for_records = shared(budget, first, 1 - first)
    moments = Moments(MomentLayout(features, "replace-one"), for_directions)
    moments.noise.check(int(moments.layout.units.max()))
    check_worst(features, wanted or EXACT_RANK, for_records)

    def measure(records: Records, purse: Purse) -> Projected:
        synopsis = moments.perturb(records, purse)
        mean, S = covariance(synopsis)
        values, U = leading(S, len(features))
        errors = expected_errors(values, _energies(features, U, for_records))
        chosen = wanted or 1 + int(np.argmin(errors[1:]))
        directions = Directions.of(features, U[:chosen])
        coordinates = Projection(directions, for_records).perturb(records, purse)
        # By rank, from 0 (the mean alone), before values are cut to their ranges.
        by_rank = {str(rank): float(error) for rank, error in enumerate(errors)}
        findings = {"moments": synopsis.to_json(), "expected_squared_error_per_record": by_rank}
        return Projected(directions, coordinates, mean, findings)

    def recount(synopsis: Mapping[str, Any]) -> tuple[Event, ...]:
        return moments.noise.event, recounted(features, for_records, synopsis)

    return record_plan(
        METHOD.name,
        domain,
        budget,
        events=(moments.noise.event, later(for_records)),
        measure=measure,
        recount=recount,
        options={"rank": rank, "split": str(split)},
        limits=(
            "Noise per record is large: compare the expected error in synopsis.json with that "
            "of the mean alone before using single rows.",
        ),
    )


def _rank(rank: int | str, most: int) -> int | None:
    """The rank asked for; None for auto."""
    if rank == "auto":
        return None
    try:
        number = int(str(rank))
    except ValueError:
        number = 0
    if not 1 <= number <= most:
        raise ParameterError(f"rank must be auto or from 1 to {most} (features), got {rank!r}")
    return number


def _energies(features: Features, U: Matrix, budget: Budget) -> Matrix:
    """Noise let in by 1, 2, … coordinates, as far as their sensitivity is exact."""
    energies = []
    for k in range(1, min(len(U), EXACT_RANK) + 1):
        event = Projection(Directions.of(features, U[:k]), budget).noise.event
        spread = float(event.noise or 0)
        energies.append(k * (2 * spread**2 if event.mechanism == "discrete-laplace" else spread))
    return np.array(energies)


METHOD = Method(
    name="dp-pca",
    summary="Noisy coordinates of every record along the noisy leading components; order kept.",
    promise="epsilon-DP, or (epsilon, delta)-DP and rho-zCDP, under replace-one",
    source="Jiang et al. 2013, section 3.1, with exact sensitivities",
    proof="proofs/dp-pca.md",
    plan=plan,
    options={
        "rank": "how many components, or auto (default): chosen from the noisy spectrum",
        "split": f"share of the budget for the components, {DEFAULT_SPLIT} by default",
    },
    family=Family.RECORDS,
    use="rows in their order, where the budget is large",
    contract=(
        ContractCase({"epsilon": "1"}),
        ContractCase({"epsilon": "1", "delta": "1e-6"}, options={"rank": 3}),
        ContractCase({"rho": "0.1"}, options={"rank": "16", "split": "0.5"}),
    ),
    audit=AuditCase(
        ONE_BIT,
        runs=2_500,
        settings=(
            Setting("plain", PLAIN, {"rank": 2}),
            Setting("mixed", MIXED),
            Setting("many", MANY, {"rank": 14}),
        ),
    ),
)
