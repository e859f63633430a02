"""NoisyLDA: Fisher's own answer without noise, the right border and direction under it."""

import sys

import numpy as np
import pytest
from scipy.stats import t as student

from sfumato.accuracy import NoisyLDA, class_scatter, laplace_variance
from sfumato.accuracy.noisy_lda import FEWEST_REALISED
from sfumato.errors import DataError, ParameterError

FALSE_ALARM = 1e-6  # chance that a right method fails one statistical test


def classes(rng, n, k=2, m=3, apart=2.0):
    """Normal classes of unequal size and one correlated covariance."""
    y = rng.choice(k, n, p=np.arange(1, k + 1) / (k * (k + 1) / 2))
    mix = np.eye(m) + 0.6 * np.tri(m, k=-1)
    return rng.normal(size=(n, m)) @ mix + apart * np.eye(k, m)[y], y


def laplace_noise(rng, X, b):
    ranges = np.ptp(X, axis=0)
    return X + rng.laplace(scale=b * ranges, size=X.shape), laplace_variance(b, ranges)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("priors", ["even", "as they are"])
def test_without_noise_it_agrees_with_scikit_learn(k, priors, rng):
    lda = pytest.importorskip("sklearn.discriminant_analysis").LinearDiscriminantAnalysis
    X, y = classes(rng, 4_000, k)
    even = np.full(k, 1 / k) if priors == "even" else None
    ours, theirs = NoisyLDA(0, priors=even).fit(X, y), lda(priors=even).fit(X, y)
    fresh = classes(rng, 4_000, k)[0]
    # Theirs divides the scatter by N where ours takes N - k, so borders differ by a hair.
    assert (ours.predict(fresh) == theirs.predict(fresh)).mean() > 0.998
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    assert ours.decision_function(fresh).shape == theirs.decision_function(fresh).shape
    gap = np.abs(ours.decision_function(fresh) - theirs.decision_function(fresh))
    if k == 2:
        assert gap.max() < 0.05


def signed_angle(model):
    """Degrees from the direction that is right for these two classes, [1, -0.8]."""
    a, b = model.coef_[1] - model.coef_[0]
    return float(np.degrees(np.arctan2(b, a) - np.arctan2(-0.8, 1)))


@pytest.mark.parametrize(("corrected", "passes"), [(True, True), (False, False)])
def test_under_noise_the_direction_is_right_and_the_plain_one_turns_away(corrected, passes, rng):
    """Correlation 0.8, means apart by (3, 0): the best direction is along (1, -0.8)."""
    angles = []
    for _ in range(30):
        y = rng.random(5_000) < 0.5
        first, second = rng.normal(size=(2, 5_000))
        X = np.column_stack([first + 3 * y, 0.8 * first + 0.6 * second])
        released = X + rng.laplace(scale=0.5, size=X.shape)
        model = NoisyLDA(2 * 0.5**2 if corrected else 0).fit(released, y)
        angles.append(signed_angle(model))
    mean, error = np.mean(angles), np.std(angles, ddof=1) / np.sqrt(len(angles))
    assert (2 * student.sf(abs(mean / error), len(angles) - 1) > FALSE_ALARM) == passes


def test_under_noise_the_larger_class_no_longer_swallows_the_smaller(rng):
    """Each margin is at least six standard deviations wide, as seen over 150 seeds."""
    y = (rng.random(20_000) < 0.2).astype(int)
    X = rng.normal(size=(len(y), 2)) + 2 * y[:, None]
    released, variance = laplace_noise(rng, X, 0.15)
    models = (
        NoisyLDA(0).fit(X, y),
        NoisyLDA(0).fit(released, y),
        NoisyLDA(variance).fit(released, y),
    )
    best, plain, ours = (model.predict(X).mean() for model in models)
    assert plain < 0.5 * best
    assert ours == pytest.approx(best, rel=0.12)
    assert models[2].score(X, y) > models[1].score(X, y) + 0.05


def test_realised_statistics_give_the_answer_without_noise_if_mixed_terms_vanish(rng):
    """Noise made orthogonal to the records and to the class means: equations 13 and 14 exact."""
    X, y = classes(rng, 600)
    onto = np.column_stack([X, y == 0, y == 1])
    noise = rng.laplace(scale=0.5, size=X.shape)
    noise -= onto @ np.linalg.lstsq(onto, noise, rcond=None)[0]
    clean = NoisyLDA(0).fit(X, y)
    told = NoisyLDA(realised=class_scatter(noise, y)).fit(X + noise, y)
    np.testing.assert_allclose(told.decision_function(X), clean.decision_function(X), rtol=1e-9)


def test_realised_statistics_betray_the_class_means_and_the_last_record(rng):
    X, y = classes(rng, 500)
    noise = rng.laplace(scale=5, size=X.shape)
    told = class_scatter(noise, y)
    betrayed = NoisyLDA(realised=told).fit(X + noise, y).means_ - told.means
    np.testing.assert_allclose(betrayed, class_scatter(X, y).means, atol=1e-12)
    mine = X[y == 1]
    last = told.counts[1] * betrayed[1] - mine[:-1].sum(axis=0)
    np.testing.assert_allclose(last, mine[-1], atol=1e-9)


