"""Which directions of the records are released, and how wide the noise takes them to be.

As in the paper: the principal components of the training records, and the ranges of those
very records along them.  Both are read off the records, so neighbouring tables differ in the
noise itself and no bound on amplification holds.

From public facts: directions and ranges that anybody can name without the records.
Adult: age, schooling and hours of work, the quantities of Mincer's earnings equation (1974),
in the ranges of the public schema.  Cancer: every one of ten features of the cell nuclei is
measured as mean and as worst of the image, so their sum is released, in ranges that follow
from what they are, or that are declared here.
"""

from dataclasses import dataclass

import numpy as np

from papers.adult import ADULT
from papers.chakrabarti2010.tables import ATTRIBUTES
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.pca_laplace import coordinate_ranges, pca_laplace
from sfumato.schema import Integer

__all__ = ["COMPONENTS", "DATA", "PUBLIC", "View", "of_the_data", "public_adults", "public_cancer"]

DATA, PUBLIC = "from the data", "from public facts"
COMPONENTS = {"2": 3, "3": 10}  # by figure: the paper's numbers for Adult and for Cancer


# Lengths in pixels: no nucleus of a radius over 50 in an image 400 high.  A standard deviation
# of grey values from 0 to 255 is at most 127.5; a curve has a dimension from 1 to 2.
_NUCLEI = {
    "radius": 50.0,
    "texture": 127.5,
    "perimeter": 320.0,
    "area": 7854.0,
    "smoothness": 1.0,
    "compactness": 2.0,
    "concavity": 2.0,
    "concave points": 1.0,
    "symmetry": 1.0,
    "fractal dimension": 1.0,
}


@dataclass(frozen=True)
class View:
    """Records are cut to [low, high], centred, scaled, and turned into k coordinates."""

    low: Matrix
    high: Matrix
    centre: Matrix
    scale: Matrix
    basis: Matrix
    ranges: Matrix

    def scaled(self, X: Matrix) -> Matrix:
        """Records in the space that `basis` turns."""
        return np.asarray((np.clip(X, self.low, self.high) - self.centre) / self.scale)

    def perturbed(self, scaled: Matrix, b: float, rng: np.random.Generator) -> Matrix:
        """Their coordinates under Laplace noise of scale b times each range."""
        middle = np.zeros(len(self.centre))
        return pca_laplace(scaled, rng, basis=self.basis, centre=middle, ranges=self.ranges, b=b)


def of_the_data(X: Matrix, components: int) -> View:
    """NOT PRIVATE: leading components of X, columns of unit variance first, and their ranges.

    >>> view = of_the_data(np.array([[0.0, 0.0], [1.0, 3.0], [2.0, 6.0]]), 1)
    >>> abs(view.basis).round(3).tolist(), view.ranges.round(3).tolist()
    ([[0.707, 0.707]], [3.464])
    """
    endless = np.full(X.shape[1], np.inf)
    spread = X.std(axis=0)
    centre, scale = X.mean(axis=0), np.where(spread > 0, spread, 1.0)
    Z = (X - centre) / scale
    basis = np.linalg.eigh(Z.T @ Z)[1].T[::-1][:components]
    return View(-endless, endless, centre, scale, basis, np.ptp(Z @ basis.T, axis=0))


def public_adults() -> View:
    """Age, schooling and hours, each in its public range.

    >>> public_adults().ranges.tolist()
    [1.0, 1.0, 1.0]
    """
    used = ("age", "education_num", "hours_per_week")
    basis = np.array([[float(name == one) for name in ATTRIBUTES] for one in used])
    low, high = np.zeros(len(ATTRIBUTES)), np.ones(len(ATTRIBUTES))
    for j, name in enumerate(ATTRIBUTES):
        column = ADULT.columns.get(name)
        if name in used and isinstance(column, Integer):
            low[j], high[j] = column.low, column.high
    ranges = coordinate_ranges(basis, np.ones(len(ATTRIBUTES)))
    return View(low, high, (low + high) / 2, high - low, basis, ranges)


def public_cancer() -> View:
    """Ten sums of a mean and a worst value, each scaled by its range.

    >>> view = public_cancer()
    >>> view.basis.shape, view.ranges.round(3).tolist()[:2]
    ((10, 30), [1.414, 1.414])
    """
    each = np.array(list(_NUCLEI.values()))
    high, pick = np.concatenate([each, each, each]), np.eye(len(each))
    basis = np.hstack([pick, 0 * pick, pick]) / np.sqrt(2)
    ranges = coordinate_ranges(basis, np.ones(len(high)))
    return View(0 * high, high, high / 2, high, basis, ranges)
