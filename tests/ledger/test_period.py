"""Ledger: budgets for a period; what is left at its end lapses, and no clock brings it back."""

import os
import sqlite3
from datetime import date, datetime
from itertools import pairwise

import pytest

from killing import in_child
from ledger_world import (
    ABOUT,
    DIGEST,
    PLAN,
    at_time,
    audited,
    connection_of,
    following,
    lines_in,
)
from sfumato.errors import BudgetError, LedgerError, ParameterError
from sfumato.ledger import Ledger
from sfumato.ledger.period import ended, until_day
from sfumato.ledger.sql import insert
from sfumato.ledger.table_part import DIVISIBLE, TablePart
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import PureDP

BEFORE, LAST, AFTER, LATER = "2030-03-01", "2030-06-30", "2030-07-01", "2031-07-01"
NORTH, SOUTH = (TablePart(f"region={k}", "f00d" * 4, ((k, k),)) for k in (0, 1))
MILLION = 10**6


@pytest.fixture
def ledger(tmp_path):
    with at_time(BEFORE), Ledger.create(tmp_path / "budget.db") as made:
        made.grant("adult", epsilon=3, reason="until summer", until=LAST)
        yield made


def charge(ledger, release, price=1, part=None, **more):
    about = ABOUT if part is None else DIVISIBLE
    return ledger.reserve(
        release, "adult", PureDP(price), plan=PLAN, protects=about, table_part=part, **more
    )


def units(ledger):
    balance = ledger.balance("adult")
    return balance.granted.micro_epsilon, balance.spent.micro_epsilon, balance.left.micro_epsilon


def kinds(ledger):
    return [line.kind for line, _ in lines_in(ledger)]


def test_a_budget_is_spent_to_the_end_of_its_last_day_and_not_a_second_longer(ledger):
    assert (ledger.period("adult").until, ledger.period("adult").over) == (LAST, False)
    end = int(datetime.fromisoformat(f"{AFTER}T00:00:00+00:00").timestamp())
    with at_time(end - 1):
        charge(ledger, "in time")
    with at_time(end):
        with pytest.raises(BudgetError, match=f"until {LAST}, which is over: grant one for the"):
            charge(ledger, "too late")
        assert ledger.period("adult").over
    assert ledger.entry("too late") is None
    ledger.verify()


def test_what_is_left_lapses_before_the_next_budget_is_granted(ledger):
    charge(ledger, "r")
    with at_time(AFTER):
        assert units(ledger) == (3 * MILLION, MILLION, 2 * MILLION)  # nobody has touched it yet
        ledger.grant("adult", epsilon="0.5", reason="for autumn", until="2030-12-31")
        assert kinds(ledger)[-2:] == ["lapse", "grant"]
        assert units(ledger) == (1_500_000, MILLION, 500_000)
        with pytest.raises(BudgetError, match=r"epsilon 0\.5 left"):
            charge(ledger, "s")
        charge(ledger, "t", "0.5")
    ledger.verify()


def test_where_nothing_is_left_what_is_refunded_later_is_not_for_the_next_period_either(ledger):
    charge(ledger, "r", 3)
    with at_time(AFTER):
        ledger.grant("adult", epsilon=1, reason="for autumn", until="2030-12-31")
        ledger.refund("r", reason="not needed")
        assert ledger.balance("adult").left == Charge(MILLION)
    ledger.verify()


def test_more_for_a_period_under_way_is_for_that_period_and_a_later_day_prolongs_it(ledger):
    ledger.grant("adult", epsilon=1, reason="more")
    assert ledger.period("adult").until == LAST
    ledger.grant("adult", epsilon=1, reason="longer", until="2030-09-30")
    with at_time(AFTER):
        charge(ledger, "r", 5)
    with at_time("2030-10-01"), pytest.raises(BudgetError, match="2030-09-30, which is over"):
        charge(ledger, "s")


def test_a_budget_without_a_period_after_one_with_it_starts_anew(ledger):
    with at_time(AFTER):
        ledger.grant("adult", epsilon=1, reason="for good")
        assert ledger.period("adult") is None
    with at_time("2099-01-01"):
        charge(ledger, "r")
        with pytest.raises(BudgetError, match="epsilon 0 left"):
            charge(ledger, "s")