def test_expected_noise_betrays_no_class_mean(rng):
    """Positive control of the test above: the law of the noise leaves means uncertain."""
    X, y = classes(rng, 500)
    released = X + rng.laplace(scale=5, size=X.shape)
    means = NoisyLDA(2 * 5.0**2).fit(released, y).means_
    assert np.abs(means - class_scatter(X, y).means).max() > 0.01  # all six this close: 1e-10


def test_realised_statistics_are_refused_for_small_classes_and_for_other_records(rng):
    X = rng.normal(size=(FEWEST_REALISED + 199, 2))
    y = np.arange(len(X)) < FEWEST_REALISED - 1
    noise = class_scatter(rng.laplace(size=X.shape), y)
    with pytest.raises(ParameterError, match="100 records in every class"):
        NoisyLDA(realised=noise).fit(X, y)
    with pytest.raises(ParameterError, match="these records"):
        NoisyLDA(realised=noise).fit(X, ~y)
    with pytest.raises(ParameterError, match="not both"):
        NoisyLDA(1.0, realised=noise).fit(X, y)
    enough = np.arange(len(X)) < FEWEST_REALISED
    NoisyLDA(realised=class_scatter(rng.laplace(size=X.shape), enough)).fit(X, enough)


def test_even_priors_put_the_border_in_the_middle_and_others_move_it_towards_the_rare(rng):
    X, y = classes(rng, 2_000)
    released, variance = laplace_noise(rng, X, 0.1)
    even = NoisyLDA(variance, priors=[0.5, 0.5]).fit(released, y)
    middle = even.means_.mean(axis=0, keepdims=True)
    assert even.decision_function(middle) == pytest.approx(0, abs=1e-9)
    tilted = NoisyLDA(variance, priors=[0.1, 0.9]).fit(released, y)
    assert tilted.decision_function(middle) == pytest.approx(np.log(9))


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("m", [1, 2, 6])
def test_noise_that_drowns_everything_still_gives_a_finite_model(k, m, rng):
    y = np.arange(60) % k
    X = rng.normal(size=(60, m))
    model = NoisyLDA(100.0).fit(X, y)  # far more noise is announced than there is scatter
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.intercept_).all()
    assert 1 <= model.scalings_.shape[1] <= min(k - 1, m)
    assert set(model.predict(X)) <= set(range(k))


def test_labels_may_be_words_and_classes_many(rng):
    X, y = classes(rng, 3_000, k=3, apart=8.0)
    words = np.array(["benign", "doubtful", "malignant"])[y]
    released, variance = laplace_noise(rng, X, 0.05)
    model = NoisyLDA(variance).fit(released, words)
    assert model.score(X, words) > 0.95
    assert model.decision_function(X).shape == (3_000, 3)
    np.testing.assert_array_equal(
        model.classes_[model.decision_function(X).argmax(axis=1)], model.predict(X)
    )


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"noise_variance": [1.0, 2.0]}, "one number or 3"),
        ({"noise_variance": -1.0}, "variance"),
        ({"priors": [1.0]}, "priors must be 2"),
        ({"priors": [0.0, 1.0]}, "priors must be 2"),
    ],
)
def test_impossible_parameters_are_refused_by_name(wrong, rule, rng):
    with pytest.raises(ParameterError, match=rule):
        NoisyLDA(**wrong).fit(*classes(rng, 100))


def test_one_class_or_too_few_records_are_refused(rng):
    with pytest.raises(DataError, match="two classes"):
        NoisyLDA(0).fit(rng.normal(size=(9, 2)), np.zeros(9))
    with pytest.raises(DataError, match="more records"):
        NoisyLDA(0).fit(rng.normal(size=(4, 3)), [0, 0, 1, 1])


def test_it_can_be_cloned_searched_and_cross_validated(rng):
    base = pytest.importorskip("sklearn.base")
    selection = pytest.importorskip("sklearn.model_selection")
    X, y = classes(rng, 600)
    variance = np.full(3, 0.1)
    model = NoisyLDA(variance, priors=[0.5, 0.5])
    twin = base.clone(model)
    assert twin is not model
    np.testing.assert_array_equal(twin.noise_variance, variance)
    assert base.is_classifier(model)
    assert selection.cross_val_score(model, X, y, cv=3).min() > 0.6
    search = selection.GridSearchCV(model, {"noise_variance": [0.0, 0.1]}, cv=3).fit(X, y)
    assert search.best_params_["noise_variance"] in (0.0, 0.1)


def test_parameters_can_be_read_and_changed_and_unknown_ones_are_refused():
    model = NoisyLDA(0.5).set_params(noise_variance=0.25)
    assert model.get_params() == {
        "noise_variance": 0.25,
        "priors": None,
        "realised": None,
        "label_rates": None,
    }
    with pytest.raises(ParameterError, match="'depth' must be one of"):
        model.set_params(depth=3)


def test_it_works_where_scikit_learn_is_not_installed(rng, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    X, y = classes(rng, 300)
    assert NoisyLDA(0.1).fit(X, y).score(X, y) > 0.6
