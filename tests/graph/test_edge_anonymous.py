"""edge-anonymous: every wanted path stays, weights hide, and rsp says what it lost."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from all_paths import connected_pairs, random_network, shortest_paths
from sfumato.errors import ParameterError
from sfumato.graph.anonymity import share
from sfumato.graph.anonymous import ORDERS
from sfumato.graph.edge_anonymous import METHOD
from sfumato.graph.network import Network, Topology
from sfumato.graph.pairs import Pairs
from sfumato.privacy.guarantee import Heuristic
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from slowness import slow

SHARED = Path(os.environ.get("SFUMATO_DATA", "/nowhere"))
needs_eies = pytest.mark.skipif(not (SHARED / "eies").exists(), reason="SFUMATO_DATA not given")


def published(network, pairs, seed=0, say=lambda _: None, **options):
    plan = METHOD.price(network.topology, None, options)
    purse = Purse(plan.guarantee, SeededBits(seed))
    made = plan.change(network.weight, pairs, purse, say)
    assert purse.events == list(plan.events)
    return made


def some_pairs(network, rng, most=1.0):
    ends = np.array(connected_pairs(network))
    chosen = ends[rng.random(len(ends)) < rng.uniform(0, most)]
    chosen = chosen if len(chosen) else ends[:1]
    return Pairs.of(chosen[:, 0], chosen[:, 1], directed=network.topology.directed)


def lost(network, weight, pairs):
    """Pairs without a single shortest path afterwards, or with one that was none before."""
    before, after = shortest_paths(network), shortest_paths(network, weight)
    ends = list(zip(pairs.source.tolist(), pairs.target.tolist(), strict=True))
    return sum(len(after[e][1]) != 1 or not after[e][1] <= before[e][1] for e in ends)


def cases(rng, count):
    """Directed and undirected, with ties and without, from four to six nodes."""
    for number in range(count):
        directed, ties = number % 2 == 0, number % 4 < 2
        size = 6 if number % 8 == 0 else 4 + number % 3 % 2
        network = random_network(rng, directed=directed, size=size, ties=ties)
        yield number, network, some_pairs(network, rng)


def dense(rng, size=40, directed=True):
    there = np.triu(np.ones((size, size), bool), 1)
    ends = np.array(np.nonzero(there | there.T if directed else there))
    topology = Topology(tuple(f"n{i}" for i in range(size)), *ends, directed)
    return Network(topology, rng.uniform(10, 100, len(ends[0])))


def drawn_pairs(rng, network, count):
    source, hop = rng.integers(0, network.topology.size, count), rng.integers(1, 20, count)
    target = (source + hop) % network.topology.size
    return Pairs.of(source, target, directed=network.topology.directed)


@pytest.mark.parametrize("count", [600, slow(5_040)])
def test_each_wanted_pair_keeps_one_of_its_shortest_paths_as_the_only_one(rng, count):
    """And without ties no fewer weights hide than before."""
    better = moved = untied = 0
    for number, network, pairs in cases(rng, count):
        mu = round(float(network.weight.max()) * (0.07, 0.2, 0.6)[number % 5 % 3], 3)
        options = {"k": 2 + number % 7 % 3, "mu": mu, "order": ORDERS[number % 11 % 3]}
        made = published(network, pairs, seed=number, **options)
        assert lost(network, made.weight, pairs) == 0
        assert np.all(made.weight > 0)
        account = made.synopsis
        assert account["paths kept"] == 1
        hidden = share(network.topology, made.weight, options["k"], mu)
        assert account["anonymous after"] == pytest.approx(hidden, abs=1e-6)
        better += account["anonymous after"] > account["anonymous before"]
        if not account["pairs with several shortest paths before"]:
            untied += 1
            assert account["anonymous after"] >= account["anonymous before"]
        moved += account["weights unchanged"] < 1
    assert better > 0.35 * count
    assert moved > 0.85 * count
    assert 0.45 * count < untied < 0.9 * count


def test_weights_that_ignore_the_slack_are_caught(rng, monkeypatch):
    """Positive control: the same choice without bounds from the wanted paths."""
    monkeypatch.setattr("sfumato.graph.wanted._refuse", lambda _: None)
    monkeypatch.setattr("sfumato.graph.edge_anonymous.by_slack", unbounded)
    caught = 0
    for number, network, pairs in cases(rng, 200):
        weight = published(network, pairs, seed=number, mu=1).weight
        caught += lost(network, weight, pairs) > 0
    assert caught > 60


def unbounded(topology, units, home, pairs, goal, rng, say):
    """Every weight goes wherever it hides best, or half-way to its node's heaviest one."""
    heaviest = np.zeros(topology.size, np.int64)
    np.maximum.at(heaviest, topology.source, units)
    return (units + heaviest[topology.source]) // 2 + rng.integers(0, 9, len(units))


