"""The exponential mechanism: its law, its price, and its speed when one candidate dominates."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from math import exp, log

import numpy as np
import pytest
from scipy.stats import binomtest, chi2

from sfumato.errors import BudgetError, ParameterError
from sfumato.privacy import choice as module
from sfumato.privacy.choice import Ceilings, Choice, draw_index, width_for
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from slowness import slow

FALSE_ALARM = 1e-6  # chance that a right sampler fails one statistical test
ERRORS = [(Fraction(1), True), (Fraction(9, 10), False), (Fraction(11, 10), False)]
GAPS = {
    "two": (np.array([0, 3]), Fraction(1, 2)),
    "ties": (np.array([2, 0, 2, 0, 5, 5, 5]), Fraction(2, 7)),
    "far": (np.array([0, 1, 2, 3, 40, 10**6]), Fraction(1)),
    "crowd": (np.append(np.full(3_000, 6_000), 0), Fraction(1, 750)),
    "slope": (np.arange(2_000), Fraction(1, 300)),
}


@pytest.fixture
def bits():
    return SeededBits(0)


class CountedBits:
    seeded = True

    def __init__(self):
        self.source, self.drawn = SeededBits(3), 0

    def words(self, count):
        self.drawn += count
        return self.source.words(count)


def chances(gaps, rate):
    """Exact probabilities, in decimals."""
    with localcontext(prec=40):
        step = Decimal(rate.numerator) / Decimal(rate.denominator)
        weights = [(-step * int(gap)).exp() for gap in gaps]
        total = sum(weights)
        return np.array([float(weight / total) for weight in weights])


def fit(draws, expected):
    """p-value of Pearson's chi-square; cells that expect few draws are put together."""
    found, due = np.bincount(draws, minlength=len(expected)), expected * len(draws)
    rare = due < 20
    found = np.append(found[~rare], found[rare].sum())
    due = np.append(due[~rare], due[rare].sum())
    if due[-1] < 1e-3:  # what should never come must not
        assert not found[-1]
        found, due = found[:-1], due[:-1]
    return chi2.sf(((found - due) ** 2 / due).sum(), len(due) - 1)


@pytest.mark.parametrize(("error", "passes"), ERRORS)
@pytest.mark.parametrize("case", GAPS)
def test_draws_have_the_stated_law_and_no_other(case, error, passes, bits):
    gaps, rate = GAPS[case]
    draws = draw_index(gaps, rate * error, 400_000, bits)
    assert (fit(draws, chances(gaps, rate)) > FALSE_ALARM) == passes


