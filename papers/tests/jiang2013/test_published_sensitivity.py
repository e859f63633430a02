"""Published against true sensitivities, by the numbers of the proofs."""

import math

import pytest

from papers.jiang2013.sensitivity import comparisons

MOMENTS, CLASSES, SIZES, *PROJECTED = comparisons()


def test_the_published_moments_of_adult_are_a_tenth_too_small():
    assert MOMENTS.published == 5 * 8 / 2 + 5 * 6 + 6 * 9
    assert MOMENTS.true == pytest.approx(104 + 5 * 25 / 12)
    assert MOMENTS.cost == pytest.approx(1.1002, abs=1e-4)


def test_the_published_class_moments_are_a_ninth_too_small_even_without_class_sizes():
    assert CLASSES.published == 90
    assert CLASSES.true == 5 * 8 / 2 + 5 * 5 + 5 * 8 + 5 * 36 / 12
    assert CLASSES.cost == pytest.approx(10 / 9)


def test_exact_class_sizes_cost_without_bound():
    assert math.isinf(SIZES.cost)


def test_the_published_projection_is_sound_and_wasteful():
    for rank, row in zip((1, 5, 10), PROJECTED, strict=True):
        assert row.published == pytest.approx(math.sqrt(35 * rank))
        assert row.true == pytest.approx(math.sqrt(17 * rank))
        assert row.here == pytest.approx(math.sqrt(15 * rank))
        assert row.cost < 1


def test_what_is_released_here_never_needs_more_noise_than_the_true_value():
    assert all(row.here <= row.true for row in comparisons())
