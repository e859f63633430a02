"""Clients with tokens: each spends its own part of the budget, and no other's answers."""

import asyncio
import http.client
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from urllib.parse import urlsplit

import numpy as np
import pytest
from starlette.requests import Request

from query_world import (
    LENGTH,
    client_spent,
    desk,
    funded,
    lines,
    named,
    question,
    raw,
    running,
    spent,
    stored,
)
from sfumato.errors import BudgetError, ParameterError, Refused
from sfumato.ledger import Ledger
from sfumato.retrieval.bearer import new_token, read_token, write_token
from sfumato.retrieval.client import Prepared, QueryClient
from sfumato.retrieval.desk import Answered, Asked
from sfumato.retrieval.protocol import Question
from sfumato.retrieval.service import Limits
from sfumato.retrieval.service.gate import Gate

BYTES = "application/octet-stream"


@pytest.fixture
def folder(tmp_path):
    return funded(tmp_path)


def ask(url, token, name, numbers=None):
    body = question(name, numbers).to_bytes()
    return raw(url, "POST", "/answer", body, token=token, Content_Type=BYTES)


def answered_by(folder):
    """How many answers each client was given."""
    with desk(folder) as ours:
        rows = ours._store._connection.execute("SELECT id FROM answer").fetchall()
    found = {}
    for (key,) in rows:
        name = key.rpartition("/")[0]
        found[name] = found.get(name, 0) + 1
    return found


def test_once_there_is_a_client_nobody_gets_anything_without_a_token(folder):
    token = named(folder, "anna")
    with running(folder) as (url, _):
        for wrong in (None, "", "x", new_token(), token[:-1], token.lower(), f"{token}x"):
            for verb, path in (("GET", "/facts"), ("GET", "/keys"), ("POST", "/answer")):
                status, said = raw(url, verb, path, token=wrong)
                assert (status, set(said)) == (401, {"error"})
        assert raw(url, "GET", "/facts", Authorization=f"Basic {token}")[0] == 401
        assert raw(url, "GET", "/health") == (200, {"status": "ok"})
        assert raw(url, "GET", "/facts", token=token)[1]["answers_left"] == 10
        assert raw(url, "GET", "/facts", Authorization=f"bearer  {token} ")[0] == 200
        assert len(raw(url, "GET", "/keys", token=token)[1]["keys"]) == LENGTH
        assert ask(url, token, "question-1")[0] == 200
    assert client_spent(folder) == {"anna": 10_000}
    assert token not in (folder / "log").read_text()


def test_without_clients_nobody_needs_a_token_and_a_client_that_is_named_changes_that(folder):
    with running(folder) as (url, _):
        assert raw(url, "GET", "/facts")[0] == 200
        token = named(folder, "anna")
        time.sleep(1.1)
        assert raw(url, "GET", "/facts")[0] == 401
        assert raw(url, "GET", "/facts", token=token)[0] == 200


def test_who_has_used_up_its_part_is_refused_while_others_go_on(folder):
    anna, bob = named(folder, "anna", 2), named(folder, "bob", 50)
    with running(folder) as (url, _):
        for k in range(2):
            assert ask(url, anna, f"question-{k}")[0] == 200
        status, said = ask(url, anna, "question-2")
        assert (status, said["error"][:37]) == (403, "the budget of client 'anna' is spent:")
        assert ask(url, bob, "question-2")[0] == 200
        assert ask(url, anna, "question-1")[0] == 200  # repeated: it costs nothing
        with QueryClient(url, token=anna) as client, pytest.raises(BudgetError, match="'anna'"):
            client.ask(np.ones(LENGTH), epsilon=1)
        assert raw(url, "GET", "/facts", token=anna)[1]["answers_left"] == 0
        named(folder, "anna", 1)  # a new token, and one answer more
        assert ask(url, anna, "question-3")[0] in (200, 401)
    assert client_spent(folder)["anna"] <= 30_000
    refusals = [line for line in lines(folder) if line.get("refusal") == "client budget"]
    assert {(line["client"], line["status"]) for line in refusals} == {("anna", 403)}


