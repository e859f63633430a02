"""lip: every record as noisy coordinates along bought components (Xu et al. 2019, corrected)."""

from collections.abc import Mapping
from typing import Any

from sfumato.measure import as_published as printed
from sfumato.measure.projection import Projection
from sfumato.methods.basis import DEFAULT_ALPHA, DEFAULT_MEANS, Rank, private_basis
from sfumato.methods.published_plan import published_plan
from sfumato.methods.record_plan import (
    DEFAULT_SPLIT,
    Projected,
    check_worst,
    later,
    record_plan,
    recounted,
)
from sfumato.plan import AuditCase, ContractCase, Family, Method, Plan, Setting
from sfumato.plan.made_up import MIXED, NUMBERS, PLAIN, TWO_FEATURES
from sfumato.plan.options import truth
from sfumato.privacy.budget import Budget, shared
from sfumato.privacy.guarantee import exact
from sfumato.privacy.mechanism import Event, Purse
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import Centred
from sfumato.table.records import Records

__all__ = ["METHOD"]


def plan(
    domain: Domain,
    budget: Budget,
    rank: Any = None,
    alpha: Any = DEFAULT_ALPHA,
    radius: Any = None,
    split: Any = None,
    means: Any = None,
    as_published: Any = False,
) -> Plan:
    """A share `split` of the budget for the components, the rest for the coordinates."""
    if truth("as_published", as_published):
        beside = {"split": split, "means": means}
        figures = {"rank": rank, "alpha": alpha, "radius": radius}
        return published_plan(METHOD.name, printed.lip, domain, budget, **figures, beside=beside)
    split = DEFAULT_SPLIT if split is None else split
    means = DEFAULT_MEANS if means is None else means
    space = Centred.of(domain, radius)
    wanted = Rank.of(rank, alpha, len(space))
    first = exact("split", split, below=1)
    for_components, for_records = shared(budget, first, 1 - first)
    basis = private_basis(space, "replace-one", for_components, means)
    check_worst(space.features, wanted.fixed or len(space), for_records)

    def measure(records: Records, purse: Purse) -> Projected:
        found = basis.measure(records, purse)
        directions = found.directions(wanted.chosen(found.values))
        coordinates = Projection(directions, for_records).perturb(records, purse)
        moments = None if found.synopsis is None else found.synopsis.to_json()
        return Projected(directions, coordinates, found.mean, {"moments": moments})

    def recount(synopsis: Mapping[str, Any]) -> tuple[Event, ...]:
        return *basis.events, recounted(space, for_records, synopsis)

    return record_plan(
        METHOD.name,
        domain,
        budget,
        events=(*basis.events, later(for_records)),
        measure=measure,
        recount=recount,
        options={
            "rank": wanted.fixed,
            "alpha": str(alpha),
            "radius": space.written_radius,
            "split": str(split),
            "means": str(means),
        },
    )


METHOD = Method(
    name="lip",
    summary="Noisy coordinates of every record along components bought with a part of the budget.",
    promise="epsilon-DP, or (epsilon, delta)-DP and rho-zCDP, under replace-one; as published none",
    source="Xu et al. 2019, Algorithm 1, with noise on the records and the right sensitivities",
    proof="proofs/lip.md",
    plan=plan,
    options={
        "rank": "how many components; by default as many as alpha asks for",
        "alpha": f"share of the noisy variance to keep, {DEFAULT_ALPHA} by default",
        "radius": "draw records into this ball (each range is 1 wide); default: the box",
        "split": f"share of the budget for the components, {DEFAULT_SPLIT} by default",
        "means": f"share of that for the mean, {DEFAULT_MEANS} by default; 0: the public centre",
        "as_published": "true: the algorithm as printed, which is not private",
    },
    family=Family.RECORDS,
    use="rows in their order, keeping a share of the variance",
    contract=(
        ContractCase({"epsilon": "1"}),
        ContractCase({"rho": "0.1"}, options={"rank": 2, "radius": "1.5"}),
        ContractCase(
            {"epsilon": "1"}, options={"as_published": True}, frozen=False, promised=False
        ),
    ),
    audit=AuditCase(
        TWO_FEATURES,
        {"rank": 1},
        runs=2_000,
        settings=(
            Setting("plain", PLAIN, {"rank": 2}),
            Setting("mixed", MIXED),
            Setting("number", NUMBERS, {"radius": "1/2", "rank": 3}),
        ),
    ),
)
