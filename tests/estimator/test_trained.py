"""SyntheticTrained: learns from the release alone and answers as any model does."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier, is_regressor
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import get_scorer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import estimator_checks as sklearn_checks

from sfumato.errors import DataError, ParameterError, SchemaError
from sfumato.estimator import Publisher, SyntheticTrained
from sfumato.example import CLINIC, clinic
from sfumato.schema import Schema

SCHEMA = Schema.parse(CLINIC)
PATIENTS = clinic(3_000).to_pandas()
X, Y = PATIENTS.drop(columns="outcome"), PATIENTS["outcome"]
KNOWN, HELD_OUT = slice(0, 2_000), slice(2_000, None)


def trained(model=None, inputs="features", **changes):
    given = {"schema": SCHEMA, "method": "dp-lda", "epsilon": 20, "seed": 1} | changes
    return SyntheticTrained(model or LogisticRegression(), Publisher(**given), inputs=inputs)


def test_it_learns_nearly_as_much_as_from_the_records():
    model = trained().fit(X[KNOWN], Y[KNOWN])
    auc = get_scorer("roc_auc")(model, X[HELD_OUT], Y[HELD_OUT])
    guessing = max(Y[HELD_OUT].value_counts(normalize=True))
    assert auc > 0.7
    assert model.score(X[HELD_OUT], Y[HELD_OUT]) > guessing
    assert list(model.classes_) == ["care", "home"]


class Witness(ClassifierMixin, BaseEstimator):
    """Remembers what it was taught."""

    def fit(self, X, y):
        self.taught_, self.answers_, self.classes_ = X, y, np.unique(y)
        return self

    def predict(self, X):
        self.asked_ = X
        return np.full(len(X), self.classes_[0])


def test_the_model_is_taught_what_was_released_and_nothing_else():
    model = trained(Witness(), inputs="columns").fit(X[:300], Y[:300])
    released = model.publisher_.release_.data
    pd.testing.assert_frame_equal(model.estimator_.taught_, released.drop(columns="outcome"))
    assert (model.estimator_.answers_ == released["outcome"].to_numpy()).all()


def test_records_are_mapped_into_the_domain_before_the_model_sees_them():
    model = trained(Witness(), inputs="columns").fit(X[:300], Y[:300])
    strange = X[:2].assign(age=[7_000, np.nan], ward=["attic", "surgery"])
    model.predict(strange)
    seen = model.estimator_.asked_
    assert list(seen) == [name for name in X if name != "patient"]
    assert (seen["age"].tolist(), seen["ward"].tolist()) == ([98, 58], ["elsewhere", "surgery"])
    assert (seen.dtypes == model.estimator_.taught_.dtypes).all()


def test_a_pipeline_inside_may_prepare_the_released_columns():
    prepared = make_pipeline(
        make_column_transformer(
            (StandardScaler(), ["age", "pressure"]),
            (OneHotEncoder(), ["ward", "sex"]),
        ),
        LogisticRegression(),
    )
    model = trained(prepared, inputs="columns").fit(X[KNOWN], Y[KNOWN])
    assert model.predict_proba(X[HELD_OUT]).shape == (1_000, 2)


def test_polars_frames_arrow_tables_and_arrays_serve_as_well(rng):
    arrow = pa.Table.from_pandas(X[:300], preserve_index=False)
    for given in (pl.from_arrow(arrow), arrow):
        assert len(trained().fit(given, Y[:300]).predict(given)) == 300
    numbers = {name: {"kind": "number", "low": -4, "high": 4} for name in "ab"}
    schema = {"name": "t", "columns": numbers | {"y": {"kind": "boolean", "role": "label"}}}
    A = rng.normal(size=(400, 2))
    model = trained(schema=schema).fit(A, A[:, 0] > 0)
    assert model.score(A, A[:, 0] > 0) > 0.8


def test_a_number_is_predicted_by_a_regression():
    columns = SCHEMA.to_json()["columns"]
    columns["outcome"].pop("role")
    columns["pressure"]["role"] = "target"
    schema = {"name": "clinic", "columns": columns}
    model = trained(LinearRegression(), schema=schema, method="modips")
    assert is_regressor(model)
    assert not is_classifier(model)
    scores = cross_val_score(model, PATIENTS.drop(columns="pressure"), PATIENTS["pressure"], cv=2)
    assert scores.min() > 0.05


def test_it_offers_what_its_model_offers():
    assert is_classifier(trained())
    assert hasattr(trained(), "predict_proba")
    assert not hasattr(trained(RidgeClassifier()), "predict_proba")
    assert hasattr(trained(RidgeClassifier()), "decision_function")


def test_nothing_is_answered_before_a_fit_or_after_a_failed_one():
    model = trained()
    with pytest.raises(NotFittedError):
        model.predict(X)
    model.fit(X[:300], Y[:300]).set_params(publisher__epsilon=-1)
    with pytest.raises(ParameterError, match="epsilon"):
        model.fit(X[:300], Y[:300])
    model.set_params(publisher__epsilon=1, estimator=LogisticRegression(C=-1))
    with pytest.raises(ValueError, match="'C' parameter"):
        model.fit(X[:300], Y[:300])
    assert model.publisher_.release_.data.shape == (300, 8)  # paid for, and not lost
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_settings_of_model_and_publisher_can_be_searched():
    model = clone(trained()).set_params(estimator__C=0.5, publisher__epsilon=2)
    assert model.get_params()["publisher__method"] == "dp-lda"
    assert (model.estimator.C, model.publisher.epsilon) == (0.5, 2)


def test_a_fitted_model_can_be_pickled():
    model = trained().fit(X[:300], Y[:300])
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(X[HELD_OUT]) == model.predict(X[HELD_OUT])).all()


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"inputs": "rows"}, ParameterError, "inputs must be features or columns"),
        ({"method": "lap-pca"}, ParameterError, "does not release the columns of the schema"),
        ({"schema": {"name": "t", "columns": {"a": {"kind": "boolean"}}}, "method": "modips"},
         SchemaError, "role: label or role: target"),
        ({"schema": {"name": "t", "columns": {"a": {"kind": "boolean", "role": "label"}}},
          "method": "modips"}, SchemaError, "no column besides a"),
    ],
)  # fmt: skip
def test_what_cannot_be_learnt_is_refused_before_a_charge(changes, error, message):
    with pytest.raises(error, match=message):
        trained(**changes).fit(X, Y)


def test_records_that_lack_a_column_are_refused_by_its_name():
    model = trained().fit(X[:300], Y[:300])
    with pytest.raises(DataError, match="X lacks the column ward"):
        model.predict(X.drop(columns="ward"))


@pytest.mark.parametrize(
    "check",
    [
        sklearn_checks.check_get_params_invariance,
        sklearn_checks.check_set_params,
        sklearn_checks.check_no_attributes_set_in_init,
        sklearn_checks.check_estimator_cloneable,
        sklearn_checks.check_estimator_repr,
        sklearn_checks.check_valid_tag_types,
        sklearn_checks.check_mixin_order,
    ],
    ids=lambda check: check.__name__,
)
def test_the_checks_of_scikit_learn_that_need_no_data_of_its_own(check):
    check("SyntheticTrained", trained())


@pytest.mark.parametrize("inputs", ["features", "columns"])
def test_a_score_reads_labels_as_publishing_does_and_leaves_out_the_missing(rng, inputs):
    numbers = {name: {"kind": "number", "low": -4, "high": 4} for name in "ab"}
    label = {"kind": "category", "values": ["0", "1"], "missing": "allowed", "role": "label"}
    known = pd.DataFrame(rng.normal(size=(400, 2)), columns=["a", "b"])
    truth = (known["a"] > 0).astype(int)
    model = trained(inputs=inputs, schema={"name": "t", "columns": numbers | {"y": label}})
    model.fit(known, truth)
    assert model.classes_.tolist() == ["0", "1"]
    whole = model.score(known, truth)
    assert whole > 0.8
    assert model.score(known, truth.astype(str)) == model.score(known, truth.tolist()) == whole
    halved = truth.astype(float).mask(known["a"] < 0)
    right = model.predict(known[known["a"] >= 0]) == "1"
    assert model.score(known, halved) == pytest.approx(right.mean())
