"""Scatter under noise: by hand, on average over noise, and repaired after the subtraction."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from sfumato.accuracy import class_scatter, expected_noise, laplace_variance
from sfumato.accuracy.noisy_scatter import cleaned
from sfumato.errors import DataError, ParameterError

FALSE_ALARM = 1e-6  # chance that a right formula fails one statistical test


def test_within_and_between_make_up_the_scatter_about_the_mean_of_all(rng):
    X, y = rng.normal(size=(50, 3)), rng.choice(["a", "b", "c"], 50)
    found = class_scatter(X, y)
    centred = X - X.mean(axis=0)
    np.testing.assert_allclose(found.within + found.between, centred.T @ centred, atol=1e-12)
    by_hand = sum(np.cov(X[y == c].T, bias=True) * (y == c).sum() for c in "abc")
    np.testing.assert_allclose(found.within, by_hand, atol=1e-12)
    np.testing.assert_allclose(found.means[1], X[y == "b"].mean(axis=0))


def test_other_records_have_other_classes_in_sorted_order():
    found = class_scatter([[1.0], [2.0], [4.0]], [7, 3, 7])
    assert found.classes.tolist() == [3, 7]
    assert found.counts.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("X", "y", "rule"),
    [
        ([1.0, 2.0], [0, 1], "must be a table"),
        ([[1.0], [2.0]], [0, 1, 1], "must be a table"),
        ([[1.0], [np.nan]], [0, 1], "finite"),
    ],
)
def test_what_is_no_table_with_labels_is_refused(X, y, rule):
    with pytest.raises(DataError, match=rule):
        class_scatter(X, y)


@pytest.mark.parametrize("variance", [[-1.0], [np.inf], [np.nan], 2.0])
def test_impossible_variances_are_refused(variance):
    with pytest.raises(ParameterError, match="variance"):
        expected_noise([3, 4], variance)


def gaps(draws, expected):
    """Largest distance of a mean from what is expected, in standard errors."""
    errors = draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
    return np.abs((draws.mean(axis=0) - expected) / errors).max()


@pytest.mark.parametrize(
    ("counted", "scale", "passes"),
    [(1, 1.0, True), (0, 1.0, False), (1, 0.9, False)],
    ids=["as stated", "N records for N - k", "a tenth less noise"],
)
def test_noise_adds_what_is_expected_whatever_the_records_and_nothing_else(
    counted, scale, passes, rng
):
    """Small classes, so that N and N - k differ."""
    y, ranges, b = np.repeat([0, 1, 2], [4, 3, 5]), np.array([1.0, 3.0]), 0.4
    X = rng.normal(size=(12, 2))
    noise = rng.laplace(scale=b * ranges, size=(5_000, 12, 2))
    exact = class_scatter(X, y)
    seen = [class_scatter(X + e, y) for e in noise]
    added = np.array([[s.within - exact.within, s.between - exact.between] for s in seen])
    sizes = exact.counts + (1 - counted)
    expected = np.array(expected_noise(sizes, laplace_variance(scale * b, ranges)))
    # Mixed terms are linear in the noise, and one matrix is symmetric: 6 different means.
    assert (gaps(added, expected) < norm.isf(FALSE_ALARM / 2 / 6)) == passes


def test_the_subtraction_is_exact_where_there_is_little_noise(rng):
    A = rng.normal(size=(40, 4))
    noisy, noise = A.T @ A, np.diag([0.1, 0.2, 0.0, 0.3])
    np.testing.assert_allclose(cleaned(noisy, noise, 0.9), noisy - noise, atol=1e-12)


@given(seed=st.integers(0, 10**6), m=st.integers(1, 5), most=st.floats(0.01, 0.99))
def test_however_much_noise_is_taken_away_what_is_left_is_positive_definite(seed, m, most):
    rng = np.random.default_rng(seed)
    A, B = rng.normal(size=(m + 3, m)), rng.normal(size=(m, m)) * rng.exponential(3)
    noisy, noise = A.T @ A, B.T @ B
    left = cleaned(noisy, noise, most)
    assert np.linalg.eigvalsh(left)[0] > 0
    shares = np.linalg.eigvals(np.linalg.solve(noisy, left)).real
    assert shares.min() >= 1 - most - 1e-6  # what must stay
    assert shares.max() <= 1 + 1e-6  # and never more than there was


def test_attributes_that_repeat_each_other_are_refused():
    with pytest.raises(DataError, match="combination of the others"):
        cleaned(np.ones((2, 2)), np.zeros((2, 2)), 0.5)
