"""edge-greedy: wanted paths stay and become unique; options, account, engines, refusals."""

import json
import subprocess
import sys

import numpy as np
import pytest

from all_paths import connected_pairs, random_network, shortest_paths
from sfumato.errors import ParameterError
from sfumato.graph import edge_greedy, wanted
from sfumato.graph.dynamic import Dynamic
from sfumato.graph.edge_greedy import METHOD
from sfumato.graph.fixed import FixedPoint
from sfumato.graph.network import Network, Topology
from sfumato.graph.pairs import Pairs
from sfumato.numeric.compiled import SLOW
from sfumato.privacy.guarantee import Heuristic
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from slowness import slow


def published(network, pairs, seed=1, say=lambda _: None, **options):
    plan = METHOD.price(network.topology, None, options)
    return plan.change(network.weight, pairs, Purse(plan.guarantee, SeededBits(seed)), say)


def some_pairs(network, rng):
    """A random share of all connected pairs, at least one."""
    there = np.array(connected_pairs(network))
    chosen = there[(rng.random(len(there)) < rng.random()) | (np.arange(len(there)) == 0)]
    return Pairs.of(chosen[:, 0], chosen[:, 1], directed=network.topology.directed)


def lost(before, after, pairs):
    """Pairs that do not have one shortest path afterwards which was one of theirs before."""
    changed = 0
    for pair in zip(pairs.source.tolist(), pairs.target.tolist(), strict=True):
        now = after[pair][1]
        changed += not (len(now) == 1 and now <= before[pair][1])
    return changed


def violations(rng, cases, **options):
    """How many wanted paths were lost over so many random networks of all kinds."""
    changed = 0
    for case in range(cases):
        directed, ties = bool(case & 1), bool(case & 2)
        size, density = int(rng.integers(3, 6)), rng.choice([0.4, 0.7, 1.0])
        network = random_network(rng, directed=directed, size=size, density=density, ties=ties)
        pairs = some_pairs(network, rng)
        result = published(network, pairs, seed=case, **options)
        assert result.weight.shape == network.weight.shape
        assert (result.weight > 0).all()
        before, after = (shortest_paths(network, w) for w in (network.weight, result.weight))
        changed += lost(before, after, pairs)
    return changed


@pytest.mark.parametrize("count", [500, slow(5000)])
def test_no_wanted_path_is_lost_in_thousands_of_networks(rng, count):
    assert violations(rng, count) == 0


@pytest.mark.parametrize("strength", ["0.05", "1"])
def test_no_wanted_path_is_lost_whatever_the_strength(strength, rng):
    assert violations(rng, 400, strength=strength) == 0


def test_no_wanted_path_is_lost_by_the_other_engine(rng):
    assert violations(rng, 400, engine="null-space") == 0


def test_the_published_bound_of_a_decrease_loses_paths_and_is_caught(rng):
    """Proposition 4.2.5 as printed, one direction of an undirected edge only."""
    changed = {"printed": 0, "ours": 0}
    for _ in range(300):
        network = random_network(rng, directed=False, ties=False)
        topology, units = network.topology, np.rint(64 * network.weight).astype(np.int64)
        before = shortest_paths(network, units.astype(float))
        alone = [pair for pair in connected_pairs(network) if len(before[pair][1]) == 1]
        pairs = Pairs.of(*np.array(alone).T, directed=False)
        held = Dynamic.of(topology, units, pairs)
        D, (s, t) = held.distance, (pairs.source, pairs.target)
        edge = int(rng.integers(topology.edges))
        i, j, w = topology.source[edge], topology.target[edge], int(units[edge])
        over = np.minimum(D[s, i] + D[j, t], D[s, j] + D[i, t]) + w == D[s, t]
        printed = int((D[s, i] + w + D[j, t] - D[s, t])[~over].min(initial=w))
        for method, bound in (("printed", w - min(printed, w) + 1), ("ours", held.lowest(edge))):
            new = units.copy()
            new[edge] = bound
            changed[method] += lost(before, shortest_paths(network, new.astype(float)), pairs)
    assert changed["printed"] > 20
    assert changed["ours"] == 0


