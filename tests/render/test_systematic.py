"""Draws fall as often as they should, give or take one, and in no order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from sfumato.numeric.compiled import HAVE_NUMBA
from sfumato.render import systematic
from sfumato.render.systematic import draw, draw_within

FALSE_ALARM = 1e-6


@hypothesis_settings(max_examples=150)
@given(
    st.lists(st.floats(0, 1e6, allow_subnormal=False), min_size=1, max_size=12),
    st.integers(0, 400),
    st.integers(0, 2**32),
)
def test_every_count_is_within_one_of_its_expectation(weights, rows, seed):
    weights = np.array(weights) + (np.arange(len(weights)) == 0) * 1e-3
    drawn = draw(weights, rows, np.random.default_rng(seed))
    counts = np.bincount(drawn, minlength=len(weights))
    assert len(drawn) == rows
    assert np.abs(counts - rows * weights / weights.sum()).max() < 1 + 1e-6
    assert not counts[weights == 0].any()


@hypothesis_settings(max_examples=60)
@given(st.lists(st.integers(0, 5), max_size=200), st.integers(0, 2**32))
def test_it_holds_within_every_condition(condition, seed):
    rng = np.random.default_rng(seed)
    weights, condition = rng.dirichlet(np.full(4, 0.4), 6), np.array(condition, np.int64)
    drawn = draw_within(condition, weights, rng)
    for k, expected in enumerate(weights):
        inside = drawn[condition == k]
        counts = np.bincount(inside, minlength=4)
        assert np.abs(counts - len(inside) * expected).max() < 1 + 1e-6


def test_independent_draws_are_further_away(rng):
    """The control: what the bound above would say of ordinary draws."""
    weights = rng.dirichlet(np.ones(10))
    counts = np.bincount(rng.choice(10, 1_000, p=weights), minlength=10)
    assert np.abs(counts - 1_000 * weights).max() > 1


def test_conditions_without_rows_or_weights_do_no_harm(rng):
    weights = np.array([[0.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    drawn = draw_within(np.array([2, 1, 1, 0]), weights, rng)
    assert drawn[:3].tolist() == [0, 1, 1]
    assert drawn[3] in (0, 1)
    assert draw_within(np.empty(0, np.int64), weights, rng).tolist() == []


def test_many_conditions_are_told_apart(rng):
    """More than 16 bits can number."""
    conditions = 70_000
    weights = np.zeros((conditions, 2))
    weights[np.arange(conditions), np.arange(conditions) % 2] = 1.0
    condition = rng.integers(0, conditions, 5_000)
    assert np.array_equal(draw_within(condition, weights, rng), condition % 2)


def test_which_row_takes_what_is_left_to_chance(rng):
    """The first row of ten takes the only one among nine zeros one time in ten."""
    weights = np.array([9.0, 1.0])
    first = sum(int(draw(weights, 10, rng)[0]) for _ in range(2_000))
    assert binomtest(first, 2_000, 0.1).pvalue > FALSE_ALARM
    assert binomtest(first, 2_000, 0.2).pvalue < FALSE_ALARM  # the control


@pytest.mark.skipif(not HAVE_NUMBA, reason="numba is not installed: there is one way only")
@pytest.mark.parametrize("conditions", [1, 7, 70_000])
def test_the_draws_are_the_same_without_numba(conditions, rng, monkeypatch):
    condition, weights = rng.integers(0, conditions, 4_000), rng.dirichlet(np.ones(5), conditions)
    monkeypatch.setattr(systematic, "_worthwhile", lambda _: True)
    fast = draw_within(condition, weights, np.random.default_rng(1))
    monkeypatch.setattr(systematic, "_worthwhile", lambda _: False)
    plain = draw_within(condition, weights, np.random.default_rng(1))
    other = draw_within(condition, weights, np.random.default_rng(2))
    assert (fast.dtype, fast.tolist()) == (plain.dtype, plain.tolist())
    assert fast.tolist() != other.tolist()  # the control


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_rows_fewer_than_values_take_the_likely_ones_more_often(rows, rng):
    weights = np.array([0.5, 0.3, 0.1, 0.1])
    counts = sum(np.bincount(draw(weights, rows, rng), minlength=4) for _ in range(3_000))
    for count, share in zip(counts, weights, strict=True):
        assert binomtest(int(count), 3_000 * rows, share).pvalue > FALSE_ALARM
