"""Dyadic sums whose memory may be seen: the pan-private tree.

A counter holds what it has seen, and memory can be subpoenaed, leaked or stolen.  So every
total is born with noise, before the first bit is added to it, and gets fresh noise when it is
measured; then it is erased.  With the noise of the ordinary tree both times, what an intruder
finds at one moment of his choice, *together with* everything ever published, is as private as
the ordinary series, for bits before and after the intrusion alike (Dwork, Naor, Pitassi and
Rothblum 2010; `docs/proofs/counter.md`).  The price is twice the variance.

Two states differ by the bits between them.  So a further intrusion is covered if the one before it
is announced: every open total then gets fresh noise, and a bit still moves one of the differences
that are seen, under a draw of its own.  The loss stays the same; the price is a draw more.

Noise that is still to come must not be in memory either, nor a key that repeats noise of the
past: `UnkeyedBits` asks the operating system for every draw.

Limits.  Two intrusions with no announcement between them are not covered (no counter whose error
is below the root of the number of bits could do that).  What the source holds, the bit that is
being added at that very moment, and memory that the interpreter freed without wiping it are not
covered.
"""

import os
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Whole
from sfumato.privacy.mechanism import Paid
from sfumato.stream.saved import LARGEST_NOISY, Saved
from sfumato.stream.tree import level, levels

__all__ = ["NoisyTotals", "UnkeyedBits", "without_key"]


class UnkeyedBits:
    """Words from the operating system, each asked for when it is used: nothing is kept here.

    >>> UnkeyedBits().words(2).size, vars(UnkeyedBits())
    (2, {})
    """

    seeded: ClassVar[bool] = False

    def words(self, count: int) -> NDArray[np.uint64]:
        """The next `count` words."""
        return np.frombuffer(bytearray(os.urandom(8 * count)), np.uint64)


def without_key(paid: Paid) -> Paid:
    """The same purchase, drawn from bits that leave nothing in memory; a seeded test stays one."""
    if paid.bits.seeded:
        return paid
    paid.bits.words(1)  # what the purse does before its first draw is done now
    return replace(paid, bits=UnkeyedBits())


class NoisyTotals:
    """The open dyadic sums, one per level at most, each under noise of its own from its birth."""

    def __init__(self, steps: int, paid: Paid) -> None:
        self._steps, self._paid = steps, paid
        self.position = 0
        self.announced = 0  # intrusions
        self._totals = np.zeros(levels(steps), np.int64)
        self._open = self._opened()

    def begin(self) -> None:
        """Give birth to the first totals."""
        self.drop_key()
        self._bear(self._totals.size)

    def drop_key(self) -> None:
        """From here on no key is in memory; to be done before anything is drawn."""
        self._paid = without_key(self._paid)

    def add(self, ones: int) -> None:
        """Count bits of the step under way."""
        self._totals[self._open] += ones

    def close(self) -> Whole:
        """End the step: the sum that it measures under fresh noise; its total is erased."""
        closing = level(self.position + 1)
        noisy = self._noisy(self._totals[[closing]])
        self._totals[closing] = 0
        self.position += 1
        self._open = self._opened()
        self._bear(closing)
        return noisy

    def announce(self) -> None:
        """Somebody has looked: what comes now is hidden from another look by fresh noise."""
        under_way = np.flatnonzero(self._open)
        if under_way.size:
            self._totals[under_way] = self._noisy(self._totals[under_way])
        self.announced += 1

    def to_json(self) -> dict[str, Any]:
        """What is in memory: noisy totals."""
        return {"totals": self._totals.tolist()}

    def restore(self, saved: Saved, position: int) -> None:
        """Go on from `to_json` after so many steps, with the noise that is in the totals."""
        size, most = self._totals.size, LARGEST_NOISY
        self._totals = saved.wholes("totals", size, most=most, least=-most)
        self.position = position
        self._open = self._opened()

    def _opened(self) -> NDArray[np.bool_]:
        """Levels whose sum is under way and will be measured: nothing else is worth holding."""
        at = np.arange(self._totals.size)
        index = self.position >> at
        opened: NDArray[np.bool_] = (index % 2 == 0) & ((index + 1) << at <= self._steps)
        return opened

    def _bear(self, below: int) -> None:
        """Totals that begin now, at the levels below."""
        born = np.flatnonzero(self._open[:below])
        if born.size:
            self._totals[born] = self._noisy(np.zeros(born.size, np.int64))

    def _noisy(self, values: Whole) -> Whole:
        return self._paid.add(values, np.ones(values.size, np.int64))
