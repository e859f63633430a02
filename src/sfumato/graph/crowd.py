"""Where a weight should lie so that it, and the arcs around it, hide among each other.

A weight counts for the arcs of one node (of both ends, if undirected).  How many of them are
anonymous is, as a function of one weight, a step function with closed steps that end μ below
and μ above other weights: so those points, and one between each two, are all there is to
try.  Of two weights the better one leaves more arcs anonymous; if equally many, it brings
arcs more neighbours of the k they need; and then it lies nearer to where the edge was at home.
"""

from typing import NamedTuple

import numpy as np

from sfumato.graph.fixed import Units
from sfumato.graph.network import Indices, Topology
from sfumato.numeric.compiled import compiled

__all__ = ["Crowd", "choice", "moved", "options"]

_SPAN = 32  # weights of a node looked at on either side of an edge's home: hubs have thousands
_ONE = 2**20  # an anonymous arc outweighs any number of neighbours brought nearer to it


class Crowd(NamedTuple):
    """All weights by node, as they are moved one after the other.

    Arrays and numbers only, so that the loops run compiled and as plain Python.

    >>> star = Topology(tuple("abcde"), np.zeros(4, np.int64), np.arange(1, 5), directed=True)
    >>> crowd = Crowd.of(star, np.array([40, 10, 48, 43]), k=4, mu=10)
    >>> choice(crowd, 1, 5, 60, 10, False, -1.0)
    38
    >>> moved(crowd, 1, 38)
    >>> crowd.units.tolist()
    [40, 38, 48, 43]
    """

    units: Units
    k: int
    mu: int
    first: Indices  # weights of node v are ordered[first[v]] up to first[v + 1]
    ordered: Units  # ascending for each node
    one: Indices  # of each edge, the node whose arcs it is among
    other: Indices  # and the second such node, -1 if directed

    @classmethod
    def of(cls, topology: Topology, units: Units, k: int, mu: int) -> "Crowd":
        """The weights of a network, to begin with."""
        one, other = topology.source, np.full(topology.edges, -1)
        tail, weight = one, units
        if not topology.directed:
            other = topology.target
            tail, weight = np.concatenate([one, other]), np.concatenate([units, units])
        first = np.append(0, np.cumsum(np.bincount(tail, minlength=topology.size)))
        return cls(units.copy(), k, mu, first, weight[np.lexsort((weight, tail))], one, other)


@compiled
def _near(row: Units, value: int, mu: int) -> int:
    """How many of these weights are within μ of a value."""
    return int(
        np.searchsorted(row, value + mu, side="right")
        - np.searchsorted(row, value - mu, side="left")
    )


@compiled
def _around(row: Units, home: int, k: int) -> Units:
    """The weights of a node that are looked at: the nearest ones on either side."""
    at, span = int(np.searchsorted(row, home)), max(_SPAN, 2 * k)
    return row[max(0, at - span) : at + span]


@compiled
def _points(crowd: Crowd, edge: int, low: int, high: int, home: int) -> Units:
    """Where steps may end, from low to high, and one point between each two."""
    ends = np.empty(8 * max(_SPAN, 2 * crowd.k) + 3, np.int64)
    ends[0], ends[1], ends[2], count = low, high, min(max(home, low), high), 3
    for node in (crowd.one[edge], crowd.other[edge]):
        if node < 0:
            continue
        row = crowd.ordered[crowd.first[node] : crowd.first[node + 1]]
        for value in _around(row, home, crowd.k):
            for end in (value - crowd.mu, value + crowd.mu):
                if low < end < high:
                    ends[count] = end
                    count += 1
    distinct = np.unique(ends[:count])
    points = np.empty(2 * len(distinct) - 1, np.int64)
    points[::2] = distinct
    points[1::2] = (distinct[:-1] + distinct[1:]) // 2
    return points


