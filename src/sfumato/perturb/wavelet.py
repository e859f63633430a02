"""Suppression of wavelet details, in the shape of the table (Liu 2015, 3.2).

NOT PRIVATE by any proof, and without any chance: averages of neighbouring entries are shown
exactly, and a table without details comes out as it went in.  Neighbours in the order of
rows and columns are neighbours here, so another order gives another result.  The threshold is
taken from the table as well.
"""

from math import log, sqrt
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from sfumato.errors import ParameterError
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.matrix import between, real_matrix
from sfumato.perturb.pyramid import Pyramid

__all__ = ["MOST_LEVELS", "Threshold", "check_threshold", "most_levels", "universal", "wavelet"]

MOST_LEVELS = 64
GAUSSIAN = 0.6745  # median of |z| for a standard normal z, as Matlab rounds it
Threshold = Literal["largest", "universal"]


def wavelet(
    A: ArrayLike,
    *,
    basis: str = "haar",
    share: float = 0.5,
    levels: int | None = None,
    threshold: Threshold = "largest",
) -> Matrix:
    """NOT PRIVATE by any proof: A with its wavelet details drawn towards zero.

    A detail loses `share` times the threshold, and what is smaller vanishes.  The threshold is the
    largest detail of all levels, in absolute value, or the universal one (`universal`), which
    takes off what looks like noise.  `levels` is by default the logarithm of the smaller side to
    base 2, rounded up.

    >>> wavelet([[1.0, 1.0], [3.0, 3.0]], share=1).round(12).tolist()
    [[2.0, 2.0], [2.0, 2.0]]
    """
    X = real_matrix(A)
    wanted = most_levels(*X.shape) if levels is None else levels
    if isinstance(wanted, bool) or not isinstance(wanted, int) or not 1 <= wanted <= MOST_LEVELS:
        raise ParameterError(
            f"levels must be a whole number from 1 to {MOST_LEVELS}, got {levels!r}"
        )
    kept, by = between("share", share, 0, 1), check_threshold(threshold)
    tall = X.shape[0] >= X.shape[1]
    pyramid = Pyramid(X if tall else X.T, basis, wanted)
    pyramid.suppress(kept * (pyramid.largest_detail() if by == "largest" else universal(X)))
    smooth = pyramid.rebuilt()
    return smooth if tall else smooth.T


def universal(A: ArrayLike) -> float:
    """NOT PRIVATE: the universal threshold of Donoho and Johnstone (1994) for a table.

    √(2 ln N) · median |y| / 0.6745, y the Haar details of one level, N all entries: what normal
    noise of the deviation that these details show would hardly ever pass.  It is 0 where more than
    half of the details are zero.

    >>> A = np.random.default_rng(0).normal(size=(512, 8))  # √(2 ln 4096) is 4.08
    >>> round(universal(A), 1)
    4.0
    """
    X = real_matrix(A)
    (C,) = np.abs(Pyramid(X if X.shape[0] >= X.shape[1] else X.T, "haar", 1).coefficients)
    half, width = len(C) // 2, C.shape[1] // 2
    if min(X.shape) == 1:
        details = C[half:, :width]  # of a single column; across it there is nothing to differ
    else:
        details = np.concatenate([C[half:].ravel(), C[:half, width:].ravel()])
    return sqrt(2 * log(X.size)) * float(np.median(details)) / GAUSSIAN


def check_threshold(threshold: str) -> Threshold:
    """One that there is.

    >>> check_threshold("universal")
    'universal'
    """
    for known in get_args(Threshold):
        if threshold == known:
            return known  # type: ignore[no-any-return]  # get_args knows no types
    raise ParameterError(f"threshold must be largest or universal, got {threshold!r}")


def most_levels(rows: int, columns: int) -> int:
    """⌈log₂ min(rows, columns)⌉, and 1 where a single column would leave nothing to do.

    >>> most_levels(699, 9), most_levels(100, 1)
    (4, 1)
    """
    return max(1, (min(rows, columns) - 1).bit_length())
