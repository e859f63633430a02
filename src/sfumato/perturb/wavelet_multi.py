"""Each part of a table with a wavelet and a threshold of its own (Liu 2015, 3.2).

NOT PRIVATE by any proof.  The hope was that nobody guesses which wavelet belongs to which
part; it can be read off the result, whose suppressed details are exactly zero in the right
basis and in no other.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sfumato.errors import ParameterError
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.matrix import real_matrix
from sfumato.perturb.wavelet import Threshold, wavelet

__all__ = ["Cut", "wavelet_multi"]

Cut = Literal["vertical", "horizontal"]


def wavelet_multi(
    A: ArrayLike,
    *,
    cut: Cut = "vertical",
    parts: Sequence[tuple[str, float]] = (("haar", 0.5), ("db4", 0.5)),
    threshold: Threshold = "largest",
) -> Matrix:
    """NOT PRIVATE by any proof: `wavelet` on each part by itself.

    `vertical` cuts into groups of columns, `horizontal` into groups of rows, as equal as can
    be; `parts` has a wavelet and a share for each, in order.  The threshold is that of the part.

    >>> A = np.array([[1.0, 1.0, 5.0, 7.0], [3.0, 3.0, 5.0, 7.0]])
    >>> wavelet_multi(A, parts=[("haar", 1), ("haar", 0)]).round(12).tolist()
    [[2.0, 2.0, 5.0, 7.0], [2.0, 2.0, 5.0, 7.0]]
    """
    X = real_matrix(A)
    axis = {"horizontal": 0, "vertical": 1}.get(cut)
    if axis is None:
        raise ParameterError(f"cut must be vertical or horizontal, got {cut!r}")
    if not 1 <= len(parts) <= X.shape[axis]:
        side = ("rows", "columns")[axis]
        raise ParameterError(
            f"parts must be from 1 to {X.shape[axis]} ({side}, one for each part at least), "
            f"got {len(parts)}"
        )
    pieces = np.array_split(X, len(parts), axis=axis)
    done = [
        wavelet(piece, basis=basis, share=share, threshold=threshold)
        for piece, (basis, share) in zip(pieces, parts, strict=True)
    ]
    return np.concatenate(done, axis=axis)
