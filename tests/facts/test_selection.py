"""Weights, thresholds and the delta of categories, against the exact law of the noise."""

from fractions import Fraction
from itertools import combinations, product
from math import exp, isqrt, sqrt

import numpy as np
import pytest
from scipy.stats import norm

from sfumato.facts.selection import WEIGHT, item_weight, rounds
from sfumato.privacy.budget import approx_from_zcdp
from sfumato.privacy.guarantee import ApproxDP

BUDGET = ApproxDP("0.5", "1e-6")


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_brute_force_attains_the_distance_of_weights_and_never_exceeds_it(neighbours):
    records = [set(), *({v} for v in "abcd"), *map(set, combinations("abcd", 2)), set("abc")]
    vectors = [
        np.array([item_weight(len(r)) if v in r else 0 for v in "abcd"], np.int64) for r in records
    ]
    apart = [
        int(((x - y) ** 2).sum())
        for x, y in product(vectors, repeat=2)
        if neighbours == "replace-one" or not y.any()
    ]
    allowed = rounds(BUDGET, BUDGET.epsilon, 3, neighbours)[0].noise.sensitivity.l2_squared
    assert max(apart) == allowed * WEIGHT**2
    doubled = [4 * squared for squared in apart]
    assert max(doubled) > allowed * WEIGHT**2  # the whole weight for each of four would be seen


@pytest.mark.parametrize("values", range(1, 40))
def test_the_weights_of_a_record_have_a_norm_of_at_most_one(values):
    assert values * item_weight(values) ** 2 <= WEIGHT**2
    assert item_weight(values) == isqrt(WEIGHT**2 // values) > 0


def leaked(found, k):
    """The chance that one of k values of a single record is found in a round."""
    variance = float(found.noise.event.noise) * WEIGHT**2
    return k * norm.sf((found.threshold - item_weight(k)) / sqrt(variance))


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("columns", [1, 4])
def test_noise_and_thresholds_together_cost_the_delta(columns, neighbours):
    found = rounds(BUDGET, BUDGET.epsilon, columns, neighbours)
    rho = sum((one.noise.cost.rho for one in found), Fraction(0))
    assert approx_from_zcdp(rho, BUDGET.delta / 2).epsilon <= BUDGET.epsilon
    sides = exp(BUDGET.epsilon) + (neighbours == "replace-one")
    single = sum(max(leaked(one, k) for k in range(1, columns + 1)) for one in found)
    assert sides * single <= float(BUDGET.delta / 2)
    assert sides * single > float(BUDGET.delta / 8)  # a looser threshold would be seen


def test_later_rounds_find_rarer_values():
    first, second, third = (
        one.threshold for one in rounds(BUDGET, BUDGET.epsilon, 3, "add-remove")
    )
    assert first > second > third
