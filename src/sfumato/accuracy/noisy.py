"""A number that a release states under noise, and what its recipient may conclude.

It is a constant plus a whole-number combination of released entries, each under its own
noise.  Which entries and how often is kept, so that noise which two numbers share is
counted as often as it is there: the women are the records less the men, so the same noise,
and between the two it counts twice.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, gcd, lcm
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.accuracy.discrete_sum import DiscreteSum, Kind, Part
from sfumato.accuracy.law import Law, share
from sfumato.errors import ParameterError, ReleaseError
from sfumato.privacy.guarantee import Number
from sfumato.privacy.mechanism import Event
from sfumato.release.certificate import Certificate

__all__ = [
    "Blocks",
    "Entries",
    "Interval",
    "Noisy",
    "combined",
    "law_of",
    "noise_of",
    "often",
    "shared",
]

Interval = tuple[float, float]
_LAWS: dict[str, Kind] = {"discrete-laplace": "laplace", "discrete-gaussian": "gaussian"}


@dataclass(frozen=True, eq=False)
class Entries:
    """Released numbers under independent noise of one kind; `size` in real units."""

    values: NDArray[np.int64] | NDArray[np.float64]
    kind: Kind
    size: Fraction  # scale or variance
    # So many such noises are in each number: not 1 where parties added more shares than make one.
    often: Fraction = field(default=Fraction(1), kw_only=True)
    independent: ClassVar[bool] = True  # whether each has noise of its own

    @property
    def exact(self) -> bool:
        """Whether the law of a number is the law of its noise, and not that of more noise."""
        return True

    def down(self, noisy: "Noisy", chance: Fraction) -> float:
        """How far below a noisy number the truth may lie, except with this chance."""
        return noisy.law.one_sided(chance)

    def up(self, noisy: "Noisy", chance: Fraction) -> float:
        """How far above a noisy number the truth may lie, except with this chance."""
        return noisy.law.one_sided(chance)

    def clipped(self, noisy: "Noisy") -> int:  # noqa: ARG002  here none ever is
        """How many of its entries were changed, so that noise alone does not explain them."""
        return 0

    def caution(self, noisy: "Noisy") -> str:  # noqa: ARG002  here nothing was
        """What was done to entries before they were released, if anything, and what it means."""
        return ""

    def law(self, noisy: "Noisy") -> Law:
        """The law of the noise of a number."""
        return DiscreteSum.of(self.parts(noisy), noisy.step)

    def noises(self, noisy: "Noisy") -> int:
        """How many noises a number contains."""
        return len(noisy.weights)

    def total(self, which: Iterable[int], step: Fraction, most: Fraction | None = None) -> "Noisy":
        """The sum of entries that count steps of this size; the truth is at least 0."""
        weights = dict.fromkeys(which, 1)
        noise, nothing = self.steps(step), Fraction(0)
        return Noisy(self, weights, noise, nothing, step, nothing, most, whole=step == 1)

    def known(self, value: Fraction, step: Fraction = Fraction(1)) -> "Noisy":
        """A number that is public."""
        whole = step == 1 and value.denominator == 1
        return Noisy(self, {}, self.steps(step), value, step, value, value, whole=whole)

    def steps(self, step: Fraction) -> Fraction:
        """The size of the noise on an entry that counts steps of this size."""
        return self.size / step ** (1 if self.kind == "laplace" else 2)

    def parts(self, noisy: "Noisy") -> Iterable[Part]:
        """The noises of a number, those of equal weight together."""
        return _weighted(self.kind, noisy.size, noisy.weights.values(), self.often)

    def sizes(self, noisy: "Noisy") -> list[Fraction]:  # noqa: ARG002  here there is one
        """Scales or variances of the noises of a number, in real units."""
        return [self.size]


@dataclass(frozen=True, eq=False)
class Blocks(Entries):
    """Counts of which every block has noise of its own size; `size` is the largest of these."""

    ends: tuple[int, ...]
    block_sizes: tuple[Fraction, ...]

    def parts(self, noisy: "Noisy") -> Iterable[Part]:
        """The noises of a number, block by block."""
        for block, weights in self._by_block(noisy).items():
            yield from _weighted(self.kind, self.block_sizes[block], weights, self.often)

    def sizes(self, noisy: "Noisy") -> list[Fraction]:
        """Scales or variances of the blocks that a number is made of."""
        return sorted({self.block_sizes[block] for block in self._by_block(noisy)})

    def _by_block(self, noisy: "Noisy") -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for which, weight in noisy.weights.items():
            found.setdefault(bisect_right(self.ends, which), []).append(weight)
        return found


def _weighted(
    kind: Kind, size: Fraction, weights: Iterable[int], often: Fraction
) -> Iterable[Part]:
    values, counts = np.unique(np.abs(list(weights)), return_counts=True)
    for weight, count in zip(values.tolist(), counts.tolist(), strict=True):
        yield Part(kind, size, count, weight, often)


@dataclass(frozen=True, eq=False)
class Noisy:
    """constant + step · Σ weight · entry; public facts bound it by `least` and `most`.

    >>> entries = Entries(np.array([40, 70]), "laplace", Fraction(5))
    >>> a, b = (entries.total([i], Fraction(1)) for i in (0, 1))
    >>> (a + b).value, (a + b).interval(0.95), (a - b).law.deviation == (a + b).law.deviation
    (110.0, (89.0, 131.0), True)
    """

    entries: Entries = field(repr=False)
    weights: Mapping[int, int] = field(repr=False)
    size: Fraction  # of the noise, in steps of the entries
    constant: Fraction = Fraction(0)
    step: Fraction = Fraction(1)
    least: Fraction | None = None
    most: Fraction | None = None
    whole: bool = False  # whether the truth is a whole number

    @cached_property
    def exactly(self) -> Fraction:
        """The noisy number without rounding."""
        values = self.entries.values
        exact = int if values.dtype.kind == "i" else Fraction
        steps = sum(weight * exact(values[which].item()) for which, weight in self.weights.items())
        return self.constant + self.step * steps

    @property
    def value(self) -> float:
        """The noisy number."""
        return float(self.exactly)

    @property
    def public(self) -> bool:
        """Whether it has no noise at all."""
        return not self.weights

    @property
    def noises(self) -> int:
        """How many noises it contains."""
        return self.entries.noises(self)

    @cached_property
    def law(self) -> Law:
        """The law of its noise; refused for a public number, which has none."""
        return self.entries.law(self)

    @property
    def variance(self) -> float:
        """Of its noise."""
        return 0.0 if self.public else self.law.deviation**2

    def interval(self, confidence: Number) -> Interval:
        """What the truth lies between, with this confidence; cut to what is possible."""
        each = (1 - share("confidence", confidence)) / 2
        if self.public:
            return self.value, self.value
        low = self.exactly - Fraction(self.entries.down(self, each))
        high = self.exactly + Fraction(self.entries.up(self, each))
        if self.whole and ceil(low) <= floor(high):
            low, high = Fraction(ceil(low)), Fraction(floor(high))
        return self.possible(low), self.possible(high)

    def lower_bound(self, confidence: Number) -> float:
        """What the truth is at least, with this confidence."""
        chance = 1 - share("confidence", confidence)
        low = self.exactly - (0 if self.public else Fraction(self.entries.down(self, chance)))
        return self.possible(Fraction(ceil(low)) if self.whole else low)

    def reach(self, chance: Fraction) -> float:
        """How far from the truth it may lie, up or down, except with this chance."""
        return max(self.entries.down(self, chance / 2), self.entries.up(self, chance / 2))

    @property
    def clipped(self) -> int:
        """How many of its entries were changed before they were released."""
        return self.entries.clipped(self)

    def possible(self, value: Fraction) -> float:
        """The nearest value that public facts allow."""
        low = value if self.least is None else max(value, self.least)
        return float(low if self.most is None else min(low, self.most))

    def bounded(self, least: Fraction | None, most: Fraction | None) -> "Noisy":
        """The same number, when more is known about it."""
        return replace(self, least=least, most=most)

    def __add__(self, other: "Noisy") -> "Noisy":
        return self._with(other, 1)

    def __sub__(self, other: "Noisy") -> "Noisy":
        return self._with(other, -1)

    def divided(self, parts: int, more: Fraction) -> "Noisy":
        """A part of the number, in steps as much smaller, and something known on top."""
        return replace(self, constant=self.constant / parts + more, step=self.step / parts)

    def _with(self, other: "Noisy", sign: int) -> "Noisy":
        if self.entries is not other.entries or self.size != other.size:
            raise ParameterError("only numbers of one release in the same steps can be added")
        step = _common_step([self.step, other.step])
        own, others = int(self.step / step), sign * int(other.step / step)
        weights = {which: own * weight for which, weight in self.weights.items()}
        for which, weight in other.weights.items():
            weights[which] = weights.get(which, 0) + others * weight
        ends = (other.least, other.most) if sign > 0 else (other.most, other.least)
        return Noisy(
            self.entries,
            {which: weight for which, weight in weights.items() if weight},
            self.size,
            self.constant + sign * other.constant,
            step,
            _sum(self.least, ends[0], sign),
            _sum(self.most, ends[1], sign),
            self.whole and other.whole,
        )


def shared(numbers: Iterable[Noisy]) -> bool:
    """Whether noise of one of these numbers may be in another as well."""
    found = [noisy for noisy in numbers if not noisy.public]
    used = [which for noisy in found for which in noisy.weights]
    own = all(noisy.entries.independent for noisy in found)
    return not own or len(used) > len(set(used))


def combined(counts: Mapping[str, Noisy], weights: Mapping[str, int]) -> Noisy:
    """Σ weight · number, in one go: there may be ten thousand of them.

    >>> entries = Entries(np.array([40, 70]), "laplace", Fraction(5))
    >>> counts = {name: entries.total([i], Fraction(1)) for i, name in enumerate("ab")}
    >>> combined(counts, {"a": 2, "b": -1}).value
    10.0
    """
    first, constant = next(iter(counts.values())), Fraction(0)
    step = _common_step({first.step, *(counts[name].step for name in weights)})
    entries: Counter[int] = Counter()
    for name, weight in weights.items():
        constant += weight * counts[name].constant
        steps = weight * int(counts[name].step / step)
        for which, often in counts[name].weights.items():
            entries[which] += steps * often
    kept = {which: weight for which, weight in entries.items() if weight}
    return replace(first, weights=kept, constant=constant, step=step, least=None, most=None)


def _common_step(steps: Collection[Fraction]) -> Fraction:
    """The largest step of which all others are multiples."""
    lowest = lcm(*(step.denominator for step in steps))
    return Fraction(gcd(*(int(step * lowest) for step in steps)), lowest)


def noise_of(certificate: Certificate, statistic: str) -> tuple[Kind, Fraction]:
    """The law of the noise that a certificate states, and its scale or variance."""
    event = next((event for event in certificate.events if event.statistic == statistic), None)
    if event is None:
        raise ReleaseError(f"the certificate does not state the noise of {statistic}")
    return law_of(event)


def often(certificate: Certificate) -> Fraction:
    """How often the stated noise is in each number of a release.

    Once, but where several parties added more shares of it than were relied on.
    """
    if certificate.parties is None:
        return Fraction(1)
    found = {certificate.parties.noises(event) for event in certificate.events}
    if None in found:
        joint = certificate.parties
        raise ReleaseError(
            f"the noise is the sum of {len(joint.contributed)} parties' shares of Gaussian noise, "
            f"divided for {joint.honest}: no interval is computed for that law. The limits in "
            "release.json state its variance"
        )
    return found.pop() or Fraction(1)


def law_of(event: Event) -> tuple[Kind, Fraction]:
    """The law of the noise of one measurement, and its scale or variance."""
    if event.noise is None or event.mechanism not in _LAWS:
        raise ReleaseError(f"the certificate does not state the noise of {event.statistic}")
    return _LAWS[event.mechanism], event.noise


def _sum(a: Fraction | None, b: Fraction | None, sign: int) -> Fraction | None:
    return None if a is None or b is None else a + sign * b
