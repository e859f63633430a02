"""analyze-gauss: components of second moments under Gaussian noise (Dwork et al. 2014)."""

from typing import Any

from sfumato.errors import ParameterError
from sfumato.methods.basis import DEFAULT_ALPHA, DEFAULT_MEANS
from sfumato.methods.lap_pca import OPTIONS, SETTINGS, second_moment_plan
from sfumato.plan import AuditCase, ContractCase, Family, Method, Plan
from sfumato.plan.made_up import TWO_FEATURES
from sfumato.privacy.budget import GIVE_DELTA, Budget
from sfumato.privacy.guarantee import PureDP
from sfumato.schema.domain import Domain

__all__ = ["METHOD"]


def plan(
    domain: Domain,
    budget: Budget,
    rank: Any = None,
    alpha: Any = DEFAULT_ALPHA,
    radius: Any = None,
    means: Any = DEFAULT_MEANS,
) -> Plan:
    """Spend the budget on second moments about the public centre, and on the mean."""
    if isinstance(budget, PureDP):
        raise ParameterError(
            f"analyze-gauss adds Gaussian noise; {GIVE_DELTA}. For a pure epsilon, use lap-pca"
        )
    return second_moment_plan(METHOD.name, domain, budget, rank, alpha, radius, means)


METHOD = Method(
    name="analyze-gauss",
    summary="Principal components alone, from second moments under Gaussian noise.",
    promise="(epsilon, delta)-DP and rho-zCDP",
    source="Dwork et al. 2014, with exact discrete noise; AG-PCA of Chanyaswad et al. 2017",
    proof="proofs/components.md",
    plan=plan,
    options=OPTIONS,
    family=Family.COMPONENTS,
    use="principal components and no records, under a Gaussian budget",
    contract=(
        ContractCase({"epsilon": "1", "delta": "1e-6"}),
        ContractCase({"rho": "0.1"}, neighbours="add-remove", options={"radius": "1.5"}),
    ),
    audit=AuditCase(TWO_FEATURES, budget={"rho": "0.5"}, runs=4_000, settings=SETTINGS),
)
