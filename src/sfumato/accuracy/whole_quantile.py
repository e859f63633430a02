"""The smallest whole number that noise exceeds with at most a given chance.

Each tail of a sum of many noises is an integral, so few are asked for.  On the scale of a normal
law tails are nearly straight lines: what a line through two of them says is off by some steps in
ten thousand, and its neighbours are asked next.  What is found has been asked, and so has the
number below it: straight lines say where to look, never what holds.

>>> from math import exp
>>> asked = []
>>> def beyond(k):
...     asked.append(k)
...     return 0.5 * exp(-k / 10_000)
>>> smallest_safe(beyond, 0.025, 14_142), len(asked)
(29958, 6)
"""

from collections.abc import Callable
from math import ceil

from scipy.special import ndtri

__all__ = ["smallest_safe"]

_SMALLEST = 1e-300
_TWICE = 2  # looks on one side in a row, before the middle is taken


def smallest_safe(beyond: Callable[[int], float], allowed: float, deviation: float) -> int:
    """The smallest k ≥ 0 whose `beyond` is `allowed` or less; `beyond` falls with k."""
    low, high = 0, max(1, ceil(_normal(allowed) * deviation))
    first = beyond(low)
    if first <= allowed:
        return low
    wanted, under = _normal(allowed), _normal(first)
    while (last := beyond(high)) > allowed:
        low, under = high, _normal(last)
        # A little farther than a line through 0 says, but never more than twice as far.
        high = min(2 * high, max(high + 1, ceil(1.01 * high * wanted / max(under, 1e-9))))
    over, sides = _normal(last), 0
    while high - low > 1:
        share = (wanted - under) / (over - under) if over > under else 0.5
        if abs(sides) > _TWICE:
            share, sides = 0.5, 0
        k = min(max(round(low + share * (high - low)), low + 1), high - 1)
        at = beyond(k)
        if at <= allowed:
            high, over, sides = k, _normal(at), min(sides, 0) - 1
        else:
            low, under, sides = k, _normal(at), max(sides, 0) + 1
    return high


def _normal(chance: float) -> float:
    """How many deviations a normal law exceeds with this chance."""
    return -float(ndtri(min(max(chance, _SMALLEST), 1 - 1e-16)))
