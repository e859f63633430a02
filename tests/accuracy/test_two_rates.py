"""Counts from answers at two rates: unbiased, and intervals that hold as often as they say."""

import numpy as np
import pytest
from scipy.stats import binom

from sfumato.accuracy.two_rates import TwoRates
from sfumato.errors import ParameterError

RATES = [(0.75, 0.25), (0.5, 0.12), (0.99, 0.01)]


def law(m, n, own, other):
    """P_m(C = c) for c = 0 … n, by convolution."""
    first, second = (
        binom.pmf(np.arange(m + 1), m, own),
        binom.pmf(np.arange(n - m + 1), n - m, other),
    )
    return np.convolve(first, second)


@pytest.mark.parametrize(("own", "other"), RATES)
@pytest.mark.parametrize("n", [1, 5, 23])
def test_every_interval_is_that_of_a_search_through_all_truths(n, own, other):
    laws = [law(m, n, own, other) for m in range(n + 1)]
    for c in range(n + 1):
        low = [m for m in range(n + 1) if laws[m][c:].sum() > 0.025]
        high = [m for m in range(n + 1) if laws[m][: c + 1].sum() > 0.025]
        expected = (low[0] if low else n, high[-1] if high else 0)
        assert TwoRates(c, n, n, own, other).interval("0.95") == expected


@pytest.mark.parametrize(("own", "other"), RATES)
def test_the_truth_is_covered_with_the_stated_confidence_whatever_it_is(own, other):
    """No sampling: the chance of all observations whose interval misses the truth, added up."""
    n = 40
    ends = [TwoRates(c, n, n, own, other).interval("0.9") for c in range(n + 1)]
    values = np.array([TwoRates(c, n, n, own, other).value for c in range(n + 1)])
    for m in range(n + 1):
        chances = law(m, n, own, other)
        missed = sum(
            p for p, (low, high) in zip(chances, ends, strict=True) if not low <= m <= high
        )
        assert missed <= 0.1 + 1e-9
        assert chances @ values == pytest.approx(m)  # right on average


def test_one_sided_bounds_are_a_part_of_the_interval():
    seen = TwoRates(4_200, 10_000, 10_000, 0.75, 0.25)
    assert seen.interval("0.9") == (seen.lower_bound("0.95"), seen.upper_bound("0.95"))


def test_a_million_records_are_near_to_a_normal_law():
    n = 10**6
    seen = TwoRates(420_000, n, n, 0.75, 0.25)
    low, high = seen.interval("0.95")
    assert (high - low) / (2 * 1.96 * seen.deviation) == pytest.approx(1, abs=0.01)


def test_more_draws_than_records_are_bits_of_one_record():
    seen = TwoRates(600, 3_000, 1_000, 0.5, 0.1)
    low, high = seen.interval("0.95")
    assert 0 <= low <= seen.value <= high <= 1_000


@pytest.mark.parametrize("yes", [0, 3, 10])
def test_answers_that_never_lie_leave_no_doubt(yes):
    assert TwoRates(yes, 10, 10, 1.0, 1e-300).interval("0.95") == (yes, yes)


def test_nobody_asked_is_nobody_counted_and_a_wrong_confidence_is_refused():
    assert TwoRates(0, 0, 0, 0.75, 0.25).interval("0.95") == (0, 0)
    with pytest.raises(ParameterError, match="confidence must be above 0 and below 1"):
        TwoRates(1, 2, 2, 0.75, 0.25).interval(1)
