"""New weights that hide among each other, by path probabilities (Liu 2015, Algorithm 2).

It keeps most wanted paths and guarantees none; `anonymous` keeps all of them.  For each edge
in turn, other weights are tried, those first that make most arcs anonymous, and the first
one is taken under which for every wanted path r, whether it takes the edge or not,

    P(r) ≥ min(½, P₀(r))    and    |Ē - Ē₀| ≤ Ē₀ / 10,

P₀ and Ē₀ being its probability and the average length of its pair before any change.

This is what conditions (5.6) and (5.7) are for, not what they say.  They ask that P(r) grows
on paths over the edge and falls on all others.  The first can only be met by smaller weights;
and the second asks that wanted paths lose.  What is meant is said beside them: wanted paths
stay the most probable ones.  A path with more than half of all probability is; and one that
never had as much shall not have less.  That does not make it the shortest: P(r) counts exits
along the way too, so for a finite θ a longer path may be more probable.

The arcs of one node are changed one after the other, because one solution then serves them
all; nodes follow each other as their first arcs do in the order that was asked for.
"""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from sfumato.graph.anonymity import share
from sfumato.graph.anonymous import Goal, order_of, range_around
from sfumato.graph.arcs import Arcs, Short
from sfumato.graph.crowd import Crowd, moved, options
from sfumato.graph.fixed import FixedPoint, Units
from sfumato.graph.network import Indices, Topology, Weights
from sfumato.graph.pairs import Pairs
from sfumato.graph.paths import Paths
from sfumato.graph.random_walk import Bypass, RandomWalk, Sums, between, joined, step_row
from sfumato.graph.recipe import Say
from sfumato.numeric.compiled import compiled

__all__ = ["by_random_walk"]

_NEAR = 0.1  # of the average length of each wanted pair
_TRIALS = 12  # weights tried for an edge
_ROUNDING = 1e-9  # of a logarithm: a probability that stays the same has not fallen
_TELL = 20  # times in all that progress is reported


class _Wanted(NamedTuple):
    """The wanted paths as steps from node to node, and what must hold for each."""

    source: Indices
    target: Indices
    first: Indices
    tail: Indices
    head: Indices
    log_share: Weights  # the smallest ln P allowed
    length: Weights  # the average length to stay near to


def by_random_walk(
    topology: Topology,
    units: Units,
    grid: FixedPoint,
    pairs: Pairs,
    paths: Paths,
    goal: Goal,
    theta: float,
    rng: Generator,
    say: Say,
) -> Units:
    """New weights; the paths of the pairs are likely to stay shortest, and may not.

    >>> square = Topology(tuple("abcd"), np.array([0, 0, 0, 1]), np.array([1, 2, 3, 2]), True)
    >>> path, rng = Paths(np.array([0, 2]), np.array([0, 3])), np.random.default_rng(1)
    >>> fixed = (FixedPoint(0), Pairs(np.array([0]), np.array([2])), path)
    >>> before, quiet = np.array([10, 60, 40, 20]), lambda text: None
    >>> by_random_walk(square, before, *fixed, Goal(2, 10), 20.0, rng, quiet).tolist()
    [10, 50, 40, 20]
    """
    weight, crowd = grid.weights(units), Crowd.of(topology, units, goal.k, goal.mu)
    walk, out = RandomWalk.of(topology, weight, theta), Arcs.of(topology).out
    wanted, step = _wanted(topology, pairs, paths, walk), walk.step
    least, most = range_around(topology, units)
    groups = _together(topology, order_of(paths.visits(topology.edges), goal.order, rng))
    for turn, (nodes, edges) in enumerate(groups):
        bypass = Bypass.of(step, nodes)
        for edge in edges:
            own = weight[edge]
            for value in _trials(crowd, edge, int(least[edge]), int(most[edge])):
                weight[edge] = grid.step * value
                _leave(step, nodes, out.first, out.head, out.edge, weight, theta)
                if _fits(bypass, step, wanted):
                    moved(crowd, edge, value)
                    break
            else:
                weight[edge] = own
                _leave(step, nodes, out.first, out.head, out.edge, weight, theta)
        if (turn + 1) * _TELL // len(groups) > turn * _TELL // len(groups):
            done, hidden = (turn + 1) / len(groups), share(topology, crowd.units, goal.k, goal.mu)
            say(f"{done:.0%} done: {hidden:.1%} of the weights hide among their neighbours")
    return crowd.units


