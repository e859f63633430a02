"""`sfumato ledger`: what is printed, what is recorded, what is refused."""

import re
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ledger_world import ABOUT
from sfumato.cli.ledger import app
from sfumato.errors import BudgetError, LedgerError, ParameterError
from sfumato.ledger import Ledger
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import Heuristic, PureDP

PLAN = "c0ffee00"
OLDER = Path(__file__).parent.parent / "ledger"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "budget.db"


@pytest.fixture
def run(monkeypatch, path, wide):
    """Run a command on a wide terminal, with the ledger named by the environment."""
    monkeypatch.setenv("SFUMATO_LEDGER", str(path))
    return lambda *arguments: CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture
def granted(run):
    assert run("create").exit_code == 0
    assert run("grant", "adult", "--epsilon", "3", "--reason", "board").exit_code == 0


def test_a_ledger_is_made_granted_and_shown(run, path):
    made = run("create")
    with Ledger(path) as ledger:
        assert ledger.head in made.output
    assert "no budget yet" in run("show").output
    assert (
        "adult has epsilon 3 left"
        in run("grant", "adult", "--epsilon", "3", "--reason", "board").output
    )
    run("grant", "adult", "--epsilon", "0.5", "--delta", "1e-9", "--reason", "board")
    run("grant", "[red]clinic", "--rho", "0.1", "--heuristic", "--reason", "board")
    shown = run("show").output
    assert "epsilon 3.5, delta 1e-9" in shown
    assert "[red]clinic" in shown
    assert "rho 0.1, heuristics" in shown
    assert "clinic" not in run("show", "--dataset", "adult").output


def test_the_option_names_the_ledger_as_well_as_the_environment(run, tmp_path):
    other = tmp_path / "other.db"
    assert run("create", "--ledger", other).exit_code == 0
    assert other.exists()


def test_an_unfinished_choice_is_not_told_to_be_published_again(run, granted, path):
    with Ledger(path) as ledger:
        for name in ("choice-0a", "choice-0b"):
            ledger.reserve(name, "adult", PureDP("0.5"), plan=PLAN, protects=ABOUT)
        ledger.draw("choice-0b", None)
    reserved, drawn = run("show").output.splitlines()[-2:]
    assert "release choice-0a of adult is reserved; it is a private choice" in reserved
    assert "sfumato ledger refund choice-0a --reason" in reserved
    assert "release choice-0b of adult is drawn; it is a private choice" in drawn
    assert "the charge stays; if nothing runs, choose again" in drawn
    assert "--release" not in reserved + drawn


def test_unfinished_releases_are_shown_with_what_to_do(run, granted, path):
    with Ledger(path) as ledger:
        ledger.grant("adult", Heuristic("decided"), reason="internal", heuristic=True)
        for release in ("stopped", "drawn", "unproved"):
            proof = Heuristic("none") if release == "unproved" else PureDP(1)
            ledger.reserve(release, "adult", proof, plan=PLAN, protects=ABOUT)
        ledger.draw("drawn", None)
        ledger.refund("unproved", reason="by hand")
        ledger.reserve("bare", "adult", Heuristic("none"), plan=PLAN, protects=ABOUT)
    shown = run("show").output
    assert "release stopped of adult is reserved; nothing was drawn" in shown
    assert "sfumato ledger refund stopped --reason" in shown
    assert "release drawn of adult is drawn; its noise was drawn and the charge stays" in shown
    assert shown.count("sfumato party contribute") == 3  # it may be one of several parties
    assert "adult: 1 of its releases carry no guarantee" in shown


def test_what_was_interrupted_is_not_said_to_have_stopped(run, granted, path):
    """Stopped is the word for a release whose records did not fit."""
    with Ledger(path) as ledger:
        for release in ("r", "choice-1", "choice-2", "s"):
            ledger.reserve(release, "adult", PureDP("0.1"), plan=PLAN, protects=ABOUT)
        for release in ("choice-2", "s"):
            ledger.draw(release, None)
        ledger.go_on("s", 1, plan=PLAN)
    shown, asked = run("show").output, run("refund", "--help").output
    assert shown.count("was interrupted") == 4
    assert "an interrupted release" in asked
    assert "stopped" not in shown + asked


def test_inspections_are_shown_by_release_and_cost_nothing(run, granted, path):
    with Ledger(path) as ledger:
        ledger.reserve("published", "adult", PureDP(1), plan=PLAN, protects=ABOUT)
        ledger.draw("published", None)
        ledger.settle("published", "0123456789abcdef")
        for _ in range(2):
            ledger.inspect("adult", release="published", what="inspection")
        ledger.inspect("adult", what="comparison")
    shown = run("show").output
    row = next(line for line in shown.splitlines() if "epsilon 2" in line)
    assert [cell.strip() for cell in row.split("│")][-4:-1] == ["1", "3", "0"]
    assert "adult: published looked at without noise 2 times" in shown
    assert "adult: its records, without a release, looked at without noise once" in shown


def test_a_refund_gives_back_what_was_reserved(run, granted, path):
    with Ledger(path) as ledger:
        ledger.reserve("r", "adult", PureDP(1), plan=PLAN, protects=ABOUT)
    assert "adult got epsilon 1 back" in run("refund", "r", "--reason", "by hand").output
    with Ledger(path) as ledger:
        assert ledger.balance("adult").spent == Charge()


