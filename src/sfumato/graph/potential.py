"""A height for every node, at random, such that no arc falls below its floor.

Heights h turn weights w(u, v) into w(u, v) + h(u) - h(v).  Every path from s to t changes by
the same h(s) - h(t), whichever way it takes: all shortest paths stay, ties among them too.
A weight stays at or above its floor if h(v) ≤ h(u) + w - floor.  The greatest heights that
keep this for all arcs and lie nowhere above given ones are shortest distances, from all
nodes at once, each with a start of its own.
"""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sfumato.graph.all_pairs import rise, sink
from sfumato.graph.arcs import Star
from sfumato.graph.fixed import Units
from sfumato.graph.network import Indices, Topology
from sfumato.numeric.compiled import compiled

__all__ = ["changed", "heights"]

_SWEEPS = 4  # after them hardly a node is left to be settled, on sparse networks and on dense ones


def heights(topology: Topology, units: Units, spread: int, rng: Generator, level: Indices) -> Units:
    """Heights from 0 to `spread` that leave every weight at one step or more.

    The nodes in `level` are all at the same height, so that lengths between them stay.
    Each arc has a floor of its own: if all floors were 0, an arc that could fall no further
    would be published at nearly 0, and be known for one.

    >>> line = Topology(("a", "b", "c"), np.array([0, 1]), np.array([1, 2]), directed=True)
    >>> rng = np.random.default_rng(2)
    >>> h = heights(line, np.array([100, 200]), 300, rng, np.array([], int))
    >>> h.tolist(), changed(line, np.array([100, 200]), h).tolist()
    ([124, 211, 135], [13, 276])
    """
    room = units - _floors(units, rng)  # by how much each weight may fall
    start = rng.integers(0, spread + 1, topology.size)
    if len(level):
        middle = spread // 2
        # Where a node cannot be lower without pulling the level down with it.
        near = np.full(topology.size, middle)
        near[level] = 0
        _lower(topology.target, topology.source, room, near)
        np.maximum(start, middle - near, out=start)
        start[level] = middle
    _lower(topology.source, topology.target, room, start)
    return start


def changed(topology: Topology, units: Units, h: Units) -> Units:
    """The weights under these heights.

    >>> arc = Topology(("a", "b"), np.array([0]), np.array([1]), directed=True)
    >>> changed(arc, np.array([100]), np.array([0, 30])).tolist()
    [70]
    """
    return units + h[topology.source] - h[topology.target]


def _floors(units: Units, rng: Generator) -> Units:
    """Drawn evenly up to half of the weight, and at least one step."""
    return np.maximum((units * (rng.random(len(units)) / 2)).astype(np.int64), 1)


def _lower(tail: Indices, head: Indices, room: Units, value: Units) -> None:
    """Lower values, in place, until none exceeds that of the tail of an arc plus its room."""
    star = Star.of(len(value), tail, head, np.arange(len(tail)))
    _settle(star.first, star.head, star.cost(room), value)


@compiled
def _settle(first: Indices, head: NDArray[np.int32], room: Units, value: Units) -> None:
    """A few sweeps over the nodes whose value changed, then Dijkstra over what they left.

    Sweeps go through memory in its order and settle nearly everything.  The search
    bounds the work: it takes each node from the heap once, as the least that is open.
    """
    size = len(value)
    opened = np.ones(size, np.bool_)  # whether arcs out of a node may be too short
    for _ in range(_SWEEPS):
        for node in range(size):
            if opened[node]:
                opened[node] = False
                for arc in range(first[node], first[node + 1]):
                    to, least = head[arc], value[node] + room[arc]
                    if least < value[to]:
                        value[to] = least
                        opened[to] = True
    heap, place, count = np.empty(size, np.int64), np.full(size, -1), 0
    for node in range(size):
        if opened[node]:
            heap[count], place[node] = node, count
            rise(heap, place, value, count)
            count += 1
    while count > 0:
        lowest = heap[0]
        place[lowest] = -1
        count -= 1
        if count > 0:
            heap[0] = heap[count]
            sink(heap, place, value, count)
        for arc in range(first[lowest], first[lowest + 1]):
            to, least = head[arc], value[lowest] + room[arc]
            if least < value[to]:
                value[to] = least
                if place[to] < 0:
                    heap[count], place[to] = to, count
                    count += 1
                rise(heap, place, value, place[to])
