"""Shortest paths between all pairs of nodes, exactly, for up to a few thousand nodes.

An edge heavier than some other way between its ends is on no shortest path.  So a first
search along the lightest edges of each node gives upper bounds of all distances, and a
second one, along the edges not above their bound, is exact: an edge of a shortest path is
as long as the distance of its ends, so it is among them.  Dense networks lose most of
their edges that way.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.graph.arcs import Star
from sfumato.graph.fixed import Units
from sfumato.graph.network import Indices, Topology
from sfumato.graph.pairs import Pairs
from sfumato.graph.paths import Paths
from sfumato.numeric.compiled import compiled

__all__ = ["FAR", "AllPairs", "Distances", "SortedArcs", "rise", "sink", "sorted_arcs"]

Distances = NDArray[np.int64]

FAR = 2**60  # no way: above every length, and four of them can be added
_LIGHTEST = 32  # arcs of a node in the first search
_DENSE = 2 * _LIGHTEST  # edges per node from which two searches cost less than one


class SortedArcs(NamedTuple):
    """Arcs by node, as in `Star`, the lightest of each node first, with their weights."""

    first: Indices
    node: NDArray[np.int32]
    edge: NDArray[np.int32]
    cost: Units


@dataclass(frozen=True, eq=False)
class AllPairs:
    """One shortest path from each node to each, as a tree of arriving edges per source.

    >>> from sfumato.graph.network import Topology
    >>> ring = Topology(("a", "b", "c"), np.array([0, 1, 0]), np.array([1, 2, 2]), directed=False)
    >>> ways = AllPairs.of(ring, np.array([1, 2, 4]))
    >>> ways.distance[0].tolist(), ways.arriving[0].tolist()
    ([0, 1, 3], [-1, 0, 1])
    """

    topology: Topology
    distance: Distances = field(repr=False)  # FAR where there is no way
    arriving: NDArray[np.int32] = field(repr=False)  # the last edge from source to node, or -1
    alone: NDArray[np.bool_] = field(repr=False)  # whether no other way is as short

    @classmethod
    def of(cls, topology: Topology, units: Units, arcs: SortedArcs | None = None) -> "AllPairs":
        """Search from every node; the sorted arcs may be given, if they are known."""
        size, arcs = topology.size, arcs or sorted_arcs(topology, units)
        distance = np.full((size, size), FAR)
        arriving = np.empty((size, size), np.int32)
        alone = np.empty((size, size), np.bool_)
        if topology.edges > _DENSE * size:
            _search(*_only(arcs, _lightest(arcs)), distance, arriving, alone)
            arcs = _only(arcs, units <= distance[topology.source, topology.target])
        _search(*arcs, distance, arriving, alone)
        return cls(topology, distance, arriving, alone)

    def lengths(self, pairs: Pairs) -> Units:
        """The distance of each pair."""
        return self.distance[pairs.source, pairs.target]

    def tied(self, pairs: Pairs) -> int:
        """How many pairs have several shortest paths.

        >>> from sfumato.graph.network import Topology
        >>> ends = np.array([0, 1, 0]), np.array([1, 2, 2])
        >>> ring = Topology(("a", "b", "c"), *ends, directed=False)
        >>> AllPairs.of(ring, np.array([1, 2, 3])).tied(Pairs(*ends))
        1
        """
        return int(np.count_nonzero(~self.alone[pairs.source, pairs.target]))

    def paths(self, pairs: Pairs) -> Paths:
        """The path of each pair; one without a way has no edges."""
        ends = (self.topology.source, self.topology.target, self.arriving)
        first = np.zeros(len(pairs) + 1, np.int64)
        _walk(*ends, pairs.source, pairs.target, first, np.empty(0, np.int64))
        np.cumsum(first, out=first)
        edge = np.empty(first[-1], np.int64)
        _walk(*ends, pairs.source, pairs.target, first, edge)
        return Paths(first, edge)

    def visits(self, pairs: Pairs) -> Indices:
        """For each edge, how many of the pairs' paths take it: sums over subtrees.

        >>> from sfumato.graph.network import Topology
        >>> line = Topology(("a", "b", "c"), np.array([0, 1]), np.array([1, 2]), directed=True)
        >>> AllPairs.of(line, np.array([1, 1])).visits(Pairs(np.array([0, 0]), np.array([1, 2])))
        array([2, 1])
        """
        ends = (self.topology.source, self.topology.target)
        visits = np.zeros(self.topology.edges, np.int64)
        _count(*ends, self.distance, self.arriving, pairs.source, pairs.target, visits)
        return visits

    def kept(self, later: "AllPairs", pairs: Pairs) -> NDArray[np.bool_]:
        """Which pairs have, later, this path here and no other as short."""
        same = later.alone[pairs.source, pairs.target]
        ends = (self.topology.source, self.topology.target)
        _compare(*ends, self.arriving, later.arriving, pairs.source, pairs.target, same)
        return same


def sorted_arcs(topology: Topology, units: Units, *, backwards: bool = False) -> SortedArcs:
    """Arcs out of each node (backwards: into it), the lightest first."""
    edge = np.argsort(units, kind="stable")
    tail, head = topology.source[edge], topology.target[edge]
    if backwards:
        tail, head = head, tail
    if not topology.directed:
        tail, head = np.column_stack([tail, head]).ravel(), np.column_stack([head, tail]).ravel()
        edge = np.repeat(edge, 2)
    star = Star.of(topology.size, tail, head, edge)
    return SortedArcs(star.first, star.head, star.edge, star.cost(units))


def _lightest(arcs: SortedArcs) -> NDArray[np.bool_]:
    """The edges among the lightest of a node where they begin."""
    place = np.arange(len(arcs.edge)) - np.repeat(arcs.first[:-1], np.diff(arcs.first))
    light = np.zeros(arcs.edge.max(initial=-1) + 1, np.bool_)
    light[arcs.edge[place < _LIGHTEST]] = True
    return light


def _only(arcs: SortedArcs, kept: NDArray[np.bool_]) -> SortedArcs:
    """The arcs of these edges, in the same order."""
    there = kept[arcs.edge]
    first = np.append(0, np.cumsum(there))[arcs.first]
    return SortedArcs(first, arcs.node[there], arcs.edge[there], arcs.cost[there])


@compiled
def rise(heap: Indices, place: Indices, key: Distances, at: int) -> None:
    """Bring the entry at `at` up past larger keys."""
    node = heap[at]
    while at > 0:
        above = (at - 1) >> 1
        if key[heap[above]] <= key[node]:
            break
        heap[at] = heap[above]
        place[heap[at]] = at
        at = above
    heap[at] = node
    place[node] = at


@compiled
def sink(heap: Indices, place: Indices, key: Distances, size: int) -> None:
    """Bring the first entry down past smaller keys."""
    node, at = heap[0], 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and key[heap[below + 1]] < key[heap[below]]:
            below += 1
        if key[heap[below]] >= key[node]:
            break
        heap[at] = heap[below]
        place[heap[at]] = at
        at = below
    heap[at] = node
    place[node] = at


@compiled
def _search(
    first: Indices,
    head: NDArray[np.int32],
    edge: NDArray[np.int32],
    cost: Units,
    distance: Distances,
    arriving: NDArray[np.int32],
    alone: NDArray[np.bool_],
) -> None:
    """Dijkstra from every node; `distance` comes in with upper bounds, which prune."""
    nodes = len(first) - 1
    heap, place = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    for s in range(nodes):
        length, last, single = distance[s], arriving[s], alone[s]
        farthest = length.max()
        for v in range(nodes):
            length[v] = min(length[v] + 1, FAR)  # above the bound, so that a way as long counts
        last[:] = -1
        single[:] = True
        place[:] = -1
        length[s] = 0
        heap[0], place[s], size = s, 0, 1
        while size > 0:
            u = heap[0]
            size -= 1
            if size > 0:
                heap[0] = heap[size]
                sink(heap, place, length, size)
            here = length[u]
            for arc in range(first[u], first[u + 1]):
                longer = here + cost[arc]
                if longer > farthest:  # and so are all that follow
                    break
                v = head[arc]
                if longer < length[v]:
                    if place[v] < 0:
                        heap[size], place[v] = v, size
                        size += 1
                    length[v], last[v], single[v] = longer, edge[arc], single[u]
                    rise(heap, place, length, place[v])
                elif longer == length[v] and place[v] >= 0:
                    single[v] = False


@compiled
def _walk(
    source: Indices,
    target: Indices,
    arriving: NDArray[np.int32],
    start: Indices,
    end: Indices,
    first: Indices,
    edge: Indices,
) -> None:
    """Write each path backwards into its place; without places, count hops into first[1:]."""
    for pair in range(len(start)):
        s, v, at = start[pair], end[pair], first[pair + 1]
        while arriving[s, v] >= 0:
            taken = arriving[s, v]
            if len(edge):
                at -= 1
                edge[at] = taken
            else:
                first[pair + 1] += 1
            v = source[taken] + target[taken] - v


@compiled
def _count(
    source: Indices,
    target: Indices,
    distance: Distances,
    arriving: NDArray[np.int32],
    start: Indices,
    end: Indices,
    visits: Indices,
) -> None:
    """Pairs come sorted by source: per source, counts run from the farthest node inwards."""
    below = np.zeros(len(distance), np.int64)
    pair = 0
    while pair < len(start):
        s = start[pair]
        while pair < len(start) and start[pair] == s:
            below[end[pair]] += 1
            pair += 1
        for v in np.argsort(-distance[s]):
            taken = arriving[s, v]
            if below[v] > 0 and taken >= 0:
                visits[taken] += below[v]
                below[source[taken] + target[taken] - v] += below[v]
            below[v] = 0


@compiled
def _compare(
    source: Indices,
    target: Indices,
    before: NDArray[np.int32],
    after: NDArray[np.int32],
    start: Indices,
    end: Indices,
    same: NDArray[np.bool_],
) -> None:
    """Walk both paths of each pair back together until they part."""
    for pair in range(len(start)):
        s, v = start[pair], end[pair]
        while same[pair] and (before[s, v] >= 0 or after[s, v] >= 0):
            taken = before[s, v]
            if taken == after[s, v]:
                v = source[taken] + target[taken] - v
            else:
                same[pair] = False
