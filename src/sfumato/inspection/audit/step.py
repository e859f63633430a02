"""The tape of a run as measurements: what each was declared to cost, and what it costs.

Between two runs along the same outputs a measurement moves by a distance, to be compared with
its declared sensitivity, and that distance has a price under the noise that was really drawn:

    Laplace    ε = Σ |moved| / scale                 Gaussian   ρ = Σ moved² / (2 · variance)
    a draw     ε = rate · how far scores move apart
    an answer  ε = the largest ratio of its chances

A pure ε costs ρ = ε²/2 where a promise is in ρ (Bun and Steinke 2016, proposition 1.4).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.inspection.audit.redraw import Laws, law_key
from sfumato.inspection.audit.tape import Added, Answered, Chosen, Entry, Redrawn
from sfumato.numeric.arrays import Vector
from sfumato.privacy.guarantee import ZCDP, LocalDP, PureDP
from sfumato.privacy.mechanism import Event

__all__ = ["Moved", "Price", "Step", "steps_of"]

_LAWS = Laws()
_TINY = 1e-300  # stands for a price of nothing where one divides by it


@dataclass(frozen=True)
class Price:
    """A loss in both currencies; Gaussian noise has no finite ε."""

    epsilon: float
    rho: float

    @classmethod
    def of(cls, cost: Any) -> "Price":
        """Of a guarantee; what promises nothing costs everything."""
        if isinstance(cost, PureDP | LocalDP):
            return cls.pure(float(cost.epsilon))
        return cls(np.inf, float(cost.rho) if isinstance(cost, ZCDP) else np.inf)

    @classmethod
    def pure(cls, epsilon: float) -> "Price":
        """Of ε, and of the ρ that it is at most."""
        return cls(epsilon, epsilon**2 / 2)

    def __add__(self, other: "Price") -> "Price":
        return Price(self.epsilon + other.epsilon, self.rho + other.rho)


NOTHING = Price(0.0, 0.0)


@dataclass(frozen=True)
class Moved:
    """How far a measurement is from those of other runs: over its sensitivity, and priced."""

    ratio: Vector  # in the norm that its noise is made for
    other: Vector  # in the other one, which is declared as well
    epsilon: Vector
    rho: Vector


@dataclass(frozen=True, eq=False)
class Step:
    """One measurement of a run."""

    name: str
    entries: tuple[Entry, ...]
    event: Event | None  # what was paid for it; None where nothing was

    @property
    def law(self) -> Hashable:
        """All that may not depend on a record."""
        return self.name, self.event, tuple(_law(entry) for entry in self.entries)

    @property
    def cost(self) -> Price:
        """What was paid; nothing buys nothing."""
        return NOTHING if self.event is None else Price.of(self.event.cost)

    @property
    def draws(self) -> float:
        """How many draws the event pays for, where it is one of choices."""
        first = self.entries[0]
        if not isinstance(first, Chosen) or first.choice is None:
            return 1.0
        each = Price.of(first.choice.budget)
        if isinstance(self.event and self.event.cost, ZCDP):
            return self.cost.rho / each.rho
        return self.cost.epsilon / each.epsilon

    @property
    def stated(self) -> Price:
        """What the declared sensitivity costs under the noise that was really drawn."""
        first = self.entries[0]
        if isinstance(first, Added):
            moved = first.noise.sensitivity
            added = [e for e in self.entries if isinstance(e, Added) and e.exact.size]
            if not added:
                return NOTHING
            if first.gaussian:
                least = min(float((e.size / e.units.astype(float) ** 2).min()) for e in added)
                return Price(np.inf, float(moved.l2_squared) / (2 * least))
            least = min(float((e.size / e.units).min()) for e in added)
            return Price.pure(float(moved.l1) / least)
        if isinstance(first, Chosen) and first.choice is not None:
            spread = float(2 * first.choice.sensitivity * first.choice.unit)
            each = Price.pure(max(e.rate for e in self.entries if isinstance(e, Chosen)) * spread)
            return Price(self.draws * each.epsilon, self.draws * each.rho)
        return NOTHING  # records are compared with their price alone

    def moved(self, others: Sequence["Step"]) -> Moved:
        """Against the same measurement of other runs, which must have the same law."""
        first = self.entries[0]
        if isinstance(first, Added):
            return self._added(first, others)
        return self._drawn(first, others)

    def _added(self, first: Added, others: Sequence["Step"]) -> Moved:
        units = _flat(self, "units").astype(np.float64)
        size, mine = _flat(self, "size"), _flat(self, "exact")
        steps = (np.stack([_flat(other, "exact") for other in others]) - mine).astype(np.float64)
        real, declared = np.abs(steps) / units, first.noise.sensitivity
        l1, l2 = real.sum(axis=1), np.sqrt((real**2).sum(axis=1))
        l1, l2 = l1 / float(declared.l1), l2 / float(declared.l2_squared) ** 0.5
        if first.gaussian:
            rho = (steps**2 / (2 * size)).sum(axis=1)
            return Moved(l2, l1, np.where(l1 > 0, np.inf, 0.0), rho)
        epsilon = (np.abs(steps) / size).sum(axis=1)
        return Moved(l1, l2, epsilon, epsilon**2 / 2)

    def _drawn(self, first: Entry, others: Sequence["Step"]) -> Moved:
        each = np.array([_apart(self, other) for other in others])  # one row per run
        epsilon, rho = each.sum(axis=1), (each**2).sum(axis=1) / 2
        if isinstance(first, Redrawn | Answered):
            ratio = epsilon / max(self.cost.epsilon, _TINY)
            return Moved(ratio, ratio, epsilon, epsilon**2 / 2)
        if not isinstance(first, Chosen) or first.choice is None:
            undeclared = np.where(epsilon > 0, np.inf, 0.0)
            return Moved(undeclared, undeclared, epsilon, rho)
        spread = float(2 * first.choice.sensitivity * first.choice.unit)
        rates = np.array([e.rate for e in self.entries if isinstance(e, Chosen)])
        scores = each / rates
        ratio = np.maximum(scores.max(axis=1), scores.sum(axis=1) / self.draws) / spread
        return Moved(ratio, ratio, epsilon, rho)


def _flat(step: Step, name: str) -> NDArray[Any]:
    return np.concatenate([getattr(entry, name).ravel() for entry in step.entries])


def _apart(step: Step, other: Step) -> list[float]:
    """The ε of each draw: how far its log-weights move apart."""
    found = []
    for mine, theirs in zip(step.entries, other.entries, strict=True):
        if isinstance(mine, Chosen) and isinstance(theirs, Chosen):
            # As floats: a fault may have filled 64 bits, and a difference of these wraps around.
            before, after = (entry.gaps.astype(np.float64) for entry in (mine, theirs))
            found.append(mine.rate * float(np.ptp(after - before)))
        elif isinstance(mine, Redrawn) and isinstance(theirs, Redrawn):
            found.append(_LAWS.moved_apart(mine.law, mine.codes, theirs.law, theirs.codes))
        elif isinstance(mine, Answered) and isinstance(theirs, Answered):
            found.append(_told_apart(mine, theirs))
    return found


def _told_apart(mine: Answered, theirs: Answered) -> float:
    """The most that any answers of all records tell the two runs apart, in either direction."""
    most = np.zeros(2)
    for a, b in zip(mine.codes.tolist(), theirs.codes.tolist(), strict=True):
        if a != b:
            moved = theirs.response.log_chances(b) - mine.response.log_chances(a)
            most += moved.max(axis=1).sum(), (-moved).max(axis=1).sum()
    return float(most.max())


def _law(entry: Entry) -> Hashable:
    if isinstance(entry, Added):
        shape = entry.exact.shape, str(entry.exact.dtype)
        return entry.noise, shape, entry.gaussian, entry.size.tobytes(), entry.units.tobytes()
    if isinstance(entry, Chosen):
        return entry.choice, entry.gaps.shape, entry.rate
    if isinstance(entry, Answered):
        return entry.codes.shape, entry.response
    return entry.codes.shape, law_key(entry.law)


def steps_of(tape: Sequence[Entry], events: Sequence[Event]) -> list[Step]:
    """Measurements in their order; additions of one purchase, or draws of one name, are one."""
    groups: dict[Hashable, list[Entry]] = {}
    for entry in tape:
        groups.setdefault(_same(entry), []).append(entry)
    found = list[Step]()
    for entries in groups.values():
        name = entries[0].name
        event = next((event for event in events if event.statistic == name), None)
        if isinstance(entries[0], Added):  # of several with one name, the one that was paid here
            event = events[entries[0].purchase - 1]
        taken = sum(step.entries[0].name == name for step in found)
        found.append(Step(f"{name} ({taken + 1})" if taken else name, tuple(entries), event))
    return found


def _same(entry: Entry) -> Hashable:
    return (entry.name, entry.purchase if isinstance(entry, Added) else type(entry).__name__)
