"""`sfumato ledger` for several people: who asked, who approved, what was done, where it lies."""

import csv
import io
import json

import pytest
from typer.testing import CliRunner

from sfumato.cli import app
from sfumato.errors import LedgerError, ParameterError
from sfumato.ledger import Ledger
from sfumato.ledger.sqlite.connection import FileConnection


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("SFUMATO_LEDGER", str(tmp_path / "budget.db"))
    monkeypatch.setenv("COLUMNS", "200")

    def call(*arguments):
        return CliRunner().invoke(app, ["ledger", *arguments])

    return call


@pytest.fixture
def become(monkeypatch):
    """Another user of the operating system."""

    def turn(name):
        monkeypatch.setattr(FileConnection, "who", property(lambda _: name))

    return turn


def test_one_asks_and_another_approves(run, become):
    assert "sfumato ledger request" in run("create", "--two-people").output
    become("anna")
    refused = run("grant", "adult", "--epsilon", "1", "--reason", "alone")
    assert isinstance(refused.exception, LedgerError)
    asked = run("request", "adult", "--epsilon", "1", "--reason", "first wave")
    assert "request 2 is recorded" in asked.output
    assert "anna asks for epsilon 1 for adult" in run("requests").output
    assert "anna asks for epsilon 1 for adult" in run("show").output
    for listed in ("requests", "show"):
        assert "sfumato ledger approve 2 --reason …" in run(listed).output
    refused = run("approve", "2", "--reason", "mine")
    assert "made by anna, who cannot approve it" in str(refused.exception)
    become("boris")
    assert "adult has epsilon 1 left" in run("approve", "2", "--reason", "data board").output
    assert "nothing is asked for" in run("requests").output
    assert isinstance(run("approve", "2", "--reason", "again").exception, LedgerError)
    told = run("log").output
    assert "anna: first wave" in told
    assert "boris: data board" in told


def test_whoever_approves_is_told_until_when_the_budget_is(run, become):
    run("create", "--two-people")
    become("anna")
    run("request", "adult", "--epsilon", "1", "--until", "2099-12-31", "--reason", "first wave")
    become("boris")
    said = run("approve", "2", "--reason", "data board").output
    assert said == "adult has epsilon 1 left, until 2099-12-31\n"


def test_names_of_the_same_data_are_shown_beside_each_other(run):
    run("create")
    for name in ("adult", "registry", "survey", "other"):
        run("grant", name, "--epsilon", "1", "--reason", "board")
    assert "same data" not in run("show").output
    run("same-data", "adult", "registry", "--reason", "one table")
    run("same-data", "survey", "registry", "--reason", "one table")
    shown = " ".join(run("show").output.split())
    for name, others in (
        ("adult", "registry, survey"),
        ("registry", "adult, survey"),
        ("survey", "adult, registry"),
    ):
        assert f"{name}: the same data as {others}, so its people bear what all" in shown
    assert "other: the same" not in shown
    assert "survey" in run("show", "--dataset", "adult").output


def test_a_declined_request_grants_nothing(run):
    run("create")
    run("request", "adult", "--epsilon", "1", "--reason", "first wave")
    assert "declined" in run("decline", "2", "--reason", "not now").output
    assert isinstance(run("approve", "2", "--reason", "after all").exception, LedgerError)
    assert "epsilon" not in run("show").output


def test_a_mistyped_name_is_no_account_and_a_meant_one_is(run):
    run("create")
    run("grant", "clinic", "--epsilon", "1", "--reason", "board")
    refused = run("grant", "clinik", "--epsilon", "1", "--reason", "board")
    assert "did you mean that" in str(refused.exception)
    assert "clinik" not in run("show").output
    made = run("create-dataset", "clinik", "--reason", "the other one")
    assert made.exit_code == 0
    assert "next: sfumato ledger grant clinik" in made.output
    assert run("grant", "clinik", "--epsilon", "1", "--reason", "board").exit_code == 0


def test_a_budget_for_a_period_is_shown_as_such(run):
    run("create")
    granted = run(
        "grant", "adult", "--epsilon", "2", "--until", "2099-12-31", "--reason", "this year's"
    )
    assert "epsilon 2 left, until 2099-12-31" in granted.output
    assert "for the time until 2099-12-31" in run("show").output
    for wrong in ("2099", "soon", "2020-01-01", "31.12.2099"):
        refused = run("grant", "adult", "--epsilon", "1", "--until", wrong, "--reason", "x")
        assert isinstance(refused.exception, ParameterError)
        assert "until" in str(refused.exception)


def test_the_log_as_json_and_csv_says_the_same(run):
    run("create")
    run("grant", "adult", "--epsilon", "1", "--reason", "=1+1, says the board")
    as_json = json.loads(run("log", "--json").output)
    as_csv = list(csv.DictReader(io.StringIO(run("log", "--csv").output)))
    assert [row["what"] for row in as_json] == [row["what"] for row in as_csv]
    assert as_json[1]["reason"] == "=1+1, says the board"
    assert as_csv[1]["reason"] == "'=1+1, says the board"  # no formula in a spreadsheet
    assert json.loads(run("log", "adult", "--json").output) == as_json[1:]
    assert isinstance(run("log", "--json", "--csv").exception, ParameterError)
    assert "has no budget" in str(run("log", "unheard").exception)


def test_what_an_auditor_was_given_is_verified_without_the_ledger(run, tmp_path):
    run("create")
    run("grant", "adult", "--epsilon", "1", "--reason", "board")
    file = str(tmp_path / "audit.jsonl")
    assert "fingerprints" not in run("export", "--for-auditor", "-o", file).output
    assert "it holds fingerprints" in run("export", "-o", f"{file}.whole").output
    (tmp_path / "budget.db").unlink()
    assert "is sound" in run("verify", "--export", file).output
    assert isinstance(run("verify", "--export", file, "--head", "0" * 64).exception, LedgerError)
    run("create", "--ledger", str(tmp_path / "new.db"))
    refused = run("export", "-o", file, "--ledger", str(tmp_path / "new.db"))
    assert "exists: choose another name or remove it first" in str(refused.exception)


def test_a_moved_ledger_goes_on_elsewhere_and_nowhere_else(run, tmp_path, monkeypatch):
    run("create")
    run("grant", "adult", "--epsilon", "1", "--reason", "board")
    there = str(tmp_path / "other.db")
    assert "it goes on at" in run("move", "--to", there).output
    assert f"was moved to {there}" in run("show").output
    refused = run("grant", "adult", "--epsilon", "1", "--reason", "late")
    assert f"was moved to {there}" in str(refused.exception)
    monkeypatch.setenv("SFUMATO_LEDGER", there)
    assert run("grant", "adult", "--epsilon", "1", "--reason", "in time").exit_code == 0
    with Ledger(there) as ledger:
        assert str(ledger.balance("adult").left) == "epsilon 2"


def test_a_lost_key_is_replaced_on_the_record(run, tmp_path):
    run("create")
    key = tmp_path / "budget.db.key"
    key.unlink()
    with Ledger(tmp_path / "budget.db") as ledger, pytest.raises(LedgerError, match="new-key"):
        assert ledger.fingerprint_key
    assert str(key) in run("new-key", "--reason", "the old disk died").output
    with Ledger(tmp_path / "budget.db") as ledger:
        assert len(ledger.fingerprint_key) == 32
    assert "the old disk died" in run("log").output
