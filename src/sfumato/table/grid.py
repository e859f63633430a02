"""Numbers to the codes of a grid, many at a time, with the same bits on every path.

NumPy takes a pass over the values for every step of the arithmetic.  With numba (the extra
`fast`) one pass does all steps, three times as fast and without Python's lock; but numba
takes a moment to load, so it is fetched only once NumPy has worked for about as long.
"""

import sys
from collections.abc import Callable
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Codes

__all__ = ["on_grid"]

_BLOCK = 65_536  # values at a time: few enough to stay in cache through every step
_WORTHWHILE = 2**27  # values that NumPy works on for as long as numba takes to load

Values = NDArray[np.float64]
OnGrid = Callable[[Codes, Values, float, float, int, int], None]


def on_grid(
    codes: Codes, values: Values, low: float, high: float, points: int, unusable: int
) -> None:
    """Write the nearest of the codes 0 … points, low to high, of each value.

    Not-a-number becomes `unusable`; what is outside, infinities too, becomes its bound.

    >>> codes = np.empty(4, np.int32)
    >>> on_grid(codes, np.array([0.26, 7.0, -np.inf, np.nan]), 0.0, 1.0, 4, -1)
    >>> codes.tolist()
    [1, 4, 0, -1]
    """
    _paths.chosen(len(values))(codes, values, low, high, points, unusable)


class _Paths:
    """Which path is taken, and how many values it took to earn the other one."""

    def __init__(self) -> None:
        self._seen = 0
        self._fast: OnGrid | None = None

    def chosen(self, count: int) -> OnGrid:
        """The compiled path where it is at hand or worth loading, else NumPy's."""
        if self._fast is None:
            self._seen += count
            if self._seen < _WORTHWHILE and "numba" not in sys.modules:
                return in_numpy
            self._fast = _compiled() or in_numpy
        return self._fast


_paths = _Paths()


def in_numpy(
    codes: Codes, values: Values, low: float, high: float, points: int, unusable: int
) -> None:
    """Block by block, a few passes over each."""
    scratch = np.empty(min(_BLOCK, len(values)))
    for start in range(0, len(values), _BLOCK):
        here = slice(start, start + _BLOCK)
        block = values[here]
        x, least, most = scratch[: len(block)], block.min(), block.max()
        if low <= least and most <= high:
            np.subtract(block, low, out=x)
        else:  # clipping first keeps the arithmetic finite whatever the record holds
            np.clip(block, low, high, out=x)
            x -= low
        x /= high - low
        x *= points
        np.rint(x, out=x)
        if isnan(least):  # then there are some
            x[np.isnan(x)] = unusable
        codes[here] = x


def _compiled() -> OnGrid | None:
    """One pass in machine code; None without numba."""
    try:
        from numba import njit
    except ImportError:
        return None
    how = {"nogil": True, "error_model": "numpy"}
    try:
        kernel: Any = njit(cache=True, **how)(_one_by_one)
    except RuntimeError:  # there is no place to keep what was compiled
        kernel = njit(**how)(_one_by_one)

    def fast(
        codes: Codes, values: Values, low: float, high: float, points: int, unusable: int
    ) -> None:
        kernel(codes, values, low, high, high - low, float(points), unusable)

    return fast


def _one_by_one(
    codes: Codes,
    values: Values,
    low: float,
    high: float,
    width: float,
    points: float,
    unusable: int,
) -> None:
    """The same steps, in terms that numba compiles as they stand."""
    for i in range(len(values)):
        x = min(max(values[i], low), high)
        code = np.rint((x - low) / width * points)
        codes[i] = unusable if values[i] != values[i] else int(code)