def test_the_budget_of_the_data_rules_even_if_more_was_promised_to_clients(folder):
    tokens = [named(folder, name, 80) for name in ("anna", "bob")]
    given, refusals = 0, set()
    with running(folder) as (url, _):
        for k in range(120):
            status, said = ask(url, tokens[k % 2], f"question-{k}")
            given += status == 200
            if status != 200:
                refusals.add((status, said["error"][:41]))
    assert refusals == {(403, "the privacy budget of this data is spent:")}
    assert given <= 100
    assert spent(folder) == 1_000_000 == sum(client_spent(folder).values())


def test_an_id_of_another_client_is_another_question(folder):
    """Neither the answer nor the fact that there is one is told."""
    anna, bob = named(folder, "anna"), named(folder, "bob")
    many = np.full(LENGTH, 100_000.0)
    with running(folder) as (url, _):
        first = ask(url, anna, "question-1", many)[1]["answer"]
        again = ask(url, bob, "question-1", many)
        assert again[0] == 200
        assert again[1]["answer"] != first
        assert ask(url, bob, "question-1", np.zeros(LENGTH))[0] == 409
        assert ask(url, anna, "question-1", many)[1]["answer"] == first
    assert client_spent(folder) == {"anna": 10_000, "bob": 10_000}


def test_answers_of_before_there_were_clients_stay_and_belong_to_none_of_them(folder):
    with desk(folder) as ours:
        [old] = ours.answer([question("question-1")])
    named(folder, "anna")
    with desk(folder) as ours:
        assert ours.answer([question("question-1")]) == [old]
        [found] = ours.reply([Asked(question("question-1"), "anna")])
        assert isinstance(found, Answered)
        assert not found.again
    assert (spent(folder), stored(folder)) == (20_000, 2)


@pytest.mark.slow
def test_a_client_that_is_revoked_gets_nothing_a_second_later_and_one_renewed_does(folder):
    token, sent = named(folder, "anna"), question("question-3").to_bytes()
    with running(folder) as (url, _):
        assert ask(url, token, "question-1")[0] == 200
        place = urlsplit(url)
        slow = http.client.HTTPConnection(place.hostname, place.port, timeout=60)
        about = {"Authorization": f"Bearer {token}", "Content-Type": BYTES}
        slow.request("POST", "/answer", sent[:-1], about | {"Content-Length": str(len(sent))})
        with Ledger(folder / "budget.db") as ledger:
            ledger.revoke_client("words", "anna", reason="a test")
        time.sleep(1.1)
        slow.send(sent[-1:])
        assert slow.getresponse().status == 401
        slow.close()
        assert ask(url, token, "question-2")[0] == 401
        assert ask(url, token, "question-1")[0] == 401
        renewed = named(folder, "anna", 1)
        time.sleep(1.1)
        assert ask(url, token, "question-2")[0] == 401
        assert ask(url, renewed, "question-2")[0] == 200


def test_who_asks_too_fast_is_known_by_name(folder):
    """For the log: whose program it is must be told by the one who runs the service."""
    token = named(folder, "anna")
    request = Request({"type": "http", "headers": [(b"authorization", f"Bearer {token}".encode())]})

    async def entered(gate):
        return [await gate.enter(request) for _ in range(2)]

    with desk(folder) as ours, ThreadPoolExecutor(1) as own:
        gate = Gate(ours, Limits(rate=0.1), behind_proxy=False)
        first, second = own.submit(asyncio.run, entered(gate)).result()
    assert (first[0].client, first[1]) == ("anna", None)
    assert (second[0].client, second[1].kind) == ("anna", "rate")


def test_a_batch_of_several_clients_is_one_release_with_a_share_of_each(folder):
    """At a price that is no whole number of the ledger's units, each share is rounded up."""
    named(folder, "anna"), named(folder, "bob")
    with desk(folder, price="1/300") as ours:
        batch = [Asked(question("question-1"), name) for name in ("anna", "bob", "carl")]
        replies = ours.reply(batch)
        assert [type(reply) for reply in replies[:2]] == [Answered] * 2
        assert replies[2].kind == "client budget"
        assert len(ours._ledger.unfinished()) == 1
        ours.close()
        assert not ours._ledger.unfinished()
        ours._ledger.verify()
    assert client_spent(folder) == {"anna": 3_334, "bob": 3_334}
    assert spent(folder) == 6_668
    assert answered_by(folder) == {"anna": 1, "bob": 1}


