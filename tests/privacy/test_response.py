"""Randomized response: its exact law, its loss, what debiasing does, and rare flips."""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from scipy.stats import chisquare

from sfumato.errors import BudgetError, ParameterError
from sfumato.privacy import enclosure
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.privacy.response import RandomizedResponse

FALSE_ALARM = 1e-6  # chance that a right mechanism fails one statistical test


def response(epsilon):
    return RandomizedResponse("bits", PureDP(epsilon))


def exact_flip(epsilon):
    """1 / (1 + e^ε) to 60 digits."""
    with localcontext(prec=60):
        odds = (-Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp()
        return Fraction(odds / (1 + odds))


class GivenBits:
    """Words in a given order; asking for more than there are fails."""

    seeded = True

    def __init__(self, *words):
        self.left = list(words)

    def words(self, count):
        taken, self.left = self.left[:count], self.left[count:]
        assert len(taken) == count
        return np.array(taken, np.uint64)


@pytest.mark.parametrize(("error", "passes"), [(1, True), (0.95, False), (1.05, False)])
@pytest.mark.parametrize("epsilon", ["0.01", "1/3", "1", "3.5"])
def test_flips_are_independent_and_have_their_exact_probability(epsilon, error, passes):
    """Three flips in a row have eight outcomes; a law 5 % off is rejected."""
    triples = response(epsilon).flips(1_200_000, SeededBits(5)).reshape(-1, 3) @ [4, 2, 1]
    q = error * float(exact_flip(Fraction(epsilon)))
    law = np.array([q ** i.bit_count() * (1 - q) ** (3 - i.bit_count()) for i in range(8)])
    found = np.bincount(triples, minlength=8)
    assert (chisquare(found, law / law.sum() * found.sum()).pvalue > FALSE_ALARM) == passes


def test_deciding_every_flip_by_rational_enclosures_changes_no_flip(monkeypatch):
    fast = response("1.7").flips(2_000, SeededBits(3))
    decided = []
    plain = enclosure.Uniform.below_exp

    def counted(self, exponent):
        decided.append(exponent)
        return plain(self, exponent)

    monkeypatch.setattr(enclosure.Uniform, "below_exp", counted)
    monkeypatch.setattr(enclosure, "SLOP", 1.0)
    np.testing.assert_array_equal(fast, response("1.7").flips(2_000, SeededBits(3)))
    assert len(decided) > 900
    assert set(decided) == {Fraction("1.7")}


@pytest.mark.parametrize(("beside", "flipped"), [(-1, True), (+1, False)])
def test_a_flip_that_comes_once_in_2_to_the_72_is_decided_to_the_last_bit(beside, flipped):
    """At ε = 50 a uniform just below e^−50 flips; one just above leaves it to the next coin."""
    with localcontext(prec=60):
        edge = int(Decimal(-50).exp() * 2**116)
    heads_then_tails = 1 << 7
    bits = GivenBits(heads_then_tails, 0, edge + beside)
    assert response(50).flips(1, bits).tolist() == [flipped]
    assert not bits.left


@pytest.mark.parametrize("epsilon", ["1e-9", "0.1", "1", "7", "44.5", "600"])
def test_the_loss_is_epsilon_and_the_stated_flip_probability_is_rounded_down(epsilon):
    mechanism, q = response(epsilon), exact_flip(Fraction(epsilon))
    assert log((1 - q) / q) == pytest.approx(float(epsilon), rel=1e-9, abs=1e-12)
    assert mechanism.flip_probability == pytest.approx(float(q), rel=1e-14)
    stated = mechanism.event.noise
    assert q * (1 - Fraction(1, 10**11)) < stated <= q


def test_epsilons_beyond_any_float_never_flip_and_are_stated_as_zero():
    mechanism = response("1e399")
    assert not mechanism.flips(10_000, SeededBits(1)).any()
    assert mechanism.event.noise == 0
    assert mechanism.variance == 0


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1, 2, 9])
def test_a_debiased_response_is_right_on_average_and_has_the_stated_variance(epsilon):
    mechanism = response(epsilon)
    zero, one = mechanism.debiased(np.array([0.0, 1.0]))
    q = mechanism.flip_probability
    for bit, chance in ((0, q), (1, 1 - q)):  # of the response 1
        mean = zero * (1 - chance) + one * chance
        assert mean == pytest.approx(bit, abs=1e-12)
        second = (zero - mean) ** 2 * (1 - chance) + (one - mean) ** 2 * chance
        assert second == pytest.approx(mechanism.variance, rel=1e-12)
    assert mechanism.variance == pytest.approx(exp(-epsilon) / (1 - exp(-epsilon)) ** 2)


def test_responses_are_the_bits_where_nothing_is_flipped():
    truth = np.array([0, 1, 1, 0, 1], np.uint8)
    answers = response(1).respond(truth, SeededBits(2))
    flips = response(1).flips(5, SeededBits(2))
    np.testing.assert_array_equal(answers != truth, flips)
    assert answers.dtype == np.uint8


def test_no_bits_get_no_responses_and_use_no_randomness():
    assert response(1).flips(0, GivenBits()).size == 0


def test_sample_size_is_the_corrected_one_and_the_error_its_inverse():
    mechanism = response(1)
    assert mechanism.sample_size(0.1, 0.05) == 864
    assert mechanism.error(864, 0.05) <= 0.1 < mechanism.error(863, 0.05)
    assert response(10**9).sample_size(0.1, 0.05) == 185  # Hoeffding without any noise


def test_the_event_states_the_flip_probability_and_the_price():
    assert response("1").event.to_json() == {
        "statistic": "bits",
        "mechanism": "randomized-response",
        "sensitivity": {"norm": "bits", "value": "1"},
        "noise": {
            "flip probability": "268941421369/1000000000000",
            "approximately": 0.268941421369,
        },
        "cost": {"label": "pure-DP", "epsilon": "1"},
    }


def test_responses_beyond_the_purse_are_refused():
    purse = Purse(PureDP("0.9"), GivenBits())
    with pytest.raises(BudgetError, match="bits would spend more than was reserved"):
        purse.spend(response(1).event)


@pytest.mark.parametrize("budget", [ZCDP(1), ApproxDP(1, "1e-6")])
def test_budgets_that_are_not_pure_are_refused(budget):
    with pytest.raises(ParameterError, match="leave out delta and rho"):
        RandomizedResponse("bits", budget)


def test_an_epsilon_that_says_nothing_is_refused():
    with pytest.raises(ParameterError, match="at least 1e-9"):
        response("9e-10")
