"""Kernel ridge on held-out records: against the closed form, frame lines, odd releases."""

import numpy as np
import pyarrow as pa
import pytest
from threadpoolctl import threadpool_limits

from sfumato.errors import DataError, ParameterError, SchemaError
from sfumato.example import CLINIC, clinic
from sfumato.inspection import regression
from sfumato.inspection.regression import RIDGES, _fitted, _ridge
from sfumato.schema import Schema


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Threads that wait for each other cost more than they save on tables this small."""
    with threadpool_limits(1):
        yield


CLINICAL = Schema.parse(CLINIC)
SCHEMA = {
    "name": "t",
    "columns": {
        "x": {"kind": "number", "low": -1, "high": 1},
        "ward": {"kind": "category", "values": ["a", "b", "c"]},
        "y": {"kind": "number", "low": 0, "high": 50, "missing": "allowed"},
    },
}


def curved(rng, rows, noise=0.0):
    x = rng.uniform(-1, 1, rows)
    y = 25 + 20 * np.sin(3 * x) + noise * rng.normal(size=rows)
    return pa.table({"x": x, "ward": rng.choice(list("abc"), rows), "y": y})


def kernel(A, B):
    return np.exp(-((A[:, None] - B) ** 2).sum(axis=2) / A.shape[1])


def by_hand(X, y, new):
    """Kernel ridge with the ridge that generalised cross-validation chooses, spelt out."""
    K, centred = kernel(X, X), y - y.mean()
    best, found = np.inf, None
    for ridge in RIDGES:
        weights = np.linalg.solve(K + ridge * np.eye(len(y)), centred)
        hat = K @ np.linalg.inv(K + ridge * np.eye(len(y)))
        error = ((K @ weights - centred) ** 2).sum() / (len(y) - 1 - np.trace(hat)) ** 2
        if error < best:
            best, found = error, weights
    return np.clip(y.mean() + kernel(new, X) @ found, 0, 1)


@pytest.mark.parametrize("most", [40, 39])
def test_what_is_predicted_is_the_closed_form_of_kernel_ridge(most, rng):
    """Exact, and by Nyström's method with every record a landmark."""
    X, new = rng.random((40, 2)), rng.random((15, 2))
    y = np.clip(0.5 + 0.3 * np.sin(5 * X[:, 0]) + 0.1 * rng.normal(size=40), 0, 1)
    np.testing.assert_allclose(_fitted(X, y, most)(new), by_hand(X, y, new), atol=1e-5)


def test_the_ridge_follows_the_noise(rng):
    s, signal = np.geomspace(100, 1e-6, 50), np.geomspace(10, 1e-8, 50)
    clean, noisy = _ridge(s, signal, 0.0, 50), _ridge(s, signal + 5.0, 0.0, 50)
    assert clean < noisy
    assert _ridge(s, np.zeros(50), 0.0, 50) == max(RIDGES)


def test_above_the_cap_all_records_are_trained_on_and_the_error_hardly_moves(rng):
    train, test = curved(rng, 1500, noise=1), curved(rng, 300)
    exact = regression(train, test, SCHEMA, target="y")
    approximate = regression(train, test, SCHEMA, target="y", most=700)
    assert approximate.rmse != exact.rmse
    assert approximate.rmse == pytest.approx(exact.rmse, rel=0.1)
    assert approximate == regression(train, test, SCHEMA, target="y", most=700)


def test_a_curve_is_learnt_and_one_without_a_link_is_not(rng):
    train, test = curved(rng, 600), curved(rng, 300)
    shuffled = train.set_column(2, "y", pa.array(rng.permutation(train.column("y").to_numpy())))
    found = regression(shuffled, test, SCHEMA, target="y", original=train)
    assert found.best < 0.05 < 0.9 * found.lowest < found.rmse


