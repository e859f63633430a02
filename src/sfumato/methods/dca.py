"""dca: discriminant components of class moments under noise (Kung 2015, made private)."""

from typing import Any

from sfumato.errors import SchemaError
from sfumato.measure.moments import Moments
from sfumato.methods.basis import Components, Rank
from sfumato.methods.component_plan import component_plan
from sfumato.plan import AuditCase, ContractCase, Family, Method, Plan, Setting
from sfumato.plan.made_up import MIXED, PLAIN, THREE, TWO_LABELLED, counted
from sfumato.privacy.budget import Budget
from sfumato.privacy.mechanism import Purse
from sfumato.render.discriminant import discriminants_of
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import Centred
from sfumato.synopsis.moments import MomentLayout
from sfumato.table.records import Records

__all__ = ["METHOD"]

_LIMIT = (
    "Components after the discriminant ones (one less than there are classes) are the principal "
    "components of what those leave."
)


def plan(domain: Domain, budget: Budget, rank: Any = None) -> Plan:
    """The whole budget for class counts, class sums and the shared second moment."""
    if domain.label is None:
        raise SchemaError("dca needs a label: give one category or boolean the role label")
    space = Centred.of(domain, without=(domain.label,))
    classes = domain.axes[domain.label].codes
    if classes < 2:
        raise SchemaError(f"column {domain.axes[domain.label].name}: a label needs two values")
    layout = MomentLayout(space.features, domain.schema.neighbours, classes)
    moments = Moments(layout, budget, domain.label)
    moments.noise.check(int(layout.units.max()))
    telling = min(classes - 1, len(space))
    wanted = Rank.of(telling if rank in (None, "") else rank, 1, len(space))

    def measure(records: Records, purse: Purse) -> Components:
        synopsis = moments.perturb(records, purse)
        deviation, every = moments.noise.event.deviation, range(len(space))
        values, U, mean = discriminants_of(synopsis, deviation, every)
        return Components(space, values, U, mean - space.middle, synopsis)

    return component_plan(
        METHOD.name,
        domain,
        budget,
        features=space.features,
        events=(moments.noise.event,),
        measure=measure,
        rank=wanted,
        options={"rank": wanted.fixed},
        limits=(_LIMIT,),
        rounds=(1,),
    )


METHOD = Method(
    name="dca",
    summary="Discriminant components alone: directions along which the classes differ most.",
    promise="epsilon-DP, or (epsilon, delta)-DP and rho-zCDP with Gaussian noise; labels included",
    source="Kung 2015, named in Chanyaswad et al. 2017, X.C, from noisy class moments",
    proof="proofs/dca.md",
    plan=plan,
    options={"rank": "how many components; by default one less than there are classes"},
    family=Family.COMPONENTS,
    use="directions that tell classes apart, and no records",
    contract=(
        ContractCase({"epsilon": "1"}),
        ContractCase({"rho": "0.1"}, neighbours="add-remove", options={"rank": 3}),
    ),
    audit=AuditCase(
        counted(TWO_LABELLED),
        runs=2_000,
        settings=(
            Setting("plain", PLAIN),
            Setting("mixed", MIXED),
            Setting("three classes", THREE),
        ),
    ),
)
