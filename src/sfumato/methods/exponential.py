"""exponential: every record by its own exponential mechanism, order kept; a baseline.

The mechanism over whole tables, which the papers cite, is `small-database`.
"""

import pyarrow as pa

from sfumato.errors import ParameterError, SchemaError
from sfumato.measure.exponential import ExponentialRecords
from sfumato.methods.row_per_record import check_neighbours
from sfumato.numeric.arrays import Codes
from sfumato.plan import AuditCase, ContractCase, Family, Method, Plan
from sfumato.plan.case import EVERY_KIND
from sfumato.plan.made_up import ONE_BIT
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PureDP
from sfumato.render.decode import Decoder
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features
from sfumato.table.mapped import Mapped

__all__ = ["METHOD"]


def plan(domain: Domain, budget: Budget) -> Plan:
    """A new record for each record, for the whole budget."""
    if not isinstance(budget, PureDP):
        raise ParameterError("exponential promises pure epsilon-DP only: leave out delta and rho")
    check_neighbours(METHOD.name, domain)
    features = Features.of(domain)
    if not len(features):
        raise SchemaError("every column has a single value: there is nothing to measure")
    records = ExponentialRecords(features, budget)

    def render(made: Mapped[Codes], *_: object) -> Mapped[pa.RecordBatch]:
        return made.then(Decoder(domain).encoded)

    return Plan(
        method=METHOD.name,
        domain=domain,
        budget=budget,
        events=(records.choice.event,),
        measure=records.perturb,
        render=render,
        row="record",
        invariants=("the number of records", "the order of the records"),
        limits=(
            "Each record is drawn anew over its whole domain: with many columns or a small "
            "epsilon most values are nearly uniform. Use it as a baseline.",
        ),
    )


METHOD = Method(
    name="exponential",
    summary="Draws each record anew, the likelier the nearer; keeps their order; a baseline.",
    promise="epsilon-DP under replace-one",
    source="McSherry and Talwar 2007, record by record; Jiang et al. 2013, section 4, cite the "
    "mechanism over whole tables (Blum, Ligett and Roth 2008), which is small-database",
    proof="proofs/exponential.md",
    plan=plan,
    family=Family.BASELINE,
    use="to compare with: each record drawn anew by itself, no whole table as by small-database",
    contract=(ContractCase({"epsilon": "1"}, frozen=False),),
    audit=AuditCase(ONE_BIT, settings=EVERY_KIND[:2]),
)