def test_what_was_charged_in_the_period_is_drawn_and_settled_after_it(ledger):
    charge(ledger, "r")
    with at_time(AFTER):
        ledger.draw("r", b"1" * 16)
        ledger.settle("r", DIGEST)
        assert charge(ledger, "r").state == "released"  # the same request again
        ledger.inspect("adult", what="a look")
    ledger.verify()


# What is given back after the end


def test_a_refund_after_the_period_gives_nothing_for_the_next_one(ledger):
    charge(ledger, "r", 2)
    with at_time(AFTER):
        ledger.grant("adult", epsilon=1, reason="for autumn", until="2030-12-31")
        left = ledger.balance("adult").left
        ledger.refund("r", reason="not needed")
        assert kinds(ledger)[-2:] == ["refund", "lapse"]
        assert ledger.balance("adult").left == left == Charge(MILLION)
        charge(ledger, "s")
        ledger.refund("s", reason="not needed")  # of this period: it is there again
        assert ledger.balance("adult").left == Charge(MILLION)
    ledger.verify()


def test_a_refund_before_the_next_grant_lapses_with_the_rest(ledger):
    charge(ledger, "r", 2)
    with at_time(AFTER):
        ledger.refund("r", reason="not needed")
        with pytest.raises(BudgetError, match="is over"):
            charge(ledger, "s")
        ledger.grant("adult", epsilon=1, reason="for autumn", until="2030-12-31")
        assert units(ledger) == (MILLION, 0, MILLION)
    ledger.verify()


def test_a_stop_after_the_period_gives_nothing_for_the_next_one(ledger):
    charge(ledger, "r", 2, first=PureDP("0.02"))
    ledger.draw("r", None)
    with at_time(AFTER):
        ledger.grant("adult", epsilon=1, reason="for autumn", until="2030-12-31")
        ledger.stop("r")
        assert units(ledger) == (1_020_000, 20_000, MILLION)
    ledger.verify()


def test_an_old_refund_does_not_make_the_charges_of_this_period_old(ledger):
    charge(ledger, "old", 2)
    with at_time(AFTER):
        ledger.grant("adult", epsilon=1, reason="for autumn", until="2030-12-31")
        charge(ledger, "new")
        ledger.refund("old", reason="not needed")
        ledger.refund("new", reason="not needed")
        assert ledger.balance("adult").left == Charge(MILLION)
    ledger.verify()


# Clocks


def test_a_clock_set_back_ten_years_never_brings_budget_back(ledger):
    charge(ledger, "r")
    with at_time(AFTER):
        ledger.inspect("adult", what="a line of this day")
    for name in ("adult", "later"):
        with at_time("2020-01-01"):
            assert ledger.period("adult").over
            with pytest.raises(BudgetError, match="is over"):
                charge(ledger, name)
    with at_time("2020-01-01"):
        with pytest.raises(ParameterError, match=f"until must not be over, got {LAST}"):
            ledger.grant("adult", epsilon=1, reason="for summer", until=LAST)
        ledger.grant("adult", epsilon=1, reason="for autumn", until="2030-12-31")
        assert ledger.balance("adult").left == Charge(MILLION)
    clocks = [line.clock for line, _ in lines_in(ledger)]
    assert clocks == sorted(clocks)
    ledger.verify()


def test_a_clock_that_runs_ahead_wastes_budget_and_grants_none(ledger):
    charge(ledger, "r")
    spent = [units(ledger)]
    with at_time(LATER):
        ledger.grant("adult", epsilon=1, reason="next year", until="2031-12-31")
        spent.append(units(ledger))
    with at_time(BEFORE):
        charge(ledger, "s")
        with pytest.raises(BudgetError, match="epsilon 0 left"):
            charge(ledger, "t")
        spent.append(units(ledger))
    assert spent == [(3 * MILLION, MILLION, 2 * MILLION), (2 * MILLION, MILLION, MILLION),
                     (2 * MILLION, 2 * MILLION, 0)]  # fmt: skip
    ledger.verify()


