"""Dynamic: distances after moves, and how far a weight may move, against fresh solves."""

import numpy as np
import pytest
from test_all_pairs import by_scipy

from all_paths import random_network, shortest_paths
from sfumato.graph.dynamic import Dynamic
from sfumato.graph.network import Topology
from sfumato.graph.pairs import Pairs

MOST = 400


def undirected(edges):
    """A network of edges (one end, other end, weight)."""
    source, target, units = (np.array(column) for column in zip(*edges, strict=True))
    names = tuple(map(str, range(max(source.max(), target.max()) + 1)))
    return Topology(names, source, target, directed=False), units


def wanted(*pairs, directed=False):
    source, target = np.ascontiguousarray(np.array(pairs).T)
    return Pairs.of(source, target, directed=directed)


def some_unique_pairs(network, units, rng):
    """Pairs with one shortest path, and these paths; None if no pair has one."""
    directed = network.topology.directed
    paths = {
        pair: found
        for pair, (_, found) in shortest_paths(network, units.astype(float)).items()
        if len(found) == 1 and (directed or pair[0] < pair[1]) and rng.random() < 0.5
    }
    return paths or None


def keeps(network, units, paths):
    now = shortest_paths(network, units.astype(float))
    return all(now[pair][1] == found for pair, found in paths.items())


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("density", [0.1, 0.3, 0.9])
def test_distances_after_each_move_are_those_of_a_fresh_solve(directed, density, rng):
    for _ in range(6):
        network = random_network(rng, directed=directed, size=14, density=density)
        topology = network.topology
        units = rng.integers(1, 60, topology.edges)  # many ties: moves must not need uniqueness
        held = Dynamic.of(topology, units, wanted((0, 1), directed=directed))
        for _ in range(40):
            edge, new = int(rng.integers(topology.edges)), int(rng.integers(1, 90))
            held.move(edge, new)
            assert held.units[edge] == new
            np.testing.assert_array_equal(held.distance, by_scipy(topology, held.units))


@pytest.mark.parametrize("directed", [True, False])
def test_bounds_are_sharp_one_step_beyond_a_path_is_lost_or_shared(directed, rng):
    tried = {"low": 0, "high": 0}
    for _ in range(250):
        network = random_network(rng, directed=directed, density=rng.choice([0.4, 0.7, 1.0]))
        units = rng.integers(1, 200, network.topology.edges)
        if (paths := some_unique_pairs(network, units, rng)) is None:
            continue
        held = Dynamic.of(network.topology, units, wanted(*paths, directed=directed))
        for edge in rng.permutation(network.topology.edges)[:4]:
            low, high = held.lowest(edge), held.highest(edge, MOST)
            assert 1 <= low <= held.units[edge] <= high <= MOST
            there = {value: held.units.copy() for value in (low, low - 1, high, high + 1)}
            for value, weights in there.items():
                weights[edge] = value
            assert keeps(network, there[low], paths)
            assert keeps(network, there[high], paths)
            if low > 1:
                assert not keeps(network, there[low - 1], paths)
                tried["low"] += 1
            if high < MOST:
                assert not keeps(network, there[high + 1], paths)
                tried["high"] += 1
            held.move(edge, int(rng.integers(low, high + 1)))
    assert min(tried.values()) > 100


@pytest.mark.parametrize("directed", [True, False])
def test_an_edge_can_be_walked_down_and_up_step_by_step(directed, rng):
    network = random_network(rng, directed=directed, size=8, density=0.8)
    topology = network.topology
    held = Dynamic.of(
        topology, rng.integers(1, 9, topology.edges), wanted((0, 1), directed=directed)
    )
    for edge in range(topology.edges):
        for new in (*range(held.units[edge] - 1, 0, -1), *range(2, 9)):
            held.move(edge, new)
            np.testing.assert_array_equal(held.distance, by_scipy(topology, held.units))


def test_limits_that_are_asked_for_are_not_passed():
    ring, units = undirected([(0, 1, 10), (1, 2, 20), (0, 2, 40)])
    held = Dynamic.of(ring, units, wanted((0, 2)))
    assert held.lowest(0) == 1
    assert held.lowest(0, 4) == 4
    assert held.lowest(0, 10) == held.lowest(0, 11) == 10
    assert held.highest(0, 15) == 15
    assert held.highest(0, 10) == held.highest(0, 9) == 10
    assert held.highest(2, 10**9) == 10**9
    assert held.highest(2, 1) == 40


def test_a_decrease_is_bounded_in_both_directions_of_an_undirected_edge():
    """s1-j 1, j-i 5, i-s2 1, s1-s2 6.5; the published bound, one direction only, is 10.5."""
    s1, s2, i, j = range(4)
    square, units = undirected([(s1, j, 100), (i, j, 500), (i, s2, 100), (s1, s2, 650)])
    held = Dynamic.of(square, units, wanted((s1, s2)))
    d = held.distance
    assert d[s1, i] + 500 + d[j, s2] - d[s1, s2] == 1050
    assert held.lowest(1) == 500 - 49  # 7 - 6.5 = 0.5
    held.move(1, 451)
    assert held.lengths().tolist() == [650]
    held.move(1, 300)  # well within the published bound: another path is shorter now
    assert held.lengths().tolist() == [500]


def test_a_second_decrease_knows_of_the_first():
    """0-1-2-3 of 4 each against 11: each edge alone could fall by 0.9, two could not."""
    line, units = undirected([(0, 1, 40), (1, 2, 40), (2, 3, 40), (0, 3, 110)])
    held = Dynamic.of(line, units, wanted((0, 3)))
    assert [held.lowest(edge) for edge in range(3)] == [31, 31, 31]
    held.move(0, 31)
    assert [held.lowest(edge) for edge in range(1, 3)] == [40, 40]


def test_the_examples_of_the_thesis_come_out():
    """Figures 4.8 and 4.9: edge 2-5 of weight 5 may grow by less than 2 or fall by less than 3."""
    edges = [(1, 2, 6), (1, 3, 10), (2, 3, 6), (2, 4, 8), (2, 5, 5), (3, 5, 13), (4, 5, 10)]
    network, units = undirected([*edges, (4, 6, 20), (5, 6, 6)])
    held = Dynamic.of(network, units, wanted((1, 6), (4, 6), (3, 6)))
    assert held.lengths().tolist() == [17, 17, 16]  # 1-2-5-6, 3-2-5-6, 4-5-6
    assert held.visits.tolist() == [1, 0, 1, 0, 2, 0, 1, 0, 3]
    assert held.highest(4, 100) == 6
    assert held.lowest(4) == 3


def test_pairs_without_a_way_hold_up_nothing():
    apart = Topology(tuple("abcd"), np.array([0, 2]), np.array([1, 3]), directed=True)
    held = Dynamic.of(apart, np.array([7, 7]), wanted((0, 3), (1, 0), directed=True))
    assert held.visits.tolist() == [0, 0]
    assert held.lowest(0) == 1
    assert held.highest(0, 90) == 90
