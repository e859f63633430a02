"""Noise of the declared law passes, with the error rates that are stated; the rest does not."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from scipy.stats import binom

from sfumato.inspection.audit.noise_law import TESTS, Drawn, joined, p_values, smallest_error
from sfumato.privacy.noise import discrete_laplace
from sfumato.privacy.randomness import SystemBits

FALSE_ALARM = 1e-6


@pytest.mark.parametrize("size", [0.05, 0.7, 3.0, 40.0])
@pytest.mark.parametrize("kind", ["discrete-laplace", "discrete-gaussian"])
def test_a_place_lies_between_the_sums_of_the_law(kind, size):
    k = np.arange(-3_000, 3_001)
    weights = np.exp(-np.abs(k) / size if "laplace" in kind else -(k**2) / (2 * size))
    up_to = np.cumsum(weights / weights.sum())
    seen = k[(up_to > 1e-12) & (up_to < 1 - 1e-12)]
    drawn = Drawn(kind, seen, np.full(seen.size, size))
    tail, above = drawn.places(np.random.default_rng(0))
    place = np.where(above, 1 - tail, tail)
    at = seen + 3_000
    assert np.all(place >= up_to[at - 1] - 1e-12)
    assert np.all(place <= up_to[at] + 1e-12)


def test_a_large_variance_is_the_small_one_drawn_larger():
    k = np.arange(-300, 300, 7)
    sums = Drawn("discrete-gaussian", k, np.full(k.size, 63.9**2))._up_to(-np.abs(k))
    smooth = Drawn("discrete-gaussian", k, np.full(k.size, 64.1**2))._up_to(-np.abs(k))
    assert np.abs(sums - smooth).max() < 0.001


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(7), Fraction(10**9)])
def test_p_values_of_the_declared_law_are_rarely_small(scale):
    rng, runs, below = np.random.default_rng(4), 400, dict.fromkeys(TESTS, 0)
    for _ in range(runs):
        drawn = Drawn(
            "discrete-laplace", discrete_laplace(scale, 60, SystemBits()), np.full(60, scale)
        )
        drawn = Drawn(drawn.mechanism, drawn.noise, drawn.size.astype(float))
        for name, p in p_values(drawn, rng).items():
            below[name] += p <= 0.05
    allowed = binom.isf(1e-6 / len(TESTS), runs, 0.05)
    assert all(count <= allowed for count in below.values()), below
    assert below["size"] > 0  # the bound is not idle


def test_the_stated_power_is_attained():
    declared, n, allowed = Fraction(50), 300, FALSE_ALARM / len(TESTS)
    size = np.full(n, 50.0)
    factor = smallest_error(Drawn("discrete-laplace", np.zeros(n, np.int64), size), allowed)
    wide = declared * Fraction(factor)
    rng, caught, half, runs = np.random.default_rng(6), 0, 0, 300
    for _ in range(runs):
        noise = discrete_laplace(wide, n, SystemBits())
        caught += p_values(Drawn("discrete-laplace", noise, size), rng)["size"] < allowed
        noise = discrete_laplace(declared * Fraction(sqrt(factor)), n, SystemBits())
        half += p_values(Drawn("discrete-laplace", noise, size), rng)["size"] < allowed
    assert caught >= binom.ppf(1e-6, runs, 0.97)  # 99 % by a normal approximation
    assert half <= binom.isf(1e-6, runs, 0.5)  # control: half of that error is mostly missed


def test_no_power_is_claimed_for_a_handful_of_values():
    assert smallest_error(Drawn("discrete-laplace", np.array([3]), np.array([2.0])), 1e-6) is None


def test_cut_values_count_as_the_tail_that_they_stand_for():
    noise = discrete_laplace(Fraction(20), 4_000, SystemBits())
    low, high = np.full(4_000, -10), np.full(4_000, 15)
    cut = Drawn("discrete-laplace", np.clip(noise, low, high), np.full(4_000, 20.0), low, high)
    rng = np.random.default_rng(7)
    assert min(p_values(cut, rng).values()) > FALSE_ALARM / len(TESTS)
    uncut = Drawn("discrete-laplace", cut.noise, cut.size)  # control: the cut is not declared
    assert min(p_values(uncut, rng).values()) < FALSE_ALARM / len(TESTS)


def test_honest_noise_of_which_most_is_cut_is_not_taken_for_repeated():
    n, scale = 10_000, 1_000
    noise = discrete_laplace(Fraction(scale), n, SystemBits())
    low, high = np.full(n, -5), np.full(n, 5)
    cut = Drawn("discrete-laplace", np.clip(noise, low, high), np.full(n, float(scale)), low, high)
    assert cut.cut.mean() > 0.95
    rng = np.random.default_rng(8)
    assert min(p_values(cut, rng).values()) > FALSE_ALARM / len(TESTS)
    wide = discrete_laplace(Fraction(10**9), n, SystemBits())
    wide[n // 2 :] = wide[: n // 2]  # control: noise that was used twice
    again = Drawn("discrete-laplace", wide, np.full(n, 1e9))
    assert p_values(again, rng)["repeats"] < FALSE_ALARM / len(TESTS)


def test_what_was_seen_on_two_occasions_is_one_sample():
    a = Drawn("discrete-laplace", np.array([1]), np.array([2.0]), np.array([-5]), np.array([1]))
    both = joined([a, a])
    assert both.noise.tolist() == [1, 1]
    assert both.cut.tolist() == [True, True]
