"""NOT PRIVATE: what classifiers learn from a release, tried on held-out real records.

Train on the release, test on records that had no part in it.  Two lines frame every score:
the best achievable, the same model trained on the original training records, and the
lowest, always guessing the most frequent class.  The scores are for the owner alone;
`sfumato.inspection` says why.

Needs scikit-learn: `pip install 'sfumato[ml]'`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError, MissingExtra, ParameterError, SchemaError
from sfumato.inspection.utility import AnySchema, domain_of, encoded
from sfumato.numeric.arrays import Matrix
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features

__all__ = ["MODELS", "Classification", "Score", "classification", "missing", "named", "needed"]

MODELS = ("lda", "tree", "logistic", "boosting", "svm")

Labels = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Score:
    """Share of held-out records classified rightly, and the area under the ROC curve."""

    accuracy: float
    auc: float


@dataclass(frozen=True)
class Classification:
    """Scores by model; `best` is there if the original training records were given."""

    scores: Mapping[str, Score]
    best: Mapping[str, Score] | None
    lowest: Score


def classification(
    train: Any,
    test: Any,
    schema: AnySchema,
    *,
    original: Any = None,
    models: Sequence[str] = MODELS,
) -> Classification:
    """NOT PRIVATE: train on `train` (a release), score on `test` (held-out real records).

    `original` holds the real training records and adds the best achievable scores.  The
    label is the schema's; all other columns are features in [0, 1] from the public domain,
    so train and test agree on them whatever values occur.  A class with a single record
    teaches nothing and is left out; a release without variety, or with a single class, gives
    a constant score (AUC ½) rather than an error.

    Models: `lda`; `tree`, a decision tree by entropy, pruned where a split saves fewer
    bits than it costs to write down (½ log₂ n), in place of C4.5; `logistic`;
    `boosting`, histogram gradient boosting; `svm`, a linear support vector machine on
    features of unit variance, whose AUC is that of its decision function.  With more than
    two classes the AUC is the average of one class against the rest, weighted by how
    frequent the class is.

    >>> from sfumato.example import CLINIC, clinic
    >>> from sfumato.schema import Schema
    >>> patients = clinic(900)
    >>> found = classification(
    ...     patients.slice(0, 600), patients.slice(600), Schema.parse(CLINIC), models=["lda"])
    >>> found.scores["lda"].auc > found.lowest.auc
    True
    """
    unknown = [name for name in models if name not in MODELS]
    if unknown or not models:
        wrong = repr(unknown[0]) if unknown else "none"
        raise ParameterError(f"models must be of {', '.join(MODELS)}, got {wrong}")
    domain = domain_of(schema)
    if domain.label is None:
        raise SchemaError("classification needs a label: give one column role: label")
    X, y = _parts(test, domain)
    if not len(y):
        raise DataError("there are no held-out records to score on")
    classes = domain.axes[domain.label].codes

    def scores(data: Any) -> dict[str, Score]:
        A, b = _parts(data, domain)
        return {name: _score(_chances(name, A, b, X, classes), y) for name in models}

    lowest = Score(float(np.bincount(y).max() / len(y)), 0.5)
    return Classification(scores(train), None if original is None else scores(original), lowest)


def named(train: Any, test: Any, schema: AnySchema, model: str) -> Labels:
    """NOT PRIVATE: the class that a model, taught `train`, names for each record of `test`.

    As a code of the label; what is named for a record depends on `train` and on that record
    alone, whatever the others are.

    >>> from sfumato.example import CLINIC, clinic
    >>> from sfumato.schema import Schema
    >>> set(named(clinic(300), clinic(90, seed=2), Schema.parse(CLINIC), "lda").tolist())
    {0, 1}
    """
    domain = domain_of(schema)
    if domain.label is None:
        raise SchemaError("classification needs a label: give one column role: label")
    A, b = _parts(train, domain)
    X, _ = _parts(test, domain)
    chances = _chances(model, A, b, X, domain.axes[domain.label].codes)
    answers: Labels = chances.argmax(axis=1).astype(np.int32)
    return answers


def needed() -> None:
    """Refuse where there is nothing to learn with, before anything is computed or charged."""
    _model("lda", 2)


def missing() -> str:
    """Why nothing can be learnt here, for those who go on without; nothing where it can."""
    try:
        needed()
    except MissingExtra as error:
        return str(error)
    return ""


def _parts(data: Any, domain: Domain) -> tuple[Matrix, Labels]:
    assert domain.label is not None  # noqa: S101  the caller has checked
    features, codes = Features.of(domain, without=[domain.label]), encoded(data, domain)
    return features.design(codes) / features.units, codes[:, domain.label]


def _chances(name: str, A: Matrix, b: Labels, X: Matrix, classes: int) -> Matrix:
    """Chance (`svm`: margin) of every public class by row of X; the model is taught (A, b)."""
    chances = np.zeros((len(X), classes))
    counts = np.bincount(b, minlength=classes)
    taught = counts[b] > 1
    if np.count_nonzero(counts > 1) < 2 or not np.ptp(A[taught], axis=0).any():
        # Nothing to learn: how frequent each class is, and of no records nothing at all.
        chances[:] = counts / max(len(b), 1)
        return chances
    model = _model(name, len(b)).fit(A[taught], b[taught])
    if name != "svm":
        chances[:, model.classes_] = model.predict_proba(X)
        return chances
    margins = model.decision_function(X)
    chances[:] = -np.inf  # a class it was not taught is never its answer
    two = margins.ndim == 1  # then there is one margin, that of the second class
    chances[:, model.classes_] = np.column_stack([-margins, margins]) if two else margins
    return chances


def _model(name: str, n: int) -> Any:
    try:
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        from sklearn.svm import LinearSVC
        from sklearn.tree import DecisionTreeClassifier
    except ImportError:
        raise MissingExtra("classifiers need scikit-learn: pip install 'sfumato[ml]'") from None
    if name == "lda":
        # Dummies of a block add up to 1, so the covariance is singular: a touch of shrinkage
        # keeps that direction out of the answer.
        return LinearDiscriminantAnalysis(solver="lsqr", shrinkage=1e-6)
    if name == "tree":
        return DecisionTreeClassifier(
            criterion="entropy", min_samples_leaf=2, ccp_alpha=log2(n) / (2 * n), random_state=0
        )
    if name == "logistic":
        return LogisticRegression(max_iter=1000)
    if name == "svm":
        # The primal problem: no random order, and time in proportion to the records.
        return make_pipeline(StandardScaler(), LinearSVC(dual=False, max_iter=10_000))
    # Early stopping sets records aside by class and fails where a class has only one.
    return HistGradientBoostingClassifier(early_stopping=False, random_state=0)


def _score(chances: Matrix, y: Labels) -> Score:
    accuracy = float((chances.argmax(axis=1) == y).mean())
    shares = np.bincount(y, minlength=chances.shape[1]) / len(y)
    mixed = np.flatnonzero((shares > 0) & (shares < 1))
    if not len(mixed):
        return Score(accuracy, float("nan"))  # one class only: there is nothing to rank
    areas = [_auc(chances[:, c], y == c) for c in mixed]
    return Score(accuracy, float(np.average(areas, weights=shares[mixed])))


def _auc(chance: Matrix, positive: NDArray[np.bool_]) -> float:
    """How often a positive record gets a higher chance than a negative one; ties count half."""
    from scipy.stats import rankdata

    rank_sum = rankdata(chance)[positive].sum()
    wins = rank_sum - positive.sum() * (positive.sum() + 1) / 2
    return float(wins / (positive.sum() * (~positive).sum()))
