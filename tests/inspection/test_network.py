"""A release beside its original: lengths against an oracle, figures by hand, refusals."""

import json
from itertools import pairwise

import numpy as np
import pytest

from all_paths import connected_pairs, random_network, shortest_paths
from sfumato.errors import DataError, ParameterError
from sfumato.graph.network import Network, Topology
from sfumato.graph.pairs import Pairs
from sfumato.inspection.network import WITHIN, compare, sample
from sfumato.inspection.network.alignment import aligned
from sfumato.inspection.network.point_to_point import between
from sfumato.inspection.network.trees import Trees
from slowness import slow


def square(weight=(1.0, 1.0, 1.0, 3.0), *, directed=False):
    """a-b-c-d and the direct edge a-d, as long as the way round."""
    ends = np.array([0, 1, 2, 0]), np.array([1, 2, 3, 3])
    return Network(Topology(tuple("abcd"), *ends, directed), np.array(weight))


def by_trees(topology, before, after, pairs):
    trees = Trees(topology, before, after)
    rows = [
        [part[j] for part in trees.of(int(i))]
        for i, j in zip(pairs.source, pairs.target, strict=True)
    ]
    return [np.array(column) for column in zip(*rows, strict=True)]


def by_searches(topology, before, after, pairs):
    found = between(topology, before, after, pairs)
    return found.before, found.after, found.along, found.alone


def disagreements(network, weight, search, told=None):
    """In how many pairs the search contradicts the oracle; `told` is what the search is told."""
    told = weight if told is None else told
    true, new = shortest_paths(network), shortest_paths(network, weight)
    ends = connected_pairs(network)
    pairs = Pairs(*np.array(ends).T)
    found = search(network.topology, network.weight, told, pairs)
    length = {}
    for place, (i, j) in enumerate(
        zip(network.topology.source, network.topology.target, strict=True)
    ):
        length[i, j] = network.weight[place]
        if not network.topology.directed:
            length[j, i] = network.weight[place]
    wrong = 0
    for pair, before, after, along, alone in zip(ends, *found, strict=True):
        ways = [sum(length[step] for step in pairwise(path)) for path in new[pair][1]]
        wrong += not (
            before == true[pair][0]
            and after == new[pair][0]
            and any(along == way for way in ways)
            and alone == (len(ways) == 1)
        )
    return wrong


@pytest.mark.parametrize("search", [by_trees, by_searches])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("count", [24, slow(60)])
def test_lengths_are_those_of_all_simple_paths(search, directed, ties, count, rng):
    lied = 0
    for _ in range(count):
        network = random_network(rng, directed=directed, density=0.5, ties=ties)
        weight = rng.permutation(network.weight)
        assert disagreements(network, weight, search) == 0
        lied += disagreements(network, weight, search, told=network.weight) > 0
    assert lied > count / 3  # the oracle contradicts a search that is told other weights


def test_figures_of_a_small_network_are_those_computed_by_hand():
    found = compare(square(), square((1.0, 1.0, 1.5, 3.0)), k=2, mu=0.5)
    assert found.unchanged == 0.75
    assert found.weights_within == dict.fromkeys((1, 2, 5, 10, 15, 20, 30), 0.75) | {50: 1, 100: 1}
    # ab ac bc as before; bd cd longer; ad was 3 both ways and now is 3 by the direct edge.
    assert len(found.lengths) == 6
    assert found.kept == found.kept_alone == 1
    assert found.length_difference == pytest.approx((0.25 + 0.5) / 6)
    assert found.lengths_within[20] == pytest.approx(4 / 6)
    assert found.lengths_within[30] == pytest.approx(5 / 6)
    assert found.stretch == {0.5: 1, 0.9: 1, 0.99: 1, 1.0: 1}
    # Ranks 2 2 2 4 against 1.5 1.5 3 4 (in halves).
    assert found.rank_correlation == pytest.approx(
        np.corrcoef([2, 2, 2, 4], [1.5, 1.5, 3, 4])[0, 1]
    )
    # Before, the arcs of weight 1 at b and c have company; at a and d theirs is 3.
    assert found.anonymous == (0.5, 0.5)


