"""What a network method is: a plan from public facts, and a change of weights.

A plan is built from topology, budget and options alone, so it can be priced and reserved
before a weight is read.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sfumato.graph.network import Topology, Weights
from sfumato.graph.pairs import Pairs
from sfumato.plan.recipe import Priced, Recipe
from sfumato.privacy.guarantee import Heuristic
from sfumato.privacy.mechanism import Event, Purse

__all__ = ["Changed", "EdgeMethod", "EdgePlan", "Say", "unproved_event"]

Say = Callable[[str], None]  # told what is being done


@dataclass(frozen=True, eq=False)
class Changed:
    """The weights to publish and, where there is one, an account of how they came about."""

    weight: Weights
    synopsis: Mapping[str, Any] | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class EdgePlan(Priced):
    """A priced recipe; `change` is the only part of it that sees weights."""

    change: Callable[[Weights, Pairs, Purse, Say], Changed] = field(repr=False)  # no pairs: empty
    neighbours: str | None = None  # between which weightings the promise holds


@dataclass(frozen=True)
class EdgeMethod(Recipe[Topology, EdgePlan]):
    """A method for networks."""

    kind = "networks"

    budgeted: bool = False
    preserves: bool = False  # whether it keeps the shortest paths of given pairs
    needs_pairs: bool = False  # whether it has nothing to do without such pairs


def unproved_event(reason: Heuristic) -> tuple[Event, ...]:
    """The one entry in the account of a method that changes weights without a proof."""
    return (Event("weights", "perturbation", None, None, reason),)
