"""PCA-Gauss: what is kept, what is refused, what a public basis saves, what verify recounts."""

import json

import numpy as np
import pyarrow as pa
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LinearRegression, LogisticRegression

import sfumato as sf
from sfumato.errors import ParameterError, ReleaseError, SchemaError
from sfumato.example import CLINIC, clinic
from sfumato.schema import Schema

SCHEMA = Schema.parse(CLINIC)
REGRESSION, MIXTURE = "pca-gauss-regression", "pca-gauss-mixture"
REDUCED = [(REGRESSION, {"target": "pressure"}), (MIXTURE, {})]
each_reduced = pytest.mark.parametrize(("method", "options"), REDUCED)


def changed(**columns):
    """The clinic's schema with other facts about some columns."""
    content = SCHEMA.to_json()
    for name, facts in columns.items():
        content["columns"][name] |= facts
    return Schema.of(content)


def within(X):
    """Numbers as columns, and the schema of their public ranges."""
    bound = 1.05 * np.abs(X).max()
    columns = {f"x{k}": {"kind": "number", "low": -bound, "high": bound} for k in range(X.shape[1])}
    return {f"x{k}": column for k, column in enumerate(X.T)}, columns


# What is kept


def test_variances_along_the_components_are_kept_and_directions_stay_secret(rng):
    turn = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    X = (rng.normal(size=(10_000, 6)) * [3, 2, 1, 0.5, 0.2, 0.1]) @ turn
    values, columns = within(X)
    release = sf.publish(
        pa.table(values), schema={"name": "g", "columns": columns}, method="pca-gauss", epsilon=10
    )
    width = 2.1 * np.abs(X).max()  # a range is 1 wide
    true = np.linalg.eigvalsh(X.T @ X / len(X))[::-1] / width**2
    drawn = np.column_stack(release.table.columns)
    found = (drawn**2).mean(axis=0)
    assert release.table.column_names == [f"component_{k}" for k in range(1, 7)]
    # Sixteen scales of the noise are 3 % of the second eigenvalue; five of the draws, 7 %.
    np.testing.assert_allclose(found[:2], true[:2], rtol=0.15)
    assert (found[5:] == 0).all()  # beyond the share alpha nothing is drawn
    assert "directions" not in json.dumps(release.synopsis)


def test_the_rank_that_was_asked_for_is_what_comes():
    release = sf.publish(clinic(500), schema=SCHEMA, method="pca-gauss", epsilon=1, rank="3")
    assert release.table.num_columns == 3
    assert release.table.num_rows == 500


@pytest.mark.parametrize("basis", [False, True])
def test_a_regression_learnt_from_the_release_predicts_real_records(basis):
    X, y = make_regression(24_000, 12, n_informative=6, effective_rank=3, noise=0.1, random_state=3)
    values, columns = within(X)
    bound = 1.05 * np.abs(y).max()
    columns["y"] = {"kind": "number", "low": -bound, "high": bound, "role": "target"}
    table = pa.table(values | {"y": y})
    options = {"basis": table.slice(20_000, 1_000)} if basis else {"rank": 5}
    release = sf.publish(
        table.slice(0, 20_000),
        schema={"name": "r", "columns": columns},
        method=REGRESSION,
        epsilon=5,
        seed=1,  # so that there are no false alarms
        **options,
    )
    drawn = np.column_stack(release.table.columns)
    model = LinearRegression().fit(drawn[:, :-1], drawn[:, -1])
    best = LinearRegression().fit(X[:20_000], y[:20_000]).score(X[21_000:], y[21_000:])
    assert best > 0.9
    assert model.score(X[21_000:], y[21_000:]) > 0.5


def test_a_classifier_learnt_from_the_release_sorts_real_records():
    X, y = make_classification(
        24_000, 8, n_informative=4, n_redundant=4, class_sep=1.5, random_state=5
    )
    values, columns = within(X)
    columns["y"] = {"kind": "category", "values": [0, 1], "role": "label"}
    table = pa.table(values | {"y": y})
    release = sf.publish(
        table.slice(0, 20_000),
        schema={"name": "c", "columns": columns},
        method=MIXTURE,
        epsilon=5,
        rank=4,
        seed=1,
    )
    drawn = np.column_stack([np.asarray(c, float) for c in release.table.columns])
    model = LogisticRegression().fit(drawn[:, :-1], drawn[:, -1])
    best = LogisticRegression().fit(X[:20_000], y[:20_000]).score(X[20_000:], y[20_000:])
    assert model.score(X[20_000:], y[20_000:]) > best - 0.15