def test_the_table_and_the_auditor_refuse_a_line_from_before_the_last_one(ledger):
    lines = [line for line, _ in lines_in(ledger)]
    forged = following(lines, "inspect", "adult", clock=lines[-1].clock - 1)
    with pytest.raises(sqlite3.IntegrityError, match="no earlier time"):
        insert(connection_of(ledger), forged)
    with pytest.raises(LedgerError, match="older than the one before it"):
        audited([*lines, forged], ledger.ledger_id)
    audited([*lines, forged._replace(clock=lines[-1].clock)], ledger.ledger_id)


@pytest.mark.parametrize("over", [True, False])
@pytest.mark.parametrize("off", [-1, 0, 1])
def test_the_auditor_refuses_a_lapse_before_its_time_or_of_another_amount(ledger, over, off):
    charge(ledger, "r")
    lines = [line for line, _ in lines_in(ledger)]
    forged = following(
        lines,
        "lapse",
        "adult",
        amount=Charge(2 * MILLION + off),
        detail='{"until":"2030-06-30"}',
        over=True,
    )
    end = int(datetime.fromisoformat(f"{AFTER}T00:00:00+00:00").timestamp())
    forged = forged._replace(clock=end - (not over))
    if over and off == 0:
        audited([*lines, forged], ledger.ledger_id)
    else:
        with pytest.raises(LedgerError, match=r"taken back before its time was over|balance does"):
            audited([*lines, forged], ledger.ledger_id)


def test_the_auditor_refuses_what_a_refund_leaves_of_a_period_that_is_over(ledger):
    charge(ledger, "r")
    with at_time(AFTER):
        ledger.grant("adult", epsilon=1, reason="the next year", until="2031-06-30")
        ledger.refund("r", reason="it was stopped")
    lines = [line for line, _ in lines_in(ledger)]
    audited(lines, ledger.ledger_id)
    *before, refund, lapse = lines
    assert (refund.kind, lapse.kind) == ("refund", "lapse")
    look = following([*before, refund], "inspect", "adult", detail='{"what":"x"}')
    with pytest.raises(LedgerError, match="was given back for the next one"):
        audited([*before, refund, look._replace(clock=refund.clock)], ledger.ledger_id)


def test_a_refund_of_a_period_that_goes_on_does_not_lapse(ledger):
    charge(ledger, "r")
    ledger.refund("r", reason="it was stopped")
    lines = [line for line, _ in lines_in(ledger)]
    detail = f'{{"refund":{lines[-1].sequence}}}'
    forged = following(lines, "lapse", "adult", amount=Charge(MILLION), detail=detail)
    with pytest.raises(LedgerError, match="taken back before its time was over"):
        audited([*lines, forged._replace(clock=lines[-1].clock)], ledger.ledger_id)


# Parts of a table


@pytest.mark.parametrize("north", [1, 3])
def test_no_part_keeps_what_was_left_for_it_when_a_period_ends(ledger, north):
    charge(ledger, "n", north, NORTH)
    assert ledger.balance("adult").left_for(SOUTH) == Charge(3 * MILLION)
    with at_time(AFTER):
        ledger.grant("adult", epsilon=1, reason="for autumn", until="2030-12-31")
        balance = ledger.balance("adult")
        assert balance.left_for(SOUTH) == balance.left_for(NORTH) == Charge(MILLION)
        assert balance.spent == Charge(north * MILLION)
        with pytest.raises(BudgetError, match="epsilon 1 left for region=1"):
            charge(ledger, "s", 2, SOUTH)
        charge(ledger, "s", 1, SOUTH)
        charge(ledger, "t", 1, NORTH)  # which has no record in common with it
        assert ledger.balance("adult").left == Charge()
    ledger.verify()


