"""All distances of a network whose weights move one at a time, and how far they may move.

A weight may move as long as each wanted pair keeps its shortest path as the only one.  Two
bounds say how far (`docs/proofs/edge-greedy.md`), both in whole steps and both sharp: one
step beyond, some wanted pair has another path, or a second one.  After a move only the
pairs that it touches are measured again, so a move costs microseconds where a fresh solve
of all pairs costs seconds.

Distances are kept exact for all pairs, wanted or not: whether a wanted path takes an edge
is read off them.
"""

from dataclasses import dataclass, field

import numpy as np

from sfumato.graph import dynamic_kernel
from sfumato.graph.all_pairs import FAR, AllPairs, Distances, SortedArcs, sorted_arcs
from sfumato.graph.dynamic_kernel import State
from sfumato.graph.fixed import Units
from sfumato.graph.network import Indices, Topology
from sfumato.graph.pairs import Pairs

__all__ = ["Dynamic"]


@dataclass(frozen=True, eq=False)
class Dynamic:
    """Weights in steps, all distances, and H; the paths of H must be unique to begin with.

    >>> ring = Topology(("a", "b", "c"), np.array([0, 1, 0]), np.array([1, 2, 2]), directed=False)
    >>> held = Dynamic.of(ring, np.array([10, 20, 40]), Pairs(np.array([0]), np.array([2])))
    >>> held.visits.tolist(), held.lengths().tolist()
    ([1, 1, 0], [30])
    >>> held.highest(0, 100), held.lowest(2)  # a-b-c stays below a-c
    (19, 31)
    >>> held.move(0, 19)
    >>> held.units.tolist(), held.lengths().tolist(), held.highest(1, 100)
    ([19, 20, 40], [39], 20)
    """

    topology: Topology
    pairs: Pairs
    visits: Indices = field(repr=False)  # wanted paths over each edge; moves leave it as it is
    state: State = field(repr=False)

    @classmethod
    def of(
        cls, topology: Topology, units: Units, pairs: Pairs, visits: Indices | None = None
    ) -> "Dynamic":
        """Solve all pairs once; visits may be given, if they are known."""
        out = sorted_arcs(topology, units)
        ways = AllPairs.of(topology, units, out)
        visits = ways.visits(pairs) if visits is None else visits
        return cls(topology, pairs, visits, _state(ways, units, pairs, out))

    @property
    def units(self) -> Units:
        """The present weights; to be changed by `move` alone."""
        return self.state.units

    @property
    def distance(self) -> Distances:
        """The present distances by source and target, FAR where there is no way."""
        return self.state.distance

    def lengths(self) -> Units:
        """The present length of each wanted pair."""
        return self.distance[self.pairs.source, self.pairs.target]

    def lowest(self, edge: int, least: int = 1) -> int:
        """The smallest weight of an edge, from `least` up, that keeps all wanted paths."""
        return int(dynamic_kernel.lowest(self.state, edge, least))

    def highest(self, edge: int, most: int) -> int:
        """The largest weight of an edge, up to `most`, that keeps all wanted paths."""
        if not self.visits[edge]:
            return max(most, int(self.units[edge]))
        return int(dynamic_kernel.highest(self.state, edge, most))

    def move(self, edge: int, units: int) -> None:
        """Give an edge another weight of at least one step."""
        if units > self.units[edge]:
            dynamic_kernel.raised(self.state, edge, units)
        elif units < self.units[edge]:
            dynamic_kernel.lower(self.state, edge, units)


def _state(ways: AllPairs, units: Units, pairs: Pairs, out: SortedArcs) -> State:
    topology = ways.topology
    size = topology.size
    into = out if not topology.directed else sorted_arcs(topology, units, backwards=True)
    # A pair without a way can lose none; as a wanted one it would only hold up the sums.
    there = ways.lengths(pairs) < FAR
    start, end = pairs.source[there], pairs.target[there]
    if not topology.directed:
        start, end = np.concatenate([start, end]), np.concatenate([end, start])
    wanted = np.zeros((size, size), np.bool_)
    wanted[start, end] = True
    distance = ways.distance
    return State(
        distance,
        np.ascontiguousarray(distance.T) if topology.directed else distance,
        wanted,
        start,
        end,
        units.copy(),
        topology.source,
        topology.target,
        *into,
        *out,
        spanned=np.full(4, -1),
        sources=np.empty(size, np.int64),
        targets=np.empty(size, np.int64),
        touched=np.empty(size, np.int64),
        fresh=np.empty(size, np.int64),
        inside=np.zeros(size, np.bool_),
        heap=np.empty(size, np.int64),
        place=np.full(size, -1),
    )