def test_the_table_of_components_holds_coordinates_and_what_stands_beside_them():
    known = changed(outcome={"missing": "allowed"})
    options = {"schema": known, "epsilon": 2, "space": "components", "rank": 2}
    first = sf.publish(clinic(2_000), method=REGRESSION, target="age", **options).table
    assert first.schema.names == ["component_1", "component_2", "age"]
    assert set(first.schema.types) == {pa.float64()}
    assert 18 <= min(first["age"].to_pylist()) <= max(first["age"].to_pylist()) <= 98
    second = sf.publish(clinic(2_000), method=MIXTURE, **options).table
    assert second.schema.types == [pa.float64(), pa.float64(), pa.string()]
    assert set(second["outcome"].to_pylist()) <= {"home", "care", "(missing)"}


@each_reduced
def test_noise_leaves_no_direction_without_variance(method, options):
    """A model would trust exactly those; a covariance merely cut at zero has some of them."""
    table = sf.publish(
        clinic(2_000),
        schema=SCHEMA,
        method=method,
        epsilon="0.5",
        rank=8,
        space="components",
        rows=5_000,
        **options,
    ).table
    drawn = np.column_stack(table.columns[:8])
    if method == MIXTURE:
        drawn = drawn[np.asarray(table["outcome"]) == "care"]
    variances = np.linalg.eigvalsh(np.cov(drawn.T))
    assert variances[0] > 1e-3 * variances[-1]


def test_classes_come_in_their_noisy_sizes():
    original = clinic(2_000)
    true = original["outcome"].to_pylist().count("home")
    tables = [sf.publish(original, schema=SCHEMA, method=MIXTURE, epsilon=1).table for _ in "12345"]
    found = [table["outcome"].to_pylist().count("home") for table in tables]
    assert {table.num_rows for table in tables} == {2_000}
    # Noise of scale 20: five equal sizes, or one 400 away, come once in ten million times.
    assert len(set(found)) > 1
    assert all(abs(count - true) < 400 for count in found)


@each_reduced
def test_under_add_remove_the_number_of_records_is_noisy(method, options):
    known = Schema.of(SCHEMA.to_json() | {"neighbours": "add-remove"})
    rows = [
        sf.publish(clinic(3_000), schema=known, method=method, epsilon=1, **options).table.num_rows
        for _ in range(5)
    ]
    # Noise of scale 20 at least and 100 at most: equal five times, or 1 800 away, never.
    assert len(set(rows)) > 1
    assert all(abs(count - 3_000) < 1_800 for count in rows)


# What a public basis saves


@each_reduced
def test_a_public_basis_costs_nothing_and_rests_on_the_owner_s_word(method, options, tmp_path):
    sf.publish(
        clinic(800),
        schema=SCHEMA,
        method=method,
        epsilon=1,
        folder=tmp_path / "r",
        basis=clinic(300, seed=9),
        **options,
    )
    release = sf.Release.load(tmp_path / "r")
    assert all(check.passed for check in sf.verify(tmp_path / "r"))
    statistics = [event.statistic for event in release.certificate.events]
    assert statistics[-2:] == ["projected sums", "projected second moments"]
    assert "second moments" not in statistics
    assert all(event.noise for event in release.certificate.events)
    assert any("declares public" in limit for limit in release.certificate.limits)
    assert release.certificate.options["basis"]["rows"] == 300


def test_the_whole_budget_goes_to_the_moments_where_the_basis_is_public():
    costs = [
        sum(
            event.cost.epsilon
            for event in sf.price(SCHEMA, method=MIXTURE, epsilon=2, rank=3, **options).events
        )
        for options in ({}, {"basis": clinic(50)}, {"split": "0.9"})
    ]
    assert costs == [2, 2, 2]
    noise = [
        sf.price(SCHEMA, method=MIXTURE, epsilon=2, rank=3, **options).events[-1].noise
        for options in ({}, {"basis": clinic(50)})
    ]
    assert noise[0] == 2 * noise[1]


def test_a_public_basis_may_be_a_frame_a_file_or_a_certificate_s_own(tmp_path):
    frame = clinic(50).to_pandas()
    frame.to_csv(tmp_path / "public.csv", index=False)
    plan = sf.price(SCHEMA, method=MIXTURE, epsilon=1, basis=frame)
    for basis in (clinic(50), str(tmp_path / "public.csv"), plan.options["basis"]):
        assert (
            sf.price(SCHEMA, method=MIXTURE, epsilon=1, basis=basis).terms.digest()
            == plan.terms.digest()
        )
    assert sf.price(SCHEMA, method=MIXTURE, epsilon=1, basis="").options["basis"] is None


def test_a_public_basis_has_no_more_directions_than_it_has():
    kept = sf.price(SCHEMA, method=MIXTURE, epsilon=1, rank=3, basis=clinic(50)).options["basis"]
    again = sf.price(SCHEMA, method=MIXTURE, epsilon=1, rank=2, basis=kept)
    assert again.options["rank"] == 2
    with pytest.raises(ParameterError, match="rank must be at most 3"):
        sf.price(SCHEMA, method=MIXTURE, epsilon=1, rank=4, basis=kept)


