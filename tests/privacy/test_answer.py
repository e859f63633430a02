"""Answers by randomized response: their law over all pairs of inputs, their draws, refusals."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from math import exp

import numpy as np
import pytest
from scipy.stats import binom, chi2

from sfumato.errors import ParameterError
from sfumato.privacy import answer as module
from sfumato.privacy.answer import DirectResponse, UnaryResponse, answered, best_response
from sfumato.privacy.guarantee import LocalDP
from sfumato.privacy.randomness import SeededBits

FALSE_ALARM = 1e-6
BOTH = (DirectResponse, UnaryResponse)


def exact_laws(kind, k, epsilon, monkeypatch):
    """The law of each input's answers in 60 digits, by what the draw really asks for."""
    with localcontext() as context:
        context.prec = 60
        if kind is DirectResponse:
            seen = []

            def index(gaps, rate, size, bits):
                seen.append((gaps.copy(), rate))
                return np.zeros(size, np.int64)

            monkeypatch.setattr(module, "draw_index", index)
            kind("q", k, epsilon).draw(np.zeros(1, np.int64), SeededBits(0))
            ((gaps, rate),) = seen
            turn = Decimal(rate.numerator) / Decimal(rate.denominator)
            weights = [(-turn * int(gap)).exp() for gap in gaps]
            whole = sum(weights)
            # As in the code: the code plus the index, round the circle.
            return [
                {(out,): weights[(out - code) % k] / whole for out in range(k)} for code in range(k)
            ]
        odds = (-Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp()
        one = [[odds / (1 + odds), Decimal("0.5")][own] for own in (0, 1)]
        laws = []
        for code in range(k):
            law = {}
            for bits in product((0, 1), repeat=k):
                chance = Decimal(1)
                for place, bit in enumerate(bits):
                    p = one[place == code]
                    chance *= p if bit else 1 - p
                law[bits] = chance
            laws.append(law)
        return laws


@pytest.mark.parametrize("epsilon", [Fraction(1, 7), Fraction(1), Fraction(9, 2)])
@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize("kind", BOTH)
def test_over_all_pairs_of_inputs_the_worst_answer_loses_exactly_epsilon(
    kind, k, epsilon, monkeypatch
):
    laws = exact_laws(kind, k, epsilon, monkeypatch)
    with localcontext() as context:
        context.prec = 60
        most = max(
            (mine[out] / theirs[out]).ln() for mine in laws for theirs in laws for out in mine
        )
        claimed = Decimal(epsilon.numerator) / Decimal(epsilon.denominator)
        assert abs(most - claimed) < Decimal("1e-50")
        assert all(abs(sum(law.values()) - 1) < Decimal("1e-50") for law in laws)
    # What accuracy and audit go by is the same law.
    response = kind("q", k, epsilon)
    for code, law in enumerate(laws):
        for out, chance in law.items():
            logs = response.log_chances(code)
            parts = out if kind is UnaryResponse else (out[0],)
            said = sum(logs[part, value] for part, value in enumerate(parts))
            assert said == pytest.approx(float(chance.ln()), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("error", "passes"), [("1", True), ("0.9", False), ("1.1", False)])
@pytest.mark.parametrize("kind", BOTH)
def test_answers_have_the_stated_law_and_no_other(kind, error, passes):
    drawn = kind("q", 4, Fraction(3, 2))
    made = answered(drawn, np.full(200_000, 2, np.int64), SeededBits(5)).reshape(200_000, -1)
    due = np.exp(kind("q", 4, Fraction(3, 2) * Fraction(error)).log_chances(2))
    found = np.array([np.bincount(part, minlength=due.shape[1]) for part in made.T])
    square = ((found - 200_000 * due) ** 2 / (200_000 * due)).sum()
    assert (chi2.sf(square, due.size - len(due)) > FALSE_ALARM) == passes


def test_bits_that_are_drawn_in_parts_have_the_same_law(monkeypatch):
    monkeypatch.setattr(module, "_MOST_BITS", 7_000)
    codes = np.arange(60_000) % 3
    made = answered(UnaryResponse("q", 3, Fraction(1)), codes, SeededBits(8))
    true = made[np.arange(60_000), codes].sum()
    assert FALSE_ALARM < binom.cdf(true, 60_000, 0.5) < 1 - FALSE_ALARM
    assert FALSE_ALARM < binom.cdf(made.sum() - true, 120_000, 1 / (1 + exp(1))) < 1 - FALSE_ALARM


@pytest.mark.parametrize("kind", BOTH)
def test_answers_of_two_records_are_independent(kind):
    made = answered(kind("q", 2, Fraction(1)), np.zeros(100_000, np.int64), SeededBits(2))
    first = made.reshape(100_000, -1)[:, 0]
    agree = int((first[::2] == first[1::2]).sum())
    p = first.mean()
    same = p**2 + (1 - p) ** 2
    assert FALSE_ALARM < binom.cdf(agree, 50_000, same) < 1 - FALSE_ALARM
    shared = np.repeat(first[::2], 2)  # the control: one draw for two records
    assert binom.sf(int((shared[::2] == shared[1::2]).sum()) - 1, 50_000, same) < FALSE_ALARM


@pytest.mark.parametrize("kind", BOTH)
def test_the_bits_that_are_used_do_not_depend_on_the_codes(kind):
    used = []
    for code in (0, 6):
        bits = SeededBits(1)
        kind("q", 7, Fraction(1)).draw(np.full(50, code, np.int64), bits)
        used.append(bits.words(1)[0])
    assert used[0] == used[1]


@pytest.mark.parametrize("kind", BOTH)
def test_rates_are_those_of_the_law(kind):
    response = kind("q", 5, Fraction(2))
    own, other = response.rates
    chances = np.exp(response.log_chances(3))
    if kind is DirectResponse:
        assert (own, other) == pytest.approx((chances[0, 3], chances[0, 0]))
        assert own + 4 * other == pytest.approx(1)
    else:
        assert (own, other) == pytest.approx((chances[3, 1], chances[0, 1]))


@pytest.mark.parametrize("kind", BOTH)
def test_an_enormous_epsilon_tells_the_truth_as_far_as_the_encoding_does(kind):
    codes = np.arange(4)
    made = kind("q", 4, Fraction(10**6)).draw(codes, SeededBits(1))
    if kind is DirectResponse:
        assert made.tolist() == codes.tolist()
    else:
        assert made.sum() == np.diag(made).sum()  # no false ones


def test_the_price_is_local_and_the_chance_is_stated_rounded_down():
    event = DirectResponse("answers of ward", 3, Fraction(2)).event
    assert event.cost == LocalDP(2)
    chance = 2 / (2 + exp(2))
    assert 0 <= chance - float(event.noise) < 1e-11
    assert UnaryResponse("q", 3, Fraction(2)).event.sensitivity == 2


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1), Fraction(3)])
def test_the_best_response_has_the_smaller_variance(epsilon):
    for k in range(2, 80):
        spread = {}
        for kind in BOTH:
            own, other = kind("q", k, epsilon).rates
            spread[kind] = other * (1 - other) / (own - other) ** 2
        assert type(best_response("q", k, epsilon)) is min(spread, key=spread.get)


def test_too_small_an_epsilon_and_no_category_are_refused():
    with pytest.raises(ParameterError, match="at least 1e-9"):
        DirectResponse("q", 3, Fraction(1, 10**10))
    with pytest.raises(ParameterError, match="at least one category"):
        DirectResponse("q", 0, Fraction(1))
