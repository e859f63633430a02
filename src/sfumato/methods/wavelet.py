"""wavelet: the table without its smaller wavelet details; no proof (Liu 2015, chapter 3)."""

from typing import Any

from numpy.random import Generator

from sfumato.errors import ParameterError
from sfumato.methods.perturbation import PROMISE, PROOF, Perturbed, numbers_alone, perturbation_plan
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.normalise import normalise as with_moments
from sfumato.perturb.pyramid import check_wavelet
from sfumato.perturb.wavelet import MOST_LEVELS, wavelet
from sfumato.plan import Family, Method, Plan
from sfumato.plan.options import real, truth, whole
from sfumato.privacy.budget import Budget
from sfumato.schema.domain import Domain

__all__ = ["METHOD", "threshold"]

DEFAULT_BASIS, DEFAULT_SHARE = "haar", "0.5"
REASON = "nothing in it is left to chance, and averages of neighbouring entries are shown exactly"


def plan(
    domain: Domain,
    budget: Budget | None,
    basis: Any = DEFAULT_BASIS,
    share: Any = DEFAULT_SHARE,
    levels: Any = None,
    normalise: Any = False,
) -> Plan:
    """One wavelet and one threshold for the whole table."""
    name, kept = threshold(basis, share)
    depth = (
        None
        if levels is None or str(levels) == ""
        else whole("levels", levels, MOST_LEVELS, "levels")
    )
    moments = truth("normalise", normalise)

    def change(Z: Matrix, rng: Generator) -> Perturbed:  # noqa: ARG001  nothing is random
        shown = wavelet(Z, basis=name, share=kept, levels=depth)
        return Perturbed(with_moments(shown, Z) if moments else shown)

    options = {"basis": name, "share": str(share), "levels": depth, "normalise": moments}
    return perturbation_plan(
        METHOD.name, domain, budget, reason=REASON, change=change, options=options
    )


def threshold(basis: Any, share: Any) -> tuple[str, float]:
    """A wavelet that exists, and the share of the largest detail that is taken off.

    >>> threshold("db4", "0.5")
    ('db4', 0.5)
    """
    name, kept = str(basis).strip(), real("share", share)
    check_wavelet(name)
    if kept > 1:
        raise ParameterError(f"share must be above 0 and at most 1, got {share}")
    return name, kept


METHOD = Method(
    name="wavelet",
    summary="Takes small wavelet details off the table; shape kept; not private by any proof.",
    promise=PROMISE,
    source="Liu 2015, sections 3.2 and 3.3",
    proof=PROOF,
    plan=plan,
    options={
        "basis": f"discrete wavelet: haar, db4, sym5, bior2.2 …; {DEFAULT_BASIS} by default",
        "share": f"of the largest detail, taken off every detail; {DEFAULT_SHARE} by default",
        "levels": "how often averages are taken again; by default log2 of the smaller side",
        "normalise": "whether columns get back their exact mean and deviation; false by default",
    },
    budgeted=False,
    family=Family.UNPROVED,
    use="to compare with, and to attack",
    contract=numbers_alone(random=False),
)
