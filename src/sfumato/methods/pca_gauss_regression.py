"""pca-gauss-regression: components and a target, drawn together (Chanyaswad 2017, Algorithm 2)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.errors import SchemaError
from sfumato.measure.projected_moments import Outcome
from sfumato.methods.reduction import OPTIONS, Asked, Released, reduced_plan
from sfumato.numeric.arrays import Codes, Matrix
from sfumato.plan import AuditCase, ContractCase, Family, MadeUpBasis, Method, Plan, Setting
from sfumato.plan.made_up import TARGET, WITH_TARGET, counted
from sfumato.privacy.budget import Budget
from sfumato.render.gaussian import Gaussian
from sfumato.schema import Date
from sfumato.schema.domain import Domain, Grid

__all__ = ["METHOD"]

DEFAULTS = {"split": "0.5", "means": "0.2", "counts": "0.02"}


def plan(domain: Domain, budget: Budget, target: str | None = None, **asked: Any) -> Plan:
    """The target is the column of that name, or the one with the role target."""
    position, axis = _target(domain, target)
    given = Asked(**(DEFAULTS | asked))
    if given.space == "components" and isinstance(axis.column, Date):
        raise SchemaError(f"target {axis.name} is a date: it needs space columns")

    def model(released: Released, *_: object) -> _WithTarget:
        # The coordinates lie in a ball, the target in [-1, 1].
        return _WithTarget(Gaussian.of(*released.gaussian(0, square=2.0)), axis.points)

    return reduced_plan(
        METHOD.name,
        domain,
        budget,
        given,
        Outcome(domain.schema.neighbours, position),
        model=model,
        limit="Only means and linear dependence of the components and the target are kept.",
        options={"target": axis.name},
    )


@dataclass(frozen=True, eq=False)
class _WithTarget:
    """Draws from a Gaussian, the last coordinate of which is the target."""

    gaussian: Gaussian
    points: int

    def __call__(self, _start: int, count: int, rng: np.random.Generator) -> tuple[Matrix, Codes]:
        drawn = self.gaussian.draw(count, rng)
        y = np.rint((drawn[:, -1] + 1) * (self.points / 2))
        return drawn[:, :-1], np.clip(y, 0, self.points).astype(np.int32)


def _target(domain: Domain, wanted: str | None) -> tuple[int, Grid]:
    named = [
        axis.name == wanted if wanted else axis.column.role == "target" for axis in domain.axes
    ]
    if not any(named):
        if wanted:
            raise SchemaError(f"target {wanted} is not a released column of the schema")
        raise SchemaError("a target is needed: say target=COLUMN, or give a column that role")
    position = named.index(True)
    axis = domain.axes[position]
    if not isinstance(axis, Grid):
        raise SchemaError(f"target {axis.name} must be a number, an integer or a date")
    if axis.missing:
        raise SchemaError(
            f"target {axis.name} may be missing: leave out missing: allowed, so that such values "
            "stand at the middle of the range, or leave out those records"
        )
    return position, axis


METHOD = Method(
    name="pca-gauss-regression",
    summary="Draws a target and the leading components of all other columns from one Gaussian.",
    promise="epsilon-DP, or (epsilon, delta)-DP and rho-zCDP with Gaussian noise",
    source="Chanyaswad et al. 2017, Algorithm 2, with a certified sensitivity and noisy means",
    proof="proofs/pca-gauss-regression.md",
    plan=plan,
    files=("basis",),
    options={
        "target": "the column to be predicted; by default the one with the role target",
        **OPTIONS,
        "split": f"share of the budget for components, {DEFAULTS['split']}; only if bought",
        "means": f"share of the rest for means, {DEFAULTS['means']} by default",
        "counts": f"share of the rest for the number of records, {DEFAULTS['counts']} by default; "
        "only under add-remove",
    },
    family=Family.MOMENTS,
    use="many columns and a number to predict",
    contract=(
        ContractCase({"epsilon": "1"}, options={"target": "age"}),
        ContractCase({"rho": "0.1"}, options={"target": "seen", "rank": 3}),
        ContractCase(
            {"epsilon": "1"},
            neighbours="add-remove",
            options={"target": "size", "rank": "2", "space": "components"},
        ),
    ),
    audit=AuditCase(
        counted(WITH_TARGET),
        {"rank": 1},
        runs=1_500,
        settings=(
            Setting("target", TARGET, {"rank": 2}),
            Setting("target", TARGET, {"rank": 1, "basis": MadeUpBasis(1, without=(4,))}),
            Setting("target", TARGET, {"radius": "1/2"}),
        ),
    ),
)
