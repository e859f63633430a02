"""What counts prove about a promise, with a stated confidence.

A region S of the releases is fixed; k₁ of n runs on one table and k₂ of n on its
neighbour fall into it.  Clopper and Pearson's one-sided bounds (1934), p below P[S | D] and
q above P[S | D′], then give, for whatever the method really is,

    ε ≥ ln((p − δ) / q)          δ ≥ p − exp(ε) q          ρ ≥ max over α of D_α(p ‖ q) / α

the last because a Rényi divergence never grows when all one looks at is S or not S, and
ρ-zCDP bounds it by αρ for every α > 1 (Bun and Steinke 2016).

>>> p, q = float(below(1000, 0.001)[500]), float(above(1000, 0.001)[100])
>>> round(p, 3), round(q, 3), round(float(Figure("epsilon", 1.0).found(p, q)), 3)
(0.451, 0.133, 1.224)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log
from typing import Any, Literal

import numpy as np
from scipy.special import betainccinv, betaincinv

from sfumato.errors import ParameterError
from sfumato.numeric.arrays import Vector
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.privacy.mechanism import Event

__all__ = ["Claim", "Figure", "above", "below", "check_claim"]


_LARGEST = 100  # epsilon or rho: e to this power is past all counts
_ALPHAS = 1 + np.geomspace(0.01, 200, 60)


@lru_cache(maxsize=32)
def below(runs: int, error: float) -> Vector:
    """For each count 0 … runs: what its probability is above, but for a chance of `error`."""
    hits = np.arange(runs + 1)
    found = np.zeros(runs + 1)
    found[1:] = betaincinv(hits[1:], runs - hits[1:] + 1, error)
    return found


@lru_cache(maxsize=32)
def above(runs: int, error: float) -> Vector:
    """For each count 0 … runs: what its probability is below, but for a chance of `error`."""
    hits = np.arange(runs + 1)
    found = np.ones(runs + 1)
    found[:-1] = betainccinv(hits[:-1] + 1, runs - hits[:-1], error)
    return found


def check_claim(budget: Budget) -> None:
    """Refuse a promise that is so weak that no run could contradict it."""
    for name in ("epsilon", "rho"):
        if getattr(budget, name, 0) > _LARGEST:
            raise ParameterError(
                f"{name} must be at most {_LARGEST} in an audit: a larger claim promises next to "
                "nothing, and no number of runs could contradict it"
            )


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of a promise, and how counts bound it from below."""

    name: Literal["epsilon", "rho"]
    claimed: float
    delta: float = 0.0

    def found(self, p: Any, q: Any) -> Any:
        """The bound for p ≤ P[S | D] and q ≥ P[S | D′]; zero where they prove nothing."""
        return _epsilon(p, q, self.delta) if self.name == "epsilon" else _rho(p, q)


def _epsilon(p: Any, q: Any, delta: float) -> Any:
    p, q = np.asarray(p, np.float64), np.asarray(q, np.float64)
    return np.log(np.maximum((p - delta) / q, 1.0))


def _rho(p: Any, q: Any) -> Any:
    p, q = np.asarray(p, np.float64)[..., None], np.asarray(q, np.float64)[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = _ALPHAS * np.log(p) + (1 - _ALPHAS) * np.log(q)
        outside = _ALPHAS * np.log1p(-p) + (1 - _ALPHAS) * np.log1p(-q)
        divergence = np.logaddexp(inside, outside) / (_ALPHAS - 1)
    return np.where((p > q)[..., 0], (divergence / _ALPHAS).max(axis=-1), 0.0)


@dataclass(frozen=True, slots=True)
class Claim:
    """What is promised, or would be if anything were, as figures to be tested.

    An (ε, δ) budget that is spent as Gaussian noise claims a ρ as well, and that one shows
    with far fewer runs than ε at a small δ.
    """

    epsilon: float | None
    delta: float
    rho: float | None

    @classmethod
    def of(cls, budget: Budget, events: Sequence[Event]) -> "Claim":
        """What a budget claims for the events that it is spent on, proved or not."""
        check_claim(budget)
        if isinstance(budget, PureDP):
            return cls(float(budget.epsilon), 0.0, None)
        if isinstance(budget, ZCDP):
            return cls(None, 0.0, float(budget.rho))
        spent = [event.cost.rho for event in events if isinstance(event.cost, ZCDP)]
        rho = float(sum(spent)) if spent and len(spent) == len(events) else None
        return cls(float(budget.epsilon), float(budget.delta), rho)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """What is tested; each costs a share of the error probability."""
        found = [] if self.epsilon is None else [Figure("epsilon", self.epsilon, self.delta)]
        return tuple(found if self.rho is None else [Figure("rho", self.rho), *found])

    def delta_found(self, p: float, q: float) -> float | None:
        """The δ that the claimed ε would need; None where no ε is claimed."""
        if self.epsilon is None:
            return None
        grown = exp(min(self.epsilon, -log(q))) * q if q > 0 else 0.0  # e^ε q, at most 1
        return max(0.0, p - grown)
