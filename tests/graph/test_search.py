"""Search and Paths: against every path of small networks, and against scipy on bigger ones."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from all_paths import random_network, shortest_paths, simple_paths
from sfumato.errors import DataError
from sfumato.graph import search_kernel
from sfumato.graph.arcs import Arcs
from sfumato.graph.network import Topology
from sfumato.graph.pairs import Pairs
from sfumato.graph.paths import Paths
from sfumato.graph.search import Search
from sfumato.numeric.compiled import HAVE_NUMBA

STEPS = 64  # of random_network's weights


def search_of(topology):
    return Search(topology, Arcs.of(topology))


def pairs_of(ends):
    source, target = np.ascontiguousarray(np.array(ends, np.int64).reshape(-1, 2).T)
    return Pairs(source.copy(), target.copy())


def paths_of(edges):
    first = np.append(0, np.cumsum([len(path) for path in edges]))
    return Paths(first, np.concatenate([*edges, np.empty(0)]).astype(np.int64))


def nodes_along(topology, source, edges):
    """The nodes of a path, which must hang together and go with the arrows."""
    nodes = [int(source)]
    for edge in edges:
        ends = [int(topology.source[edge]), int(topology.target[edge])]
        assert nodes[-1] == ends[0] or (nodes[-1] == ends[1] and not topology.directed)
        nodes.append(sum(ends) - nodes[-1])
    return tuple(nodes)


def edge_numbers(topology):
    """The edge between two nodes, in the directions that can be walked."""
    arcs = list(zip(topology.source.tolist(), topology.target.tolist(), strict=True))
    number = {ends: edge for edge, ends in enumerate(arcs)}
    return number if topology.directed else number | {(v, u): number[u, v] for u, v in arcs}


def world(rng, size, edges, directed):
    """A random network without parallel edges, and weights from few values so that many tie."""
    source, target = rng.integers(0, size, (2, edges))
    if not directed:
        source, target = np.minimum(source, target), np.maximum(source, target)
    key = np.unique((source * size + target)[source != target])
    return Topology(range(size), key // size, key % size, directed), rng.integers(1, 60, len(key))


def distances(topology, units, sources):
    matrix = csr_array((units, (topology.source, topology.target)), shape=(topology.size,) * 2)
    return dijkstra(matrix, directed=topology.directed, indices=sources)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("ties", [True, False])
def test_the_path_found_is_one_of_the_shortest(directed, ties, rng):
    for _ in range(400):
        network = random_network(rng, directed=directed, ties=ties)
        truth = shortest_paths(network)
        units = (network.weight * STEPS).astype(np.int64)
        pairs = pairs_of(list(truth))
        paths = search_of(network.topology).paths(units, pairs)
        assert paths.lengths(units).tolist() == [int(STEPS * least) for least, _ in truth.values()]
        for which, (_, shortest) in enumerate(truth.values()):
            assert nodes_along(network.topology, pairs.source[which], paths[which]) in shortest


@pytest.mark.parametrize("directed", [True, False])
def test_a_competitor_is_found_exactly_where_a_path_is_not_the_only_shortest_one(directed, rng):
    alone, beaten, tied = 0, 0, 0
    for _ in range(400):
        network = random_network(rng, directed=directed)
        topology, number = network.topology, edge_numbers(network.topology)
        units, truth = network.weight.astype(np.int64), shortest_paths(network)
        every = [path for path in simple_paths(topology.size)[0] if path[0] < path[-1] or directed]
        walks = [path for path in every if all(arc in number for arc in pairwise(path))]
        walks = [walks[i] for i in rng.permutation(len(walks))[:20]]
        if not walks:
            continue
        own = [[number[arc] for arc in pairwise(path)] for path in walks]
        pairs, paths = pairs_of([(path[0], path[-1]) for path in walks]), paths_of(own)
        rivals = search_of(topology).competitors(units, pairs, paths)
        expected = [path for path in walks if truth[path[0], path[-1]][1] != {path}]
        assert [walks[which] for which in rivals.pair] == expected
        for rival, path in enumerate(expected):
            _, shortest = truth[path[0], path[-1]]
            assert nodes_along(topology, path[0], rivals.paths[rival]) in shortest - {path}
            tied += path in shortest
        alone, beaten = alone + len(walks) - len(rivals), beaten + len(rivals)
    assert min(alone, beaten, tied) > 300


@pytest.mark.parametrize("directed", [True, False])
def test_lengths_agree_with_scipy_on_thousands_of_nodes(directed, rng):
    topology, units = world(rng, 2_000, 9_000, directed)
    search, sources = search_of(topology), np.arange(30)
    for weights in (units, units[::-1].copy()):  # the same room, other weights
        far = distances(topology, weights, sources)
        ends = np.argwhere(np.isfinite(far) & (far > 0))
        pairs = pairs_of(ends[rng.permutation(len(ends))[:3_000]])
        paths = search.paths(weights, pairs)
        assert paths.lengths(weights).tolist() == far[pairs.source, pairs.target].tolist()
        for which in range(0, len(pairs), 50):
            nodes = nodes_along(topology, pairs.source[which], paths[which])
            assert nodes[-1] == pairs.target[which]


@pytest.mark.parametrize(("longer", "found"), [(-1, True), (0, True), (1, False)])
def test_one_step_decides_on_paths_of_a_thousand_edges(longer, found):
    """A detour round edge 500 of a line, beside a length near 2⁵³ steps."""
    hops, weight = 1_000, 2**43
    source = np.append(np.arange(hops), [500, hops + 1])
    target = np.append(np.arange(1, hops + 1), [hops + 1, 501])
    topology = Topology(range(hops + 2), source, target, False)
    units = np.full(hops + 2, weight)
    units[-2:] = 1, weight - 1 + longer
    pairs, line = pairs_of([(0, hops)]), paths_of([np.arange(hops)])
    rivals = search_of(topology).competitors(units, pairs, line)
    assert len(rivals) == found
    if found:
        around = [*range(500), hops, hops + 1, *range(501, hops)]
        assert rivals.paths[0].tolist() == around


def test_many_long_paths_come_back_in_their_order():
    """More than one piece, both by the number of pairs and by the edges of their paths."""
    size = 3_000
    line = Topology(range(size), np.arange(size - 1), np.arange(1, size), True)
    pairs = pairs_of([(i % 97, size - 1 - i % 89) for i in range(1_100)])
    paths = search_of(line).paths(np.full(size - 1, 2**20), pairs)
    assert paths.hops.tolist() == (pairs.target - pairs.source).tolist()
    assert all(
        np.array_equal(paths[i], np.arange(pairs.source[i], pairs.target[i]))
        for i in range(len(pairs))
    )


def test_pairs_without_a_path_are_refused_by_name_and_number():
    topology = Topology(tuple("abcd"), np.array([0, 2]), np.array([1, 3]), True)
    pairs = pairs_of([(0, 1), (1, 0), (0, 3)])
    with pytest.raises(
        DataError, match=r"^2 of 3 pairs have no path, the first being b and a: .*leave out"
    ):
        search_of(topology).paths(np.array([5, 5]), pairs)


def test_a_node_is_at_no_distance_from_itself():
    topology = Topology(tuple("ab"), np.array([0]), np.array([1]), False)
    search, pairs, units = search_of(topology), pairs_of([(0, 0), (0, 1)]), np.array([7])
    paths = search.paths(units, pairs)
    assert [path.tolist() for path in (paths[0], paths[1])] == [[], [0]]
    assert len(search.competitors(units, pairs, paths)) == 0


@pytest.mark.skipif(not HAVE_NUMBA, reason="there is nothing to compare the plain lines with")
def test_plain_python_finds_what_the_compiled_loop_finds(rng, monkeypatch):
    topology, units = world(rng, 60, 200, False)
    pairs = pairs_of([(s, t) for s in range(4) for t in range(4, 40)])
    paths = search_of(topology).paths(units, pairs)
    rivals = search_of(topology).competitors(units, pairs, paths)
    for name in ("_push", "_pop", "_fresh", "_meet", "_follow"):
        monkeypatch.setattr(search_kernel, name, getattr(search_kernel, name).py_func)
    monkeypatch.setattr("sfumato.graph.search.trace", search_kernel.trace.py_func)
    plain = search_of(topology).paths(units, pairs)
    assert plain.first.tolist() == paths.first.tolist()
    assert plain.edge.tolist() == paths.edge.tolist()
    again = search_of(topology).competitors(units, pairs, paths)
    assert again.pair.tolist() == rivals.pair.tolist() != []
    assert again.paths.edge.tolist() == rivals.paths.edge.tolist()
