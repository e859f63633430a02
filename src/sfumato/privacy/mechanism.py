"""Exact noise on whole-number statistics, and the purse: the budget that pays for it.

A statistic is a vector of integers; entry c counts steps of 1/unit_c.  If the statistic
in real units moves by at most Δ₁ (ℓ₁) or Δ₂ (ℓ₂) between neighbours, then

    discrete Laplace of scale unit_c Δ₁ / ε           gives  ε-differential privacy,
    discrete Gaussian of variance unit_c² Δ₂² / (2ρ)  gives  ρ-zCDP,

because Σ |steps_c| / scale_c = (ε / Δ₁) Σ |steps_c| / unit_c ≤ ε, and likewise for ρ
(`docs/proofs/noise.md`).  `Purse.spend` refuses a purchase beyond its limit before a single
bit is drawn, and what it sold is the account of the release.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import Any, Protocol

import numpy as np

from sfumato.errors import BudgetError, ParameterError
from sfumato.numeric.arrays import Codes, Whole
from sfumato.privacy.budget import Budget, approx_from_zcdp, rho_within
from sfumato.privacy.guarantee import (
    ZCDP,
    ApproxDP,
    Guarantee,
    Heuristic,
    LocalDP,
    PureDP,
    Seeded,
    compose,
    exact,
    from_json,
    to_json,
)
from sfumato.privacy.keyed import NoiseKey
from sfumato.privacy.noise import (
    LARGEST_SCALE,
    LARGEST_VARIANCE,
    discrete_gaussian,
    discrete_laplace,
)
from sfumato.privacy.randomness import Bits
from sfumato.privacy.sensitivity import Sensitivity

__all__ = ["Drawing", "Event", "Noise", "Paid", "PaidByPart", "PaidDraws", "Purse"]

_FIGURES = {
    "discrete-laplace": ("L1", "scale"),
    "discrete-gaussian": ("L2 squared", "variance"),
    "exponential": ("score", "temperature"),
    "randomized-response": ("bits", "flip probability"),
    "k-ary-response": ("answers", "chance of another answer"),
    "unary-response": ("bits", "chance of a false one"),
    # Only ever without a promise: floats times records, and no noise at all.
    "gaussian-projection": ("diameter squared", "w squared"),
    "exact": ("none", "none"),
    "perturbation": ("none", "none"),  # records changed by a rule or by float noise
}
_STEPS = ", in steps of "
_LARGEST_FLOAT = 10**300  # what is beyond is said exactly, and approximately as this


@dataclass(frozen=True, slots=True)
class Event:
    """One noisy statistic, as the certificate lists it.

    Sensitivity and noise are None in a plan whose later steps depend on what earlier ones
    will have released; the price is always known.
    """

    statistic: str
    mechanism: str
    sensitivity: Fraction | None
    noise: Fraction | None
    cost: Guarantee

    @property
    def figure(self) -> str:
        """What the noise is measured by: scale, variance, temperature…"""
        return _FIGURES[self.mechanism][1]

    @property
    def size(self) -> float:
        """The noise as a float, 0 where there is none."""
        return float(min(self.noise or 0, _LARGEST_FLOAT))  # beyond, it is refused elsewhere

    @property
    def law(self) -> str:
        """How the statistic was made noisy, in words: the law and its figure."""
        if self.noise is None:
            fixed = {"perturbation": "changed, no proof", "exact": "without noise"}
            return fixed.get(self.mechanism, "its noise follows from earlier steps")
        law = self.mechanism.replace("-", " ")
        law = law.replace("k ary", "k-ary") if law.endswith("response") else f"{law} noise"
        return f"{law}, {self.figure} {self.size:.4g}"

    @property
    def deviation(self) -> float:
        """Standard deviation of the noise on one entry, in real units: a public figure."""
        laplace = self.mechanism == "discrete-laplace"
        return self.size * sqrt(2) if laplace else sqrt(self.size)

    @property
    def in_units(self) -> "Event":
        """The same in the unit of what was measured, where the statistic names a step of its own.

        >>> event = Event("weights, in steps of 1/4", "discrete-laplace", Fraction(40),
        ...               Fraction(80), PureDP("0.5"))
        >>> event.in_units.statistic, event.in_units.noise
        ('weights', Fraction(20, 1))
        """
        what, said, step = self.statistic.partition(_STEPS)
        if not said or self.sensitivity is None or self.noise is None:
            return self
        unit = Fraction(step) ** (2 if self.mechanism == "discrete-gaussian" else 1)
        return replace(
            self, statistic=what, sensitivity=self.sensitivity * unit, noise=self.noise * unit
        )

    def to_json(self) -> dict[str, Any]:
        """Exact figures as text; `noise` is the scale, variance or temperature in real units."""
        norm, figure = _FIGURES[self.mechanism]
        known = self.sensitivity is not None and self.noise is not None
        return {
            "statistic": self.statistic,
            "mechanism": self.mechanism,
            "sensitivity": {"norm": norm, "value": str(self.sensitivity)} if known else None,
            "noise": {figure: str(self.noise), "approximately": self.size} if known else None,
            "cost": to_json(self.cost),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "Event":
        """The inverse of `to_json`; whatever it would not have written is refused.

        >>> event = Event("sums", "discrete-laplace", Fraction(2), Fraction(4), PureDP("1/2"))
        >>> Event.from_json(event.to_json()) == event
        True
        """
        mechanism = record.get("mechanism")
        if not isinstance(mechanism, str) or mechanism not in _FIGURES:
            raise ParameterError("the event has an unknown mechanism")
        norm, figure = _FIGURES[mechanism]
        moved, noise = record.get("sensitivity"), record.get("noise")
        try:
            event = cls(
                str(record["statistic"]),
                mechanism,
                None if moved is None else exact("sensitivity", moved["value"], zero=True),
                None if noise is None else exact(figure, noise[figure], zero=True),
                from_json(record["cost"]),
            )
        except (LookupError, TypeError):
            raise ParameterError(
                f"the event must state its {norm} sensitivity and its {figure}"
            ) from None
        if event.to_json() != dict(record):
            raise ParameterError("the event has figures that do not agree with each other")
        return event


@dataclass(frozen=True, slots=True)
class Noise:
    """The noise that makes a statistic of this sensitivity cost this budget.

    A `LocalDP` budget buys the noise of its ε for statistics of one record each, whose
    sensitivity is the distance between any two records.

    >>> from sfumato.privacy.sensitivity import record
    >>> Noise("record", record(continuous=3), PureDP(2)).event.noise
    Fraction(3, 2)
    """

    statistic: str
    sensitivity: Sensitivity
    budget: Budget | LocalDP

    @property
    def cost(self) -> PureDP | ZCDP | LocalDP:
        """What the noise costs: an (ε, δ) budget is spent as the ρ that fits into it."""
        if isinstance(self.budget, ApproxDP):
            return rho_within(self.budget.epsilon, self.budget.delta)
        return self.budget

    @property
    def event(self) -> Event:
        """The statistic, its noise and its price."""
        cost, moved = self.cost, self.sensitivity
        if isinstance(cost, PureDP | LocalDP):
            scale = moved.l1 / cost.epsilon
            return Event(self.statistic, "discrete-laplace", moved.l1, scale, cost)
        variance = moved.l2_squared / (2 * cost.rho)
        return Event(self.statistic, "discrete-gaussian", moved.l2_squared, variance, cost)

    def check(self, largest_unit: int) -> None:
        """Refuse noise that the sampler cannot draw, before anything is read, paid or drawn."""
        event = self.event
        laplace = event.mechanism == "discrete-laplace"
        size = (event.noise or 0) * largest_unit ** (1 if laplace else 2)
        if size > (LARGEST_SCALE if laplace else LARGEST_VARIANCE):
            raise ParameterError(
                f"the noise on {self.statistic} is too large for its grid at this budget: "
                "coarsen the grid (grid_bits in a schema), or raise the budget"
            )

    def draw(self, units: Whole, bits: Bits) -> Whole:
        """Independent noise for entries that count steps of 1/unit."""
        self.check(int(units.max(initial=1)))
        cost, noise = self.cost, np.empty(units.shape, np.int64)
        for unit in np.unique(units):
            here, u = units == unit, int(unit)
            count = int(here.sum())
            if isinstance(cost, PureDP | LocalDP):
                noise[here] = discrete_laplace(self.sensitivity.l1 / cost.epsilon * u, count, bits)
            else:
                variance = self.sensitivity.l2_squared / (2 * cost.rho)
                noise[here] = discrete_gaussian(variance * u * u, count, bits)
        return noise


class Drawing(Protocol):
    """A draw among public candidates by their scores, as `sfumato.privacy.choice` makes it."""

    def draw(self, scores: Whole, bits: Bits) -> int:
        """The position of the one that is drawn."""


class Purse:
    """Bits, a limit, and the list of what was bought."""

    def __init__(
        self, limit: Guarantee, bits: Bits, later: Callable[[], None] | None = None
    ) -> None:
        self.limit, self.bits, self._later = limit, bits, later
        self.events: list[Event] = []
        self._stages: tuple[Budget, ...] = ()
        self._since = 0  # where the last stage began

    def begin(self, stage: Budget) -> None:
        """From here on purchases stay within this part of the limit, whatever was bought before.

        All stages together are within the limit by basic composition.  Before any but the first
        opens, `later` is told: whoever may give back the price of later stages no longer may.
        """
        stages = (*self._stages, stage)
        if len(self.events) > self._since and not self._stages:
            raise BudgetError("what was bought before the first stage belongs to none")
        if not _within(compose(*stages), self.limit):
            raise BudgetError("the parts of a budget would spend more than was reserved")
        if self._stages and self._later is not None:
            self._later()
        self._stages, self._since = stages, len(self.events)

    def spend(self, event: Event) -> Bits:
        """Pay for an event and get the bits for it; refused beyond the limit, nothing drawn."""
        costs = [*(e.cost for e in self.events[self._since :]), event.cost]
        if not _covered(costs, self._stages[-1] if self._stages else self.limit):
            raise BudgetError(f"measuring {event.statistic} would spend more than was reserved")
        self.events.append(event)
        return self.bits

    def pay(self, noise: Noise) -> "Paid":
        """Pay for a statistic under additive noise."""
        return Paid(noise, self.spend(noise.event))

    def pay_draws(self, event: Event, choice: Drawing) -> "PaidDraws":
        """Pay for an event that is one draw or several, each made by the same choice."""
        return PaidDraws(choice, self.spend(event))

    def spend_by_part(self, event: Event) -> NoiseKey:
        """Pay for an event of every record; the key that gives each part of them its own bits."""
        return NoiseKey.of(self.spend(event), event.statistic)

    def pay_by_part(self, noise: Noise) -> "PaidByPart":
        """Pay for a statistic of every record under additive noise."""
        return PaidByPart(noise, self.spend_by_part(noise.event))

    @property
    def guarantee(self) -> Guarantee:
        """What holds for all that was bought: the limit, unless the bits were seeded."""
        return Seeded() if self.bits.seeded else self.limit


@dataclass(frozen=True, slots=True)
class Paid:
    """A statistic that was paid for, or what was paid for of one part of the records."""

    noise: Noise
    bits: Bits

    def add(self, exact: Whole, units: Whole) -> Whole:
        """The exact values under their noise: the only place where the two meet.

        They are added modulo 2^64, which is post-processing of the true sum.
        """
        return exact + self.noise.draw(units, self.bits)


@dataclass(frozen=True, slots=True)
class PaidByPart:
    """One row per record, paid for once: each part of the records gets noise of its own."""

    noise: Noise
    key: NoiseKey

    def part(self, number: int, codes: Codes) -> Paid:
        """For the records with these codes; the same again when it is asked for again."""
        return Paid(self.noise, self.key.part(number, codes))


@dataclass(frozen=True, slots=True)
class PaidDraws:
    """Draws that were paid for together, made one after the other."""

    choice: Drawing
    bits: Bits

    def draw(self, scores: Whole) -> int:
        """The position of the one that is drawn: the only place where scores meet bits."""
        return self.choice.draw(scores, self.bits)


def _covered(costs: list[Guarantee], limit: Guarantee) -> bool:
    """Whether a limit covers these costs, composed in whichever of two true ways is cheaper.

    All as zCDP; or ρ converted by itself, and the ε of pure draws added to it.
    """
    if _within(compose(*costs), limit):
        return True
    pure = [cost.epsilon for cost in costs if isinstance(cost, PureDP)]
    rho = [cost.rho for cost in costs if isinstance(cost, ZCDP)]
    if not isinstance(limit, ApproxDP) or not rho or len(pure) + len(rho) < len(costs):
        return False
    noisy = approx_from_zcdp(sum(rho, Fraction(0)), limit.delta)
    return sum(pure, noisy.epsilon) <= limit.epsilon


def _within(spent: Guarantee, limit: Guarantee) -> bool:
    match spent, limit:
        case _, Heuristic():
            return True  # nothing is promised, so nothing can be overspent
        case LocalDP(epsilon=cost), LocalDP(epsilon=most):
            return cost <= most
        case (
            (PureDP(epsilon=cost) | LocalDP(epsilon=cost)),
            (PureDP(epsilon=most) | ApproxDP(epsilon=most)),
        ):
            return cost <= most
        case ApproxDP(epsilon=cost, delta=little), ApproxDP(epsilon=most, delta=delta):
            return cost <= most and little <= delta
        case ZCDP(rho=cost), ZCDP(rho=most):
            return cost <= most
        case ZCDP(rho=cost), ApproxDP(epsilon=most, delta=delta):
            return approx_from_zcdp(cost, delta).epsilon <= most
    return False
