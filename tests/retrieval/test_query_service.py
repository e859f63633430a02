"""The service as it runs: real processes, real sockets, kills, crowds, and refusals."""

import http.client
import importlib
import json
import os
import signal
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest

from query_world import COUNTS, LENGTH, desk, funded, question, raw, running, spent, stored
from sfumato.errors import BudgetError, LedgerError, MissingExtra, ParameterError, Refused
from sfumato.ledger import Ledger
from sfumato.retrieval.client import Facts, Prepared, QueryClient
from sfumato.retrieval.protocol import Question, largest_message
from sfumato.retrieval.service import listening


@pytest.fixture
def folder(tmp_path):
    return funded(tmp_path)


@pytest.fixture(scope="module")
def idle(tmp_path_factory):
    """A service that is only asked what it must refuse."""
    place = funded(tmp_path_factory.mktemp("idle"))
    with running(place) as (url, _):
        yield url
    assert spent(place) == 0


def sent(url, asked):
    with QueryClient(url) as client:
        return client.send(asked)


@pytest.mark.slow
def test_a_question_is_answered_near_the_truth_and_charged_once(folder):
    with running(folder, "replace-one") as (url, process), QueryClient(url) as client:
        facts, keys = client.facts(), client.keys()
        assert (facts.answering.length, facts.answers_left) == (LENGTH, 100)
        assert facts.records == int(COUNTS.values.sum())
        query = keys.chosen(["k10", "k20"])
        reply = client.ask(query, epsilon=2, confidence=1 - 1e-6)
        assert abs(reply.value - 90) <= reply.radius
        asked = Prepared.of(query, 2, compress=True)
        assert client.send(asked) == client.send(asked)
        assert client.facts().answers_left == 98
        process.send_signal(signal.SIGINT)
        said, complaints = process.communicate(timeout=60)
        assert ("stopped" in said, process.returncode, complaints) == (True, 0, "")
    assert (spent(folder), stored(folder)) == (20_000, 2)
    with Ledger(folder / "budget.db") as ledger:
        assert not ledger.unfinished()


@pytest.mark.slow
def test_a_repeated_id_gets_the_same_answer_even_from_the_next_process(folder):
    asked = Prepared.of(np.ones(LENGTH), 1)
    with running(folder) as (url, _):
        first = sent(url, asked)
    with running(folder) as (url, _):
        assert sent(url, asked) == first
        other = Question(asked.question.id, "query", np.zeros(LENGTH)).to_bytes()
        changed = Prepared(asked.query, asked.promise, asked.question, other)
        with pytest.raises(ParameterError, match="used for another question"):
            sent(url, changed)
    assert spent(folder) == 10_000


@pytest.mark.slow
def test_eight_clients_at_once_never_spend_more_than_was_granted(folder):
    """160 questions, each sent twice, for a budget of 100."""

    def crowd(_):
        given, refused = {}, []
        with QueryClient(url) as client:
            for _ in range(20):
                asked = Prepared.of(np.ones(LENGTH), 1)
                try:
                    given[asked.question.id] = client.send(asked)
                    assert client.send(asked) == given[asked.question.id]
                except BudgetError as error:
                    refused.append(str(error))
        return given, refused

    with running(folder) as (url, _), ThreadPoolExecutor(8) as pool:
        found, refusals = zip(*pool.map(crowd, range(8)), strict=True)
        with QueryClient(url) as client:
            assert client.facts().answers_left == 0
    assert {line[:42] for lines in refusals for line in lines} == {
        "the privacy budget of this data is spent: "
    }
    answered = {name: value for given in found for name, value in given.items()}
    assert len(answered) == 100 == stored(folder)
    assert spent(folder) == 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize("after", [3, 29])
def test_a_kill_wastes_budget_and_never_creates_any(folder, after):
    """SIGKILL while eight clients ask; then the same ids are asked again of a new process."""
    asked = [Prepared.of(np.ones(LENGTH), 1) for _ in range(60)]
    answers = {}

    def crowd(some):
        with QueryClient(url, attempts=1) as client, suppress(Refused):
            for one in some:
                answers[one.question.id] = client.send(one)

    with running(folder) as (url, process), ThreadPoolExecutor(8) as pool:
        work = [pool.submit(crowd, asked[k::8]) for k in range(8)]
        while len(answers) < after:
            time.sleep(0.001)
        os.kill(process.pid, signal.SIGKILL)
        for one in work:
            one.result()
    before = stored(folder)
    assert after <= len(answers) <= before
    assert spent(folder) >= before * 10_000
    with running(folder) as (url, _), QueryClient(url) as client:
        again = {one.question.id: client.send(one) for one in asked}
    assert answers.items() <= again.items()
    assert stored(folder) == 60
    assert 600_000 <= spent(folder) <= 600_000 + 8 * 10_000


