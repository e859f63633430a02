"""Lengths of pairs that have hardly a source in common: one search for each pair."""

import numpy as np

from sfumato.graph.arcs import Arcs
from sfumato.graph.fixed import FixedPoint
from sfumato.graph.network import Topology, Weights
from sfumato.graph.pairs import Pairs
from sfumato.graph.search import Search
from sfumato.inspection.network.lengths import Lengths

__all__ = ["between"]


def between(topology: Topology, before: Weights, after: Weights, pairs: Pairs) -> Lengths:
    """NOT PRIVATE: shortest paths of these pairs, in whole steps of either network.

    >>> line = Topology(("a", "b", "c"), np.array([0, 1]), np.array([1, 2]), directed=True)
    >>> ends = Pairs(np.array([0]), np.array([2]))
    >>> found = between(line, np.array([1.0, 2.0]), np.array([1.5, 2.0]), ends)
    >>> found.before.tolist(), found.after.tolist(), found.along.tolist(), found.alone.tolist()
    ([3.0], [3.5], [3.0], [True])
    """
    true, published = (FixedPoint.of(topology, weight, 1.0) for weight in (before, after))
    old, new = true.units(before), published.units(after)
    search = Search(topology, Arcs.of(topology))
    shortest, taken = search.paths(old, pairs), search.paths(new, pairs)
    alone = np.ones(len(pairs), np.bool_)
    alone[search.competitors(new, pairs, taken).pair] = False
    return Lengths(
        pairs.source,
        pairs.target,
        true.weights(shortest.lengths(old)),
        published.weights(taken.lengths(new)),
        true.weights(taken.lengths(old)),
        alone,
    )
