"""Two networks with the same edges, in whatever order each lists them."""

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError
from sfumato.graph.network import Indices, Network, Topology, Weights

__all__ = ["aligned"]


def aligned(original: Network, release: Network) -> Weights:
    """The weights of the release in the order of the original's edges.

    Nodes without edges may be missing from a release: an edge list cannot hold them.

    >>> ends = np.array([0, 1]), np.array([1, 2])
    >>> line = Network(Topology(("a", "b", "c"), *ends, directed=False), np.array([1.0, 2.0]))
    >>> turned = Network(Topology(("c", "b", "a"), *ends, directed=False), np.array([7.0, 8.0]))
    >>> aligned(line, turned).tolist()
    [8.0, 7.0]
    """
    ours, theirs = original.topology, release.topology
    if ours.directed != theirs.directed:
        raise DataError("one network is directed and the other is not: they cannot be compared")
    places = np.array([ours.place.get(name, -1) for name in theirs.nodes], np.int64)
    strange = places[theirs.source] < 0
    strange |= places[theirs.target] < 0
    if strange.any():
        raise DataError(_differ(theirs, strange, "the release", "the original"))
    known = _keys(ours, ours.source, ours.target)
    given = _keys(ours, places[theirs.source], places[theirs.target])
    extra, lost = ~np.isin(given, known), ~np.isin(known, given)
    if extra.any():
        raise DataError(_differ(theirs, extra, "the release", "the original"))
    if lost.any():
        raise DataError(_differ(ours, lost, "the original", "the release"))
    weight = np.empty(ours.edges)
    weight[np.argsort(known)] = release.weight[np.argsort(given)]
    return weight


def _keys(topology: Topology, source: Indices, target: Indices) -> Indices:
    """A number for each edge that is the same in both networks."""
    if not topology.directed:
        source, target = np.minimum(source, target), np.maximum(source, target)
    return source * topology.size + target


def _differ(topology: Topology, which: NDArray[np.bool_], here: str, there: str) -> str:
    first = int(which.argmax())
    one, other = (topology.nodes[int(e[first])] for e in (topology.source, topology.target))
    return (
        f"{int(which.sum())} of {len(which)} edges of {here} are not in {there}, the first from "
        f"{one} to {other}: "
        "only networks with the same edges can be compared"
    )
