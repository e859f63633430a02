"""Ledger: budgets that one person grants, or one asks for and another approves."""

import sqlite3

import pytest

from ledger_world import (
    ABOUT,
    PLAN,
    at_time,
    audited,
    connection_of,
    following,
    lines_in,
    who_writes,
)
from sfumato.errors import BudgetError, LedgerError, ParameterError
from sfumato.ledger import Ledger
from sfumato.ledger.granting import Period
from sfumato.ledger.sql import insert
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Heuristic, PureDP

ALONE = "one person asks for a budget and another approves it"


@pytest.fixture(params=[True, False], ids=["two people", "one person"])
def ledger(request, tmp_path):
    with Ledger.create(tmp_path / "budget.db", two_people=request.param) as made:
        yield made


@pytest.fixture
def strict(tmp_path):
    with Ledger.create(tmp_path / "strict.db", two_people=True) as made:
        yield made


def asked_by(person, ledger, dataset="adult", **budget):
    with who_writes(person):
        return ledger.request(dataset, **({"epsilon": 2, "reason": "for the board"} | budget))


def test_where_two_people_are_needed_one_person_grants_nothing_at_all(strict):
    assert strict.two_people
    head = strict.head
    for budget in ({"epsilon": 1}, {"heuristic": True}, {"delta": "1e-9"}):
        with pytest.raises(LedgerError, match=ALONE):
            strict.grant("adult", reason="alone", **budget)
    assert strict.head == head
    strict.create_dataset("adult", reason="a name")
    with pytest.raises(LedgerError, match=ALONE):
        strict.grant("adult", epsilon=1, reason="alone")
    assert strict.balance("adult").granted == Charge()


def test_what_one_asks_for_and_another_approves_is_granted_once(ledger):
    number = asked_by("anna", ledger, budget=ApproxDP(2, "1e-9"), epsilon=None)
    assert ledger.balance("adult").granted == Charge()
    (request,) = ledger.requests()
    assert (request.number, request.dataset, request.who) == (number, "adult", "anna")
    assert (request.amount, request.reason) == (Charge(2_000_000, 1000), "for the board")
    with who_writes("bert"):
        ledger.approve(number, reason="the board agreed")
        assert ledger.balance("adult").granted == Charge(2_000_000, 1000)
        with pytest.raises(LedgerError, match=f"request {number} was answered before: approve"):
            ledger.approve(number, reason="again")
        with pytest.raises(LedgerError, match="answered before"):
            ledger.decline(number, reason="a second thought")
    assert ledger.requests() == []
    assert [line.who for line in ledger.history("adult")] == ["anna", "bert"]
    ledger.verify()


def test_a_request_is_not_approved_by_the_person_who_made_it(ledger):
    number = asked_by("anna", ledger)
    head = ledger.head
    with who_writes("anna"), pytest.raises(LedgerError, match="anna, who cannot approve it"):
        ledger.approve(number, reason="it will be fine")
    assert ledger.head == head
    assert ledger.balance("adult").granted == Charge()


def test_a_declined_request_grants_nothing_and_whoever_asked_may_take_it_back(ledger):
    for person in ("anna", "bert"):
        number = asked_by("anna", ledger)
        with who_writes(person):
            ledger.decline(number, reason="too much")
        with who_writes("bert"), pytest.raises(LedgerError, match="answered before: decline"):
            ledger.approve(number, reason="the board agreed")
    assert ledger.balance("adult").granted == Charge()
    ledger.verify()


@pytest.mark.parametrize("number", [0, 1, 2, 99, -1, 10**30, -(10**30)])
def test_what_is_no_request_is_not_approved(ledger, number):
    ledger.create_dataset("adult", reason="line 2")
    for answer in (ledger.approve, ledger.decline):
        with pytest.raises(LedgerError, match=f"there is no request {number}:"):
            answer(number, reason="a guess")


