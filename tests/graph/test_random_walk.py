"""Walks that prefer short ways: fresh inverses, sixty digits, and what is wrong as published."""

from decimal import Decimal, localcontext
from itertools import pairwise

import numpy as np
import pytest

from all_paths import random_network
from sfumato.graph.network import Network, Topology
from sfumato.graph.random_walk import Bypass, RandomWalk, Sums, between, joined, steps

LEMMA = {(0, 1): 1.07, (1, 0): 0.06, (1, 2): 1.3, (2, 0): 0.63, (2, 1): 0.99, (2, 3): 0.86}


def directed(arcs):
    source, target = np.array(list(arcs)).T
    names = tuple(str(i) for i in range(max(target.max(), source.max()) + 1))
    return Network(Topology(names, source, target, directed=True), np.array(list(arcs.values())))


def walk(network, theta):
    return RandomWalk.of(network.topology, network.weight, theta)


def share(network, theta, *nodes):
    """P of the path through these nodes, from its definition."""
    found = walk(network, theta)
    along = sum(found.step.log[ends] for ends in pairwise(nodes))
    return float(np.exp(along - found.log_partition(nodes[0], nodes[-1])))


def exact(network, theta, digits=60):
    """K by elimination in decimal numbers, which hold e^-100000 as well as anything."""
    topology, size = network.topology, network.topology.size
    with localcontext() as context:
        context.prec = digits
        A = [[Decimal(int(i == j)) for j in range(size)] for i in range(size)]
        arcs = list(zip(topology.source, topology.target, network.weight, strict=True))
        if not topology.directed:
            arcs += [(target, source, weight) for source, target, weight in arcs]
        for i, j, weight in arcs:
            w = Decimal(float(weight))
            rest = sum(1 / Decimal(float(u)) for tail, _, u in arcs if tail == i)
            A[i][j] -= (-Decimal(theta) * w).exp() / w / rest
        rows = [row + [Decimal(int(i == j)) for j in range(size)] for i, row in enumerate(A)]
        for i in range(size):  # no pivoting: the diagonal is near 1 and dominant
            rows[i] = [x / rows[i][i] for x in rows[i]]
            for j in set(range(size)) - {i}:
                rows[j] = [x - rows[j][i] * y for x, y in zip(rows[j], rows[i], strict=True)]
        return [[x.ln() if x > 0 else None for x in row[size:]] for row in rows]


def changed(network, rng):
    """One edge with another weight, and the rows of Q that this concerns."""
    topology, edge = network.topology, int(rng.integers(network.topology.edges))
    weight = network.weight.copy()
    weight[edge] *= rng.uniform(0.2, 4)
    ends = [topology.source[edge]] + ([] if topology.directed else [topology.target[edge]])
    return network.with_weights(weight), np.array(ends)


def rejoined(network, other, nodes, theta):
    """All walks of the other network, from those of the first that leave none of the nodes."""
    bypass = Bypass.of(steps(network.topology, network.weight, theta), nodes)
    new = steps(other.topology, other.weight, theta)
    through = joined(bypass, Sums(new.log[nodes], new.length[nodes]))
    size = network.topology.size
    found = [[between(bypass, through, s, d) for d in range(size)] for s in range(size)]
    return np.moveaxis(np.array(found), 2, 0)


def some_networks(rng, count):
    for number in range(count):
        yield random_network(rng, directed=number % 2 == 0, size=6, ties=number % 3 == 0)


def test_walks_and_lengths_are_those_of_a_fresh_inverse(rng):
    for network in some_networks(rng, 300):
        theta, size = rng.uniform(0.05, 1), network.topology.size
        found = walk(network, theta)
        Q = np.exp(found.step.log)
        K = np.linalg.inv(np.eye(size) - Q)
        there = K > 1e-9
        np.testing.assert_allclose(np.exp(found.walks.log)[there], K[there], rtol=1e-11)
        lengths = (K @ (found.step.length * Q) @ K)[there] / K[there]
        np.testing.assert_allclose(found.walks.length[there], lengths, rtol=1e-9, atol=1e-9)
        # A destination that is not left again: its row of Q is zero.
        d, absorbing = 3, Q.copy()
        absorbing[d] = 0
        Z = np.linalg.inv(np.eye(size) - absorbing)[:, d]
        s = np.flatnonzero((Z > 1e-9) & (np.arange(size) != d))
        ends = s, np.full(len(s), d)
        np.testing.assert_allclose(np.exp(found.log_partition(*ends)), Z[s], rtol=1e-10)


def test_the_average_length_is_the_slope_of_the_partition_function(rng):
    for network in some_networks(rng, 60):
        theta, h = rng.uniform(0.1, 3), 1e-5
        source, target = np.nonzero(np.isfinite(walk(network, theta).walks.log))
        apart = source != target
        ends = source[apart], target[apart]
        more, less = (walk(network, theta + x).log_partition(*ends) for x in (h, -h))
        found = walk(network, theta).expected_length(*ends)
        np.testing.assert_allclose(found, (less - more) / (2 * h), rtol=1e-7)


