"""Chapter 2 in numbers: singular values, ranks by each rule, and angles that survive.

Ã = AR + E with E of independent N(0, 1).  The thesis takes for R "the U matrix of the SVD of A",
which has as many rows as A and cannot stand on its right; V can, and no angle depends on it.
"""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from papers.liu2015.settings import Settings
from papers.outcome import Outcome, Outcomes
from sfumato.inspection.attack import angles_preserved, conditions
from sfumato.inspection.attack.preserved import EPSILONS
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.rotation import rotation

__all__ = [
    "ANGLES",
    "NOISES",
    "PRINTED_RANK",
    "RULES",
    "Perturbed",
    "kept",
    "measure_angles",
    "measure_noise",
    "measure_values",
    "perturbed",
]

Values = NDArray[np.floating[Any]]

PRINTED_RANK = {"bupa": 6, "wine": 4}
FIGURES = {"bupa": "figure 2.1", "wine": "figure 2.2"}
ANGLES = dict(zip(("π/90", "π/180", "π/360"), EPSILONS, strict=True))
MIN, MAX, CORRECTED, TRUE = RULES = (
    "smallest i, norm √(m+n) (printed)",
    "largest i, norm √(m+n)",
    "largest i, norm √n+√m (corrected)",
    "largest i, true σ and ‖E‖",
)
# rows, columns, deviation β of the noise
NOISES = ((345, 7, 1.0), (178, 14, 1.0), (500, 500, 1.0), (345, 7, 10.0))


class Perturbed(NamedTuple):
    """A matrix, turned into its own right singular vectors, and the same under noise."""

    A: Matrix
    P: Matrix
    E: Matrix


def perturbed(A: Matrix, rng: np.random.Generator) -> Perturbed:
    """Ã = AV + E, and E by itself.

    >>> found = perturbed(np.eye(5, 2), np.random.default_rng(0))
    >>> bool(np.allclose(found.E.std(), 1, atol=0.7))
    True
    """
    V = np.linalg.svd(A, full_matrices=False)[2].T
    P = rotation(A, rng, R=V, deviation=1.0)
    return Perturbed(A, P, P - A @ V)


def ranks(p: Perturbed) -> dict[str, int]:
    """k by each rule; 0 where no i fits."""
    n, m = p.A.shape
    own, seen = (np.linalg.svd(X, compute_uv=False) for X in (p.A, p.P))
    printed = _fits(seen, seen, sqrt(n + m))
    true = _fits(own, seen, float(np.linalg.norm(p.E, 2)), own)
    return {
        MIN: printed[0] if printed else 0,
        MAX: printed[-1] if printed else 0,
        CORRECTED: conditions(p.P, beta=1.0).rank or 0,
        TRUE: true[-1] if true else 0,
    }


def _fits(large: Values, seen: Values, norm: float, after: Values | None = None) -> list[int]:
    """Every i with norm ≤ σᵢ and norm ≤ σ̃ᵢ − σᵢ₊₁."""
    following = np.append((seen if after is None else after)[1:], 0)
    return [int(i) + 1 for i in np.flatnonzero((large >= norm) & (seen - following >= norm))]


def measure_values(name: str, p: Perturbed, trial: int, found: Outcomes) -> None:
    """Figures 2.1 and 2.2: singular values before, after, and of the noise; ranks."""
    figure, n = FIGURES[name], len(p.A)
    own, seen, noise = (np.linalg.svd(X, compute_uv=False) for X in p)
    for who, values in (("original", own), ("perturbed", seen), ("noise", noise)):
        for i, value in enumerate(values):
            found.add(Outcome(figure, who, None, trial, f"singular value {i + 1}", float(value)))

    def add(measure: str, value: float) -> None:
        found.add(Outcome(figure, name, None, trial, measure, float(value)))

    add("sum rule, mean error", np.abs(seen - own - noise).mean())
    add("square rule, mean error", np.abs(seen - np.sqrt(own**2 + n)).mean())
    add("largest move over norm of the noise", np.abs(seen - own).max() / noise[0])
    for rule, k in ranks(p).items():
        add(rule, k)
    k = PRINTED_RANK[name]
    add("largest move of the first k", (np.abs(seen - own) / own)[:k].max())
    add("records with a larger noise row", larger_noise(p, k))


def larger_noise(p: Perturbed, k: int) -> float:
    """Share of the records that theorem 2.2.1 is wrong about: ‖eⁱ‖ > ‖aⁱ‖ in k dimensions."""
    V = np.linalg.svd(p.A, full_matrices=False)[2][:k]
    W = np.linalg.svd(p.P, full_matrices=False)[2][:k]
    own, noise = (np.linalg.norm(X, axis=1) for X in (p.A @ V.T, p.E @ W.T))
    return float((noise > own).mean())


def kept(word: str, *, shuffled: bool = False) -> str:
    """Name of the share of angles that moved by at most so much."""
    return f"angles kept to {word}" + (", rows shuffled" if shuffled else "")


def measure_angles(
    name: str, p: Perturbed, trial: int, settings: Settings, found: Outcomes
) -> None:
    """Table 2.1, at the printed k and at the corrected one."""
    for who, rank in (("printed k", PRINTED_RANK[name]), ("corrected k", ranks(p)[CORRECTED])):
        seed = settings.seed_of("shuffle", name, trial)
        shares = angles_preserved(p.P, p.A, beta=1.0, rank=rank or None, seed=seed)
        for word, epsilon in ANGLES.items():
            for measure, share in (
                (kept(word), shares.shares[epsilon]),
                (kept(word, shuffled=True), shares.shuffled[epsilon]),
            ):
                found.add(Outcome("table 2.1", f"{name}, {who}", None, trial, measure, share))


def measure_noise(trial: int, settings: Settings, found: Outcomes) -> None:
    """‖E‖ of independent Gaussian noise, drawn."""
    for n, m, beta in NOISES:
        rng = np.random.default_rng(settings.seed_of("norm", n, m, beta, trial))
        norm = float(np.linalg.norm(rng.normal(0, beta, (n, m)), 2))
        found.add(Outcome("norm of the noise", noise_name(n, m, beta), None, trial, "‖E‖", norm))


def noise_name(n: int, m: int, beta: float) -> str:
    """As the tables call it.

    >>> noise_name(345, 7, 10.0)
    '345 × 7, β = 10'
    """
    return f"{n} × {m}, β = {beta:g}"


def norms(n: int, m: int, beta: float) -> tuple[float, float]:
    """The thesis' √(m+n), whatever β, and the bound β(√n+√m) on the mean.

    >>> [round(norm, 1) for norm in norms(345, 7, 1.0)]
    [18.8, 21.2]
    """
    return sqrt(m + n), beta * (sqrt(n) + sqrt(m))


def counterexample() -> Perturbed:
    """Three records that meet both conditions of theorem 2.2.1 for k = 2, and contradict it.

    >>> round(larger_noise(counterexample(), 2), 3)
    0.333
    """
    A, E = np.diag([100.0, 80.0])[[0, 0, 1]], np.zeros((3, 2))
    A[0], E[0, 0] = 0.0, 1.0
    return Perturbed(A, A + E, E)
