"""H: the pairs of nodes whose shortest paths must survive."""

from dataclasses import dataclass

import numpy as np

from sfumato.graph.network import Indices, Topology

__all__ = ["Pairs"]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of node numbers, each once; in an undirected network with the smaller one first.

    >>> Pairs.of(np.array([2, 0]), np.array([0, 2]), directed=False).source.tolist()
    [0]
    """

    source: Indices
    target: Indices

    @classmethod
    def of(cls, source: Indices, target: Indices, *, directed: bool) -> "Pairs":
        """Every pair once, sorted by source so that searches from one node come together."""
        if not directed:
            source, target = np.minimum(source, target), np.maximum(source, target)
        distinct = np.unique(np.column_stack([source, target]), axis=0)
        return cls(np.ascontiguousarray(distinct[:, 0]), np.ascontiguousarray(distinct[:, 1]))

    def __len__(self) -> int:
        return len(self.source)

    def names(self, topology: Topology, which: int) -> str:
        """One pair as a message names it."""
        ends = (self.source[which], self.target[which])
        return " and ".join(str(topology.nodes[int(end)]) for end in ends)