def test_permission_for_releases_without_a_guarantee_needs_two_people_as_well(strict):
    strict.create_dataset("adult", reason="a name")
    number = asked_by("anna", strict, epsilon=None, budget=Heuristic("x"), heuristic=True)
    request = {"plan": PLAN, "protects": ABOUT}
    with pytest.raises(BudgetError, match="does not allow"):
        strict.reserve("bare", "adult", Heuristic("none"), **request)
    with who_writes("bert"):
        strict.approve(number, reason="the board agreed")
    strict.reserve("bare", "adult", Heuristic("none"), **request)
    strict.verify()


def test_sums_that_the_ledger_cannot_count_are_refused_when_they_are_approved(ledger):
    most = "4e12"
    numbers = [asked_by("anna", ledger, epsilon=most) for _ in range(2)]
    with who_writes("bert"):
        ledger.approve(numbers[0], reason="the board agreed")
        with pytest.raises(ParameterError, match="below 2\\^62"):
            ledger.approve(numbers[1], reason="the board agreed")
    ledger.verify()


def test_an_approval_after_the_period_is_over_is_refused(ledger):
    with at_time("2030-06-01"):
        number = asked_by("anna", ledger, until="2030-06-30")
    with at_time("2030-07-01"), who_writes("bert"):
        with pytest.raises(LedgerError, match="until 2030-06-30, which is over: decline it"):
            ledger.approve(number, reason="late")
        ledger.decline(number, reason="late")
    ledger.verify()