def _together(topology: Topology, order: Indices) -> list[tuple[Indices, Indices]]:
    """Edges that change the same rows of Q, and which rows these are."""
    if not topology.directed:
        ends = np.column_stack([topology.source, topology.target])
        return [(ends[edge], np.array([edge])) for edge in order]
    met: dict[int, list[int]] = {}
    for edge in order.tolist():
        met.setdefault(int(topology.source[edge]), []).append(edge)
    return [(np.array([node]), np.array(edges)) for node, edges in met.items()]


def _trials(crowd: Crowd, edge: int, low: int, high: int) -> list[int]:
    """Better weights than the present one, the best first; of equals the nearest on each side."""
    own = int(crowd.units[edge])
    points, score = options(crowd, edge, low, high, own)
    tried: list[int] = []
    for level in np.unique(score[score > score[np.searchsorted(points, own)]])[::-1]:
        good = points[score == level]
        at = int(np.searchsorted(good, own))
        sides = [int(value) for value in (*good[at - 1 : at], *good[at : at + 1])]
        tried += sorted(sides, key=lambda value: abs(value - own))
    return tried[:_TRIALS]


def _wanted(topology: Topology, pairs: Pairs, paths: Paths, walk: RandomWalk) -> _Wanted:
    """What the wanted paths are before any change."""
    tail = np.empty(len(paths.edge), np.int64)
    _walked(topology.source, topology.target, pairs.source, paths.first, paths.edge, tail)
    head = topology.source[paths.edge] + topology.target[paths.edge] - tail
    along = np.add.reduceat(walk.step.log[tail, head], paths.first[:-1])
    log_share = along - walk.log_partition(pairs.source, pairs.target)
    return _Wanted(
        pairs.source,
        pairs.target,
        paths.first,
        tail,
        head,
        np.minimum(log_share, np.log(0.5)) - _ROUNDING,
        walk.expected_length(pairs.source, pairs.target),
    )


@compiled
def _walked(
    source: Indices, target: Indices, start: Indices, first: Indices, edge: Indices, tail: Indices
) -> None:
    """From which node each step of each path is taken."""
    for path in range(len(start)):
        node = start[path]
        for place in range(first[path], first[path + 1]):
            tail[place] = node
            node = source[edge[place]] + target[edge[place]] - node


@compiled
def _leave(
    step: Sums,
    nodes: Indices,
    first: Indices,
    head: Short,
    edge: Short,
    weight: Weights,
    theta: float,
) -> None:
    """Rows of Q by the present weights."""
    for node in nodes:
        begin, end = first[node], first[node + 1]
        lengths = weight[edge[begin:end]]
        row = step_row(lengths, theta)
        for place in range(len(row)):
            there = head[begin + place]
            step.log[node, there], step.length[node, there] = row[place], lengths[place]


@compiled
def _fits(bypass: Bypass, step: Sums, wanted: _Wanted) -> bool:
    """Whether every wanted path is probable enough and every pair about as long as it was."""
    through = joined(bypass, Sums(step.log[bypass.nodes], step.length[bypass.nodes]))
    for path in range(len(wanted.source)):
        s, d = wanted.source[path], wanted.target[path]
        to, length = between(bypass, through, s, d)
        back, detour = between(bypass, through, d, d)
        along = 0.0
        for place in range(wanted.first[path], wanted.first[path + 1]):
            along += step.log[wanted.tail[place], wanted.head[place]]
        if along - (to - back) < wanted.log_share[path]:
            return False
        if abs(length - detour - wanted.length[path]) > _NEAR * wanted.length[path]:
            return False
    return True
