"""Cross-validation of a model that only ever sees releases, with a budget that is kept.

    python examples/pipeline.py

Every fold publishes its training records, and every fit is charged once.  The scores are
computed from held-out records without noise: they are for the owner's eyes.
"""
# ruff: noqa: T201  an example shows what happened

from pathlib import Path
from tempfile import TemporaryDirectory

from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score

import sfumato as sf


def main():
    """Records against release, then a search over epsilon; and what both cost."""
    patients = sf.example.clinic(6_000).to_pandas()
    X, y = patients.drop(columns="outcome"), patients["outcome"]
    with TemporaryDirectory() as place:
        path = Path(place) / "budget.db"
        with sf.Ledger.create(path) as ledger:
            ledger.grant("clinic", epsilon=20, reason="a trial on made-up patients")

        schema = sf.Schema.parse(sf.example.CLINIC)
        publisher = sf.estimator.Publisher(schema, method="dp-lda", epsilon=1, ledger=path)
        model = sf.estimator.SyntheticTrained(LogisticRegression(max_iter=1_000), publisher)
        scores = cross_val_score(model, X, y, cv=3, scoring="roc_auc")
        print(f"learnt from releases at epsilon 1: AUC {scores.mean():.2f}")

        grid = {"publisher__epsilon": [0.5, 2]}
        search = GridSearchCV(model, grid, cv=3, scoring="roc_auc").fit(X, y)
        for epsilon, score in zip(
            grid["publisher__epsilon"], search.cv_results_["mean_test_score"], strict=True
        ):
            print(f"in the search, epsilon {epsilon}: AUC {score:.2f}")
        fitted = search.best_estimator_.publisher_
        print(f"the last fit released {fitted.release_.certificate.rows:,} records;", end=" ")
        print(f"{len(fitted.sample(10_000)):,} more were drawn for nothing")
        with sf.Ledger(path) as ledger:
            print(f"10 fits: {ledger.balance('clinic').spent} spent")


if __name__ == "__main__":
    main()
