"""Rates, errors and their differences: exact intervals, coverage, what too few tries show."""

from itertools import product
from math import inf, isnan

import numpy as np
import pytest
from attacked import FALSE_ALARM
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom, binomtest

from sfumato.inspection.attack import Chance, Error, Rate, gap
from sfumato.inspection.attack.outcome import telling


@pytest.mark.parametrize(("hits", "tries"), [(0, 7), (3, 7), (7, 7), (40, 1000)])
@pytest.mark.parametrize("confidence", [0.95, 1 - 1e-6])
def test_the_interval_of_a_rate_is_the_one_of_clopper_and_pearson(hits, tries, confidence):
    error = (1 - confidence) / 2
    low = beta.ppf(error, hits, tries - hits + 1) if hits else 0
    high = beta.isf(error, hits + 1, tries - hits) if hits < tries else 1
    assert Rate(hits, tries).interval(confidence) == pytest.approx((low, high), abs=1e-9)


def test_a_design_effect_divides_the_tries():
    assert Rate(6, 20, 2.0).interval(0.95) == pytest.approx(Rate(3, 10).interval(0.95))
    assert Rate(6, 20, 2.0).value == Rate(6, 20).value
    assert not telling(Rate(20, 20, 4.0), 0.95)
    assert telling(Rate(20, 20), 0.95)


@pytest.mark.parametrize("tries", [1, 10, 40])
@pytest.mark.parametrize("p", [0.01, 0.3, 0.5, 0.99])
def test_the_interval_of_a_rate_covers_the_truth_as_often_as_it_says(tries, p):
    """Exactly, by going through every count; a normal interval would fail at the edges."""
    chances = binom.pmf(np.arange(tries + 1), tries, p)
    ends = [Rate(hits, tries).interval(0.9) for hits in range(tries + 1)]
    covered = sum(c for c, (low, high) in zip(chances, ends, strict=True) if low <= p <= high)
    assert covered >= 0.9


def test_the_gap_of_two_rates_covers_the_truth_as_often_as_it_says():
    n, p, q = 12, 0.2, 0.6
    counts = binom.pmf(np.arange(n + 1), n, p)[:, None] * binom.pmf(np.arange(n + 1), n, q)
    covered = 0.0
    for one, other in product(range(n + 1), repeat=2):
        found = gap(Rate(one, n), Rate(other, n), 0.9)
        covered += counts[one, other] * (found.low <= p - q <= found.high)
    assert covered >= 0.9


@pytest.mark.parametrize(("width", "holds"), [(1, True), (0.5, False)])
def test_the_interval_of_an_error_covers_the_truth_as_often_as_it_says(width, holds, rng):
    """Mean squares of 400 normal errors; half the width must be caught."""
    runs, hits = 2_000, 0
    for squares in rng.normal(size=(runs, 400)) ** 2:
        found = Error.of(squares)
        shrunk = Error(found.mean_square, found.standard_error * width, found.tries)
        low, high = shrunk.interval(0.95)
        hits += low <= 1 <= high
    # Squares are skew, so a normal interval covers a little less than it says: 94 % here.
    assert (binomtest(hits, runs, 0.94, "less").pvalue > FALSE_ALARM) == holds


def test_an_error_is_the_root_of_the_mean_square():
    assert Error.of(np.array([0.0, 2.0, 4.0, 6.0])).value == pytest.approx(np.sqrt(3))


def test_a_smaller_error_and_a_larger_rate_are_better_for_the_attacker():
    small, large = (Error.of(np.full(50, size)) for size in (0.01, 1.0))
    assert gap(small, large, 0.95).low > 0 > gap(large, small, 0.95).high
    assert gap(Rate(50, 50), Rate(0, 50), 0.95).low > 0 > gap(Rate(0, 50), Rate(50, 50), 0.95).high


def test_a_chance_that_is_known_has_no_width():
    found = gap(Rate(90, 100), Chance(0.5), 0.95)
    assert found.low == pytest.approx(Rate(90, 100).interval(0.975)[0] - 0.5)


def test_without_a_try_anything_is_possible():
    assert isnan(Rate(0, 0).value)
    assert Rate(0, 0).interval(0.95) == (0, 1)
    nothing = Error.of(np.array([]))
    assert isnan(nothing.value)
    assert nothing.interval(0.95) == (0, inf)
    assert Error.of(np.array([4.0])).interval(0.95) == (0, inf)


@pytest.mark.parametrize(("confidence", "fewest"), [(0.95, 7), (1 - 1e-6, 22)])
def test_too_few_tries_cannot_tell_a_perfect_attack_from_none(confidence, fewest):
    assert telling(Rate(0, fewest), confidence)
    assert not telling(Rate(fewest - 1, fewest - 1), confidence)


def test_too_few_records_have_no_normal_interval():
    assert telling(Error.of(np.ones(30)), 0.95)
    assert not telling(Error.of(np.ones(29)), 0.95)


@given(st.integers(1, 60), st.data())
def test_an_interval_holds_its_rate_and_grows_with_confidence(tries, data):
    rate = Rate(data.draw(st.integers(0, tries)), tries)
    (low, high), (lower, higher) = rate.interval(0.9), rate.interval(0.99)
    assert 0 <= lower <= low <= rate.value <= high <= higher <= 1
