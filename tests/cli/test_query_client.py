"""`sfumato query client`, and a service with clients: what a person types and what comes back."""

import inspect
import re
import signal
import stat
import time
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from cli.test_query_command import serving
from sfumato.cli.query import app
from sfumato.cli.query_serve import serve
from sfumato.errors import BudgetError, LedgerError, ParameterError, Refused
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.retrieval.bearer import checked_token, token_digest
from sfumato.retrieval.service import Limits


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.csv"
    path.write_text("key,count\n" + "".join(f"w{k:02},{k * 1000}\n" for k in range(40)))
    return path


@pytest.fixture
def ledger(tmp_path):
    path = tmp_path / "budget.db"
    with Ledger.create(path) as made:
        made.grant("words", PureDP(5), reason="a test")
    return path


@pytest.fixture
def run(wide, monkeypatch):
    """A command in this process: what it printed, or its refusal as it was raised."""
    monkeypatch.delenv("SFUMATO_QUERY_TOKEN", raising=False)

    def command(*texts):
        whole = typer.Typer()
        whole.add_typer(app, name="query")
        found = CliRunner().invoke(whole, ["query", *map(str, texts)])
        if found.exception and not isinstance(found.exception, SystemExit):
            raise found.exception
        assert found.exit_code == 0, found.output
        return found

    return command


def test_a_token_is_shown_once_and_the_ledger_has_its_hash_alone(run, ledger):
    where = ("--ledger", ledger, "--dataset", "words")
    found = run("client", "add", "anna", *where, "--epsilon", "0.5")
    token = checked_token(found.stdout)
    assert found.stdout == f"{token}\n"  # alone, so that it can be handed on
    assert "anna may use epsilon 0.5 of words, which has epsilon 5 left" in found.stderr
    assert token not in run("client", "list", *where).output
    with Ledger(ledger) as opened:
        [client] = opened.clients("words")
        assert client.token == token_digest(token)
    for file in ledger.parent.iterdir():
        assert token.encode() not in file.read_bytes()
    again = run("client", "add", "anna", *where, "--epsilon", "0.25")
    assert "anna may use epsilon 0.75" in again.stderr
    assert again.stdout != found.stdout


def test_a_token_may_go_to_a_file_of_ones_own(run, ledger, tmp_path):
    where = ("--ledger", ledger, "--dataset", "words", "--epsilon", "0.5")
    found = run("client", "add", "anna", *where, "--token-file", tmp_path / "token")
    token = checked_token((tmp_path / "token").read_text())
    assert token not in found.output
    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600
    with pytest.raises(ParameterError, match="name a file that is not there"):
        run("client", "add", "bob", *where, "--token-file", tmp_path / "token")
    with pytest.raises(ParameterError, match="epsilon must be"):
        run("client", "add", "bob", *where[:-1], "0", "--token-file", tmp_path / "none")
    assert not (tmp_path / "none").exists()
    with Ledger(ledger) as opened:
        assert [client.name for client in opened.clients("words")] == ["anna"]


def test_clients_are_listed_and_revoked(run, ledger):
    where = ("--ledger", ledger, "--dataset", "words")
    assert "words has no clients" in run("client", "list", *where).output
    for name in ("anna", "bob.smith@example.org"):
        run("client", "add", name, *where, "--epsilon", "0.5")
    run("client", "revoke", "anna", *where, "--reason", "left")
    lines = run("client", "list", *where).output.splitlines()
    assert [line.split("│")[5].strip() for line in lines if "epsilon 0.5" in line] == [
        "revoked",
        "active",
    ]


def test_what_cannot_be_is_refused_with_its_remedy(run, ledger, tmp_path):
    where = ("--ledger", ledger, "--dataset", "words")
    for name in ("", "a b", "-x", "a/b", "x" * 65, "\x1b[2J", "ü"):
        with pytest.raises((ParameterError, AssertionError), match=r"NAME must be|No such option"):
            run("client", "add", name, *where, "--epsilon", "0.5")
    with pytest.raises(BudgetError, match="has no client 'bob'"):
        run("client", "revoke", "bob", *where, "--reason", "left")
    for texts in (("add", "bob", "--epsilon", "1"), ("list",)):
        with pytest.raises(BudgetError, match="'other' has no budget"):
            run("client", *texts, "--ledger", ledger, "--dataset", "other")
    with pytest.raises(LedgerError, match="there is no ledger"):
        run("client", "list", "--ledger", tmp_path / "none.db", "--dataset", "words")


