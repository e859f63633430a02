"""`sfumato query`: what a person types and what comes back."""

import json
import re
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest
import typer
from typer.testing import CliRunner

from query_world import funded, running
from sfumato.cli.query import app
from sfumato.errors import (
    BudgetError,
    DataError,
    LedgerError,
    ParameterError,
    Refused,
    ReleaseError,
)
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.publishing.verify import verify
from sfumato.retrieval.count_plan import METHOD, planned
from sfumato.retrieval.service import listening

MAIN = "import sys; from sfumato.cli.query import app; app(sys.argv[1:], standalone_mode=False)"


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.csv"
    lines = [f"w{k:02},{k * 1000}" for k in range(40)]
    path.write_text("\n".join(["key,count", *lines]) + "\n")
    return path


@pytest.fixture
def ledger(tmp_path):
    path = tmp_path / "budget.db"
    with Ledger.create(path) as made:
        made.grant("words", PureDP(1), reason="a test")
    return path


@pytest.fixture
def run(wide):
    """A command in this process: what it printed, or its refusal as it was raised."""

    def command(*texts):
        whole = typer.Typer()
        whole.add_typer(app, name="query")
        found = CliRunner().invoke(whole, ["query", *map(str, texts)])
        if found.exception and not isinstance(found.exception, SystemExit):
            raise found.exception
        assert found.exit_code == 0, found.output
        return found.output

    return command


def first_number(said):
    return float(said.split()[0].replace(",", ""))


@pytest.mark.parametrize("way", [(), ("--wavelet",), ("--both", "--share", "1/4")])
def test_counts_are_published_and_asked_at_home(run, words, tmp_path, way):
    run("publish", words, "--epsilon", 1, *way, "-o", tmp_path / "r")
    assert all(check.passed for check in verify(tmp_path / "r"))
    said = run("ask", tmp_path / "r", "--keys", "w10,w20", "--confidence", 0.999999)
    value, low, high = (
        float(found.replace(",", "")) for found in re.findall(r"-?[\d,.]+", said)[:3]
    )
    assert low <= 30_000 <= high
    assert low < value < high
    said = run("ask", tmp_path / "r", "--from", "w01", "--to", "w39")
    assert first_number(said) == pytest.approx(780_000, abs=2_000)


def test_a_ledger_is_charged_once_for_the_same_folder(run, words, ledger, tmp_path):
    asked = ("publish", words, "--rho", "0.1", "--neighbours", "replace-one")
    with pytest.raises(BudgetError, match=r"rho 0\.1"):
        run(*asked, "--ledger", ledger, "-o", tmp_path / "r")
    asked = ("publish", words, "--epsilon", 1, "--ledger", ledger, "-o", tmp_path / "r")
    run(*asked)
    assert "nothing was drawn or charged again" in run(*asked)
    with pytest.raises(BudgetError, match="epsilon 0 left"):
        run(*asked[:-1], tmp_path / "other")


@pytest.mark.parametrize(
    ("limit", "rule"),
    [
        (("--connections", 10**26), "connections must be above 0 and at most"),
        (("--connections", 10**9), "connections must be at most .*ulimit"),
        (("--held-megabytes", 10**9), "held_megabytes must be above 0 and at most"),
    ],
)
def test_limits_are_looked_at_before_anything_is_said(words, ledger, limit, rule):
    start = ("serve", words, "--epsilon-per-answer", "0.25", "--ledger", ledger)
    found = CliRunner().invoke(app, [*map(str, start), "--port", "0", *map(str, limit)])
    assert isinstance(found.exception, ParameterError)
    assert re.search(rule, str(found.exception))
    assert not found.output


@contextmanager
def serving(words, ledger, *more):
    start = ["serve", words, "--epsilon-per-answer", "0.25", "--ledger", ledger, "--port", 0, *more]
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *map(str, start)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said = process.stdout.readline()
        yield re.search(r"http://\S+?(?=,)", said)[0], said, process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("compress", [(), ("--compress",)])
def test_an_answer_without_an_interval_says_how_far_it_may_be_off(run, tmp_path, compress):
    with running(funded(tmp_path)) as (url, _):
        answer, more, _ = run("ask", url, "--keys", "k10", "--epsilon", 1, *compress).splitlines()
    found = re.fullmatch(
        r"-?[\d,.]+   standard deviation ([\d,.]+), by the noise of .* alone", answer
    )
    # √v_x is 141 at ε = 0.01; 64 numbers under noise of variance 1.84 are of length 11, about.
    assert 141 * 4 < float(found[1].replace(",", "")) < 141 * 40
    assert more.startswith("it may be off by far more: your own noise ")
    assert more.endswith(" the root of the sum of all squared counts, which is not public")
    assert ("adds a standard deviation of 1.36 times" in more) == (not compress)
    assert ("what --compress left out" in more) == bool(compress)


