"""wavelet: the table without its smaller wavelet details; no proof (Liu 2015, chapter 3)."""

from typing import Any

from numpy.random import Generator

from sfumato.errors import ParameterError
from sfumato.methods.perturbation import PROMISE, PROOF, Perturbed, numbers_alone, perturbation_plan
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.normalise import normalise as with_moments
from sfumato.perturb.pyramid import check_wavelet
from sfumato.perturb.wavelet import MOST_LEVELS, Threshold, check_threshold, wavelet
from sfumato.plan import Family, Method, Plan
from sfumato.plan.options import real, truth, whole
from sfumato.privacy.budget import Budget
from sfumato.schema.domain import Domain

__all__ = ["BY", "DEFAULT_THRESHOLD", "METHOD", "named", "share_of"]

DEFAULT_BASIS, DEFAULT_SHARE, DEFAULT_THRESHOLD = "haar", "0.5", "largest"
BY = (
    "what share is of: the largest detail (default), or universal, √(2 ln N) times the noise that "
    "the records seem to have"
)
REASON = "nothing in it is left to chance, and averages of neighbouring entries are shown exactly"
REASON_UNIVERSAL = (
    "nothing in it is left to chance, averages of neighbouring entries are shown exactly, and a "
    "table whose details are zero for the most part is shown as it is"
)


def plan(
    domain: Domain,
    budget: Budget | None,
    basis: Any = DEFAULT_BASIS,
    share: Any = DEFAULT_SHARE,
    levels: Any = None,
    normalise: Any = False,
    threshold: Any = DEFAULT_THRESHOLD,
) -> Plan:
    """One wavelet and one threshold for the whole table."""
    name, kept = share_of(basis, share)
    by = check_threshold(str(threshold).strip())
    depth = (
        None
        if levels is None or str(levels) == ""
        else whole("levels", levels, MOST_LEVELS, "levels")
    )
    moments = truth("normalise", normalise)

    def change(Z: Matrix, rng: Generator) -> Perturbed:  # noqa: ARG001  nothing is random
        shown = wavelet(Z, basis=name, share=kept, levels=depth, threshold=by)
        return Perturbed(with_moments(shown, Z) if moments else shown)

    options = {"basis": name, "share": str(share), "levels": depth, "normalise": moments}
    options |= named(by)
    reason = REASON_UNIVERSAL if by == "universal" else REASON
    return perturbation_plan(
        METHOD.name, domain, budget, reason=reason, change=change, options=options
    )


def named(threshold: Threshold) -> dict[str, Any]:
    """The option as a certificate has it: left out by default, as before there was a choice.

    >>> named("largest"), named("universal")
    ({}, {'threshold': 'universal'})
    """
    return {} if threshold == DEFAULT_THRESHOLD else {"threshold": threshold}


def share_of(basis: Any, share: Any) -> tuple[str, float]:
    """A wavelet that exists, and the share of the threshold that is taken off.

    >>> share_of("db4", "0.5")
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
        "share": f"of the threshold, taken off every detail; {DEFAULT_SHARE} by default",
        "threshold": BY,
        "levels": "how often averages are taken again; by default log2 of the smaller side",
        "normalise": "whether columns get back their exact mean and deviation; false by default",
    },
    budgeted=False,
    family=Family.UNPROVED,
    use="to compare with, and to attack",
    contract=numbers_alone(random=False),
)
