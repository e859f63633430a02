"""NOT PRIVATE: additive noise of known deviation, filtered out by its spectrum.

Ã = A + E with independent entries of deviation σ in E.  The covariance of Ã is that of
A plus σ² in every direction, so where the records vary more than the noise, the noise
is seen and taken out.  All three attacks keep the mean of Ã and multiply what is left by
a matrix; they differ in which.

`spectral_attack` (Kargupta et al. 2003): the projector on the eigenvectors whose eigenvalue
is above σ²(1 + √(m/n))², where the eigenvalues of pure noise end (Marchenko and Pastur
1967).
`pca_attack` (Huang, Du and Chen 2005): the projector on the components that carry more
of the records than of the noise, eigenvalue above 2σ²; dropping such a one costs more
than keeping it.  The paper looks for a gap in the eigenvalues by eye.
`bayes_attack` (same paper): the linear guess of the smallest expected squared error, each
component shrunk by λ / (λ + σ²), λ being its variance in the records.

Which column is reported, and how, is said in `reconstruction`.
"""

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np

from sfumato.inspection.attack.matrix import Pair
from sfumato.inspection.attack.parameter import finite
from sfumato.inspection.attack.reconstruction import reconstruction
from sfumato.inspection.attack.result import Attack
from sfumato.numeric.arrays import Matrix, Vector

__all__ = ["bayes_attack", "pca_attack", "spectral_attack"]

Weights = Callable[[Vector, float, float], Vector]


def spectral_attack(
    perturbed: Any, original: Any, *, deviation: float, confidence: float = 0.95, seed: int = 0
) -> Attack:
    """NOT PRIVATE: drop the components that pure noise of this `deviation` could have made.

    >>> rng = np.random.default_rng(0)
    >>> A = np.outer(rng.normal(size=300), np.ones(10))
    >>> found = spectral_attack(A + rng.normal(0, 0.5, A.shape), A, deviation=0.5)
    >>> found.verdict, round(found.success.value, 1)  # of deviations; the noise is 0.5
    ('succeeds', 0.2)
    """
    return _filtered("spectral filtering", perturbed, original, deviation, confidence, seed, _noise)


def pca_attack(
    perturbed: Any, original: Any, *, deviation: float, confidence: float = 0.95, seed: int = 0
) -> Attack:
    """NOT PRIVATE: keep the components that carry more of the records than of the noise.

    >>> rng = np.random.default_rng(0)
    >>> A = np.outer(rng.normal(size=300), np.ones(10))
    >>> noisy = A + rng.normal(0, 0.5, A.shape)
    >>> pca_attack(noisy, A, deviation=0.5).details["components"]
    1
    """
    return _filtered("PCA", perturbed, original, deviation, confidence, seed, _worth_keeping)


def bayes_attack(
    perturbed: Any, original: Any, *, deviation: float, confidence: float = 0.95, seed: int = 0
) -> Attack:
    """NOT PRIVATE: shrink every component by the share of the records in its variance.

    >>> rng = np.random.default_rng(0)
    >>> A = rng.normal(size=(300, 2))  # nothing but the size of the noise to go by
    >>> found = bayes_attack(A + rng.normal(size=A.shape), A, deviation=1)
    >>> round(found.success.value, 1), round(found.baseline.value, 1)
    (0.7, 1.0)
    """
    return _filtered("Bayes estimate", perturbed, original, deviation, confidence, seed, _shrunk)


def _filtered(
    name: str,
    perturbed: Any,
    original: Any,
    deviation: float,
    confidence: float,
    seed: int,
    weights: Weights,
) -> Attack:
    deviation = finite("deviation", deviation, zero=True)
    pair = Pair.of(perturbed, original, same_columns=True)
    n, m = pair.P.shape
    centre = pair.P.mean(axis=0)
    X = pair.P - centre
    variances, V = np.linalg.eigh(X.T @ X / n)
    kept = weights(variances, deviation**2, m / n)
    guesses: Matrix = centre + X @ (V * kept) @ V.T
    return reconstruction(
        name,
        pair,
        np.arange(n),
        guesses=guesses,
        seed=seed,
        knows="the deviation of the noise",
        confidence=confidence,
        obstacle=_obstacle(n, m),
        details={"components": int(np.count_nonzero(kept))},
    )


def _obstacle(n: int, m: int) -> str | None:
    if m == 1:
        return "one column has no spectrum to filter by"
    if n <= m:
        return "there are no more records than columns, so every component may be noise"
    return None


def _noise(variances: Vector, noise: float, ratio: float) -> Vector:
    return (variances > noise * (1 + sqrt(ratio)) ** 2).astype(np.float64)


def _worth_keeping(variances: Vector, noise: float, _ratio: float) -> Vector:
    return (variances > 2 * noise).astype(np.float64)


def _shrunk(variances: Vector, noise: float, _ratio: float) -> Vector:
    own = np.maximum(variances - noise, 0)
    found: Vector = np.divide(own, own + noise, out=np.zeros_like(own), where=own > 0)
    return found
