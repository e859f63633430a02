"""pca-gauss-mixture: one Gaussian of components per class (Chanyaswad 2017, Algorithm 3)."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import SchemaError
from sfumato.measure.projected_moments import Outcome
from sfumato.methods.dp_lda import interleaved
from sfumato.methods.reduction import OPTIONS, Asked, Released, reduced_plan
from sfumato.numeric.arrays import Matrix
from sfumato.plan import AuditCase, ContractCase, Family, MadeUpBasis, Method, Plan, Setting
from sfumato.plan.made_up import PLAIN, THREE, TWO_LABELLED, counted
from sfumato.privacy.budget import Budget
from sfumato.render.decode import BATCH_ROWS
from sfumato.render.gaussian import sample
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

    def draw(
        released: Released, rows: int, rng: np.random.Generator
    ) -> Iterator[tuple[Matrix, NDArray[np.int32]]]:
        found = [released.gaussian(k, square=1.0) for k in range(classes)]
        order = interleaved(apportion(released.moments.sizes, rows, rng))
        for start in range(0, rows, BATCH_ROWS):
            labels = order[start : start + BATCH_ROWS]
            X = np.empty((len(labels), len(found[0][0])))
            for k, (mean, S) in enumerate(found):
                here = labels == k
                for drawn in sample(mean, S, int(here.sum()), rng):
                    X[here] = drawn  # no more than a batch: all of them at once
            yield X, labels.astype(np.int32)

    return reduced_plan(
        METHOD.name,
        domain,
        budget,
        Asked(**(DEFAULTS | asked)),
        Outcome(domain.schema.neighbours, domain.label, classes),
        draw=draw,
        limit="Class sizes, and means and covariances of the components in each class, are kept.",
        options={},
    )


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
