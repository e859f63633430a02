"""edge-gaussian: refusals, the law of its factors, and what it does not touch."""

import json

import numpy as np
import pytest
from scipy.stats import binomtest, kstest, norm

from all_paths import random_network
from sfumato.errors import ParameterError
from sfumato.graph.edge_gaussian import METHOD, perturbed, redrawn
from sfumato.graph.network import Topology
from sfumato.graph.pairs import Pairs
from sfumato.privacy.guarantee import Heuristic, Seeded
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits

FALSE_ALARM = 1e-6  # chance that a correct law fails one statistical test
NO_PAIRS = Pairs(np.empty(0, np.int64), np.empty(0, np.int64))


def star(edges, *, directed):
    """So many edges from one node."""
    names = [f"n{i}" for i in range(edges + 1)]
    return Topology(names, np.zeros(edges, np.int64), np.arange(1, edges + 1), directed)


def published(topology, weight, seed=0, **options):
    plan = METHOD.price(topology, None, options)
    purse = Purse(plan.guarantee, SeededBits(seed))
    made = plan.change(weight, NO_PAIRS, purse, lambda _: None)
    assert purse.events == list(plan.events)
    return made.weight


@pytest.mark.parametrize("sigma", ["0", "-0.1", "0.51", "nan", "inf", "much", None, True])
def test_a_sigma_outside_its_rule_is_refused_by_name(sigma):
    with pytest.raises(ParameterError, match="sigma must be"):
        METHOD.price(star(2, directed=True), None, {"sigma": sigma})


def test_an_unknown_option_is_refused():
    with pytest.raises(ParameterError, match="edge-gaussian has no option zeta; it has: sigma"):
        METHOD.price(star(2, directed=True), None, {"zeta": 1})


@pytest.mark.parametrize("sigma", ["0.2", 0.2])
def test_the_options_of_a_plan_are_json_that_gives_the_same_plan(sigma, rng):
    topology, weight = star(5, directed=False), rng.uniform(1, 9, 5)
    options = METHOD.price(topology, None, {"sigma": sigma}).options
    again = json.loads(json.dumps(dict(options)))
    assert np.array_equal(
        published(topology, weight, **again), published(topology, weight, sigma=sigma)
    )


def test_nothing_is_promised_and_the_label_says_so():
    plan = METHOD.price(star(2, directed=True), None, {})
    assert isinstance(plan.guarantee, Heuristic)
    assert Purse(plan.guarantee, SeededBits(1)).guarantee == Seeded()


@pytest.mark.parametrize(("error", "passes"), [(1, True), (0.9, False), (1.1, False)])
@pytest.mark.parametrize(("directed", "kappa"), [(True, 1), (False, np.sqrt(0.5))])
def test_factors_are_gaussian_with_the_deviation_of_one_draw_or_of_two(
    directed, kappa, error, passes, rng
):
    sigma, weight = 0.15, rng.uniform(1, 1000, 40_000)
    x = 1 - published(star(len(weight), directed=directed), weight, sigma=sigma) / weight
    assert (kstest(x / (kappa * sigma * error), "norm").pvalue > FALSE_ALARM) == passes


@pytest.mark.parametrize(("again", "passes"), [(True, True), (False, False)])
def test_a_draw_that_would_turn_a_weight_negative_is_drawn_again(again, passes, rng):
    """The law given x < 1, at the sigma where it matters most; the untouched one is told apart."""
    sigma, count = 0.5, 200_000
    x = 1 - perturbed(np.ones(count), sigma, rng) if again else rng.normal(0, sigma, count)
    below = norm.cdf(1 / sigma)
    found = kstest(x, lambda value: norm.cdf(np.minimum(value, 1) / sigma) / below)
    assert (found.pvalue > FALSE_ALARM) == passes


class Counting:
    """A generator that counts what is drawn."""

    def __init__(self, rng):
        self.rng, self.drawn = rng, 0

    def normal(self, mean, deviation, size):
        self.drawn += size
        return self.rng.normal(mean, deviation, size)


@pytest.mark.parametrize(("sigma", "passes"), [(0.5, True), (0.49, False)])
def test_draws_are_repeated_as_often_as_stated(sigma, passes, rng):
    counting, count = Counting(rng), 200_000
    perturbed(np.ones(count), sigma, counting)
    found = binomtest(counting.drawn - count, counting.drawn, redrawn(0.5))
    assert (found.pvalue > FALSE_ALARM) == passes


def test_the_mean_factor_is_the_stated_one(rng):
    sigma, count = 0.5, 400_000
    x = 1 - perturbed(np.ones(count), sigma, rng)
    stated = -sigma * norm.pdf(1 / sigma) / norm.cdf(1 / sigma)
    assert stated == pytest.approx(-0.0276, abs=1e-4)
    tolerance = norm.isf(FALSE_ALARM / 2) * sigma / np.sqrt(count)
    assert abs(x.mean() - stated) < tolerance
    assert abs(x.mean() - 0) > tolerance


@pytest.mark.parametrize("directed", [True, False])
def test_weights_stay_above_zero_and_the_given_ones_unchanged(directed, rng):
    for seed in range(300):
        network = random_network(rng, directed=directed)
        before = network.weight.copy()
        after = published(network.topology, network.weight, seed=seed, sigma=0.5)
        assert np.all(after > 0)
        assert np.all(np.isfinite(after))
        assert after.shape == before.shape
        assert np.array_equal(network.weight, before)
        assert not np.any(after == before)


def test_other_bits_give_other_weights_and_the_same_bits_the_same():
    topology, weight = star(50, directed=False), np.arange(1.0, 51.0)
    assert np.array_equal(published(topology, weight, seed=1), published(topology, weight, seed=1))
    assert not np.any(published(topology, weight, seed=1) == published(topology, weight, seed=2))
