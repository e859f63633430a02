"""rotation: all records turned by one orthogonal matrix; no proof (Liu 2015, 2.2)."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from sfumato.errors import ParameterError
from sfumato.methods.perturbation import (
    PROMISE,
    PROOF,
    Numbers,
    Perturbed,
    numbers_alone,
    perturbation_plan,
)
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.rotation import orthogonal
from sfumato.perturb.rotation import rotation as turned
from sfumato.plan import GIVEN, Family, Method, Plan
from sfumato.plan.options import real
from sfumato.privacy.budget import Budget
from sfumato.schema.domain import Domain

__all__ = ["METHOD"]

REASON = (
    "whoever knows as many records as there are columns can turn all the others back, up to the "
    "noise"
)


def plan(domain: Domain, budget: Budget | None, deviation: Any = "0", rotation: Any = None) -> Plan:
    """One rotation about the middle of the ranges for all records, then noise if asked for."""
    size = real("deviation", deviation, zero=True)
    columns = len(Numbers.of(METHOD.name, domain).names)
    secret = isinstance(rotation, str) and rotation == GIVEN
    R = None if rotation is None or secret else orthogonal(_matrix(rotation), columns)

    def change(Z: Matrix, rng: Generator) -> Perturbed:
        if secret:
            raise ParameterError("rotation: a certificate does not hold the matrix: give it again")
        return Perturbed(turned(Z, rng, R=R, deviation=size))

    options = {"deviation": str(deviation), "rotation": None if rotation is None else GIVEN}
    return perturbation_plan(
        METHOD.name, domain, budget, reason=REASON, change=change, options=options
    )


def _matrix(rotation: Any) -> Any:
    """A matrix as it is, or from a file of numbers."""
    if not isinstance(rotation, str | Path):
        return rotation
    path = Path(rotation)
    try:
        if path.suffix == ".npy":
            return np.load(path, allow_pickle=False)
        if path.suffix == ".csv":
            return np.loadtxt(path, delimiter=",", ndmin=2)
    except OSError as error:
        reason = error.strerror or "it is damaged"
        raise ParameterError(f"rotation: {path} cannot be read: {reason}") from None
    except ValueError:
        raise ParameterError(
            f"rotation: {path} must hold a matrix of numbers and nothing else, no header"
        ) from None
    raise ParameterError(f"rotation must be a matrix, or a .csv or .npy file of one, not {path}")


METHOD = Method(
    name="rotation",
    summary="Turns all records by one secret rotation; distances kept; not private by any proof.",
    promise=PROMISE,
    source="Chen and Liu 2005; Liu 2015, section 2.2",
    proof=PROOF,
    plan=plan,
    files=("rotation",),
    options={
        "deviation": "standard deviation of added noise as a share of each range, 0 by default",
        "rotation": "orthogonal matrix, or a .csv or .npy file of one; drawn by default",
    },
    budgeted=False,
    family=Family.UNPROVED,
    use="to compare with, and to attack",
    contract=numbers_alone(deviation="0.05"),
)
