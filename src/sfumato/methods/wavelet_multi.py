"""wavelet-multi: a wavelet and a threshold for each part; no proof (Liu 2015, chapter 3)."""

from collections.abc import Sequence
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
from sfumato.methods.wavelet import BY, DEFAULT_THRESHOLD, named, share_of
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.normalise import normalise as with_moments
from sfumato.perturb.wavelet import check_threshold
from sfumato.perturb.wavelet_multi import Cut, wavelet_multi
from sfumato.plan import Family, Method, Plan
from sfumato.plan.options import truth
from sfumato.privacy.budget import Budget
from sfumato.schema.domain import Domain

__all__ = ["METHOD"]

DEFAULT_PARTS = "haar:0.5,db4:0.5"
REASON = "nothing in it is left to chance, and the wavelet of each part can be read off the result"
REASON_UNIVERSAL = (
    "nothing in it is left to chance, the wavelet of each part can be read off the result, and a "
    "part whose details are zero for the most part is shown as it is"
)


def plan(
    domain: Domain,
    budget: Budget | None,
    cut: Any = "vertical",
    parts: Any = DEFAULT_PARTS,
    normalise: Any = False,
    threshold: Any = DEFAULT_THRESHOLD,
) -> Plan:
    """Groups of columns (vertical) or of records (horizontal), as equal as can be."""
    side: Cut
    if cut == "vertical":
        side = "vertical"
    elif cut == "horizontal":
        side = "horizontal"
    else:
        raise ParameterError(f"cut must be vertical or horizontal, got {cut!r}")
    pairs, by = _pairs(parts), check_threshold(str(threshold).strip())
    columns = len(Numbers.of(METHOD.name, domain).names)
    if side == "vertical" and len(pairs) > columns:
        raise ParameterError(
            f"parts must be at most {columns} (columns) for a vertical cut, got {len(pairs)}"
        )
    moments = truth("normalise", normalise)

    def change(Z: Matrix, rng: Generator) -> Perturbed:  # noqa: ARG001  nothing is random
        if side == "horizontal" and len(pairs) > len(Z):
            raise DataError(f"{len(pairs)} parts need as many records: name fewer parts")
        shown = wavelet_multi(Z, cut=side, parts=pairs, threshold=by)
        return Perturbed(with_moments(shown, Z) if moments else shown)

    written = ",".join(f"{basis}:{share!r}" for basis, share in pairs)
    return perturbation_plan(
        METHOD.name,
        domain,
        budget,
        reason=REASON_UNIVERSAL if by == "universal" else REASON,
        change=change,
        options={"cut": side, "parts": written, "normalise": moments} | named(by),
    )


def _pairs(parts: Any) -> list[tuple[str, float]]:
    """Pairs of wavelet and share, from pairs or from text like haar:0.5,db4:0.5."""
    if isinstance(parts, str):
        parts = [part.partition(":")[::2] for part in parts.split(",")]
    if not isinstance(parts, Sequence) or not parts:
        raise ParameterError(_rule(parts))
    pairs = []
    for part in parts:
        if not isinstance(part, Sequence) or isinstance(part, str) or len(part) != 2:
            raise ParameterError(_rule(part))
        pairs.append(share_of(*part))
    return pairs


def _rule(given: Any) -> str:
    return f"parts must be WAVELET:SHARE,WAVELET:SHARE …, such as {DEFAULT_PARTS}, got {given!r}"


METHOD = Method(
    name="wavelet-multi",
    summary="As wavelet, with a basis and threshold for each part; not private by any proof.",
    promise=PROMISE,
    source="Liu 2015, section 3.2, multi-basis wavelet transformation",
    proof=PROOF,
    plan=plan,
    options={
        "cut": "vertical (groups of columns, default) or horizontal (groups of records)",
        "parts": f"wavelet and share of each part in order; {DEFAULT_PARTS} by default",
        "threshold": f"{BY}; for each part by itself",
        "normalise": "whether columns get back their exact mean and deviation; false by default",
    },
    budgeted=False,
    family=Family.UNPROVED,
    use="to compare with, and to attack",
    contract=numbers_alone(random=False, cut="horizontal"),
)
