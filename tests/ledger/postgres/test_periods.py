"""Periods in a database: the server's rules know what ends with them, as those of a file do."""

import time
from datetime import UTC, datetime, timedelta

import pytest

from ledger_world import PLAN, at_time, lines_in
from sfumato.errors import BudgetError
from sfumato.ledger import Ledger
from sfumato.ledger.table_part import DIVISIBLE, TablePart
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import PureDP

NORTH, SOUTH = (TablePart(f"region={k}", "f00d" * 4, ((k, k),)) for k in (0, 1))
DAY, MILLION = 86_400, Charge(10**6)


def charge(ledger, release, price, part=None, **more):
    asked = {"plan": PLAN, "protects": DIVISIBLE, "table_part": part} | more
    return ledger.reserve(release, "adult", PureDP(price), **asked)


@pytest.fixture
def ledger(people, address, schema, tmp_path):
    """One that came from a file, with a period that ended: a server takes its own time alone."""
    with at_time(time.time() - 100 * DAY), Ledger.create(tmp_path / "budget.db") as made:
        until = (datetime.now(UTC) - timedelta(95)).date()
        made.grant("adult", epsilon=5, reason="the first period", until=until)
        charge(made, "north", 2, NORTH)
        charge(made, "south", 1, SOUTH, first=PureDP("0.02"))
        charge(made, "whole", 1)
        made.move(address)
    with people.raw() as raw:
        raw.execute(f"GRANT {schema}_publisher TO maker")
    with Ledger(address) as opened:
        yield opened


def test_the_server_takes_the_end_of_a_period_and_refunds_after_it(ledger):
    with pytest.raises(BudgetError, match="is over"):
        charge(ledger, "late", 1)
    ledger.draw("south", b"1" * 16)
    ledger.grant("adult", epsilon=1, reason="the next one")
    for step in (
        lambda: None,
        lambda: ledger.refund("north", reason="not needed"),
        lambda: ledger.stop("south"),
        lambda: ledger.refund("whole", reason="not needed"),
    ):
        step()
        balance = ledger.balance("adult")
        assert balance.left_for(NORTH) == balance.left_for(SOUTH) == MILLION
    assert balance.spent == Charge(2 * 10**6)
    charge(ledger, "new", 1, SOUTH)
    ledger.refund("new", reason="of this period")
    assert ledger.balance("adult").left_for(SOUTH) == MILLION
    kinds = [line.kind for line, _ in lines_in(ledger)]
    assert kinds.count("lapse") == 2  # at the end, and what the whole table gave back
    ledger.verify()
