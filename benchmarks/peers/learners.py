"""What can be learnt from synthetic records, tried on real ones that no synthesizer saw."""

import numpy as np
import pandas as pd
from public import Listed, Ordered
from threadpoolctl import threadpool_limits

__all__ = ["best_area", "best_r2"]

Facts = dict[str, Listed | Ordered]
# Threads that wait for each other spin, which takes minutes where the machine has other work.
one_thread = threadpool_limits.wrap(limits=1)


@one_thread
def best_area(facts: Facts, label: str, synthetic: pd.DataFrame, test: pd.DataFrame) -> float:
    """The best area under the curve of four classifiers, each class against the rest in turn.

    Two classes have one area.  Of several, those that occur in `test` count alike.
    """
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    (X, y), (Z, truth) = _taught(facts, label, synthetic, test)
    classes = np.unique(truth)
    if len(np.unique(y)) < 2 or len(classes) < 2:
        return 0.5
    models = [
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage=1e-4),
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
        DecisionTreeClassifier(min_samples_leaf=50, random_state=0),
        HistGradientBoostingClassifier(random_state=0),
    ]
    areas = []
    for model in models:
        chances = np.zeros((len(Z), int(max(classes.max(), y.max())) + 1))
        chances[:, np.unique(y).astype(int)] = model.fit(X, y).predict_proba(Z)
        each = [roc_auc_score(truth == one, chances[:, int(one)]) for one in classes]
        areas.append(np.mean(each))
    return float(max(areas))


@one_thread
def best_r2(facts: Facts, target: str, synthetic: pd.DataFrame, test: pd.DataFrame) -> float:
    """The best share of the target's variance that a line, a tree or boosted trees explain."""
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.linear_model import Ridge
    from sklearn.metrics import r2_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeRegressor

    (X, y), (Z, truth) = _taught(facts, target, synthetic, test)
    if len(y) < 2 or len(truth) < 2:
        return 0.0
    models = [
        make_pipeline(StandardScaler(), Ridge()),
        DecisionTreeRegressor(min_samples_leaf=50, random_state=0),
        HistGradientBoostingRegressor(random_state=0),
    ]
    return float(max(r2_score(truth, model.fit(X, y).predict(Z)) for model in models))


def _taught(
    facts: Facts, answer: str, synthetic: pd.DataFrame, test: pd.DataFrame
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Features and answers of both, without the records whose answer is missing."""
    column, sides = facts[answer], []
    for frame in (synthetic, test):
        if isinstance(column, Listed):
            y = column.codes(frame[answer])
            known = y < len(column.values)
        else:
            y = column.numbers(frame[answer])
            known = ~np.isnan(y)
        sides.append((_features(facts, answer, frame[known], synthetic), y[known]))
    return sides


def _features(
    facts: Facts, answer: str, frame: pd.DataFrame, synthetic: pd.DataFrame
) -> np.ndarray:
    """A column for each value; numbers as they are, and whether they are missing."""
    columns = []
    for name, column in facts.items():
        if name == answer:
            continue
        if isinstance(column, Listed):
            columns.append(column.codes(frame[name])[:, None] == np.arange(column.size))
            continue
        numbers, learnt = column.numbers(frame[name]), column.numbers(synthetic[name])
        absent = np.isnan(numbers)
        # What stands in for a missing number is learnt from the synthetic records, like the rest.
        usual = column.low if np.isnan(learnt).all() else np.nanmedian(learnt)
        columns.append(np.where(absent, usual, numbers)[:, None])
        if column.missing:
            columns.append(absent[:, None])
    return np.hstack([np.zeros((len(frame), 0)), *columns]).astype(float)