@pytest.mark.slow
def test_a_service_answers_until_its_budget_is_spent_and_stops_cleanly(run, words, ledger):
    with serving(words, ledger, "--neighbours", "replace-one") as (url, said, process):
        assert "words: 40 counts at http://127.0.0.1:" in said
        assert "4 answers left" in said
        found = run("ask", url, "--keys", "w10,w20", "--epsilon", 1)
        assert "one keyword more or less is hidden by epsilon 1" in found
        assert "the whole question by 40 only" in found
        low, high = (
            float(text.replace(",", ""))
            for text in re.search(r"between (\S+) and (\S+)", found).groups()
        )
        assert low <= 30_000 <= high
        for _ in range(3):
            run("ask", url, "--from", "w01", "--to", "w05", "--epsilon", 2, "--compress")
        with pytest.raises(BudgetError, match="budget of this data is spent"):
            run("ask", url, "--keys", "w10", "--epsilon", 1)
        with pytest.raises(ParameterError, match="'w99' is not in the public list"):
            run("ask", url, "--keys", "w99", "--epsilon", 1)
        with pytest.raises(ParameterError, match="--epsilon is needed"):
            run("ask", url, "--keys", "w10")
        process.send_signal(signal.SIGINT)
        rest, complaints = process.communicate(timeout=60)
        assert "stopped: 4 answers given, 0 left" in rest
        assert process.returncode == 0
        told = [json.loads(line) for line in complaints.splitlines()]
        assert (told[0]["event"], told[-1]["event"]) == ("started", "stopped")
        assert [line["refusal"] for line in told if line.get("refusal")] == ["budget"]
    kept = ledger.with_name("budget.db.answers")
    assert kept.stat().st_mode & 0o777 == 0o600
    with Ledger(ledger) as account:
        assert not account.unfinished()


@pytest.mark.slow
def test_a_service_that_cannot_run_says_why(run, words, ledger, tmp_path):
    start = ("serve", words, "--epsilon-per-answer", "0.25")
    with listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ParameterError, match=f"port {port} of 127.0.0.1 cannot be used"):
            run(*start, "--ledger", ledger, "--port", port)
    with pytest.raises(LedgerError, match="there is no ledger"):
        run(*start, "--ledger", tmp_path / "none.db")
    with pytest.raises(BudgetError, match="'other' has no budget"):
        run(*start, "--ledger", ledger, "--port", 0, "--name", "other")
    with pytest.raises(ParameterError, match="epsilon must be"):
        run("serve", words, "--epsilon-per-answer", 0, "--ledger", ledger)
    with pytest.raises(Refused, match="check the address"):
        run("ask", f"http://127.0.0.1:{port}", "--keys", "a", "--epsilon", 1)


def test_what_cannot_be_asked_or_published_is_refused(run, words, tmp_path):
    run("publish", words, "--epsilon", 1, "-o", tmp_path / "r")
    refused = [
        (("ask", tmp_path / "r", "--keys", "w99"), ParameterError, "'w99' is not in the public"),
        (("ask", tmp_path / "r"), ParameterError, "either --keys a,b,c or --from"),
        (("ask", tmp_path / "r", "--keys", "w01", "--from", "w01"), ParameterError, "either"),
        (("ask", tmp_path / "r", "--from", "w09", "--to", "w01"), ParameterError, "comes after"),
        (("ask", tmp_path / "r", "--keys", "w01", "--epsilon", 1), ParameterError, "read locally"),
        (("ask", tmp_path / "r", "--keys", "w01", "--confidence", 2), ParameterError, "confidence"),
        (("ask", tmp_path / "s", "--keys", "w01"), ReleaseError, "missing or damaged"),
        (("publish", words, "-o", tmp_path / "q"), ParameterError, "a budget is needed"),
        (("publish", words, "--epsilon", 1, "-o", tmp_path / "r"), ReleaseError, "exists"),
        (
            ("publish", words, "--epsilon", 1, "--wavelet", "--both", "-o", tmp_path / "q"),
            ParameterError,
            "leave out --wavelet",
        ),
        (("publish", tmp_path / "x.csv", "--epsilon", 1, "-o", "q"), DataError, "does not exist"),
    ]
    for texts, kind, said in refused:
        with pytest.raises(kind, match=said):
            run(*texts)


def test_the_publication_of_counts_is_described_among_the_methods(pytestconfig):
    described = METHOD
    assert described.name in (pytestconfig.rootpath / "docs" / described.proof).read_text("utf-8")
    with pytest.raises(ParameterError, match="ways"):
        planned(4, PureDP(1), ways="neither")
    assert set(planned(4, PureDP(1), ways="both").options) == set(described.options)
