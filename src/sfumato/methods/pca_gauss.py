"""pca-gauss: a Gaussian with the noisy eigenvalues alone (Chanyaswad et al. 2017, Algorithm 1)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.measure.eigenvalues import UNIT, Eigenvalues, EigenvalueSynopsis
from sfumato.methods.basis import DEFAULT_ALPHA, Rank
from sfumato.numeric.arrays import Matrix, Vector
from sfumato.plan import AuditCase, ContractCase, Family, Method, Plan, Setting
from sfumato.plan.made_up import MIXED, NUMBERS, PLAIN, TWO_FEATURES, counted
from sfumato.privacy.budget import Budget, shared
from sfumato.privacy.guarantee import exact
from sfumato.privacy.mechanism import Purse
from sfumato.render.drawing import Drawing
from sfumato.render.reduced import component_batch, component_columns
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import Centred
from sfumato.synopsis.scatter import ScatterLayout
from sfumato.table.records import Records

__all__ = ["METHOD"]

DEFAULT_COUNTS = "0.1"


@dataclass(frozen=True)
class _Released:
    synopsis: EigenvalueSynopsis
    variances: Matrix  # of the components that are kept

    def to_json(self) -> dict[str, Any]:
        """The noisy eigenvalues, and the variances that were drawn with."""
        return self.synopsis.to_json() | {"variances": self.variances.tolist()}


@dataclass(frozen=True, eq=False)
class _Drawn:
    """What draws components that vary so much, each by itself."""

    columns: pa.Schema
    deviations: Vector

    def __call__(self, _start: int, count: int, rng: np.random.Generator) -> pa.RecordBatch:
        drawn = rng.standard_normal((count, len(self.deviations)))
        return component_batch(self.columns, drawn * self.deviations)


def plan(
    domain: Domain,
    budget: Budget,
    rank: Any = None,
    alpha: Any = DEFAULT_ALPHA,
    radius: Any = None,
    counts: Any = DEFAULT_COUNTS,
) -> Plan:
    """Spend the budget on eigenvalues; a share `counts` where the number is not public."""
    space, relation = Centred.of(domain, radius), domain.schema.neighbours
    wanted = Rank.of(rank, alpha, len(space))
    bought = wanted.fixed or len(space)  # beyond the second they cost nothing more
    part = exact("counts", counts, below=1)
    for_values, for_count = budget, None
    if relation == "add-remove":
        for_count, for_values = shared(budget, part, 1 - part)
    eigenvalues = Eigenvalues(ScatterLayout(space, relation), bought, for_values, for_count)
    eigenvalues.noise.check(UNIT)
    columns = component_columns(bought)

    def measure(records: Records, purse: Purse) -> _Released:
        synopsis = eigenvalues.perturb(records, purse)
        variances = ordered(synopsis.mean_squares)
        return _Released(synopsis, variances[: wanted.chosen(variances)])

    def render(released: _Released, rows: int | None, rng: np.random.Generator) -> Drawing:
        count = released.synopsis.size if rows is None else rows
        return Drawing.of(_Drawn(columns, np.sqrt(released.variances)), count, rng)

    return Plan(
        method=METHOD.name,
        domain=domain,
        budget=budget,
        events=eigenvalues.events,
        measure=measure,
        render=render,
        options={
            "rank": wanted.fixed,
            "alpha": str(alpha),
            "radius": None if space.radius is None else str(space.radius),
            "counts": str(counts),
        },
        columns=columns,
        invariants=("the number of records",) if relation == "replace-one" else (),
        limits=(
            "Only how far records spread along their principal components is kept, about the "
            "public centre; which columns the components are made of is not released.",
        ),
    )


def ordered(values: Matrix) -> Matrix:
    """The decreasing sequence nearest to noisy eigenvalues, cut at zero.

    Neighbours that noise put out of order are averaged, so the noise of a long tail cancels.

    >>> ordered(np.array([5.0, 1.0, 2.0, -1.0])).tolist()
    [5.0, 1.5, 1.5, 0.0]
    """
    from scipy.optimize import isotonic_regression  # takes a moment to load

    nearest: Matrix = isotonic_regression(values, increasing=False).x
    return np.maximum(nearest, 0)


METHOD = Method(
    name="pca-gauss",
    summary="Draws coordinates from a Gaussian with the noisy eigenvalues; directions stay secret.",
    promise="epsilon-DP, or (epsilon, delta)-DP and rho-zCDP with Gaussian noise",
    source="Chanyaswad et al. 2017, Algorithm 1, about a public centre, with exact sensitivity",
    proof="proofs/pca-gauss.md",
    plan=plan,
    options={
        "rank": "how many components; by default as many as alpha asks for",
        "alpha": f"share of the noisy variance to keep, {DEFAULT_ALPHA} by default",
        "radius": "draw records into this ball (each range is 1 wide); default: the box",
        "counts": f"share for the number of records, {DEFAULT_COUNTS}; only under add-remove",
    },
    family=Family.MOMENTS,
    use="the shape of the cloud alone, in component space: for clustering",
    contract=(
        ContractCase({"epsilon": "1"}),
        ContractCase({"epsilon": "1", "delta": "1e-6"}, options={"rank": 3, "radius": "1.5"}),
        ContractCase({"rho": "0.1"}, neighbours="add-remove"),
    ),
    audit=AuditCase(
        counted(TWO_FEATURES),
        settings=(
            Setting("plain", PLAIN),
            Setting("mixed", MIXED, {"rank": 1}),
            Setting("number", NUMBERS, {"radius": "1/2"}),
        ),
    ),
)