def test_the_error_is_in_widths_of_the_public_range(rng):
    train, test = curved(rng, 200), curved(rng, 200)
    wide = {
        "name": "t",
        "columns": SCHEMA["columns"] | {"y": SCHEMA["columns"]["y"] | {"low": -50}},
    }
    narrow_lowest = regression(train, test, SCHEMA, target="y").lowest
    y = test.column("y").to_numpy()
    assert narrow_lowest == pytest.approx(y.std() / 50, rel=1e-3)
    assert regression(train, test, wide, target="y").lowest == pytest.approx(
        y.std() / 100, rel=1e-3
    )


def test_the_best_line_is_the_same_model_on_the_original_records():
    patients = clinic(900)
    train, test = patients.slice(0, 600), patients.slice(600)
    found = regression(train.slice(0, 20), test, CLINICAL, target="pressure", original=train)
    alone = regression(train, test, CLINICAL, target="pressure")
    assert found.best == alone.rmse < found.rmse
    assert alone.best is None


def test_a_date_can_be_the_target():
    patients = clinic(300)
    found = regression(patients, patients, CLINICAL, target="admitted")
    assert 0 < found.rmse < found.lowest * 1.01


def test_records_without_a_target_are_left_out(rng):
    train, test = curved(rng, 80), curved(rng, 60)
    gaps = pa.table({"x": [0.0] * 40, "ward": ["a"] * 40, "y": pa.nulls(40, pa.float64())})
    whole = regression(train, test, SCHEMA, target="y")
    holed = regression(
        pa.concat_tables([train, gaps]), pa.concat_tables([test, gaps]), SCHEMA, target="y"
    )
    assert holed == whole


def test_a_release_without_records_predicts_the_middle(rng):
    test = pa.table({"x": [0.0, 0.5], "ward": ["a", "b"], "y": [0.0, 0.0]})
    assert regression(test.slice(2), test, SCHEMA, target="y").rmse == 0.5


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_a_release_of_very_few_or_equal_records_is_no_crash(rows, rng):
    few = pa.table({"x": [0.5] * rows, "ward": ["a"] * rows, "y": [10.0] * rows})
    test = pa.table({"x": [0.0, 0.1], "ward": ["a", "b"], "y": [10.0, 30.0]})
    # All say 10: on the grid a fifth of the range, so the errors are 0 and 0.4.
    assert regression(few, test, SCHEMA, target="y").rmse == pytest.approx(0.08**0.5, abs=1e-4)


def test_what_is_predicted_stays_in_the_public_range(rng):
    X, y = rng.random((40, 1)), np.ones(40)
    y[0] = 0.0
    assert _fitted(X, y, most=40)(rng.random((200, 1))).max() <= 1


def test_what_is_given_is_left_as_it_was(rng):
    frame = curved(rng, 50).to_pandas()
    before = frame.copy(deep=True)
    regression(frame, frame, SCHEMA, target="y", original=frame)
    assert frame.equals(before)


@pytest.mark.parametrize("target", ["ward", "nothing", ""])
def test_a_target_that_is_no_number_is_refused_with_those_that_are(target, rng):
    with pytest.raises(SchemaError, match=r"target must be .* \(x, y\)"):
        regression(curved(rng, 9), curved(rng, 9), SCHEMA, target=target)


def test_a_target_alone_is_refused():
    schema = {"name": "t", "columns": {"y": SCHEMA["columns"]["y"]}}
    with pytest.raises(SchemaError, match="a column besides the target"):
        regression(pa.table({"y": [1.0]}), pa.table({"y": [1.0]}), schema, target="y")


def test_no_held_out_records_are_refused(rng):
    with pytest.raises(DataError, match="no held-out"):
        regression(curved(rng, 9), curved(rng, 0), SCHEMA, target="y")


@pytest.mark.parametrize("most", [0, 2.5, True])
def test_an_impossible_cap_is_refused_by_name(most, rng):
    with pytest.raises(ParameterError, match="most must be a whole number of at least 1"):
        regression(curved(rng, 9), curved(rng, 9), SCHEMA, target="y", most=most)
