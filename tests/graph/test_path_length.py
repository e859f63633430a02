"""The length of a fixed path under edge-gaussian: exact probabilities, and where they end."""

from math import erf, sqrt

import numpy as np
import pytest
from scipy.stats import binomtest, kstest, norm

from sfumato.errors import DataError, ParameterError
from sfumato.graph.edge_gaussian import METHOD
from sfumato.graph.network import Network, Topology
from sfumato.graph.pairs import Pairs
from sfumato.graph.path_length import FixedPath, order_kept
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits

FALSE_ALARM = 1e-6  # chance that a right probability fails one statistical test
SIGMA = 0.15
NO_PAIRS = Pairs(np.empty(0, np.int64), np.empty(0, np.int64))
TRIES = 40_000


def line(weight, *, directed=False):
    """A path a, b, c … with these weights."""
    names = [chr(ord("a") + i) for i in range(len(weight) + 1)]
    ends = np.arange(len(weight))
    return Network(Topology(names, ends, ends + 1, directed), np.array(weight, float))


def copies(network, count):
    """So many copies of a network beside each other: independent tries in one release."""
    topology = network.topology
    shift = topology.size * np.arange(count)[:, None]
    names = range(topology.size * count)
    source, target = ((shift + ends).ravel() for ends in (topology.source, topology.target))
    many = Topology(names, source, target, topology.directed)
    return Network(many, np.tile(network.weight, count))


def released(network, count, sigma=SIGMA, seed=0):
    """The published weights of so many tries, a row each, as the method itself makes them."""
    many = copies(network, count)
    plan = METHOD.price(many.topology, None, {"sigma": sigma})
    purse = Purse(plan.guarantee, SeededBits(seed))
    made = plan.change(many.weight, NO_PAIRS, purse, lambda _: None)
    return made.weight.reshape(count, -1)


def whole(network):
    return FixedPath.of(network, network.topology.nodes)


@pytest.mark.parametrize(("error", "passes"), [(1, True), (0.9, False), (1.1, False)])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("weight", [[3], [1, 2, 3, 4, 5], [100, 1, 1, 1]])
def test_lengths_of_a_fixed_path_have_the_stated_law_and_no_other(weight, directed, error, passes):
    network = line(weight, directed=directed)
    path, lengths = whole(network), released(network, TRIES).sum(axis=1)
    place = (lengths - path.length) / (path.deviation(SIGMA) * error)
    assert (kstest(place, "norm").pvalue > FALSE_ALARM) == passes


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("zeta", [0.2, 0.5, 1])
@pytest.mark.parametrize("weight", [[3], [1, 2, 3, 4, 5], [100, 1, 1, 1]])
def test_the_length_is_within_zeta_sigma_as_often_as_stated(weight, zeta, directed):
    network = line(weight, directed=directed)
    path, lengths = whole(network), released(network, TRIES).sum(axis=1)
    inside = int((np.abs(lengths - path.length) <= zeta * SIGMA * path.length).sum())
    assert binomtest(inside, TRIES, path.within(zeta)).pvalue > FALSE_ALARM
    assert binomtest(inside, TRIES, path.within(0.85 * zeta)).pvalue < FALSE_ALARM


@pytest.mark.parametrize(("directed", "root"), [(True, sqrt(2)), (False, 1)])
@pytest.mark.parametrize("zeta", [0.5, 1, 2])
def test_a_single_edge_attains_the_bound_and_no_path_is_below_it(zeta, directed, root, rng):
    least = erf(zeta / root)
    assert whole(line([7], directed=directed)).within(zeta) == pytest.approx(least, rel=1e-12)
    for _ in range(200):
        weight = rng.lognormal(0, 2, rng.integers(2, 9))
        assert whole(line(weight, directed=directed)).within(zeta) >= least


def test_bounding_every_draw_at_once_has_the_smaller_probability_of_the_published_proof():
    network = line([1] * 5)
    x = np.abs(1 - released(network, TRIES)).max(axis=1)
    inside = int((x <= SIGMA).sum())
    assert erf(1) ** 5 == pytest.approx(0.425, abs=5e-4)
    assert erf(1 / sqrt(2)) ** 5 == pytest.approx(0.148, abs=5e-4)
    assert binomtest(inside, TRIES, erf(1) ** 5).pvalue > FALSE_ALARM
    assert binomtest(inside, TRIES, erf(1 / sqrt(2))).pvalue < FALSE_ALARM  # what it claims


