"""The network as adjacency lists, out of each node and into each node.

An undirected edge is two arcs.  `edge` leads from an arc to its edge, so that weights are
kept once per edge and spread over the arcs when they change.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.graph.fixed import Units
from sfumato.graph.network import Indices, Topology

__all__ = ["Arcs", "Star"]

Short = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Star:
    """Arcs by node: those of node v are first[v] up to first[v + 1]."""

    first: Indices
    head: Short  # the node at the other end
    edge: Short

    @classmethod
    def of(cls, size: int, tail: Indices, head: Indices, edge: Indices) -> "Star":
        """Arcs sorted by the node they leave, in the order of the edges."""
        # Tail above, place below: sorting whole numbers takes a tenth of a stable argsort.
        order = np.sort((tail << 32) | np.arange(len(tail))) & (2**32 - 1)
        first = np.zeros(size + 1, np.int64)
        np.cumsum(np.bincount(tail, minlength=size), out=first[1:])
        return cls(first, head[order].astype(np.int32), edge[order].astype(np.int32))

    def cost(self, units: Units) -> Units:
        """The weight of each arc."""
        return units[self.edge]


@dataclass(frozen=True, eq=False)
class Arcs:
    """Both directions; of an undirected network they are the same lists.

    >>> line = Topology(("a", "b", "c"), np.array([0, 1]), np.array([1, 2]), directed=False)
    >>> arcs = Arcs.of(line)
    >>> arcs.out.first.tolist(), arcs.out.head.tolist(), arcs.out.edge.tolist()
    ([0, 1, 3, 4], [1, 2, 0, 1], [0, 1, 0, 1])
    """

    out: Star
    into: Star

    @classmethod
    def of(cls, topology: Topology) -> "Arcs":
        """The adjacency lists of a topology."""
        source, target, edge = topology.source, topology.target, np.arange(topology.edges)
        if topology.directed:
            return cls(
                Star.of(topology.size, source, target, edge),
                Star.of(topology.size, target, source, edge),
            )
        both = Star.of(
            topology.size,
            np.concatenate([source, target]),
            np.concatenate([target, source]),
            np.concatenate([edge, edge]),
        )
        return cls(both, both)
