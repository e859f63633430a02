"""exponential: every record by its own exponential mechanism, order kept; a baseline.

The mechanism over whole tables, which the papers cite, is `small-database`.
"""

from collections.abc import Iterator

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

    def render(batches: Iterator[Codes], *_: object) -> Iterator[pa.RecordBatch]:
        return Decoder(domain).batches(batches)

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
    summary="Draws each record anew by itself, not a whole table; keeps the order; a baseline.",
    promise="epsilon-DP under replace-one",
    source="McSherry and Talwar 2007; the baseline of Jiang et al. 2013, section 4",
    proof="proofs/exponential.md",
    plan=plan,
    family=Family.BASELINE,
    use="to compare with: each record drawn anew by itself (whole tables: small-database)",
    contract=(ContractCase({"epsilon": "1"}, frozen=False),),
    audit=AuditCase(ONE_BIT, settings=EVERY_KIND[:2]),
)
