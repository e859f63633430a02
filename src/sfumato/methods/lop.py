"""lop: every record as noisy coordinates along public components (Xu et al. 2019, corrected)."""

from dataclasses import replace
from functools import partial
from typing import Any

from sfumato.errors import ParameterError
from sfumato.measure import as_published as printed
from sfumato.measure.projection import Projection
from sfumato.methods.basis import DEFAULT_ALPHA, Rank, public_basis
from sfumato.methods.declared_public import stated_source
from sfumato.methods.local_components import (
    DEFAULT_LABEL_SHARE,
    LabelShare,
    in_components,
    local_components_plan,
)
from sfumato.methods.published_plan import published_plan
from sfumato.methods.record_plan import LARGE, Projected, record_plan
from sfumato.plan import AuditCase, ContractCase, Family, MadeUpBasis, Method, Plan, Setting
from sfumato.plan.made_up import FLAT, MANY, MIXED, PLAIN, TWO_FEATURES
from sfumato.plan.options import truth
from sfumato.privacy.budget import Budget
from sfumato.privacy.mechanism import Purse
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import Centred
from sfumato.synopsis.directions import UNIT
from sfumato.table.records import Records

__all__ = ["METHOD"]


def plan(
    domain: Domain,
    budget: Budget,
    basis: Any = None,
    basis_source: Any = None,
    rank: Any = None,
    alpha: Any = DEFAULT_ALPHA,
    radius: Any = None,
    space: Any = "columns",
    label_share: Any = None,
    as_published: Any = False,
) -> Plan:
    """The whole budget for coordinates along components that cost nothing here."""
    apart = in_components(space)
    if truth("as_published", as_published):
        figures = {"rank": rank, "alpha": alpha, "radius": radius}
        beside = {"basis": basis, "basis_source": basis_source, "label_share": label_share}
        beside["space"] = space if apart else None
        return published_plan(METHOD.name, printed.lop, domain, budget, **figures, beside=beside)
    if basis is None:
        raise ParameterError(
            "lop takes its components from public data or from a release: give basis (--basis), "
            "or use lip, which estimates them privately"
        )
    if label_share is not None and not apart:
        raise ParameterError("label_share is for space=components: leave it out")
    share = LabelShare.of(domain, budget, label_share) if apart else None
    answered = () if share is None or share.label is None else (share.label.axis,)
    centred, source = Centred.of(domain, radius, without=answered), stated_source(basis_source)
    wanted = Rank.of(rank, alpha, len(centred))
    public = public_basis(centred, basis, wanted)
    found = public.components
    directions = found.directions(wanted.chosen(found.values))
    options = {
        "basis": dict(public.fields),
        "basis_source": source,
        "rank": wanted.fixed,
        "alpha": str(alpha),
        "radius": centred.written_radius,
    }
    if share is not None:
        return local_components_plan(
            METHOD.name,
            domain,
            budget,
            directions,
            share,
            limits=(public.told(source, (budget,), budget),),
            public=public.declared,
            options=options | {"space": "components", "label_share": share.written},
        )
    projection = Projection(directions, budget)
    projection.noise.check(UNIT)

    def measure(records: Records, purse: Purse) -> Projected:
        return Projected(projection.directions, projection.perturb(records, purse), found.mean)

    told = partial(public.told, source)
    plan = record_plan(
        METHOD.name,
        domain,
        budget,
        events=(projection.noise.event,),
        measure=measure,
        limits=(LARGE, told((projection.noise.event.cost,), budget)),
        public=public.declared,
        options=options,
    )
    return replace(plan, told=told)


# What anyone may know of two features; and nearly the same weight on all levels of a category,
# a block that only a ball moves.
_ONE_DIRECTION = {"rows": 100, "values": [0.3, 0.1], "U": [[0.8, 0.6]], "mean": [0.0, 0.0]}
_FLAT_ON_A_BLOCK = {
    "rows": 10,
    "values": [1.0, 0.0, 0.0, 0.0],
    "U": [[3**-0.5, 3**-0.5, 3**-0.5, 0.001]],
    "mean": [0.0] * 4,
}

METHOD = Method(
    name="lop",
    summary="Noisy coordinates of every record along the components of public data.",
    promise="epsilon-DP, or (epsilon, delta)-DP and rho-zCDP, under replace-one; coordinates: "
    "epsilon-local DP; as published none",
    source="Xu et al. 2019, Algorithm 2, with a public basis and the exact sensitivity",
    proof="proofs/lop.md",
    plan=plan,
    files=("basis",),
    options={
        "basis": "where the components come from: public data of the same columns, or a release of "
        "components (folder)",
        "basis_source": "where that data comes from, in a line that the certificate repeats",
        "rank": "how many components; by default as many as alpha asks for",
        "alpha": f"share of the public variance to keep, {DEFAULT_ALPHA} by default",
        "radius": "draw records into this ball (each range is 1 wide); default: the box",
        "space": "columns (default): a table like the original; components: coordinates, local",
        "label_share": "share of the budget for the label's answers in components, "
        f"{DEFAULT_LABEL_SHARE} by default",
        "as_published": "true: the algorithm as printed, which is not private",
    },
    family=Family.RECORDS,
    use="rows in their order, where public data gives the components for nothing",
    contract=(
        ContractCase({"epsilon": "1"}, public="basis"),
        ContractCase(
            {"epsilon": "2"}, options={"space": "components"}, public="basis", frozen=False
        ),
        ContractCase(
            {"epsilon": "1"},
            options={"as_published": True, "rank": 2},
            frozen=False,
            promised=False,
        ),
    ),
    audit=AuditCase(
        TWO_FEATURES,
        {"basis": _ONE_DIRECTION},
        settings=(
            Setting("plain", PLAIN, {"basis": MadeUpBasis(3), "rank": 3}),
            Setting(
                "components of plain",
                PLAIN,
                {"basis": MadeUpBasis(3, without=(4,)), "rank": 3, "space": "components"},
            ),
            Setting("mixed", MIXED, {"basis": MadeUpBasis(3), "rank": 3, "radius": "1/2"}),
            Setting("flat", FLAT, {"basis": _FLAT_ON_A_BLOCK, "rank": 1, "radius": "1"}),
            Setting("many", MANY, {"basis": MadeUpBasis(14), "rank": 14}),
        ),
    ),
)