def test_a_path_that_did_not_stay_is_never_published(rng, monkeypatch):
    monkeypatch.setattr("sfumato.graph.edge_anonymous.by_slack", unbounded)
    network = dense(rng)
    with pytest.raises(RuntimeError, match="nothing is published"):
        published(network, drawn_pairs(rng, network, 200), mu=1)


@pytest.mark.slow
@pytest.mark.parametrize("directed", [True, False])
def test_nearly_all_weights_of_a_dense_network_hide_and_lengths_stay_near(rng, directed):
    network = dense(rng, directed=directed)
    made = published(network, drawn_pairs(rng, network, 200), mu="1")
    assert made.synopsis["anonymous before"] < 0.5
    assert made.synopsis["anonymous after"] > 0.95
    assert made.synopsis["mean change of a length"] < 0.15
    assert made.synopsis["distances"] == "table"
    around = np.zeros((2, network.topology.size))
    around[0] = 100
    np.minimum.at(around[0], network.topology.source, network.weight)
    np.maximum.at(around[1], network.topology.source, network.weight)
    if directed:
        low, high = around[:, network.topology.source]
        assert np.all((low - 1e-6 <= made.weight) & (made.weight <= high + 1e-6))


def test_edges_off_all_wanted_paths_are_not_published_as_they_are(rng):
    network = dense(rng)
    pairs = drawn_pairs(rng, network, 60)
    made = published(network, pairs, mu=5)
    assert made.synopsis["weights unchanged"] < 0.15


@pytest.mark.slow
@pytest.mark.parametrize("directed", [True, False])
def test_rsp_hides_weights_keeps_most_paths_and_lengths_near(rng, directed):
    network = dense(rng, size=24, directed=directed)
    account = published(network, drawn_pairs(rng, network, 200), engine="rsp", mu=2).synopsis
    assert account["anonymous after"] > account["anonymous before"] + 0.3
    assert account["mean change of a length"] < 0.1
    assert account["paths kept"] > 0.95


@pytest.mark.slow
def test_rsp_loses_paths_and_states_how_many():
    """At a small θ probabilities blur; judged by another algorithm."""
    shares = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        network = dense(rng, size=24)
        pairs = drawn_pairs(rng, network, 200)
        made = published(network, pairs, engine="rsp", mu=2, theta="0.5")
        kept = 1 - competing(network, made.weight, pairs) / len(pairs)
        assert made.synopsis["paths kept"] == pytest.approx(kept, abs=1e-6)
        shares.append(kept)
    assert min(shares) < 1


def competing(network, weight, pairs):
    """Pairs whose path changed, by Floyd and Warshall's algorithm on both weightings."""
    after = np.full((network.topology.size,) * 2, np.inf)
    before = after.copy()
    for distance, weights in ((before, network.weight), (after, weight)):
        ends = network.topology.source, network.topology.target
        distance[ends] = weights
        if not network.topology.directed:
            distance[ends[::-1]] = weights
    follow = []
    for distance in (before, after):
        there = np.isfinite(distance)
        step = np.where(there, np.arange(len(distance)), -1)
        for via in range(len(distance)):
            longer = distance[:, [via]] + distance[[via]]
            shorter = longer < distance
            distance[shorter] = longer[shorter]
            step = np.where(shorter, step[:, [via]], step)
        follow.append(step)
    return sum(
        walked(follow[0], s, d) != walked(follow[1], s, d)
        for s, d in zip(pairs.source, pairs.target, strict=True)
    )


def walked(step, s, d):
    nodes = [s]
    while nodes[-1] != d:
        nodes.append(step[nodes[-1], d])
    return nodes


def test_rsp_says_before_it_is_used_that_paths_may_change():
    topology = dense(np.random.default_rng(0), size=4).topology
    plan = METHOD.price(topology, None, {"mu": 1, "engine": "rsp"})
    assert "does not guarantee" in plan.unproved.reason
    assert any("guarantees none" in limit for limit in plan.limits)
    careful = METHOD.price(topology, None, {"mu": 1})
    assert "guarantee" not in careful.unproved.reason
    assert not any("guarantees none" in limit for limit in careful.limits)


