"""jl-gauss: a zero-mean Gaussian from a random projection of the records (Blocki et al. 2012)."""

from typing import Any

import numpy as np

from sfumato.errors import ParameterError, SchemaError
from sfumato.measure.gaussian_projection import GaussianProjection, ProjectedScatter
from sfumato.plan import AuditCase, ContractCase, Family, Method, Plan
from sfumato.plan.made_up import TWO_FEATURES
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import ApproxDP
from sfumato.render.decode import Decoder
from sfumato.render.drawing import Drawing
from sfumato.render.gaussian import Gaussian, GaussianRecords
from sfumato.render.spectrum import nearest_psd
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import Centred

__all__ = ["METHOD"]

_PER_FEATURE = 4  # projections: a covariance of d features needs a few times d draws
_MOST = 10**6


def plan(domain: Domain, budget: Budget, projections: Any = None, radius: Any = None) -> Plan:
    """The whole budget sets how far singular values are raised; nothing is promised."""
    if not isinstance(budget, ApproxDP):
        raise ParameterError(
            "jl-gauss is calibrated for epsilon and delta: give both, delta far below one over the "
            "number of records, such as 1e-9"
        )
    if domain.schema.neighbours != "replace-one":
        raise SchemaError(
            "jl-gauss uses the number of records as it is: declare neighbours: replace-one"
        )
    space = Centred.of(domain, radius)
    projection = GaussianProjection(space, budget, _projections(projections, len(space)))

    def render(released: ProjectedScatter, rows: int | None, rng: np.random.Generator) -> Drawing:
        count = released.rows if rows is None else rows
        about_centre = Gaussian.of(space.middle, nearest_psd(released.second))
        drawn = GaussianRecords(space.features, Decoder(domain), about_centre)
        return Drawing.of(drawn, count, rng)

    return Plan(
        method=METHOD.name,
        domain=domain,
        budget=budget,
        events=(projection.event,),
        measure=projection.perturb,
        render=render,
        options={"projections": projection.projections, "radius": space.written_radius},
        unproved=projection.cost,
        invariants=("the number of records",),
        limits=(
            "Records are drawn about the public centre, so means are not kept; at usual budgets "
            "the raised singular values hide the covariances of fewer than millions of records.",
        ),
    )


def _projections(projections: Any, features: int) -> int:
    if projections is None or str(projections) == "":
        return _PER_FEATURE * features
    try:
        number = int(str(projections))
    except ValueError:
        number = 0
    if not 1 <= number <= _MOST:
        raise ParameterError(f"projections must be from 1 to {_MOST}, got {projections!r}")
    return number


METHOD = Method(
    name="jl-gauss",
    summary="Draws records from a Gaussian whose covariance went through a random projection.",
    promise="none: (epsilon, delta)-DP over the reals only",
    source="Blocki et al. 2012, adapted as in Chanyaswad et al. 2017, section VIII",
    proof="proofs/jl-gauss.md",
    plan=plan,
    options={
        "projections": f"random combinations of the records; {_PER_FEATURE} per feature by default",
        "radius": "draw records into this ball (each range is 1 wide); default: the box",
    },
    family=Family.UNPROVED,
    use="to compare with: its proof does not hold on machine numbers",
    contract=(ContractCase({"epsilon": "1", "delta": "1e-6"}, frozen=False, promised=False),),
    audit=AuditCase(TWO_FEATURES, budget={"epsilon": "2", "delta": "0.05"}),
)
