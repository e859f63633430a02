"""Records from noisy leaf counts: shares rounded without favour, values uniform in their leaf."""

import numpy as np
import pytest
from scipy.stats import chisquare

from sfumato.render.leaves import Parts, apportion, sample

FALSE_ALARM = 1e-6


@pytest.mark.parametrize("rows", [0, 1, 7, 1_000])
def test_shares_are_rounded_up_or_down_and_sum_to_the_rows(rows, rng):
    for counts in (rng.normal(0, 5, 40), np.zeros(9), np.full(5, -3.0), np.array([1e18, 1.0, 0.0])):
        found = apportion(counts, rows, rng)
        shares = np.maximum(counts, 0) if (counts > 0).any() else np.ones(len(counts))
        assert found.sum() == rows
        assert found.min() >= 0
        assert (np.abs(found - shares * rows / shares.sum()) < 1 + 1e-9).all()


def test_no_cell_is_favoured_by_the_rounding(rng):
    found = sum(apportion(np.ones(7), 3, rng) for _ in range(7_000))
    assert found.sum() == 21_000
    assert chisquare(found).pvalue > FALSE_ALARM
    assert chisquare(found + np.arange(7) * 100).pvalue < FALSE_ALARM


def test_records_are_uniform_inside_their_region_and_nowhere_else(rng):
    columns = [
        Parts(0, np.array([-1, 0, 1, 2, 3], np.int32), [(0, 2), (2, 5)]),
        Parts(1, np.array([2, 0, 1], np.int32), [(0, 3)]),
    ]
    counts = np.array([100_000, 50_000])
    codes = np.concatenate(list(sample(columns, counts, np.asarray, rng)))
    first, second = np.bincount(codes[:, 0] + 1), np.bincount(codes[:, 1])
    assert first[:2].sum() == 100_000
    assert first[2:].sum() == 50_000
    for found, even in ((first[:2], True), (first[2:], True), (second, True), (first, False)):
        assert (chisquare(found).pvalue > FALSE_ALARM) == even


def test_rows_of_different_leaves_are_mixed(rng):
    columns = [Parts(0, np.arange(4, dtype=np.int32), [(i, i + 1) for i in range(4)])]
    codes = np.concatenate(list(sample(columns, np.full(4, 250), np.asarray, rng)))[:, 0]
    assert np.bincount(codes).tolist() == [250] * 4
    assert set(np.bincount(codes[:40]).tolist()) <= set(range(8, 13))
