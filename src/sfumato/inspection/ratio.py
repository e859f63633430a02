"""Ratios by which papers judge components: θ, η of Xu 2019, SG, SIR of Chanyaswad 2017.

Each can be had with the sensitivities the papers print ("paper") and with those proved in
this library ("certified"); the printed ones are partly too small and partly too large, and
the two ratios of Xu compare releases of which neither is private as printed (LIP projects
records without noise, LOP on components without noise).  So they serve to repeat the
papers' figures, not to choose a method.  What is computed from records is NOT PRIVATE;
`sfumato.inspection` says why.
"""

from collections.abc import Callable
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.inspection.subspace import About, Exact
from sfumato.inspection.utility import AnySchema
from sfumato.privacy.centred_sensitivity import eigenvalues, mixture, regression, sums
from sfumato.privacy.guarantee import Number, exact
from sfumato.privacy.sensitivity import ball

__all__ = ["Sensitivities", "Statistic", "error_ratio", "noise_ratio", "sensitivity_gain", "sir"]

Sensitivities = Literal["paper", "certified"]
Statistic = Literal["eigenvalues", "augmented", "classes"]

_CHUNK = 2**20  # draws in memory at a time

# ℓ₁ sensitivity at rank P, times N / a²: Algorithms 1, 2 and 3 of Chanyaswad 2017.
_MOVED: dict[tuple[str, str], Callable[[int], Any]] = {
    ("eigenvalues", "paper"): lambda p: p,
    ("augmented", "paper"): lambda p: p**2 + 4 * p + 1,
    ("classes", "paper"): lambda p: p**2,
    ("eigenvalues", "certified"): lambda p: eigenvalues(p, exact("square", 1)).l1,
    ("augmented", "certified"): lambda p: regression(p).second.l1,
    ("classes", "certified"): lambda p: mixture(p, 2).second.l1,
}


def noise_ratio(
    rows: int,
    features: int,
    rank: int,
    *,
    radius: Number = 1,
    sensitivities: Sensitivities = "certified",
    rng: np.random.Generator | None = None,
) -> float:
    """θ of Xu 2019: Frobenius norm of the noise of LIP over that of LOP; sees no records.

    LIP adds symmetric noise to the d × d mean of x xᵀ, LOP adds noise to n × k coordinates;
    records have norm at most `radius` and both spend the same ε, which cancels.  Without
    `rng` the norms are their root mean squares: with the paper's scales 2d/(nε) and
    2d/ε that is d / √(n³k).  (Theorem 3 of the paper speaks of variances, the square of
    that; its figures are of norms.)  With `rng` the noise is drawn once.

    >>> noise_ratio(100, 4, 1, sensitivities="paper")
    0.004
    """
    _check_rank(rank, features)
    if isinstance(rows, bool) or not isinstance(rows, Integral) or rows < 1:
        raise ParameterError(f"rows must be a whole number of at least 1, got {rows!r}")
    _check("sensitivities", sensitivities, ("paper", "certified"))
    R = float(exact("radius", radius))
    paper = sensitivities == "paper"
    on_second = (2 * features if paper else float(ball(features).l1)) * R**2 / rows
    on_records = 2 * R * (features if paper else rank**0.5)
    if rng is None:
        return float(features * on_second / (np.sqrt(rows * rank) * on_records))
    E = np.triu(rng.laplace(0, on_second, (features, features)))
    E += np.triu(E, 1).T
    return float(np.linalg.norm(E) / np.sqrt(_drawn_square(rows * rank, on_records, rng)))


