"""Budgets: what is granted, the way from rho to (epsilon, delta) and back, ledger units."""

from fractions import Fraction
from math import exp, log, sqrt

import numpy as np
import opendp.prelude as dp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from sfumato.errors import ParameterError
from sfumato.privacy.budget import Charge, approx_from_zcdp, budget, charge, rho_within
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Heuristic, LocalDP, PureDP, Seeded

RHO_STEP, EPSILON_STEP = Fraction(1, 10**9), Fraction(1, 10**12)
RHOS = [1e-9, 1e-6, 1e-3, 0.1, 0.5, 3, 10, 1e3, 1e6, 1e9]
DELTAS = [1e-300, 1e-15, 1e-9, 1e-6, 1e-2, 0.3, 0.5, 0.9, 0.999, 1 - 1e-9]
FIGURES = st.fractions(min_value=Fraction(1, 10**18), max_value=10**9)


def brute_force(rho, delta):
    """The smallest epsilon over 22 000 orders, each of which gives a true statement."""
    coarse = np.linspace(-34, 34, 2_000)
    best = coarse[np.argmin(statement(rho, delta, coarse))]
    return statement(rho, delta, np.linspace(best - 0.1, best + 0.1, 20_001)).min()


def statement(rho, delta, log_excess):
    """Canonne, Kamath and Steinke 2020, proposition 12, solved for epsilon."""
    excess = np.exp(log_excess)
    order = 1 + excess
    return order * rho + (-log(delta) - log_excess - order * np.log1p(1 / excess)) / excess


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("delta", DELTAS)
def test_the_conversion_is_within_a_millionth_of_the_best_order_and_never_below(rho, delta):
    best = max(brute_force(rho, delta), float(EPSILON_STEP))
    found = float(approx_from_zcdp(rho, delta).epsilon)
    # The brute force can only err upwards, by the spacing of its orders, and by floats.
    assert -1e-9 * max(1, best) <= found - best <= 1e-6 * max(1, best)


def test_the_brute_force_would_notice_an_order_that_is_one_per_cent_off():
    rho, delta = 0.5, 1e-6
    orders = np.linspace(-34, 34, 100_001)
    best = orders[np.argmin(statement(rho, delta, orders))]
    for off in (log(0.99), log(1.01)):
        assert statement(rho, delta, best + off) > brute_force(rho, delta) + 1e-6


@pytest.mark.parametrize("rho", [1e-6, 1e-3, 0.1, 0.5, 3, 10, 100])
def test_the_conversion_agrees_with_opendp(rho):
    dp.enable_features("contrib")
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    gaussian = dp.m.make_gaussian(*space, scale=1000 / sqrt(2 * rho))
    curve = dp.c.make_zCDP_to_approxDP(gaussian).map(1000)
    for delta in (1e-300, 1e-12, 1e-9, 1e-6, 1e-3):
        theirs, ours = curve.epsilon(delta), float(approx_from_zcdp(rho, delta).epsilon)
        assert -1e-9 <= ours - theirs <= 1e-6


@pytest.mark.parametrize("rho", [1e-4, 0.02, 0.5, 5, 50])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.01, 0.5, 0.99])
def test_the_gaussian_mechanism_keeps_every_promise_made_for_its_rho(rho, delta):
    epsilon = float(approx_from_zcdp(rho, delta).epsilon)
    assert gaussian_delta(rho, epsilon) <= delta
    # Positive control: with half the epsilon the same check fails where delta is small.
    if delta <= 1e-6:
        assert gaussian_delta(rho, epsilon / 2) > delta


def gaussian_delta(rho, epsilon):
    """The exact delta of Gaussian noise (Balle and Wang 2018, theorem 8)."""
    mu = sqrt(2 * rho)
    return norm.cdf(mu / 2 - epsilon / mu) - exp(epsilon + norm.logcdf(-mu / 2 - epsilon / mu))


@given(
    st.fractions(min_value=Fraction(1, 10**9), max_value=10**6),
    st.fractions(min_value=Fraction(1, 10**9), max_value=10**3),
    st.fractions(min_value=Fraction(1, 10**20), max_value=Fraction(99, 100)),
)
@settings(max_examples=60, deadline=None)
@pytest.mark.long
def test_more_rho_costs_more_epsilon_and_more_delta_less(rho, more, delta):
    small, large = approx_from_zcdp(rho, delta), approx_from_zcdp(rho + more, delta)
    assert small.epsilon <= large.epsilon
    assert approx_from_zcdp(rho, (1 + delta) / 2).epsilon <= small.epsilon


@pytest.mark.parametrize(
    ("rho", "delta"),
    [(1, "1e-400"), ("1e-30", "1e-9"), ("1e300", "1e-300"), ("1e400", 0.5), (1, 1 - 10**-16)],
)
def test_figures_that_no_float_holds_still_convert(rho, delta):
    found = approx_from_zcdp(rho, delta)
    assert found.delta == ApproxDP(1, delta).delta
    assert found.epsilon > 0


