"""Ledger: clients of a service, each with a quota of the budget of a data set."""

import os
import sqlite3
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from killing import in_child, quick_folder
from ledger_world import (
    ABOUT,
    DIGEST,
    PLAN,
    audited,
    connection_of,
    following,
    lines_in,
)
from sfumato.errors import BudgetError, LedgerError, ParameterError
from sfumato.ledger import Ledger
from sfumato.ledger.clients import Client
from sfumato.ledger.sql import insert
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import ZCDP, PureDP

TOKEN, OTHER = "a" * 64, "b" * 64
WHOLE = Charge(10**6)  # what a client may use
USED = Charge(600_000)  # what one has used


@contextmanager
def quick_ledger():
    with quick_folder() as folder, Ledger.create(Path(folder) / "budget.db") as made:
        made.grant("words", epsilon=3, reason="approved")
        for name, token in (("anna", TOKEN), ("bert", OTHER)):
            made.add_client("words", name, token=token, epsilon=1, reason="a contract")
        yield made


@pytest.fixture
def ledger():
    with quick_ledger() as made:
        made.grant("others", epsilon=3, reason="approved")
        yield made


def charge(ledger, release="r", dataset="words", price=2, **uses):
    shares = {name: PureDP(share) for name, share in uses.items()}
    return ledger.reserve(release, dataset, PureDP(price), plan=PLAN, protects=ABOUT, uses=shares)


def left(ledger):
    return {client.name: client.left.micro_epsilon / 10**6 for client in ledger.clients("words")}


def test_what_clients_use_together_is_charged_to_the_data_set_once(ledger):
    charge(ledger, price="1.5", anna=1, bert="0.5")
    assert ledger.balance("words").spent == Charge(1_500_000)
    assert left(ledger) == {"anna": 0, "bert": 0.5}
    charge(ledger, price="1.5", anna=1, bert="0.5")  # the same request again
    assert (ledger.balance("words").spent, left(ledger)["bert"]) == (Charge(1_500_000), 0.5)
    ledger.draw("r", None)
    ledger.settle("r", DIGEST)
    ledger.verify()


def test_a_client_uses_no_more_than_its_quota_and_nothing_is_charged_where_one_would(ledger):
    head = ledger.head
    with pytest.raises(
        BudgetError, match=r"'bert' of data set 'words' has epsilon 1 left and asks"
    ):
        charge(ledger, anna="0.5", bert="1.000001")
    assert ledger.head == head
    assert ledger.entry("r") is None
    assert left(ledger) == {"anna": 1, "bert": 1}
    charge(ledger, anna=1, bert=1)
    with pytest.raises(BudgetError, match="'anna'"):
        charge(ledger, "s", price=1, anna="0.000001")


def test_a_quota_is_no_budget(ledger):
    ledger.add_client("words", "anna", token=TOKEN, epsilon=100, reason="a large contract")
    with pytest.raises(BudgetError, match="data set 'words' has epsilon 3 left"):
        charge(ledger, price=4, anna=4)
    assert left(ledger)["anna"] == 101


def test_clients_never_use_more_together_than_the_release_is_charged(ledger):
    with pytest.raises(ParameterError, match="more together than the release is charged"):
        charge(ledger, price=1, anna="0.6", bert="0.400001")
    charge(ledger, price=1, anna="0.6", bert="0.4")
    with pytest.raises(ParameterError, match="more together"):
        ledger.reserve(
            "s", "words", PureDP(1), plan=PLAN, protects=ABOUT, uses={"anna": ZCDP("0.1")}
        )


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9), st.integers(0, 9)), max_size=6))
def test_whatever_is_asked_the_clients_never_hold_more_than_the_data_set(charges):
    with quick_ledger() as ledger:
        for number, (price, anna, bert) in enumerate(charges):
            uses = {n: f"0.{u}" for n, u in (("anna", anna), ("bert", bert)) if u}
            try:
                charge(ledger, f"r{number}", price=f"0.{price}", **uses)
            except (BudgetError, ParameterError):
                assert ledger.entry(f"r{number}") is None
        used = sum(client.spent.micro_epsilon for client in ledger.clients("words"))
        assert used <= ledger.balance("words").spent.micro_epsilon
        assert all(client.spent.micro_epsilon <= 10**6 for client in ledger.clients("words"))
        ledger.verify()


def test_clients_get_back_what_they_used_of_a_release_that_is_refunded(ledger):
    charge(ledger, "kept", price="0.5", anna="0.25", bert="0.25")
    charge(ledger, price="1.25", anna="0.75", bert="0.5")
    assert left(ledger) == {"anna": 0, "bert": 0.25}
    ledger.refund("r", reason="the service stopped")
    assert ledger.balance("words").spent == Charge(500_000)
    assert left(ledger) == {"anna": 0.75, "bert": 0.75}
    back = [(line.kind, line.dataset, line.other) for line in ledger.history("words")[-3:]]
    assert back == [("refund", "words", None), ("return", "words\tanna", "r"),
                    ("return", "words\tbert", "r")]  # fmt: skip
    with pytest.raises(LedgerError, match="was refunded"):
        ledger.refund("r", reason="once more")
    charge(ledger, "s", price="0.75", anna="0.75")
    with pytest.raises(BudgetError, match="'anna'"):
        charge(ledger, "t", price=1, anna="0.000001")
    ledger.verify()


