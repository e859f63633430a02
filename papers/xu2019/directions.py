"""Directions as the paper's figure 5 compares them, in floating point: NOT A RELEASE.

Records have a norm of at most 1, A = Xᵀ X / n, and V holds one direction per column.

    lip         Lap(2d / (nε)) on the upper triangle of A (Algorithm 1), ε
    lip, ours   Lap(√(d (d + 3) / 2) / (nε)): the certified sensitivity, also ε
    AG          N(0, 2 ln(1.25/δ) / (nε)²) on the triangle (Dwork et al. 2014), (ε, δ)
    PPM         L products A V, each under N(0, 4 L ln(1/δ) / (nε)²) (Hardt and Price 2014), (ε, δ)
    random      no data at all

The noise of AG is the Δ that the paper quotes; it names neither δ nor L.  Hardt and Price
protect single entries of A; their √k max|V| is 1 here, which is how far a record of norm 1
moves A V.
"""

from math import log, sqrt

import numpy as np

from papers.xu2019.settings import DELTA
from sfumato.methods.power_method import DEFAULT_ITERATIONS
from sfumato.numeric.arrays import Matrix
from sfumato.privacy.sensitivity import ball
from sfumato.render.components import leading

__all__ = ["AG", "CERTIFIED", "EXACT", "LIP", "PPM", "RANDOM", "lip_directions", "published"]

LIP, AG, PPM = "lip", "AG", "PPM"
CERTIFIED, EXACT, RANDOM = "lip, certified noise", "exact components", "random directions"


def published(
    who: str, A: Matrix, rows: int, rank: int, epsilon: float, rng: np.random.Generator
) -> Matrix:
    """The leading directions, one per column, as one contender finds them."""
    width = len(A)
    if who == EXACT:
        return leading(A, rank)[1].T
    if who == RANDOM:
        return np.asarray(np.linalg.qr(rng.standard_normal((width, rank)))[0])
    if who == PPM:
        sigma = sqrt(4 * DEFAULT_ITERATIONS * log(1 / float(DELTA))) / (rows * epsilon)
        V = np.linalg.qr(rng.standard_normal((width, rank)))[0]
        for _ in range(DEFAULT_ITERATIONS):
            V = np.linalg.qr(A @ V + rng.normal(0, sigma, V.shape))[0]
        return np.asarray(V)
    if who == AG:
        sigma = sqrt(2 * log(1.25 / float(DELTA))) / (rows * epsilon)
        return leading(A + _mirrored(rng.normal(0, sigma, A.shape)), rank)[1].T
    moved = float(ball(width).l1) if who == CERTIFIED else 2 * width
    return lip_directions(A, moved / (rows * epsilon), rng)[:, :rank]


def lip_directions(A: Matrix, scale: float, rng: np.random.Generator) -> Matrix:
    """All directions of A under symmetric Laplace noise, largest first, one per column.

    >>> V = lip_directions(np.diag([1.0, 4.0]), 1e-9, np.random.default_rng(1))
    >>> V.argmax(axis=0).tolist()
    [1, 0]
    """
    return leading(A + _mirrored(rng.laplace(0, scale, A.shape)), len(A))[1].T


def _mirrored(E: Matrix) -> Matrix:
    """The upper triangle of E and its mirror image."""
    return np.asarray(np.triu(E) + np.triu(E, 1).T)
