"""AllPairs: distances, ties, paths and visits against scipy and the exhaustive oracle."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from all_paths import connected_pairs, random_network, shortest_paths
from sfumato.graph import all_pairs
from sfumato.graph.all_pairs import FAR, AllPairs
from sfumato.graph.network import Topology
from sfumato.graph.pairs import Pairs
from sfumato.numeric.compiled import HAVE_NUMBA

SIZE = 5


def by_scipy(topology, units):
    ends = (topology.source, topology.target)
    weights = csr_array((units.astype(float), ends), shape=(topology.size, topology.size))
    found = dijkstra(weights, directed=topology.directed)
    return np.where(np.isinf(found), FAR, found).astype(np.int64)


def all_pairs_of(network):
    """Every connected pair of a small network, with what the oracle says of it."""
    truth = shortest_paths(network)
    wanted = np.array(connected_pairs(network))
    return Pairs.of(wanted[:, 0], wanted[:, 1], directed=network.topology.directed), truth


def nodes(topology, start, edges):
    walk = [int(start)]
    for edge in edges:
        walk.append(int(topology.source[edge] + topology.target[edge]) - walk[-1])
    return tuple(walk)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("density", [0.01, 0.1, 0.9])
def test_distances_are_those_of_scipy(directed, density, rng):
    network = random_network(rng, directed=directed, size=160, density=density)
    units = rng.integers(1, 1000, network.topology.edges)
    found = AllPairs.of(network.topology, units)
    np.testing.assert_array_equal(found.distance, by_scipy(network.topology, units))


@pytest.mark.parametrize("directed", [True, False])
def test_leaving_out_heavy_edges_changes_nothing(directed, rng, monkeypatch):
    network = random_network(rng, directed=directed, size=60, density=0.6)
    units = rng.integers(1, 50, network.topology.edges)
    whole = AllPairs.of(network.topology, units)
    monkeypatch.setattr(all_pairs, "_DENSE", 1)
    for lightest in (1, 2, 8):  # the first search may even leave nodes unconnected
        monkeypatch.setattr(all_pairs, "_LIGHTEST", lightest)
        pruned = AllPairs.of(network.topology, units)
        np.testing.assert_array_equal(pruned.distance, whole.distance)
        np.testing.assert_array_equal(pruned.alone, whole.alone)


def test_nodes_without_a_way_are_farther_than_any_path_and_four_of_them_add_up():
    one_way = Topology(("a", "b", "c"), np.array([0]), np.array([1]), directed=True)
    found = AllPairs.of(one_way, np.array([5]))
    assert found.distance.tolist() == [[0, 5, FAR], [FAR, 0, FAR], [FAR, FAR, 0]]
    assert FAR > 2**53
    assert np.int64(FAR) * np.int64(4) > 0


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("ties", [True, False])
def test_the_oracle_confirms_lengths_ties_paths_and_visits(directed, ties, rng):
    for _ in range(150):
        network = random_network(rng, directed=directed, size=SIZE, ties=ties)
        topology, units = network.topology, np.rint(64 * network.weight).astype(np.int64)
        pairs, truth = all_pairs_of(network)
        found = AllPairs.of(topology, units)
        paths = found.paths(pairs)
        several = 0
        for pair in range(len(pairs)):
            ends = int(pairs.source[pair]), int(pairs.target[pair])
            length, shortest = truth[ends]
            assert found.lengths(pairs)[pair] == 64 * length
            assert nodes(topology, ends[0], paths[pair]) in shortest
            assert found.alone[ends] == (len(shortest) == 1)
            several += len(shortest) > 1
        assert found.tied(pairs) == several
        np.testing.assert_array_equal(found.visits(pairs), paths.visits(topology.edges))


def test_a_pair_keeps_its_path_only_if_it_is_the_same_and_the_only_one():
    two_ways = Topology(tuple("abc"), np.array([0, 1, 0]), np.array([1, 2, 2]), directed=True)
    pair = Pairs(np.array([0]), np.array([2]))
    before = AllPairs.of(two_ways, np.array([1, 2, 4]))
    for direct, kept in ((4, True), (9, True), (3, False), (2, False)):
        after = AllPairs.of(two_ways, np.array([1, 2, direct]))
        assert before.kept(after, pair).tolist() == [kept]


def test_a_later_path_that_only_begins_alike_is_not_the_same():
    diamond = Topology(
        tuple("abcd"), np.array([0, 1, 0, 2]), np.array([1, 3, 2, 3]), directed=False
    )
    pair = Pairs(np.array([0]), np.array([3]))
    before, after = (AllPairs.of(diamond, np.array(w)) for w in ([1, 1, 2, 2], [3, 3, 2, 2]))
    assert before.alone[0, 3]
    assert after.alone[0, 3]
    assert not before.kept(after, pair).any()


@pytest.mark.skipif(not HAVE_NUMBA, reason="there is only the plain way")
def test_plain_python_finds_what_the_compiled_loop_finds(rng):
    network = random_network(rng, directed=True, size=SIZE, ties=True)
    units = network.weight.astype(np.int64)
    whole = AllPairs.of(network.topology, units)
    found = [np.full_like(whole.distance, FAR)]
    found += [np.empty_like(array) for array in (whole.arriving, whole.alone)]
    all_pairs._search.py_func(*all_pairs.sorted_arcs(network.topology, units), *found)
    for plain, compiled in zip(found, (whole.distance, whole.arriving, whole.alone), strict=True):
        np.testing.assert_array_equal(plain, compiled)
