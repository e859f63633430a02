"""Messages as no honest client sends them: refused, and the service goes on without a traceback."""

import asyncio
import json
import socket
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

from query_world import LENGTH, desk, funded, running, spent
from sfumato.errors import ParameterError, Refused
from sfumato.retrieval.client import Facts, QueryClient
from sfumato.retrieval.protocol import Question
from sfumato.retrieval.service import application

BODY = json.dumps({"id": "abcdefgh", "query": [1] * LENGTH}).encode()
LENGTHS = ["²", "٣", "-5", "+5", "1e3", "9" * 5000, "0x10", " 12", "12,12", ""]


def asked(app, headers, messages):
    """The status and content of one POST to /answer, spoken to without a socket."""
    sent, waiting = [], list(messages)
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "path": "/answer",
        "raw_path": b"/answer",
        "query_string": b"",
        "scheme": "http",
        "headers": [(name.encode(), value.encode("utf-8")) for name, value in headers],
    }

    async def receive():
        return waiting.pop(0)

    async def send(message):
        sent.append(message)

    async def through():
        async with app.router.lifespan_context(app):
            await app(scope, receive, send)

    # In a thread of its own: a browser that another test has open keeps a loop in this one.
    with ThreadPoolExecutor(1) as own:
        own.submit(asyncio.run, through()).result()
    return sent[0]["status"], json.loads(sent[1]["body"])


def post(folder, *more, messages=({"type": "http.request", "body": BODY},)):
    headers = [("host", "localhost"), ("content-type", "application/json"), *more]
    with desk(folder) as made:
        return asked(application(made), headers, messages)


def test_an_honest_question_is_answered_over_the_same_wires(tmp_path):
    """The control: what is refused below is refused for its length alone."""
    status, found = post(funded(tmp_path), ("content-length", str(len(BODY))))
    assert (status, found["id"]) == (200, "abcdefgh")


@pytest.mark.parametrize("length", LENGTHS, ids=lambda text: text[:8] or "nothing")
def test_a_length_that_is_no_number_is_refused(tmp_path, length):
    status, found = post(funded(tmp_path), ("content-length", length))
    assert status == 413
    assert "at most" in found["error"]
    assert spent(tmp_path) == 0


def test_a_client_that_goes_away_in_the_middle_costs_nothing(tmp_path):
    begun = {"type": "http.request", "body": BODY[:50], "more_body": True}
    status, _ = post(funded(tmp_path), messages=(begun, {"type": "http.disconnect"}))
    assert status == 400
    assert spent(tmp_path) == 0


@pytest.mark.parametrize(
    "query",
    [
        "[" * 5000,
        "[" + ",".join(["NaN"] * LENGTH) + "]",
        "[" + ",".join(["1e999"] * LENGTH) + "]",
        "[" + ",".join(["9" * 400] * LENGTH) + "]",
        "[" + ",".join(["true"] * LENGTH) + "]",
        '[1], "query": [2]',
    ],
    ids=["deep", "no numbers", "infinite", "digits", "truths", "twice"],
)
def test_a_question_of_other_things_is_refused(query):
    with pytest.raises(ParameterError):
        Question.from_json(f'{{"id": "abcdefgh", "query": {query}}}'.encode(), LENGTH)


@pytest.mark.slow
def test_torn_and_odd_requests_leave_the_service_as_it_was(tmp_path):
    head = "POST /answer HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    odd = [
        head + "Content-Length: ²\r\n\r\n{}",
        head + "Content-Length: -1\r\n\r\n{}",
        head + f"Content-Length: {'9' * 300}\r\n\r\n",
        head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        head + "Content-Length: 1000\r\n\r\n{",  # and goes away
        head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        head + 'Transfer-Encoding: chunked\r\n\r\n5\r\n{"id\r\n',  # and goes away
        head.replace("Host: localhost\r\n", "") + "Content-Length: 2\r\n\r\n{}",
        head + f"X: {'y' * 100_000}\r\n\r\n",
        "GET /facts\r\n\r\n",
        "\0\x1b[2J\r\n\r\n",
    ]
    with running(funded(tmp_path)) as (url, process):
        place = urlsplit(url)
        for text in odd:
            with socket.create_connection((place.hostname, place.port), timeout=60) as wire:
                wire.sendall(text.encode())
        with QueryClient(url) as client:
            assert client.facts().answers_left == 100
        process.terminate()
        _, said = process.communicate(timeout=60)
    assert "Traceback" not in said
    assert not [line for line in said.splitlines() if not line.isprintable()]


FACTS = {
    "dataset": "words",
    "length": LENGTH,
    "neighbours": "add-remove",
    "epsilon_per_answer": "1/100",
    "records": None,
    "answers_left": 3,
}


def test_facts_are_read():
    assert Facts.from_json(FACTS).answers_left == 3


WRONG = ["x", [], {}, -1, 0.5, True]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("length", [*WRONG, 1, 10**9]),
        ("neighbours", [*WRONG, None]),
        ("epsilon_per_answer", ["x", [], {}, -1, "1/0", True, None, "nan"]),
        ("records", WRONG),
        ("answers_left", ["x", [], {}, 0.5, True, None]),
    ],
)
def test_a_service_that_says_something_else_of_itself_is_refused(name, values):
    for value in values:
        with pytest.raises(Refused):
            Facts.from_json({**FACTS, name: value})
    with pytest.raises(Refused):
        Facts.from_json({key: fact for key, fact in FACTS.items() if key != name})


@pytest.mark.parametrize(
    "url",
    ["http://[", "http://", "ftp://x", "http://x:99999", "http://x:²", f"http://{'a' * 70}.b",
     "http://x/é", "http://\x1b[2J\x00"],
)  # fmt: skip
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(Refused):
        QueryClient(url, attempts=1).facts()
