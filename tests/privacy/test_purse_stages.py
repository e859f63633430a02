"""Purse: stages of a budget, each with its own limit, all within one by basic composition."""

from fractions import Fraction

import pytest

from sfumato.errors import BudgetError
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP
from sfumato.privacy.mechanism import Event, Purse
from sfumato.privacy.randomness import SeededBits


def bought(cost):
    return Event("sums", "discrete-laplace", Fraction(1), Fraction(1), cost)


def purse(limit):
    return Purse(limit, SeededBits(0))


@pytest.mark.parametrize(
    ("limit", "first", "rest", "spent"),
    [
        (PureDP(1), PureDP("0.02"), PureDP("0.98"), PureDP("0.98")),
        (ZCDP(1), ZCDP("0.02"), ZCDP("0.98"), ZCDP("0.98")),
        # Beside a tiny delta a pure part would cost more as rho than it does by itself.
        (ApproxDP(1, "1e-300"), PureDP("0.02"), ApproxDP("0.98", "1e-300"), ZCDP("0.00034")),
    ],
)
def test_a_later_stage_has_all_of_its_part_whatever_the_first_one_spent(limit, first, rest, spent):
    paying = purse(limit)
    paying.begin(first)
    paying.spend(bought(first))
    paying.begin(rest)
    paying.spend(bought(spent))
    assert [event.cost for event in paying.events] == [first, spent]


def test_no_stage_spends_what_is_meant_for_another():
    paying = purse(PureDP(1))
    paying.begin(PureDP("0.02"))
    with pytest.raises(BudgetError, match="more than was reserved"):
        paying.spend(bought(PureDP("0.03")))
    paying.begin(PureDP("0.98"))
    with pytest.raises(BudgetError, match="more than was reserved"):
        paying.spend(bought(PureDP("0.99")))
    assert not paying.events


@pytest.mark.parametrize(
    ("limit", "stages"),
    [
        (PureDP(1), [PureDP("0.5"), PureDP("0.51")]),
        (ZCDP(1), [ZCDP("0.5"), ZCDP("0.51")]),
        (ApproxDP(1, "1e-6"), [PureDP("0.5"), ApproxDP("0.5", "2e-6")]),
        (ApproxDP(1, "1e-6"), [PureDP("0.5"), ApproxDP("0.51", "1e-6")]),
    ],
)
def test_stages_that_pass_the_limit_together_are_refused(limit, stages):
    paying = purse(limit)
    paying.begin(stages[0])
    with pytest.raises(BudgetError, match="more than was reserved"):
        paying.begin(stages[1])


def test_what_was_bought_before_the_first_stage_is_not_forgotten():
    paying = purse(PureDP(1))
    paying.spend(bought(PureDP("0.5")))
    with pytest.raises(BudgetError, match="belongs to none"):
        paying.begin(PureDP(1))
