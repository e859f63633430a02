"""Discriminant components: directions along which classes differ most against their spread.

Kung's discriminant component analysis solves B v = λ (W + ρ I) v for the scatter between the
classes B and within them W.  Only as many directions as classes, less one, can tell classes apart;
after them come the principal components of what is left, so that every rank is possible.
"""

from collections.abc import Sequence

import numpy as np

from sfumato.numeric.arrays import Matrix
from sfumato.render.components import leading
from sfumato.render.consistent import consistent
from sfumato.render.shrink import shrunken
from sfumato.synopsis.moments import MomentSynopsis

__all__ = ["discriminant", "discriminants_of"]

_RIDGE = 1e-2  # ρ, against the mean variance: no direction wins by having no spread at all
_LEAST = 1e-12  # a ridge also where nothing varies


def discriminant(means: Matrix, shares: Matrix, within: Matrix) -> tuple[Matrix, Matrix]:
    """Variances and orthonormal directions (rows): discriminant ones first, then principal ones.

    >>> means, within = np.array([[0.0, 0.0], [0.0, 1.0]]), np.diag([9.0, 1.0])
    >>> np.abs(discriminant(means, np.array([0.5, 0.5]), within)[1]).round(6).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    from scipy.linalg import eigh  # takes a moment to load

    width = len(within)
    apart = means - shares @ means
    between = (apart.T * shares) @ apart
    ridge = max(_RIDGE * float(np.trace(within)) / width, _LEAST)
    telling = min(len(means) - 1, width)
    _, vectors = eigh(between, within + ridge * np.eye(width))
    first = np.linalg.qr(vectors[:, ::-1][:, :telling])[0].T
    total = within + between
    beside = np.eye(width) - first.T @ first
    # The directions found already have no variance left, so they come last and are cut off.
    _, rest = leading(beside @ total @ beside + beside, width - telling)
    U = np.concatenate([first, rest])
    peaks = np.take_along_axis(U, np.abs(U).argmax(axis=1, keepdims=True), axis=1)
    U = U * np.sign(peaks)
    return np.asarray(np.einsum("ij,jk,ik->i", U, total, U)), U


def discriminants_of(
    synopsis: MomentSynopsis, deviation: float, chosen: Sequence[int]
) -> tuple[Matrix, Matrix, Matrix]:
    """Variances, directions and mean in the chosen features, of noisy class moments.

    `deviation` is the noise of one entry of a sum; features run from 0 to 1.
    """
    found = consistent(synopsis)
    means, within = shrunken(found, synopsis.layout.features, deviation)
    means, within = means[:, chosen], within[np.ix_(chosen, chosen)]
    return *discriminant(means, found.shares, within), np.asarray(found.shares @ means)
