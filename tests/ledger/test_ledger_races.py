"""Many at once: exactly as many win as the budget covers, and one id is charged once (F6)."""

import os
import sqlite3
import time

import pytest

from ledger_world import ABOUT, CHARGE, PLAN
from sfumato.errors import BudgetError, LedgerError
from sfumato.ledger import Ledger
from sfumato.ledger.sqlite import file as ledger_file
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import PureDP

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]

REFUSED = 3


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "budget.db"
    with Ledger.create(file) as ledger:
        ledger.grant("adult", PureDP(1), reason="approved")
    return file


def race(runners, attempt):
    """How many of the processes, all let loose at once, got what they wanted."""
    gate, starter = os.pipe()

    def run():
        os.close(starter)
        os.read(gate, 1)  # returns when the starter is closed
        os._exit(0 if attempt() else REFUSED)

    children = []
    for _ in range(runners):
        child = os.fork()
        if child == 0:
            try:
                run()
            finally:
                os._exit(1)
        children.append(child)
    os.close(gate)
    os.close(starter)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert set(codes) <= {0, REFUSED}
    return codes.count(0)


def charge_once(path):
    try:
        with Ledger(path) as ledger:
            ledger.reserve(f"r{os.getpid()}", "adult", CHARGE, plan=PLAN, protects=ABOUT)
    except BudgetError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize(("runners", "winners"), [(2, 1), (8, 1), (24, 1), (16, 5)])
def test_however_many_race_exactly_as_many_win_as_the_budget_covers(tmp_path, runners, winners):
    path = tmp_path / "budget.db"
    with Ledger.create(path) as ledger:
        ledger.grant("adult", PureDP(CHARGE.epsilon * winners), reason="approved")
    assert race(runners, lambda: charge_once(path)) == winners
    with Ledger(path) as ledger:
        assert ledger.balance("adult").left == Charge()
        ledger.verify()


def test_racing_for_one_release_id_charges_once_and_draws_once(path):
    def draw_once():
        with Ledger(path) as ledger:
            ledger.reserve("r", "adult", CHARGE, plan=PLAN, protects=ABOUT)
            try:
                ledger.draw("r", None)
            except LedgerError:
                return False
        return True

    assert race(8, draw_once) == 1
    with Ledger(path) as ledger:
        assert ledger.balance("adult").spent == Charge(400_000)


def test_the_race_itself_finds_a_ledger_that_looks_first_and_writes_later(tmp_path):
    account = tmp_path / "left"
    account.write_text("1")

    def naive():
        if int(account.read_text()) < 1:
            return False
        time.sleep(0.2)
        account.write_text("0")
        return True

    assert race(8, naive) > 1


def test_waiting_for_another_writer_ends_in_words(path, monkeypatch):
    monkeypatch.setattr(ledger_file, "WAIT", 0.05)
    with Ledger(path) as ledger:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="another process has held it"):
            ledger.reserve("r", "adult", CHARGE, plan=PLAN, protects=ABOUT)
        other.execute("ROLLBACK")
        other.close()
        assert ledger.reserve("r", "adult", CHARGE, plan=PLAN, protects=ABOUT).state == "reserved"
