"""identity-laplace: every record under its own Laplace noise, order kept; a baseline."""

import pyarrow as pa

from sfumato.errors import ParameterError, SchemaError
from sfumato.measure.identity import NoisyRecords
from sfumato.methods.row_per_record import check_neighbours
from sfumato.numeric.arrays import Matrix
from sfumato.plan import AuditCase, ContractCase, Family, Method, Plan
from sfumato.plan.case import EVERY_KIND
from sfumato.plan.made_up import ONE_BIT
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PureDP
from sfumato.render.decode import NearestRecords
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features
from sfumato.table.mapped import Mapped

__all__ = ["METHOD"]


def plan(domain: Domain, budget: Budget) -> Plan:
    """Noise on every entry of every record, for the whole budget."""
    if not isinstance(budget, PureDP):
        raise ParameterError(
            "identity-laplace promises pure epsilon-DP only: leave out delta and rho"
        )
    check_neighbours(METHOD.name, domain)
    features = Features.of(domain)
    if not len(features):
        raise SchemaError("every column has a single value: there is nothing to measure")
    noisy = NoisyRecords(features, budget)
    noisy.noise.check(int(noisy.units.max()))

    def render(made: Mapped[Matrix], *_: object) -> Mapped[pa.RecordBatch]:
        return made.then(NearestRecords(features))

    return Plan(
        method=METHOD.name,
        domain=domain,
        budget=budget,
        events=(noisy.noise.event,),
        measure=noisy.perturb,
        render=render,
        row="record",
        invariants=("the number of records", "the order of the records"),
        limits=(
            "Noise per record is large: with many columns or a small epsilon most values end "
            "at the bounds of their range. Use it as a baseline.",
        ),
    )


METHOD = Method(
    name="identity-laplace",
    summary="Adds noise to every record and keeps their order; the baseline to beat.",
    promise="epsilon-DP under replace-one",
    source="Dwork et al. 2006; the baseline of Jiang et al. 2013, section 4",
    proof="proofs/identity-laplace.md",
    plan=plan,
    family=Family.BASELINE,
    use="to compare with: every record under its own noise",
    contract=(ContractCase({"epsilon": "1"}),),
    audit=AuditCase(ONE_BIT, settings=EVERY_KIND[:2]),
)
