"""Suppression of wavelet details, in the shape of the table (Liu 2015, 3.2).

NOT PRIVATE by any proof, and without any chance: averages of neighbouring entries are shown
exactly, and a table without details comes out as it went in.  Neighbours in the order of
rows and columns are neighbours here, so another order gives another result.
"""

from numpy.typing import ArrayLike

from sfumato.errors import ParameterError
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.matrix import between, real_matrix
from sfumato.perturb.pyramid import Pyramid

__all__ = ["most_levels", "wavelet"]

MOST_LEVELS = 64


def wavelet(
    A: ArrayLike, *, basis: str = "haar", share: float = 0.5, levels: int | None = None
) -> Matrix:
    """NOT PRIVATE by any proof: A with its wavelet details drawn towards zero.

    The threshold is `share` times the largest detail of all levels, in absolute value: a
    detail loses that much, and what is smaller vanishes.  `levels` is by default the
    logarithm of the smaller side to base 2, rounded up.

    >>> wavelet([[1.0, 1.0], [3.0, 3.0]], share=1).round(12).tolist()
    [[2.0, 2.0], [2.0, 2.0]]
    """
    X = real_matrix(A)
    wanted = most_levels(*X.shape) if levels is None else levels
    if isinstance(wanted, bool) or not isinstance(wanted, int) or not 1 <= wanted <= MOST_LEVELS:
        raise ParameterError(
            f"levels must be a whole number from 1 to {MOST_LEVELS}, got {levels!r}"
        )
    kept = between("share", share, 0, 1)
    tall = X.shape[0] >= X.shape[1]
    pyramid = Pyramid(X if tall else X.T, basis, wanted)
    pyramid.suppress(kept * pyramid.largest_detail())
    smooth = pyramid.rebuilt()
    return smooth if tall else smooth.T


def most_levels(rows: int, columns: int) -> int:
    """⌈log₂ min(rows, columns)⌉, and 1 where a single column would leave nothing to do.

    >>> most_levels(699, 9), most_levels(100, 1)
    (4, 1)
    """
    return max(1, (min(rows, columns) - 1).bit_length())