def test_an_approved_budget_without_a_period_does_not_prolong_the_one_under_way(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as ledger:
        with at_time("2030-06-01"):
            number = asked_by("anna", ledger)
            ledger.grant("adult", epsilon=3, reason="this month", until="2030-06-30")
            with who_writes("bert"):
                ledger.approve(number, reason="more for this month")
            assert ledger.period("adult").until == "2030-06-30"
        with at_time("2030-07-01"):
            assert ledger.period("adult").over
            with pytest.raises(BudgetError, match="is over"):
                ledger.reserve("r", "adult", PureDP(1), plan=PLAN, protects=ABOUT)


# What the table and the auditor refuse by themselves


@pytest.mark.parametrize(
    "changes",
    [
        {"who": "anna"},
        {"amount": Charge(2_000_001)},
        {"heuristic": True},
        {"other": "02"},
        {"other": "1"},
        {"dataset": "clinic"},
    ],
    ids=lambda changes: next(iter(changes)) + "=" + str(next(iter(changes.values()))),
)
def test_the_table_and_the_auditor_refuse_a_forged_approval(ledger, changes):
    number = asked_by("anna", ledger)
    lines = [line for line, _ in lines_in(ledger)]
    said = {"who": "bert", "amount": Charge(2_000_000), "other": str(number)} | changes
    forged = following(lines, "approve", said.pop("dataset", "adult"), **said)
    with pytest.raises(LedgerError, match=r"damaged: at event 3 "):
        audited([*lines, forged], ledger.ledger_id)
    with pytest.raises(sqlite3.IntegrityError, match="approved by another person"):
        insert(connection_of(ledger), forged)
    right = following(
        lines, "approve", "adult", who="bert", amount=Charge(2_000_000), other=str(number)
    )
    audited([*lines, right], ledger.ledger_id)
    insert(connection_of(ledger), right)  # so nothing else was wrong with it
    again = following([*lines, right], "decline", "adult", who="bert", other=str(number))
    with pytest.raises(LedgerError, match="never made, or twice"):
        audited([*lines, right, again], ledger.ledger_id)
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        insert(connection_of(ledger), again)


def test_the_table_and_the_auditor_refuse_a_grant_by_one_where_two_are_needed(strict):
    lines = [line for line, _ in lines_in(strict)]
    forged = following(lines, "grant", "adult", amount=Charge(1))
    with pytest.raises(LedgerError, match="by one person where two are needed"):
        audited([*lines, forged], strict.ledger_id)
    with pytest.raises(sqlite3.IntegrityError, match="needs two people"):
        insert(connection_of(strict), forged)
    one = lines[0]._replace(detail=lines[0].detail.replace(',"two people":true', ""))
    audited([one, forged], strict.ledger_id)  # so nothing else was wrong with it


@pytest.mark.parametrize("answer", ["same", "02"])
def test_an_answer_after_a_checkpoint_is_held_against_what_came_before_it(
    tmp_path, monkeypatch, answer
):
    monkeypatch.setattr("sfumato.ledger.session.CHECKPOINT", 4)
    with Ledger.create(tmp_path / "budget.db", two_people=True) as ledger:
        number = asked_by("anna", ledger)
        assert number == 2
        with who_writes("bert"):
            ledger.create_dataset("clinic", reason="a name")
            ledger.create_dataset("survey", reason="a name")
            ledger.approve(number, reason="after the checkpoint")
        kinds = [line.kind for line, _ in lines_in(ledger)]
        assert kinds == ["create", "request", "dataset", "dataset", "checkpoint", "approve"]
        lines = [line for line, _ in lines_in(ledger)]
        connection = connection_of(ledger)
        for name in ("event_needs_two_people", "event_answer"):
            kind = "INDEX" if name == "event_answer" else "TRIGGER"
            connection.execute(f"DROP {kind} {name}")
        other = str(number) if answer == "same" else answer
        insert(connection, following(
            lines, "approve", "adult", who="carl", amount=Charge(2_000_000), other=other
        ))  # fmt: skip
        with pytest.raises(LedgerError, match="never made, or twice"):
            ledger._audited(connection)


# Names


@pytest.mark.parametrize("typed", ["adlut", "Adult", "adults", "adult "[:5] + "1"])
def test_a_name_much_like_a_known_one_gets_no_account_by_mistake(ledger, typed):
    ledger.create_dataset("adult", reason="the census")
    head = ledger.head
    with pytest.raises(LedgerError, match=f"'{typed}' has no account, but 'adult' has: did you"):
        asked_by("anna", ledger, typed)
    if not ledger.two_people:
        with pytest.raises(LedgerError, match="sfumato ledger create-dataset"):
            ledger.grant(typed, epsilon=1, reason="approved")
    assert ledger.head == head
    ledger.create_dataset(typed, reason="another table")
    number = asked_by("anna", ledger, typed)
    with who_writes("bert"):
        ledger.approve(number, reason="approved")
    assert ledger.balance(typed).granted == Charge(2_000_000)
    assert ledger.balance("adult").granted == Charge()
    ledger.verify()


def test_an_account_is_opened_once_and_grants_nothing(ledger):
    ledger.create_dataset("adult", reason="the census")
    assert ledger.datasets() == ["adult"]
    assert ledger.balance("adult").granted == Charge()
    with pytest.raises(LedgerError, match="'adult' has an account already"):
        ledger.create_dataset("adult", reason="again")
    for wrong in ("", " adult", "a\tb", "a\nb"):
        with pytest.raises(ParameterError, match="dataset must be"):
            ledger.create_dataset(wrong, reason="the census")
    with pytest.raises(BudgetError, match="has epsilon 0 left"):
        ledger.reserve("r", "adult", PureDP(1), plan=PLAN, protects=ABOUT)
    with pytest.raises(ParameterError, match="reason"):
        ledger.request("adult", ZCDP(1), reason="…")


@pytest.mark.parametrize("asked", [None, "2030-12-31"])
@pytest.mark.parametrize("under_way", [None, "2031-06-30"])
def test_whatever_time_a_request_was_for_its_approval_leaves_a_sound_ledger(
    strict, asked, under_way
):
    with at_time("2030-03-01"):
        first = asked_by("anna", strict, epsilon=1, until=asked)
        second = asked_by("anna", strict, epsilon=2, until=under_way)
        with who_writes("bert"):
            strict.approve(second, reason="the board agreed")
            strict.approve(first, reason="the board agreed")
        strict.verify()
        assert strict.balance("adult").granted == Charge(3_000_000)
        assert strict.period("adult") == (
            None if not (asked or under_way) else Period(asked or under_way, over=False)
        )
        lines = [line for line, _ in lines_in(strict)]
    forged = lines[-1]._replace(detail='{"reason":"the board agreed","until":"2039-01-01"}')
    with pytest.raises(LedgerError, match="something else was approved"):
        audited([*lines[:-1], forged], strict.ledger_id)
