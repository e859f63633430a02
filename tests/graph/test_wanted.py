"""Wanted paths by table and by searches: the same answers, ties told apart, refusals."""

import os

import numpy as np
import pytest

from all_paths import connected_pairs, random_network, shortest_paths
from sfumato.errors import DataError
from sfumato.graph import wanted
from sfumato.graph.pairs import Pairs
from sfumato.graph.wanted import ROOM, Searches, Table, alone

SCALE = 2**30


def case(rng, directed):
    """A small network with ties, all its connected pairs, and weights in many steps."""
    network = random_network(rng, directed=directed, ties=True)
    pairs = Pairs.of(*np.array(connected_pairs(network)).T, directed=directed)
    return network, pairs, (SCALE * network.weight).astype(np.int64)


@pytest.mark.parametrize("directed", [True, False])
def test_table_and_searches_agree_on_ties_lengths_and_verdicts(directed, rng):
    for _ in range(60):
        network, pairs, units = case(rng, directed)
        table, searches = Table(network.topology, pairs), Searches(network.topology, pairs)
        assert table.solve(units) == searches.solve(units)
        np.testing.assert_array_equal(table.lengths(), searches.lengths())
        told = alone(table, units, rng).units
        assert searches.solve(told) == 0
        np.testing.assert_array_equal(table.visits(), searches.visits())
        other = told + rng.integers(0, SCALE // 2, len(told))
        verdicts = []
        for way in (table, searches):
            try:
                verdicts.append(way.verified(other).tolist())
            except RuntimeError as refused:
                verdicts.append(str(refused))
        assert verdicts[0] == verdicts[1]


@pytest.mark.parametrize("way", [Table, Searches])
def test_the_chosen_path_was_one_of_the_shortest_and_no_weight_grew_by_half(way, rng):
    tied = 0
    for number in range(100):
        network, pairs, units = case(rng, bool(number & 1))
        told = alone(way(network.topology, pairs), units, rng)
        before, after = (shortest_paths(network, w.astype(float)) for w in (units, told.units))
        ends = list(zip(pairs.source.tolist(), pairs.target.tolist(), strict=True))
        assert told.tied == sum(len(before[pair][1]) > 1 for pair in ends)
        assert told.lengths.tolist() == [before[pair][0] for pair in ends]
        assert all(len(after[pair][1]) == 1 for pair in ends)
        assert all(after[pair][1] <= before[pair][1] for pair in ends)
        assert (told.units >= units).all()
        assert (told.units <= ROOM * units).all()
        tied += told.tied
    assert tied > 100


def test_weights_without_ties_are_left_as_they_are(rng):
    network = random_network(rng, directed=False, density=1.0)
    units = SCALE * 2 ** rng.permutation(network.topology.edges)
    pairs = Pairs.of(*np.array(connected_pairs(network)).T, directed=False)
    told = alone(Table(network.topology, pairs), units, rng)
    assert told.tied == 0
    np.testing.assert_array_equal(told.units, units)


def test_ties_that_nothing_tells_apart_are_refused(rng):
    network, pairs, units = case(rng, True)

    class Tied(Table):
        def solve(self, units):
            super().solve(units)
            return 3

    with pytest.raises(DataError, match="3 pairs keep several"):
        alone(Tied(network.topology, pairs), units, rng)


def test_a_machine_that_does_not_state_its_memory_has_enough(monkeypatch, rng):
    network, pairs, _ = case(rng, True)

    def unknown(_name):
        raise ValueError("unrecognized configuration name")

    monkeypatch.setattr(os, "sysconf", unknown)
    assert wanted._memory() == float("inf")
    assert wanted.table_fits(network.topology, pairs)
