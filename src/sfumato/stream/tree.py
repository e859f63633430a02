"""Running counts from noisy dyadic sums: the binary tree mechanism (Chan, Shi and Song 2011).

Step t measures one number, the sum of the last 2^l counts, where 2^l is the largest power of
two that divides t.  The count up to t is the sum of the measurements at t, at t without its
last binary one, and so on: as many as t has binary ones.

Sensitivity.  Step i enters at most one measurement per level, and levels 0 … ⌊log₂ T⌋ have one
within T steps; the first step attains that.  So one bit moves the series, in ℓ₁ and in squared
ℓ₂, by `levels` = ⌊log₂ T⌋ + 1 at most (`docs/proofs/counter.md`).
Memory.  One sum per level.

>>> sums, counts = DyadicSums(3), DyadicCounts(3)
>>> exact = sums.query(np.array([1, 0, 1, 1]))
>>> exact, counts.estimate(exact)
(array([1, 1, 1, 3]), array([1., 1., 2., 3.]))
"""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Whole
from sfumato.privacy.sensitivity import Sensitivity
from sfumato.stream.saved import LARGEST_NOISY, Saved

__all__ = ["DyadicCounts", "DyadicSums", "level", "levels", "sensitivity"]


def levels(steps: int) -> int:
    """How many sizes of dyadic sums there are within so many steps.

    >>> levels(1), levels(7), levels(8)
    (1, 3, 4)
    """
    return steps.bit_length()


def level(time: int) -> int:
    """The exponent of the largest power of two that divides a time.

    >>> level(1), level(12)
    (0, 2)
    """
    return (time & -time).bit_length() - 1


def sensitivity(steps: int) -> Sensitivity:
    """How far one bit moves all measurements; attained by the first."""
    return Sensitivity(Fraction(levels(steps)), Fraction(levels(steps)))


class _Held:
    """The last sum of each level, where the position has a binary one: all that is kept."""

    def __init__(self, levels: int) -> None:
        self.position = 0
        self._sums = np.zeros(levels, np.int64)

    def _keep(self, made: Whole) -> None:
        """Move on by the steps that were made, with the sums that later steps will need."""
        before, after = self.position, self.position + made.size
        for at in range(self._sums.size):
            end = after >> at << at  # when the sum of this level was measured
            if not after >> at & 1:
                self._sums[at] = 0
            elif end > before:
                self._sums[at] = made[end - before - 1]
        self.position = after

    def to_json(self) -> dict[str, Any]:
        """What is in memory: as private as the sums are."""
        return {"sums": self._sums.tolist()}

    def restore(self, saved: Saved, position: int) -> None:
        """Go on from `to_json`, after so many steps."""
        most = LARGEST_NOISY
        self._sums = saved.wholes("sums", self._sums.size, most=most, least=-most)
        self.position = position


class DyadicSums(_Held):
    """NOT PRIVATE: the exact sum that each step measures."""

    def query(self, counts: Whole) -> Whole:
        """NOT PRIVATE: what the next steps measure."""
        times = self.position + np.arange(1, counts.size + 1)
        start = times & (times - 1)  # the measured counts follow this time
        so_far = np.concatenate([[0], np.cumsum(counts)])
        exact: Whole = so_far[1:] - so_far[np.maximum(start - self.position, 0)]
        # What was counted before this call since `start` are the sums of the levels below.
        below = np.concatenate([[0], np.cumsum(self._sums)])
        exact += np.where(start < self.position, below[_levels_of(times)], 0)
        self._keep(exact)
        return exact


class DyadicCounts(_Held):
    """Post-processing: counts from the noisy sums alone."""

    def estimate(self, noisy: Whole) -> NDArray[np.float64]:
        """The counts up to each of the next steps."""
        size, out = noisy.size, noisy.copy()
        # From the largest sums to the smallest: each adds the count up to where it starts.
        above = np.cumsum(self._sums[::-1])[::-1] - self._sums
        for at in reversed(range(self._sums.size)):
            length = 1 << at
            first = (length - self.position - 1) % (2 * length)
            if first >= size:
                continue
            before = first - length
            if before < 0:
                out[first : first + 1] += above[at]  # a number by itself warns where it wraps
                first, before = first + 2 * length, before + 2 * length
            out[first :: 2 * length] += out[before : size - length : 2 * length]
        self._keep(noisy)
        return out.astype(np.float64)


def _levels_of(times: Whole) -> NDArray[np.uint8]:
    below: NDArray[np.uint8] = np.bitwise_count((times & -times) - 1)
    return below
