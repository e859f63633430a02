"""Readings of "δ = 0.5 · max(y_high)": which one moves the tables as far as the thesis says?

The thesis does not say along which side, over how many levels, and of what the maximum is
taken.  `wavelet` transforms both sides over all levels and takes the largest absolute
value of all details.  Taken by the letter, max keeps the sign: along a row of WDBC nearly
all details are large and negative (a perimeter before an area), so the largest is small.
None of these fits; half of the universal threshold, which is no maximum at all, does.
"""

from functools import partial
from typing import Literal

import numpy as np

from papers.liu2015.chapter3.perturbations import SHARE, UNIVERSAL, Perturbation
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.pyramid import pywavelets
from sfumato.perturb.wavelet import most_levels, wavelet

__all__ = ["READINGS", "along"]

Each = Literal["all", "vector", "place"]


def along(
    A: Matrix, *, axis: int, levels: int | None, each: Each, signed: bool, share: float = SHARE
) -> Matrix:
    """Haar details of every column (axis 0) or row (axis 1), drawn towards zero.

    A threshold is for `all` details, for each `vector` that was transformed, or for each
    `place` of a level, over all vectors, as the maximum of a matrix is in Matlab.

    >>> A = np.array([[1.0, 3.0], [5.0, 1.0]])
    >>> along(A, axis=1, levels=1, each="vector", signed=False, share=1).round(6).tolist()
    [[2.0, 2.0], [3.0, 3.0]]
    >>> along(A, axis=1, levels=1, each="vector", signed=True, share=1).round(6).tolist()
    [[1.0, 3.0], [3.0, 3.0]]
    """
    pywt = pywavelets()
    depth = most_levels(*A.shape) if levels is None else levels
    smooth, details, lengths = A, [], []
    for _ in range(depth):
        lengths.append(smooth.shape[axis])
        smooth, detail = pywt.dwt(smooth, "haar", "periodization", axis=axis)
        details.append(detail)
    sizes = details if signed else [np.abs(detail) for detail in details]
    if each == "all":
        tops = [np.full((1, 1), max(size.max() for size in sizes))] * depth
    elif each == "vector":
        over = [size.max(axis=axis, keepdims=True) for size in sizes]
        tops = [np.max(over, axis=0)] * depth
    else:
        tops = [size.max(axis=1 - axis, keepdims=True) for size in sizes]
    for detail, top, length in zip(details[::-1], tops[::-1], lengths[::-1], strict=True):
        threshold = np.maximum(share * top, 0)
        kept = detail - np.clip(detail, -threshold, threshold)
        smooth = pywt.idwt(smooth, kept, "haar", "periodization", axis=axis)
        smooth = np.take(smooth, range(length), axis=axis)
    return np.asarray(smooth)


_columns, _rows = partial(along, axis=0), partial(along, axis=1)

READINGS: dict[str, Perturbation] = {
    "both sides, all levels, largest absolute detail (`wavelet`)": wavelet,
    "both sides, one level, largest absolute detail": partial(wavelet, levels=1),
    "along columns, all levels, absolute, each column its own": partial(
        _columns, levels=None, each="vector", signed=False
    ),
    "along columns, one level, absolute, each column its own": partial(
        _columns, levels=1, each="vector", signed=False
    ),
    "along rows, all levels, absolute, each row its own": partial(
        _rows, levels=None, each="vector", signed=False
    ),
    "along rows, one level, absolute, each row its own": partial(
        _rows, levels=1, each="vector", signed=False
    ),
    "along rows, all levels, with its sign, each row its own": partial(
        _rows, levels=None, each="vector", signed=True
    ),
    "along rows, one level, with its sign, one for all": partial(
        _rows, levels=1, each="all", signed=True
    ),
    "along rows, one level, with its sign, each place its own": partial(
        _rows, levels=1, each="place", signed=True
    ),
    "along rows, one level, with its sign, each row its own": partial(
        _rows, levels=1, each="vector", signed=True
    ),
    "both sides, all levels, half of the universal threshold": UNIVERSAL["wavelet (S), universal"],
}
