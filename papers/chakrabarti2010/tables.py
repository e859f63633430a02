"""The two data sets: six numbers of Adult, and the 30 of the Wisconsin diagnostic cancer set."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from papers.adult import adult
from sfumato.errors import MissingExtra

__all__ = ["ATTRIBUTES", "PAPER_ROWS", "Labelled", "adults", "cancer"]

ATTRIBUTES = (
    "age",
    "fnlwgt",
    "education_num",
    "capital_gain",
    "capital_loss",
    "hours_per_week",
)
PAPER_ROWS = 30_717


class Labelled(NamedTuple):
    """Numbers, one row per record, and whether each belongs to the second class."""

    X: NDArray[np.float64]
    y: NDArray[np.bool_]


def adults(rows: int | None = None, seed: int = 1, data: str | Path | None = None) -> Labelled:
    """Adult; of its 45,222 records `rows` at random, or as many as the paper's 30,717.

    The second class earns more than 50,000 dollars a year.
    """
    table = adult(data, (*ATTRIBUTES, "income"))
    kept = np.random.default_rng(seed).permutation(table.num_rows)[: rows or PAPER_ROWS]
    X = np.column_stack([table.column(name).to_numpy() for name in ATTRIBUTES])[kept]
    income = np.asarray(table.column("income").to_pylist())[kept]
    return Labelled(X.astype(np.float64), income == ">50K")


def cancer() -> Labelled:
    """The 569 tumours that come with scikit-learn; the second class is malignant.

    >>> cancer().X.shape
    (569, 30)
    """
    try:
        from sklearn.datasets import load_breast_cancer
    except ImportError:
        raise MissingExtra(
            "the cancer data comes with scikit-learn: pip install 'sfumato[ml]'"
        ) from None
    X, y = load_breast_cancer(return_X_y=True)
    return Labelled(np.asarray(X, np.float64), np.asarray(y) == 0)