# What verify recounts


@each_reduced
def test_figures_that_wait_for_the_rank_are_open_and_then_recounted(method, options, tmp_path):
    plan = sf.price(SCHEMA, method=method, epsilon=1, **options)
    assert [event.noise is None for event in plan.events][-2:] == [True, True]
    fixed = sf.price(SCHEMA, method=method, epsilon=1, rank=2, **options)
    assert all(event.noise for event in fixed.events)
    assert fixed.recount is None
    release = sf.publish(
        clinic(800), schema=SCHEMA, method=method, epsilon=1, folder=tmp_path / "r", **options
    )
    assert all(check.passed for check in sf.verify(tmp_path / "r"))
    assert all(event.noise for event in release.certificate.events)
    rank = len(release.synopsis["directions"])
    assert len(release.synopsis["moments"]["sums"][0]) == rank + (method == REGRESSION)


@pytest.mark.parametrize("directions", [[], [[1, 2]], [[0] * 11] * 12])
def test_directions_that_do_not_fit_are_not_recounted(directions):
    plan = sf.price(SCHEMA, method=REGRESSION, epsilon=1, target="pressure")
    with pytest.raises(ReleaseError, match="do not fit"):
        plan.recount({"directions": directions})


@pytest.mark.parametrize(
    ("method", "options"), [("pca-gauss", {"radius": "0.8", "alpha": 0.9}), *REDUCED]
)
def test_the_options_of_a_plan_give_the_same_plan(method, options):
    plan = sf.price(SCHEMA, method=method, epsilon=1, **options)
    written = json.loads(json.dumps(plan.options))
    assert (
        sf.price(SCHEMA, method=method, epsilon=1, **written).terms.digest() == plan.terms.digest()
    )


# What is refused


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("pca-gauss", {"rank": 0}, "rank must be from 1 to 12"),
        ("pca-gauss", {"rank": "many"}, "rank must be from 1 to 12"),
        ("pca-gauss", {"alpha": 2}, "alpha must be"),
        ("pca-gauss", {"radius": -1}, "radius must be"),
        ("pca-gauss", {"counts": 1}, "counts must be"),
        ("pca-gauss", {"basis": "x.csv"}, "no option basis"),
        (MIXTURE, {"space": "elsewhere"}, "space must be columns or components"),
        (MIXTURE, {"split": 0}, "split must be"),
        (MIXTURE, {"means": 1}, "means must be"),
        (MIXTURE, {"counts": "0.5", "means": "0.5"}, "leave something"),
        (MIXTURE, {"rank": 12}, "rank must be from 1 to 11"),
        (MIXTURE, {"target": "age"}, "no option target"),
        (MIXTURE, {"basis": {"values": [1], "U": [[1]], "mean": [0]}}, "does not fit"),
    ],
)
def test_wrong_options_are_refused_by_name(method, options, message):
    with pytest.raises(ParameterError, match=message):
        sf.price(SCHEMA, method=method, epsilon=1, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "a target is needed"),
        ({"target": "height"}, "height is not a released column"),
        ({"target": "patient"}, "patient is not a released column"),
        ({"target": "ward"}, "ward must be a number, an integer or a date"),
        ({"target": "weight"}, "weight may be missing"),
        ({"target": "admitted", "space": "components"}, "admitted is a date"),
    ],
)
def test_what_cannot_be_a_target_is_refused(options, message):
    with pytest.raises(SchemaError, match=message):
        sf.price(SCHEMA, method=REGRESSION, epsilon=1, **options)


def test_the_target_may_be_a_role_of_the_schema():
    plan = sf.price(changed(pressure={"role": "target"}), method=REGRESSION, epsilon=1)
    assert plan.options["target"] == "pressure"


def test_without_a_label_there_is_no_mixture():
    columns = SCHEMA.to_json()["columns"]
    del columns["outcome"]["role"]
    with pytest.raises(SchemaError, match="needs a label"):
        sf.price({"name": "c", "columns": columns}, method=MIXTURE, epsilon=1)


def test_a_name_that_a_table_of_components_needs_is_refused():
    columns = {f"component_{k}": {"kind": "integer", "low": 0, "high": 9} for k in range(1, 4)}
    with pytest.raises(SchemaError, match="component_1: a table of components"):
        sf.price(
            {"name": "c", "columns": columns},
            method=REGRESSION,
            epsilon=1,
            target="component_1",
            space="components",
        )


def test_noise_beyond_the_sampler_is_refused_before_anything_is_read():
    for method, options in (("pca-gauss", {}), *REDUCED):
        with pytest.raises(ParameterError, match="too large"):
            sf.price(SCHEMA, method=method, epsilon="1e-12", **options)
