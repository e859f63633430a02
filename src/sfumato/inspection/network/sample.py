"""Which pairs are looked at: all of them where that is quick, else a sample of its own kind.

Searching from a node costs as much for one target as for all.  So where pairs share their
sources, some sources are drawn and all their pairs are looked at; where they hardly do,
some pairs are drawn, and each is searched for by itself.
"""

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from sfumato.errors import DataError
from sfumato.graph.network import Indices, Topology, Weights
from sfumato.graph.pairs import Pairs
from sfumato.inspection.network.lengths import Lengths
from sfumato.inspection.network.point_to_point import between
from sfumato.inspection.network.trees import Trees
from sfumato.numeric.compiled import HAVE_NUMBA

__all__ = ["looked_at"]

_FROM_NODES = 20_000_000  # arcs walked in all, searching from nodes: about ten seconds
_BETWEEN = 300_000_000  # arcs there are in all, searching between pairs: half a minute at worst
_RANDOM = 100_000  # pairs looked at where none are given


def looked_at(
    topology: Topology,
    before: Weights,
    after: Weights,
    pairs: Pairs | None,
    rng: Generator,
    say: Callable[[str], None],
) -> Lengths:
    """NOT PRIVATE: shortest paths of these pairs, or of random ones.

    >>> line = Topology(("a", "b", "c"), np.array([0, 1]), np.array([1, 2]), directed=True)
    >>> weight, rng = np.array([1.0, 2.0]), np.random.default_rng(1)
    >>> found = looked_at(line, weight, weight, None, rng, print)
    searching from node 1 of 2
    searching from node 2 of 2
    >>> found.before.tolist()
    [1.0, 3.0, 2.0]
    """
    arcs = topology.edges * (1 if topology.directed else 2)
    sources, searches = max(8, _FROM_NODES // arcs), max(100, _BETWEEN // arcs)
    if pairs is not None and HAVE_NUMBA:
        distinct = len(np.unique(pairs.source))
        if distinct > sources and searches > len(pairs) * sources / distinct:
            say(f"searching between {min(searches, len(pairs)):,} pairs")
            try:
                return between(topology, before, after, _some(pairs, searches, rng))
            except DataError:
                pass  # weights too far apart for whole steps: in floats, then
    return _from_sources(Trees(topology, before, after), pairs, sources, rng, say)


def _some(pairs: Pairs, count: int, rng: Generator) -> Pairs:
    if len(pairs) <= count:
        return pairs
    kept = np.sort(rng.choice(len(pairs), count, replace=False, shuffle=False))
    return Pairs(pairs.source[kept], pairs.target[kept])


def _from_sources(
    trees: Trees, pairs: Pairs | None, most: int, rng: Generator, say: Callable[[str], None]
) -> Lengths:
    starts = np.unique(trees.tail if pairs is None else pairs.source)
    if len(starts) > most:
        starts = np.sort(rng.choice(starts, most, replace=False, shuffle=False))
    found = []
    for place, start in enumerate(starts):
        say(f"searching from node {place + 1} of {len(starts)}")
        tree = trees.of(int(start))
        if pairs is not None:
            targets = pairs.target[pairs.source == start]
        else:
            targets = _random_targets(trees, tree[0], starts, place, rng)
        found.append((np.full(len(targets), start), targets, *(part[targets] for part in tree)))
    return Lengths(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def _random_targets(
    trees: Trees, length: Weights, starts: Indices, place: int, rng: Generator
) -> Indices:
    """Some of the nodes that can be reached; an undirected pair is looked at from one end."""
    passed = starts[place if trees.directed else 0 : place + 1]
    targets = np.setdiff1d(np.flatnonzero(np.isfinite(length)), passed)
    most = -(-_RANDOM // len(starts))
    return targets if len(targets) <= most else rng.choice(targets, most, replace=False)
