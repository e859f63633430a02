"""Shortest paths between given pairs of a big sparse network, and the proof that each is alone.

Dijkstra's search from both ends at once, in whole numbers.  On a network with hubs it sees a
thousandth of the arcs, so a search for each pair beats one from each source unless a source
has hundreds of targets; then the tables of all distances are the better way anyway.

`competitors` asks of each pair for the least (length, arcs shared with its path p), in the
order of the dictionary.  Any other path q that is no longer than p leaves out an arc of p,
for a simple path that takes all arcs of p is p.  So p is the only shortest path if and only
if nothing is below (length of p, arcs of p), and one search per pair decides it exactly.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError
from sfumato.graph.arcs import Arcs
from sfumato.graph.fixed import Units
from sfumato.graph.network import Indices, Topology
from sfumato.graph.pairs import Pairs
from sfumato.graph.paths import Paths
from sfumato.graph.search_kernel import COLUMNS, FAR, Lists, Room, trace

__all__ = ["Competitors", "Search"]

_PIECE = 2**10  # pairs in one call of the loop, so that it can be interrupted
_TRAIL = 2**16  # edges of their paths, and room for the longest one


@dataclass(frozen=True, eq=False)
class Competitors:
    """Pairs whose path is not the only shortest one, and for each a path that shows it."""

    pair: Indices
    paths: Paths

    def __len__(self) -> int:
        return len(self.pair)


class Search:
    """Shortest paths under any weights of one topology; one search at a time.

    It owns the room that searches write to, about 64 bytes a node and 32 an arc, and no
    search has to clear it.

    >>> square = Topology(tuple("abcd"), np.array([0, 1, 0, 3]), np.array([1, 2, 3, 2]), True)
    >>> search, pairs = Search(square, Arcs.of(square)), Pairs(np.array([0]), np.array([2]))
    >>> paths = search.paths(np.array([4, 4, 5, 2]), pairs)
    >>> paths[0].tolist()
    [2, 3]
    >>> len(search.competitors(np.array([4, 4, 5, 2]), pairs, paths))
    0
    >>> search.competitors(np.array([4, 4, 5, 3]), pairs, paths).paths[0].tolist()
    [0, 1]
    """

    def __init__(self, topology: Topology, arcs: Arcs) -> None:
        self.topology, self.arcs = topology, arcs
        heap = (2, len(arcs.out.head) + 1)  # every arc is looked at once from each side
        self._room = Room(
            np.zeros((topology.size, COLUMNS), np.int64),
            np.empty(heap, np.int64),
            np.empty(heap, np.int64),
            np.empty(topology.size, np.int64),
        )
        self._ends = topology.source + topology.target
        self._stamp = 1

    def paths(self, units: Units, pairs: Pairs) -> Paths:
        """A shortest path for each pair; a pair without any is refused."""
        none = Paths(np.zeros(len(pairs) + 1, np.int64), np.empty(0, np.int64))
        found, paths = self._below(units, pairs, none, np.full(len(pairs), FAR))
        if not found.all():
            raise DataError(
                f"{int((~found).sum())} of {len(pairs)} pairs have no path, the first being "
                f"{pairs.names(self.topology, int(np.argmin(found)))}: there is no shortest path "
                "to keep; leave out the pairs that the network does not connect"
            )
        return paths

    def competitors(self, units: Units, pairs: Pairs, paths: Paths) -> Competitors:
        """The pairs whose path is not the one shortest path, with another that is no longer."""
        found, others = self._below(units, pairs, paths, paths.lengths(units))
        kept = np.append(0, others.first[1:][found])
        return Competitors(np.flatnonzero(found), Paths(kept, others.edge))

    def _below(
        self, units: Units, pairs: Pairs, own: Paths, limit: Units
    ) -> tuple[NDArray[np.bool_], Paths]:
        """Which pairs have a path below (limit, edges of their own), and the shortest such."""
        out, into = self.arcs.out, self.arcs.into
        cost = out.cost(units)
        lists = Lists(
            (out.first, into.first),
            (out.head, into.head),
            (out.edge, into.edge),
            (cost, cost if into is out else into.cost(units)),
            self._ends,
        )
        found, hops = np.zeros(len(pairs), np.bool_), np.zeros(len(pairs), np.int64)
        trail, pieces = np.empty(_TRAIL + self.topology.size, np.int64), [np.empty(0, np.int64)]
        begin = 0
        while begin < len(pairs):
            piece = slice(begin, begin + _PIECE)
            done = trace(
                lists,
                self._room,
                self._stamp,
                (pairs.source[piece], pairs.target[piece]),
                own.first[begin : begin + _PIECE + 1],
                own.edge,
                limit[piece],
                found[piece],
                hops[piece],
                trail,
            )
            self._stamp += _PIECE
            pieces.append(trail[: hops[begin : begin + done].sum()].copy())
            begin += done
        return found, Paths(np.append(0, np.cumsum(hops)), np.concatenate(pieces))
