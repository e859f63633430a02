"""Ledger: what the auditor says of the time that a budget is for, where no table kept it."""

from contextlib import contextmanager, nullcontext
from datetime import datetime
from itertools import chain, repeat

import pytest

from ledger_world import ABOUT, PLAN, at_time, audited, connection_of, following, lines_in
from sfumato.errors import BudgetError, LedgerError
from sfumato.ledger import Ledger
from sfumato.ledger.audit import Audit
from sfumato.ledger.chain import LIMIT, hash_of, written
from sfumato.ledger.sql import append, insert
from sfumato.ledger.sqlite.connection import FileConnection
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import PureDP, to_json

BEFORE, LAST, AFTER = "2030-03-01", "2030-06-30", "2030-07-01"
MILLION = 10**6


@pytest.fixture
def ledger(tmp_path):
    with at_time(BEFORE), Ledger.create(tmp_path / "budget.db") as made:
        made.grant("adult", epsilon=3, reason="until summer", until=LAST)
        yield made


def charge(ledger, release, price=1):
    ledger.reserve(release, "adult", PureDP(price), plan=PLAN, protects=ABOUT)


def test_the_auditor_refuses_a_charge_after_the_time_that_its_budget_was_for(ledger):
    charge(ledger, "r")
    end = int(datetime.fromisoformat(f"{AFTER}T00:00:00+00:00").timestamp())
    lines = [line for line, _ in lines_in(ledger)]
    said = {
        "release": "s",
        "amount": Charge(MILLION),
        "protects": ABOUT,
        "detail": lines[-1].detail,
    }
    audited([*lines, following(lines, "reserve", "adult", clock=end - 1, **said)], ledger.ledger_id)
    for late in (end, LIMIT):
        forged = following(lines, "reserve", "adult", clock=late, **said)
        with pytest.raises(LedgerError, match="event 4 a charge was made after the time that its"):
            audited([*lines, forged], ledger.ledger_id)
    insert(connection_of(ledger), following(lines, "reserve", "adult", clock=end, **said))
    with pytest.raises(LedgerError, match="event 4 a charge was made after the time that its"):
        ledger.verify()


def test_the_auditor_knows_the_time_of_a_budget_that_was_granted_before_a_checkpoint(ledger):
    ledger.grant("other", epsilon=1, reason="without a time")
    point = append(connection_of(ledger), "checkpoint", "", {}).sequence
    lines = [line for line, _ in lines_in(ledger)]
    detail = f'{{"guarantee":{written(to_json(PureDP(1)))},"plan":"{PLAN}"}}'
    said = {"release": "s", "amount": Charge(MILLION), "protects": ABOUT, "detail": detail}
    end = int(datetime.fromisoformat(f"{AFTER}T00:00:00+00:00").timestamp())
    for dataset in ("other", "adult"):
        audit = Audit(lines_in(ledger)[-1][1], since=point, past=connection_of(ledger))
        late = following(lines, "reserve", dataset, clock=end, **said)
        with nullcontext() if dataset == "other" else pytest.raises(LedgerError, match="after the"):
            audit.walk([(late, hash_of(late))])


@pytest.mark.parametrize("until", ['"2030-02-30"', '"soon"', "5", "[]", '"20300228"'])
def test_the_auditor_refuses_a_grant_until_what_is_no_day(ledger, until):
    lines = [line for line, _ in lines_in(ledger)]
    forged = following(lines, "grant", "adult", amount=Charge(1), detail=f'{{"until":{until}}}')
    with pytest.raises(LedgerError, match="until no day of the calendar"):
        audited([*lines, forged], ledger.ledger_id)


@pytest.mark.parametrize(
    ("kind", "detail"),
    [
        ("request", "[1]"),
        ("request", '"words"'),
        ("request", "{}"),
        ("request", '{"reason":"why","until":5}'),
        ("inspect", "[]"),
        ("inspect", f'{{"what":{"[" * 1500}{"]" * 1500}}}'),
        ("dataset", "null"),
        ("lapse", "{}"),
    ],
)
def test_the_auditor_refuses_a_line_whose_words_nobody_can_show(ledger, kind, detail):
    lines = [line for line, _ in lines_in(ledger)]
    forged = following(lines, kind, "adult", detail=detail)
    with pytest.raises(LedgerError, match=r"not the form of its kind|no day of the calendar"):
        audited([*lines, forged], ledger.ledger_id)


def test_the_auditor_refuses_an_approval_for_another_time_than_was_asked_for(ledger):
    lines = [line for line, _ in lines_in(ledger)]
    asked = {"detail": f'{{"reason":"x","until":"{LAST}"}}', "amount": Charge(5)}
    lines += [following(lines, "request", "adult", **asked)]
    answer = {"amount": Charge(5), "other": "3", "who": "another"}
    audited([*lines, following(lines, "approve", "adult", **answer | asked)], ledger.ledger_id)
    forged = following(lines, "approve", "adult", **answer, detail='{"reason":"x"}')
    with pytest.raises(LedgerError, match="something else was approved"):
        audited([*lines, forged], ledger.ledger_id)


def test_a_charge_bears_the_time_that_was_compared_with_the_end(ledger):
    """Midnight strikes while it is written."""
    end = int(datetime.fromisoformat(f"{AFTER}T00:00:00+00:00").timestamp())
    for looks in range(1, 8):
        with ticking(end - 1, end, looks):
            try:
                charge(ledger, f"at look {looks}", "0.1")
            except BudgetError:
                continue
        assert lines_in(ledger)[-1][0].clock < end
        ledger.verify()
    assert ledger.entry("at look 7") is not None


@contextmanager
def ticking(before, after, looks):
    """A clock that tells another second from this look on."""
    times = chain([before] * looks, repeat(after))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FileConnection, "clock", property(lambda _: next(times)))
        yield