def error_ratio(
    U: Any,
    original: Any,
    schema: AnySchema,
    *,
    epsilon: Number,
    radius: Any = None,
    sensitivities: Sensitivities = "certified",
    rng: np.random.Generator | None = None,
) -> float:
    """NOT PRIVATE: η of Xu 2019, ‖X U Uᵀ − X‖ over ‖(X V + E) Vᵀ − X‖ (Frobenius).

    X holds the records about the public centre, U the released components (one per row, or
    the released table), V as many exact ones, and E Laplace noise on the coordinates at
    `epsilon`: scale 2dR/ε in the paper, R the largest norm, and √k times the diameter over ε
    as certified.  The rows of E Vᵀ lie in the span that X V Vᵀ − X is orthogonal to, so the
    squares add and the second moments of X are enough.  Without `rng` the square of E
    is its mean; with it, E is drawn once.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "columns": {
    ...     name: {"kind": "number", "low": 0, "high": 1} for name in ("a", "b")}}
    >>> points = pa.table({"a": [0.0, 0.0, 1.0, 1.0], "b": [0.25, 0.75, 0.25, 0.75]})
    >>> round(error_ratio([[1, 0]], points, schema, epsilon=1), 3)  # √(1/16 / (1/16 + 2·2))
    0.124
    """
    _check("sensitivities", sensitivities, ("paper", "certified"))
    budget = float(exact("epsilon", epsilon))
    found = Exact.of(original, schema, radius=radius, about="centre")
    Q, held = found.along(U)
    rank, spectrum = len(Q), found.spectrum
    if sensitivities == "paper":
        moved = 2 * len(found.space) * float(found.space.largest_square) ** 0.5
    else:
        diameter = sums(**found.space.shape, width=len(found.space)).l2_squared
        moved = float(rank * diameter) ** 0.5
    entries, scale = found.rows * rank, moved / budget
    noise = 2 * entries * scale**2 if rng is None else _drawn_square(entries, scale, rng)
    ours = max(found.rows * (spectrum.sum() - held), 0.0)
    theirs = found.rows * spectrum[rank:].sum() + noise
    return float(np.sqrt(ours / theirs))


def sensitivity_gain(
    rank: int,
    features: int,
    *,
    statistic: Statistic = "eigenvalues",
    sensitivities: Sensitivities = "certified",
) -> float:
    """SG(P) of Chanyaswad 2017: sensitivity with all features over that at `rank`; no records.

    `statistic` is what is released of the components: their `eigenvalues` (Algorithm 1), the
    second moments `augmented` by a target (Algorithm 2), or those of `classes` (Algorithm 3).

    >>> sensitivity_gain(10, 300, sensitivities="paper"), sensitivity_gain(10, 300)
    (30.0, 1.0)
    """
    _check_rank(rank, features)
    _check("statistic", statistic, ("eigenvalues", "augmented", "classes"))
    _check("sensitivities", sensitivities, ("paper", "certified"))
    moved = _MOVED[statistic, sensitivities]
    return float(moved(features) / moved(rank))


def sir(
    original: Any,
    schema: AnySchema,
    *,
    radius: Any = None,
    about: About = "mean",
    statistic: Statistic = "eigenvalues",
    sensitivities: Sensitivities = "certified",
) -> NDArray[np.float64]:
    """NOT PRIVATE: SIR(P) of Chanyaswad 2017, IX.A, for P = 1, 2, … up to all features.

    The sensitivity gain over the information loss, which is the sum of all eigenvalues over
    that of the first P.  Above 1, fewer components save more noise than they lose.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "columns": {
    ...     name: {"kind": "number", "low": 0, "high": 1} for name in ("a", "b")}}
    >>> points = pa.table({"a": [0.0, 0.0, 1.0, 1.0], "b": [0.0, 0.5, 0.0, 0.5]})
    >>> sir(points, schema).round(6).tolist()
    [1.6, 1.0]
    """
    spectrum = Exact.of(original, schema, radius=radius, about=about).spectrum
    width, total = len(spectrum), spectrum.sum()
    gains = [
        sensitivity_gain(p, width, statistic=statistic, sensitivities=sensitivities)
        for p in range(1, width + 1)
    ]
    kept = np.cumsum(spectrum) / total if total > 0 else np.full(width, np.nan)
    return np.asarray(gains * kept)


def _drawn_square(entries: int, scale: float, rng: np.random.Generator) -> float:
    """Σ e² over so many Laplace draws."""
    total = 0.0
    for start in range(0, entries, _CHUNK):
        e = rng.laplace(0, scale, min(_CHUNK, entries - start))
        total += float(e @ e)
    return total


def _check_rank(rank: int, features: int) -> None:
    for name, number, most in (("features", features, None), ("rank", rank, features)):
        whole = isinstance(number, Integral) and not isinstance(number, bool)
        if not whole or number < 1 or (most is not None and number > most):
            rule = "at least 1" if most is None else f"from 1 to {most} (features)"
            raise ParameterError(f"{name} must be a whole number, {rule}, got {number!r}")


def _check(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ParameterError(f"{name} must be one of {', '.join(known)}, got {value!r}")
