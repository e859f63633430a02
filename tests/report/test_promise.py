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
    assert certain <= float(gain.failure)
    for slack in (1.11, 1.5, 10):  # beyond the cap, (ε, δ) allows no more than stated
        assert delta / (1 - 1 / slack) <= float(gain.failure)


def worst_both_ways(epsilon, delta, factor):
    """Two laws that multiply and divide odds by `factor`, as often as (ε, δ) allows."""
    often = delta / (1 - exp(epsilon) / factor)
    rest = 1 - often - often / factor
    return (often, often / factor, rest), (often / factor, often, rest)


@pytest.mark.parametrize(("epsilon", "delta"), [("0.01", "0.001"), ("1", "1e-6"), ("4", "1e-9")])
def test_the_stated_chance_is_that_of_odds_which_grow_or_fall_by_more(epsilon, delta):
    gain, (e, d) = Gain.under(ApproxDP(epsilon, delta)), (float(epsilon), float(delta))
    P, Q = worst_both_ways(e, d, float(gain.factor) * (1 + 1e-9))
    assert sum(max(p - exp(e) * q, 0) for p, q in zip(P, Q, strict=True)) <= d * (1 + 1e-6)
    beyond = P[0] + P[1]
    assert beyond > 11 * d, "so 'either way, except with a chance of 11 δ' would be false"
    assert float(gain.failure) == pytest.approx(beyond, rel=1e-6)


@pytest.mark.parametrize("rho", RHOS)
def test_zcdp_caps_hold_for_the_gaussian_mechanism_and_are_near_it(rho):
    gain, r = Gain.under(ZCDP(rho)), float(rho)
    mu = sqrt(2 * r)  # the distance of two Gaussians that are exactly ρ-zCDP
    truth = 2 * norm.cdf(mu / 2) - 1
    assert truth <= float(gain.advantage) <= 1.5 * truth
    far = log(float(gain.factor))
    beyond = norm.sf((far - r) / mu) + norm.cdf((-far - r) / mu)  # the loss is N(ρ, 2ρ)
    assert beyond <= float(STATED) == float(gain.failure)
    assert beyond > float(STATED) / 100


def test_a_halved_cap_would_be_passed_by_the_gaussian_mechanism():
    """Positive control of the test above."""
    gain, mu = Gain.under(ZCDP("0.5")), 1.0
    assert 2 * norm.cdf(mu / 2) - 1 > float(gain.advantage) / 2
    assert norm.sf((log(float(gain.factor)) / 2 - 0.5) / mu) > float(STATED)


@pytest.mark.parametrize("rho", RHOS)
def test_what_zcdp_allows_either_way_stays_within_the_stated_chance(rho):
    """Markov's bound is what a ρ promises; it is paid once to multiply and 1/F times to divide."""
    factor = float(Gain.under(ZCDP(rho)).factor)
    tail = exp(-((log(factor) - float(rho)) ** 2) / (4 * float(rho)))
    assert tail * (1 + 1 / factor) <= float(STATED) * (1 + 1e-9)
    assert tail * (1 + 1 / factor) > float(STATED) / 2.1


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
def test_two_steps_cap_what_a_noisy_sum_tells_of_what_a_record_holds(epsilon):
    """A record adds −1 or 1, or is not there and adds 0: the noise hides a step of 1."""
    e = float(epsilon)
    weights = [exp(-e * abs(k)) for k in range(-500, 501)]
    law = [weight / sum(weights) for weight in weights]
    P, Q = [0.0, 0.0, *law], [*law, 0.0, 0.0]
    near, far = (Gain.under(PureDP(epsilon), steps=steps) for steps in (1, 2))
    told, odds = advantage(P, Q), max(p / q for p, q in zip(P, Q, strict=True) if q > 1e-200)
    assert told > 1.01 * float(near.advantage), "so one step would be a false statement"
    assert told <= float(far.advantage)
    assert odds == pytest.approx(float(far.factor))


def test_two_steps_are_those_of_group_privacy():
    assert Gain.under(PureDP(1), steps=2) == Gain.under(PureDP(2))
    assert Gain.under(ZCDP("0.1"), steps=2) == Gain.under(ZCDP("0.4"))
    found = Gain.under(ApproxDP("0.5", "1e-6"), steps=2)
    assert float(found.factor) == pytest.approx(1.1 * exp(1))
    assert float(found.failure) == pytest.approx(
        11e-6 * (1 + exp(0.5)) * (1 + 1 / float(found.factor))
    )


@pytest.mark.parametrize(
    ("guarantee", "steps"),
    [
        (PureDP(1001), 1),
        (PureDP(501), 2),
        (ApproxDP(1001, "1e-6"), 1),
        (ApproxDP(1, "0.2"), 1),  # the exception would be the rule
        (ApproxDP(20, "1e-6"), 2),  # δ (1 + e^ε) is above 1
        (ZCDP(1000), 1),
        (PureDP(10**12), 1),
    ],
)
def test_a_promise_that_caps_no_odds_says_so_instead_of_a_figure(guarantee, steps):
    gain = Gain.under(guarantee, steps=steps)
    assert not gain.capped
    assert gain.after("0.001") == 1
    assert gain.advantage <= 1
    assert Gain.under(PureDP(1000)).capped


def test_nothing_is_capped_without_a_promise():
    assert Gain.under(Heuristic("why")) is None
    assert Gain.under(Seeded()) is None
    assert Gain.under(LocalDP(1)) == Gain.under(PureDP(1))


@given(st.fractions(min_value="1e-9", max_value=10**6, max_denominator=10**9))
def test_shown_figures_are_never_below_the_truth(epsilon):
    gain = Gain.under(PureDP(epsilon))
    text = shown(gain.factor).replace(",", "") if gain.capped else "about"
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
