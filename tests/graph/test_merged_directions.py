"""Edges that a list has in both directions: refused, or one edge with the mean or the sum."""

import networkx
import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import DataError, ParameterError
from sfumato.graph.reading import edge_list, network_of
from sfumato.publishing.verify import verify

BOTH = [("a", "b", 3.0), ("c", "b", 1.0), ("b", "a", 5.0), ("b", "d", 7.0), ("b", "c", 2.0)]


def listed(edges):
    return pa.table(
        dict(zip(("source", "target", "weight"), zip(*edges, strict=True), strict=True))
    )


def merged(edges, how):
    return network_of(listed(edges), directed=False, merge_directions=how)


@pytest.mark.parametrize(("how", "weights"), [("mean", [4, 1.5, 7]), ("sum", [8, 3, 7])])
def test_an_edge_stands_where_it_was_listed_first_with_mean_or_sum(how, weights):
    read = merged(BOTH, how)
    found = [tuple(edge.values()) for edge in edge_list(read.network).to_pylist()]
    assert found == [("a", "b", weights[0]), ("c", "b", weights[1]), ("b", "d", weights[2])]
    assert read.merged == how
    turned = [(target, source, weight) for source, target, weight in BOTH]
    assert merged(turned, how).network.weight.tolist() == weights


def test_a_change_of_one_listed_weight_changes_the_merged_one_by_no_more(rng):
    """So neighbours stay neighbours; the control adds both differences."""
    for how in ("mean", "sum"):
        for _ in range(50):
            place, change = int(rng.integers(len(BOTH))), float(rng.uniform(-3, 3))
            other = list(BOTH)
            other[place] = (*BOTH[place][:2], BOTH[place][2] + change)
            moved = np.abs(merged(BOTH, how).network.weight - merged(other, how).network.weight)
            assert moved.sum() <= abs(change) * (1 + 1e-12)
            assert np.count_nonzero(moved) <= 1


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -float("inf"), 1.7e308, None])
def test_an_unusable_weight_touches_its_own_edge_alone(odd):
    other = [("a", "b", odd), ("c", "b", 1.0), ("b", "a", odd), *BOTH[3:]]
    assert merged(other, "sum").network.weight.tolist()[1:] == [3, 7]


def test_without_a_word_both_directions_are_refused_and_the_ways_out_named():
    words = (
        r"edges 1 and 3 both join a and b: merge them \(--merge-directions mean or sum\), or say"
    )
    with pytest.raises(DataError, match=words):
        network_of(listed(BOTH), directed=False)


@pytest.mark.parametrize("how", ["mean", "sum", "error"])
def test_an_edge_listed_twice_in_one_direction_is_refused(how):
    twice = [*BOTH[:2], ("a", "b", 9.0)]
    with pytest.raises(DataError, match=r"edges 1 and 3 both join a and b: merge them$"):
        network_of(listed(twice), directed=False, merge_directions=how)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"merge_directions": "max"}, "merge_directions must be mean, sum or error, got 'max'"),
        ({"merge_directions": "sum", "directed": True}, "is for undirected edge lists"),
    ],
)
def test_what_cannot_be_meant_is_refused(options, words):
    with pytest.raises(ParameterError, match=words):
        network_of(listed(BOTH), **({"directed": False} | options))


def test_graphs_that_say_what_they_are_have_nothing_to_merge():
    with pytest.raises(ParameterError, match="is for undirected edge lists"):
        network_of(networkx.Graph([("a", "b")]), merge_directions="mean")


def test_the_certificate_says_how_they_were_merged_and_verifies(tmp_path):
    release = sf.publish_network(
        listed(BOTH),
        directed=False,
        merge_directions="mean",
        epsilon=1,
        high=10,
        folder=tmp_path / "r",
    )
    assert release.certificate.network.merged == "mean"
    assert release.certificate.network.edges == 3
    assert any("has the mean of its two weights" in limit for limit in release.certificate.limits)
    assert all(check.passed for check in verify(tmp_path / "r"))
    plain = sf.publish_network(listed(BOTH[:2]), directed=False, epsilon=1, high=10)
    assert "merged directions" not in plain.certificate.to_json()["network"]
