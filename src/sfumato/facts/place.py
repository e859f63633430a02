"""Where a number lies among public points: a whole number that keeps the order.

The points are all i · 2^j with |i| ≤ 1024: every float of at most ten significant bits.  A
number is one of them, or lies in the open gap between two neighbours.  Places are whole numbers in
the order of the line, and the place of a number follows from that number alone: it is the head of
its binary form, and whether anything follows.

>>> places(np.array([0.0, 1.0, 1.0001, -1.0, 1.5])) - ONE
array([-1047552,        0,        1, -2095104,      512])
"""

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Whole

__all__ = ["FINEST", "MOST_UNITS", "ONE", "UNREADABLE", "cells", "places"]

MOST_UNITS = 1024  # windows end at most so many of their units away from zero
FINEST = -28  # the smallest unit is 2^-28; smaller numbers are told from zero, and no more
_LARGEST = 62
_DROPPED = 43  # bits of the 52 after the first: nine remain
UNREADABLE = 2**40  # beyond all places


def _head(power: int) -> int:
    return int(np.float64(2.0**power).view(np.int64) >> _DROPPED)


ONE = 2 * _head(0)
_LEAST, _MOST = 2 * _head(FINEST - 2), 2 * _head(_LARGEST)


def places(numbers: NDArray[np.float64]) -> Whole:
    """The place of each number; infinities lie beyond all windows, not-a-number is unreadable."""
    bits = np.abs(numbers).view(np.int64)
    inside = (bits & ((1 << _DROPPED) - 1)) != 0
    place = np.clip(2 * (bits >> _DROPPED) + inside, _LEAST, _MOST)
    place = np.where(numbers == 0, 0, np.where(numbers < 0, -place, place))
    found: Whole = np.where(np.isnan(numbers), UNREADABLE, place)
    return found


def cells(place: Whole, power: int) -> tuple[Whole, Whole]:
    """The last multiple of 2^power at or below a place, and the first at or above it.

    In multiples; beyond ±1024 of them, the next one stands for all.

    >>> [cell.tolist() for cell in cells(places(np.array([2.0, 2.1, -2.1, 9e99])), 0)]
    [[2, 2, -3, 1025], [2, 3, -2, 1025]]
    """
    size = np.abs(place)
    point = ((size >> 1) << _DROPPED).view(np.float64) * 2.0**-power
    point = np.where(size == 0, 0.0, np.minimum(point, MOST_UNITS + 1.0))
    floor = np.floor(point)
    ceiling = np.where(size & 1, floor + 1, np.ceil(point))
    up = place >= 0
    low, high = np.where(up, floor, -ceiling), np.where(up, ceiling, -floor)
    beyond = MOST_UNITS + 1
    return (
        np.clip(low, -beyond, beyond).astype(np.int64),
        np.clip(high, -beyond, beyond).astype(np.int64),
    )
