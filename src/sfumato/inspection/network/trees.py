"""Lengths of pairs that share their sources: one search from each source to all nodes.

By SciPy, and so apart from the searches that methods use.  In the tree of shortest paths of
the release every path is measured with the true weights too, by doubling: each node knows
the length to the node 1, 2, 4, … steps back.
"""

import numpy as np
from numpy.typing import NDArray

from sfumato.graph.arcs import Arcs
from sfumato.graph.network import Topology, Weights

__all__ = ["Tree", "Trees"]

Tree = tuple[Weights, Weights, Weights, NDArray[np.bool_]]  # before, after, along, alone


class Trees:
    """NOT PRIVATE: shortest paths from one node to all others, in both networks.

    >>> line = Topology(("a", "b", "c"), np.array([0, 1]), np.array([1, 2]), directed=True)
    >>> trees = Trees(line, np.array([1.0, 2.0]), np.array([1.5, 2.0]))
    >>> [part.tolist() for part in trees.of(0)]
    [[0.0, 1.0, 3.0], [0.0, 1.5, 3.5], [0.0, 1.0, 3.0], [True, True, True]]
    """

    def __init__(self, topology: Topology, before: Weights, after: Weights) -> None:
        from scipy.sparse import csr_array

        star, shape = Arcs.of(topology).out, (topology.size, topology.size)
        self.directed, self.head = topology.directed, star.head
        self.tail = np.repeat(np.arange(topology.size), np.diff(star.first))
        self._before, self._after = before[star.edge], after[star.edge]
        self._old, self._new = (
            csr_array((cost, star.head, star.first), shape=shape)
            for cost in (self._before, self._after)
        )

    def of(self, start: int) -> Tree:
        """For each node: lengths before, after, along the release's path; whether it is alone."""
        from scipy.sparse.csgraph import dijkstra

        before = dijkstra(self._old, indices=start)
        after, back = dijkstra(self._new, indices=start, return_predecessors=True)
        step = back[self.head] == self.tail
        along = np.zeros(len(back))
        along[self.head[step]] = self._before[step]
        # Sums of published weights are exact, so a tie is an equality.
        tight = after[self.tail] + self._after == after[self.head]
        alone = np.bincount(self.head[tight], minlength=len(back)) <= 1
        back = np.where(back < 0, start, back)
        while (back != start).any():
            along += along[back]
            alone &= alone[back]
            back = back[back]
        return before, after, along, alone