def test_what_one_client_has_ahead_is_given_to_no_other(folder):
    with Ledger(folder / "budget.db") as ledger:
        ledger.grant("words", epsilon=99, reason="a test")
    named(folder, "anna", 2000), named(folder, "bob", 3)
    with desk(folder) as ours:
        for k in range(60):
            ours.reply([Asked(question(f"question-{k}"), "anna")])
            ours.settle()
        assert client_spent(folder)["anna"] > 60 * 10_000  # some ahead
        before = client_spent(folder)
        kinds = [
            getattr(reply, "kind", "answered")
            for k in range(5)
            for reply in ours.reply([Asked(question(f"question-{k}"), "bob")])
        ]
        assert kinds == ["answered"] * 3 + ["client budget"] * 2
        assert client_spent(folder) == before | {"bob": 30_000}
        ours.close()
    assert answered_by(folder) == {"anna": 60, "bob": 3}


def test_what_is_ahead_for_all_clients_together_is_a_hundredth_of_what_is_left(folder):
    with Ledger(folder / "budget.db") as ledger:
        ledger.grant("words", epsilon=9, reason="a test")  # 1 000 answers in all
    names = [f"client-{k}" for k in range(10)]
    for name in names:
        named(folder, name, 1000)
    with desk(folder) as ours:
        for k in range(8):
            ours.reply([Asked(question(f"question-{k}"), name) for name in names])
            ours.settle()
            assert 0 <= spent(folder) // 10_000 - stored(folder) <= 10


@pytest.mark.slow
@pytest.mark.parametrize("after", [3, 29])
def test_a_kill_wastes_budget_of_clients_and_never_creates_any(folder, after):
    """SIGKILL while four clients ask: what each got is charged to each."""
    tokens = {name: named(folder, name, 30) for name in ("anna", "bob", "carl", "dora")}
    asked = {name: [Prepared.of(np.ones(LENGTH), 1) for _ in range(15)] for name in tokens}
    answers = []

    def crowd(name):
        with QueryClient(url, token=tokens[name], attempts=1) as client, suppress(Refused):
            for one in asked[name]:
                answers.append((name, one.question.id, client.send(one)))

    with running(folder) as (url, process), ThreadPoolExecutor(4) as pool:
        work = [pool.submit(crowd, name) for name in tokens]
        while len(answers) < after:
            time.sleep(0.001)
        os.kill(process.pid, signal.SIGKILL)
        for one in work:
            one.result()
    charged, given = client_spent(folder), answered_by(folder)
    for name in tokens:
        got = sum(1 for who, _, _ in answers if who == name)
        assert got <= given.get(name, 0) <= charged[name] // 10_000
    with running(folder) as (url, _):
        for name, token in tokens.items():
            with QueryClient(url, token=token) as client:
                again = {one.question.id: client.send(one) for one in asked[name]}
            assert {i: value for who, i, value in answers if who == name}.items() <= again.items()


def test_a_damaged_token_is_refused_before_it_is_sent_and_never_repeated():
    for wrong in ("", "secret-word", "sfq_short", f"{new_token()}\r\nX: y"):
        with pytest.raises(ParameterError, match="holds no token") as found:
            QueryClient("http://127.0.0.1:1", token=wrong)
        assert "secret-word" not in str(found.value)


def test_a_token_is_read_from_a_plain_file_and_nothing_else_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    reading, writing = os.pipe()
    for wrong, why in (
        ("-", "- is no file here"),
        ("pipe", "not a plain file"),
        (f"/dev/fd/{reading}", "not a plain file"),
        ("/dev/zero", "not a plain file"),
        (".", "directory"),
    ):
        with pytest.raises(ParameterError, match=f"{why}.*SFUMATO_QUERY_TOKEN"):
            read_token(wrong)
    os.close(reading)
    os.close(writing)
    with pytest.raises(ParameterError, match="- is no file here"):
        write_token("-", new_token())
    (tmp_path / "token").write_text(f"{(token := new_token())}\n")
    (tmp_path / "link").symlink_to("token")
    assert read_token("link") == token


def test_a_token_never_goes_over_a_line_that_others_read():
    for url in ("http://192.0.2.1", "http://counts.example.org:80"):
        with pytest.raises(ParameterError, match="url must be https"):
            QueryClient(url, token=new_token())


def test_ids_hold_no_slash_so_that_no_client_can_name_the_answer_of_another():
    with pytest.raises(ParameterError, match="id must have"):
        Question("bob/question-1", "query", np.ones(LENGTH))
