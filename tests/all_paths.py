"""An oracle for shortest paths: every simple path of a small network, one by one."""

from functools import cache
from itertools import pairwise, permutations

import numpy as np

from sfumato.graph.network import Network, Topology

ABSENT = 2.0**60  # longer than any path of edges that are there


@cache
def simple_paths(size):
    """All simple paths between all ordered pairs: node tuples, and which arcs each one takes."""
    paths = [p for hops in range(1, size) for p in permutations(range(size), hops + 1)]
    taken = np.zeros((len(paths), size * size))
    for row, path in enumerate(paths):
        for u, v in pairwise(path):
            taken[row, u * size + v] = 1
    ends = {}
    for row, path in enumerate(paths):
        ends.setdefault((path[0], path[-1]), []).append(row)
    return paths, taken, {pair: np.array(rows) for pair, rows in ends.items()}


def shortest_paths(network, weight=None):
    """For each connected ordered pair: its length and the set of all its shortest paths.

    Lengths are sums in double precision: exact for weights on a binary step.
    """
    topology = network.topology
    size = topology.size
    length = np.full((size, size), ABSENT)
    weight = network.weight if weight is None else weight
    length[topology.source, topology.target] = weight
    if not topology.directed:
        length[topology.target, topology.source] = weight
    paths, taken, ends = simple_paths(size)
    total = taken @ length.ravel()
    found = {}
    for pair, rows in ends.items():
        least = total[rows].min()
        if least < ABSENT:
            found[pair] = least, {paths[row] for row in rows[total[rows] == least]}
    return found


def random_network(rng, *, directed, size=5, density=0.7, ties=True):
    """Connected or not, weights on a step of 1/64, or whole numbers up to 6 if ties are wanted."""
    while True:
        there = rng.random((size, size)) < density
        np.fill_diagonal(there, False)
        source, target = np.nonzero(there if directed else np.triu(there))
        if len(source):
            break
    order = rng.permutation(len(source))
    source, target = source[order].astype(np.int64), target[order].astype(np.int64)
    weight = rng.integers(1, 7 if ties else 640, len(source)) / (1 if ties else 64)
    names = tuple(f"n{i}" for i in range(size))
    return Network(Topology(names, source, target, directed), weight.astype(float))


def connected_pairs(network):
    """All ordered pairs (unordered ones once, in an undirected network) that have a path."""
    keep = network.topology.directed
    return [pair for pair in shortest_paths(network) if keep or pair[0] < pair[1]]