@pytest.mark.parametrize("probability", [0.05, 0.5, 0.95])
def test_lengths_stay_below_their_quantile_as_often_as_it_says(probability):
    network = line([6, 5])
    lengths = released(network, TRIES).sum(axis=1)
    below = int((lengths <= whole(network).quantile(probability, SIGMA)).sum())
    assert binomtest(below, TRIES, probability).pvalue > FALSE_ALARM
    assert binomtest(below, TRIES, min(1.3 * probability, 0.97)).pvalue < FALSE_ALARM


def triangle(*, directed=False):
    """Two ways from a to d that share their last edge: 6 + 5 and 13."""
    source, target = np.array([0, 1, 0, 2]), np.array([1, 2, 2, 3])
    return Network(Topology(tuple("abcd"), source, target, directed), np.array([6.0, 5, 13, 40]))


@pytest.mark.parametrize("directed", [True, False])
def test_the_order_of_two_paths_is_kept_as_often_as_stated(directed):
    network = triangle(directed=directed)
    around, straight = FixedPath.of(network, "abcd"), FixedPath.of(network, "acd")
    after = released(network, TRIES)
    kept = int((after[:, [0, 1, 3]].sum(axis=1) < after[:, [2, 3]].sum(axis=1)).sum())
    stated = order_kept(around, straight, SIGMA)
    assert stated == pytest.approx(0.81 if directed else 0.893, abs=5e-3)
    assert binomtest(kept, TRIES, stated).pvalue > FALSE_ALARM
    # Where shared edges are counted as well, the probability is another.
    apart = sqrt(sum(w**2 for w in (6, 5, 40, 13, 40)) / (1 if directed else 2))
    assert binomtest(kept, TRIES, norm.cdf(2 / (SIGMA * apart))).pvalue < FALSE_ALARM


def test_the_shortest_length_over_many_paths_does_not_stay_near():
    """1000 separate paths of two edges: below 1e-10 instead of 0.954, and 24 % shorter."""
    source = np.concatenate([np.zeros(1000, np.int64), np.arange(1, 1001)])
    target = np.concatenate([np.arange(1, 1001), np.full(1000, 1001)])
    network = Network(Topology(range(1002), source, target, False), np.ones(2000))
    after = released(network, 400)
    shortest = (after[:, :1000] + after[:, 1000:]).min(axis=1)
    fixed = FixedPath.of(network, (0, 1, 1001))
    assert fixed.within(1) == pytest.approx(0.954, abs=5e-4)
    assert norm.cdf(2) ** 1000 < 1.1e-10  # all 1000 paths above 2 (1 - sigma)
    assert not np.any(np.abs(shortest - 2) <= 2 * SIGMA)
    assert shortest.mean() / 2 - 1 == pytest.approx(-0.243, abs=0.006)
    one = after[:, 0] + after[:, 1000]  # the control: one of them by itself does stay near
    inside = int((np.abs(one - 2) <= 2 * SIGMA).sum())
    assert binomtest(inside, 400, fixed.within(1)).pvalue > FALSE_ALARM


def test_a_path_that_is_none_is_refused():
    network = triangle(directed=True)
    with pytest.raises(DataError, match="no node e"):
        FixedPath.of(network, "abe")
    with pytest.raises(DataError, match="no edge from b to a"):
        FixedPath.of(network, "ba")
    for nodes in ("a", "", "aba"):
        with pytest.raises(ParameterError, match="two nodes or more, each of them once"):
            FixedPath.of(network, nodes)


def test_undirected_edges_are_walked_both_ways():
    network = triangle()
    there, back = FixedPath.of(network, "abcd"), FixedPath.of(network, "dcba")
    assert there.edges.tolist() == back.edges.tolist()[::-1] == [0, 1, 3]
    assert there.length == back.length == 51


def test_figures_outside_their_rule_are_refused_by_name():
    path = whole(line([6, 5]))
    with pytest.raises(ParameterError, match="zeta"):
        path.within(0)
    for probability in (0, 1, float("nan")):
        with pytest.raises(ParameterError, match="probability"):
            path.quantile(probability, SIGMA)
    with pytest.raises(ParameterError, match="sigma"):
        path.quantile(0.5, 0.6)
    network = triangle()
    around, straight = FixedPath.of(network, "abc"), FixedPath.of(network, "ac")
    with pytest.raises(ParameterError, match="first path must be shorter"):
        order_kept(straight, around, SIGMA)
