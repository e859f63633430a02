"""μ-weighted k-anonymity: the definition, its own example, and small nodes."""

import time

import numpy as np
import pytest

from all_paths import random_network
from sfumato.graph.anonymity import anonymous, share
from sfumato.graph.network import Topology


def by_definition(network, k, mu):
    """Definition 5.2.2, arc by arc."""
    arcs = list(zip(network.topology.source, network.weight, strict=True))
    if not network.topology.directed:
        arcs += zip(network.topology.target, network.weight, strict=True)
    found = []
    for node, weight in arcs:
        around = [other for tail, other in arcs if tail == node]
        elsewhere = [other for tail, other in arcs if tail != node]
        near, far = (sum(abs(o - weight) <= mu for o in some) for some in (around, elsewhere))
        small = near == len(around) and far >= k - len(around)
        found.append(near >= k if len(around) >= k else small)
    return found


def star(*weights):
    """One node with arcs to all others."""
    count = len(weights)
    names = tuple(f"n{i}" for i in range(count + 1))
    ends = np.zeros(count, np.int64), np.arange(1, count + 1)
    return Topology(names, *ends, directed=True), np.array(weights, float)


@pytest.mark.parametrize("directed", [True, False])
def test_every_arc_is_judged_as_the_definition_says(rng, directed):
    seen = set()
    for _ in range(1_500):
        ties = bool(rng.random() < 0.5)
        density = rng.uniform(0.2, 0.9)
        network = random_network(rng, directed=directed, size=6, ties=ties, density=density)
        k, mu = int(rng.integers(1, 7)), float(rng.integers(1, 40)) / 8
        judged = anonymous(network.topology, network.weight, k, mu).tolist()
        assert judged == by_definition(network, k, mu)
        seen.update((k, one) for one in judged)
    assert seen == {(k, one) for k in range(1, 7) for one in (True, False)} - {(1, False)}


def test_the_published_example_is_anonymous_at_four_after_and_not_before():
    before, after = star(40, 10, 48, 43), star(35, 32, 36, 33)
    assert share(*after, k=4, mu=10) == 1
    assert share(*before, k=4, mu=10) == 0
    assert anonymous(*before, k=3, mu=10).tolist() == [True, False, True, True]


def test_an_arc_counts_itself_and_no_more():
    assert share(*star(1, 2), k=2, mu=1) == 1
    assert share(*star(1, 2), k=3, mu=1) == 0  # nothing elsewhere


def test_a_node_with_few_arcs_needs_the_rest_elsewhere():
    ends = np.array([0, 1, 1, 1]), np.array([1, 0, 2, 3])
    some = Topology(("a", "b", "c", "d"), *ends, directed=True)
    assert anonymous(some, np.array([5.0, 5, 6, 30]), k=3, mu=1)[0]  # itself, and 5 and 6 at b
    assert not anonymous(some, np.array([5.0, 5, 9, 30]), k=3, mu=1)[0]


def test_an_undirected_edge_counts_at_both_of_its_ends():
    names = ("hub", "a", "b", "c", "far", "other")
    ends = np.array([0, 0, 0, 3, 3]), np.array([1, 2, 3, 4, 5])
    network = Topology(names, *ends, directed=False)
    judged = anonymous(network, np.array([1.0, 2, 3, 30, 60]), k=3, mu=2)
    assert judged[[0, 1, 2]].all()  # seen from the hub
    assert not judged[5 + 2]  # the same edge seen from c, between 30 and 60


def test_decimal_weights_exactly_mu_apart_count_as_near():
    assert 0.8 - 0.6 > 0.2  # as floats
    assert share(*star(0.6, 0.8), k=2, mu=0.2) == 1
    assert share(*star(0.6, 0.8), k=2, mu=0.199) == 0


def test_whole_steps_are_compared_exactly():
    topology, _ = star(0, 0)
    large = 2**52
    assert share(topology, np.array([large, large + 8]), k=2, mu=8) == 1
    assert share(topology, np.array([large, large + 9]), k=2, mu=8) == 0


def test_a_million_arcs_take_a_moment(rng):
    size = 100_000
    hop = np.repeat(np.arange(1, 11), size)
    source = np.tile(np.arange(size), 10)
    network = Topology(range(size), source, (source + hop) % size, directed=True)
    start = time.process_time()
    assert 0.2 < share(network, rng.uniform(1, 100, len(hop)), k=3, mu=10) < 0.8
    assert time.process_time() - start < 3  # half a second on a quiet machine
