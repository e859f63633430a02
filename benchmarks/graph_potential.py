"""edge-potential against one single-source search of scipy's, on the same networks in one run.

python benchmarks/graph_potential.py            2,000,000 arcs (half a minute, 1 GB of memory)
python benchmarks/graph_potential.py 200000     fewer arcs

Two networks: every node with five arcs to random nodes, and a square of streets with both
directions.  Edges lie in random order; weights are evenly between 1 and 100.  Ours is the whole
change, from an edge list with weights to published weights, with and without named pairs
(100 of them).  scipy's is `dijkstra` from one node, once from a sparse matrix that is there
already and once from the edge list.  Processor time, the best of five, in turn; compiling
is not counted.
"""

import sys
import time

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from sfumato.graph.edge_potential import METHOD
from sfumato.graph.network import Network, Topology
from sfumato.graph.pairs import Pairs
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits

REPEATS, DEGREE, PAIRS = 5, 5, 100


def random_arcs(arcs, rng):
    size = arcs // DEGREE
    source, target = np.repeat(np.arange(size), DEGREE), rng.integers(0, size, size * DEGREE)
    key = np.unique((source * size + target)[source != target])
    return size, *np.divmod(rng.permutation(key), size)


def streets(arcs, rng):
    side = round((arcs / 4) ** 0.5)
    place = np.arange(side * side).reshape(side, side)
    one = np.concatenate([place[:, :-1].ravel(), place[:-1].ravel()])
    other = np.concatenate([place[:, 1:].ravel(), place[1:].ravel()])
    order = rng.permutation(2 * len(one))
    return side * side, np.concatenate([one, other])[order], np.concatenate([other, one])[order]


def network(kind, arcs, rng):
    size, source, target = kind(arcs, rng)
    return Network(Topology(range(size), source, target, True), rng.uniform(1, 100, len(source)))


def change(given, pairs):
    plan = METHOD.price(given.topology, None, {})
    return lambda: plan.change(
        given.weight, pairs, Purse(plan.guarantee, SeededBits(1)), lambda _: None
    )


def matrix(given):
    topology = given.topology
    ends = (topology.source, topology.target)
    return csr_array((given.weight, ends), shape=(topology.size, topology.size))


def clock(jobs):
    """Processor seconds of each job, the best of some rounds, and what it gave."""
    seconds, results = dict.fromkeys(jobs, float("inf")), {}
    for _ in range(REPEATS):
        for name, job in jobs.items():
            start = time.process_time()
            results[name] = job()
            seconds[name] = min(seconds[name], time.process_time() - start)
    return seconds, results


def main(arcs):
    rng = np.random.default_rng(0)
    empty = np.empty(0, np.int64)
    for kind in (random_arcs, streets):
        given = network(kind, arcs, rng)
        ends = rng.choice(given.topology.size, (2, PAIRS), replace=False)
        there = matrix(given)
        jobs = {
            "ours": change(given, Pairs(empty, empty)),
            "ours, pairs": change(given, Pairs.of(*ends, directed=True)),
            "scipy": lambda there=there: dijkstra(there, indices=0),
            "scipy, list": lambda given=given: dijkstra(matrix(given), indices=0),
        }
        for job in jobs.values():
            job()  # compile and warm up
        seconds, results = clock(jobs)
        print(f"{kind.__name__}: {given}")
        for name, best in seconds.items():
            print(f"  {name:12} {best:6.3f} s")
        for name in ("ours", "ours, pairs"):
            moved = results[name].synopsis["median change"]
            ratios = (seconds[name] / seconds[peer] for peer in ("scipy", "scipy, list"))
            print(
                "  {}: {:.2f} of a search in a matrix, {:.2f} of one from the list; "
                "median change {:.0%}".format(name, *ratios, moved)
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000)
