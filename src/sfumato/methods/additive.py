"""additive: every number under Gaussian noise; no proof (Agrawal and Srikant 2000)."""

from typing import Any

from numpy.random import Generator

from sfumato.methods.perturbation import PROMISE, PROOF, Perturbed, numbers_alone, perturbation_plan
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.additive import additive
from sfumato.plan import Family, Method, Plan
from sfumato.plan.options import real
from sfumato.privacy.budget import Budget
from sfumato.schema.domain import Domain

__all__ = ["METHOD"]

DEFAULT_DEVIATION = "0.1"
REASON = (
    "the noise is drawn in floating point, and where columns are correlated most of it can be "
    "filtered out again"
)


def plan(domain: Domain, budget: Budget | None, deviation: Any = DEFAULT_DEVIATION) -> Plan:
    """Independent noise on every entry, its deviation a share of the column's range."""
    size = real("deviation", deviation)

    def change(Z: Matrix, rng: Generator) -> Perturbed:
        return Perturbed(additive(Z, rng, size))

    options = {"deviation": str(deviation)}
    return perturbation_plan(
        METHOD.name, domain, budget, reason=REASON, change=change, options=options
    )


METHOD = Method(
    name="additive",
    summary="Adds Gaussian noise to every number; label and order kept; not private by any proof.",
    promise=PROMISE,
    source="Agrawal and Srikant 2000; Liu 2015, section 2.2",
    proof=PROOF,
    plan=plan,
    options={
        "deviation": "standard deviation of the noise as a share of each column's range, "
        f"{DEFAULT_DEVIATION} by default"
    },
    budgeted=False,
    family=Family.UNPROVED,
    use="to compare with, and to attack",
    contract=numbers_alone(),
)