def test_new_rows_are_joined_as_if_solved_afresh(rng):
    for network in some_networks(rng, 200):
        theta = rng.uniform(0.05, 20)
        other, nodes = changed(network, rng)
        log, length = rejoined(network, other, nodes, theta)
        fresh = walk(other, theta).walks
        there = np.isfinite(fresh.log)
        assert np.array_equal(there, np.isfinite(log))
        np.testing.assert_allclose(log[there], fresh.log[there], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(length[there], fresh.length[there], rtol=1e-10, atol=1e-10)


def test_joined_rows_are_the_rank_one_update_where_that_keeps_its_digits(rng):
    """K' = K + K[:, i] (rᵀK) / (1 - rᵀK[:, i]) for r the change of row i."""
    for network in some_networks(rng, 200):
        if not network.topology.directed:
            continue
        theta = rng.uniform(0.05, 0.5)
        other, (i,) = changed(network, rng)
        K, Q = (
            np.exp(part.log) for part in (walk(network, theta).walks, walk(network, theta).step)
        )
        r = np.exp(walk(other, theta).step.log)[i] - Q[i]
        update = K + np.outer(K[:, i], r @ K) / (1 - r @ K[:, i])
        log, _ = rejoined(network, other, np.array([i]), theta)
        np.testing.assert_allclose(np.exp(log), update, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("directed", [True, False])
def test_weights_of_a_hundred_at_theta_twenty_keep_their_digits(rng, directed):
    lightest = 0.0
    for _ in range(6):
        network = random_network(rng, directed=directed, size=5, density=0.8, ties=False)
        network = network.with_weights(rng.uniform(10, 100, network.topology.edges))
        other, nodes = changed(network, rng)
        log, _ = rejoined(network, other, nodes, 20)
        for s, row in enumerate(exact(other, 20)):
            for d, true in enumerate(row):
                if true is None:
                    assert log[s, d] == -np.inf
                else:
                    assert log[s, d] == pytest.approx(float(true), rel=1e-13, abs=1e-13)
                    lightest = min(lightest, float(true))
    assert lightest < -1_000  # no float holds e to that


def test_the_rank_one_update_in_floats_would_have_lost_everything():
    """Why rows are joined: raise the only short way, and subtracting leaves nothing."""
    network = directed({(0, 1): 1.0, (1, 2): 1.0, (0, 2): 4.0})
    other = network.with_weights(np.array([2.5, 1.0, 4.0]))
    K, Q = (np.exp(part.log) for part in (walk(network, 20).walks, walk(network, 20).step))
    r = np.exp(walk(other, 20).step.log)[0] - Q[0]
    update = (K + np.outer(K[:, 0], r @ K) / (1 - r @ K[:, 0]))[0, 2]
    log, _ = rejoined(network, other, np.array([0]), 20)
    true = float(exact(other, 20)[0][2])
    assert log[0, 2] == pytest.approx(true, abs=1e-12)
    assert abs(update / np.exp(true) - 1) > 1e-4


def test_a_lighter_edge_can_make_its_path_less_probable():
    """Lemma 5.3.1 is wrong: the other walks gain as well."""
    path = (0, 1, 2, 3)
    before = share(directed(LEMMA), 0.5, *path)
    after = share(directed(LEMMA | {(0, 1): 1.07 / 2}), 0.5, *path)
    assert (round(before, 3), round(after, 3)) == (0.449, 0.281)


def test_the_shortest_path_need_not_be_the_most_probable():
    """1.01 in one step against 0.5 + 0.5 through a node with four equal exits."""
    exits = {(1, leaf): 0.5 for leaf in (2, 3, 4, 5)}
    network = directed({(0, 2): 1.01, (0, 1): 0.5} | exits)
    assert share(network, 20, 0, 2) > 0.6 > 0.4 > share(network, 20, 0, 1, 2)
    log = walk(network, 20).step.log
    direct, around = log[0, 2], log[0, 1] + log[1, 2]
    assert (round(direct, 2), round(around, 2)) == (-21.31, -21.79)


def test_published_formulas_miss_the_change_of_one_weight(rng):
    """(5.11) multiplies all of Q; (5.14) a single entry of Z: only the row is right."""
    network = directed(LEMMA)
    other = network.with_weights(np.array([1.07, 0.06, 1.0, 0.63, 0.99, 0.86]))
    s, d, i, j, theta = 0, 3, 1, 2, 0.5
    old, new = (float(np.exp(walk(n, theta).log_partition(s, d))) for n in (network, other))
    Q, p = np.exp(walk(network, theta).step.log), np.array([1 / 0.06, 1 / 1.3])
    q = np.array([1 / 0.06, 1 / 1.0])
    factor = np.exp(-theta * (1.0 - 1.3)) * (q[1] / q.sum()) / (p[1] / p.sum())
    scaled, absorbing = factor * Q, Q.copy()
    scaled[d] = absorbing[d] = 0
    Z = np.linalg.inv(np.eye(4) - absorbing)
    by_5_11 = np.linalg.inv(np.eye(4) - scaled)[s, d]
    beta = (1 - factor) * Q[i, j]
    by_5_14 = Z[s, d] - beta / (1 + beta * Z[j, i]) * Z[s, d]
    log, _ = rejoined(network, other, np.array([i]), theta)
    assert np.exp(log[s, d] - log[d, d]) == pytest.approx(new, rel=1e-12)
    assert abs(new / old - 1) > 0.1
    assert min(abs(by_5_11 / new - 1), abs(by_5_14 / new - 1)) > 0.1
