"""A network method's plan together with the network it is for, as ledger and certificate see it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from sfumato.graph.network import Topology
from sfumato.graph.recipe import EdgePlan
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import Guarantee, to_json
from sfumato.privacy.mechanism import Event

__all__ = ["COLUMNS", "NetworkPlan"]

COLUMNS = pa.schema(
    [
        pa.field("source", pa.string(), nullable=False),
        pa.field("target", pa.string(), nullable=False),
        pa.field("weight", pa.float64(), nullable=False),
    ]
)
_LIMITS = (
    "Who is connected with whom is published as it is: the topology must be public.",
    "How long the computation took, and other side channels of the machine, are not covered.",
)


@dataclass(frozen=True, eq=False)
class NetworkPlan:
    """What will be published of a network, decided before a weight is looked at."""

    dataset: str
    topology: Topology
    preserved: int | None  # pairs whose shortest paths are to survive
    plan: EdgePlan

    @property
    def method(self) -> str:
        """The recipe by its name."""
        return self.plan.method

    @property
    def options(self) -> Mapping[str, Any]:
        """What the recipe was told."""
        return self.plan.options

    @property
    def budget(self) -> Budget | None:
        """What the noise was planned for."""
        return self.plan.budget

    @property
    def events(self) -> tuple[Event, ...]:
        """What is measured, at which price."""
        return self.plan.events

    @property
    def guarantee(self) -> Guarantee:
        """What is promised: the budget, or plainly nothing."""
        return self.plan.guarantee

    @property
    def columns(self) -> pa.Schema:
        """An edge list in the order it was given."""
        return COLUMNS

    @property
    def invariants(self) -> tuple[str, ...]:
        """What is published as it is."""
        return ("the nodes and edges of the network", "the order of the edges")

    @property
    def caveats(self) -> tuple[str, ...]:
        """What a reader is to bear in mind: the method's own limits, then everyone's."""
        return (*self.plan.limits, *_LIMITS)

    def subject(self) -> dict[str, Any]:
        """What the data is and between which neighbours the promise holds: public facts."""
        return {
            "dataset": self.dataset,
            "unit": "the weights of the network's edges",
            "neighbours": self.plan.neighbours or "none: nothing is promised",
            "network": {
                "nodes": self.topology.size,
                "edges": self.topology.edges,
                "directed": self.topology.directed,
                "preserved pairs": self.preserved,
            },
        }

    def digest(self) -> str:
        """A fingerprint of the plan, as the ledger keeps it."""
        decided = {
            "method": self.method,
            "options": dict(self.options),
            **self.subject(),
            "guarantee": to_json(self.guarantee),
            "events": [event.to_json() for event in self.events],
        }
        return hashlib.sha256(json.dumps(decided, sort_keys=True).encode()).hexdigest()
