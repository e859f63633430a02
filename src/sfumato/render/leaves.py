"""Records drawn from noisy counts of regions: as many as each is worth, uniform inside it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd

import numpy as np
from numpy.typing import NDArray

from sfumato.render.decode import BATCH_ROWS

__all__ = ["Parts", "apportion", "sample"]

_GOLDEN = 0.6180339887498949


@dataclass(frozen=True)
class Parts:
    """One column cut into runs of positions; `order` holds the code at each position."""

    axis: int
    order: NDArray[np.int32]
    runs: Sequence[tuple[int, int]]


def apportion(
    counts: NDArray[np.float64], rows: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Whole numbers that sum to `rows`, in proportion to the counts above zero.

    Each is its share rounded up or down; one random offset decides which, so that every
    expectation is the share itself.

    >>> apportion(np.array([3.0, -2.0, 1.0]), 8, np.random.default_rng(0)).tolist()
    [6, 0, 2]
    """
    shares = np.maximum(counts, 0.0)
    if not shares.any():
        shares = np.ones(len(counts))
    upto = shares.cumsum()
    upto *= rows / upto[-1]
    upto[-1] = rows  # whatever the roundings before it
    whole = np.floor(upto + rng.random()).astype(np.int64)
    return np.diff(np.minimum(whole, rows), prepend=0)


def sample(
    columns: Sequence[Parts], counts: NDArray[np.int64], rng: np.random.Generator
) -> Iterator[NDArray[np.int32]]:
    """Codes of `counts` records of each cell, a batch at a time, cells well mixed.

    A cell is one run of every column; the last column varies fastest.
    """
    ends, rows = counts.cumsum(), int(counts.sum())
    first, stride = int(rng.integers(max(rows, 1))), _stride(rows)
    for start in range(0, rows, BATCH_ROWS):
        # Steps of the golden section through all rows visit each once, near ones far apart.
        steps = np.arange(min(BATCH_ROWS, rows - start)) * stride
        cell = np.searchsorted(ends, ((first + start * stride) % rows + steps) % rows, side="right")
        codes = np.empty((len(cell), len(columns)), np.int32, order="F")
        for column in reversed(columns):
            cell, run = np.divmod(cell, len(column.runs))
            low, high = np.array(column.runs).T
            codes[:, column.axis] = column.order[rng.integers(low[run], high[run])]
        yield codes


def _stride(rows: int) -> int:
    stride = max(round(rows * _GOLDEN), 1)
    while gcd(stride, rows) > 1:
        stride += 1
    return stride
