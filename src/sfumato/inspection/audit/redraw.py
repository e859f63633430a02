"""The law by which one column of a record is drawn anew, worked out from its cells.

`measure.exponential` draws a cell uniformly, and a point in it that must lie under the weight
that the cell helps to cover.  Walking from run to run of the cells gives each new code its mass:
what the code does, not what it is meant to do.
"""

from collections.abc import Hashable
from math import exp, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Laws", "log_weights"]

_MOST_RUNS = 1 << 14


def log_weights(law: Any, code: int) -> dict[int, float]:
    """The logarithm of the weight of each new code, for a record with this one.

    >>> from fractions import Fraction
    >>> from sfumato.domain import Domain
    >>> from sfumato.measure.exponential import _law
    >>> from sfumato.schema import Schema
    >>> bit = Domain.of(Schema.of({"name": "t", "columns": {"a": {"kind": "boolean"}}})).axes[0]
    >>> found = log_weights(_law(bit, Fraction(3, 2)), 1)
    >>> {y: round(found[y], 9) + 0.0 for y in sorted(found)}
    {0: -1.5, 1: 0.0}
    """
    one = np.array([code], np.int64)
    (cells,) = [int(count) for waiting, count in law.bounds(one) if waiting.size]
    width, above = law.ceilings._width, law.ceilings.above
    mass: dict[int, float] = {}
    cell = 0
    for _ in range(_MOST_RUNS):
        found = law.locate(one, np.array([cell], np.int64))
        if cell >= cells or not found.inside[0]:
            break
        which, level = int(found.which[0]), int(found.level[0])
        run = min(int(above[which]) - level, cells - cell)
        # Of a run of cells, the share below 2^width · exp(−z) is kept.
        kept = exp(-float(law.ceilings._exact(which))) - level * 2.0**-width
        new = int(found.code[0])
        mass[new] = mass.get(new, 0.0) + min(max(kept, 0.0), run * 2.0**-width)
        cell += max(run, 1)
    return {new: log(kept) if kept > 0 else -np.inf for new, kept in mass.items()}


class Laws:
    """Log-weights that were worked out before; a run makes its laws anew, mostly the same."""

    def __init__(self) -> None:
        self._known: dict[Hashable, dict[int, float]] = {}

    def moved_apart(
        self, law: Any, codes: NDArray[np.int64], other: Any, others: NDArray[np.int64]
    ) -> float:
        """How far log-weights of new codes move apart, over all records of a column."""
        total, same = 0.0, _key(law) == _key(other)
        for a, b in zip(codes.tolist(), others.tolist(), strict=True):
            if same and a == b:
                continue
            mine, theirs = self._of(law, a), self._of(other, b)
            if mine.keys() != theirs.keys():
                return np.inf
            moves = [theirs[new] - mine[new] for new in mine]
            total += max(moves) - min(moves)
        return total

    def _of(self, law: Any, code: int) -> dict[int, float]:
        key = (*_key(law), code)
        if key not in self._known:
            self._known[key] = log_weights(law, code)
        return self._known[key]


def _key(law: Any) -> tuple[Hashable, ...]:
    """What makes two laws the same: their weights to eleven digits, and their whole numbers."""
    whole = tuple((name, value) for name, value in vars(law).items() if isinstance(value, int))
    return type(law).__name__, law.ceilings.above.tobytes(), whole
