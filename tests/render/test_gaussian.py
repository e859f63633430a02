"""The Gaussian: possible covariances, and samples with the law that was asked for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from sfumato.render.gaussian import Gaussian
from sfumato.render.spectrum import nearest_psd

FALSE_ALARM = 1e-6  # chance that a correct sampler fails one statistical test
MEAN = np.array([0.2, -1.0, 3.0, 0.0])
ROOT = np.array([[1.0, 0, 0], [0.5, 0.2, 0], [-1.0, 0.3, 2.0], [0, 0, 0.1]])
S = ROOT @ ROOT.T  # rank three of four


def symmetric(size):
    entries = st.floats(-1e6, 1e6, allow_subnormal=False)
    return st.lists(entries, min_size=size * size, max_size=size * size).map(
        lambda found: np.add(np.reshape(found, (size, size)), np.reshape(found, (size, size)).T)
    )


@given(st.integers(1, 5).flatmap(symmetric))
def test_the_nearest_matrix_is_possible_and_its_own_nearest(matrix):
    found = nearest_psd(matrix)
    rounding = 1e-12 * max(np.abs(matrix).max(), 1)
    assert np.linalg.eigvalsh(found).min() >= -rounding * len(matrix)
    np.testing.assert_allclose(found, found.T, atol=rounding)
    np.testing.assert_allclose(nearest_psd(found), found, atol=10 * rounding)


@given(st.integers(1, 4).flatmap(symmetric), st.integers(1, 4).flatmap(symmetric))
def test_no_possible_matrix_is_nearer(matrix, other):
    size = min(len(matrix), len(other))
    matrix, rival = matrix[:size, :size], nearest_psd(other[:size, :size])
    mine = np.linalg.norm(matrix - nearest_psd(matrix))
    assert mine <= np.linalg.norm(matrix - rival) + 1e-9 * (1 + np.abs(matrix).max())


def test_a_possible_matrix_is_left_as_it_is():
    np.testing.assert_allclose(nearest_psd(S), S, atol=1e-14)
    np.testing.assert_allclose(nearest_psd(-S), np.zeros((4, 4)), atol=1e-14)


def agrees(draws, mean, covariance):
    """Whether mean and covariance of the draws are within their joint 1e-6 limits."""
    n, d = draws.shape
    limit = norm.isf(FALSE_ALARM / 2 / (d + d * d))
    variance = np.diag(covariance)
    off_mean = np.abs(draws.mean(axis=0) - mean) / np.sqrt(variance / n)
    spread = np.sqrt((np.outer(variance, variance) + covariance**2) / n)
    centred = draws - mean
    off_covariance = np.abs(centred.T @ centred / n - covariance) / spread
    return bool(off_mean.max() < limit and off_covariance.max() < limit)


@pytest.mark.parametrize(
    ("shift", "scale", "turned", "passes"),
    [(0, 1, False, True), (0.1, 1, False, False), (0, 1.1, False, False), (0, 1, True, False)],
)
def test_samples_have_the_stated_mean_and_covariance_and_no_other(
    shift, scale, turned, passes, rng
):
    draws = Gaussian.of(MEAN, S).draw(20_000, rng)
    claimed = S * scale
    if turned:
        claimed = claimed * np.sign(np.outer([1, -1, 1, 1], [1, -1, 1, 1]))
    assert agrees(draws, MEAN + shift, claimed) == passes


def test_a_direction_without_variance_is_kept_exactly(rng):
    flat = np.linalg.eigh(S)[1][:, 0]
    draws = Gaussian.of(MEAN, S).draw(1000, rng)
    np.testing.assert_allclose((draws - MEAN) @ flat, 0, atol=1e-6)


def test_the_same_seed_draws_the_same_rows():
    first, second, other = (
        Gaussian.of(MEAN, S).draw(20, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, second)
    assert not np.allclose(first, other)
