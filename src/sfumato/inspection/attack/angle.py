"""NOT PRIVATE: other people's records from ONE known record (thesis of Liu 2015, chapter 2).

Model.  Ã = AR + E, R orthogonal, E independent N(0, β²).  An attacker knows one record and
its perturbed row.  Where the noise is small against the leading singular values, angles
between rows survive in the space of the k leading ones (`rank_space` says how k is found); a row
at almost no angle from the attacker's is guessed to be the same record.

Success is a guess within `tolerance` of the truth, the root mean square over columns in
deviations.  A small angle alone does not make two records equal (lemma 2.2.3 of the thesis
needs more): records on one ray differ in size, and in few dimensions, or far from the
origin, all angles are small.  The control, attackers told somebody else's row, and the
`reach`, the same attack on the records themselves, tell these cases apart.

Every record in turn is the one that is known, and makes one guess, about the row at the
smallest angle.  Two that guess each other count once; tries that share one record are
taken as independent.
"""

from collections.abc import Sequence
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError
from sfumato.inspection.attack.matrix import Indices, Pair, elsewhere
from sfumato.inspection.attack.outcome import Rate, gap
from sfumato.inspection.attack.parameter import finite
from sfumato.inspection.attack.rank_space import (
    Conditions,
    chosen_columns,
    chosen_rank,
    conditions,
    directions,
    drawn,
)
from sfumato.inspection.attack.result import Attack
from sfumato.numeric.arrays import Matrix

__all__ = ["angle_attack", "nearest"]

_CHUNK = 64  # rows whose angles to all others are in memory at a time


def angle_attack(
    perturbed: Any,
    original: Any,
    *,
    beta: float | None = None,
    rank: int | None = None,
    columns: Sequence[int] | None = None,
    epsilon: float = pi / 180,
    tolerance: float = 0.5,
    confidence: float = 0.95,
    seed: int = 0,
) -> Attack:
    """NOT PRIVATE: guess that records at an angle below `epsilon` from a known one equal it.

    `rank` overrides the k of `conditions`; where no k fits, all singular values are kept
    and the attack says that it has no power.  With `columns` only these are looked at and
    guessed; that makes sense only where column j of the perturbed matrix stands for column
    j of the original, so not after a rotation.  Of more than 2000 records, 2000 drawn ones
    are attackers.

    >>> rng = np.random.default_rng(0)
    >>> A = np.repeat(rng.normal(size=(50, 4)), 2, axis=0)  # everybody has a twin
    >>> R = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    >>> angle_attack(A @ R, A, beta=0).verdict
    'succeeds'
    """
    finite("epsilon", epsilon)
    finite("tolerance", tolerance)
    pair = Pair.of(perturbed, original, same_columns=columns is not None)
    if len(pair.A) < 3:
        raise DataError("an angle attack needs at least three records")
    found = conditions(pair.P, beta=beta)
    k = chosen_rank(rank, found, pair.P.shape)
    chosen = chosen_columns(columns, pair.A.shape[1])
    Z = pair.A / pair.deviations
    Z = Z if chosen is None else Z[:, chosen]
    attackers = drawn(len(Z), seed)

    def close(first: Indices, second: Indices) -> NDArray[np.bool_]:
        close: NDArray[np.bool_] = np.mean((Z[first] - Z[second]) ** 2, axis=1) <= tolerance**2
        return close

    def rates(directions: Matrix) -> tuple[Rate, Rate]:
        outcomes = []
        for told in (attackers, elsewhere(len(Z), seed)[attackers]):
            guess = nearest(directions, told, epsilon)
            # An attacker told a wrong row may be led back to their own record: no guess.
            tried = (guess >= 0) & (guess != attackers)
            # Two who guess each other are right or wrong together: they count once.
            both = np.sort(np.column_stack([attackers, guess])[tried], axis=1)
            pairs = np.unique(both, axis=0)
            outcomes.append(Rate(int(close(*pairs.T).sum()), len(pairs)))
        return outcomes[0], outcomes[1]

    success, control = rates(directions(pair.P, k, chosen))
    strangers = close(attackers, elsewhere(len(Z), seed + 1)[attackers])
    reach = gap(*rates(directions(pair.A, min(k, *pair.A.shape), chosen)), confidence)
    return Attack(
        name="angle",
        knows="one whole record and which perturbed row is its",
        success=success,
        baseline=Rate(int(strangers.sum()), len(strangers)),
        baseline_is="saying it of anybody",
        control=control,
        control_is="from somebody else's row",
        confidence=confidence,
        reach=reach,
        obstacle=_obstacle(found, rank, min(k, Z.shape[1])),
        details={
            "rank": k,
            "beta": found.beta,
            "norm of the noise": found.norm,
            "pairs guessed": success.tries,
        },
    )


def nearest(directions: Matrix, rows: Indices, epsilon: float) -> Indices:
    """The other row at the smallest angle from each of `rows`, -1 if not below epsilon."""
    nobody = np.isnan(directions[:, 0])  # a row of zeros is at no angle from anybody
    D = np.nan_to_num(directions)
    found = np.full(len(rows), -1, np.int64)
    # Beyond a few dimensions, products of all pairs are faster than any tree.
    for start in range(0, len(rows), _CHUNK):
        here = rows[start : start + _CHUNK]
        each = np.arange(len(here))
        cosines = D[here] @ D.T
        cosines[:, nobody] = -np.inf
        cosines[each, here] = -np.inf
        nearest = cosines.argmax(axis=1)
        below = np.arccos(np.clip(cosines[each, nearest], -1, 1)) < epsilon
        found[start + each[below & ~nobody[here]]] = nearest[below & ~nobody[here]]
    return found


def _obstacle(found: Conditions, rank: int | None, dimensions: int) -> str | None:
    if rank is None and found.rank is None:
        return "no singular value stands out of the noise, so no angle can be trusted"
    if dimensions == 1:
        return "in a single dimension all angles are 0 or half a turn"
    return None
