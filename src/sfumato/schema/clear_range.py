"""A range that holds no word for missing: of -99 … 120 with -99 as such a word, -98 … 120.

A range is counted in whole steps, and words that are numbers or dates lie between or on them.
They cut the line into gaps; the range keeps to the gap that has most of it.

>>> clear_range((-100, 120), [Fraction(-99)], within=(-1000, 1000))
(-98, 120)
>>> clear_range((0, 5), [Fraction(1)], within=(0, 9), keep=0) is None  # nothing is left beside 0
True
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, isfinite
from typing import Any

from sfumato.schema.consistent import moment_of, numbers_of
from sfumato.schema.written_number import PLAIN, Written

__all__ = ["clear_range", "days_of", "said_numbers"]

_ORIGIN = datetime(2020, 1, 1)  # noqa: DTZ001  dates carry no zone


def clear_range(
    ends: tuple[int, int],
    words: Iterable[Fraction],
    *,
    within: tuple[int, int],
    keep: int | None = None,
) -> tuple[int, int] | None:
    """The ends, at least one step apart, with no word between; None where there is no such range.

    `keep` is an end that was declared and stays.
    """
    least, most = within
    found: tuple[int, int, int] | None = None
    for left, right in pairwise([None, *sorted(set(words)), None]):
        first = least if left is None else max(least, floor(left) + 1)
        last = most if right is None else min(most, ceil(right) - 1)
        if first >= last or (keep is not None and keep not in (first, last)):
            continue
        shared = min(ends[1], last) - max(ends[0], first)
        if found is None or shared > found[0]:
            found = shared, first, last
    if found is None:
        return None
    _, first, last = found
    low, high = (min(max(end, first), last) for end in ends)
    if low < high:
        return low, high
    return (low, low + 1) if low < last else (high - 1, high)


def said_numbers(
    kind: str, words: Iterable[str], form: str | None, how: Written = PLAIN
) -> tuple[Fraction, ...]:
    """The words that are numbers or, for dates, moments: in days from the beginning of 2020.

    `form` and `how` are how the column writes its dates and its numbers.

    >>> said_numbers("integer", ["NA", "-99"], None), said_numbers("date", ["2020-01-03"], None)
    ((Fraction(-99, 1),), (Fraction(2, 1),))
    """
    if kind == "date":
        moments = (moment_of(word, form) for word in words)
        return tuple(days_of(moment) for moment in moments if moment is not None)
    return tuple(Fraction(n) for n in sorted(numbers_of(words, how)) if isfinite(n))


def days_of(moment: Any) -> Fraction:
    """Days from the beginning of 2020, exactly."""
    return Fraction((moment - _ORIGIN) // timedelta(microseconds=1), 86_400 * 10**6)
