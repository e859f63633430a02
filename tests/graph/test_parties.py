"""Perturbed weights without a centre: refusals, files, and the law of what is merged."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from scipy.stats import ks_2samp

from all_paths import random_network
from sfumato.errors import DataError, ParameterError
from sfumato.graph.edge_gaussian import METHOD
from sfumato.graph.network import Topology
from sfumato.graph.network_terms import COLUMNS
from sfumato.graph.pairs import Pairs
from sfumato.graph.parties import Facts, Share, merge, share
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits

FALSE_ALARM = 1e-6  # chance that a correct law fails one statistical test


def edge_table(network):
    nodes = np.array(network.topology.nodes, object)
    ends = (nodes[network.topology.source], nodes[network.topology.target])
    return pa.table([*map(pa.array, ends), pa.array(network.weight)], schema=COLUMNS)


def shares(network, seed):
    """What every node of a network hands in."""
    table, directed = edge_table(network), network.topology.directed
    made = []
    for number, party in enumerate(network.topology.nodes):
        mine = pc.or_(pc.equal(table["source"], party), pc.equal(table["target"], party))
        bits = SeededBits(100 * seed + number)
        made.append(share(party, table.filter(mine), directed=directed, bits=bits))
    return made


def handed(party, rows, *, sigma=0.15, directed=False):
    """A share as it is written, right or wrong."""
    columns = list(zip(*rows, strict=True)) if rows else [[], [], []]
    return Share(Facts(party, sigma, directed), pa.table([list(c) for c in columns], COLUMNS))


@pytest.mark.parametrize("directed", [True, False])
def test_the_merged_network_has_the_topology_of_the_parties_edges(directed, rng):
    for seed in range(40):
        network = random_network(rng, directed=directed)
        merged = merge(shares(network, seed))
        assert merged.topology.directed == directed
        assert set(merged.topology.nodes) == set(network.topology.nodes)
        expected, found = ({} for _ in range(2))
        for edges, one in ((expected, network), (found, merged)):
            names = one.topology.nodes
            ends = zip(one.topology.source, one.topology.target, strict=True)
            for (u, v), weight in zip(ends, one.weight, strict=True):
                key = (names[u], names[v]) if directed else frozenset((names[u], names[v]))
                edges[key] = weight
        assert expected.keys() == found.keys()
        assert all(0 < found[key] < 3 * expected[key] for key in found)
        assert all(found[key] != expected[key] for key in found)


def test_an_undirected_edge_gets_the_mean_and_a_directed_one_the_figure_of_its_source():
    both = [handed("a", [("a", "b", 3.0)]), handed("b", [("b", "a", 4.0)])]
    assert merge(both).weight.tolist() == [3.5]
    arcs = [
        handed("a", [("a", "b", 3.0)], directed=True),
        handed("b", [("b", "a", 4.0)], directed=True),
    ]
    assert merge(arcs).weight.tolist() == [3.0, 4.0]


def test_edges_come_in_the_order_they_were_first_heard_of():
    given = [
        handed("z", [("z", "y", 1.0), ("x", "z", 2.0)]),
        handed("x", [("y", "x", 3.0), ("z", "x", 4.0)]),
        handed("y", [("x", "y", 5.0), ("y", "z", 6.0)]),
    ]
    merged = merge(given)
    assert merged.topology.nodes == ["z", "x", "y"]
    assert merged.topology.source.tolist() == [0, 1, 2]
    assert merged.topology.target.tolist() == [2, 0, 1]
    assert merged.weight.tolist() == [3.5, 3.0, 4.0]


def test_edges_that_enter_a_party_are_left_to_their_sources():
    edges = {"source": ["a", "b"], "target": ["b", "c"], "weight": [2.0, 5.0]}
    assert share("b", edges, directed=True).table["target"].to_pylist() == ["c"]
    assert share("b", edges, directed=False).table["target"].to_pylist() == ["b", "c"]


def test_a_party_that_no_edge_leaves_may_hand_in_nothing_or_be_absent():
    there = handed("a", [("a", "b", 3.0)], directed=True)
    nothing = share("b", {"source": ["a"], "target": ["b"], "weight": [2.0]}, directed=True)
    assert len(nothing.table) == 0
    for given in ([there], [there, nothing]):
        merged = merge(given)
        assert merged.topology.nodes == ["a", "b"]
        assert merged.weight.tolist() == [3.0]


def test_an_edge_shared_by_one_end_only_is_refused_with_its_ends():
    lonely = [handed("a", [("a", "b", 3.0), ("a", "c", 1.0)]), handed("b", [("a", "b", 4.0)])]
    with pytest.raises(DataError, match="between a and c is shared by one of its ends only"):
        merge(lonely)
    with pytest.raises(DataError, match="between a and c is shared by one of its ends only"):
        merge([*lonely, handed("c", [])])


@pytest.mark.parametrize("again", [("a", "b", 4.0), ("b", "a", 4.0)])
def test_an_edge_shared_twice_by_the_same_party_is_refused(again):
    with pytest.raises(DataError, match="a shares its edge with b twice"):
        handed("a", [("a", "b", 3.0), again])
    one = handed("a", [("a", "b", 3.0)])
    with pytest.raises(ParameterError, match="a has two shares"):
        merge([one, handed("b", [("a", "b", 3.0)]), one])


def test_arcs_in_both_directions_are_two_edges():
    made = handed("a", [("a", "b", 3.0), ("a", "c", 4.0)], directed=True)
    assert merge([made, handed("b", [("b", "a", 1.0)], directed=True)]).topology.edges == 3


def test_a_stranger_to_an_edge_is_refused():
    with pytest.raises(DataError, match=r"c shares the edge of a and b: .* that it is an end of"):
        handed("c", [("c", "a", 1.0), ("a", "b", 3.0)])
    with pytest.raises(DataError, match=r"b shares the edge of a and b: .* edges that leave it"):
        handed("b", [("a", "b", 3.0)], directed=True)
    with pytest.raises(DataError, match="c shares the edge of a and b"):
        share("c", {"source": ["a"], "target": ["b"], "weight": [2.0]}, directed=True)


def test_shares_of_different_settings_are_refused():
    first = handed("a", [("a", "b", 3.0)])
    with pytest.raises(ParameterError, match=r"sigma must be the same .* got 0\.1 and 0\.15"):
        merge([first, handed("b", [("a", "b", 3.0)], sigma=0.1)])
    with pytest.raises(ParameterError, match="directed must be the same"):
        merge([first, handed("b", [("b", "a", 3.0)], directed=True)])
    with pytest.raises(ParameterError, match="got none"):
        merge([])


def test_loops_and_weights_that_are_no_lengths_are_refused():
    with pytest.raises(DataError, match="from a node to itself"):
        handed("a", [("a", "a", 3.0)])
    for weight in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(DataError, match="not a finite number above zero"):
            share("a", {"source": ["a"], "target": ["b"], "weight": [weight]}, directed=False)


def test_edges_of_the_wrong_shape_are_refused():
    with pytest.raises(DataError, match="no column weight"):
        share("a", {"source": ["a"], "target": ["b"]}, directed=False)
    for weight in (["much"], [None]):
        with pytest.raises(DataError, match="weight numbers, none missing"):
            share("a", {"source": ["a"], "target": ["b"], "weight": weight}, directed=False)


def test_figures_outside_their_rule_are_refused():
    for sigma in ("0", 0.6):
        with pytest.raises(ParameterError, match="sigma"):
            share(
                "a", {"source": ["a"], "target": ["b"], "weight": [1]}, directed=True, sigma=sigma
            )
    with pytest.raises(ParameterError, match="party must be the name of a node"):
        Facts(3, 0.1, True)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("party", ["a", 'it, "says"\nso', "", "NA", "Bergen å"])
def test_a_share_that_was_saved_is_loaded_as_it_was(ending, party, tmp_path):
    rows = [(party, "3", 1 / 3), ("true", party, 1e-300), (party, "x", 5e22)]
    made = handed(party, rows, sigma=0.123)
    made.save(tmp_path / f"share.{ending}")
    found = Share.load(tmp_path / f"share.{ending}")
    assert found.facts == made.facts
    assert found.table.equals(made.table)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_empty_share_survives_its_file(ending, tmp_path):
    handed("a", []).save(tmp_path / f"share.{ending}")
    assert len(Share.load(tmp_path / f"share.{ending}").table) == 0


def test_a_file_that_is_no_share_is_refused(tmp_path):
    made = handed("a", [("a", "b", 3.0)])
    with pytest.raises(ParameterError, match=r"end in \.csv or \.parquet"):
        made.save(tmp_path / "share.txt")
    plain = tmp_path / "plain.csv"
    plain.write_text("source,target,weight\na,b,3\n")
    with pytest.raises(DataError, match="does not begin with the facts of a share"):
        Share.load(plain)
    pq.write_table(made.table, tmp_path / "plain.parquet")
    for broken in ("plain.parquet", "absent.csv"):
        with pytest.raises(DataError, match="cannot be read as a share"):
            Share.load(tmp_path / broken)
    made.save(tmp_path / "share.csv")
    text = (tmp_path / "share.csv").read_text()
    for old, new in (("0.15", "7"), ('"party"', '"name"'), (",3", ",much"), ("false", '"no"')):
        plain.write_text(text.replace(old, new))
        assert plain.read_text() != text
        with pytest.raises(DataError, match="cannot be read as a share"):
            Share.load(plain)
    plain.write_text(text.replace('"b"', '"a"'))
    with pytest.raises(DataError, match="from a node to itself"):
        Share.load(plain)


SIDE = 150
WEIGHT = np.linspace(1, 9, SIDE**2).reshape(SIDE, SIDE)  # of the edge from left i to right j


def rows(i, j):
    """A table of edges from left to right."""
    i, j = np.broadcast_arrays(i, j)
    columns = ([f"l{k}" for k in i], [f"r{k}" for k in j], WEIGHT[i, j])
    return dict(zip(("source", "target", "weight"), columns, strict=True))


def merged(*, directed, sigma=0.15, lazy=False):
    """The x of all edges as two sides of parties publish them; the lazy left adds no noise."""
    made, every = [], np.arange(SIDE)
    for k in range(SIDE):
        mine = rows(k, every)
        left = share(f"l{k}", mine, directed=directed, sigma=sigma, bits=SeededBits(k))
        if lazy:
            left = Share(left.facts, pa.table(list(mine.values()), COLUMNS))
        right = share(
            f"r{k}", rows(every, k), directed=directed, sigma=sigma, bits=SeededBits(999 + k)
        )
        made += [left, right]
    network = merge(made)
    i, j = (
        np.array([int(network.topology.nodes[k][1:]) for k in ends])
        for ends in (network.topology.source, network.topology.target)
    )
    return 1 - network.weight / WEIGHT[i, j]


def central(*, directed, sigma=0.15):
    """The x of the same edges as the central method publishes them."""
    i, j = np.divmod(np.arange(SIDE**2), SIDE)
    topology = Topology(range(2 * SIDE), i, SIDE + j, directed)
    plan = METHOD.price(topology, None, {"sigma": sigma})
    none = Pairs(np.empty(0, np.int64), np.empty(0, np.int64))
    made = plan.change(WEIGHT.ravel(), none, Purse(plan.guarantee, SeededBits(5)), lambda _: None)
    return 1 - made.weight / WEIGHT.ravel()


@pytest.mark.parametrize(
    ("directed", "changes", "passes"),
    [
        (False, {}, True),
        (True, {}, True),
        (False, {"lazy": True}, False),
        (False, {"sigma": 0.175}, False),
        (True, {"sigma": 0.175}, False),
    ],
)
def test_merged_weights_have_the_law_of_the_central_ones(directed, changes, passes):
    found = ks_2samp(merged(directed=directed, **changes), central(directed=directed))
    assert (found.pvalue > FALSE_ALARM) == passes


def test_without_bits_of_its_own_a_share_is_never_the_same_twice():
    edges = rows(0, np.arange(SIDE))
    first, second = (share("l0", edges, directed=True).table["weight"] for _ in range(2))
    assert not np.any(first.to_numpy() == second.to_numpy())
