"""The data as the paper prepares them: mean subtracted, then divided by the largest norm.

NOT PRIVATE: mean, norm and rank are read off the records, as in the paper, which counts none
of it.  It does not say how records are brought to a norm of at most 1; dividing all of
them by the largest norm leaves the components as they are, dividing each by its own
would not.  Missing values stand at the mean of their column.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from papers.uci import Loaded
from papers.xu2019.settings import ALPHA
from sfumato.numeric.arrays import Matrix
from sfumato.render.components import enough, leading

__all__ = ["Normalised"]


@dataclass(frozen=True)
class Normalised:
    """Records about their mean, none longer than 1, and their labels."""

    X: Matrix
    y: NDArray[np.int64]

    @classmethod
    def of(cls, loaded: Loaded) -> "Normalised":
        """All records of a data set.

        >>> made = Normalised.of(
        ...     Loaded(np.array([[1.0, 0.0], [5.0, np.nan]]), np.array([0, 1]), ("a", "b"), ""))
        >>> made.X.tolist()
        [[-1.0, 0.0], [1.0, 0.0]]
        """
        X = loaded.X - np.nanmean(loaded.X, axis=0)
        np.nan_to_num(X, copy=False)
        largest = np.sqrt(np.einsum("ij,ij->i", X, X).max())
        return cls(X / largest if largest > 0 else X, loaded.y)

    @property
    def rows(self) -> int:
        """n."""
        return len(self.X)

    @property
    def width(self) -> int:
        """d."""
        return int(self.X.shape[1])

    @cached_property
    def second(self) -> Matrix:
        """A = Xᵀ X / n."""
        return np.asarray(self.X.T @ self.X / self.rows)

    @cached_property
    def spectrum(self) -> Matrix:
        """All eigenvalues, largest first."""
        return np.maximum(leading(self.second, self.width)[0], 0)

    @cached_property
    def rank(self) -> int:
        """The paper's k: enough components for 85 % of the variance."""
        return enough(self.spectrum, ALPHA)
