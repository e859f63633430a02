"""modips: a Gaussian with the noisy mean and covariance of the table (Liu 2016)."""

import numpy as np

from sfumato.errors import SchemaError
from sfumato.measure.moments import Moments
from sfumato.plan import AuditCase, ContractCase, Family, Method, Plan
from sfumato.plan.made_up import ONE_BIT
from sfumato.privacy.budget import Budget
from sfumato.render.decode import Decoder
from sfumato.render.drawing import Drawing
from sfumato.render.gaussian import Gaussian, GaussianRecords
from sfumato.render.spectrum import covariance, nearest_psd
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features
from sfumato.synopsis.moments import MomentLayout, MomentSynopsis

__all__ = ["METHOD"]


def plan(domain: Domain, budget: Budget) -> Plan:
    """Spend the whole budget on the moments; everything after is post-processing."""
    features = Features.of(domain)
    if not len(features):
        raise SchemaError("every column has a single value: there is nothing to measure")
    layout = MomentLayout(features, domain.schema.neighbours)
    moments = Moments(layout, budget)
    moments.noise.check(int(layout.units.max()))

    def render(synopsis: MomentSynopsis, rows: int | None, rng: np.random.Generator) -> Drawing:
        mean, S = covariance(synopsis)
        count = round(float(synopsis.counts.sum())) if rows is None else rows
        drawn = GaussianRecords(features, Decoder(domain), Gaussian.of(mean, nearest_psd(S)))
        return Drawing.of(drawn, count, rng)

    public_rows = domain.schema.neighbours == "replace-one"
    return Plan(
        method=METHOD.name,
        domain=domain,
        budget=budget,
        events=(moments.noise.event,),
        measure=moments.perturb,
        first=(moments.statistic,),
        render=render,
        rounds=(1,),
        invariants=("the number of records",) if public_rows else (),
        limits=(
            "Only means and covariances are kept: shapes of single columns, and any "
            "dependence beyond linear correlation, are those of a Gaussian.",
        ),
    )


METHOD = Method(
    name="modips",
    summary="Draws records from a Gaussian with the noisy mean and covariance of the table.",
    promise="epsilon-DP, or (epsilon, delta)-DP and rho-zCDP with Gaussian noise",
    source="Liu 2016, model-based differentially private data synthesis, without reduction",
    proof="proofs/modips.md",
    plan=plan,
    family=Family.MOMENTS,
    use="a simple reference: one Gaussian for the whole table",
    contract=(
        ContractCase({"epsilon": "1"}),
        ContractCase({"epsilon": "1", "delta": "1e-6"}),
        ContractCase({"rho": "0.1"}),
        ContractCase({"epsilon": "1"}, neighbours="add-remove"),
        ContractCase({"rho": "0.1"}, neighbours="add-remove"),
    ),
    audit=AuditCase(ONE_BIT),
)
