"""Rotation: uniform matrices, distances kept, and the known records that undo it."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import kstest

from sfumato.errors import ParameterError
from sfumato.perturb.rotation import orthogonal, random_orthogonal, rotation

FALSE_ALARM = 1e-6  # chance that a correct law fails one statistical test


def entries(draw, rng):
    """The first entry of 3000 matrices: for m = 3 it is uniform on [-1, 1] (Archimedes)."""
    return np.array([draw(rng)[0, 0] for _ in range(3_000)])


def test_random_rotations_are_uniform(rng):
    found = entries(lambda rng: random_orthogonal(3, rng), rng)
    assert kstest(found, "uniform", args=(-1, 2)).pvalue > FALSE_ALARM


def test_the_law_tells_plain_qr_factors_from_uniform_ones(rng):
    """Positive control of the test above: without the signs the factors are not uniform."""
    plain = entries(lambda rng: np.linalg.qr(rng.standard_normal((3, 3)))[0], rng)
    assert kstest(plain, "uniform", args=(-1, 2)).pvalue < FALSE_ALARM


def test_reflections_are_as_likely_as_turns(rng):
    turns = sum(np.linalg.det(random_orthogonal(4, rng)) > 0 for _ in range(1_000))
    assert abs(turns - 500) < 78  # 4.9 deviations: a false alarm below 1e-6


@pytest.mark.parametrize("m", [1, 2, 7])
def test_random_matrices_are_orthogonal(m, rng):
    assert orthogonal(random_orthogonal(m, rng), m).shape == (m, m)


def test_distances_are_kept_and_values_are_not(rng):
    A = rng.normal(size=(30, 5))
    turned = rotation(A, rng)
    np.testing.assert_allclose(pdist(turned), pdist(A), rtol=1e-10)
    assert np.abs(turned - A).max() > 0.1


def test_a_given_matrix_is_used_as_it_is(rng):
    A, R = rng.normal(size=(6, 3)), np.eye(3)[[2, 0, 1]]
    np.testing.assert_allclose(rotation(A, rng, R=R), A @ R)


@pytest.mark.parametrize(("error", "passes"), [(1, True), (0.8, False), (1.25, False)])
def test_noise_is_added_after_the_turn(error, passes, rng):
    A, R = rng.normal(size=(3_000, 4)), random_orthogonal(4, rng)
    noise = (rotation(A, rng, R=R, deviation=0.2) - A @ R) / (0.2 * error)
    assert (kstest(noise.ravel(), "norm").pvalue > FALSE_ALARM) == passes


def test_as_many_known_records_as_columns_undo_a_rotation(rng):
    A = rng.normal(size=(200, 6))
    turned = rotation(A, rng)
    R = np.linalg.solve(A[:6], turned[:6])
    np.testing.assert_allclose(turned @ R.T, A, atol=1e-9)


def test_one_known_record_less_leaves_the_others_open(rng):
    """Positive control of the test above: least squares on five of six columns go astray."""
    A = rng.normal(size=(200, 6))
    turned = rotation(A, rng)
    R = np.linalg.lstsq(A[:5], turned[:5], rcond=None)[0]
    assert np.abs(turned @ R.T - A).max() > 0.1


@pytest.mark.parametrize(
    ("R", "said"),
    [
        (np.eye(2), "must be 3 × 3"),
        (np.ones(3), "must be 3 × 3"),
        (2 * np.eye(3), "orthogonal"),
        (np.full((3, 3), np.nan), "orthogonal"),
        ([["a"]], "numbers"),
    ],
)
def test_a_matrix_that_is_no_rotation_of_the_columns_is_refused(R, said, rng):
    with pytest.raises(ParameterError, match=said):
        rotation(rng.normal(size=(4, 3)), rng, R=R)