def test_a_part_that_was_charged_in_a_period_that_is_over_gives_nothing_back(ledger):
    charge(ledger, "n", 2, NORTH)
    charge(ledger, "s", 1, SOUTH, first=PureDP("0.02"))
    ledger.draw("s", b"1" * 16)
    with at_time(AFTER):
        ledger.grant("adult", epsilon=1, reason="for autumn", until="2030-12-31")
        charge(ledger, "new", "0.5", NORTH)
        before = ledger.balance("adult")
        ledger.refund("n", reason="not needed")
        assert ledger.stop("s").state == "stopped"
        balance = ledger.balance("adult")
        assert (balance.spent, balance.granted) == (before.spent, before.granted)
        assert balance.left_for(NORTH) == Charge(500_000)
        assert balance.left_for(SOUTH) == Charge(MILLION)
        ledger.refund("new", reason="of this period")
        assert ledger.balance("adult").left_for(NORTH) == Charge(MILLION)
    ledger.verify()


def test_parts_of_a_new_period_may_be_of_another_table(ledger):
    charge(ledger, "n", 1, NORTH)
    ledger.draw("n", b"1" * 16)
    with at_time(AFTER):
        ledger.grant("adult", epsilon=1, reason="for autumn", until="2030-12-31")
        charge(ledger, "s", 1, SOUTH)
        ledger.draw("s", b"2" * 16)  # north counts for all records now
        charge(ledger, "t", 1, NORTH)
        with pytest.raises(BudgetError, match="a table with other records"):
            ledger.draw("t", b"1" * 16)
    ledger.verify()


def test_the_auditor_knows_the_end_of_a_period_from_before_a_checkpoint(tmp_path, monkeypatch):
    monkeypatch.setattr("sfumato.ledger.session.CHECKPOINT", 6)
    with at_time(BEFORE), Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("adult", epsilon=3, reason="until summer", until=LAST)
        charge(ledger, "n", 2, NORTH)
        charge(ledger, "s", 1, SOUTH)
        with at_time(AFTER):
            ledger.grant("adult", epsilon=1, reason="for autumn", until="2030-12-31")
            assert kinds(ledger)[-1] == "checkpoint"
            ledger.refund("n", reason="not needed")
        assert ledger.balance("adult").left == Charge(MILLION)
    with at_time(LATER), Ledger(tmp_path / "budget.db") as again:
        again.verify()


# At the end of a period, many at once


def test_at_the_end_of_a_period_racing_charges_never_pass_either_budget(ledger):
    end = int(datetime.fromisoformat(f"{AFTER}T00:00:00+00:00").timestamp())

    def one(number):
        with at_time(end - 1 + number % 2), Ledger(ledger.name) as own:
            if number == 1:
                own.grant("adult", epsilon=1, reason="for autumn", until="2030-12-31")
            try:
                charge(own, f"r{number}")
            except BudgetError:
                os._exit(3)

    children = []
    for number in range(10):
        child = os.fork()
        if child == 0:
            os._exit(in_child(lambda number=number: one(number)))
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert set(codes) <= {0, 3}
    lines = [line for line, _ in lines_in(ledger)]
    won = [line.kind for line in lines if line.kind in ("reserve", "lapse", "grant")][1:]
    ends = won.index("lapse") if "lapse" in won else won.index("grant")
    assert won[:ends].count("reserve") <= 3
    assert won[ends:].count("reserve") <= 1
    assert codes.count(0) == won.count("reserve")
    assert all(one.clock <= two.clock for one, two in pairwise(lines))
    ledger.verify()


# Days


@pytest.mark.parametrize(
    "day", ["", "soon", "2030-6-30", "20300630", "2030-02-30", "30.06.2030", 2030, b"2030-06-30"]
)
def test_a_period_ends_on_a_day_of_the_calendar(ledger, day):
    head = ledger.head
    with pytest.raises(ParameterError, match="until must be the last day of the period"):
        ledger.grant("adult", epsilon=1, reason="for autumn", until=day)
    assert ledger.head == head


def test_days_are_those_of_utc_wherever_the_machine_is():
    assert until_day(date(2030, 6, 30)) == until_day(datetime(2030, 6, 30, 23)) == LAST  # noqa: DTZ001
    end = int(datetime.fromisoformat(f"{AFTER}T00:00:00+00:00").timestamp())
    assert [ended(LAST, end - 1), ended(LAST, end), ended(None, end)] == [False, True, False]
