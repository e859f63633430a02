"""Classifiers on held-out records: scores by hand, frame lines, releases that lack something."""

import sys

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from threadpoolctl import threadpool_limits

from sfumato.errors import DataError, MissingExtra, ParameterError, SchemaError
from sfumato.example import CLINIC, clinic
from sfumato.inspection import MODELS, classification
from sfumato.inspection.classify import _auc, _parts, _score
from sfumato.schema import Schema
from sfumato.schema.domain import Domain


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Threads that wait for each other cost more than they save on tables this small."""
    with threadpool_limits(1):
        yield


CLINICAL = Schema.parse(CLINIC)
SCHEMA = {
    "name": "t",
    "columns": {
        "x": {"kind": "number", "low": 0, "high": 1},
        "ward": {"kind": "category", "values": ["a", "b", "c"]},
        "y": {"kind": "category", "values": ["no", "yes", "perhaps"], "role": "label"},
    },
}


def striped(rng, rows, labels=("no", "yes")):
    """Records whose label follows from x: the first fraction of the range is the first label."""
    x = rng.random(rows)
    y = np.array(labels)[np.minimum((x * len(labels)).astype(int), len(labels) - 1)]
    return pa.table({"x": x, "ward": rng.choice(list("abc"), rows), "y": y})


@pytest.mark.parametrize("model", MODELS)
def test_every_model_learns_what_is_there_and_the_opposite_from_flipped_labels(model, rng):
    train, test = striped(rng, 400), striped(rng, 300)
    flipped = train.set_column(2, "y", pc.if_else(pc.equal(train.column("y"), "no"), "yes", "no"))
    found = classification(train, test, SCHEMA, models=[model]).scores[model]
    fooled = classification(flipped, test, SCHEMA, models=[model]).scores[model]
    assert found.accuracy > 0.9
    assert found.auc > 0.95
    assert fooled.accuracy < 0.1
    assert fooled.auc < 0.05


@pytest.mark.parametrize("model", ["lda", "tree"])
def test_the_best_line_is_the_same_model_on_the_original_records(model):
    patients = clinic(900)
    train, test = patients.slice(0, 600), patients.slice(600)
    poor = train.slice(0, 40)
    found = classification(poor, test, CLINICAL, original=train, models=[model])
    alone = classification(train, test, CLINICAL, models=[model])
    assert found.best == alone.scores
    assert alone.best is None
    assert found.scores[model] != found.best[model]


def test_the_lowest_line_guesses_the_most_frequent_class():
    patients = clinic(300)
    outcome = patients.column("outcome").to_pylist()
    lowest = classification(patients, patients, CLINICAL, models=["lda"]).lowest
    assert lowest.accuracy == max(outcome.count("home"), outcome.count("care")) / 300
    assert lowest.auc == 0.5


@pytest.mark.parametrize("model", MODELS)
def test_a_release_that_lacks_a_class_gives_a_constant_score(model, rng):
    train, test = striped(rng, 50, labels=("yes",)), striped(rng, 80)
    score = classification(train, test, SCHEMA, models=[model]).scores[model]
    assert score.auc == 0.5
    assert score.accuracy == test.column("y").to_pylist().count("yes") / 80


@pytest.mark.parametrize("model", MODELS)
def test_a_release_of_equal_records_gives_a_constant_score(model, rng):
    train = pa.table({"x": [0.5] * 5, "ward": ["a"] * 5, "y": ["no", "no", "no", "yes", "yes"]})
    test = striped(rng, 80)
    score = classification(train, test, SCHEMA, models=[model]).scores[model]
    assert score.auc == 0.5
    assert score.accuracy == test.column("y").to_pylist().count("no") / 80


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("rows", [0, 1, 2, 3, 4])
def test_a_release_of_very_few_records_is_no_crash(model, rows, rng):
    y = ["no", "yes", "no", "yes"]
    few = pa.table({"x": [0.1, 0.9, 0.4, 0.9], "ward": ["a", "b", "a", "c"], "y": y})
    score = classification(few.slice(0, rows), striped(rng, 30), SCHEMA, models=[model])
    assert 0 <= score.scores[model].accuracy <= 1
    assert 0 <= score.scores[model].auc <= 1


@pytest.mark.parametrize("model", MODELS)
def test_classes_that_differ_without_any_spread_are_no_crash(model, rng):
    train = pa.table({"x": [0.0, 0.0, 1.0, 1.0], "ward": ["a"] * 4, "y": ["no"] * 2 + ["yes"] * 2})
    score = classification(train, striped(rng, 30), SCHEMA, models=[model]).scores[model]
    assert 0 <= score.auc <= 1


@pytest.mark.parametrize("model", MODELS)
def test_three_classes_of_which_one_is_never_released_keep_their_places(model, rng):
    names = ("no", "yes", "perhaps")
    train, test = striped(rng, 400, names), striped(rng, 400, names)
    known = train.filter(pa.array([y != "yes" for y in train.column("y").to_pylist()]))
    whole = classification(train, test, SCHEMA, models=[model]).scores[model]
    part = classification(known, test, SCHEMA, models=[model]).scores[model]
    straight = ("logistic", "svm")  # a straight line finds no middle stripe
    assert whole.accuracy > 0.8 or model in straight
    missed = test.column("y").to_pylist().count("yes") / 400  # the stripe in the middle, always
    assert part.accuracy <= 1 - missed
    assert part.auc < whole.auc


def test_features_follow_the_public_domain_and_not_the_values_that_occur(rng):
    train = striped(rng, 200)
    train = train.set_column(1, "ward", pa.array(["a"] * 200))
    test = striped(rng, 100).set_column(1, "ward", pa.array(["c"] * 100))
    assert classification(train, test, SCHEMA, models=["tree"]).scores["tree"].auc > 0.95


def test_the_area_counts_ordered_pairs_and_half_of_the_ties():
    chance, positive = np.array([0.1, 0.4, 0.4, 0.8]), np.array([False, True, False, True])
    assert _auc(chance, positive) == (1 + 0.5 + 1 + 1) / 4
    assert _auc(-chance, positive) == 1 - 3.5 / 4


def test_accuracy_and_area_are_the_hand_computed_ones():
    chances = np.array([[0.9, 0.1], [0.6, 0.4], [0.3, 0.7], [0.8, 0.2]])
    score = _score(chances, np.array([0, 1, 1, 0]))
    assert score.accuracy == 0.75
    assert score.auc == 1.0


def test_the_area_of_the_support_vector_machine_ranks_by_its_margins():
    """Scores of the model spelt out, so its area is that of the decision function."""
    from sklearn.metrics import roc_auc_score
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

    patients = clinic(700)
    train, test = patients.slice(0, 400), patients.slice(400)
    (A, b), (X, y) = (_parts(part, Domain.of(CLINICAL)) for part in (train, test))
    scaler = StandardScaler().fit(A)
    model = LinearSVC(dual=False).fit(scaler.transform(A), b)
    margins = model.decision_function(scaler.transform(X))
    found = classification(train, test, CLINICAL, models=["svm"]).scores["svm"]
    assert found.auc == pytest.approx(roc_auc_score(y, margins), abs=1e-9)
    assert found.accuracy == ((margins > 0) == y).mean()


def test_held_out_records_of_one_class_leave_the_area_undefined(rng):
    score = classification(striped(rng, 90), striped(rng, 9, ("yes",)), SCHEMA, models=["lda"])
    assert np.isnan(score.scores["lda"].auc)
    assert score.lowest.accuracy == 1


def test_what_is_given_is_left_as_it_was():
    frame = clinic(200).to_pandas()
    before = frame.copy(deep=True)
    classification(frame, frame, CLINICAL, original=frame, models=["lda", "tree"])
    assert frame.equals(before)


@pytest.mark.parametrize("models", [["forest"], []])
def test_unknown_models_are_refused_with_the_known_ones(models):
    with pytest.raises(ParameterError, match="lda, tree, logistic, boosting, svm"):
        classification(clinic(9), clinic(9), CLINICAL, models=models)


def test_a_schema_without_a_label_is_refused():
    schema = {"name": "t", "columns": {"x": {"kind": "boolean"}}}
    with pytest.raises(SchemaError, match="role: label"):
        classification(pa.table({"x": [True]}), pa.table({"x": [True]}), schema)


def test_no_held_out_records_are_refused():
    with pytest.raises(DataError, match="no held-out"):
        classification(clinic(9), clinic(9).slice(9), CLINICAL, models=["lda"])


def test_without_scikit_learn_the_message_says_how_to_get_it(monkeypatch, rng):
    monkeypatch.setitem(sys.modules, "sklearn.tree", None)
    with pytest.raises(MissingExtra, match=r"pip install 'sfumato\[ml\]'"):
        classification(striped(rng, 50), striped(rng, 50), SCHEMA)
