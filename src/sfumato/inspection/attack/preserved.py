"""NOT PRIVATE: how many angles between records survive a perturbation (thesis of Liu 2015, 2.3).

The thesis reports that 85 to 92 % of the angles survive, and takes this for a breach.  Where
all records lie in about the same direction all angles are small, and they would survive
any exchange of rows as well: `shuffled` shows how many do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np

from sfumato.errors import DataError
from sfumato.inspection.attack.matrix import Pair, elsewhere
from sfumato.inspection.attack.parameter import finite
from sfumato.inspection.attack.rank_space import (
    chosen_columns,
    chosen_rank,
    conditions,
    directions,
    drawn,
)
from sfumato.numeric.arrays import Matrix

__all__ = ["EPSILONS", "AnglesPreserved", "angles_preserved"]

EPSILONS = (pi / 90, pi / 180, pi / 360)
_CHUNK = 256  # rows whose angles to all others are in memory at a time


@dataclass(frozen=True, slots=True)
class AnglesPreserved:
    """Share of pairs of records whose angle moved by at most each ε, and of shuffled rows."""

    rank: int
    shares: Mapping[float, float]
    shuffled: Mapping[float, float]


def angles_preserved(
    perturbed: Any,
    original: Any,
    *,
    beta: float | None = None,
    rank: int | None = None,
    columns: Sequence[int] | None = None,
    epsilons: Sequence[float] = EPSILONS,
    seed: int = 0,
) -> AnglesPreserved:
    """NOT PRIVATE: the share of pairs whose angle moved by at most ε (thesis, table 2.1).

    `shuffled` is the same share if the rows are perturbed ones of others: where it is high
    too, angles are all alike and their survival gives nothing away.  Of more than 2000
    records, 2000 are drawn.

    >>> rng = np.random.default_rng(0)
    >>> A = rng.normal(size=(60, 3))
    >>> R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    >>> found = angles_preserved(A @ R, A, beta=0, epsilons=[0.01])
    >>> found.rank, found.shares[0.01], found.shuffled[0.01] < 0.1
    (3, 1.0, True)
    """
    for epsilon in epsilons:
        finite("epsilon", epsilon)
    pair = Pair.of(perturbed, original, same_columns=columns is not None)
    k = chosen_rank(rank, conditions(pair.P, beta=beta), pair.P.shape)
    rows = drawn(len(pair.A), seed)
    if len(rows) < 2:
        raise DataError("angles need at least two records")
    chosen = chosen_columns(columns, pair.A.shape[1])
    ours = directions(pair.P, k, chosen)[rows]
    theirs = directions(pair.A, min(k, *pair.A.shape), chosen)[rows]
    wrong = elsewhere(len(rows), seed)
    return AnglesPreserved(
        k, _shares(ours, theirs, epsilons), _shares(ours[wrong], theirs, epsilons)
    )


def _shares(ours: Matrix, theirs: Matrix, epsilons: Sequence[float]) -> dict[float, float]:
    n, kept = len(ours), np.zeros(len(epsilons))
    for start in range(0, n, _CHUNK):
        here = np.arange(start, min(start + _CHUNK, n))
        later = here[:, None] < np.arange(n)  # every pair once
        moved = np.abs(_angles(ours[here], ours) - _angles(theirs[here], theirs))[later]
        # A record without direction has no angle; its pairs count as not preserved.
        kept += [np.count_nonzero(moved <= epsilon) for epsilon in epsilons]
    return {e: float(k / (n * (n - 1) / 2)) for e, k in zip(epsilons, kept, strict=True)}


def _angles(X: Matrix, Y: Matrix) -> Matrix:
    angles: Matrix = np.arccos(np.clip(X @ Y.T, -1, 1))
    return angles
