"""The sparse engine on a power-law network of a million edges, in one run.

python benchmarks/graph_sparse.py             1,000,000 edges, 1,000 pairs (about a minute)
python benchmarks/graph_sparse.py 100000      fewer edges
python benchmarks/graph_sparse.py 100000 200  and fewer pairs

The network is one of preferential attachment, four edges for each new node, with weights
drawn evenly from 1 to 10; the pairs are random ones of its largest component.  All times
are processor time of one thread.  networkit's bidirectional search is asked for the paths
as ours is; scipy's search goes from one source to all nodes, since it has no other.
"""

import sys
import time

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from sfumato.graph.fixed import FixedPoint
from sfumato.graph.network import Topology
from sfumato.graph.null_space import perturb
from sfumato.graph.pairs import Pairs
from sfumato.graph.wanted import Searches, alone

EACH, STRENGTH = 4, 0.5


def power_law(edges, rng):
    """Preferential attachment: every end of an edge is copied from an end drawn before it."""
    size = edges // EACH
    own = np.arange(size * EACH) // EACH
    drawn = rng.integers(0, 2 * np.arange(len(own)) + 1)  # even: an own end; odd: a copied one
    while (copied := drawn % 2 == 1).any():
        drawn[copied] = drawn[drawn[copied] // 2]
    other = own[drawn // 2]
    key = np.unique((other * size + own)[other != own])  # the other end is never the younger
    return Topology(range(size), key // size, key % size, directed=False)


def clock(action, *given):
    start = time.process_time()
    result = action(*given)
    return time.process_time() - start, result


def perturbed(topology, weight, pairs, rng):
    """All that is done to a network that has been read."""
    grid, wanted = FixedPoint.of(topology, weight, 2), Searches(topology, pairs)
    told = alone(wanted, grid.units(weight), rng)
    done = perturb(wanted.search, told.units, pairs, wanted.paths, STRENGTH, rng, print)
    return wanted, grid, told.units, done


def networkit_seconds(topology, weight, pairs):
    import networkit

    networkit.setNumberOfThreads(1)
    ends = (topology.source, topology.target)
    graph = networkit.GraphFromCoo((weight, ends), n=topology.size, weighted=True, directed=False)

    def searches():
        for source, target in zip(pairs.source.tolist(), pairs.target.tolist(), strict=True):
            one = networkit.distance.BidirectionalDijkstra(graph, source, target)
            one.run()
            one.getPath()

    return clock(searches)[0] / len(pairs)


def main(edges, count):
    rng = np.random.default_rng(0)
    small, one = power_law(400, rng), Pairs(np.array([90]), np.array([99]))
    loading, _ = clock(perturbed, small, rng.uniform(1, 10, small.edges), one, rng)
    topology = power_law(edges, rng)
    weight = rng.uniform(1, 10, topology.edges)
    matrix = csr_array((weight, (topology.source, topology.target)), shape=(topology.size,) * 2)
    _, component = connected_components(matrix, directed=False)
    giant = np.flatnonzero(component == np.bincount(component).argmax())
    pairs = Pairs.of(*rng.choice(giant, (2, count)), directed=False)
    degree = np.bincount(np.concatenate([topology.source, topology.target])).max()
    print(f"{topology.size:,} nodes, {topology.edges:,} edges (at most {degree:,} at a node)")

    whole, (wanted, grid, units, done) = clock(perturbed, topology, weight, pairs, rng)
    (new, account), search, paths = done, wanted.search, wanted.paths
    print(f"perturbation          {whole:8.2f} s for {len(pairs):,} pairs (target 5)")
    print(f"  before it           {loading:8.2f} s to load the compiled loop")
    for name, value in account.items():
        print(f"  {name}: {value:.3g}" if isinstance(value, float) else f"  {name}: {value}")
    check, rivals = clock(search.competitors, new, pairs, paths)
    print(f"  {len(rivals)} paths changed")

    ours = clock(search.paths, units, pairs)[0] / len(pairs)
    print(f"path, ours            {1e3 * ours:8.2f} ms a pair")
    print(f"only path?, ours      {1e3 * check / len(pairs):8.2f} ms a pair")
    some = np.arange(0, len(pairs), max(1, len(pairs) // 200))
    try:
        theirs = networkit_seconds(topology, weight, Pairs(pairs.source[some], pairs.target[some]))
        ratio = f"{theirs / ours:.1f} × ours (target 5)"
        print(f"path, networkit       {1e3 * theirs:8.2f} ms a pair: {ratio}")
    except ImportError:
        print("networkit is not installed: not compared")
    some = some[:: max(1, len(some) // 5)]
    seconds, far = clock(lambda: dijkstra(matrix, directed=False, indices=pairs.source[some]))
    theirs = seconds / len(some)
    ratio = f"{theirs / ours:.0f} × ours for one pair"
    print(f"all targets, scipy    {1e3 * theirs:8.2f} ms a source: {ratio}")
    found = grid.weights(paths.lengths(units))[some]
    off = np.abs(found / far[np.arange(len(some)), pairs.target[some]] - 1).max()
    print(f"  lengths agree to {off:.0e}")


if __name__ == "__main__":
    wanted = [int(text) for text in sys.argv[1:]]
    main(*(wanted + [1_000_000, 1_000][len(wanted) :]))