def test_the_promise_keeps_the_delta_it_was_asked_for_and_whole_steps_of_epsilon():
    found = approx_from_zcdp("0.5", "1e-6")
    assert found.delta == Fraction(1, 10**6)
    assert (found.epsilon / EPSILON_STEP).denominator == 1


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1, 10, 1e3, 1e6, 1e12])
@pytest.mark.parametrize("delta", ["1e-300", 1e-9, 1e-6, 0.1, 0.5, 0.9, 1 - 1e-9])
def test_the_rho_within_a_budget_fits_it_and_one_step_more_does_not(epsilon, delta):
    rho = rho_within(epsilon, delta).rho
    target = ApproxDP(epsilon, delta).epsilon
    assert approx_from_zcdp(rho, delta).epsilon <= target
    assert approx_from_zcdp(rho + RHO_STEP, delta).epsilon > target


@pytest.mark.parametrize(("epsilon", "delta"), [(1e-3, "1e-300"), (1e-4, 1e-9), ("1e-13", 0.5)])
def test_a_budget_below_the_smallest_rho_is_refused_with_a_remedy(epsilon, delta):
    with pytest.raises(ParameterError, match=r"epsilon and delta are too small.*raise one of them"):
        rho_within(epsilon, delta)


@given(
    st.fractions(min_value=Fraction(1, 100), max_value=100),
    st.fractions(min_value=Fraction(1, 100), max_value=100),
)
@settings(max_examples=20, deadline=None)
def test_a_larger_epsilon_never_affords_less_rho(epsilon, more):
    assert rho_within(epsilon, "1e-9").rho <= rho_within(epsilon + more, "1e-9").rho


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), "much", None])
def test_conversions_refuse_impossible_figures_by_name(value):
    with pytest.raises(ParameterError, match="rho must be"):
        approx_from_zcdp(value, 1e-9)
    with pytest.raises(ParameterError, match="delta must be"):
        approx_from_zcdp(1, value)
    with pytest.raises(ParameterError, match="epsilon must be"):
        rho_within(value, 1e-9)
    with pytest.raises(ParameterError, match="delta must be"):
        rho_within(1, value)


@pytest.mark.parametrize("delta", [1, 2, "1.0"])
def test_conversions_refuse_a_delta_of_one_or_more(delta):
    with pytest.raises(ParameterError, match=r"delta must be .* below 1"):
        approx_from_zcdp(1, delta)
    with pytest.raises(ParameterError, match=r"delta must be .* below 1"):
        rho_within(1, delta)


@pytest.mark.parametrize(
    ("stated", "meant"),
    [
        ({"epsilon": "0.1"}, PureDP("0.1")),
        ({"epsilon": 1, "delta": 0}, PureDP(1)),
        ({"epsilon": 1, "delta": "1e-9"}, ApproxDP(1, "1e-9")),
        ({"rho": 0.5}, ZCDP("0.5")),
    ],
)
def test_a_budget_is_what_its_figures_say(stated, meant):
    assert budget(**stated) == meant


@pytest.mark.parametrize(
    ("stated", "refusal"),
    [
        ({}, "a budget is needed: give epsilon"),
        ({"delta": 1e-9}, "a budget is needed: give epsilon"),
        ({"rho": 1, "epsilon": 1}, "give either rho, or epsilon"),
        ({"rho": 1, "delta": 1e-9}, "give either rho, or epsilon"),
        ({"epsilon": 0}, "epsilon must be a number above 0, got 0"),
        ({"epsilon": 1, "delta": 1}, "delta must be a number of at least 0 and below 1, got 1"),
        ({"epsilon": 1, "delta": -1e-9}, "delta must be a number of at least 0"),
        ({"rho": "nan"}, "rho must be a number above 0, got 'nan'"),
    ],
)
def test_budgets_that_make_no_sense_are_refused(stated, refusal):
    with pytest.raises(ParameterError, match=refusal):
        budget(**stated)


@settings(deadline=None)
@given(FIGURES, st.fractions(min_value=Fraction(1, 10**18), max_value=Fraction(9, 10)))
def test_charges_are_whole_units_never_below_the_figure_and_less_than_one_above(figure, delta):
    priced = charge(ApproxDP(figure, delta))
    for units, exact, per_one in (
        (priced.micro_epsilon, figure, 10**6),
        (priced.pico_delta, delta, 10**12),
        (charge(PureDP(figure)).micro_epsilon, figure, 10**6),
        (charge(LocalDP(figure)).micro_epsilon, figure, 10**6),
        (charge(ZCDP(figure)).micro_rho, figure, 10**6),
    ):
        assert type(units) is int
        assert exact * per_one <= units < exact * per_one + 1


def test_a_charge_names_only_the_currency_it_is_in():
    assert charge(PureDP("0.1")) == Charge(micro_epsilon=100_000)
    assert charge(ZCDP("0.1")) == Charge(micro_rho=100_000)
    assert charge(ApproxDP("1e-300", "1e-300")) == Charge(micro_epsilon=1, pico_delta=1)


def test_what_promises_nothing_has_no_price_and_a_test_run_is_refused():
    assert charge(Heuristic("no proof")) == Charge()
    with pytest.raises(ParameterError, match="seeded test run has no price"):
        charge(Seeded())
