"""NullSpace and perturb: every path of small networks, scipy on bigger ones, and their refusals."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from all_paths import random_network, shortest_paths
from sfumato.errors import DataError
from sfumato.graph import null_space
from sfumato.graph.arcs import Arcs
from sfumato.graph.fixed import FixedPoint
from sfumato.graph.network import Network, Topology
from sfumato.graph.null_space import NullSpace, perturb
from sfumato.graph.pairs import Pairs
from sfumato.graph.paths import Paths
from sfumato.graph.search import Search
from sfumato.graph.ties import told_apart
from slowness import slow

STRENGTH = 0.5


def quiet(message):
    assert message


def pairs_of(ends, directed):
    source, target = np.ascontiguousarray(np.array(ends, np.int64).T)
    return Pairs.of(source, target, directed=directed)


class Case:
    """A network in whole steps without ties, and the only shortest path of each pair."""

    def __init__(self, network, pairs, rng):
        self.topology, self.pairs = network.topology, pairs
        self.grid = FixedPoint.of(network.topology, network.weight, 1 + STRENGTH)
        self.search = Search(network.topology, Arcs.of(network.topology))
        units = self.grid.units(network.weight)
        longest = int(self.search.paths(units, pairs).lengths(units).max())
        self.units = told_apart(units, longest, rng)
        self.paths = self.search.paths(self.units, pairs)

    def perturbed(self, rng, strength=STRENGTH):
        return perturb(self.search, self.units, self.pairs, self.paths, strength, rng, quiet)


def small_case(rng, directed, ties):
    """Few pairs or all of them, so that lengths can be kept in some cases and not in others."""
    while True:
        network = random_network(rng, directed=directed, ties=ties)
        before = shortest_paths(network)
        ends = [ends for ends in before if directed or ends[0] < ends[1]]
        some = rng.permutation(len(ends))[: rng.integers(1, len(ends) + 1)]
        pairs = pairs_of([ends[i] for i in some], directed)
        case = Case(network, pairs, rng)
        if not len(case.search.competitors(case.units, pairs, case.paths)):
            return network, case, before


def walked(topology, source, edges):
    nodes = [int(source)]
    for edge in edges:
        nodes.append(int(topology.source[edge] + topology.target[edge]) - nodes[-1])
    return tuple(nodes)


def lost(network, case, before, new):
    """How many pairs do not have their path, one of the shortest before, as the only one."""
    after, gone = shortest_paths(network, case.grid.weights(new)), 0
    for which in range(len(case.pairs)):
        ends = int(case.pairs.source[which]), int(case.pairs.target[which])
        path = walked(case.topology, ends[0], case.paths[which])
        gone += path not in before[ends][1] or after[ends][1] != {path}
    return gone


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("count", [150, slow(1_260)])
def test_no_path_of_many_small_networks_changes(directed, ties, count, rng):
    kept, changed = 0, 0.0
    for _ in range(count):
        network, case, before = small_case(rng, directed, ties)
        new, account = case.perturbed(rng)
        assert lost(network, case, before, new) == 0
        assert new.min() > 0
        assert np.all(np.abs(new - case.units) <= STRENGTH * case.units + 1)
        off = case.paths.visits(len(new)) == 0
        assert np.all(new[off] >= case.units[off])
        assert account["visited_edges"] == (~off).sum()
        if len(case.pairs) < account["visited_edges"]:
            kept += 1
            assert account["lengths_kept"]
            assert account["largest_length_change"] < 1e-8
        changed += account["visited_changed"]
    assert 0.1 * count < kept < 0.9 * count
    assert changed / count > 0.5


@pytest.mark.parametrize("directed", [True, False])
def test_changes_that_nobody_verifies_are_caught(directed, rng):
    """The same noise without equations: the check above must see paths go."""
    gone = 0
    for _ in range(200):
        network, case, before = small_case(rng, directed, ties=False)
        noise = rng.uniform(-STRENGTH, STRENGTH, len(case.units))
        new = case.units + np.trunc(noise * case.units).astype(np.int64)
        gone += lost(network, case, before, new) > 0
    assert gone > 20


def big_network(rng, size=2_000, each=4, directed=False):
    source = np.repeat(np.arange(1, size), each)
    target = (rng.random(len(source)) ** 2 * source).astype(np.int64)  # the early ones are hubs
    if directed:
        source, target = np.append(source, target), np.append(target, source)
    key = np.unique(source * size + target)
    return Topology(range(size), key // size, key % size, directed), rng.uniform(1, 10, len(key))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize(("size", "count", "keeps"), [(2_000, 400, True), (600, 6_000, False)])
def test_scipy_finds_the_same_paths_in_thousands_of_edges(directed, size, count, keeps, rng):
    """An arc (u, v) is on a shortest path iff d(s, u) + w + d(v, t) = d(s, t): count such arcs."""
    topology, weight = big_network(rng, size, directed=directed)
    ends = rng.integers(0, topology.size, (count, 2))
    pairs = pairs_of(ends[ends[:, 0] != ends[:, 1]], directed)
    case = Case(Network(topology, weight), pairs, rng)
    new, account = case.perturbed(rng)
    before, after = case.paths.lengths(case.units), case.paths.lengths(new)
    change = np.abs(after / before - 1).max()
    assert account["largest_length_change"] == pytest.approx(change)
    assert account["lengths_kept"] == (change <= 1e-8) == keeps
    assert account["visited_changed"] > (0.9 if keeps else 0.4)
    matrix = csr_array(
        (case.grid.weights(new), (topology.source, topology.target)), shape=(topology.size,) * 2
    )
    some = rng.permutation(len(pairs))[:100]
    far = dijkstra(matrix, directed=directed, indices=pairs.source[some])
    back = dijkstra(matrix.T, directed=directed, indices=pairs.target[some])
    tails, heads, along = topology.source, topology.target, case.grid.weights(new)
    if not directed:
        tails, heads, along = np.append(tails, heads), np.append(heads, tails), np.tile(along, 2)
    for row, which in enumerate(some):
        length = far[row, pairs.target[which]]
        assert length == case.grid.weights(after)[which]
        on = np.flatnonzero(far[row, tails] + along + back[row, heads] == length)
        assert sorted(on % len(new)) == sorted(case.paths[which])


def test_paths_one_step_apart_are_settled_by_leaving_them_alone(rng):
    """Two ways round a ring, both fixed in length and one step apart; and a line beside it."""
    half, line = 6, 8
    ring = np.arange(2 * half)
    source = np.append(ring, 2 * half + np.arange(line))
    target = np.append((ring + 1) % (2 * half), 2 * half + 1 + np.arange(line))
    topology = Topology(range(2 * half + line + 1), source, target, False)
    units = np.full(len(source), 2**30)
    units[half] += 1  # the way back is one step longer
    ends = [(0, half), (half, 9), (0, 9), (12, 20)]
    pairs, search = pairs_of(ends, False), Search(topology, Arcs.of(topology))
    paths = search.paths(units, pairs)
    assert len(search.competitors(units, pairs, paths)) == 0
    held = 0
    for _ in range(20):
        new, account = perturb(search, units, pairs, paths, STRENGTH, rng, quiet)
        assert len(search.competitors(new, pairs, paths)) == 0
        assert account["lengths_kept"]
        assert account["rounds"] < 5
        assert np.any(new[12:] != units[12:])
        held += account["held"]
        if account["held"]:
            assert np.array_equal(new[:12], units[:12])
    assert held


def test_when_rounds_run_out_the_edges_on_paths_stay_as_they_were(rng, monkeypatch):
    topology, weight = big_network(rng)
    ends = rng.integers(0, topology.size, (1_000, 2))
    case = Case(Network(topology, weight), pairs_of(ends[ends[:, 0] != ends[:, 1]], False), rng)
    monkeypatch.setattr(null_space, "_ROUNDS", 0)
    new, account = case.perturbed(rng)
    on = case.paths.visits(len(new)) > 0
    assert np.array_equal(new[on], case.units[on])
    assert np.any(new[~on] > case.units[~on])
    assert account["held"] == account["visited_edges"] == on.sum()
    assert account["visited_changed"] == 0


def test_tied_paths_are_refused_rather_than_tried_for_ever(rng):
    topology = Topology(tuple("abcd"), np.array([0, 1, 0, 3]), np.array([1, 2, 3, 2]), True)
    search, pairs = Search(topology, Arcs.of(topology)), pairs_of([(0, 2), (0, 3), (3, 2)], True)
    units = np.full(4, 2**30)
    paths = search.paths(units, pairs)
    with pytest.raises(DataError, match="1 of 3 pairs have more than one shortest path: tell them"):
        perturb(search, units, pairs, paths, STRENGTH, rng, quiet)


def test_no_weight_vanishes_however_strong_the_noise(rng):
    for _ in range(100):
        network, case, before = small_case(rng, True, ties=True)
        new, _ = case.perturbed(rng, strength=3.0)
        assert lost(network, case, before, new) == 0
        assert np.all(new >= 0.049 * case.units)


@pytest.mark.parametrize("steps", [1_000, 1])
def test_the_nearest_point_is_the_orthogonal_projection_by_either_way(steps, rng, monkeypatch):
    """With one step of the iteration the factorisation has to do the work."""
    monkeypatch.setattr(null_space, "_STEPS", steps)
    for _ in range(50):
        rows = (rng.random((6, 9)) < 0.4) * rng.uniform(1, 5, 9)
        rows[4] = 0
        rows[5] = rows[0] + rows[1]  # neither an empty nor a dependent row may disturb
        x = rng.normal(size=9)
        found = NullSpace(csr_array(rows), np.ones(9)).nearest(x)
        np.testing.assert_allclose(found, x - np.linalg.pinv(rows) @ rows @ x, atol=1e-6)
        assert np.abs(rows @ found).max() < 1e-7


def test_bounded_points_are_in_the_null_space_and_within_their_bounds(rng):
    rows, noise = csr_array((rng.random((20, 60)) < 0.2) * 1.0), rng.uniform(-1, 1, 60)
    space = NullSpace(rows, np.ones(60))
    x, plain = space.within(noise, 0.7, 0.9), space.nearest(noise)
    assert np.abs(rows @ x).max() < 1e-7
    shrunk = plain / max(-plain.min() / 0.7, plain.max() / 0.9)
    assert np.abs(x).mean() > 1.05 * np.abs(shrunk).mean()  # not merely drawn towards zero
    assert -0.7 <= x.min() < -0.5
    assert 0.6 < x.max() <= 0.9


def test_without_pairs_every_edge_grows(rng):
    topology, weight = big_network(rng, 50)
    grid = FixedPoint.of(topology, weight)
    none = np.empty(0, np.int64)
    search = Search(topology, Arcs.of(topology))
    new, account = perturb(
        search,
        grid.units(weight),
        Pairs(none, none),
        Paths(np.zeros(1, np.int64), none),
        0.5,
        rng,
        quiet,
    )
    assert np.all(new >= grid.units(weight))
    assert account["edges_changed"] > 0.9