def test_the_same_bits_give_the_same_weights_and_others_do_not(rng):
    network = dense(rng)
    pairs = drawn_pairs(rng, network, 60)
    first, again, other = (published(network, pairs, seed=s, mu=5).weight for s in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_large_networks_are_searched_and_keep_their_paths(rng, monkeypatch):
    monkeypatch.setattr("sfumato.graph.edge_anonymous.table_fits", lambda *_: False)
    network = dense(rng)
    made = published(network, drawn_pairs(rng, network, 200), mu=1)
    assert made.synopsis["distances"] == "searches"
    assert made.synopsis["anonymous after"] > 0.9


@pytest.mark.slow
def test_without_numba_the_same_weights_come_out(rng):
    script = (
        "import sys; sys.modules['numba'] = None\n"
        "sys.path.insert(0, 'tests')\n"
        "import numpy as np\n"
        "from graph.test_edge_anonymous import plain\n"
        "print(plain())\n"
    )
    home = Path(__file__).parents[2]
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=home,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == plain().strip()


def plain():
    """Both engines on two small networks, to the last digit of slack and most digits of rsp."""
    made = []
    for directed in (True, False):
        rng = np.random.default_rng(5)
        network = random_network(rng, directed=directed, size=6, density=0.9, ties=False)
        pairs = some_pairs(network, rng, most=0.5)
        for engine in ("slack", "rsp"):
            weight = published(network, pairs, engine=engine, mu=1.5, k=2, theta=3).weight
            made.append(weight.round(6).tolist())
    return json.dumps(made)


def test_a_plan_can_be_made_again_from_its_options():
    topology = dense(np.random.default_rng(0), size=4).topology
    given = {"mu": "2.5", "k": "4", "engine": "rsp", "theta": "7", "order": "inverse"}
    plan = METHOD.price(topology, None, given)
    again = METHOD.price(topology, None, json.loads(json.dumps(dict(plan.options))))
    assert again.options == plan.options
    assert plan.options["k"] == 4
    assert isinstance(plan.guarantee, Heuristic)
    assert METHOD.preserves
    assert METHOD.needs_pairs


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({}, "mu must be given"),
        ({"mu": 0}, "mu must be a number above 0"),
        ({"mu": "wide"}, "mu must be a number above 0"),
        ({"mu": 1, "k": 1}, "k must be at least 2"),
        ({"mu": 1, "k": 1001}, "k must be from 1 to 1000"),
        ({"mu": 1, "k": "three"}, "k must be from 1 to 1000"),
        ({"mu": 1, "engine": "matrix"}, "engine must be one of slack, rsp"),
        ({"mu": 1, "order": "best"}, "order must be one of frequency, inverse, random"),
        ({"mu": 1, "theta": 0}, "theta must be a number above 0"),
        ({"mu": 1, "theta": 1001}, "theta must be above 0 and at most 1000"),
        ({"mu": 1, "sigma": 1}, "edge-anonymous has no option sigma"),
    ],
)
def test_wrong_options_are_refused_by_name(given, rule):
    topology = dense(np.random.default_rng(0), size=4).topology
    with pytest.raises(ParameterError, match=rule):
        METHOD.price(topology, None, given)


def test_rsp_refuses_what_would_take_hours_and_walks_without_end(rng):
    ends = np.arange(999), np.arange(1, 1000)
    line = Topology(range(1000), *ends, directed=True)
    assert METHOD.price(line, None, {"mu": 1}).options["engine"] == "slack"
    with pytest.raises(ParameterError, match="rsp is for small networks"):
        METHOD.price(line, None, {"mu": 1, "engine": "rsp"})
    network = dense(rng, size=6)
    with pytest.raises(ParameterError, match="theta times the lightest weight"):
        published(network, drawn_pairs(rng, network, 3), mu=1, engine="rsp", theta=1e-8)


def test_the_account_is_plain_and_states_no_weight(rng):
    network = dense(rng)
    told = []
    made = published(network, drawn_pairs(rng, network, 30), mu=1, say=told.append)
    assert json.loads(json.dumps(made.synopsis)) == made.synopsis
    assert set(made.synopsis) == {
        "engine",
        "distances",
        "pairs",
        "pairs with several shortest paths before",
        "anonymous before",
        "anonymous after",
        "paths kept",
        "mean change of a length",
        "largest change of a length",
        "weights unchanged",
    }
    assert told[0].startswith("searching the shortest paths")
    assert told[-1].startswith("verifying")


@needs_eies
@pytest.mark.shared_data
@pytest.mark.parametrize(("engine", "least"), [("slack", 0.93), ("rsp", 0.75)])
def test_acquaintances_hide_among_ten_though_half_of_their_paths_are_tied(rng, engine, least):
    with gzip.open(SHARED / "eies" / "eies.csv.gz", "rt") as file:
        rows = np.array([line.split(",") for line in file.read().split()[1:]], int)
    known, ends = np.unique(rows[:, :2], return_inverse=True)
    source, target = ends.reshape(-1, 2).T
    topology = Topology(tuple(map(str, known)), source, target, directed=True)
    network = Network(topology, rows[:, 2].astype(float))
    pairs = Pairs.of(rng.integers(0, 17, 250), rng.integers(17, 34, 250), directed=True)
    made = published(network, pairs, engine=engine, k=10, mu=0.5)
    assert made.synopsis["anonymous before"] == pytest.approx(0.588, abs=1e-3)
    assert made.synopsis["anonymous after"] > least
    assert made.synopsis["paths kept"] > 0.95
    assert made.synopsis["pairs with several shortest paths before"] > 20
