"""Exact noise on whole-number statistics, and the purse that pays for it.

A statistic is a vector of integers; entry c counts steps of 1/unit_c.  If the statistic
in real units moves by at most Δ₁ (ℓ₁) or Δ₂ (ℓ₂) between neighbours, then

    discrete Laplace of scale unit_c Δ₁ / ε           gives  ε-differential privacy,
    discrete Gaussian of variance unit_c² Δ₂² / (2ρ)  gives  ρ-zCDP,

because Σ |steps_c| / scale_c = (ε / Δ₁) Σ |steps_c| / unit_c ≤ ε, and likewise for ρ
(`docs/proofs/noise.md`).  `Purse.pay` refuses a purchase beyond its limit before a single
bit is drawn, and what it sold is the account of the release.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import BudgetError
from sfumato.privacy.budget import Budget, approx_from_zcdp, rho_within
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP, Seeded, compose, to_json
from sfumato.privacy.noise import discrete_gaussian, discrete_laplace
from sfumato.privacy.randomness import Bits
from sfumato.privacy.sensitivity import Sensitivity

__all__ = ["Event", "Noise", "Paid", "Purse", "Whole"]

Whole = NDArray[np.int64] | NDArray[np.object_]  # Python integers where 64 bits are too few


@dataclass(frozen=True, slots=True)
class Event:
    """One noisy statistic, as the certificate lists it."""

    statistic: str
    mechanism: str
    sensitivity: Fraction
    noise: Fraction
    cost: Guarantee

    def to_json(self) -> dict[str, Any]:
        """Exact figures as text; `noise` is the scale, or the variance, in real units."""
        norm, figure = (
            ("L1", "scale") if "laplace" in self.mechanism else ("L2 squared", "variance")
        )
        return {
            "statistic": self.statistic,
            "mechanism": self.mechanism,
            "sensitivity": {"norm": norm, "value": str(self.sensitivity)},
            "noise": {figure: str(self.noise), "approximately": float(self.noise)},
            "cost": to_json(self.cost),
        }


@dataclass(frozen=True, slots=True)
class Noise:
    """The noise that makes a statistic of this sensitivity cost this budget.

    >>> from sfumato.privacy.sensitivity import record
    >>> Noise("record", record(continuous=3), PureDP(2)).event.noise
    Fraction(3, 2)
    """

    statistic: str
    sensitivity: Sensitivity
    budget: Budget

    @property
    def cost(self) -> PureDP | ZCDP:
        """What the noise costs: an (ε, δ) budget is spent as the ρ that fits into it."""
        if isinstance(self.budget, ApproxDP):
            return rho_within(self.budget.epsilon, self.budget.delta)
        return self.budget

    @property
    def event(self) -> Event:
        """The statistic, its noise and its price."""
        cost, moved = self.cost, self.sensitivity
        if isinstance(cost, PureDP):
            scale = moved.l1 / cost.epsilon
            return Event(self.statistic, "discrete-laplace", moved.l1, scale, cost)
        variance = moved.l2_squared / (2 * cost.rho)
        return Event(self.statistic, "discrete-gaussian", moved.l2_squared, variance, cost)

    def draw(self, units: NDArray[np.int64], bits: Bits) -> NDArray[np.int64]:
        """Independent noise for entries that count steps of 1/unit."""
        event = self.event
        noise = np.empty(units.shape, np.int64)
        for unit in np.unique(units):
            here, u = units == unit, int(unit)
            count = int(here.sum())
            if event.mechanism == "discrete-laplace":
                noise[here] = discrete_laplace(event.noise * u, count, bits)
            else:
                noise[here] = discrete_gaussian(event.noise * u * u, count, bits)
        return noise


class Purse:
    """Bits, a limit, and the list of what was bought."""

    def __init__(self, limit: Guarantee, bits: Bits) -> None:
        self.limit, self.bits = limit, bits
        self.events: list[Event] = []

    def pay(self, noise: Noise) -> "Paid":
        """Pay for a statistic; refused if the whole account would pass the limit."""
        event = noise.event
        spent = compose(*(e.cost for e in self.events), event.cost)
        if not _within(spent, self.limit):
            raise BudgetError(f"measuring {noise.statistic} would spend more than was reserved")
        self.events.append(event)
        return Paid(noise, self.bits)

    @property
    def guarantee(self) -> Guarantee:
        """What holds for all that was bought: the limit, unless the bits were seeded."""
        return Seeded() if self.bits.seeded else self.limit


@dataclass(frozen=True, slots=True)
class Paid:
    """A statistic that was paid for, whole or, if it is one row per record, in batches."""

    noise: Noise
    bits: Bits

    def add(self, exact: Whole, units: NDArray[np.int64]) -> Whole:
        """The exact values under their noise: the only place where the two meet."""
        return exact + self.noise.draw(units, self.bits)


def _within(spent: Guarantee, limit: Guarantee) -> bool:
    match spent, limit:
        case PureDP(epsilon=cost), PureDP(epsilon=most) | ApproxDP(epsilon=most):
            return cost <= most
        case ZCDP(rho=cost), ZCDP(rho=most):
            return cost <= most
        case ZCDP(rho=cost), ApproxDP(epsilon=most, delta=delta):
            return approx_from_zcdp(cost, delta).epsilon <= most
    return False
