"""Records drawn from noisy counts of regions: as many as each is worth, uniform inside it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.numeric.arrays import Codes
from sfumato.render.drawing import Drawing

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
    columns: Sequence[Parts],
    counts: NDArray[np.int64],
    write: Callable[[Codes], pa.RecordBatch],
    rng: np.random.Generator,
) -> Drawing:
    """Records of each cell, `counts` of them, cells well mixed, written from their codes.

    A cell is one run of every column; the last column varies fastest.
    """
    rows = int(counts.sum())
    first = int(rng.integers(max(rows, 1)))
    return Drawing.of(_Cells(tuple(columns), counts.cumsum(), first, rows, write), rows, rng)


@dataclass(frozen=True, eq=False)
class _Cells:
    """What draws so many records of each cell."""

    columns: tuple[Parts, ...]
    ends: NDArray[np.int64]  # of the cells, in rows
    first: int
    rows: int
    write: Callable[[Codes], pa.RecordBatch]

    def __call__(self, start: int, count: int, rng: np.random.Generator) -> pa.RecordBatch:
        # Steps of the golden section through all rows visit each once, near ones far apart.
        rows, stride = self.rows, _stride(self.rows)
        places = (self.first + start * stride) % rows + np.arange(count) * stride
        cell = np.searchsorted(self.ends, places % rows, side="right")
        codes = np.empty((count, len(self.columns)), np.int32, order="F")
        for column in reversed(self.columns):
            cell, run = np.divmod(cell, len(column.runs))
            low, high = np.array(column.runs).T
            codes[:, column.axis] = column.order[rng.integers(low[run], high[run])]
        return self.write(codes)


def _stride(rows: int) -> int:
    stride = max(round(rows * _GOLDEN), 1)
    while gcd(stride, rows) > 1:
        stride += 1
    return stride
