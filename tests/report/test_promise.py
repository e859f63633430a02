"""What an attacker can gain: caps against mechanisms whose gain is known, rounded up."""

from decimal import Decimal
from fractions import Fraction
from math import exp, log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from sfumato.privacy.guarantee import ZCDP, ApproxDP, Heuristic, LocalDP, PureDP, Seeded
from sfumato.report.promise import PRIORS, STATED, Gain, one_in, percent, shown

EPSILONS = ("0.01", "0.5", "1", "3", "10")
RHOS = ("0.001", "0.05", "0.5", "3")


def worst(epsilon, delta):
    """The two laws that no (ε, δ) mechanism tells more of: Kairouz, Oh and Viswanath."""
    yes = (1 - delta) / (1 + exp(-epsilon))
    no = (1 - delta) / (1 + exp(epsilon))
    return (delta, yes, no, 0.0), (0.0, no, yes, delta)


def advantage(P, Q):
    return sum(max(p - q, 0) for p, q in zip(P, Q, strict=True))


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", [None, "1e-6", "0.1"])
def test_the_advantage_is_that_of_the_worst_mechanism(epsilon, delta):
    promise = ApproxDP(epsilon, delta) if delta else PureDP(epsilon)
    truth = advantage(*worst(float(epsilon), float(delta or 0)))
    assert float(Gain.under(promise).advantage) == pytest.approx(truth, rel=1e-12)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_belief_is_that_of_bayes_under_the_worst_mechanism(epsilon):
    gain, (P, Q) = Gain.under(PureDP(epsilon)), worst(float(epsilon), 0.0)
    for prior in map(float, PRIORS):
        posterior = prior * P[1] / (prior * P[1] + (1 - prior) * Q[1])
        assert float(gain.after(str(prior))) == pytest.approx(posterior, rel=1e-9)
    assert gain.failure == 0
    assert float(gain.after("1/2")) == pytest.approx(float(gain.right))


def test_with_delta_odds_stay_within_the_cap_except_with_the_stated_chance():
    epsilon, delta = 1.0, 1e-3
    gain = Gain.under(ApproxDP("1", "0.001"))
    # A set S whose loss is a little above ε, as likely as (ε, δ) allows.
    loss = epsilon + log(1.05)
    likely = delta / (1 - exp(epsilon - loss))
    assert likely > delta, "so 'except with chance δ' would be a false statement"
    assert exp(loss) < float(gain.factor)
    certain = worst(epsilon, delta)[0][0]  # infinite odds
    assert certain <= float(gain.failure) == pytest.approx(11 * delta)
    for slack in (1.11, 1.5, 10):  # beyond the cap, (ε, δ) allows no more than stated
        assert delta / (1 - 1 / slack) <= float(gain.failure)


@pytest.mark.parametrize("rho", RHOS)
def test_zcdp_caps_hold_for_the_gaussian_mechanism_and_are_near_it(rho):
    gain, r = Gain.under(ZCDP(rho)), float(rho)
    mu = sqrt(2 * r)  # the distance of two Gaussians that are exactly ρ-zCDP
    truth = 2 * norm.cdf(mu / 2) - 1
    assert truth <= float(gain.advantage) <= 1.5 * truth
    beyond = norm.sf((log(float(gain.factor)) - r) / mu)  # the loss is N(ρ, 2ρ)
    assert beyond <= float(STATED) == float(gain.failure)
    assert beyond > float(STATED) / 100


def test_a_halved_cap_would_be_passed_by_the_gaussian_mechanism():
    """Positive control of the test above."""
    gain, mu = Gain.under(ZCDP("0.5")), 1.0
    assert 2 * norm.cdf(mu / 2) - 1 > float(gain.advantage) / 2
    assert norm.sf((log(float(gain.factor)) / 2 - 0.5) / mu) > float(STATED)


def test_nothing_is_capped_without_a_promise():
    assert Gain.under(Heuristic("why")) is None
    assert Gain.under(Seeded()) is None
    assert Gain.under(LocalDP(1)) == Gain.under(PureDP(1))


@given(st.fractions(min_value="1e-9", max_value=10**6, max_denominator=10**9))
def test_shown_figures_are_never_below_the_truth(epsilon):
    gain = Gain.under(PureDP(epsilon))
    text = shown(gain.factor).replace(",", "")
    if not text.startswith("about"):
        assert Decimal(text) >= gain.factor
    for value in (gain.advantage, gain.right, gain.after("0.01")):
        said = percent(value)
        assert value <= 1
        if not said.startswith("above"):
            assert Decimal(said.removesuffix(" %")) >= 100 * value


def test_one_in_so_many_never_understates_the_chance():
    for chance in (Fraction(3, 10**7), Fraction(11, 10**6), Fraction(1, 3)):
        assert Fraction(1, int(one_in(chance).removeprefix("one in ").replace(",", ""))) >= chance
