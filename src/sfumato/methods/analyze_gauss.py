"""analyze-gauss: components of second moments under Gaussian noise (Dwork et al. 2014)."""

from typing import Any

from sfumato.errors import ParameterError
from sfumato.methods.basis import DEFAULT_ALPHA, DEFAULT_MEANS
from sfumato.methods.lap_pca import OPTIONS, second_moment_plan
from sfumato.plan import Method, Plan
from sfumato.privacy.budget import Budget
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
        raise ParameterError("analyze-gauss needs delta or rho: for a pure epsilon, use lap-pca")
    return second_moment_plan(METHOD.name, domain, budget, rank, alpha, radius, means)


METHOD = Method(
    name="analyze-gauss",
    summary="Principal components alone, from second moments under Gaussian noise.",
    promise="(epsilon, delta)-DP and rho-zCDP",
    source="Dwork et al. 2014, with exact discrete noise; AG-PCA of Chanyaswad et al. 2017",
    proof="proofs/components.md",
    plan=plan,
    options=OPTIONS,
)
