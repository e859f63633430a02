"""What a network method is: a plan from public facts, and a change of weights.

A plan is built from topology, budget and options alone, so it can be priced and reserved
before a weight is read.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sfumato.errors import ParameterError
from sfumato.graph.network import Topology, Weights
from sfumato.graph.pairs import Pairs
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import Guarantee, Heuristic
from sfumato.privacy.mechanism import Event, Purse

__all__ = ["Changed", "EdgeMethod", "EdgePlan", "Say", "unproved_event"]

Say = Callable[[str], None]  # told what is being done


@dataclass(frozen=True, eq=False)
class Changed:
    """The weights to publish and, where there is one, an account of how they came about."""

    weight: Weights
    synopsis: Mapping[str, Any] | None = None


@dataclass(frozen=True, eq=False)
class EdgePlan:
    """A priced recipe; `change` is the only part of it that sees weights."""

    method: str
    budget: Budget | None
    events: tuple[Event, ...]
    change: Callable[[Weights, Pairs, Purse, Say], Changed] = field(repr=False)  # no pairs: empty
    options: Mapping[str, Any] = field(default_factory=dict)
    unproved: Heuristic | None = None  # why nothing is promised, where nothing is
    neighbours: str | None = None  # between which weightings the promise holds
    limits: tuple[str, ...] = ()

    @property
    def guarantee(self) -> Guarantee:
        """What the release will promise: the budget it was planned for, or plainly nothing."""
        promised = self.unproved or self.budget
        assert promised is not None  # noqa: S101  a plan without a budget says why it has none
        return promised


@dataclass(frozen=True)
class EdgeMethod:
    """A recipe in the registry of network methods."""

    name: str
    summary: str
    promise: str
    source: str
    proof: str
    plan: Callable[..., EdgePlan] = field(repr=False)
    options: Mapping[str, str] = field(default_factory=dict)
    budgeted: bool = False  # whether a budget has any meaning here
    preserves: bool = False  # whether it keeps the shortest paths of given pairs
    needs_pairs: bool = False  # whether it has nothing to do without such pairs

    def price(
        self, topology: Topology, budget: Budget | None, options: Mapping[str, Any]
    ) -> EdgePlan:
        """A plan for this topology and budget; unknown options are refused by name."""
        unknown = [name for name in options if name not in self.options]
        if unknown:
            known = ", ".join(self.options) or "none"
            raise ParameterError(f"{self.name} has no option {unknown[0]}; it has: {known}")
        return self.plan(topology, budget, **options)


def unproved_event(reason: Heuristic) -> tuple[Event, ...]:
    """The one entry in the account of a method that changes weights without a proof."""
    return (Event("weights", "perturbation", None, None, reason),)