def test_who_asks_again_while_answers_cannot_be_kept_is_not_charged_again(folder, monkeypatch):
    def fails(*_):
        raise LedgerError("the disk is full")

    with desk(folder) as ours:
        monkeypatch.setattr(ours._store, "add", fails)
        for name in ("question-1", "question-1", "question-2", "question-1"):
            with pytest.raises(LedgerError, match="the disk is full"):
                ours.answer([question(name)])
            with pytest.raises(LedgerError, match="the disk is full"):
                ours.settle()  # of an answer that is not kept nothing is told to the ledger
        monkeypatch.undo()
        [given] = ours.answer([question("question-1")])
        assert ours.answer([question("question-1")]) == [given]
    assert (spent(folder), stored(folder)) == (10_000, 1)


def test_questions_that_do_not_fit_are_refused_and_cost_nothing(idle):
    kind, packed = "application/json", "application/octet-stream"
    short = json.dumps({"id": "question-1", "query": [1, 2, 3]}).encode()
    whole = question("question-1").to_bytes()
    told = [
        (400, short, kind, "must have 64 numbers, one for each key, got 3"),
        (400, b"{", kind, "cannot be read"),
        (400, b"[" * 2000, kind, "cannot be read"),
        (400, b"[1, 2]", kind, "has an id and either"),
        (400, b'{"id": "question-1", "other": 1}', kind, "has an id and either"),
        (400, question("question-1", np.full(64, np.nan)).to_json(), kind, "finite"),
        (400, question("question-1", np.full(64, 1e300)).to_json(), kind, "2**53"),
        (400, b'{"id": "a b", "query": [%s]}' % b",".join([b"1"] * 64), kind, "id must"),
        (400, b'{"id": "question-1", "query": 7}', kind, "list of numbers"),
        (400, b'{"id": "question-1", "query": [%s]}' % b",".join([b'"1"'] * 64), kind, "numbers"),
        (400, b'{"id": "question-1", "query": [%s]}' % b",".join([b"[]"] * 64), kind, "numbers"),
        (
            400,
            b'{"id": "question-1", "query": [%s]}' % b",".join([b"9" * 400, *[b"1"] * 63]),
            kind,
            "a number that is too large",
        ),
        (400, whole[:-1], packed, "damaged"),
        (400, b"SFQ1", packed, "damaged"),
        (400, b"SFQ1\x10\x08question" + b"\xff" * 8, packed, "must have 64 numbers"),
        (400, b"SFQ1\x10\x08question\x40\0\0\0" + b"\xff" * 8, packed, "damaged"),
        (413, b" " * (largest_message(LENGTH) + 1), kind, "at most"),
        (415, whole, "text/plain", "send a question as"),
    ]
    for status, body, sort, reason in told:
        found, said = raw(idle, "POST", "/answer", body, Content_Type=sort)
        assert (found, reason in said["error"]) == (status, True), said
    assert raw(idle, "GET", "/answer")[0] == 405
    assert raw(idle, "GET", "/elsewhere")[0] == 404
    assert raw(idle, "GET", "/facts", Host="example.org")[0] == 400
    with QueryClient(idle) as client, pytest.raises(ParameterError, match="64 numbers"):
        client.ask(np.ones(63), epsilon=1)


def test_a_message_is_cut_off_where_it_is_too_long_even_without_a_stated_length(idle):
    place = idle.removeprefix("http://").split(":")
    with socket.create_connection((place[0], int(place[1])), timeout=60) as line:
        line.sendall(
            b"POST /answer HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
            b"Content-Type: application/json\r\n\r\n"
        )
        for _ in range(3):
            line.sendall(b"1000\r\n" + b" " * 4096 + b"\r\n")
        assert b"413" in line.recv(4096).split(b"\r\n")[0]


def test_no_page_of_another_origin_may_read_or_ask(idle):
    place = idle.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(place[0], int(place[1]), timeout=60)
    for verb in ("OPTIONS", "POST"):
        connection.request(verb, "/answer", b"x", {"Origin": "http://example.org"})
        reply = connection.getresponse()
        reply.read()
        assert reply.status in (405, 415)
        assert reply.getheader("Access-Control-Allow-Origin") is None
    connection.close()


def test_without_the_extra_the_service_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.setattr("sfumato.retrieval.service", None)  # whatever is imported meanwhile
    monkeypatch.delitem(sys.modules, "sfumato.retrieval.service")
    with pytest.raises(MissingExtra, match=r"pip install 'sfumato\[service\]'"):
        importlib.import_module("sfumato.retrieval.service")


@pytest.mark.slow
def test_the_client_says_what_is_wrong_with_the_address():
    with listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ParameterError, match="cannot be used: Address already in use"):
            listening("127.0.0.1", port)
    with pytest.raises(Refused, match="check the address"):
        QueryClient(f"http://127.0.0.1:{port}", attempts=2).facts()
    for url in ("ftp://host", "http://", "http://host:many", "release/"):
        with pytest.raises(ParameterError, match="url must be"):
            QueryClient(url)
    with pytest.raises(ParameterError, match="port must be"):
        listening("127.0.0.1", 70_000)
    with pytest.raises(Refused, match="not that of a Sfumato count service"):
        Facts.from_json({"length": 3})
