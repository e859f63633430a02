"""The binary tree: exact counts without noise, its sensitivity by brute force, its noise law."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from sfumato.inspection.audit.replay import RecordingPurse
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.stream.tree import DyadicCounts, DyadicSums, level, levels, sensitivity
from stream_world import largest_moves, planned, series

FALSE_ALARM = 1e-6


@given(st.lists(st.lists(st.integers(0, 9), max_size=9), max_size=9))
def test_without_noise_every_count_is_exact_however_the_stream_is_cut(parts):
    whole = np.array([x for part in parts for x in part], np.int64)
    height = levels(max(1, whole.size))
    sums, counts = DyadicSums(height), DyadicCounts(height)
    found = [counts.estimate(sums.query(np.array(part, np.int64))) for part in parts]
    assert np.array_equal(np.concatenate([[], *found]), np.cumsum(whole))


@pytest.mark.parametrize("steps", [1, 2, 7, 8, 37])
def test_a_step_measures_the_dyadic_sum_that_ends_there(steps):
    counts = np.arange(1, steps + 1) ** 2
    expected = [counts[t - 2 ** level(t) : t].sum() for t in range(1, steps + 1)]
    assert DyadicSums(levels(steps)).query(counts).tolist() == expected


@pytest.mark.parametrize("steps", [1, 5, 8, 64, 100])
def test_a_count_adds_as_many_measurements_as_its_time_has_binary_ones(steps):
    used = sum(
        DyadicCounts(levels(steps)).estimate(np.eye(steps, dtype=np.int64)[s]) ** 2
        for s in range(steps)
    )
    assert used.tolist() == [t.bit_count() for t in range(1, steps + 1)]


@pytest.mark.parametrize("budget", [PureDP(1), ZCDP(1)])
@pytest.mark.parametrize("length", range(1, 9))
def test_brute_force_attains_the_sensitivity_and_never_exceeds_it(length, budget):
    plan = planned(length, budget, engine="tree")
    claimed = sensitivity(length)
    assert plan.events[0].sensitivity == claimed.l1 == claimed.l2_squared
    assert largest_moves(plan, length) == (float(claimed.l1), float(claimed.l2_squared))


def p_value(noise, weight):
    """Chi-square of whole-number noise against unnormalised weights, tails pooled."""
    reach = np.arange(-2000, 2001)
    probability = weight(reach)
    probability /= probability.sum()
    edge = int(np.abs(reach[probability * noise.size >= 10]).max())
    inside = np.abs(reach) <= edge
    seen = np.array([(noise == k).sum() for k in reach[inside]])
    expected = probability[inside] * noise.size
    seen = np.append(seen, noise.size - seen.sum())
    expected = np.append(expected, noise.size - expected.sum())
    keep = expected > 0
    return chi2.sf(((seen - expected)[keep] ** 2 / expected[keep]).sum(), keep.sum() - 1)


@pytest.mark.parametrize(("error", "passes"), [(1, True), (0.9, False), (1.1, False)])
@pytest.mark.parametrize("budget", [PureDP(2), ZCDP("0.125")])
def test_the_noise_on_every_sum_has_the_stated_law_and_no_other(budget, error, passes):
    plan = planned(2**15, budget, engine="tree", smooth="none")
    purse = RecordingPurse(plan.budget)
    series(plan, np.zeros(2**15, np.uint8), purse)
    (statistic,) = purse.statistics
    noise = statistic.flat(statistic.outputs) - statistic.flat(statistic.exact)
    if isinstance(budget, PureDP):
        scale = 16 / 2 * error  # sixteen levels within 2¹⁵ steps
        found = p_value(noise, lambda k: np.exp(-np.abs(k) / scale))
    else:
        variance = 16 / (2 * 0.125) * error**2
        found = p_value(noise, lambda k: np.exp(-(k**2) / (2 * variance)))
    assert (found > FALSE_ALARM) == passes


def test_memory_is_one_sum_per_level():
    sums = DyadicSums(levels(2**40))
    sums.query(np.ones(1000, np.int64))
    assert len(sums.to_json()["sums"]) == 41
