"""A purse that writes down what each mechanism was given, and gives out earlier outputs again.

With the outputs frozen, neighbouring tables take the same path through an adaptive method,
and what differs is what the records alone decide: the exact values, which must stay within
their sensitivity, and whatever left without noise (Cebere et al. 2026).

>>> from fractions import Fraction
>>> from sfumato.privacy.guarantee import PureDP
>>> from sfumato.privacy.sensitivity import Sensitivity
>>> one = Noise("count", Sensitivity(Fraction(1), Fraction(1)), PureDP(1))
>>> def count(records, script=None):
...     purse = RecordingPurse(PureDP(1), script)
...     purse.pay(one).add(np.array([records]), np.array([1]))
...     return purse
>>> first = count(41)
>>> [(str(l1), str(l2)) for _, l1, l2 in first.distances(count(42, first.outputs))]
[('1.0', '1.0')]
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.guarantee import Guarantee
from sfumato.privacy.mechanism import Noise, Paid, Purse, Whole
from sfumato.privacy.randomness import Bits, SeededBits

__all__ = ["Diverged", "RecordingPurse", "Statistic"]

Script = Sequence[Sequence[Whole]]


class Diverged(Exception):
    """The replayed run asked for other statistics than the one it replays."""


@dataclass(slots=True)
class Statistic:
    """NOT PRIVATE: what one purchase was given and gave out, part by part."""

    noise: Noise
    exact: list[Whole] = field(default_factory=list)
    units: list[Whole] = field(default_factory=list)
    outputs: list[Whole] = field(default_factory=list)

    def flat(self, parts: list[Whole]) -> Whole:
        """All parts as one vector."""
        return np.concatenate([part.ravel() for part in parts] or [np.empty(0, np.int64)])


class RecordingPurse(Purse):
    """NOT PRIVATE: remembers exact values; with a script, hands out its outputs in place of noise.

    Bits are seeded unless given, so that whatever else a method draws repeats as well.
    """

    def __init__(
        self, limit: Guarantee, script: Script | None = None, bits: Bits | None = None
    ) -> None:
        super().__init__(limit, bits or SeededBits(0))
        self.script = script
        self.statistics: list[Statistic] = []

    def pay(self, noise: Noise) -> Paid:
        """Pay as usual; what is added afterwards is written down."""
        bits = self.spend(noise.event)
        statistic = Statistic(noise)
        script = None
        if self.script is not None:
            if len(self.statistics) >= len(self.script):
                raise Diverged
            script = self.script[len(self.statistics)]
        self.statistics.append(statistic)
        return _RecordingPaid(noise, bits, statistic, script)

    @property
    def outputs(self) -> list[list[Whole]]:
        """What was given out, as a script for another run."""
        return [statistic.outputs for statistic in self.statistics]

    @property
    def additive(self) -> bool:
        """Whether every purchase was noise on a statistic: then the outputs are all there is."""
        return len(self.statistics) == len(self.events)

    def distances(self, other: "RecordingPurse") -> Iterator[tuple[Noise, float, float]]:
        """Per statistic: ℓ₁ and squared ℓ₂ distance between the exact inputs of two runs."""
        for mine, theirs in zip(self.statistics, other.statistics, strict=True):
            moved = mine.flat(mine.exact) - theirs.flat(theirs.exact)
            moved = np.abs(moved) / mine.flat(mine.units)
            yield mine.noise, float(moved.sum()), float((moved**2).sum())


@dataclass(frozen=True, slots=True)
class _RecordingPaid(Paid):
    statistic: Statistic
    script: Sequence[Whole] | None

    def add(self, exact: Whole, units: NDArray[np.int64]) -> Whole:
        part = len(self.statistic.outputs)
        if self.script is None:
            noisy = Paid.add(self, exact, units)
        elif part < len(self.script) and self.script[part].shape == np.shape(exact):
            noisy = self.script[part]
        else:
            raise Diverged
        self.statistic.exact.append(np.asarray(exact))
        self.statistic.units.append(np.broadcast_to(units, np.shape(exact)))
        self.statistic.outputs.append(noisy)
        return noisy