def test_a_client_that_used_nothing_or_was_revoked_gets_back_what_it_used_and_no_more(ledger):
    charge(ledger, price="0.5", anna="0.5")
    ledger.revoke_client("words", "anna", reason="the contract ended")
    ledger.refund("r", reason="the service stopped")
    assert ledger.clients("words")[0] == Client("anna", None, WHOLE, Charge())
    assert [line.dataset for line in ledger.history() if line.kind == "return"] == ["words\tanna"]
    ledger.verify()


def test_what_was_used_before_a_checkpoint_is_given_back_after_it(ledger, monkeypatch):
    charge(ledger, anna=1)
    monkeypatch.setattr("sfumato.ledger.session.CHECKPOINT", 1)
    ledger.inspect("words", what="a line more")
    ledger.refund("r", reason="the service stopped")
    kinds = [line.kind for line, _ in lines_in(ledger)]
    assert kinds.index("checkpoint") < kinds.index("return")
    ledger.verify()
    with Ledger(ledger.name) as again:  # audits what came after the last checkpoint
        assert left(again)["anna"] == 1


def test_strangers_and_clients_of_other_data_sets_use_nothing(ledger):
    for dataset, client in (("words", "carl"), ("others", "anna"), ("words", "Anna")):
        with pytest.raises(BudgetError, match=f"{dataset!r} has no client '{client}'"):
            charge(ledger, dataset=dataset, **{client: 1})
    assert ledger.clients("others") == []


def test_a_client_added_again_has_more_and_another_token_and_one_that_was_revoked_has_none(ledger):
    ledger.add_client("words", "anna", token=OTHER, epsilon="0.5", reason="prolonged")
    assert ledger.clients("words")[0] == Client("anna", OTHER, Charge(1_500_000), Charge())
    charge(ledger, anna=1)
    ledger.revoke_client("words", "anna", reason="the contract ended")
    assert ledger.clients("words")[0] == Client("anna", None, Charge(1_500_000), Charge(10**6))
    with pytest.raises(BudgetError, match="no client 'carl'"):
        ledger.revoke_client("words", "carl", reason="never heard of")
    ledger.verify()


def test_clients_are_no_data_sets(ledger):
    assert ledger.datasets() == ["others", "words"]
    for account in ("words\tanna", "words\t"):
        with pytest.raises(ParameterError, match="dataset must be"):
            ledger.grant(account, epsilon=1, reason="a trick")
        with pytest.raises(ParameterError, match="dataset must be"):
            charge(ledger, dataset=account)


@pytest.mark.parametrize(
    ("said", "refusal"),
    [
        ({"token": "a" * 63}, "token must be the SHA-256"),
        ({"token": "A" * 64}, "token must be the SHA-256"),
        ({"client": "an\tna"}, "client must be"),
        ({"client": ""}, "client must be"),
        ({"reason": "…"}, "reason must say"),
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": "0.0000001"}, "one ledger unit"),
        ({"dataset": "unknown"}, "no budget in this ledger"),
    ],
)
def test_a_client_that_cannot_be_is_refused(ledger, said, refusal):
    request = {"dataset": "words", "client": "carl", "token": TOKEN, "epsilon": 1, "reason": "why"}
    head, asked = ledger.head, request | said
    with pytest.raises((BudgetError, ParameterError), match=refusal):
        ledger.add_client(asked.pop("dataset"), asked.pop("client"), **asked)
    assert ledger.head == head


def test_many_processes_at_once_use_a_quota_exactly_once(ledger):
    def one(number):
        with Ledger(ledger.name) as own:
            try:
                charge(own, f"r{number}", price="0.4", anna="0.4")
            except BudgetError:
                os._exit(3)

    children = []
    for number in range(6):
        child = os.fork()
        if child == 0:
            os._exit(in_child(lambda number=number: one(number)))
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert sorted(codes) == [0, 0, 3, 3, 3, 3]
    assert ledger.balance("words").spent == Charge(800_000)
    ledger.verify()


# What the auditor refuses by itself


def used(lines, account="words\tanna", amount=WHOLE, other="r"):
    return following(lines, "use", account, amount=amount, other=other)


