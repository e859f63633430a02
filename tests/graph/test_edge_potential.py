"""edge-potential: every shortest path of every pair stays, and what is published with them."""

import json

import numpy as np
import pytest

from all_paths import random_network, shortest_paths
from sfumato.errors import ParameterError
from sfumato.graph import potential
from sfumato.graph.edge_potential import METHOD, two_way
from sfumato.graph.network import Network, Topology
from sfumato.graph.pairs import Pairs
from sfumato.graph.potential import changed, heights
from sfumato.privacy.guarantee import Heuristic
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from slowness import slow

NO_PAIRS = Pairs(np.empty(0, np.int64), np.empty(0, np.int64))


def published(network, pairs=NO_PAIRS, seed=0, **options):
    plan = METHOD.price(network.topology, None, options)
    purse = Purse(plan.guarantee, SeededBits(seed))
    made = plan.change(network.weight, pairs, purse, lambda _: None)
    assert purse.events == list(plan.events)
    return made


def paths(found):
    """All shortest paths of all pairs, tied ones included, without their lengths."""
    return {pair: ways for pair, (_, ways) in found.items()}


def lengths(found, pairs):
    ends = zip(pairs.source.tolist(), pairs.target.tolist(), strict=True)
    return np.array([found[pair][0] for pair in ends])


def some_pair(found, rng):
    """One or two pairs that have a path, with three ends among them at most."""
    first = list(found)[rng.integers(len(found))]
    also = [pair for pair in found if len({*first, *pair}) <= 3]
    chosen = np.array([first, also[rng.integers(len(also))]])
    return Pairs.of(chosen[:, 0], chosen[:, 1], directed=True)


def cases(rng, count):
    """Directed networks of four or five nodes, half of them full of ties, and their paths."""
    made = 0
    while made < count:
        ties = made % 4 < 2
        network = random_network(rng, directed=True, size=4 + made % 2, ties=ties)
        if network.topology.edges > 6:  # more than can join three nodes
            yield made, network, shortest_paths(network)
            made += 1


@pytest.mark.parametrize("count", [600, slow(5_200)])
def test_all_shortest_paths_of_all_pairs_stay_and_no_other_becomes_one(rng, count):
    """Sets of tied paths are equal, weights positive, ends' lengths equal."""
    tied = named = moved = 0
    for number, network, before in cases(rng, count):
        pairs = some_pair(before, rng) if number % 3 else NO_PAIRS
        spread = (0.3, 1, 8)[number % 5 % 3]
        weight = published(network, pairs, seed=number, spread=spread).weight
        assert np.all(weight > 0)
        after = shortest_paths(network, weight)
        assert paths(after) == paths(before)
        assert np.array_equal(lengths(after, pairs), lengths(before, pairs))
        tied += sum(len(ways) > 1 for _, ways in before.values())
        named += len(pairs)
        moved += int(np.sum(weight != network.weight))
    assert tied > 0.3 * count
    assert named > 0.8 * count
    assert moved > 5 * count


def wrong_way(topology, units, h):
    """Heights used the wrong way round at one arc."""
    after = changed(topology, units, h)
    after[0] = units[0] - h[topology.source[0]] + h[topology.target[0]]
    return np.maximum(after, 1)


def test_one_arc_changed_the_wrong_way_is_caught(rng, monkeypatch):
    """Positive control of the test above."""
    monkeypatch.setattr("sfumato.graph.edge_potential.changed", wrong_way)
    caught = 0
    for number, network, before in cases(rng, 200):
        weight = published(network, seed=number).weight
        caught += paths(shortest_paths(network, weight)) != paths(before)
    assert caught > 50


def test_ends_of_pairs_keep_their_lengths_only_where_the_pairs_are_named(rng):
    """Positive control: the same lengths do change otherwise."""
    same = []
    for number, network, before in cases(rng, 200):
        pairs = some_pair(before, rng)
        after = shortest_paths(network, published(network, seed=number).weight)
        same += (lengths(after, pairs) == lengths(before, pairs)).tolist()
    assert np.mean(same) < 0.1


def test_tied_paths_are_not_told_apart():
    """Two ways of equal length from a to d stay two."""
    source, target = np.array([0, 0, 1, 2]), np.array([1, 2, 3, 3])
    network = Network(Topology(tuple("abcd"), source, target, True), np.array([1.0, 2, 3, 2]))
    for seed in range(50):
        weight = published(network, seed=seed).weight
        assert weight[0] + weight[2] == weight[1] + weight[3]
        assert not np.any(weight == network.weight)


