"""pca-laplace: the noise law, what real numbers would earn, and why it is not claimed."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import kstest

from sfumato.errors import ParameterError
from sfumato.perturb.pca_laplace import coordinate_ranges, local_epsilon, pca_laplace
from sfumato.perturb.rotation import random_orthogonal

FALSE_ALARM = 1e-6  # chance that a correct law fails one statistical test


@pytest.mark.parametrize(("error", "passes"), [(1, True), (0.8, False), (1.25, False)])
def test_noise_is_laplace_at_b_times_the_range_and_at_no_other_scale(error, passes, rng):
    A, U = rng.normal(size=(4_000, 4)), random_orthogonal(4, rng)[:3]
    centre, ranges = np.array([1.0, 0.0, -1.0, 2.0]), np.array([0.5, 3.0, 40.0])
    shown = pca_laplace(A, rng, basis=U, centre=centre, ranges=ranges, b=0.2)
    noise = (shown - (A - centre) @ U.T) / (0.2 * ranges * error)
    assert shown.shape == (4_000, 3)
    assert (kstest(noise.ravel(), "laplace").pvalue > FALSE_ALARM) == passes


@pytest.mark.parametrize("k", [1, 2, 3])
def test_corners_attain_the_range_of_a_coordinate_and_none_exceeds_it(k, rng):
    U, widths = random_orthogonal(3, rng)[:k], np.array([1.0, 10.0, 0.1])
    corners = np.array(list(product((0, 1), repeat=3))) * widths
    attained = np.ptp(corners @ U.T, axis=0)
    np.testing.assert_allclose(coordinate_ranges(U, widths), attained, rtol=1e-12)


def log_ratio(first, second, scales):
    """The largest log ratio of the two densities of a noisy record, over all outcomes."""
    outcomes = np.array(list(product(*zip(first, second, strict=True))))
    far, near = (np.abs(outcomes - record) @ (1 / scales) for record in (second, first))
    return (far - near).max()


def test_no_two_records_are_told_apart_by_more_than_the_local_epsilon_on_real_numbers(rng):
    U, widths = random_orthogonal(3, rng), np.ones(3)
    ranges = coordinate_ranges(U, widths)
    scales = 0.2 * ranges
    coordinates = np.array(list(product((0, 1), repeat=3))) @ U.T
    worst = max(log_ratio(x, y, scales) for x in coordinates for y in coordinates)
    assert worst <= local_epsilon(ranges, scales) * (1 + 1e-12)
    assert local_epsilon(ranges, scales) == pytest.approx(3 / 0.2)


def test_along_the_axes_the_local_epsilon_is_attained():
    """Three coordinates at b = 0.2 cost 15, not the 5 of a single one."""
    scales = np.full(3, 0.2)
    found = log_ratio(np.zeros(3), np.ones(3), scales)
    assert found == pytest.approx(local_epsilon(np.ones(3), scales)) == pytest.approx(15)


def fine_bits(value, rng):
    """Share of released coordinates near 0 that are no multiple of 2^-53."""
    shown = pca_laplace(
        np.full((20_000, 1), value), rng, basis=[[1.0]], centre=[0.0], ranges=[1.0], b=1.0
    )
    near = shown[np.abs(shown) < 0.4]
    assert len(near) > 1_000
    return np.mean(np.ldexp(near, 53) % 1 != 0)


def test_the_last_bits_of_floating_point_noise_tell_two_records_apart(rng):
    """Why the label stays heuristic: an event of probability near 1/4 against exactly 0."""
    assert fine_bits(0.0, rng) > 0.5
    assert fine_bits(1.0, rng) == 0


GOOD = {"basis": [[1.0, 0.0]], "centre": [0.0, 0.0], "ranges": [1.0], "b": 0.2}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"basis": [[1.0, 0.0, 0.0]]}, "basis must have 2 columns"),
        ({"basis": np.eye(3)[:, :2]}, "from 1 to 2 rows"),
        ({"basis": [[2.0, 0.0]]}, "orthonormal"),
        ({"basis": [[np.nan, 0.0]]}, "orthonormal"),
        ({"centre": [0.0]}, "centre must be 2 finite"),
        ({"centre": [0.0, np.inf]}, "centre must be 2 finite"),
        ({"ranges": [0.0]}, "ranges must be a finite number above 0"),
        ({"ranges": [1.0, 1.0]}, "ranges must be a finite number"),
        ({"b": 0}, "b must be a finite number above 0"),
        ({"b": np.nan}, "b must be"),
    ],
)
def test_impossible_parameters_are_refused_by_name(wrong, said, rng):
    with pytest.raises(ParameterError, match=said):
        pca_laplace(np.ones((3, 2)), rng, **(GOOD | wrong))


def test_scales_and_ranges_must_agree():
    with pytest.raises(ParameterError, match="scales must be 2 finite numbers"):
        local_epsilon([1.0, 2.0], [0.1])
