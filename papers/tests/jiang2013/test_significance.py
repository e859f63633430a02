"""The t-test agrees with SciPy's and has an answer where that one only warns."""

import numpy as np
import pytest
from scipy.stats import ttest_ind

from papers.jiang2013.significance import p_value


@pytest.mark.parametrize("shift", [0.0, 0.3, 3.0])
def test_it_is_welchs(shift, rng):
    first, second = rng.normal(size=10), rng.normal(shift, 3, size=7)
    expected = ttest_ind(first, second, equal_var=False).pvalue
    assert p_value(first, second) == pytest.approx(expected, rel=1e-9)
    assert p_value(second, first) == pytest.approx(expected, rel=1e-9)


def test_without_any_spread_equal_is_equal_and_different_is_certain():
    assert p_value(np.ones(3), np.ones(3)) == 1
    assert p_value(np.ones(3), np.zeros(3)) == 0


def test_one_trial_decides_nothing():
    assert np.isnan(p_value(np.ones(1), np.zeros(9)))
