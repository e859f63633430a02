"""Adult, split and scored the same way for every synthesizer.

Two thirds of the records are released, and classifiers trained on the release are tested on the
other third, which no synthesizer sees.  Ranges and values are public knowledge of the survey.
"""

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

__all__ = ["LABEL", "SCHEMA", "Scores", "adult", "binned", "score", "split"]

NUMBERS = {
    "age": (17, 90),
    "education_num": (1, 16),
    "capital_gain": (0, 99999),
    "capital_loss": (0, 4356),
    "hours_per_week": (1, 99),
}
CATEGORIES = {
    "workclass": [
        "Federal-gov",
        "Local-gov",
        "Private",
        "Self-emp-inc",
        "Self-emp-not-inc",
        "State-gov",
        "Without-pay",
    ],
    "marital_status": [
        "Divorced",
        "Married-AF-spouse",
        "Married-civ-spouse",
        "Married-spouse-absent",
        "Never-married",
        "Separated",
        "Widowed",
    ],
    "relationship": [
        "Husband",
        "Not-in-family",
        "Other-relative",
        "Own-child",
        "Unmarried",
        "Wife",
    ],
    "race": ["Amer-Indian-Eskimo", "Asian-Pac-Islander", "Black", "Other", "White"],
    "sex": ["Female", "Male"],
    "income": ["<=50K", ">50K"],
}
LABEL = "income"
BINS = 20
SCHEMA = {
    "name": "adult",
    "columns": {
        **{name: {"kind": "integer", "low": a, "high": b} for name, (a, b) in NUMBERS.items()},
        **{name: {"kind": "category", "values": v} for name, v in CATEGORIES.items()},
    },
}
SCHEMA["columns"][LABEL]["role"] = "label"


@dataclass(frozen=True)
class Scores:
    """The best area under the curve of four classifiers, and distances of the tables."""

    auc: float
    accuracy: float
    one_way: float
    two_way: float


def adult(folder: Path) -> pd.DataFrame:
    """The records of the columns above."""
    frame = pd.read_csv(folder / "adult" / "adult.csv.gz", skipinitialspace=True)
    return frame[list(SCHEMA["columns"])]


def split(frame: pd.DataFrame, trial: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Two thirds to release, one third to test with."""
    order = np.random.default_rng(trial).permutation(len(frame))
    cut = 2 * len(frame) // 3
    return frame.iloc[order[:cut]], frame.iloc[order[cut:]]


def score(synthetic: pd.DataFrame, train: pd.DataFrame, test: pd.DataFrame) -> Scores:
    """What the synthetic records keep of `train`, judged on `test` for the classifiers."""
    auc, accuracy = _classified(synthetic, test)
    return Scores(auc, accuracy, *_distances(_codes(synthetic), _codes(train)))


def binned(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Which of twenty equal public bins each value falls into."""
    return np.clip(((values - low) / (high - low) * BINS).astype(int), 0, BINS - 1)


def _classified(synthetic: pd.DataFrame, test: pd.DataFrame) -> tuple[float, float]:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    X, y = _features(synthetic), synthetic[LABEL].to_numpy() == ">50K"
    Z, truth = _features(test), test[LABEL].to_numpy() == ">50K"
    if y.all() or not y.any():
        return 0.5, float(max(truth.mean(), 1 - truth.mean()))
    models = [
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage=1e-4),
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
        DecisionTreeClassifier(min_samples_leaf=50, random_state=0),
        HistGradientBoostingClassifier(random_state=0),
    ]
    chances = [model.fit(X, y).predict_proba(Z)[:, 1] for model in models]
    return (
        max(float(roc_auc_score(truth, chance)) for chance in chances),
        max(float(((chance > 0.5) == truth).mean()) for chance in chances),
    )


def _features(frame: pd.DataFrame) -> np.ndarray:
    columns = [frame[name].to_numpy(float)[:, None] for name in NUMBERS]
    for name, values in CATEGORIES.items():
        if name != LABEL:
            columns.append(frame[name].astype(str).to_numpy()[:, None] == np.array(values))
    return np.hstack(columns).astype(float)


def _codes(frame: pd.DataFrame) -> dict[str, np.ndarray]:
    """Numbers in twenty equal public bins, categories by their place in the list."""
    codes = {}
    for name, (low, high) in NUMBERS.items():
        codes[name] = binned(frame[name].to_numpy(float), low, high)
    for name, values in CATEGORIES.items():
        codes[name] = pd.Index(values).get_indexer(frame[name].astype(str))
    return codes


def _distances(ours: dict[str, np.ndarray], real: dict[str, np.ndarray]) -> tuple[float, float]:
    """Mean total variation over all one-way and over all two-way tables."""
    size = dict.fromkeys(NUMBERS, BINS) | {name: len(v) for name, v in CATEGORIES.items()}

    def distance(*names: str) -> float:
        shape = tuple(size[name] for name in names)
        shares = []
        for codes in (ours, real):
            cells = np.ravel_multi_index(tuple(codes[name] for name in names), shape)
            shares.append(np.bincount(cells, minlength=int(np.prod(shape))) / len(cells))
        return float(np.abs(shares[0] - shares[1]).sum() / 2)

    ones = [distance(name) for name in size]
    return float(np.mean(ones)), float(np.mean([distance(*pair) for pair in combinations(size, 2)]))
