"""Bounds from counts: exact probabilities, true statements, and teeth."""

from math import exp, log

import numpy as np
import pytest
from scipy.stats import binom

from sfumato.inspection.audit.bound import Claim, Figure, above, below
from sfumato.inspection.audit.finding import Sample, examine
from sfumato.inspection.audit.learned import learned
from sfumato.inspection.audit.region import column, search
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Heuristic, PureDP
from sfumato.privacy.mechanism import Event

VALUE = [column(0, "value")]


@pytest.mark.parametrize("error", [0.05, 2.5e-7])
@pytest.mark.parametrize(("runs", "hits"), [(1, 0), (1, 1), (40, 0), (40, 7), (40, 40), (3000, 1)])
def test_each_count_is_as_surprising_at_its_bounds_as_was_allowed(runs, hits, error):
    low, high = below(runs, error)[hits], above(runs, error)[hits]
    assert low <= hits / runs <= high
    if hits:
        assert binom.sf(hits - 1, runs, low) == pytest.approx(error, rel=1e-6)
    if hits < runs:
        assert binom.cdf(hits, runs, high) == pytest.approx(error, rel=1e-6)


def test_epsilon_and_delta_are_those_of_the_definition():
    figure = Figure("epsilon", 1.0, delta=0.1)
    assert figure.found(0.6, 0.1) == pytest.approx(log(5))
    assert figure.found(0.05, 0.1) == 0
    assert Claim(1.0, 0.0, None).delta_found(0.6, 0.1) == pytest.approx(0.6 - 0.1 * exp(1))
    assert Claim(None, 0.0, 0.5).delta_found(0.6, 0.1) is None


def test_rho_never_passes_that_of_a_gaussian_and_finds_half_of_it():
    """Every threshold on two shifted normals, exactly: no counts, no chance."""
    from scipy.stats import norm

    for shift in (0.1, 0.5, 1.0, 2.0):
        at = np.linspace(-4, 6, 400)
        found = Figure("rho", 1.0).found(norm.sf(at - shift), norm.sf(at))
        assert 0.5 * shift**2 / 2 < found.max() <= shift**2 / 2
    assert Figure("rho", 1.0).found(0.2, 0.3) == 0


def test_rho_of_certainty_is_finite_while_the_other_side_may_still_happen():
    assert np.isfinite(Figure("rho", 1.0).found(1.0, 0.01))


def test_a_gaussian_budget_is_judged_in_rho_as_well():
    spent = Event("moments", "discrete-gaussian", None, None, ZCDP("0.1"))
    unknown = Event("moments", "exact", None, None, Heuristic("no proof"))
    assert Claim.of(ApproxDP(1, "1e-6"), [spent, spent]).rho == pytest.approx(0.2)
    assert Claim.of(ApproxDP(1, "1e-6"), [spent, unknown]).rho is None
    names = [figure.name for figure in Claim.of(ApproxDP(1, "1e-6"), [spent]).figures]
    assert names == ["rho", "epsilon"]
    assert [figure.name for figure in Claim.of(PureDP(1), [spent]).figures] == ["epsilon"]


def laplace_runs(rng, runs, shift=1.0):
    return Sample(
        rng.laplace(0, 1, (runs, 1)), rng.laplace(shift, 1, (runs, 1)), learned(["value"])
    )


def test_bounds_hold_as_often_as_they_say(rng):
    """At 70 % confidence, 200 audits of a mechanism that spends exactly ε = 1.

    More than 100 above it has a chance below 1e-6 if each has at most 0.3; the same audits
    against ε = 0.4 must pass it more often than that, or nothing was tested.
    """
    assert binom.sf(100, 200, 0.3) < 1e-6
    found = [
        examine(laplace_runs(rng, 400), Claim(1.0, 0.0, None), 0.7).best.found for _ in range(200)
    ]
    assert sum(value > 1.0 for value in found) <= 100
    assert sum(value > 0.4 for value in found) > 100


def test_the_runs_that_choose_a_region_do_not_test_it(rng):
    """Tables that cannot be told apart: a search alone would find a difference at 1e-6."""
    first, second = rng.normal(size=(2, 120, 200))  # more numbers than runs
    scores, figure = learned([str(k) for k in range(200)]), Figure("epsilon", 1.0)
    error = 1e-6 / 4
    region = search(scores(first[:60], second[:60]), first[:60], second[:60], figure, error)
    p, q = below(60, error)[region.hits(first[:60])], above(60, error)[region.hits(second[:60])]
    assert figure.found(p, q) > 0  # what a careless audit would report
    found = examine(Sample(first, second, scores), Claim(1.0, 0.0, None), 1 - 1e-6)
    assert found.best.found == 0


def test_both_orders_are_looked_at(rng):
    """The infinite loss of one-sided noise shows in one order only."""
    zero, one = rng.exponential(1, (600, 1)), 1 + rng.exponential(1, (600, 1))
    for first, second in ((zero, one), (one, zero)):
        found = examine(Sample(first, second, VALUE), Claim(1.0, 0.0, None), 1 - 1e-6)
        assert found.caught
        assert found.best.likelier == (0 if first is zero else 1)


def test_a_region_that_one_table_never_reaches_is_limited_by_the_runs_alone():
    zeros, ones = np.zeros((400, 1)), np.ones((400, 1))
    few, many = (
        examine(Sample(zeros[:runs], ones[:runs], VALUE), Claim(1.0, 0.0, None), 0.99).best
        for runs in (40, 400)
    )
    assert few.limited
    assert many.limited
    assert many.found > few.found + 2  # about ln 10
    rarely, often = (np.arange(400) % 4 < part for part in (1, 3))
    both = Sample(rarely[:, None].astype(float), often[:, None].astype(float), VALUE)
    assert not examine(both, Claim(1.0, 0.0, None), 0.99).best.limited


def test_an_atom_that_only_one_table_has_is_found(rng):
    first = rng.normal(size=(400, 2))
    second = rng.normal(size=(400, 2))
    second[:, 1] = 0.0
    found = examine(Sample(first, second, learned(["a", "b"])), Claim(1.0, 0.0, None), 1 - 1e-6)
    assert found.caught
    assert str(found.best.region).startswith("b")


def test_a_scale_that_depends_on_the_data_is_found_by_distance_from_the_centre(rng):
    first, second = rng.laplace(0, 1, (4000, 1)), rng.laplace(0, 3, (4000, 1))
    found = examine(Sample(first, second, learned(["mean"])), Claim(0.5, 0.0, None), 1 - 1e-6)
    assert found.caught
    assert "distance" in found.best.region.score.text


def test_a_difference_spread_over_many_numbers_is_found_by_a_discriminant(rng):
    first, second = rng.normal(size=(2000, 16)), rng.normal(size=(2000, 16)) + 0.6
    names = [str(k) for k in range(16)]
    found = examine(Sample(first, second, learned(names)), Claim(2.0, 0.0, None), 1 - 1e-6)
    assert found.caught
    assert "discriminant" in found.best.region.score.text