def test_a_path_that_is_no_longer_shortest_costs_its_true_length():
    found = compare(square((1.0, 1.0, 1.0, 4.0)), square((1.0, 1.0, 1.0, 2.0)))
    wrong = ~found.lengths.kept
    ends = sorted(zip(found.lengths.source[wrong], found.lengths.target[wrong], strict=True))
    assert ends == [(0, 3)]
    assert found.lengths.along[wrong].tolist() == [4.0]
    assert found.stretch[1.0] == pytest.approx(4 / 3)
    assert found.stretch[0.5] == 1


def test_ties_of_the_release_are_told_apart_from_kept_paths():
    found = compare(square(), square())
    assert found.kept == 1
    assert found.kept_alone == pytest.approx(5 / 6)  # from a to d there are two ways


def test_all_is_kept_and_unchanged_where_nothing_has_changed(rng):
    network = random_network(rng, directed=True, ties=False)
    found = compare(network, network)
    assert found.unchanged == found.kept == 1
    assert found.length_difference == 0
    assert found.rank_correlation == pytest.approx(1)
    assert found.anonymous is None


def test_weights_that_do_not_vary_have_no_rank_correlation():
    assert compare(square((1.0, 1.0, 1.0, 1.0)), square()).rank_correlation is None


def test_only_the_pairs_that_were_asked_for_are_looked_at():
    pairs = Pairs(np.array([2, 0]), np.array([3, 2]))  # not in order
    found = compare(square(), square((1.0, 1.0, 2.0, 3.0)), pairs=pairs)
    assert found.given == 2
    seen = zip(found.lengths.source, found.lengths.target, found.lengths.after, strict=True)
    assert sorted(seen) == [(0, 2, 2), (2, 3, 2)]
    with pytest.raises(DataError, match="some of the pairs have no path"):
        compare(
            square(directed=True), square(directed=True), pairs=Pairs(pairs.target, pairs.source)
        )


def test_the_json_of_a_comparison_is_json_and_complete():
    paper = compare(square(), square((1.0, 1.0, 1.5, 3.0)), k=2, mu=0.5).to_json()
    assert json.loads(json.dumps(paper)) == paper
    assert paper["pairs looked at"] == 6
    assert paper["sources looked at"] == 3
    assert paper["anonymous before and after"] == [0.5, 0.5]
    assert [int(x) for x in paper["weights within per cent"]] == list(WITHIN)


def ring(size, rng):
    at = np.arange(size)
    return Network(
        Topology(tuple(map(str, at)), at, np.roll(at, -1), False), rng.uniform(1, 2, size)
    )


def test_where_sources_are_many_some_are_drawn_with_all_their_pairs(monkeypatch, rng):
    monkeypatch.setattr(sample, "_FROM_NODES", 0)
    monkeypatch.setattr(sample, "_RANDOM", 80)
    network, said = ring(50, rng), []
    found = compare(network, network, rng=rng, say=said.append)
    assert len(np.unique(found.lengths.source)) == 8
    assert len(found.lengths) == 80
    assert said[-1] == "searching from node 8 of 8"
    pairs = Pairs.of(*np.triu_indices(50, 1), directed=False)
    monkeypatch.setattr(sample, "_BETWEEN", 0)
    found = compare(network, network, pairs=pairs, rng=rng)
    starts = np.unique(found.lengths.source)
    assert len(starts) == 8
    assert len(found.lengths) == (49 - starts).sum()


