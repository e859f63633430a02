"""Is one mean really smaller than another?  Two-sided t-tests over the trials."""

from math import sqrt

import numpy as np
from numpy.typing import NDArray

__all__ = ["p_value"]


def p_value(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Of Welch's t-test, which does not suppose equal spreads; not-a-number below two trials.

    >>> round(p_value(np.array([1.0, 2.0, 3.0]), np.array([11.0, 12.0, 13.0])), 6)
    0.000255
    """
    from scipy.stats import t

    if len(first) < 2 or len(second) < 2:
        return float("nan")
    a, b = first.var(ddof=1) / len(first), second.var(ddof=1) / len(second)
    gap = float(first.mean() - second.mean())
    if a + b == 0:  # no spread at all: whatever differs, differs for certain
        return float(gap == 0)
    freedom = (a + b) ** 2 / (a**2 / (len(first) - 1) + b**2 / (len(second) - 1))
    return float(2 * t.sf(abs(gap) / sqrt(a + b), freedom))