@pytest.mark.parametrize(("error", "passes"), ERRORS)
@pytest.mark.parametrize("unit", [1, slow(8)])
@pytest.mark.long
def test_epsilon_over_twice_the_sensitivity_is_the_weight_of_a_score(unit, error, passes, bits):
    scores, epsilon, sensitivity = np.array([10, 4, 1, 10]) * unit, 3, Fraction(5, 2)
    choice = Choice("test", sensitivity, PureDP(epsilon * error), unit)
    draws = np.array([choice.draw(scores, bits) for _ in range(15_000)])
    due = chances((scores.max() - scores) // unit, epsilon / (2 * sensitivity))
    assert (fit(draws, due) > FALSE_ALARM) == passes


@pytest.mark.parametrize("case", GAPS)
def test_deciding_every_draw_by_rational_enclosures_changes_no_draw(case, monkeypatch):
    fast = draw_index(*GAPS[case], 2_000, SeededBits(3))
    decided = []

    class Slow(Ceilings):
        def __init__(self, *given):
            super().__init__(*given)
            self._below = np.full_like(self._below, -1)

        def accept(self, which, level, bits):
            decided.append(len(which))
            return super().accept(which, level, bits)

    monkeypatch.setattr(module, "Ceilings", Slow)
    np.testing.assert_array_equal(fast, draw_index(*GAPS[case], 2_000, SeededBits(3)))
    assert sum(decided) >= 2_000


@pytest.mark.slow
@pytest.mark.parametrize(("error", "passes"), ERRORS)
def test_the_law_holds_where_cells_are_too_coarse_for_the_weights(error, passes, monkeypatch, bits):
    """With 2 bits a cell nearly always holds an edge, and enclosures decide."""
    monkeypatch.setattr(module, "width_for", lambda _: 2)
    gaps, rate = np.array([0, 1, 2, 5, 9]), Fraction(1, 2)
    draws = draw_index(gaps, rate * error, 30_000, bits)
    assert (fit(draws, chances(gaps, rate)) > FALSE_ALARM) == passes


@pytest.mark.parametrize("ahead", [200, 10**6, 2**61])
def test_one_candidate_that_dominates_a_million_is_found_at_once(ahead):
    bits, scores = CountedBits(), np.zeros(2**20, np.int64)
    scores[777_777] = ahead
    assert Choice("test", Fraction(1), PureDP(1)).draw(scores, bits) == 777_777
    assert bits.drawn < 20


@pytest.mark.parametrize(("error", "passes"), ERRORS)
def test_a_crowd_weighs_as_much_as_its_number(error, passes, bits):
    """A million candidates far below one: together they come about half of the time."""
    gaps, rate = np.append(np.full(10**6, 28), 0), Fraction(1, 2)
    draws = draw_index(gaps, rate * error, 20_000, bits)
    alone = 1 / (1 + 10**6 * exp(-14))
    found = binomtest(int((draws == 10**6).sum()), draws.size, alone)
    assert (found.pvalue > FALSE_ALARM) == passes


def test_budgets_beyond_any_float_choose_the_best_or_anything(bits):
    scores = np.array([5, 0, 5, 4])
    sure = Choice("test", Fraction(1), PureDP("1e399"))
    assert {sure.draw(scores, bits) for _ in range(60)} == {0, 2}
    blind = Choice("test", Fraction(1), PureDP("1e-399"))
    assert {blind.draw(scores, bits) for _ in range(60)} == {0, 1, 2, 3}


@pytest.mark.parametrize("width", [5, 41, 61])
def test_ceilings_cover_the_weight_and_little_more(width, rng):
    exponents = [Fraction(int(a), int(b)) for a, b in rng.integers(1, 10**6, (300, 2))]
    exponents += [Fraction(0), Fraction(64), Fraction(65), Fraction(10**6), Fraction(1, 10**30)]
    ceilings = Ceilings(np.array(exponents, float), exponents.__getitem__, width)
    with localcontext(prec=60):
        for i, z in enumerate(exponents):
            weight = 2**width * (-Decimal(z.numerator) / Decimal(z.denominator)).exp()
            least, most = int(ceilings._below[i]), int(ceilings.above[i])
            assert least <= weight <= most
            assert most <= weight * (1 + Decimal(2) ** -35) + 3


def test_so_many_bits_are_used_as_keep_all_cells_countable():
    for candidates in (1, 2, 1000, 2**20, 2**30):
        most = candidates * (2 ** width_for(candidates) * (1 + Fraction(1, 2**36)) + 2)
        assert most < 2**63


@pytest.mark.parametrize(("stretch", "passes"), [(1, True), (2, False)])
def test_no_output_tells_neighbours_apart_by_more_than_epsilon(stretch, passes):
    """All scores and moves of three candidates; twice the rate must show."""
    rate = Choice("test", Fraction(2), PureDP(1)).rate * stretch
    worst = 0.0
    for scores, moved in product(product((0, 1, 3), repeat=3), product((-2, 0, 2), repeat=3)):
        other = np.array(scores) + moved
        p, q = chances(max(scores) - np.array(scores), rate), chances(other.max() - other, rate)
        worst = max(worst, np.abs(np.log(p / q)).max())
    assert (worst <= 1) == passes


@pytest.mark.parametrize(
    ("moves", "sensitivity"), [((1, -1), Fraction(1)), ((1, 0), Fraction(1, 2))]
)
def test_the_price_is_attained_where_one_rises_and_a_crowd_does_not(moves, sensitivity):
    """Scores that move one way only need half the sensitivity, and no less."""
    rise, fall = moves
    rate = Choice("test", sensitivity, PureDP(1)).rate
    crowd = np.append(np.full(10**6, 0), 0)
    after = np.append(np.full(10**6, fall), rise)
    p, q = (
        np.exp(float(rate) * scores) / np.exp(float(rate) * scores).sum()
        for scores in (crowd, after)
    )
    assert abs(log(q[-1] / p[-1]) - 1) < 1e-5
    assert np.abs(np.log(q / p)).max() <= 1 + 1e-9


def test_the_event_states_score_temperature_and_price():
    event = Choice("pair 3", Fraction(3, 2), PureDP("0.5"), unit=4).event
    assert event.to_json() == {
        "statistic": "pair 3",
        "mechanism": "exponential",
        "sensitivity": {"norm": "score", "value": "3/2"},
        "noise": {"temperature": "6", "approximately": 6.0},
        "cost": {"label": "pure-DP", "epsilon": "1/2"},
    }


def test_a_choice_beyond_the_purse_is_refused():
    purse = Purse(PureDP(1), SeededBits(0))
    choice = Choice("test", Fraction(1), PureDP("0.6"))
    assert choice.draw(np.array([0, 1]), purse.spend(choice.event)) in (0, 1)
    with pytest.raises(BudgetError, match="test would spend more than was reserved"):
        purse.spend(choice.event)


@pytest.mark.parametrize("sensitivity", [Fraction(0), Fraction(-1), 1, 0.5])
def test_sensitivities_that_are_not_positive_fractions_are_refused(sensitivity):
    with pytest.raises(ParameterError, match="sensitivity must be a Fraction above 0"):
        Choice("test", sensitivity, PureDP(1))


@pytest.mark.parametrize("unit", [0, -1, 1.5, True])
def test_units_that_are_not_positive_whole_numbers_are_refused(unit):
    with pytest.raises(ParameterError, match="unit must be a whole number of at least 1"):
        Choice("test", Fraction(1), PureDP(1), unit)


def test_budgets_that_are_not_pure_are_refused():
    from sfumato.privacy.guarantee import ZCDP

    with pytest.raises(ParameterError, match="a private choice takes epsilon only"):
        Choice("test", Fraction(1), ZCDP(1))


def test_a_choice_among_nothing_is_refused(bits):
    with pytest.raises(ParameterError, match="at least one candidate"):
        Choice("test", Fraction(1), PureDP(1)).draw(np.array([], np.int64), bits)


def test_a_single_candidate_is_certain(bits):
    assert Choice("test", Fraction(1), PureDP(1)).draw(np.array([-7]), bits) == 0


def test_no_draws_are_none(bits):
    assert draw_index(np.array([0, 1]), Fraction(1), 0, bits).size == 0
