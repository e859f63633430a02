"""Which columns of a release are most strongly associated, in the released rows alone.

The measure is √(1 − e^−2I), where I is the mutual information of the two columns in bins: 0
for none, 1 for a rule without exception, and the correlation where both are Gaussian (Linfoot
1957).  Bins make I too large by about (r − 1)(c − 1) / 2n, which is taken off.

>>> x = np.arange(600) % 3
>>> [round(strength(x, other), 2) for other in (x, np.arange(600) // 200)]
[0.94, 0.0]
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sfumato.numeric.arrays import Whole
from sfumato.report.columns import Column, Span, Survey

__all__ = ["MOST_PAIRS", "Pair", "strength", "strongest"]

MOST_PAIRS = 6
_WORTH = 0.1  # what is weaker is not worth a picture
_COARSE = 8  # bins of a number, for the measure: finer ones make it noisy


@dataclass(frozen=True, eq=False)
class Pair:
    """Two columns, how strongly they hang together, and the rows in each pair of bins."""

    across: Column
    up: Column
    strength: float
    counts: Whole  # bins of `up` by bins of `across`


def strongest(found: Survey) -> list[Pair]:
    """The pairs worth a picture, the strongest first."""
    coarse = [_coarse(column, found.sample[:, k]) for k, column in enumerate(found.columns)]
    pairs = combinations(range(len(coarse)), 2)
    ranked = sorted(((strength(coarse[i], coarse[j]), -i, -j) for i, j in pairs), reverse=True)
    kept = [(s, -i, -j) for s, i, j in ranked[:MOST_PAIRS] if s >= _WORTH]
    return [
        Pair(
            found.columns[i],
            found.columns[j],
            s,
            _table(found.sample[:, j], found.sample[:, i], found.columns[j], found.columns[i]),
        )
        for s, i, j in kept
    ]


def strength(first: Whole, second: Whole) -> float:
    """How strongly two columns in bins hang together, from 0 to 1."""
    if not first.size:
        return 0.0
    joint = _joint(first, second, int(first.max()) + 1, int(second.max()) + 1) / first.size
    rows, columns = joint.sum(axis=1, keepdims=True), joint.sum(axis=0, keepdims=True)
    there = joint > 0
    information = float((joint[there] * np.log((joint / (rows @ columns + ~there))[there])).sum())
    free = (np.count_nonzero(rows) - 1) * (np.count_nonzero(columns) - 1)
    certain = information - free / (2 * first.size)
    return float(np.sqrt(-np.expm1(-2 * max(certain, 0.0))))


def _coarse(column: Column, codes: Whole) -> Whole:
    """Fewer bins for numbers; what is missing keeps one of its own."""
    fine = len(column.bins)
    if not isinstance(column.bins, Span) or fine <= _COARSE:
        return codes
    return np.where(codes == fine, _COARSE, codes * _COARSE // fine)


def _table(first: Whole, second: Whole, up: Column, across: Column) -> Whole:
    """Rows in each pair of bins, of those that have both values."""
    both = (first < len(up.bins)) & (second < len(across.bins))
    return _joint(first[both], second[both], len(up.bins), len(across.bins))


def _joint(first: Whole, second: Whole, rows: int, columns: int) -> Whole:
    cells = np.bincount(first * columns + second, minlength=rows * columns)
    return cells.reshape(rows, columns)