@compiled
def options(crowd: Crowd, edge: int, low: int, high: int, home: int) -> tuple[Units, Indices]:
    """Weights worth trying, ascending, and how good each of them is."""
    points, mu = _points(crowd, edge, low, high, home), crowd.mu
    score, own = np.zeros(len(points), np.int64), crowd.units[edge]
    for node in (crowd.one[edge], crowd.other[edge]):
        if node < 0:
            continue
        row = crowd.ordered[crowd.first[node] : crowd.first[node + 1]]
        need = min(crowd.k, len(row))
        rising = np.zeros(len(points) + 1, np.int64)  # what others gain, as differences
        met = False
        for value in _around(row, home, crowd.k):
            if value == own and not met:  # the edge itself, or one just like it
                met = True
                continue
            near = _near(row, value, mu) - (1 if abs(value - own) <= mu else 0)
            if near < need:
                gain = 1 + (_ONE if near == need - 1 else 0)
                rising[np.searchsorted(points, value - mu, side="left")] += gain
                rising[np.searchsorted(points, value + mu, side="right")] -= gain
        others = 0
        for place in range(len(points)):
            others += rising[place]
            value = points[place]
            near = 1 + _near(row, value, mu) - (1 if abs(value - own) <= mu else 0)
            score[place] += others + min(near, need) + (_ONE if near >= need else 0)
    return points, score


@compiled
def _lack(row: Units, value: int, own: int, need: int, mu: int) -> int:
    """How far beyond μ the last needed neighbour of a weight is."""
    right = int(np.searchsorted(row, value))
    left, found, distance, met = right - 1, 1, 0, False
    while found < need:
        leftwards = right >= len(row) or (left >= 0 and value - row[left] <= row[right] - value)
        if leftwards:
            nearest = row[left]
            left -= 1
        else:
            nearest = row[right]
            right += 1
        if nearest == own and not met:
            met = True
        else:
            found += 1
            distance = abs(nearest - value)
    return max(0, distance - mu)


@compiled
def choice(
    crowd: Crowd, edge: int, low: int, high: int, home: int, approach: bool, draw: float
) -> int:
    """The best weight from `low` to `high`.

    With `approach`, an arc that stays alone at least comes nearer to the others, who may
    then reach it.  A `draw` from 0 to 1 spreads the weight over all that are as good and
    within μ of the best; a negative one does not.
    """
    points, score = options(crowd, edge, low, high, home)
    top, best, least, nearest = score.max(), -1, 0, 0
    for place in range(len(points)):
        if score[place] < top:
            continue
        lack = 0
        if approach:
            for node in (crowd.one[edge], crowd.other[edge]):
                if node >= 0:
                    row = crowd.ordered[crowd.first[node] : crowd.first[node + 1]]
                    need = min(crowd.k, len(row))
                    lack += _lack(row, points[place], crowd.units[edge], need, crowd.mu)
        away = abs(points[place] - home)
        if best < 0 or lack < least or (lack == least and away < nearest):
            best, least, nearest = place, lack, away
    if draw < 0:
        return int(points[best])
    left = right = best
    while left > 0 and score[left - 1] == top:
        left -= 1
    while right < len(points) - 1 and score[right + 1] == top:
        right += 1
    lowest = max(points[left], points[best] - crowd.mu)
    highest = min(points[right], points[best] + crowd.mu)
    return int(min(highest, lowest + int(draw * (highest - lowest + 1))))


@compiled
def moved(crowd: Crowd, edge: int, value: int) -> None:
    """Give an edge another weight: out of its place and in again, keeping the order."""
    own = crowd.units[edge]
    crowd.units[edge] = value
    for node in (crowd.one[edge], crowd.other[edge]):
        if node < 0:
            continue
        row = crowd.ordered[crowd.first[node] : crowd.first[node + 1]]
        at = int(np.searchsorted(row, own))
        while at + 1 < len(row) and row[at + 1] < value:
            row[at] = row[at + 1]
            at += 1
        while at > 0 and row[at - 1] > value:
            row[at] = row[at - 1]
            at -= 1
        row[at] = value
