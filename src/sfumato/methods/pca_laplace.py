"""pca-laplace: coordinates under Laplace noise; no proof (Chakrabarti et al. 2010).

The same under a promise is `lop` with space=components: exact noise along public components.
"""

from typing import Any

import numpy as np
from numpy.random import Generator

from sfumato.errors import DataError, SchemaError
from sfumato.methods.basis import Rank, public_basis
from sfumato.methods.perturbation import (
    PROMISE,
    PROOF,
    Numbers,
    Perturbed,
    numbers_alone,
    perturbation_plan,
)
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.pca_laplace import coordinate_ranges, local_epsilon, pca_laplace
from sfumato.plan import Family, Method, Plan
from sfumato.plan.options import real, whole
from sfumato.privacy.budget import Budget
from sfumato.render.components import leading
from sfumato.render.reduced import component_columns
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import Centred

__all__ = ["METHOD"]

DEFAULT_B = "0.2"
FLOATS = "the Laplace noise is drawn in floating point, whose gaps can betray what lies beneath"
OWN = "the components are those of the records themselves, and are shown without noise"


def plan(
    domain: Domain,
    budget: Budget | None,
    rank: Any = None,
    b: Any = DEFAULT_B,
    basis: Any = None,
) -> Plan:
    """Components of public data if there are any, else of the records, as published."""
    numbers = Numbers.of(METHOD.name, domain)
    width = len(numbers.names)
    space = Centred.of(domain, without=() if domain.label is None else (domain.label,))
    kept = width if rank is None else whole("rank", rank, width, "columns")
    size = real("b", b)
    public = None if basis is None else public_basis(space, basis, Rank.of(kept, 1, width))
    if public is not None:
        kept = len(public.components.U)

    def directions(Z: Matrix) -> tuple[Matrix, Matrix]:
        if public is not None:
            return public.components.U, public.components.mean
        if len(Z) <= kept:
            raise DataError(f"{kept} components need more than {kept} records: lower rank")
        return leading(np.cov(Z, rowvar=False), kept)[1], Z.mean(axis=0)

    def change(Z: Matrix, rng: Generator) -> Perturbed:
        U, centre = directions(Z)
        # Each range is 1 wide: public facts, whatever the records are.
        ranges = coordinate_ranges(U, np.ones(width))
        shown = pca_laplace(Z, rng, basis=U, centre=centre, ranges=ranges, b=size)
        facts = {
            "kind": "noisy coordinates",
            "columns": list(numbers.names),
            "low": numbers.bounds[0].tolist(),
            "high": numbers.bounds[1].tolist(),
            "basis": U.tolist(),
            "centre": centre.tolist(),
            "ranges": ranges.tolist(),
            "b": size,
            "laplace_scales": (size * ranges).tolist(),
            "local_epsilon_on_real_numbers": None
            if public is None
            else local_epsilon(ranges, size * ranges),
        }
        return Perturbed(shown, facts)

    label = [] if numbers.label is None else [numbers.label]
    columns = component_columns(kept, *label)
    if len(set(columns.names)) < len(columns.names):
        raise SchemaError(f"column {columns.names[-1]}: components have this name: rename it")
    return perturbation_plan(
        METHOD.name,
        domain,
        budget,
        reason=OWN if public is None else FLOATS,
        change=change,
        options={
            "rank": kept,
            "b": str(b),
            "basis": None if public is None else dict(public.fields),
        },
        components=columns,
    )


METHOD = Method(
    name="pca-laplace",
    summary="Coordinates of every record under Laplace noise; not private by any proof.",
    promise=PROMISE,
    source="Chakrabarti et al. 2010, section 5.1, with the scale that its claim is meant for",
    proof=PROOF,
    plan=plan,
    files=("basis",),
    options={
        "rank": "how many components; by default as many as columns",
        "b": f"Laplace scale as a share of each component's public range, {DEFAULT_B} by default",
        "basis": "public file of the same columns to take components from; by default the "
        "records' own",
    },
    budgeted=False,
    family=Family.UNPROVED,
    use="to compare with, and to attack; with a promise: lop with space=components",
    contract=numbers_alone(rank=1),
)
