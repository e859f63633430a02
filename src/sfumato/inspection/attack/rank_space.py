"""NOT PRIVATE: the space of the leading singular values, and what the perturbed matrix says of it.

Conditions (thesis of Liu 2015, chapter 2), from the perturbed matrix Ã = AR + E alone: ‖E‖ ≤ σ̃ᵢ
and ‖E‖ ≤ σ̃ᵢ − σ̃ᵢ₊₁; k is the *largest* such i.  The thesis prints the smallest, which its own
k = 6 and k = 4 contradict.  ‖E‖ is taken as β(√n + √m), which bounds its mean (Davidson and
Szarek 2001), where the thesis has √(n + m), too small for any β ≥ 1 and blind to β.  Unless it is
given, β is estimated from the smallest singular value, σ̃ₘ / (√n − √m): for pure noise that
is where it lies, and what the records add only makes it larger and the attacker more careful.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from sfumato.errors import ParameterError
from sfumato.inspection.attack.matrix import Indices
from sfumato.inspection.attack.parameter import finite, whole
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.matrix import real_matrix

__all__ = [
    "FEWEST_ROWS",
    "Conditions",
    "chosen_columns",
    "chosen_rank",
    "conditions",
    "directions",
    "drawn",
]

FEWEST_ROWS = 4  # for every column, to estimate the noise from
_MOST_ROWS = 2_000  # beyond, so many are drawn


@dataclass(frozen=True, slots=True)
class Conditions:
    """What an attacker reads off the perturbed matrix; `rank` is None where no k fits."""

    beta: float
    norm: float
    singular_values: tuple[float, ...]
    rank: int | None


def conditions(perturbed: Any, *, beta: float | None = None) -> Conditions:
    """NOT PRIVATE: the noise and the rank k that the perturbed matrix itself suggests.

    >>> rng = np.random.default_rng(0)
    >>> A = rng.normal(size=(400, 2)) @ rng.normal(size=(2, 6)) * 10
    >>> found = conditions(A + rng.normal(size=A.shape))
    >>> found.rank, round(found.beta, 1)
    (2, 1.1)
    """
    P = real_matrix(perturbed)
    n, m = P.shape
    singular = np.linalg.svd(P, compute_uv=False)
    if beta is None:
        if n < FEWEST_ROWS * m:
            raise ParameterError(
                f"beta must be given for {n} rows of {m} columns: it can be estimated only "
                f"where there are at least {FEWEST_ROWS} rows for every column"
            )
        beta = float(singular[-1]) / (sqrt(n) - sqrt(m))
    beta = finite("beta", beta, zero=True)
    norm = beta * (sqrt(n) + sqrt(m))
    gaps = singular - np.append(singular[1:], 0)
    fits = np.flatnonzero((singular >= norm) & (gaps >= norm) & (singular > 0))
    return Conditions(
        beta, norm, tuple(singular.tolist()), int(fits[-1]) + 1 if len(fits) else None
    )


def directions(X: Matrix, k: int, columns: Indices | None) -> Matrix:
    """Rows of the rank-k approximation as unit vectors; not-a-number where a row is zero."""
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    coordinates = U[:, :k] * s[:k]
    rows = coordinates if columns is None else coordinates @ Vt[:k][:, columns]
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    some = lengths > 1e-12 * s[0]  # rounding gives a zero row some length and any direction
    found: Matrix = np.divide(rows, lengths, out=np.full_like(rows, np.nan), where=some)
    return found


def drawn(n: int, seed: int) -> Indices:
    """All rows, or 2000 of them where there are more."""
    if n <= _MOST_ROWS:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, _MOST_ROWS, replace=False))


def chosen_rank(rank: int | None, found: Conditions, shape: tuple[int, ...]) -> int:
    """The rank asked for, else that of the conditions, else all."""
    most = min(shape)
    if rank is None:
        return found.rank or most
    return whole("rank", rank, most=most)


def chosen_columns(columns: Sequence[int] | None, m: int) -> Indices | None:
    """The columns asked for, sorted; None for all of them."""
    if columns is None:
        return None
    chosen = np.unique(np.asarray(columns, np.int64))
    if not len(chosen) or chosen[0] < 0 or chosen[-1] >= m:
        raise ParameterError(f"columns must name some of 0 to {m - 1}")
    return chosen
