"""The largest of several values: bounds that cover, declarations that are rarely wrong."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binomtest

from sfumato.accuracy.discrete_sum import DiscreteSum
from sfumato.accuracy.extreme import (
    declared,
    flat_prior_below,
    flat_prior_largest,
    maximum,
    minimum,
)
from sfumato.accuracy.laplace_sum import LaplaceSum
from sfumato.accuracy.thesis import claimed_maximum
from sfumato.errors import ParameterError

FALSE_ALARM = 1e-6  # chance that a right bound fails one statistical test
RUNS = 10_000
ONE = LaplaceSum.alike(1, 1.0)

TRUTHS = {
    "one": [7.0],
    "equal": [5.0] * 10,
    "spread": [0.0, 1.0, 2.0, 3.0, 9.0],
    "one above many": [0.0] * 40 + [2.0],
}


@pytest.mark.parametrize("name", TRUTHS)
def test_bounds_on_the_largest_and_smallest_cover(name, rng):
    truth = np.array(TRUTHS[name])
    noisy = truth + rng.laplace(size=(RUNS, truth.size))
    laws = [ONE] * truth.size
    # All laws are alike, so the bounds are the largest noisy value and two fixed distances.
    low, high = maximum([0.0] * truth.size, laws, 0.9)
    top = noisy.max(axis=1)
    above, below = top + high < truth.max(), top + low > truth.max()
    assert binomtest(int(above.sum()), RUNS, 0.05, alternative="greater").pvalue > FALSE_ALARM
    assert binomtest(int(below.sum()), RUNS, 0.05, alternative="greater").pvalue > FALSE_ALARM
    assert maximum(noisy[0].tolist(), laws, 0.9).high == pytest.approx(top[0] + high)
    turned = minimum((-noisy[0]).tolist(), laws, 0.9)
    assert (-turned.high, -turned.low) == pytest.approx((top[0] + low, top[0] + high))


def test_bounds_are_as_tight_as_their_worst_case(rng):
    """From above one noise decides; from below ten equal values need the product."""
    truth = np.zeros(10)
    noisy = truth + rng.laplace(size=(RUNS, 10))
    low, _ = maximum(truth.tolist(), [ONE] * 10, 0.9)
    missed = int((noisy.max(axis=1) + low > 0).sum())
    assert binomtest(missed, RUNS, 0.05).pvalue > FALSE_ALARM
    for_one = -ONE.one_sided(0.05)  # must be caught
    assert binomtest(int((noisy.max(axis=1) + for_one > 0).sum()), RUNS, 0.05).pvalue < FALSE_ALARM
    lonely = np.array([50.0] + [0.0] * 9) + rng.laplace(size=(RUNS, 10))
    missed = int((lonely.max(axis=1) + ONE.one_sided(0.05) < 50).sum())
    assert binomtest(missed, RUNS, 0.05).pvalue > FALSE_ALARM


def test_values_of_different_scale_keep_their_own_distance(rng):
    laws = [LaplaceSum.alike(1, 1.0), LaplaceSum.alike(1, 10.0)]
    truth, missed = np.array([20.0, 15.0]), 0
    noisy = truth + rng.laplace(scale=[1.0, 10.0], size=(RUNS, 2))
    for row in noisy:
        low, high = maximum(row.tolist(), laws, 0.9)
        missed += not low <= 20.0 <= high
    assert binomtest(missed, RUNS, 0.1, alternative="greater").pvalue > FALSE_ALARM
    narrow = [ONE, ONE]  # taking the noisier for the other must be caught
    lost = sum(maximum(row.tolist(), narrow, 0.9).low > 20.0 for row in noisy[:2_000])
    assert binomtest(lost, 2_000, 0.05, alternative="greater").pvalue < FALSE_ALARM


def test_noise_that_is_shared_gets_the_wider_bound():
    values = [3.0, 4.0, 5.0]
    loose = maximum(values, [ONE] * 3, 0.9, independent=False)
    tight = maximum(values, [ONE] * 3, 0.9)
    assert loose.high == tight.high
    assert loose.low < tight.low


@pytest.mark.parametrize("gap", [0.5, 2.0, 6.0])
def test_a_wrong_value_is_declared_with_at_most_the_chance_allowed(gap, rng):
    """Ten values, one of them above the others by so much."""
    truth = np.array([0.0] * 9 + [gap])
    wrong = told = naive = 0
    for row in truth + rng.laplace(size=(RUNS, 10)):
        naive += row.argmax() != 9
        order = np.sort(row)
        if order[-1] - order[-2] < 3:
            continue  # far from enough: P(E ≥ 3) is 0.06, not 0.05 / 9
        found = declared(row.tolist(), [ONE] * 10, 0.05)
        told += found is not None
        wrong += found not in (None, 9)
    assert binomtest(wrong, RUNS, 0.05, alternative="greater").pvalue > FALSE_ALARM
    assert wrong < 0.02 * RUNS  # it is a union bound, and far from reached
    assert told > wrong
    if gap < 3:  # declaring whatever looks largest must be caught
        assert binomtest(naive, RUNS, 0.05, alternative="greater").pvalue < FALSE_ALARM


def test_a_declaration_looks_at_every_other_value_and_its_noise():
    noisy_second = [ONE, LaplaceSum.alike(1, 30.0), ONE]
    assert declared([30.0, 10.0, 0.0], [ONE] * 3, 0.05) == 0
    assert declared([30.0, 10.0, 0.0], noisy_second, 0.05) is None
    assert declared([4.0], [ONE], 0.05) == 0
    shared = declared([30.0, 10.0], [ONE] * 2, 0.05, lambda i, j: LaplaceSum.alike(1, 20.0))
    assert shared is None


def test_the_published_product_for_a_maximum_is_a_loose_bound_with_a_flat_prior():
    loose = claimed_maximum([3.0, 5.0, 4.0], 8.0)
    exact = flat_prior_below([3.0, 5.0, 4.0], [ONE] * 3, 8.0)
    assert loose == pytest.approx(0.108, abs=5e-4)
    assert exact == pytest.approx(0.963, abs=5e-4)


@pytest.mark.parametrize(
    ("values", "laws", "draw"),
    [
        ([3.0, 5.0, 4.0], [ONE] * 3, lambda rng, n: rng.laplace(size=(n, 3))),
        (
            [0.0, 1.0, -2.0],
            [LaplaceSum.alike(3, 1.0), ONE, LaplaceSum.alike(1, 4.0)],
            lambda rng, n: np.stack(
                [rng.laplace(size=(n, 3)).sum(axis=1), rng.laplace(size=n), rng.laplace(0, 4, n)],
                axis=1,
            ),
        ),
    ],
)
def test_flat_prior_chances_are_those_of_draws(values, laws, draw, rng):
    draws, found = 400_000, flat_prior_largest(values, laws)
    truth = np.array(values) - draw(rng, draws)
    counted = np.bincount(truth.argmax(axis=1), minlength=len(values))
    for count, chance in zip(counted, found, strict=True):
        assert binomtest(int(count), draws, float(chance)).pvalue > FALSE_ALARM
        assert binomtest(int(count), draws, float(chance) + 0.01).pvalue < FALSE_ALARM
    assert found.sum() == pytest.approx(1)


def test_flat_prior_chances_on_whole_steps_share_ties():
    """Two values of coarse noise, enumerated."""
    law = DiscreteSum.laplace("3/2")
    k = np.arange(-60, 61)
    chance = np.exp(-np.abs(k) / 1.5)
    chance /= chance.sum()
    first, second = 4 - k[:, None], 2 - k[None, :]
    joint = chance[:, None] * chance[None, :]
    exact = joint[first > second].sum() + joint[first == second].sum() / 2
    found = flat_prior_largest([Fraction(4), Fraction(2)], [law, law])
    assert found[0] == pytest.approx(exact, abs=1e-9)


def test_flat_prior_chances_at_fine_steps_are_those_of_the_smooth_law():
    fine = flat_prior_largest([30_000, 50_000, 40_000], [DiscreteSum.laplace(10_000)] * 3)
    assert fine == pytest.approx(flat_prior_largest([3.0, 5.0, 4.0], [ONE] * 3), abs=2e-3)


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(ParameterError, match="of the same length"):
        maximum([1.0], [], 0.9)
    with pytest.raises(ParameterError, match="at least one"):
        declared([], [], 0.05)
    with pytest.raises(ParameterError, match="at most 4096"):
        flat_prior_largest([0.0] * 5_000, [ONE] * 5_000)