def line_of_three(directed=True):
    """a-b-c of weights 1 and 2 beside a-c of 4."""
    ends = np.array([0, 1, 0]), np.array([1, 2, 2])
    return Network(Topology(tuple("abc"), *ends, directed), np.array([1.0, 2.0, 4.0]))


def test_a_release_that_would_lose_a_path_is_never_made(monkeypatch):
    def careless(_topology, units, *_):
        return units[::-1].copy()

    monkeypatch.setattr(edge_greedy, "greedy", careless)
    with pytest.raises(RuntimeError, match="nothing is published"):
        published(line_of_three(), Pairs(np.array([0]), np.array([2])))


def test_edges_on_no_wanted_path_grow_and_edges_on_all_shrink():
    network, pairs = line_of_three(), Pairs(np.array([0]), np.array([2]))
    for seed in range(50):
        ratio = published(network, pairs, seed=seed).weight / network.weight
        assert (ratio[:2] < 1).all()
        assert ratio[2] > 1
        assert (np.abs(ratio - 1) <= 0.5).all()


def test_an_edge_shrinks_where_paths_over_it_have_grown():
    """a-b grows, for a-c is as long as it was; so b-c shrinks; d-e is on another path."""
    apart = Topology(tuple("abcde"), np.array([0, 1, 3]), np.array([1, 2, 4]), directed=False)
    network, pairs = Network(apart, np.ones(3)), Pairs(np.array([0, 3]), np.array([2, 4]))
    for seed in range(50):
        assert np.sign(published(network, pairs, seed=seed).weight - 1).tolist() == [1, -1, 1]


def test_changes_reach_all_of_the_strength_and_no_more():
    network, pairs = line_of_three(), Pairs(np.array([0]), np.array([2]))
    weight = [published(network, pairs, seed, strength=0.2).weight for seed in range(400)]
    largest = np.abs(np.array(weight) / network.weight - 1).max(axis=0)
    # Each of 400 draws is below 0.19 with probability 0.95: a false alarm in 1e8 runs.
    assert (largest > 0.19).all()
    assert (largest <= 0.2).all()


def test_a_pair_that_is_joined_by_its_path_of_one_edge_is_kept():
    network = line_of_three(directed=False)
    pairs = Pairs.of(np.array([0, 1]), np.array([1, 2]), directed=False)
    result = published(network, pairs)
    assert lost(*(shortest_paths(network, w) for w in (None, result.weight)), pairs) == 0
    assert result.synopsis["edges on some wanted paths"] == pytest.approx(2 / 3, abs=1e-6)


def test_the_account_counts_pairs_ties_and_kinds_of_edges():
    network = line_of_three().with_weights(np.array([1.0, 2.0, 3.0]))
    pairs = Pairs(np.array([0, 0]), np.array([1, 2]))
    account = published(network, pairs).synopsis
    assert account["engine"] == "matrix"
    assert account["pairs"] == 2
    assert account["pairs with several shortest paths before"] == 1
    kinds = [account[f"edges on {kind}"] for kind in ("no wanted path", "all wanted paths")]
    assert sum(kinds) + account["edges on some wanted paths"] == pytest.approx(1, abs=1e-5)
    assert account["edges changed"] == 1
    assert 0 < account["mean change of a length"] <= account["largest change of a length"] < 1
    assert json.loads(json.dumps(account)) == account


def test_ties_between_sevenths_are_told_apart_though_they_have_no_common_step(rng):
    network = random_network(rng, directed=True, size=40, density=0.5)
    network = network.with_weights(rng.integers(1, 10, network.topology.edges) / 7)
    source, target = np.array(np.nonzero(~np.eye(40, dtype=bool)))
    pairs = Pairs.of(source, target, directed=True)
    account = published(network, pairs).synopsis  # verified: each path is the only one now
    assert account["pairs with several shortest paths before"] > 300


