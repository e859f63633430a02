"""power-method: leading components by noisy power iteration (Hardt and Price 2014)."""

from fractions import Fraction
from typing import Any

import numpy as np

from sfumato.errors import ParameterError, SchemaError
from sfumato.measure.power_iteration import MOST_FEATURES, LastProduct, PowerIteration
from sfumato.methods.basis import DEFAULT_MEANS, Components, Rank
from sfumato.methods.component_plan import component_plan
from sfumato.numeric.arrays import Matrix
from sfumato.plan import AuditCase, ContractCase, Family, Method, Plan, Setting
from sfumato.plan.made_up import MIXED, NUMBERS, PLAIN, TWO_FEATURES
from sfumato.plan.options import whole
from sfumato.privacy.budget import GIVE_DELTA, Budget, shared
from sfumato.privacy.guarantee import PureDP, exact
from sfumato.privacy.mechanism import Purse
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import Centred
from sfumato.synopsis.scatter import ScatterLayout
from sfumato.table.records import Records

__all__ = ["METHOD"]

DEFAULT_RANK, DEFAULT_ITERATIONS = 5, 3
_MOST_ITERATIONS = 100

_SHARES = "Shares are of the variance of the released components together, not of all variance."


def plan(
    domain: Domain,
    budget: Budget,
    rank: Any = None,
    iterations: Any = DEFAULT_ITERATIONS,
    radius: Any = None,
    means: Any = DEFAULT_MEANS,
) -> Plan:
    """Spend equal shares on the products, and a share `means` on the mean."""
    if isinstance(budget, PureDP):
        raise ParameterError(
            f"power-method adds Gaussian noise; {GIVE_DELTA}. For a pure epsilon, use lap-pca"
        )
    space = Centred.of(domain, radius)
    if len(space) > MOST_FEATURES:
        raise SchemaError(f"power-method takes at most {MOST_FEATURES} features: drop columns")
    columns = _columns(rank, len(space))
    steps = whole("iterations", iterations, _MOST_ITERATIONS, "products")
    part = exact("means", means, below=1, zero=True)
    parts = shared(budget, *[(1 - part) / steps] * steps, *([part] if part else []))
    iteration = PowerIteration(
        ScatterLayout(space, domain.schema.neighbours),
        public_start(len(space), columns),
        parts[:steps],
        parts[steps] if part else None,
    )
    iteration.check()

    def measure(records: Records, purse: Purse) -> Components:
        found = iteration.perturb(records, purse)
        values, U = ritz(found)
        return Components(space, values, U, found.mean)

    return component_plan(
        METHOD.name,
        domain,
        budget,
        events=iteration.events,
        measure=measure,
        rank=Rank(columns, Fraction(1)),
        options={
            "rank": columns,
            "iterations": steps,
            "radius": space.written_radius,
            "means": str(means),
        },
        limits=(_SHARES,),
    )


def public_start(features: int, columns: int) -> Matrix:
    """Orthonormal columns in no particular direction; the same for everyone."""
    drawn = np.random.default_rng(0).standard_normal((features, columns))
    return np.asarray(np.linalg.qr(drawn)[0])


def ritz(found: LastProduct) -> tuple[Matrix, Matrix]:
    """Variances and directions, largest first, from the last product; one direction per row.

    The variances are the Rayleigh quotients of the subspace that went in, the directions
    those of the subspace that came out, which is one step further.

    >>> A = np.diag([3.0, 1.0, 0.0])
    >>> ritz(LastProduct(np.eye(3)[:, :2], A[:, :2], np.zeros(3)))[0].tolist()
    [3.0, 1.0]
    """
    quotients = found.X.T @ found.Y
    values, turn = np.linalg.eigh((quotients + quotients.T) / 2)
    U = np.linalg.qr(found.Y @ turn[:, ::-1])[0].T
    peaks = np.take_along_axis(U, np.abs(U).argmax(axis=1, keepdims=True), axis=1)
    return values[::-1], np.asarray(U * np.sign(peaks))


def _columns(rank: Any, features: int) -> int:
    if rank is None or str(rank) == "":
        return min(DEFAULT_RANK, features)
    fixed = Rank.of(rank, 1, features).fixed
    if fixed is None:
        raise ParameterError(f"rank must be from 1 to {features} (features), got {rank!r}")
    return fixed


METHOD = Method(
    name="power-method",
    summary="A few leading components alone, by power iteration under Gaussian noise.",
    promise="(epsilon, delta)-DP and rho-zCDP",
    source="Hardt and Price 2014, with certified sensitivities",
    proof="proofs/power-method.md",
    plan=plan,
    options={
        "rank": f"how many components, {DEFAULT_RANK} by default",
        "iterations": f"how many noisy products, {DEFAULT_ITERATIONS} by default",
        "radius": "draw records into this ball (each range is 1 wide); default: the box",
        "means": f"share of the budget for the mean, {DEFAULT_MEANS} by default; 0: the public "
        "centre",
    },
    family=Family.COMPONENTS,
    use="a few principal components of many columns",
    contract=(
        ContractCase({"epsilon": "1", "delta": "1e-6"}),
        ContractCase({"rho": "0.1"}, neighbours="add-remove", options={"rank": 1, "means": 0}),
    ),
    audit=AuditCase(
        TWO_FEATURES,
        budget={"rho": "0.5"},
        runs=1_500,
        settings=(
            Setting("plain", PLAIN, {"rank": 2}),
            Setting("mixed", MIXED, {"rank": 1, "iterations": 2}),
            Setting("number", NUMBERS, {"radius": "1/2", "means": "0"}),
        ),
    ),
)
