"""edge-greedy on the thesis' two networks: ours against a plain replay, and the large one.

python benchmarks/graph_dense.py            both (a minute or two, 1 GB of memory)
python benchmarks/graph_dense.py small      only the replay

small: 48 nodes, 830 arcs, weights 1 to 4, 77 % of the pairs wanted, like the EIES
acquaintances.  The replay is Algorithm 1 as it is written, with the corrected proposition
4.2.5: NumPy for the bounds, scipy's Floyd-Warshall for all distances after every edge and
for the network without the edge before an increase.  Both start from the same steps, with
tied paths told apart, and end with all wanted paths kept.
large: 1,600 nodes, 70 % of all undirected edges, weights 10 to 100, 25 % of the pairs; the
whole method, from weights to the verified release.

All times are processor seconds of this process, after one run that compiles.
"""

import sys
import time

import numpy as np
from scipy.sparse.csgraph import floyd_warshall

from sfumato.graph.all_pairs import FAR, AllPairs
from sfumato.graph.edge_greedy import METHOD
from sfumato.graph.fixed import FixedPoint
from sfumato.graph.greedy import greedy
from sfumato.graph.network import Topology
from sfumato.graph.pairs import Pairs
from sfumato.graph.wanted import ROOM, Table, alone
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits

STRENGTH = 0.5


def network(nodes, edges, directed, weights, rng):
    there = ~np.eye(nodes, dtype=bool) if directed else np.triu(np.ones((nodes, nodes), bool), 1)
    source, target = np.nonzero(there)
    some = np.sort(rng.choice(len(source), edges, replace=False))
    names = [str(node) for node in range(nodes)]
    topology = Topology(names, source[some], target[some], directed)
    return topology, rng.integers(weights[0], weights[1] + 1, edges).astype(float)


def wanted_pairs(topology, weight, share, rng):
    connected = AllPairs.of(topology, weight.astype(np.int64)).distance < FAR
    np.fill_diagonal(connected, False)
    source, target = np.nonzero(connected if topology.directed else np.triu(connected))
    some = rng.random(len(source)) < share
    return Pairs.of(source[some], target[some], directed=topology.directed)


def replay(topology, units, pairs, visits, rng):
    """Algorithm 1 for a directed network, all distances anew after every edge."""
    W = np.full((topology.size, topology.size), np.inf)
    W[topology.source, topology.target] = units  # whole numbers below 2^53: floats are exact
    s, t = pairs.source, pairs.target
    D = floyd_warshall(W)
    original = D[s, t]
    visited = np.argsort(-visits, kind="stable")[: np.count_nonzero(visits)]
    for e in [*np.flatnonzero(visits == 0), *visited]:
        i, j = topology.source[e], topology.target[e]
        w, most = W[i, j], STRENGTH * W[i, j]
        over = D[s, i] + w + D[j, t] == D[s, t]
        if not visits[e]:
            W[i, j] = w + 1 + int(rng.random() * most)
        elif (D[s, t][over] <= original[over]).mean() > 0.5:
            W[i, j] = np.inf
            gap = (floyd_warshall(W)[s, t] - D[s, t])[over].min()
            W[i, j] = w + int(rng.random() * min(gap - 1, most))
        else:
            gap = (D[s, i] + w + D[j, t] - D[s, t])[~over].min(initial=w)
            W[i, j] = w - int(rng.random() * min(gap - 1, most))
        D = floyd_warshall(W)
    return W[topology.source, topology.target].astype(np.int64)


def clock(action, times):
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        result = action()
        best = min(best, time.process_time() - start)
    return best, result


def small():
    rng = np.random.default_rng(0)
    topology, weight = network(48, 830, True, (1, 4), rng)
    pairs = wanted_pairs(topology, weight, 0.77, rng)
    table = Table(topology, pairs)
    units = FixedPoint.of(topology, weight, ROOM * (1 + STRENGTH)).units(weight)
    told, visits = alone(table, units, rng).units, table.visits()

    def ours():
        return greedy(topology, told, pairs, visits, STRENGTH, rng, lambda _: None)

    ours()
    quick, new = clock(ours, 50)
    slow, other = clock(lambda: replay(topology, told, pairs, visits, rng), 2)
    for units in (new, other):
        table.verified(units)
    print(f"{topology.size} nodes, {topology.edges} arcs, {len(pairs)} pairs wanted")
    print(f"greedy, ours   {1e3 * quick:9.2f} ms")
    print(f"greedy, replay {1e3 * slow:9.2f} ms   replay / ours {slow / quick:.0f}")


def large():
    rng = np.random.default_rng(0)
    nodes = 1600
    topology, weight = network(nodes, int(0.35 * nodes * (nodes - 1)), False, (10, 100), rng)
    pairs = wanted_pairs(topology, weight, 0.25, rng)
    plan = METHOD.plan(topology, None, strength=STRENGTH)

    def ours():
        return plan.change(weight, pairs, Purse(plan.guarantee, SeededBits(1)), lambda _: None)

    seconds, changed = clock(ours, 1)
    print(f"{nodes} nodes, {topology.edges:,} undirected edges, {len(pairs):,} pairs wanted")
    print(f"edge-greedy    {seconds:9.2f} s")
    for fact, value in changed.synopsis.items():
        print(f"  {fact}: {value}")


if __name__ == "__main__":
    small()
    if sys.argv[1:] != ["small"]:
        large()