def test_all_lengths_stay_exact_in_floats(rng):
    network = random_network(rng, directed=False, density=1.0)
    pairs = some_pairs(network, rng)
    weight = published(network, pairs, strength=1).weight
    grid = FixedPoint.of(network.topology, network.weight, wanted.ROOM * 2)
    steps = weight / grid.step
    np.testing.assert_array_equal(steps, np.rint(steps))
    assert steps.sum() < 2**53


def test_weights_given_and_pairs_are_left_alone(rng):
    network = random_network(rng, directed=False)
    pairs, weight = some_pairs(network, rng), network.weight.copy()
    published(network, pairs)
    np.testing.assert_array_equal(network.weight, weight)


def test_texts_and_numbers_give_the_same_plan_and_its_options_give_it_again():
    network, pairs = line_of_three(), Pairs(np.array([0]), np.array([2]))
    results = []
    for options in ({"strength": 0.25}, {"strength": "0.25", "engine": "auto"}):
        plan = METHOD.price(network.topology, None, options)
        again = METHOD.price(network.topology, None, json.loads(json.dumps(plan.options)))
        assert again.options == plan.options
        results += [published(network, pairs, **options).weight.tolist()]
        results += [published(network, pairs, **again.options).weight.tolist()]
    assert results == results[:1] * 4


@pytest.mark.parametrize(
    ("name", "value"),
    [("strength", "0"), ("strength", "1.01"), ("strength", "much"), ("engine", "fast")],
)
def test_wrong_options_are_refused_by_name(name, value):
    with pytest.raises(ParameterError, match=name):
        METHOD.price(line_of_three().topology, None, {name: value})


def test_nothing_is_promised_and_what_is_betrayed_is_said():
    plan = METHOD.price(line_of_three().topology, None, {})
    assert isinstance(plan.guarantee, Heuristic)
    assert METHOD.preserves
    assert METHOD.needs_pairs
    assert "only grows" in " ".join(plan.limits)


def test_the_table_is_taken_while_it_fits(monkeypatch):
    network, pairs = line_of_three(), Pairs(np.array([0]), np.array([2]))
    assert published(network, pairs).synopsis["engine"] == "matrix"
    monkeypatch.setattr(wanted, "_SMALL", 2)
    assert published(network, pairs).synopsis["engine"] == "null-space"
    many = Pairs(np.array([0, 0, 1]), np.array([1, 2, 2]))  # as many pairs as edges
    assert published(network, many).synopsis["engine"] == "matrix"
    assert published(network, many, engine="null-space").synopsis["engine"] == "null-space"
    monkeypatch.setattr(wanted, "_memory", lambda: 1000)
    assert published(network, many).synopsis["engine"] == "null-space"
    assert published(network, many, engine="matrix").synopsis["engine"] == "matrix"


def test_without_numba_it_says_so(monkeypatch):
    monkeypatch.setattr(edge_greedy, "HAVE_NUMBA", False)
    said = []
    published(line_of_three(), Pairs(np.array([0]), np.array([2])), say=said.append)
    assert SLOW in said


@pytest.mark.slow
def test_without_numba_the_same_weights_come_out(rng):
    network = random_network(rng, directed=False, size=12, ties=True)
    pairs = Pairs.of(np.array([0, 1, 2, 3]), np.array([11, 10, 9, 8]), directed=False)
    topology = network.topology
    script = (
        "import sys; sys.modules['numba'] = None\n"
        "import json, numpy as np\n"
        "from test_edge_greedy import *\n"
        "source, target, weight, start, end = json.loads(sys.argv[1])\n"
        "assert not edge_greedy.HAVE_NUMBA\n"
        "ends = np.array(source), np.array(target)\n"
        "network = Network(Topology(tuple(map(str, range(12))), *ends, False), np.array(weight))\n"
        "print(published(network, Pairs(np.array(start), np.array(end))).weight.tolist())\n"
    )
    columns = (topology.source, topology.target, network.weight, pairs.source, pairs.target)
    given = json.dumps([column.tolist() for column in columns])
    run = subprocess.run(
        [sys.executable, "-c", script, given],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert json.loads(run.stdout) == published(network, pairs).weight.tolist()
