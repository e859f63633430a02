"""The two-dimensional wavelet transform of a tall table, level by level, and back.

The filters and their alignment are PyWavelets' own (mode `periodization`: as many
coefficients as entries, an odd end repeated once); only the order of the work is ours.  Its
transform walks down each column of a table that is stored by rows, which for a
million records costs ten times more than the arithmetic.  Here a level is two products with
small matrices, block by block of rows, and those matrices are read off the transform of
unit vectors.  Time and memory are linear in the entries for a given number of columns.

Needs PyWavelets: `pip install 'sfumato[wavelet]'`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from sfumato.errors import MissingExtra, ParameterError
from sfumato.numeric.arrays import Matrix

__all__ = ["Pyramid", "check_wavelet", "pywavelets"]

_MODE = "periodization"
_BLOCK = 16  # coefficients of each kind that one small product makes
_ENTRIES = 2**17  # of the table, worked on at a time: what stays in the cache
_PERIODIC_PAD = 4  # filter lengths between a block of unit vectors and where they wrap around


def check_wavelet(basis: str) -> None:
    """Refuse a name that is no discrete wavelet.

    >>> check_wavelet("db4")
    """
    pywt = pywavelets()
    if basis not in pywt.wavelist(kind="discrete"):
        raise ParameterError(
            f"there is no discrete wavelet {basis!r}: write haar, db2 to db38, sym2 to sym20, "
            "coif1 to coif17, bior1.1 to bior6.8 or rbio1.1 to rbio6.8"
        )


class Pyramid:
    """NOT PRIVATE: coefficients of a matrix with at least as many rows as columns.

    A level holds four quarters: averages at the top left, from which the next level is made,
    and details everywhere else.

    >>> A = np.array([[1.0, 1.0], [3.0, 3.0]])
    >>> round(Pyramid(A, "haar", 1).largest_detail(), 12)
    2.0
    """

    def __init__(self, A: Matrix, basis: str, levels: int) -> None:
        check_wavelet(basis)
        self.basis, self.shapes = basis, [A.shape]
        self.coefficients: list[Matrix] = []
        for _ in range(levels):
            C = _analysed(A, basis)
            self.coefficients.append(C)
            A = C[: len(C) // 2, : C.shape[1] // 2]
            self.shapes.append(A.shape)

    def largest_detail(self) -> float:
        """The largest absolute value among all detail coefficients."""
        return max(float(max(part.max(), -part.min())) for part in self._details())

    def suppress(self, threshold: float) -> None:
        """Draw every detail towards zero by `threshold`, and no further than zero."""
        for part in self._details():
            step = max(1, _ENTRIES // part.shape[1])
            for start in range(0, len(part), step):
                rows = part[start : start + step]
                rows -= np.clip(rows, -threshold, threshold)

    def rebuilt(self) -> Matrix:
        """The matrix that has these coefficients, in the shape it came in."""
        found: Matrix | None = None
        for C, shape in zip(reversed(self.coefficients), self.shapes[-2::-1], strict=True):
            if found is not None:
                C[: len(C) // 2, : C.shape[1] // 2] = found
            found = _synthesised(C, self.basis, shape)
        assert found is not None  # noqa: S101  there is at least one level
        return found

    def _details(self) -> Iterator[Matrix]:
        for C in self.coefficients:
            half = len(C) // 2
            yield C[half:]
            yield C[:half, C.shape[1] // 2 :]


@dataclass(frozen=True)
class _Filter:
    """Both halves of a block of coefficients from rows (or rows from both), and where they lie."""

    first: int  # of the rows it reads, counted from the first row of its block
    low: Matrix
    high: Matrix

    @property
    def reach(self) -> int:
        """How many rows it reads."""
        return int(self.low.shape[1])


@lru_cache(maxsize=64)
def _filters(basis: str) -> tuple[_Filter, _Filter]:
    """Analysis and synthesis of one block inside a long signal, away from its ends."""
    pywt = pywavelets()
    pad = _PERIODIC_PAD * int(pywt.Wavelet(basis).dec_len)
    half = _BLOCK + 2 * pad
    unit, nothing = np.eye(half), np.zeros((half, half))
    apart = pywt.dwt(np.eye(2 * half), basis, _MODE, axis=0)
    joined = (pywt.idwt(*pair, basis, _MODE, axis=0) for pair in ((unit, nothing), (nothing, unit)))
    inside = slice(pad, pad + _BLOCK)
    doubled = slice(2 * pad, 2 * (pad + _BLOCK))
    analysis = _trimmed(2 * pad, *(part[inside] for part in apart))
    return analysis, _trimmed(pad, *(part[doubled] for part in joined))


def _trimmed(start: int, low: Matrix, high: Matrix) -> _Filter:
    used = np.flatnonzero((low != 0).any(axis=0) | (high != 0).any(axis=0))
    kept = slice(used[0], used[-1] + 1)
    return _Filter(int(used[0]) - start, low[:, kept].copy(), high[:, kept].copy())


def _analysed(X: Matrix, basis: str) -> Matrix:
    """One level: averages and details of rows, each with averages and details of columns."""
    n, m = X.shape
    half, W = -(-n // 2), np.hstack([part.T for part in _across(m, basis)])
    f = _filters(basis)[0]
    C = np.empty((2 * half, W.shape[1]))
    for start, count, blocks in _pieces(half, m):
        rows = _rows(X, 2 * half, 2 * start + f.first, 2 * _BLOCK * (blocks - 1) + f.reach)
        V = _windows(rows, f.reach, 2 * _BLOCK)
        for filtered, top in ((f.low, C[start:]), (f.high, C[half + start :])):
            # Block by block, not as one product: too small for threads to wait on each other.
            piece = np.matmul(np.matmul(filtered, V), W)
            top[:count] = piece.reshape(-1, W.shape[1])[:count]
    return C


def _synthesised(C: Matrix, basis: str, shape: tuple[int, ...]) -> Matrix:
    """The inverse of `_analysed`, cut to the shape it came from."""
    n, m = shape
    half, width = len(C) // 2, C.shape[1] // 2
    pywt = pywavelets()
    unit, nothing = np.eye(width), np.zeros((width, width))
    pairs = ((unit, nothing), (nothing, unit))
    W = np.vstack([pywt.idwt(*pair, basis, _MODE, axis=0)[:m].T for pair in pairs])
    f = _filters(basis)[1]
    X = np.empty((n, m))
    for start, count, blocks in _pieces(half, m):
        span = _BLOCK * (blocks - 1) + f.reach
        low, high = (_rows(part, half, start + f.first, span) for part in (C[:half], C[half:]))
        piece = np.matmul(f.low, _windows(low, f.reach, _BLOCK))
        piece += np.matmul(f.high, _windows(high, f.reach, _BLOCK))
        end = min(n, 2 * (start + count))
        X[2 * start : end] = np.matmul(piece, W).reshape(-1, m)[: end - 2 * start]
    return X


def _across(m: int, basis: str) -> tuple[Matrix, Matrix]:
    """The same transform along the few columns, as a whole matrix: averages and details."""
    low, high = pywavelets().dwt(np.eye(m), basis, _MODE, axis=0)
    return low, high


def _pieces(half: int, columns: int) -> Iterator[tuple[int, int, int]]:
    """First coefficient, number of coefficients, and blocks that cover them."""
    most = max(1, _ENTRIES // (2 * _BLOCK * columns)) * _BLOCK
    for start in range(0, half, most):
        count = min(most, half - start)
        yield start, count, -(-count // _BLOCK)


def _rows(X: Matrix, period: int, start: int, count: int) -> Matrix:
    """Rows of a signal that repeats after `period`; an odd end stands twice."""
    if start >= 0 and start + count <= len(X):
        return X[start : start + count]
    return X[np.minimum(np.arange(start, start + count) % period, len(X) - 1)]


def _windows(rows: Matrix, reach: int, step: int) -> Matrix:
    """Overlapping blocks of rows, one after the other, without copying."""
    return sliding_window_view(rows, reach, axis=0)[::step].swapaxes(1, 2)


def pywavelets() -> Any:
    """The module, or which extra brings it.

    >>> pywavelets().Wavelet("haar").dec_len
    2
    """
    try:
        import pywt  # type: ignore[import-untyped]  # the package carries no types
    except ImportError:
        raise MissingExtra("wavelets need PyWavelets: pip install 'sfumato[wavelet]'") from None
    return pywt
