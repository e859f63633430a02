"""lap-pca: components of second moments under Laplace noise, ε-DP (Xu 2019; Chanyaswad 2017)."""

from typing import Any

from sfumato.errors import ParameterError
from sfumato.methods.basis import DEFAULT_ALPHA, DEFAULT_MEANS, Rank, private_basis
from sfumato.methods.component_plan import component_plan
from sfumato.plan import AuditCase, ContractCase, Family, Method, Plan, Setting
from sfumato.plan.made_up import LEVELS, MIXED, NUMBERS, PLAIN, TWO_FEATURES, counted
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PureDP
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import Centred

__all__ = ["METHOD", "OPTIONS"]

OPTIONS = {
    "rank": "how many components; by default as many as alpha asks for",
    "alpha": f"share of the noisy variance to keep, {DEFAULT_ALPHA} by default",
    "radius": "draw records into this ball (each range is 1 wide); default: the box of the ranges",
    "means": f"share of the budget for the mean, {DEFAULT_MEANS} by default; 0: the public centre",
}


def plan(
    domain: Domain,
    budget: Budget,
    rank: Any = None,
    alpha: Any = DEFAULT_ALPHA,
    radius: Any = None,
    means: Any = DEFAULT_MEANS,
) -> Plan:
    """Spend the budget on second moments about the public centre, and on the mean."""
    if not isinstance(budget, PureDP):
        raise ParameterError("lap-pca is for a pure epsilon: with delta or rho, use analyze-gauss")
    return second_moment_plan(METHOD.name, domain, budget, rank, alpha, radius, means)


def second_moment_plan(
    name: str, domain: Domain, budget: Budget, rank: Any, alpha: Any, radius: Any, means: Any
) -> Plan:
    """The plan that `lap-pca` and `analyze-gauss` share: the budget decides the noise."""
    space = Centred.of(domain, radius)
    wanted = Rank.of(rank, alpha, len(space))
    basis = private_basis(space, domain.schema.neighbours, budget, means)
    return component_plan(
        name,
        domain,
        budget,
        events=basis.events,
        measure=basis.measure,
        rank=wanted,
        rounds=(len(basis.events),),
        options={
            "rank": wanted.fixed,
            "alpha": str(alpha),
            "radius": space.written_radius,
            "means": str(means),
        },
    )


# Columns of every kind, columns whose bounds are attained, and numbers in a ball.
SETTINGS = (
    Setting("plain", PLAIN),
    Setting("mixed", MIXED),
    Setting("number", NUMBERS, {"radius": "1/2"}),
    Setting("level", LEVELS, {"means": "0", "radius": "1"}),
)

METHOD = Method(
    name="lap-pca",
    summary="Principal components alone, from second moments under Laplace noise.",
    promise="epsilon-DP",
    source="Xu et al. 2019 (LIP, step 1-4); Chanyaswad et al. 2017, VII, with the right scale",
    proof="proofs/components.md",
    plan=plan,
    options=OPTIONS,
    family=Family.COMPONENTS,
    use="principal components and no records, under a pure budget",
    contract=(
        ContractCase({"epsilon": "1"}),
        ContractCase({"epsilon": "1"}, options={"radius": "0.8", "means": "0"}),
        ContractCase({"epsilon": "1"}, neighbours="add-remove", options={"rank": "3"}),
    ),
    audit=AuditCase(counted(TWO_FEATURES), settings=SETTINGS),
)
