"""Amplification: closed forms, brute force over values and priors, and beliefs seen in draws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import binomtest

from sfumato.accuracy import Amplification
from sfumato.errors import ParameterError

FALSE_ALARM = 1e-6  # chance that a right cap fails one statistical test


@pytest.mark.parametrize(
    ("b", "m", "gamma", "cap"),
    [
        (0.2, 1, 148.413, 0.129346),
        (0.3, 1, 28.0316, 0.0272938),
        (0.2, 3, 3.269017e6, 0.999694),
        (0.3, 3, math.exp(10), 0.956613),
        (0.2, 10, math.exp(50), 1.0),
    ],
)
def test_known_values(b, m, gamma, cap):
    found = Amplification.laplace(b, m)
    assert found.gamma == pytest.approx(gamma, rel=1e-5)
    assert found.upward(0.001) == pytest.approx(cap, rel=1e-5)


@given(prior=st.floats(1e-9, 1 - 1e-9), b=st.floats(0.05, 10), m=st.integers(1, 5))
def test_the_caps_are_the_papers_formula_and_mirror_each_other(prior, b, m):
    found = Amplification.laplace(b, m)
    gamma = found.gamma
    formula = gamma * prior / (1 + (gamma - 1) * prior)
    assert found.upward(prior) == pytest.approx(formula, rel=1e-6)
    assert found.downward(prior) == pytest.approx(prior / (prior + gamma * (1 - prior)), rel=1e-6)
    assert found.downward(prior) <= prior * (1 + 1e-9)
    assert found.upward(prior) >= prior * (1 - 1e-9)


def test_brute_force_reaches_the_caps_and_never_exceeds_them():
    """Records on a grid of the range, any two of them, any released value, m = 2."""
    b, prior = 0.4, 0.05
    grid, released = np.linspace(0, 1, 5), np.linspace(-3, 4, 57)
    density = np.exp(-np.abs(released[:, None] - grid) / b)
    logs = np.log(density)  # by value and record
    ratio = (logs[:, :, None] - logs[:, None, :]).max(axis=0)  # between records, best value
    one, two = ratio.max(), (ratio[:, None, :, None] + ratio[None, :, None, :]).max()
    assert one == pytest.approx(Amplification.laplace(b).log_gamma)
    assert two == pytest.approx(Amplification.laplace(b, 2).log_gamma)
    odds = prior / (1 - prior) * math.exp(two)
    assert odds / (1 + odds) == pytest.approx(Amplification.laplace(b, 2).upward(prior))


@pytest.mark.parametrize(
    ("attributes", "claimed", "passes"),
    [(1, 1, True), (3, 3, True), (3, 1, False), (1, 3, False)],
)
def test_beliefs_seen_in_draws_are_those_of_the_right_number_of_attributes(
    attributes, claimed, passes, rng
):
    """A rare record is at one corner, the others at the opposite one; values beyond the rare
    corner are as telling as any can be, so among them it is as frequent as the cap says."""
    b, prior = 0.5, 0.05
    rare = rng.random(400_000) < prior
    y = rare[:, None] + rng.laplace(scale=b, size=(len(rare), attributes))
    telling = (y >= 1).all(axis=1)
    cap = Amplification.laplace(b, claimed).upward(prior)
    p = binomtest(int(rare[telling].sum()), int(telling.sum()), cap).pvalue
    assert (p > FALSE_ALARM) == passes


@pytest.mark.parametrize("extent", [0.5, 2.0, 10.0])
def test_the_printed_density_is_one_only_for_a_range_of_two_and_amplifies_more(extent):
    b = 0.2

    def printed(delta):
        return math.exp(-abs(delta) / b * extent / 2) / (2 * b)

    total = 2 * quad(printed, 0, 60 * b / extent)[0]
    assert total == pytest.approx(2 / extent, rel=1e-6)
    ratio = math.log(printed(0) / printed(extent))
    assert Amplification.as_printed(b, extent).log_gamma == pytest.approx(ratio)
    if extent == 2:
        assert Amplification.as_printed(b).gamma == pytest.approx(22026.47, rel=1e-6)
        assert Amplification.as_printed(b).upward(0.001) == pytest.approx(0.957, abs=5e-4)


def test_what_a_float_cannot_hold_is_infinite_and_its_caps_are_certainties():
    huge = Amplification.laplace(1e-3, 5)
    assert huge.gamma == math.inf
    assert huge.upward(1e-300) == 1
    assert huge.downward(0.5) == 0


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        (lambda: Amplification.laplace(0), "b must"),
        (lambda: Amplification.laplace(math.nan), "b must"),
        (lambda: Amplification.laplace(0.2, 0), "attributes must"),
        (lambda: Amplification.as_printed(0.2, -1), "extent must"),
        (lambda: Amplification(-1.0), "log_gamma must"),
        (lambda: Amplification(1.0).upward(0), "prior must"),
        (lambda: Amplification(1.0).downward(1), "prior must"),
    ],
)
def test_impossible_parameters_are_refused_by_name(wrong, name):
    with pytest.raises(ParameterError, match=name):
        wrong()
