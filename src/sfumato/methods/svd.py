"""svd: the table with its leading singular values alone; no proof (Xu et al. 2006)."""

from typing import Any

from numpy.random import Generator

from sfumato.errors import DataError, ParameterError
from sfumato.methods.perturbation import (
    PROMISE,
    PROOF,
    Numbers,
    Perturbed,
    numbers_alone,
    perturbation_plan,
)
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.normalise import normalise as with_moments
from sfumato.perturb.svd import svd
from sfumato.plan import Family, Method, Plan
from sfumato.plan.options import real, truth, whole
from sfumato.privacy.budget import Budget
from sfumato.schema.domain import Domain

__all__ = ["METHOD"]

REASON = (
    "nothing in it is left to chance, and each record is shown exactly in the leading directions"
)


def plan(
    domain: Domain,
    budget: Budget | None,
    rank: Any = None,
    sparsify: Any = "0",
    normalise: Any = False,
) -> Plan:
    """Half of the directions by default."""
    columns = len(Numbers.of(METHOD.name, domain).names)
    kept = max(1, columns // 2) if rank is None else whole("rank", rank, columns, "columns")
    share = real("sparsify", sparsify, zero=True)
    if share > 1:
        raise ParameterError(f"sparsify must be from 0 to 1, got {sparsify}")
    moments = truth("normalise", normalise)

    def change(Z: Matrix, rng: Generator) -> Perturbed:  # noqa: ARG001  nothing is random
        if len(Z) < kept:
            raise DataError(f"svd of rank {kept} needs as many records: lower rank")
        shown = svd(Z, kept, sparsify=share)
        return Perturbed(with_moments(shown, Z) if moments else shown)

    options = {"rank": kept, "sparsify": str(sparsify), "normalise": moments}
    return perturbation_plan(
        METHOD.name, domain, budget, reason=REASON, change=change, options=options
    )


METHOD = Method(
    name="svd",
    summary="Keeps the leading singular values of the table; not private by any proof.",
    promise=PROMISE,
    source="Xu, Zhang, Han and Wang 2006; Liu 2015, sections 2.2 and 3.4",
    proof=PROOF,
    plan=plan,
    options={
        "rank": "how many singular values are kept; by default half as many as columns",
        "sparsify": "entries of a singular vector below this share of its largest become 0; "
        "0 by default",
        "normalise": "whether columns get back their exact mean and deviation; false by default",
    },
    budgeted=False,
    family=Family.UNPROVED,
    use="to compare with, and to attack",
    contract=numbers_alone(random=False, rank=2),
)
