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

from sfumato.numeric.arrays import Codes, Whole
from sfumato.privacy.choice import Choice
from sfumato.privacy.guarantee import Guarantee
from sfumato.privacy.keyed import NoiseKey
from sfumato.privacy.mechanism import Drawing, Event, Noise, Paid, PaidByPart, PaidDraws, Purse
from sfumato.privacy.randomness import Bits, SeededBits

__all__ = ["Diverged", "Draws", "RecordingPurse", "Statistic"]

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

    def flat(self, parts: Sequence[Whole]) -> Whole:
        """All parts as one vector."""
        return np.concatenate([part.ravel() for part in parts] or [np.empty(0, np.int64)])


@dataclass(slots=True)
class Draws:
    """NOT PRIVATE: the scores that the draws of one purchase were made by, and what they took."""

    choice: Choice
    scores: list[Whole] = field(default_factory=list)
    outputs: list[Whole] = field(default_factory=list)

    def moved_apart(self, other: "Draws") -> float:
        """The most that two scores of a draw move apart, as a share of what is claimed."""
        parts = zip(self.scores, other.scores, strict=True)
        most = max((int(np.ptp(theirs - mine)) for mine, theirs in parts), default=0)
        return most / float(2 * self.choice.sensitivity * self.choice.unit)

    def surprise(self) -> float:
        """Minus the log-probability of all that was taken."""
        total = 0.0
        for scores, taken in zip(self.scores, self.outputs, strict=True):
            away = float(self.choice.rate) * (scores - scores.max()).astype(np.float64)
            total += float(np.logaddexp.reduce(away) - away[int(taken[0])])
        return total


class RecordingPurse(Purse):
    """NOT PRIVATE: remembers exact values; with a script, hands out its outputs in place of noise.

    Bits are seeded unless given, so that whatever else a method draws repeats as well.
    """

    def __init__(
        self, limit: Guarantee, script: Script | None = None, bits: Bits | None = None
    ) -> None:
        super().__init__(limit, bits or SeededBits(0))
        self.script = script
        self.purchases: list[Statistic | Draws] = []

    def pay(self, noise: Noise) -> "_RecordingPaid":
        """Pay as usual; what is added afterwards is written down."""
        bits, script = self.spend(noise.event), self._next()
        statistic = Statistic(noise)
        self.purchases.append(statistic)
        return _RecordingPaid(noise, bits, statistic, script)

    def pay_by_part(self, noise: Noise) -> PaidByPart:
        """Pay as usual; what is added to any part afterwards is written down."""
        paid = self.pay(noise)
        key = NoiseKey.of(paid.bits, noise.event.statistic)
        return _RecordingByPart(noise, key, paid.statistic, paid.script)

    def pay_draws(self, event: Event, choice: Drawing) -> PaidDraws:
        """Pay as usual; what is drawn afterwards is written down."""
        if not isinstance(choice, Choice):
            return super().pay_draws(event, choice)
        bits, script = self.spend(event), self._next()
        draws = Draws(choice)
        self.purchases.append(draws)
        return _RecordingDraws(choice, bits, draws, script)

    def _next(self) -> Sequence[Whole] | None:
        if self.script is None:
            return None
        if len(self.purchases) >= len(self.script):
            raise Diverged
        return self.script[len(self.purchases)]

    @property
    def statistics(self) -> list[Statistic]:
        """The purchases that are noise on a statistic."""
        return [bought for bought in self.purchases if isinstance(bought, Statistic)]

    @property
    def draws(self) -> list[Draws]:
        """The purchases that are draws among candidates."""
        return [bought for bought in self.purchases if isinstance(bought, Draws)]

    @property
    def outputs(self) -> list[list[Whole]]:
        """What was given out, as a script for another run."""
        return [bought.outputs for bought in self.purchases]

    @property
    def complete(self) -> bool:
        """Whether every purchase was written down: then the outputs are all there is."""
        return len(self.purchases) == len(self.events)

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

    def add(self, exact: Whole, units: Whole) -> Whole:
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


@dataclass(frozen=True, slots=True)
class _RecordingByPart(PaidByPart):
    statistic: Statistic
    script: Sequence[Whole] | None

    def part(self, number: int, codes: Codes) -> Paid:
        bits = self.key.part(number, codes)
        return _RecordingPaid(self.noise, bits, self.statistic, self.script)


@dataclass(frozen=True, slots=True)
class _RecordingDraws(PaidDraws):
    draws: Draws
    script: Sequence[Whole] | None

    def draw(self, scores: Whole) -> int:
        part = len(self.draws.outputs)
        if self.script is None:
            taken = PaidDraws.draw(self, scores)
        elif part < len(self.script) and 0 <= int(self.script[part][0]) < len(scores):
            taken = int(self.script[part][0])
        else:
            raise Diverged
        self.draws.scores.append(np.asarray(scores))
        self.draws.outputs.append(np.array([taken]))
        return taken
