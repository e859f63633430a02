"""H from files, frames, lists and shares; connected pairs counted and drawn; every refusal."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from scipy.stats import binom

from all_paths import connected_pairs, random_network
from sfumato.errors import DataError, ParameterError
from sfumato.graph import chosen_pairs, connected
from sfumato.graph.chosen_pairs import chosen
from sfumato.graph.connected import Connected
from sfumato.graph.network import Topology

FALSE_ALARM = 1e-6


def topology_of(edges, *, directed=False, nodes="abcdef"):
    places = [[nodes.index(edge[end]) for edge in edges] for end in (0, 1)]
    return Topology(tuple(nodes), *map(np.array, places), directed)


LINE = topology_of(["ab", "bc", "de"])  # f stands alone


def named(pairs, topology=LINE):
    return {
        topology.nodes[i] + topology.nodes[j]
        for i, j in zip(pairs.source, pairs.target, strict=True)
    }


def forms(folder):
    table = pa.table({"source": ["c", "e", "a"], "target": ["a", "d", "c"]})
    pacsv.write_csv(table, folder / "h.csv")
    pq.write_table(table, folder / "h.parquet")
    yield from (table, table.to_pandas(), pl.from_arrow(table), folder / "h.csv")
    yield from (str(folder / "h.parquet"), table.rename_columns(["x", "y"]))
    yield table.append_column("reason", pa.array([1, 2, 3])).select(["reason", "target", "source"])
    yield [("c", "a"), ["e", " d"], ("a", "c")]
    yield np.array([["c", "a"], ["e", "d"]])


def test_every_form_gives_the_same_pairs_each_of_them_once(tmp_path, rng):
    found = [named(chosen(form, LINE, rng)) for form in forms(tmp_path)]
    assert found == [{"ac", "de"}] * 9


def test_no_pairs_are_chosen_where_none_are_asked_for(rng):
    assert chosen(None, LINE, rng) is None


def test_whole_numbers_name_nodes(rng):
    numbered = topology_of(["12", "23"], nodes="123")
    assert named(chosen([(3, np.int64(1))], numbered, rng), numbered) == {"13"}
    assert named(chosen(pd.DataFrame({"a": [3], "b": [1]}), numbered, rng), numbered) == {"13"}


REFUSED = {
    "no pairs": [],
    "pair 2: node z is not in the network": [("a", "b"), ("a", "z")],
    "pair 1 joins node b with itself": [("b", "b")],
    "2 of 3 pairs have no path, the first from a to f": [("a", "b"), ("a", "f"), ("d", "c")],
    "pair 1 lacks a node": [("a", None)],
    "not a list of pairs": [("a", "b", "c")],
    "is not a list of pairs": ["ab"],
    "preserve is not a list": object(),
    "neither two columns nor source and target": pa.table({"a": ["a"], "b": ["b"], "c": ["c"]}),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_pairs_that_do_not_fit_are_refused_by_name(reason, rng):
    with pytest.raises(DataError, match=reason):
        chosen(REFUSED[reason], LINE, rng)


def test_a_file_without_a_header_is_refused_rather_than_losing_a_pair(tmp_path, rng):
    (tmp_path / "h.csv").write_text("a,b\nb,c\n")
    with pytest.raises(DataError, match="first line of the pairs names two nodes"):
        chosen(tmp_path / "h.csv", LINE, rng)


@pytest.mark.parametrize("share", [0, -0.5, 1.5, "2", "nan", True, np.inf])
def test_shares_outside_their_rule_are_refused(share, rng):
    with pytest.raises(ParameterError, match="preserve must be a share"):
        chosen(share, LINE, rng)


@pytest.mark.parametrize("share", [1, 1.0, "1", np.float32(1)])
def test_a_whole_share_is_every_connected_pair(share, rng):
    assert named(chosen(share, LINE, rng)) == {"ab", "ac", "bc", "de"}


def test_a_share_is_rounded_and_never_empty(rng):
    assert len(chosen("0.5", LINE, rng)) == 2
    assert len(chosen(1e-9, LINE, rng)) == 1


@pytest.mark.parametrize("directed", [True, False])
def test_numbers_of_pairs_are_exactly_the_connected_pairs(directed, rng):
    for density in (0.15, 0.3, 0.7):
        for _ in range(60):
            network = random_network(rng, directed=directed, size=6, density=density)
            pairs = Connected.of(network.topology)
            source, target = pairs.ends(np.arange(len(pairs)))
            if not directed:
                source, target = np.minimum(source, target), np.maximum(source, target)
            expected = connected_pairs(network)
            assert sorted(zip(source.tolist(), target.tolist(), strict=True)) == sorted(expected)
            i, j = np.divmod(np.arange(36), 6)
            both = {*expected} | (set() if directed else {(b, a) for a, b in expected})
            there = [(int(a), int(b)) in both or a == b for a, b in zip(i, j, strict=True)]
            assert pairs.there(i, j).tolist() == there


@pytest.mark.parametrize("listed", [chosen_pairs._LISTED, 0])
def test_every_pair_is_drawn_equally_often(monkeypatch, listed, rng):
    """With numbers shuffled and with numbers drawn: 4 of 10 pairs, 2,000 times."""
    monkeypatch.setattr(chosen_pairs, "_LISTED", listed)
    star = topology_of(["ab", "ac", "ad", "ae"], nodes="abcde")
    counts = np.zeros((5, 5), int)
    for _ in range(2_000):
        pairs = chosen(0.4, star, rng)
        assert len(pairs) == 4
        counts[pairs.source, pairs.target] += 1
    seen = counts[np.triu_indices(5, 1)]
    low, high = binom.interval(1 - FALSE_ALARM / 10, 2_000, 0.4)
    assert seen.min() >= low
    assert seen.max() <= high
    assert not low <= 2_000 * 0.3 <= high  # a pair drawn three times in ten would be seen


def test_a_share_of_too_many_pairs_asks_for_a_file(monkeypatch, rng):
    size = 4_000
    ring = Topology(
        tuple(map(str, range(size))), np.arange(size), np.roll(np.arange(size), 1), False
    )
    with pytest.raises(
        ParameterError, match="of 7,998,000 connected pairs are more than 5,000,000"
    ):
        chosen(0.9, ring, rng)
    assert len(chosen(1e-3, ring, rng)) == 7_998
    one_way = Topology(ring.nodes, np.arange(size - 1), np.arange(1, size), True)
    monkeypatch.setattr(connected, "_COMPONENTS", size - 1)
    with pytest.raises(ParameterError, match="strongly connected components: give a file"):
        chosen(1e-3, one_way, rng)
    assert len(chosen([("0", "3999")], one_way, rng)) == 1


def test_directed_pairs_keep_their_direction(rng):
    one_way = topology_of(["ab", "bc", "cb"], directed=True)
    assert named(chosen([("a", "c"), ("c", "b"), ("b", "c")], one_way, rng)) == {"ac", "cb", "bc"}
    with pytest.raises(DataError, match="1 of 2 pairs have no path, the first from c to a"):
        chosen([("a", "c"), ("c", "a")], one_way, rng)
