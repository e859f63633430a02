"""toy-mean: all that a new method for tables needs, in one file."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from sfumato.measure.moments import Moments
from sfumato.plan import AuditCase, ContractCase, Method, Plan
from sfumato.plan.made_up import ONE_BIT
from sfumato.privacy.budget import Budget
from sfumato.render.decode import Decoder, nearest_codes
from sfumato.render.spectrum import covariance
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features
from sfumato.synopsis.moments import MomentLayout, MomentSynopsis

__all__ = ["METHOD"]


def plan(domain: Domain, budget: Budget) -> Plan:
    """The noisy mean, once for every record."""
    features = Features.of(domain)
    moments = Moments(MomentLayout(features, domain.schema.neighbours), budget)

    def render(
        synopsis: MomentSynopsis, rows: int | None, _: np.random.Generator
    ) -> Iterator[pa.RecordBatch]:
        mean, _S = covariance(synopsis)
        count = round(float(synopsis.counts.sum())) if rows is None else rows
        return Decoder(domain).batches([nearest_codes(features, np.tile(mean, (count, 1)))])

    return Plan(
        method=METHOD.name,
        domain=domain,
        budget=budget,
        events=(moments.noise.event,),
        measure=moments.perturb,
        render=render,
        invariants=("the number of records",),
    )


METHOD = Method(
    name="toy-mean",
    summary="Publishes the noisy mean, once for every record.",
    promise="epsilon-DP",
    source="nobody",
    proof="proofs/modips.md",
    plan=plan,
    use="showing that one file is enough",
    contract=(ContractCase({"epsilon": "1"}), ContractCase({"rho": "0.1"})),
    audit=AuditCase(ONE_BIT, runs=800),
)