def grid(side, rng):
    """Streets with two directions, each with its own weight."""
    place = np.arange(side * side).reshape(side, side)
    one = np.concatenate([place[:, :-1].ravel(), place[:-1].ravel()])
    other = np.concatenate([place[:, 1:].ravel(), place[1:].ravel()])
    source, target = np.concatenate([one, other]), np.concatenate([other, one])
    topology = Topology(range(side * side), source, target, True)
    return Network(topology, rng.integers(1, 2**20, len(source)) / 2**10)


def test_the_sum_of_both_directions_and_of_any_cycle_is_published_exactly(rng):
    """What leaks, on purpose: the limits of the method say so."""
    network = grid(20, rng)
    weight, half = published(network).weight, network.topology.edges // 2
    streets = network.weight[:half] + network.weight[half:]
    assert np.array_equal(weight[:half] + weight[half:], streets)
    assert np.mean(weight == network.weight) < 0.01
    # Around a block: right and down, then back along arcs walked against their direction.
    topology = network.topology
    walked = [((0, 1), 1), ((1, 21), 1), ((20, 21), -1), ((0, 20), -1)]
    around = np.zeros(topology.edges)
    for (u, v), sign in walked:
        around[(topology.source == u) & (topology.target == v)] = sign
    assert np.count_nonzero(around) == 4
    assert around @ weight == around @ network.weight


def test_whoever_knows_a_spanning_tree_knows_every_weight(rng):
    """The attack that the proof page describes: heights follow along the tree."""
    network = grid(12, rng)
    topology, weight = network.topology, published(network).weight
    shift = np.full(topology.size, np.nan)
    shift[0] = 0
    known = 0
    while np.isnan(shift).any():
        for u, v, true, seen in zip(
            topology.source, topology.target, network.weight, weight, strict=True
        ):
            if np.isnan(shift[v]) and not np.isnan(shift[u]):
                shift[v] = shift[u] + true - seen  # w' - w = h(u) - h(v)
                known += 1
    assert known == topology.size - 1
    guess = weight - shift[topology.source] + shift[topology.target]
    assert np.array_equal(guess, network.weight)


def test_an_arc_between_two_ends_of_named_pairs_keeps_its_weight_and_is_counted(rng):
    network = grid(10, rng)
    ends = Pairs.of(np.array([0, 55]), np.array([1, 56]), directed=True)
    made = published(network, ends)
    exact = np.isin(network.topology.source, [0, 1, 55, 56]) & np.isin(
        network.topology.target, [0, 1, 55, 56]
    )
    assert np.array_equal(made.weight[exact], network.weight[exact])
    assert made.synopsis["weights published exactly"] == exact.sum() == 4
    assert made.synopsis["nodes at one height"] == 4
    assert np.mean(made.weight[~exact] == network.weight[~exact]) < 0.01


def test_pairs_that_leave_nothing_to_change_are_refused():
    network = Network(Topology(("a", "b"), np.array([0]), np.array([1]), True), np.array([3.0]))
    with pytest.raises(ParameterError, match=r"no weight could change. Name fewer pairs, or none"):
        published(network, Pairs(np.array([0]), np.array([1])))
    assert published(network).weight[0] != 3


def test_an_undirected_network_is_refused_with_a_remedy_that_gives_nothing_away():
    network = Topology(("a", "b"), np.array([0]), np.array([1]), directed=False)
    with pytest.raises(ParameterError, match=r"directed network.* both directions .* differ"):
        METHOD.price(network, None, {})


@pytest.mark.parametrize("spread", ["0", -1, "0.001", 101, "far", "nan", None])
def test_a_spread_outside_its_rule_is_refused_by_name(spread):
    network = Topology(("a", "b"), np.array([0]), np.array([1]), directed=True)
    with pytest.raises(ParameterError, match="spread must be"):
        METHOD.price(network, None, {"spread": spread})


def test_the_options_of_a_plan_are_json_that_gives_the_same_plan(rng):
    network = grid(5, rng)
    plan = METHOD.price(network.topology, None, {"spread": 2})
    again = json.loads(json.dumps(dict(plan.options)))
    weight = (published(network, **options).weight for options in (again, {"spread": "2"}))
    assert np.array_equal(*weight)
    assert isinstance(plan.guarantee, Heuristic)


def test_the_limits_count_the_arcs_whose_opposite_is_there(rng):
    network = grid(5, rng).topology
    assert two_way(network) == network.edges == 80
    assert any("80 of the 80 arcs" in limit for limit in METHOD.price(network, None, {}).limits)
    line = Topology(tuple("abc"), np.array([0, 1]), np.array([1, 2]), directed=True)
    assert not any("opposite" in limit for limit in METHOD.price(line, None, {}).limits)


