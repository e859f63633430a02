"""pca-gauss-mixture: one Gaussian of components per class (Chanyaswad 2017, Algorithm 3)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.errors import SchemaError
from sfumato.measure.projected_moments import Outcome
from sfumato.methods.reduction import OPTIONS, Asked, Released, reduced_plan
from sfumato.numeric.arrays import Codes, Matrix, Whole
from sfumato.plan import AuditCase, ContractCase, Family, MadeUpBasis, Method, Plan, Setting
from sfumato.plan.made_up import PLAIN, THREE, TWO_LABELLED, counted
from sfumato.privacy.budget import Budget
from sfumato.render.gaussian import Gaussian
from sfumato.render.labelled import interleaved
from sfumato.render.leaves import apportion
from sfumato.schema.domain import Domain

__all__ = ["METHOD"]

DEFAULTS = {"split": "0.5", "means": "0.3", "counts": "0.1"}


def plan(domain: Domain, budget: Budget, **asked: Any) -> Plan:
    """Class sizes, and means and second moments of the components of each class."""
    if domain.label is None:
        raise SchemaError(
            f"{METHOD.name} needs a label: give one category or boolean the role label"
        )
    classes = domain.axes[domain.label].codes

    def model(released: Released, rows: int, rng: np.random.Generator) -> _Mixture:
        found = [Gaussian.of(*released.gaussian(k, square=1.0)) for k in range(classes)]
        return _Mixture(tuple(found), apportion(released.moments.sizes, rows, rng))

    return reduced_plan(
        METHOD.name,
        domain,
        budget,
        Asked(**(DEFAULTS | asked)),
        Outcome(domain.schema.neighbours, domain.label, classes),
        model=model,
        limit="Class sizes, and means and covariances of the components in each class, are kept.",
        options={},
    )


@dataclass(frozen=True, eq=False)
class _Mixture:
    """So many draws from the Gaussian of each class, in an even order."""

    gaussians: tuple[Gaussian, ...]
    sizes: Whole

    def __call__(self, start: int, count: int, rng: np.random.Generator) -> tuple[Matrix, Codes]:
        labels = interleaved(self.sizes, start, start + count)
        X = np.empty((len(labels), len(self.gaussians[0].mean)))
        for k, gaussian in enumerate(self.gaussians):
            here = labels == k
            X[here] = gaussian.draw(int(here.sum()), rng)
        return X, labels.astype(np.int32)


METHOD = Method(
    name="pca-gauss-mixture",
    summary="Draws the leading components of each class from a Gaussian of its own.",
    promise="epsilon-DP, or (epsilon, delta)-DP and rho-zCDP with Gaussian noise; labels included",
    source="Chanyaswad et al. 2017, Algorithm 3, with noisy counts and the corrected sensitivity",
    proof="proofs/pca-gauss-mixture.md",
    plan=plan,
    files=("basis",),
    options={
        **OPTIONS,
        "split": f"share of the budget for components, {DEFAULTS['split']}; only if bought",
        "means": f"share of the rest for class means, {DEFAULTS['means']} by default",
        "counts": f"share of the rest for class sizes, {DEFAULTS['counts']} by default",
    },
    family=Family.MOMENTS,
    use="many columns and a label",
    contract=(
        ContractCase({"epsilon": "1"}),
        ContractCase(
            {"epsilon": "1", "delta": "1e-6"},
            neighbours="add-remove",
            options={"rank": 4, "radius": 1},
        ),
        ContractCase({"rho": "0.1"}, options={"space": "components"}),
    ),
    audit=AuditCase(
        counted(TWO_LABELLED),
        {"rank": 1},
        runs=1_500,
        settings=(
            Setting("plain", PLAIN, {"rank": 2}),
            Setting("plain", PLAIN, {"rank": 1, "basis": MadeUpBasis(1, without=(4,))}),
            Setting("three classes", THREE, {"radius": "1/2"}),
        ),
    ),
)