def test_where_pairs_share_no_sources_some_pairs_are_drawn(monkeypatch, rng):
    monkeypatch.setattr(sample, "HAVE_NUMBA", True)
    monkeypatch.setattr(sample, "_FROM_NODES", 0)
    monkeypatch.setattr(sample, "_BETWEEN", 0)
    network, said = ring(300, rng), []
    pairs = Pairs(np.arange(150), np.arange(150) + 100)
    found = compare(network, network, pairs=pairs, rng=rng, say=said.append)
    assert said == ["searching between 100 pairs"]
    assert len(found.lengths) == 100
    assert found.given == 150
    assert (found.lengths.target - found.lengths.source == 100).all()
    few = Pairs(pairs.source[:20], pairs.target[:20])
    assert len(compare(network, network, pairs=few, rng=rng).lengths) == 20


def test_weights_too_far_apart_for_whole_steps_are_compared_in_floats(monkeypatch, rng):
    monkeypatch.setattr(sample, "HAVE_NUMBA", True)
    monkeypatch.setattr(sample, "_FROM_NODES", 0)
    network, said = ring(300, rng), []
    network = network.with_weights(np.where(np.arange(300) == 7, 1e-14, network.weight))
    pairs = Pairs(np.arange(150), np.arange(150) + 100)
    found = compare(network, network, pairs=pairs, rng=rng, say=said.append)
    assert said[0].startswith("searching between")
    assert said[-1] == "searching from node 8 of 8"
    assert found.kept == 1


def test_a_release_may_list_nodes_and_edges_in_another_order(rng):
    for directed in (True, False):
        network = random_network(rng, directed=directed, size=6)
        topology = network.topology
        nodes, edges = rng.permutation(6), rng.permutation(topology.edges)
        place = np.argsort(nodes)
        source, target = place[topology.source[edges]], place[topology.target[edges]]
        if not directed:
            turned = rng.random(len(edges)) < 0.5
            source, target = np.where(turned, target, source), np.where(turned, source, target)
        names = tuple(topology.nodes[node] for node in nodes)
        shuffled = Network(Topology(names, source, target, directed), network.weight[edges])
        np.testing.assert_array_equal(aligned(network, shuffled), network.weight)


def test_nodes_without_edges_may_be_missing_from_a_release():
    whole = square()
    lonely = Network(
        Topology(tuple("abcdx"), whole.topology.source, whole.topology.target, False), whole.weight
    )
    assert aligned(lonely, whole).tolist() == whole.weight.tolist()
    assert aligned(whole, lonely).tolist() == whole.weight.tolist()


def test_networks_that_cannot_be_compared_are_refused_by_name():
    whole, topology = square(), square().topology
    fewer = Network(
        Topology(topology.nodes, topology.source[:3], topology.target[:3], False), np.ones(3)
    )
    strange = Network(Topology(tuple("abcz"), topology.source, topology.target, False), np.ones(4))
    with pytest.raises(
        DataError, match=r"1 of 4 edges of the original are not in the release, .* a to d"
    ):
        compare(whole, fewer)
    with pytest.raises(
        DataError, match=r"1 of 4 edges of the release are not in the original, .* a to d"
    ):
        compare(fewer, whole)
    with pytest.raises(DataError, match=r"2 of 4 edges of the release .* from c to z"):
        compare(whole, strange)
    with pytest.raises(DataError, match="one network is directed and the other is not"):
        compare(whole, square(directed=True))
    for which, pair in (("original", (0.0, 1.0)), ("release", (1.0, np.nan))):
        networks = (square((first, 1.0, 1.0, 1.0)) for first in pair)
        with pytest.raises(
            DataError, match=f"the {which}: 1 of 4 weights are not numbers above zero"
        ):
            compare(*networks)


@pytest.mark.parametrize("given", [{"k": 3}, {"mu": 1.0}, {"k": 0, "mu": 1.0}, {"k": 2, "mu": 0.0}])
def test_k_and_mu_go_together_and_have_their_rules(given):
    with pytest.raises(ParameterError, match="k"):
        compare(square(), square(), **given)