@pytest.mark.parametrize("law", ["uniform", "whole", "lognormal", "equal"])
def test_by_default_weights_of_a_sparse_network_change_by_about_a_quarter(law, rng):
    network = grid(60, rng)
    count = network.topology.edges
    weight = {
        "uniform": rng.uniform(1, 100, count),
        "whole": rng.integers(1, 11, count).astype(float),
        "lognormal": rng.lognormal(0, 1, count),
        "equal": np.ones(count),
    }[law]
    made = published(network.with_weights(weight))
    change = np.median(np.abs(made.weight / weight - 1))
    assert 0.18 < change < 0.3
    assert made.synopsis["median change"] == pytest.approx(change, abs=1e-3)


def test_a_dense_network_hardly_changes_and_the_account_says_so(rng):
    source, target = np.nonzero(~np.eye(60, dtype=bool))
    network = Network(Topology(range(60), source, target, True), rng.uniform(1, 100, len(source)))
    assert published(network, spread=100).synopsis["median change"] < 0.15


def closed(topology, room, start):
    """The greatest values below `start` that keep every arc, by all distances."""
    away = np.full((topology.size, topology.size), 2**60)
    np.fill_diagonal(away, 0)
    away[topology.source, topology.target] = room
    for k in range(topology.size):
        away = np.minimum(away, away[:, k, None] + away[None, k])
    return (start[:, None] + away).min(axis=0)


@pytest.mark.parametrize("sweeps", [0, 1, 4])
def test_values_are_lowered_to_the_greatest_that_keep_every_arc(sweeps, rng, monkeypatch):
    """Compiled or not, by sweeps or by the search that follows them."""
    plain = getattr(potential._settle, "py_func", potential._settle)
    monkeypatch.setattr(potential, "_SWEEPS", sweeps)  # read anew by the plain one only
    for settle in (plain, potential._settle):
        monkeypatch.setattr(potential, "_settle", settle)
        for _ in range(60):
            network = random_network(rng, directed=True, size=8, density=0.4)
            topology, room = network.topology, rng.integers(0, 30, network.topology.edges)
            start = rng.integers(0, 40, topology.size)
            value = start.copy()
            potential._lower(topology.source, topology.target, room, value)
            assert np.array_equal(value, closed(topology, room, start))


def test_heights_stay_in_their_reach_and_level_nodes_in_its_middle(rng):
    for _ in range(200):
        network = random_network(rng, directed=True, size=7, density=0.5)
        level = rng.choice(7, rng.integers(0, 6), replace=False)
        units = (network.weight * 1000).astype(np.int64)
        h = heights(network.topology, units, 2000, rng, level)
        assert h.min() >= 0
        assert h.max() <= 2000
        assert np.all(h[level] == 1000)
        assert np.all(changed(network.topology, units, h) >= 1)


def test_heights_do_vary_where_nothing_holds_them(rng):
    network = grid(30, rng)
    units = (network.weight * 1024).astype(np.int64)
    h = heights(network.topology, units, int(np.median(units)), rng, np.array([3, 500]))
    assert len(np.unique(h)) > 800


@pytest.mark.parametrize("spread", [0.01, 1, 100])
def test_lengths_of_the_published_network_are_exact_in_double_precision(spread, rng):
    """All weights are whole steps, and even the sum of the largest ones has 53 bits."""
    network = grid(15, rng)
    weight = published(network.with_weights(rng.lognormal(0, 1, 840)), spread=spread).weight
    step = 2.0 ** min(np.frexp(w)[1] - 53 + trailing_zeros(w) for w in weight)
    whole = weight / step
    assert np.array_equal(whole, np.rint(whole))
    assert np.sort(whole)[-224:].sum() < 2**53


def trailing_zeros(weight):
    whole = int(np.ldexp(np.frexp(weight)[0], 53))
    return (whole & -whole).bit_length() - 1


def test_without_numba_it_says_how_to_be_faster_and_does_the_same(rng, monkeypatch):
    network, told = grid(6, rng), []
    fast = published(network).weight
    monkeypatch.setattr("sfumato.graph.edge_potential.HAVE_NUMBA", False)
    monkeypatch.setattr(
        potential, "_settle", getattr(potential._settle, "py_func", potential._settle)
    )
    plan = METHOD.price(network.topology, None, {})
    purse = Purse(plan.guarantee, SeededBits(0))
    slow = plan.change(network.weight, NO_PAIRS, purse, told.append).weight
    assert np.array_equal(fast, slow)
    assert "sfumato[fast]" in told[0]
