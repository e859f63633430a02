"""New weights that hide among each other and keep every wanted path (Liu 2015, chapter 5).

Instead of asking path probabilities, which guarantee nothing, each edge is asked how far it
may move: exactly, by the slack that all wanted paths leave it.  Within that slack it goes to
the weight that makes most arcs around it anonymous (`crowd`).  An edge on no wanted path
costs no length, so in the end it is drawn from all weights as good; the others stay as near
to their own weight as anonymity allows.  No weight leaves the range of those around it.

For networks too large for a table of all distances, all edges move at once and are then
judged: whatever made a wanted path longer than a competitor is taken back.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sfumato.graph.anonymity import share
from sfumato.graph.crowd import Crowd, choice, moved
from sfumato.graph.dynamic import Dynamic
from sfumato.graph.dynamic_kernel import State, highest, lower, lowest, raised
from sfumato.graph.fixed import Units
from sfumato.graph.network import Indices, Topology
from sfumato.graph.pairs import Pairs
from sfumato.graph.paths import Paths
from sfumato.graph.recipe import Say
from sfumato.graph.search import Search
from sfumato.numeric.compiled import compiled

__all__ = ["ORDERS", "Goal", "by_search", "by_slack", "order_of", "range_around", "taken_back"]

ORDERS = ("frequency", "inverse", "random")
_ROUNDS, _MORE_ROUNDS = 4, 10  # by slack, and by searches, which try and take back
_WORTH = 0.002  # a round that hides less than this share more is followed by the last one
_FIRST = 4  # at first an edge on a wanted path is offered a quarter of its weight either way


class Goal(NamedTuple):
    """What is asked for: k neighbours within μ steps, edges moved in one of the orders."""

    k: int
    mu: int
    order: str = ORDERS[0]


def order_of(visits: Indices, how: str, rng: Generator) -> Indices:
    """Edges by how many wanted paths take them: most first, least first, or shuffled.

    >>> order_of(np.array([1, 0, 5]), "frequency", np.random.default_rng(1)).tolist()
    [2, 0, 1]
    """
    if how == "random":
        return rng.permutation(len(visits))
    return np.argsort(-visits if how == "frequency" else visits, kind="stable")


def range_around(topology: Topology, weight: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """For each edge the lightest and the heaviest weight among the arcs it is compared with.

    >>> line = Topology(("a", "b", "c"), np.array([0, 1]), np.array([1, 2]), directed=False)
    >>> [ends.tolist() for ends in range_around(line, np.array([3, 7]))]
    [[3, 3], [7, 7]]
    """
    ends = (topology.source,) if topology.directed else (topology.source, topology.target)
    least = np.full(topology.size, weight.max())
    most = np.full(topology.size, weight.min())
    for end in ends:
        np.minimum.at(least, end, weight)
        np.maximum.at(most, end, weight)
    return np.min([least[end] for end in ends], axis=0), np.max([most[end] for end in ends], axis=0)


def by_slack(
    topology: Topology,
    units: Units,
    home: Units,
    pairs: Pairs,
    goal: Goal,
    rng: Generator,
    say: Say,
) -> Units:
    """New weights; each wanted pair must have one shortest path only, and keeps it.

    `home` is where weights would rather be: those before tied paths were told apart.

    >>> square = Topology(tuple("abcd"), np.array([0, 0, 0, 1]), np.array([1, 2, 3, 2]), True)
    >>> wanted, before = Pairs(np.array([0]), np.array([2])), np.array([10, 60, 42, 20])
    >>> rng, quiet = np.random.default_rng(1), lambda text: None
    >>> after = by_slack(square, before, before, wanted, Goal(k=2, mu=10), rng, quiet)
    >>> share(square, before, 2, 10), share(square, after, 2, 10)
    (0.25, 0.5)
    """
    dynamic, crowd = Dynamic.of(topology, units, pairs), Crowd.of(topology, units, goal.k, goal.mu)
    free, limits = dynamic.visits == 0, _limits(topology, units, home)
    order, best = order_of(dynamic.visits, goal.order, rng), _Best(topology, units, goal, _ROUNDS)
    for last in best.rounds():
        draw = np.where(free & last, rng.random(topology.edges), -1.0)
        _sweep(dynamic.state, crowd, order, free, *limits, home, draw, not last)
        say(best.told(crowd.units))
    return best.units


def by_search(
    search: Search,
    units: Units,
    home: Units,
    pairs: Pairs,
    paths: Paths,
    goal: Goal,
    rng: Generator,
    say: Say,
) -> Units:
    """The same without a table of distances: move all edges, then take back what did harm.

    `paths` are the only shortest paths of the pairs, and stay so.
    """
    topology = search.topology
    visits = paths.visits(topology.edges)
    free, (least, most) = visits == 0, _limits(topology, units, home)
    order, best = order_of(visits, goal.order, rng), _Best(topology, units, goal, _MORE_ROUNDS)
    kept, room = units, np.where(free, units, units // _FIRST)
    for last in best.rounds():
        crowd = Crowd.of(topology, kept, goal.k, goal.mu)
        draw = np.where(free & last, rng.random(topology.edges), -1.0)
        # Raising an edge off all wanted paths does no harm, however far.
        high = np.where(free, most, np.minimum(kept + room, most))
        _offer(crowd, order, np.maximum(kept - room, least), high, home, draw, not last)
        kept = taken_back(search, kept, crowd.units, pairs, paths)
        room[kept != crowd.units] //= 2
        say(best.told(kept))
    return best.units


def _limits(topology: Topology, units: Units, home: Units) -> tuple[Units, Units]:
    """The range around each edge at home, and what was added to tell paths apart."""
    return range_around(topology, home)[0], range_around(topology, units)[1]


class _Best:
    """The weights after the round that hid most: never fewer than to begin with."""

    def __init__(self, topology: Topology, units: Units, goal: Goal, most: int) -> None:
        self._topology, self._goal, self._most = topology, goal, most
        self.units, self._share = units, share(topology, units, goal.k, goal.mu)
        self._turn, self._gain = 0, 1.0

    def rounds(self) -> Iterator[bool]:
        """For each round whether it is the last: it brings home what moved in vain."""
        last = False
        while not last:
            self._turn += 1
            last = self._turn == self._most or self._gain < _WORTH
            yield last

    def told(self, units: Units) -> str:
        """Look at the weights after a round; what to say about it."""
        hidden = share(self._topology, units, self._goal.k, self._goal.mu)
        self._gain = hidden - self._share
        if self._gain >= 0:
            self.units, self._share = units.copy(), hidden
        return f"round {self._turn}: {hidden:.1%} of the weights hide among their neighbours"


def taken_back(search: Search, safe: Units, offered: Units, pairs: Pairs, paths: Paths) -> Units:
    """The offered weights, save those that must stay for the paths to be the only shortest.

    Where a path has a competitor, raised edges of the path and lowered edges of the
    competitor go back to their safe weight.  There is at least one such edge, for by safe
    weights the path was shorter; so this ends.

    >>> from sfumato.graph.arcs import Arcs
    >>> square = Topology(tuple("abcd"), np.array([0, 1, 0, 3]), np.array([1, 2, 3, 2]), True)
    >>> search, pairs = Search(square, Arcs.of(square)), Pairs(np.array([0]), np.array([2]))
    >>> safe, path = np.array([4, 4, 5, 5]), Paths(np.array([0, 2]), np.array([0, 1]))
    >>> taken_back(search, safe, np.array([6, 3, 8, 1]), pairs, path).tolist()
    [4, 3, 8, 5]
    """
    units, suspects = offered.copy(), np.arange(len(pairs))
    while True:
        ends = Pairs(pairs.source[suspects], pairs.target[suspects])
        found = search.competitors(units, ends, paths.chosen(suspects))
        if not len(found):
            if len(suspects) == len(pairs):
                return units
            suspects = np.arange(len(pairs))
            continue
        suspects = suspects[found.pair]
        own, theirs = paths.chosen(suspects).edge, found.paths.edge
        back = np.concatenate([own[units[own] > safe[own]], theirs[units[theirs] < safe[theirs]]])
        units[back] = safe[back]


@compiled
def _sweep(
    state: State,
    crowd: Crowd,
    order: Indices,
    free: NDArray[np.bool_],
    least: Units,
    most: Units,
    home: Units,
    draw: NDArray[np.float64],
    approach: bool,
) -> None:
    """Move each edge within its slack; each sees where those before it have gone."""
    for edge in order:
        low = lowest(state, edge, least[edge])
        high = most[edge] if free[edge] else highest(state, edge, most[edge])
        value = choice(crowd, edge, low, high, home[edge], approach, draw[edge])
        if value > crowd.units[edge]:
            raised(state, edge, value)
        elif value < crowd.units[edge]:
            lower(state, edge, value)
        moved(crowd, edge, value)


@compiled
def _offer(
    crowd: Crowd,
    order: Indices,
    low: Units,
    high: Units,
    home: Units,
    draw: NDArray[np.float64],
    approach: bool,
) -> None:
    """Move each edge within these limits."""
    for edge in order:
        value = choice(crowd, edge, low[edge], high[edge], home[edge], approach, draw[edge])
        moved(crowd, edge, value)
