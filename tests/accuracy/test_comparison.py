"""Noisy differences: bounds that cover, honest p-values, and priors that are named."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binomtest

from sfumato.accuracy.comparison import Comparison
from sfumato.accuracy.discrete_sum import DiscreteSum
from sfumato.accuracy.laplace_sum import LaplaceSum
from sfumato.accuracy.thesis import claimed_difference
from sfumato.privacy.noise import discrete_laplace
from sfumato.privacy.randomness import SeededBits

FALSE_ALARM = 1e-6  # chance that a right bound fails one statistical test
RUNS = 10_000


@pytest.mark.parametrize("truth", [-40.0, 0.0, 3.0])
def test_bounds_cover_whatever_the_truth_is(truth, rng):
    law = LaplaceSum.alike(6, 2.0)
    seen = truth + rng.laplace(scale=2.0, size=(RUNS, 6)).sum(axis=1)
    slack = -Comparison(0.0, law).lower_bound(0.95)
    assert binomtest(int((seen - slack > truth).sum()), RUNS, 0.05).pvalue > FALSE_ALARM
    low, high = Comparison(0.0, law).interval(0.95)
    outside = int(((seen + low > truth) | (seen + high < truth)).sum())
    assert binomtest(outside, RUNS, 0.05).pvalue > FALSE_ALARM
    for_one_noise = LaplaceSum.alike(1, 2.0).one_sided(0.05)  # must be caught
    missed = int((seen - for_one_noise > truth).sum())
    assert binomtest(missed, RUNS, 0.05, alternative="greater").pvalue < FALSE_ALARM


@pytest.mark.parametrize("level", [0.01, 0.05, 0.3])
def test_small_p_values_are_as_rare_as_they_say_when_nothing_is_larger(level):
    law = DiscreteSum.laplace(5, 4)
    drawn = discrete_laplace(Fraction(5), RUNS * 4, SeededBits(2)).reshape(RUNS, 4).sum(axis=1)
    by_value = {int(c): Comparison(int(c), law).p_value for c in np.unique(drawn)}
    small = sum(by_value[int(c)] <= level for c in drawn)
    assert binomtest(small, RUNS, level, alternative="greater").pvalue > FALSE_ALARM
    narrow = DiscreteSum.laplace(3, 4)  # noise taken for less than it is must be caught
    small = sum(Comparison(int(c), narrow).p_value <= level for c in drawn[:2_000])
    assert binomtest(small, 2_000, level, alternative="greater").pvalue < FALSE_ALARM


def test_a_p_value_counts_the_difference_that_was_seen():
    p = math.exp(-1 / 5)
    seen = Comparison(3, DiscreteSum.laplace(5))
    assert seen.p_value == pytest.approx(p**3 / (1 + p), rel=1e-10)
    assert seen.flat_prior_larger == pytest.approx(1 - p**3 / (1 + p), rel=1e-10)


def test_with_a_flat_prior_a_sum_that_looks_larger_is_larger_as_often_as_stated(rng):
    """All differences equally likely: of those that show as 3, how many are above 0?"""
    law = LaplaceSum.alike(2, 1.0)
    truth = rng.uniform(-40, 40, 4_000_000)
    seen = truth + rng.laplace(size=(2, truth.size)).sum(axis=0)
    shown = truth[np.abs(seen - 3.0) < 0.05]
    larger = int((shown > 0).sum())
    stated = Comparison(3.0, law).flat_prior_larger
    assert binomtest(larger, shown.size, stated).pvalue > FALSE_ALARM
    assert binomtest(larger, shown.size, 1 - (1 - stated) / 2).pvalue < FALSE_ALARM
    assert stated == pytest.approx(1 - Comparison(3.0, law).p_value, rel=1e-9)


def test_with_another_prior_it_is_another_number():
    """Theorem 7.2.4 at ε = 0.1: D is 1 or −1, 600 is seen; claimed 0.99995, in truth 0.549."""
    density = LaplaceSum.alike(2, 10.0)

    def likelihood(truth):
        h = 1e-3
        return (density.at_least(600 - truth - h) - density.at_least(600 - truth + h)) / (2 * h)

    posterior = likelihood(1) / (likelihood(1) + likelihood(-1))
    assert posterior == pytest.approx(0.549, abs=0.001)
    assert claimed_difference(600.0, 2, 10.0) > 0.9999
    assert Comparison(600.0, density).flat_prior_larger > 0.9999  # so it needs its name


@pytest.mark.parametrize(("difference", "count"), [(1.0, 2), (5.0, 2), (12.0, 7), (30.0, 100)])
def test_the_published_figure_is_a_lower_bound_with_a_flat_prior(difference, count):
    law = LaplaceSum.alike(count, 1.0)
    assert claimed_difference(difference, count) < Comparison(difference, law).flat_prior_larger
    assert claimed_difference(-difference, count) == 0


def test_how_close_two_sums_are_with_a_flat_prior():
    """ε = 1, two noises, difference 0 seen, within 1: 0.448; theorem 7.2.5 says at most 0."""
    law = LaplaceSum.alike(2, 1.0)
    assert Comparison(0.0, law).flat_prior_closer_than(1.0) == pytest.approx(0.448, abs=5e-4)
    inside, _ = quad(lambda x: math.exp(-abs(x)) * (1 + abs(x)) / 4, 2.0 - 1.5, 2.0 + 1.5)
    assert Comparison(2.0, law).flat_prior_closer_than(1.5) == pytest.approx(inside, rel=1e-8)
