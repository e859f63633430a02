"""All pairs of nodes that have a path, counted and numbered without being listed.

Nodes that reach each other form components; a pair is then a pair of components and a place
in it.  A network of a million nodes has 10¹² pairs: drawing some of them takes their numbers.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.graph.network import Indices, Topology

__all__ = ["Connected"]

_COMPONENTS = 4_000  # of a directed network: more have too many pairs among themselves


@dataclass(frozen=True, eq=False)
class Connected:
    """The pairs with a path; of an undirected network each of them once.

    >>> two = Topology(("a", "b", "c", "d"), np.array([0, 2]), np.array([1, 3]), directed=False)
    >>> pairs = Connected.of(two)
    >>> len(pairs), [ends.tolist() for ends in pairs.ends(np.arange(2))]
    (2, [[0, 2], [1, 3]])
    >>> pairs.there(np.array([0, 0]), np.array([1, 2])).tolist()
    [True, False]
    """

    directed: bool
    label: Indices = field(repr=False)  # the component of each node
    arcs: Any = field(repr=False)  # scipy.sparse.csr_array, components by components

    @classmethod
    def of(cls, topology: Topology) -> "Connected":
        """The components of a topology: strong ones, where edges lead one way."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        ends = (topology.source, topology.target)
        entries = np.ones(topology.edges)
        joined = csr_array((entries, ends), shape=(topology.size, topology.size))
        count, label = connected_components(joined, topology.directed, "strong")
        arcs = csr_array((entries, tuple(label[nodes] for nodes in ends)), shape=(count, count))
        return cls(topology.directed, label.astype(np.int64), arcs)

    def there(self, source: Indices, target: Indices) -> NDArray[np.bool_]:
        """Which of these pairs have a path."""
        start, end = self.label[source], self.label[target]
        found: NDArray[np.bool_] = start == end
        if self.directed and not found.all():
            order = np.argsort(start, kind="stable")
            begins = np.flatnonzero(np.diff(start[order]))
            for pairs in np.split(order, begins + 1):
                if not found[pairs].all():
                    found[pairs] = np.isin(end[pairs], self._reached(int(start[pairs[0]])))
        return found

    def __len__(self) -> int:
        return int(self._blocks[2][-1])

    def ends(self, numbers: Indices) -> tuple[Indices, Indices]:
        """Source and target of the pairs with these numbers, which run from 0."""
        a, b, upto = self._blocks
        block = np.searchsorted(upto, numbers, side="right")
        a, b, place = a[block], b[block], numbers - np.append(0, upto)[block]
        wide = self._sizes[b]
        if self.directed:
            within = a == b
            one, other = np.divmod(place, wide - within)
            other += within & (other >= one)  # no node is paired with itself
        else:
            # Around a circle of nodes: all neighbours, then all at distance two, and so on.
            one = place % wide
            other = (one + place // wide + 1) % wide
        member = np.argsort(self.label, kind="stable")
        first = np.append(0, np.cumsum(self._sizes))
        return member[first[a] + one], member[first[b] + other]

    def _reached(self, component: int) -> Indices:
        """The components to which paths lead from this one, itself included."""
        from scipy.sparse.csgraph import breadth_first_order

        found = breadth_first_order(self.arcs, component, return_predecessors=False)
        return np.asarray(found, np.int64)

    @cached_property
    def _sizes(self) -> Indices:
        return np.bincount(self.label)

    @cached_property
    def _blocks(self) -> tuple[Indices, Indices, Indices]:
        """Pairs of components with a path, and before which number their pairs of nodes end."""
        sizes = self._sizes
        a = b = np.arange(len(sizes))
        if not self.directed:
            return a, b, np.cumsum(sizes * (sizes - 1) // 2)
        if len(sizes) > _COMPONENTS:
            raise ParameterError(
                "preserve: a share needs a network whose pairs can be counted, and this directed "
                f"one has more than {_COMPONENTS:,} strongly connected components: give a file "
                "of the pairs that matter"
            )
        reached = [self._reached(component) for component in range(len(sizes))]
        a, b = np.repeat(a, [len(part) for part in reached]), np.concatenate(reached)
        return a, b, np.cumsum(sizes[a] * (sizes[b] - (a == b)))
