"""NOT PRIVATE: the whole table from a few known records (thesis of Liu 2015, theorem 2.2.3).

An attacker knows at least as many original records as there are columns, and which
perturbed rows are theirs.  If the table was rotated, Ã = AR + E, these rows fix R, and R
undoes the rotation of everybody.

`least_squares_attack` assumes only that the map is linear.  It fits the way back, the B
with Ã B nearest to A on the known rows, rather than R: to invert a noisy estimate of R
would blow up its noise, and without noise both are the same.
`procrustes_attack` knows that R is orthogonal: R̂ = UVᵀ from the singular value
decomposition USVᵀ of Aᵀ Ã on the known rows (Schönemann 1966), then Â = Ã R̂ᵀ.  It needs
fewer records for the same error, but leaves the noise E where it is.

The intervals are over the records that were not known, for the known ones that were drawn.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sfumato.inspection.attack.matrix import Indices, Pair
from sfumato.inspection.attack.reconstruction import reconstruction
from sfumato.inspection.attack.result import Attack
from sfumato.numeric.arrays import Matrix

__all__ = ["least_squares_attack", "procrustes_attack"]

WayBack = Callable[[Matrix, Matrix], Matrix]


def least_squares_attack(
    perturbed: Any,
    original: Any,
    *,
    known: Sequence[int] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> Attack:
    """NOT PRIVATE: undo an unknown linear map, fitted to the rows `known` by least squares.

    `known` are row numbers, at least as many as perturbed columns; by default twice as
    many, drawn with `seed`.

    >>> rng = np.random.default_rng(0)
    >>> A = rng.normal(size=(100, 3))
    >>> found = least_squares_attack(A @ rng.normal(size=(3, 3)), A)
    >>> found.verdict, round(found.success.value, 6)
    ('succeeds', 0.0)
    """
    pair = Pair.of(perturbed, original)
    rows = pair.known(known, pair.P.shape[1], seed)
    return _undone("known sample, least squares", pair, rows, _linear, confidence, seed)


def procrustes_attack(
    perturbed: Any,
    original: Any,
    *,
    known: Sequence[int] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> Attack:
    """NOT PRIVATE: undo an unknown rotation or reflection, fitted to the rows `known`.

    >>> rng = np.random.default_rng(0)
    >>> A = rng.normal(size=(100, 3))
    >>> R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    >>> round(procrustes_attack(A @ R, A, known=[0, 1, 2]).success.value, 6)
    0.0
    """
    pair = Pair.of(perturbed, original, same_columns=True)
    rows = pair.known(known, pair.P.shape[1], seed)
    return _undone("known sample, Procrustes", pair, rows, _orthogonal, confidence, seed)


def _undone(
    name: str, pair: Pair, known: Indices, way_back: WayBack, confidence: float, seed: int
) -> Attack:
    unknown = np.setdiff1d(np.arange(len(pair.A)), known)
    A = pair.A[known]
    return reconstruction(
        name,
        pair,
        unknown,
        guesses=pair.P[unknown] @ way_back(pair.P[known], A),
        seed=seed,
        knows=f"{len(known)} whole records and which perturbed rows are theirs",
        confidence=confidence,
        obstacle=_obstacle(A, len(unknown)),
        details={"known": len(known)},
    )


def _obstacle(A: Matrix, unknown: int) -> str | None:
    if not unknown:
        return "every record was known beforehand"
    if np.linalg.matrix_rank(A) < A.shape[1]:
        return "the known records lie in a subspace and do not fix the map"
    return None


def _linear(P: Matrix, A: Matrix) -> Matrix:
    return np.asarray(np.linalg.lstsq(P, A, rcond=None)[0], np.float64)


def _orthogonal(P: Matrix, A: Matrix) -> Matrix:
    U, _, Vt = np.linalg.svd(A.T @ P)
    R: Matrix = U @ Vt
    return R.T
