"""Which pairs of columns may be chosen next; public, because those chosen before are."""

from collections.abc import Sequence

import numpy as np

from sfumato.numeric.arrays import Mask, Whole
from sfumato.synopsis.triples import Pair

__all__ = ["Candidates"]


class Candidates:
    """Pairs in the order (0, 1), (0, 2) …, each of which may be taken once.

    Of `draws` of them, the first half are pairs with the target, where there is one and any is
    left; in a forest, a pair must join columns that those before it did not join.

    >>> left = Candidates(3, draws=2, target=2)
    >>> left.pairs.tolist(), left.take((1, 2))
    ([[0, 2], [1, 2]], True)
    >>> left.pairs.tolist(), left.take((1, 2))
    ([[0, 1], [0, 2]], False)
    """

    def __init__(
        self,
        columns: int,
        draws: int = 0,
        target: int | None = None,
        *,
        forest: bool = False,
        without: int | None = None,
        known: Sequence[Pair] = (),
    ) -> None:
        self._columns, self.every = columns, np.stack(np.triu_indices(columns, 1), axis=1)
        self._part = np.arange(columns) if forest else None
        self._draws, self._taken = draws, 0
        self._first = (self.every == target).any(axis=1) if target is not None else None
        self._left: Mask = np.ones(len(self.every), bool)
        if without is not None:  # a column that is in none of them
            self._left = (self.every != without).all(axis=1)
        for pair in known:  # that are measured anyway
            self._left &= (self.every != pair).any(axis=1)

    @property
    def places(self) -> Whole:
        """Of those that may be taken now, among all pairs."""
        return np.flatnonzero(self._now)

    @property
    def pairs(self) -> Whole:
        """Those that may be taken now."""
        return self.every[self._now]

    def position(self, pair: Pair) -> int | None:
        """Where it stands among these, if it does."""
        place, now = self._place(pair), self._now
        return None if place is None or not now[place] else int(now[:place].sum())

    def take(self, pair: Pair) -> bool:
        """Choose it; nothing happens, and False is the answer, where it may not be chosen."""
        place = self._place(pair)
        if place is None or not self._now[place]:
            return False
        self._left[place] = False
        self._taken += 1
        if self._part is not None:
            part, (i, j) = self._part, self.every.T
            part[part == part[pair[1]]] = part[pair[0]]
            self._left &= part[i] != part[j]
        return True

    @property
    def _now(self) -> Mask:
        if self._first is not None and 2 * self._taken < self._draws:
            first: Mask = self._left & self._first
            if first.any():
                return first
        return self._left

    def _place(self, pair: Pair) -> int | None:
        (a, b), columns = pair, self._columns
        return a * columns - a * (a + 1) // 2 + b - a - 1 if 0 <= a < b < columns else None