def test_the_head_is_printed_and_a_kept_head_is_checked(run, granted, path):
    first = run("verify").output
    with Ledger(path) as ledger:
        head, key = ledger.head, ledger.fingerprint_key.hex()
    assert f"head: {head}" in first
    assert "keep it elsewhere" in first
    assert "holds the head you kept" in run("verify", "--head", head).output
    refusal = run("verify", "--head", "0" * 64).exception
    assert isinstance(refusal, LedgerError)
    assert "holds the heads you kept" in run("verify", "--head", head, "--head", head).output
    for one, other in (("0" * 64, head), (head, "0" * 64)):
        refusal = run("verify", "--head", one, "--head", other).exception
        assert isinstance(refusal, LedgerError), "one of several was forgotten"
    assert key not in first + run("show").output


def test_what_an_account_protects_is_shown_and_can_be_said_for_an_older_one(run, path):
    connection = sqlite3.connect(path)
    connection.executescript((OLDER / "ledger_format_2.sql").read_text("utf-8"))
    connection.close()
    with Ledger(path) as ledger, pytest.raises(BudgetError) as told:
        ledger.reserve("new", "adult", PureDP("0.5"), plan=PLAN, protects=ABOUT)
    command = shlex.split(re.search(r"`sfumato ledger (.*?) --reason …`", str(told.value))[1])
    assert run(*command, "--reason", "tables only").exit_code == 0
    assert f"adult: its budget protects {ABOUT}" in run("show").output
    with Ledger(path) as ledger:
        ledger.reserve("new", "adult", PureDP("0.5"), plan=PLAN, protects=ABOUT)


def test_a_part_of_a_series_that_stopped_is_told_to_be_gone_on_with(run, granted, path):
    with Ledger(path) as ledger:
        ledger.reserve("series", "adult", PureDP(1), plan=PLAN, protects=ABOUT)
        ledger.draw("series", None)
        ledger.go_on("series", 1, plan=PLAN)
    assert "resume from the same state once more" in run("show").output


def test_a_place_that_does_not_last_is_said_when_the_ledger_is_made(run, tmp_path, monkeypatch):
    monkeypatch.setattr("sfumato.ledger.sqlite.place.MOUNTS", tmp_path / "nowhere")
    assert "warning: this system does not say" in run("create").output


def test_two_names_are_joined_on_the_record(run, granted, path):
    run("grant", "renamed", "--epsilon", "1", "--reason", "board")
    assert "are the same data" in run("same-data", "adult", "renamed", "--reason", "one").output
    with Ledger(path) as ledger:
        for release, name in (("a", "adult"), ("b", "renamed")):
            ledger.reserve(release, name, PureDP(1), plan=PLAN, protects=ABOUT)
            ledger.draw(release, b"0123456789abcdef")
        assert ledger.entry("b").state == "drawn"


def test_heuristics_can_be_allowed_without_any_budget(run, granted, path):
    assert run("grant", "adult", "--heuristic", "--reason", "internal").exit_code == 0
    with Ledger(path) as ledger:
        balance = ledger.balance("adult")
    assert (balance.heuristic, balance.granted) == (True, Charge(3_000_000))


@pytest.mark.parametrize(
    ("arguments", "refusal", "message"),
    [
        (("grant", "adult", "--reason", "board"), ParameterError, "a budget is needed"),
        (("grant", "adult", "--epsilon", "-1", "--reason", "board"), ParameterError, "epsilon"),
        (("refund", "unheard", "--reason", "by hand"), LedgerError, "not in the ledger"),
        (("show", "--dataset", "clinic"), BudgetError, "'clinic' has no budget"),
        (("create",), LedgerError, "never replaces a file"),
    ],
)
def test_a_refusal_is_left_to_the_main_command(run, granted, arguments, refusal, message):
    result = run(*arguments)
    assert isinstance(result.exception, refusal)
    assert message in str(result.exception)


def test_a_missing_ledger_is_refused_with_the_command_that_makes_it(run):
    result = run("grant", "adult", "--epsilon", "1", "--reason", "board")
    assert "sfumato ledger create" in str(result.exception)


def test_every_command_shows_an_example(run):
    commands = [command.name or command.callback.__name__ for command in app.registered_commands]
    assert set(commands) >= {
        *("create", "create-dataset", "grant", "request", "requests", "approve", "decline"),
        *(
            "show",
            "log",
            "export",
            "verify",
            "sign",
            "refund",
            "protects",
            "same-data",
            "move",
            "new-key",
        ),
    }
    for command in commands:
        assert f"sfumato ledger {command}" in " ".join(run(command, "--help").output.split())


def test_importing_the_command_brings_in_nothing_heavy():
    probe = "import sys, sfumato.cli.ledger; print('sqlite3' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_delta_alone_is_added_to_what_was_granted_before(run, granted, path):
    added = run("grant", "adult", "--delta", "1e-9", "--reason", "x")
    assert "epsilon 3, delta 1e-9 left" in added.output
    with Ledger(path) as ledger:
        assert ledger.balance("adult").granted == Charge(3_000_000, 1000)
        ledger.verify()
    for wrong in ("0", "1", "1e-13", "-1", "x"):
        refused = run("grant", "adult", "--delta", wrong, "--reason", "x")
        assert isinstance(refused.exception, ParameterError)