def test_a_service_is_not_started_where_others_could_ask_without_a_token(run, words, ledger):
    start = ("serve", words, "--epsilon-per-answer", "0.25", "--ledger", ledger, "--port", 0)
    where = ("--ledger", ledger, "--dataset", "words")
    with pytest.raises(ParameterError, match="no client has a token: name who may ask"):
        run(*start, "--host", "0.0.0.0")
    with pytest.raises(ParameterError, match="no client has a token"):
        run(*start, "--behind-proxy")
    run("client", "add", "anna", *where, "--epsilon", "0.5")
    with pytest.raises(ParameterError, match="give --tls-cert and --tls-key"):
        run(*start, "--host", "0.0.0.0")
    with pytest.raises(ParameterError, match="past the proxy"):
        run(*start, "--host", "0.0.0.0", "--behind-proxy")
    with pytest.raises(ParameterError, match="add --behind-proxy"):
        run(*start, "--socket", ledger.with_name("s"))
    with pytest.raises(ParameterError, match="--tls-cert and --tls-key go together"):
        run(*start, "--tls-cert", words)
    with pytest.raises(ParameterError, match="rate must be above 0"):
        run(*start, "--rate", 0)
    run("client", "revoke", "anna", *where, "--reason", "left")
    with pytest.raises(ParameterError, match="no client has a token"):
        run(*start, "--behind-proxy")


@pytest.mark.slow
def test_a_client_asks_with_its_token_until_its_part_is_spent(
    run, words, ledger, tmp_path, monkeypatch
):
    where = ("--ledger", ledger, "--dataset", "words")
    run("client", "add", "anna", *where, "--epsilon", "0.5", "--token-file", tmp_path / "anna")
    run("client", "add", "bob", *where, "--epsilon", "0.5", "--token-file", tmp_path / "bob")
    log = tmp_path / "requests.log"
    with serving(words, ledger, "--log", log) as (url, _, process):
        asked = ("ask", url, "--keys", "w10", "--epsilon", 1)
        with pytest.raises(Refused, match="a token is needed"):
            run(*asked)
        with pytest.raises(ParameterError, match=r"token file .*words.csv holds no token"):
            run(*asked, "--token-file", words)
        assert (
            "sent: your question under noise"
            in run(*asked, "--token-file", tmp_path / "anna").output
        )
        monkeypatch.setenv("SFUMATO_QUERY_TOKEN", (tmp_path / "anna").read_text())
        run(*asked)
        with pytest.raises(BudgetError, match="the budget of client 'anna' is spent"):
            run(*asked)
        run(*asked, "--token-file", tmp_path / "bob")
        run("client", "revoke", "bob", *where, "--reason", "left")
        time.sleep(1.1)
        with pytest.raises(Refused, match="a token is needed"):
            run(*asked, "--token-file", tmp_path / "bob")
        monkeypatch.setenv("SFUMATO_QUERY_TOKEN", "secret-word")
        with pytest.raises(ParameterError, match="SFUMATO_QUERY_TOKEN holds no token") as found:
            run(*asked)
        assert "secret-word" not in str(found.value)
        process.send_signal(signal.SIGTERM)
        rest, complaints = process.communicate(timeout=60)
        assert "stopped: 3 answers given" in rest
        assert (complaints, process.returncode) == ("", 0)
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_release_folder_needs_no_token(run, words, tmp_path):
    run("publish", words, "--epsilon", 1, "-o", tmp_path / "r")
    with pytest.raises(ParameterError, match="leave out --epsilon, --compress, --token-file"):
        run("ask", tmp_path / "r", "--keys", "w01", "--token-file", words)


def test_the_flags_of_the_limits_have_the_limits_of_the_library_and_of_the_guide():
    flags = {name: flag.default for name, flag in inspect.signature(serve).parameters.items()}
    usual = Limits()
    assert {name: flags[name] for name in Limits.__slots__} == {
        name: getattr(usual, name) for name in Limits.__slots__
    }
    page = (Path(__file__).parents[2] / "docs" / "guide" / "queries.md").read_text("utf-8")
    told = dict(re.findall(r"^\| `--([a-z-]+)` \| (\d+) \|", page, flags=re.M))
    assert told == {name.replace("_", "-"): f"{flags[name]:g}" for name in Limits.__slots__}
