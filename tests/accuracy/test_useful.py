"""Usefulness both ways: closed forms, draws, and a published theorem that is false."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from sfumato.accuracy.discrete_sum import DiscreteSum
from sfumato.accuracy.laplace_sum import LaplaceSum
from sfumato.accuracy.thesis import claimed_guess
from sfumato.accuracy.useful import useful_chance, useful_distance
from sfumato.errors import ParameterError

FALSE_ALARM = 1e-6  # chance that a right formula fails one statistical test
RUNS = 10_000


def one(scale=1.0):
    return LaplaceSum.alike(1, scale)


@given(st.floats(0, 30), st.floats(-30, 30), st.floats(0.1, 10))
def test_a_guess_has_its_closed_form_near_and_far(sigma, away, scale):
    found = useful_chance(one(scale), sigma, guess=away)
    c = abs(away)
    if sigma >= c:
        exact = math.exp(-sigma / scale) * math.cosh(c / scale)
    else:
        exact = 1 - math.exp(-c / scale) * math.sinh(sigma / scale)
    assert found == pytest.approx(exact, rel=1e-9, abs=1e-12)


def test_the_value_itself_is_useful_as_corollary_7_1_2_says():
    assert useful_chance(one(), 3.0) == pytest.approx(math.exp(-3), rel=1e-10)
    assert useful_distance(one(4.0), 0.05) == pytest.approx(4 * math.log(20), rel=1e-10)


def test_theorem_7_1_1_is_false_for_a_guess_that_is_far():
    """Claimed: within 1 of the truth with 0.99988; in truth with 5.3e-5."""
    assert claimed_guess(1.0, 10.0) > 0.9998
    assert 1 - useful_chance(one(), 1.0, guess=10.0) == pytest.approx(5.3e-5, rel=0.01)


@pytest.mark.parametrize(("sigma", "away"), [(3.0, 0.5), (1.0, 2.0), (0.5, 4.0)])
def test_guesses_are_right_as_often_as_stated(sigma, away, rng):
    within = int((np.abs(away + rng.laplace(size=RUNS)) <= sigma).sum())
    assert binomtest(within, RUNS, 1 - useful_chance(one(), sigma, guess=away)).pvalue > FALSE_ALARM
    if sigma < away:  # what the theorem claims must be caught
        claimed = claimed_guess(sigma, away)
        assert binomtest(within, RUNS, claimed, alternative="less").pvalue < FALSE_ALARM


LAWS = [
    one(),
    LaplaceSum.alike(40, 0.3),
    LaplaceSum.of([1.0, 2.0, 5.0]),
    DiscreteSum.laplace(5),
    DiscreteSum.laplace(5, 50, step="1/4"),
    DiscreteSum.gaussian(30, 4),
]


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("guess", [0.0, 1.5, -20.0])
def test_the_two_ways_are_inverse_and_err_on_the_safe_side(law, guess):
    for chance in (0.4, 0.05, 1e-4):
        sigma = useful_distance(law, chance, guess=guess)
        assert useful_chance(law, sigma, guess=guess) <= chance
        step = float(getattr(law, "step", 0)) + 1e-6 * sigma
        assert sigma <= step or useful_chance(law, sigma - step, guess=guess) > chance * (1 - 1e-9)


def test_means_and_differences_are_scaled_and_joined_sums():
    five, three = LaplaceSum.alike(5, 2.0), LaplaceSum.alike(3, 2.0)
    mean = useful_distance(five.scaled(0.2), 0.05)
    assert mean == pytest.approx(useful_distance(five, 0.05) / 5)
    assert useful_distance(five.joined(three), 0.05) == pytest.approx(
        useful_distance(LaplaceSum.alike(8, 2.0), 0.05)
    )


def test_a_certain_guess_needs_no_distance():
    """Noise that is 0 nearly always, and a guess that is the noisy value."""
    assert useful_distance(DiscreteSum.laplace("1/100"), 0.05) == 0
    assert useful_distance(DiscreteSum.laplace("1/100"), 0.05, guess=2.0) == pytest.approx(2)
    assert useful_distance(DiscreteSum.laplace(1), 0.95, guess=1.0) == 0  # it is right so often


@pytest.mark.parametrize("sigma", [-1.0, math.inf, math.nan])
def test_impossible_distances_are_refused(sigma):
    with pytest.raises(ParameterError, match="sigma must be"):
        useful_chance(one(), sigma)
