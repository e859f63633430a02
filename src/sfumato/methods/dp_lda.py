"""dp-lda: records drawn to keep what separates the classes (Jiang et al. 2013, section 3.2)."""

from dataclasses import dataclass

import numpy as np

from sfumato.errors import ParameterError, SchemaError
from sfumato.measure.moments import Moments
from sfumato.numeric.arrays import Matrix, Whole
from sfumato.plan import AuditCase, ContractCase, Family, Method, Plan, Setting
from sfumato.plan.made_up import LABELLED, MIXED, PLAIN, THREE, counted
from sfumato.privacy.budget import Budget
from sfumato.render.consistent import consistent
from sfumato.render.decode import Decoder
from sfumato.render.drawing import Drawing
from sfumato.render.labelled import Labelled
from sfumato.render.leaves import apportion
from sfumato.render.sequential import Sequential
from sfumato.render.shrink import shrunken
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features
from sfumato.synopsis.moments import MomentLayout, MomentSynopsis

__all__ = ["METHOD"]


def plan(domain: Domain, budget: Budget, sampler: str = "gauss") -> Plan:
    """Spend the whole budget on class counts, class sums and the shared second moment."""
    if sampler not in ("gauss", "greedy"):
        raise ParameterError(f"sampler must be gauss or greedy, got {sampler!r}")
    if domain.label is None:
        raise SchemaError("dp-lda needs a label: give one category or boolean the role label")
    features = Features.of(domain, without=(domain.label,))
    if not len(features):
        raise SchemaError("no column besides the label holds information")
    classes = domain.axes[domain.label].codes
    layout = MomentLayout(features, domain.schema.neighbours, classes)
    moments = Moments(layout, budget, domain.label)
    moments.noise.check(int(layout.units.max()))
    event = moments.noise.event
    label = domain.label

    def render(synopsis: MomentSynopsis, rows: int | None, rng: np.random.Generator) -> Drawing:
        found = consistent(synopsis)
        total = round(float(found.counts.sum())) if rows is None else rows
        sizes = apportion(found.counts, total, rng)
        made = _Greedy if sampler == "greedy" else Sequential.of
        drawn = made(features, *shrunken(found, features, event.deviation))
        records = Labelled(features, label, sizes, drawn, Decoder(domain))
        return Drawing.of(records, total, rng)

    public_rows = domain.schema.neighbours == "replace-one"
    return Plan(
        method=METHOD.name,
        domain=domain,
        budget=budget,
        events=(event,),
        measure=moments.perturb,
        first=(moments.statistic,),
        render=render,
        rounds=(1,),
        options={"sampler": sampler},
        invariants=("the number of records",) if public_rows else (),
        limits=(
            "Class sizes, class means and one covariance shared by the classes are kept; "
            "dependence beyond that is not.",
        ),
    )


@dataclass(frozen=True, eq=False)
class _Greedy:
    """The paper's sampler: nothing in it is random."""

    features: Features
    means: Matrix
    S: Matrix

    def __call__(self, labels: Whole, _rng: np.random.Generator) -> Matrix:
        from sfumato.render.greedy import greedy  # numba takes a second to load

        return greedy(self.features, self.means, self.S, labels)


METHOD = Method(
    name="dp-lda",
    summary="Draws records that keep class sizes, class means and the shared covariance.",
    promise="epsilon-DP, or (epsilon, delta)-DP and rho-zCDP with Gaussian noise; labels included",
    source="Jiang et al. 2013, section 3.2, with noisy counts and the corrected sensitivity",
    proof="proofs/dp-lda.md",
    plan=plan,
    options={"sampler": "gauss (default) or greedy (the paper's, mended)"},
    family=Family.MOMENTS,
    use="tables with a label that is to be predicted",
    contract=(
        ContractCase({"epsilon": "1"}),
        ContractCase({"epsilon": "1"}, options={"sampler": "greedy"}),
        ContractCase({"epsilon": "1", "delta": "1e-6"}, neighbours="add-remove"),
        ContractCase({"rho": "0.1"}),
    ),
    audit=AuditCase(
        counted(LABELLED),
        settings=(
            Setting("plain", PLAIN),
            Setting("mixed", MIXED),
            Setting("three classes", THREE),
        ),
    ),
)
