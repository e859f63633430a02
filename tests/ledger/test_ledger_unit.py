"""Charges by row and charges by person are never added up, and the refusal says what to do."""

import pytest

from ledger_world import PLAN
from sfumato.errors import BudgetError, ParameterError
from sfumato.ledger import Ledger
from sfumato.ledger.table_part import TablePart
from sfumato.privacy.guarantee import PureDP
from sfumato.publishing.table import price, publish_plan
from visits_world import PEOPLE, ROWS, plan_for_persons, visits


@pytest.fixture
def ledger(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("visits", PureDP(9), reason="board")
        yield ledger


PLANS = {
    "rows": lambda: price(ROWS, method="modips", epsilon=1, fit=False),
    "persons": plan_for_persons,
}


@pytest.mark.parametrize(("first", "then"), [("rows", "persons"), ("persons", "rows")])
def test_a_data_set_charged_by_one_unit_refuses_the_other_before_its_charge(ledger, first, then):
    publish_plan(PLANS[first](), visits(), ledger=ledger)
    before = ledger.balance("visits").spent
    with pytest.raises(BudgetError, match="one budget cannot cover both") as refused:
        publish_plan(PLANS[then](), visits(), ledger=ledger)
    assert "a promise about rows is none about persons, unless the rows of each person were" in str(
        refused.value
    )
    assert "privacy officer to decide" in str(refused.value)
    assert ledger.balance("visits").spent == before
    publish_plan(PLANS[first](), visits(), ledger=ledger)
    ledger.verify()


def test_the_same_data_under_another_name_is_no_way_round(ledger):
    ledger.grant("panel", PureDP(9), reason="board")
    ledger.allow("visits", "panel", "the same records")
    publish_plan(PLANS["rows"](), visits(), ledger=ledger)
    plan = plan_for_persons({**PEOPLE, "name": "panel"})
    with pytest.raises(BudgetError, match="of 'visits', which is the same data"):
        publish_plan(plan, visits(), ledger=ledger)


def test_other_neighbours_of_one_unit_are_refused_without_talk_of_units(ledger):
    publish_plan(PLANS["persons"](), visits(), ledger=ledger)
    other = plan_for_persons({**PEOPLE, "neighbours": "add-remove"})
    with pytest.raises(BudgetError) as refused:
        publish_plan(other, visits(), ledger=ledger)
    assert str(refused.value).endswith("the same unit and neighbours")


def test_parts_of_persons_are_not_charged_apart(ledger):
    about = plan_for_persons({**PEOPLE, "neighbours": "add-remove"}).terms.protects
    part = TablePart("year=2020", "c0ffee00", ((5, 5),))
    with pytest.raises(ParameterError, match="parts of a table are charged apart only where"):
        ledger.reserve("a", "visits", PureDP(1), plan=PLAN, protects=about, table_part=part)
