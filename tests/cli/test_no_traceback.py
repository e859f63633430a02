"""Requests that once ended in a traceback: each is refused with what, where and a remedy."""

import inspect
import json

import pyarrow.csv as pacsv
import pytest

from received.readers import run
from sfumato.cli.method_options import method_options
from sfumato.errors import ParameterError
from sfumato.example import CLINIC, clinic
from sfumato.publishing.network import publish_network
from sfumato.publishing.stream import publish_stream
from sfumato.publishing.table import publish


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("asked")
    (place / "c.yaml").write_text(CLINIC)
    pacsv.write_csv(clinic(50), place / "c.csv")
    (place / "e.csv").write_text("source,target,weight\na,b,1\nb,c,2\n")
    (place / "a.csv").write_text("source,target,weight\na,b,1\n")
    (place / "k.csv").write_text("key,count\na,1\nb,2\n")
    (place / "b.txt").write_text("01" * 20)
    return place


PUBLISHING = {
    "publish {0}/c.csv --schema {0}/c.yaml --epsilon 1 --yes -o {0}/r": publish,
    "graph publish {0}/e.csv --undirected --epsilon 1 --option high=9 -o {0}/r": publish_network,
    "stream count {0}/b.txt --horizon 40 --epsilon 1 -o {0}/r": publish_stream,
}
TAKEN = [
    (command, name)
    for command, called in PUBLISHING.items()
    for name, item in inspect.signature(called).parameters.items()
    if item.kind != item.VAR_KEYWORD
]


def asked(words, place, monkeypatch, capsys):
    return run([word.format(place) for word in words.split()], monkeypatch, capsys)


@pytest.mark.parametrize(("command", "name"), TAKEN)
def test_an_option_never_takes_the_place_of_a_parameter(command, name, place, monkeypatch, capsys):
    code, said = asked(f"{command} --option {name}=7", place, monkeypatch, capsys)
    assert code == 1
    assert f"refused: {name} is not an option of a method" in said
    assert not (place / "r").exists()


@pytest.mark.parametrize("name", ["seed", "schema", "runs", "progress", "confidence", "method"])
def test_nor_in_an_audit(name, place, monkeypatch, capsys):
    words = f"audit modips --epsilon 1 --runs 40 --option {name}=7"
    code, said = asked(words, place, monkeypatch, capsys)
    assert (code, "is not an option of a method" in said) == (1, True)


def test_an_option_given_twice_is_refused():
    for texts, flags in ((["rank=1", "rank=2"], {}), (["model=forest"], {"model": "latent"})):
        with pytest.raises(ParameterError, match="given twice"):
            method_options(texts, publish, **flags)


LONG = "n" * 300
NAMED = [
    "publish {0}/c.csv --schema {0}/c.yaml --epsilon 1 --yes -o {0}/" + LONG,
    "publish {0}/" + LONG + ".csv --schema {0}/c.yaml --epsilon 1 --yes -o {0}/r",
    "publish {0}/c.csv --schema {0}/" + LONG + " --epsilon 1 --yes -o {0}/r",
    "graph publish {0}/e.csv --undirected --epsilon 1 --option high=9 -o {0}/" + LONG,
    "graph publish {0}/e.csv --undirected --epsilon 1 --option high=9 --name " + LONG + " -o {0}/r",
    "graph compare {0}/e.csv {0}/" + LONG,
    "graph share {0}/a.csv --party a --undirected -o {0}/" + LONG + ".csv",
    "graph merge {0}/" + LONG + ".csv -o {0}/r.csv",
    "stream count {0}/b.txt --horizon 40 --epsilon 1 -o {0}/" + LONG,
    "stream count {0}/" + LONG + " --horizon 40 --epsilon 1 -o {0}/r",
    "query publish {0}/k.csv --epsilon 1 -o {0}/" + LONG,
    "query publish {0}/k.csv --epsilon 1 --ledger {0}/" + LONG + " -o {0}/r",
    "query ask {0}/" + LONG + " --keys a",
    "query serve {0}/k.csv --epsilon-per-answer 1 --ledger {0}/" + LONG,
    "verify {0}/" + LONG,
    "report {0}/" + LONG,
    "accuracy {0}/" + LONG,
    "inspect {0}/" + LONG + " --original {0}/c.csv",
    "compare {0}/c.csv --schema {0}/c.yaml --epsilon 1 -o {0}/" + LONG,
    "audit modips --epsilon 1 --runs 40 --picture {0}/" + LONG + ".svg",
    "schema check {0}/" + LONG,
    "schema suggest {0}/" + LONG,
    "schema draft {0}/" + LONG + ".csv",
    "schema draft {0}/c.csv -o {0}/" + LONG,
    "ledger create --ledger {0}/" + LONG,
    "ledger create --ledger {0}/" + "n" * 250,
    "ledger show --ledger {0}/" + LONG,
    "doctor --ledger {0}/" + LONG,
    "demo -o {0}/" + LONG,
]


@pytest.mark.slow
@pytest.mark.parametrize("command", NAMED)
def test_a_name_that_is_too_long_is_refused_by_its_place(command, place, monkeypatch, capsys):
    code, said = asked(command, place, monkeypatch, capsys)
    assert code == 1, said
    assert "internal error" not in said
    assert "nnnn" in said or "name must be" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("audit modips --epsilon 1e12 --runs 40", "epsilon must be at most 100 in an audit"),
        ("audit modips --epsilon 1e400 --runs 40", "epsilon must be at most 100 in an audit"),
        ("audit --controls --epsilon 1e12 --runs 40", "epsilon must be at most 100 in an audit"),
        ("audit modips --rho 1e300 --runs 40", "rho must be at most 100 in an audit"),
        ("audit modips --epsilon nan --runs 40", "epsilon must be a number above 0"),
    ],
)
def test_a_claim_beyond_all_promises_is_refused(words, said, place, monkeypatch, capsys):
    code, told = asked(words, place, monkeypatch, capsys)
    assert (code, said in told) == (1, True)


@pytest.mark.slow
def test_a_large_claim_is_audited(place, monkeypatch, capsys):
    code, told = asked("audit modips --epsilon 100 --runs 40", place, monkeypatch, capsys)
    assert "verdict" in told
    assert code == 0


def test_an_unforeseen_error_is_one_line_without_its_text(monkeypatch, capsys):
    def fails(*_, **__):
        json.loads("{'a record of the data'")

    monkeypatch.setattr("sfumato.cli.application.app", fails)
    code, said = run(["verify", "x"], monkeypatch, capsys)
    assert code == 1
    assert said.startswith("internal error: JSONDecodeError")
    assert len(said.splitlines()) == 1
    assert "record of the data" not in said
    assert "Traceback" not in said


def test_memory_that_runs_out_is_told(monkeypatch, capsys):
    def fails(*_, **__):
        raise MemoryError

    monkeypatch.setattr("sfumato.cli.application.app", fails)
    code, said = run(["verify", "x"], monkeypatch, capsys)
    assert (code, said.startswith("stopped: ")) == (1, True)
