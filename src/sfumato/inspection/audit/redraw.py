"""The law by which one column of a record is drawn anew, worked out from its cells.

`measure.exponential` draws a cell uniformly, and a point in it that must lie under the weight
that the cell helps to cover.  The runs of cells that lead to each new code give it its mass:
what the code does, not what it is meant to do.
"""

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Vector

__all__ = ["Laws", "law_key"]

_REPEATED = 1 << 10  # runs of one length that are looked up together
_MOST_ROUNDS = 1 << 16


class Laws:
    """Laws that were worked out before; a run makes its own anew, mostly the same.

    >>> from fractions import Fraction
    >>> from sfumato.schema.domain import Domain
    >>> from sfumato.measure.exponential import _law
    >>> from sfumato.schema import Schema
    >>> bit = Domain.of(Schema.of({"name": "t", "columns": {"a": {"kind": "boolean"}}})).axes[0]
    >>> codes, logs = Laws().weights(_law(bit, Fraction(3, 2)), 1)
    >>> codes.tolist(), (logs.round(9) + 0.0).tolist()
    ([0, 1], [-1.5, 0.0])
    """

    def __init__(self) -> None:
        self._known: dict[Hashable, tuple[NDArray[np.int64], Vector]] = {}
        self._shares: dict[Hashable, Vector] = {}

    def moved_apart(
        self, law: Any, codes: NDArray[np.int64], other: Any, others: NDArray[np.int64]
    ) -> float:
        """How far log-weights of new codes move apart, over all records of a column."""
        total, same = 0.0, law_key(law) == law_key(other)
        for a, b in zip(codes.tolist(), others.tolist(), strict=True):
            if same and a == b:
                continue
            (mine, before), (theirs, after) = self.weights(law, a), self.weights(other, b)
            if not np.array_equal(mine, theirs):
                return np.inf
            total += float(np.ptp(after - before))
        return total

    def weights(self, law: Any, code: int) -> tuple[NDArray[np.int64], Vector]:
        """All new codes of a record with this one, and the logarithms of their weights."""
        key = (*law_key(law), code)
        if key not in self._known:
            new, which, levels, runs = _runs(law, code)
            # Of a run of cells, the share below 2^width · exp(−z) is kept.
            step = 2.0**-law.ceilings._width
            kept = np.clip(self._of(law)[which] - levels * step, 0, runs * step)
            codes, place = np.unique(new, return_inverse=True)
            with np.errstate(divide="ignore"):
                self._known[key] = codes, np.log(np.bincount(place, kept))
        return self._known[key]

    def _of(self, law: Any) -> Vector:
        key = law_key(law)
        if key not in self._shares:
            exact, several = law.ceilings._exact, len(law.ceilings.above)
            self._shares[key] = np.exp([-float(exact(i)) for i in range(several)])
        return self._shares[key]


def _runs(law: Any, code: int) -> tuple[NDArray[np.int64], ...]:
    """Every run of cells that lead to one code: the code, its weight, first level and length."""
    (cells,) = [int(count) for waiting, count in law.bounds(np.array([code])) if waiting.size]
    above, found, cell = law.ceilings.above, list[NDArray[np.int64]](), 0
    for _ in range(_MOST_ROUNDS):
        here = law.locate(np.array([code]), np.array([cell]))
        if cell >= cells or not here.inside[0]:
            break
        which, level = int(here.which[0]), int(here.level[0])
        length = max(min(int(above[which]) - level, cells - cell), 1)
        found.append(np.array([[here.code[0], which, level, length]], np.int64))
        cell += length
        # What follows is mostly the next weight, again and again, or the same weight once more.
        again = min((cells - cell) // int(above[which]), _REPEATED)
        guesses = above[which + 1 :], np.full(again, above[which])
        ahead = max((_confirmed(law, code, cell, cells, g) for g in guesses), key=len)
        found.append(ahead)
        cell += int(ahead[:, 3].sum())
    table = np.concatenate(found)
    return table[:, 0], table[:, 1], table[:, 2], table[:, 3]


def _confirmed(
    law: Any, code: int, cell: int, cells: int, lengths: NDArray[np.int64]
) -> NDArray[np.int64]:
    """As many runs of these lengths, one after the other, as there really are from a cell on."""
    ends = np.cumsum(lengths)
    lengths = lengths[ends <= cells - cell]
    starts = cell + (ends[: len(lengths)] - lengths)
    at = law.locate(np.full(len(starts), code, np.int64), starts)
    right = at.inside & (at.level == 0) & (law.ceilings.above[at.which] == lengths)
    several = len(right) if right.all() else int(np.argmin(right))
    return np.stack([at.code, at.which, at.level, lengths], axis=1)[:several].astype(np.int64)


def law_key(law: Any) -> tuple[Hashable, ...]:
    """What makes two laws the same: their weights to eleven digits, and their whole numbers."""
    whole = tuple((name, value) for name, value in vars(law).items() if isinstance(value, int))
    return type(law).__name__, law.ceilings.above.tobytes(), whole