FORGED = {
    "more than its quota": (
        lambda lines: [used(lines, amount=Charge(1_000_001))],
        "more was spent",
    ),
    "what was never charged": (lambda lines: [used(lines, other="s")], "not charged to its data"),
    "what another data set paid": (
        lambda lines: [used(lines, "others\tanna")],
        "not charged to its data",
    ),
    "as a data set": (lambda lines: [used(lines, "words")], "not of its kind"),
    "twice": (
        lambda lines: [one := used(lines), used([*lines, one], "words\tbert", Charge(600_001))],
        "clients use more of a release",
    ),
    "after something else": (
        lambda lines: [
            one := following(lines, "inspect", "words"),
            used([*lines, one]),
        ],
        "or use it later",
    ),
    "a quota without a data set": (
        lambda lines: [following(lines, "client", "clinic\tanna", detail='{"token":null}')],
        "a data set that is unknown",
    ),
    "a grant to a client": (
        lambda lines: [following(lines, "grant", "words\tanna", amount=Charge(1))],
        "not of its kind",
    ),
    "a charge to a client": (
        lambda lines: [
            lines[-1]._replace(dataset="words\tanna", release="s", sequence=lines[-1].sequence + 1)
        ],
        "not of its kind",
    ),
    "a balance of its own making": (
        lambda lines: [used(lines)._replace(spent_micro_epsilon=0)],
        "balance does not follow",
    ),
}


def returned(lines, account="words\tanna", amount=USED, other="r"):
    return following(lines, "return", account, amount=amount, other=other)


FORGED_RETURNS = {
    "what was not refunded": (
        lambda lines: [returned(lines, other="kept", amount=Charge(100_000))],
        "what was not refunded",
    ),
    "what was never charged": (lambda lines: [returned(lines, other="s")], "not refunded"),
    "what another data set paid": (
        lambda lines: [returned(lines, "others\tanna", Charge(1))],
        "not refunded",
    ),
    "more than it used": (
        lambda lines: [returned(lines, amount=Charge(600_001))],
        "something else",
    ),
    "less than it used": (lambda lines: [returned(lines, amount=Charge(1))], "something else"),
    "nothing": (lambda lines: [returned(lines, amount=Charge())], "something else"),
    "what another client used": (lambda lines: [returned(lines, "words\tbert")], "something else"),
    "twice": (lambda lines: [one := returned(lines), returned([*lines, one])], "or gets it twice"),
    "as a data set": (lambda lines: [returned(lines, "words")], "not of its kind"),
    "a balance of its own making": (
        lambda lines: [returned(lines)._replace(spent_micro_epsilon=0)],
        "balance does not follow",
    ),
}


@pytest.mark.parametrize("forgery", FORGED_RETURNS, ids=lambda name: name.replace(" ", "-"))
def test_the_auditor_refuses_a_forged_return(ledger, forgery):
    charge(ledger, "kept", price=1, anna="0.1", bert="0.1")
    charge(ledger, price=1, anna="0.6", bert="0.4")
    ledger.refund("r", reason="the service stopped")
    lines = [line for line, _ in lines_in(ledger)][:-2]  # without what was given back
    forge, fault = FORGED_RETURNS[forgery]
    with pytest.raises(LedgerError, match=f"damaged: at event .*{fault}"):
        audited([*lines, *forge(lines)], ledger.ledger_id)
    audited([*lines, returned(lines)], ledger.ledger_id)


def test_the_table_refuses_a_return_of_what_was_not_used_or_refunded_and_a_second_one(ledger):
    charge(ledger, "kept", price=1, anna="0.1")
    charge(ledger, price=1, anna="0.6", bert="0.4")
    ledger.refund("r", reason="the service stopped")
    for wrong in (
        {"other": "kept", "amount": Charge(100_000)},
        {"amount": Charge(600_001)},
        {"account": "words\tcarl"},
        {"other": "never"},
        {},
    ):
        lines = [line for line, _ in lines_in(ledger)]
        forged = returned(lines, **wrong)._replace(spent_micro_epsilon=0)
        with pytest.raises(sqlite3.IntegrityError, match=r"has back what it used|UNIQUE|granted"):
            insert(connection_of(ledger), forged)


@pytest.mark.parametrize("forgery", FORGED, ids=lambda name: name.replace(" ", "-"))
def test_the_auditor_refuses_a_forged_use(ledger, forgery):
    charge(ledger, price="1.6")
    lines = [line for line, _ in lines_in(ledger)]
    forge, fault = FORGED[forgery]
    with pytest.raises(LedgerError, match=f"damaged: at event .*{fault}"):
        audited([*lines, *forge(lines)], ledger.ledger_id)
    one = used(lines)
    audited([*lines, one, used([*lines, one], "words\tbert", Charge(600_000))], ledger.ledger_id)


def test_a_use_is_a_line_that_names_its_release_and_costs_the_data_set_nothing_more(ledger):
    charge(ledger, price=1)
    lines = [line for line, _ in lines_in(ledger)]
    for wrong in ({"other": None}, {"release": "r"}, {"heuristic": 1}):
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
            insert(connection_of(ledger), used(lines)._replace(**wrong))
    insert(connection_of(ledger), used(lines))
    assert ledger.balance("words").spent == Charge(10**6)
    assert left(ledger)["anna"] == 0
