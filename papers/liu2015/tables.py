"""The four data sets of chapters 2 and 3, as the thesis has them."""

from pathlib import Path

import numpy as np

from papers.chakrabarti2010.tables import Labelled, cancer
from papers.uci import load
from sfumato.errors import MissingExtra
from sfumato.numeric.arrays import Matrix

__all__ = ["bupa", "wbc", "wdbc", "wine"]

MALIGNANT = 4


def bupa(data: str | Path | None = None) -> Matrix:
    """345 × 7: five blood tests, drinks, and the field that was to split the data."""
    loaded = load("bupa", data)
    return np.column_stack([loaded.X, loaded.y])


def wine() -> Matrix:
    """178 × 14: thirteen constituents and the class, which comes with scikit-learn.

    >>> wine().shape
    (178, 14)
    """
    try:
        from sklearn.datasets import load_wine
    except ImportError:
        raise MissingExtra(
            "the wine data comes with scikit-learn: pip install 'sfumato[ml]'"
        ) from None
    X, y = load_wine(return_X_y=True)
    return np.column_stack([X, y + 1.0])


def wbc(data: str | Path | None = None) -> Labelled:
    """699 × 9; what is missing is 1 where the tumour is malignant and 2 where it is benign.

    So the thesis says; it fills in the answer.
    """
    loaded = load("wbc", data)
    malignant = loaded.y == MALIGNANT
    filled = np.where(malignant, 1.0, 2.0)[:, None]
    return Labelled(np.where(np.isnan(loaded.X), filled, loaded.X), malignant)


def wdbc() -> Labelled:
    """569 × 30 (the thesis prints 599); it comes with scikit-learn.

    >>> wdbc().X.shape
    (569, 30)
    """
    return cancer()
