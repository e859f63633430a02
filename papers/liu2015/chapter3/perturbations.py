"""The perturbations of tables 3.1 to 3.3, and the plain decompositions that time is compared with.

The thesis describes a threshold of half the largest detail coefficient.  What it printed was made
with half the universal threshold of Donoho and Johnstone (1994), which is what Matlab's `ddencmp`
gives by default: with it the printed distances come out.  Both thresholds are `wavelet` of the
library.  Only for tables in halves the transform is another one: Matlab reflects a table at its
ends, which shows with db4, and `wavelet` goes round.
"""

from collections.abc import Callable
from functools import partial
from warnings import catch_warnings, simplefilter

import numpy as np

from sfumato.numeric.arrays import Matrix
from sfumato.perturb.pyramid import pywavelets
from sfumato.perturb.wavelet import most_levels, universal, wavelet
from sfumato.perturb.wavelet_multi import wavelet_multi

__all__ = [
    "LARGEST",
    "PLAIN",
    "SHARE",
    "SVD",
    "UNIVERSAL",
    "Perturbation",
    "distance",
    "full",
    "reflected",
    "thin",
]

Perturbation = Callable[[Matrix], Matrix]

SHARE = 0.5  # of the threshold, in tables 3.1 and 3.2
SVD = "SVD"


def reflected(A: Matrix, *, basis: str, share: float) -> Matrix:
    """Details drawn towards zero by a share of the universal threshold, in Matlab's manner.

    That is with the table reflected at its ends; for Haar it is `wavelet`.

    >>> A = np.random.default_rng(0).normal(size=(65, 5))
    >>> np.allclose(reflected(A, basis="db4", share=0), A)
    True
    """
    pywt, threshold = pywavelets(), share * universal(A)
    with catch_warnings():
        # So few columns are all ends at so many levels, which is said of them as a warning.
        simplefilter("ignore", UserWarning)
        average, *details = pywt.wavedec2(A, basis, "symmetric", level=most_levels(*A.shape))
        kept = [tuple(d - np.clip(d, -threshold, threshold) for d in three) for three in details]
        n, m = A.shape
        return np.asarray(pywt.waverec2([average, *kept], basis, "symmetric")[:n, :m])


def _halves(A: Matrix, *, axis: int) -> Matrix:
    halves = zip(np.array_split(A, 2, axis=axis), ("haar", "db4"), strict=True)
    return np.concatenate([reflected(h, basis=b, share=SHARE) for h, b in halves], axis=axis)


LARGEST: dict[str, Perturbation] = {
    "wavelet (S)": partial(wavelet, share=SHARE),
    "wavelet (VP)": partial(wavelet_multi, cut="vertical"),
    "wavelet (HP)": partial(wavelet_multi, cut="horizontal"),
}
UNIVERSAL: dict[str, Perturbation] = {
    "wavelet (S), universal": partial(wavelet, share=SHARE, threshold="universal"),
    "wavelet (VP), universal": partial(_halves, axis=1),
    "wavelet (HP), universal": partial(_halves, axis=0),
}


def thin(A: Matrix, rank: int) -> Matrix:
    """Rank k by LAPACK with as many left vectors as columns.

    >>> A = np.diag([2.0, 1.0])
    >>> thin(A, 1).tolist() == full(A, 1).tolist() == [[2, 0], [0, 0]]
    True
    """
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    return np.asarray((U[:, :rank] * s[:rank]) @ Vt[:rank])


def full(A: Matrix, rank: int) -> Matrix:
    """Rank k by LAPACK with as many left vectors as rows, as the thesis defines it."""
    U, s, Vt = np.linalg.svd(A, full_matrices=True)
    return np.asarray((U[:, :rank] * s[:rank]) @ Vt[:rank])


PLAIN: dict[str, Callable[[Matrix, int], Matrix]] = {
    f"{SVD}, LAPACK": thin,
    f"{SVD}, LAPACK with all of U": full,
}


def distance(P: Matrix, A: Matrix, *, order: int | None = None) -> float:
    """VD, ‖A − Ã‖ over ‖A‖ in the sense of Frobenius, or of the spectral norm (order 2).

    >>> distance(np.zeros((2, 2)), np.eye(2)), distance(np.zeros((2, 2)), np.eye(2), order=2)
    (1.0, 1.0)
    """
    return float(np.linalg.norm(A - P, order) / np.linalg.norm(A, order))
