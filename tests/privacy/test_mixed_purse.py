"""A purse that sells pure draws and Gaussian noise: either of two true sums may fit its limit."""

from fractions import Fraction

import pytest

from sfumato.errors import BudgetError
from sfumato.privacy.budget import approx_from_zcdp, rho_within
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP
from sfumato.privacy.mechanism import Event, Purse
from sfumato.privacy.randomness import SeededBits

LIMIT = ApproxDP("0.2", "1e-9")
RHO = rho_within("0.1", LIMIT.delta).rho


def bought(*costs, limit=LIMIT):
    purse = Purse(limit, SeededBits(0))
    for cost in costs:
        purse.spend(Event("something", "exponential", Fraction(1), Fraction(1), cost))
    return purse


def test_pure_draws_are_added_to_what_the_noise_costs():
    assert len(bought(PureDP("0.1"), ZCDP(RHO)).events) == 2
    assert len(bought(ZCDP(RHO / 2), PureDP("0.05"), ZCDP(RHO / 2), PureDP("0.05")).events) == 4


@pytest.mark.slow
def test_many_small_draws_may_cost_less_as_noise():
    rho = rho_within(LIMIT.epsilon, LIMIT.delta).rho
    draws = [PureDP("0.0002")] * 1_000  # 0.2 in all, and far less as ρ
    assert len(bought(ZCDP(rho / 2), *draws).events) == 1_001


@pytest.mark.parametrize("more", [PureDP("0.0001"), ZCDP(RHO / 100)])
def test_what_fits_neither_sum_is_refused(more):
    with pytest.raises(BudgetError, match="more than was reserved"):
        bought(PureDP("0.1"), ZCDP(RHO), more)


def test_a_pure_limit_sells_no_noise_that_needs_delta():
    with pytest.raises(BudgetError):
        bought(PureDP("0.1"), ZCDP("0.000001"), limit=PureDP(5))


def test_the_sum_is_never_below_what_either_part_costs():
    noisy = approx_from_zcdp(RHO, LIMIT.delta).epsilon
    assert noisy + Fraction(1, 10) <= LIMIT.epsilon < noisy + Fraction(1, 10) + Fraction(1, 10**4)
