"""A weighted network: who is connected with whom is public, how strongly is private.

Nodes have names; edges are numbered in the order they were given and keep it, so that a
release lists them as the owner's file does.  An undirected edge is listed once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError

__all__ = ["Indices", "Network", "Topology", "Weights"]

Indices = NDArray[np.int64]
Weights = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Topology:
    """Nodes and edges without weights: the public part.

    >>> square = Topology(("a", "b", "c"), np.array([0, 1]), np.array([1, 2]), directed=False)
    >>> square.size, square.edges
    (3, 2)
    """

    nodes: Sequence[str] = field(repr=False)
    source: Indices = field(repr=False)
    target: Indices = field(repr=False)
    directed: bool

    def __post_init__(self) -> None:
        if not self.edges:
            raise DataError("the network has no edges: there is nothing to publish")
        if np.any(self.source == self.target):
            loop = int(np.argmax(self.source == self.target))
            raise DataError(
                f"edge {loop + 1} goes from node {self.nodes[self.source[loop]]} to itself: "
                "a self-loop is on no shortest path; remove it"
            )
        self._check_distinct()

    def _check_distinct(self) -> None:
        low, high = self.source, self.target
        if not self.directed:
            low, high = np.minimum(low, high), np.maximum(low, high)
        key = low * self.size + high
        order = np.argsort(key, kind="stable")
        again = np.flatnonzero(key[order][1:] == key[order][:-1])
        if len(again):
            first, second = order[again[0]], order[again[0] + 1]
            one, other = (self.nodes[int(ends[first])] for ends in (self.source, self.target))
            remedy = "merge them"
            if self.source[first] != self.source[second]:
                remedy += " (--merge-directions mean or sum), or say that it is directed"
            raise DataError(
                f"edges {first + 1} and {second + 1} both join {one} and {other}: {remedy}"
            )

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return len(self.nodes)

    @property
    def edges(self) -> int:
        """How many edges there are; an undirected one counts once."""
        return len(self.source)

    @cached_property
    def place(self) -> dict[str, int]:
        """The number of each node by its name."""
        return {name: number for number, name in enumerate(self.nodes)}


@dataclass(frozen=True, eq=False)
class Network:
    """A topology with the weight of each edge, in its order.

    >>> from sfumato.graph import Network
    >>> Network(Topology(("a", "b"), np.array([0]), np.array([1]), directed=True), np.array([2.5]))
    <Network: 2 nodes, 1 directed edge>
    """

    topology: Topology
    weight: Weights = field(repr=False)

    def check_weights(self) -> None:
        """Refuse weights that have no shortest paths; only where no promise hides them."""
        bad = ~(np.isfinite(self.weight) & (self.weight > 0))
        if np.any(bad):
            raise DataError(
                f"{int(bad.sum())} of {self.topology.edges} weights are not numbers above zero, "
                f"the first at edge {int(np.argmax(bad)) + 1}: a weight is a length, so it must "
                "be above zero and finite; remove such edges, shift the weights, or publish "
                "weights of both signs by edge-laplace with a negative low"
            )

    def with_weights(self, weight: Weights) -> "Network":
        """The same topology under other weights."""
        return replace(self, weight=weight)

    def __repr__(self) -> str:
        kind = "directed" if self.topology.directed else "undirected"
        edges = f"edge{'s' if self.topology.edges != 1 else ''}"
        return f"<Network: {self.topology.size:,} nodes, {self.topology.edges:,} {kind} {edges}>"
