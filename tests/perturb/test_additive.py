"""Additive noise: its law, and the filter that takes it off correlated columns."""

import numpy as np
import pytest
from scipy.stats import kstest

from sfumato.perturb.additive import additive

FALSE_ALARM = 1e-6  # chance that a correct law fails one statistical test


@pytest.mark.parametrize(("error", "passes"), [(1, True), (0.8, False), (1.25, False)])
def test_noise_is_gaussian_with_the_stated_deviation_and_no_other(error, passes, rng):
    A, deviation = rng.normal(size=(4_000, 3)), np.array([0.1, 1.0, 30.0])
    noise = (additive(A, rng, deviation) - A) / (error * deviation)
    assert (kstest(noise.ravel(), "norm").pvalue > FALSE_ALARM) == passes


def test_without_deviation_nothing_changes(rng):
    A = rng.normal(size=(5, 2))
    assert np.array_equal(additive(A, rng, 0), A)


def filtered(noisy, rank):
    """What an attacker does: keep the leading directions of the noisy table alone."""
    centre = noisy.mean(axis=0)
    V = np.linalg.svd(noisy - centre, full_matrices=False)[2][:rank]
    return centre + (noisy - centre) @ V.T @ V


@pytest.mark.parametrize(("correlated", "falls"), [(True, True), (False, False)])
def test_a_spectral_filter_takes_most_noise_off_correlated_columns_only(correlated, falls, rng):
    """Two directions among twenty columns keep a tenth of the noise; without them none falls."""
    hidden = rng.normal(size=(2_000, 2)) @ rng.normal(size=(2, 20))
    A = hidden if correlated else rng.normal(size=hidden.shape)
    noisy = additive(A, rng, 0.5)
    before, after = (((guess - A) ** 2).sum() for guess in (noisy, filtered(noisy, 2)))
    assert (after < 0.15 * before) == falls
