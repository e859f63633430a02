"""How the service is watched and stopped: its log, its health, signals."""

import asyncio
import http.client
import io
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import numpy as np
import pytest

from query_world import (
    LENGTH,
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
from sfumato.errors import LedgerError, ParameterError
from sfumato.ledger import Ledger
from sfumato.retrieval.client import Prepared, QueryClient
from sfumato.retrieval.counts import Counts
from sfumato.retrieval.desk import Asked
from sfumato.retrieval.service import Limits, RequestLog, application, listening, serve
from sfumato.retrieval.service.counter import Counter
from slowness import slow

HEAD = b"POST /answer HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
BYTES = "application/octet-stream"


@pytest.fixture
def folder(tmp_path):
    return funded(tmp_path)


def test_a_log_line_has_a_time_an_event_a_client_and_a_status_and_nothing_of_the_question(folder):
    token = named(folder, "anna")
    told = question("my-own-question-id", np.full(LENGTH, 987_654.0)).to_json()
    kind = {"Content_Type": "application/json"}
    with running(folder) as (url, process):
        given = raw(url, "POST", "/answer", told, token=token, **kind)[1]["answer"]
        raw(url, "POST", "/answer", b'{"id": "another-id", "x": 1}', token=token, **kind)
        raw(url, "GET", '/facts?{"event":"forged"}', token="x\t{}")
        raw(url, "GET", "/elsewhere/my-own-path")
        process.terminate()
        assert process.wait(60) == 0
    assert (folder / "log").stat().st_mode & 0o777 == 0o600
    text = (folder / "log").read_text()
    for secret in ("my-own", "another-id", "987654", token, str(given), "forged", "127.0.0.1"):
        assert secret not in text
    found = [{k: v for k, v in line.items() if k != "time"} for line in lines(folder)]
    assert found[0] == {"event": "started"}
    assert {"event": "answer", "client": "anna", "status": 200} in found
    assert {"event": "answer", "client": "anna", "status": 400, "refusal": "form"} in found
    assert {"event": "facts", "client": None, "status": 401, "refusal": "token"} in found
    assert found[-1] == {"event": "stopped"}
    assert all(line["time"][-1] == "Z" for line in lines(folder))


def test_what_there_is_not_and_a_foreign_host_are_logged_and_not_in_the_words_of_who_asked(folder):
    with running(folder) as (url, process):
        for _ in range(3):
            assert raw(url, "GET", "/my-own-path?my-own=1")[0] == 404
        assert raw(url, "BREW", "/facts")[0] == 405
        assert raw(url, "GET", "/facts/")[0] == 404
        assert raw(url, "GET", "/answer")[0] == 405
        with socket.create_connection(("127.0.0.1", urlsplit(url).port), timeout=10) as line:
            line.sendall(b"GET /facts HTTP/1.1\r\nHost: my-own.example\r\n\r\n")
            assert b" 400 " in line.recv(4096)
        assert raw(url, "GET", "/health")[0] == 200
        process.terminate()
        assert process.wait(10) == 0
    assert not {"my-own", "BREW"} & set(re.findall("[A-Za-z-]+", (folder / "log").read_text()))
    told = {}
    for line in lines(folder):
        if line["event"] == "request":
            assert set(line) <= {"time", "event", "client", "status", "refusal", "times"}
            what = line["client"], line["status"], line["refusal"]
            told[what] = told.get(what, 0) + line.get("times", 1)
    assert told == {(None, 404, "path"): 4, (None, 405, "method"): 2, (None, 400, "host"): 1}


def test_what_is_no_request_is_logged_as_one_that_was_refused_and_the_connection_closed(folder):
    chunked = b"Transfer-Encoding: chunked\r\n"
    wrong = [
        b"GET /facts\r\n\r\n",
        HEAD + b"Content-Length: my-own\r\n\r\n",
        HEAD + b"Content-Length: 5\r\n" + chunked + b"\r\n2\r\n{}\r\n0\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + chunked + b"Content-Length: 0\r\n\r\n",
    ]
    with running(folder) as (url, process):
        for text in wrong:
            with socket.create_connection(("127.0.0.1", urlsplit(url).port), timeout=10) as line:
                line.sendall(text)
                told = b"".join(iter(lambda line=line: line.recv(4096), b""))  # until it is closed
            assert told.startswith(b"HTTP/1.1 400 ")
            assert told.lower().count(b"http/1.1") == 1
        process.terminate()
        assert process.wait(10) == 0
    assert "my-own" not in (folder / "log").read_text()
    told = {}
    for line in lines(folder):
        if line["event"] in ("request", "answer"):
            what = line["event"], line["client"], line["status"], line["refusal"]
            told[what] = told.get(what, 0) + line.get("times", 1)
    assert told == {
        ("request", None, 400, "malformed"): 2,
        ("request", None, 400, "two lengths"): 2,
    }


def test_a_flood_of_refusals_is_a_line_a_second(folder):
    named(folder, "anna")
    with running(folder) as (url, process):
        place = urlsplit(url)
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=60)
        for _ in range(300):
            connection.request("GET", "/facts")
            connection.getresponse().read()
        connection.close()
        process.terminate()
        process.wait(60)
    refused = [line for line in lines(folder) if line.get("refusal") == "token"]
    assert sum(line.get("times", 1) for line in refused) == 300
    assert len(refused) < 30


def test_names_that_hold_line_breaks_stay_in_their_line(tmp_path):
    told = io.StringIO()
    log = RequestLog(told)
    log.say("answer", client='x"}\n{"event": "forged\u2028\x1b[2J')
    [line] = told.getvalue().splitlines()
    assert line.isprintable()
    assert json.loads(line)["event"] == "answer"


def test_a_log_is_a_plain_file_and_is_made_private(tmp_path):
    (tmp_path / "log").write_text("before\n")
    (tmp_path / "log").chmod(0o644)
    log = RequestLog.file(tmp_path / "log")
    log.say("started")
    log.close()
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "log").read_text().startswith("before\n{")
    (tmp_path / "link").symlink_to(tmp_path / "log")
    os.mkfifo(tmp_path / "pipe")
    for wrong in ("link", "pipe", "none/log", "."):
        with pytest.raises(ParameterError, match="log "):
            RequestLog.file(tmp_path / wrong)


def test_a_full_disk_under_the_log_is_no_reason_to_stop():
    class Full(io.StringIO):
        def write(self, text):
            raise OSError(28, "No space left on device")

    RequestLog(Full()).say("started")


def test_a_pipe_that_nobody_reads_does_not_stop_the_service():
    out, into = os.pipe()
    with os.fdopen(out, "rb") as reader, os.fdopen(into, "w", encoding="ascii") as stream:
        log = RequestLog(stream)
        for place in range(2_000):  # more than a pipe holds
            log.say("request", client=f"client-{place}", refusal="x" * 200)
        told = reader.read1(2**20).splitlines()
        log.say("stopped")
        assert json.loads(reader.read1().splitlines()[-1])["event"] == "stopped"
    assert 1 < len(told) < 2_000


def test_health_says_that_the_ledger_cannot_be_read_and_nothing_else(folder):
    with running(folder) as (url, _):
        assert raw(url, "GET", "/health") == (200, {"status": "ok"})
        (folder / "budget.db").write_bytes(b"x" * 8192)
        time.sleep(1.1)
        assert raw(url, "GET", "/health") == (503, {"status": "failing"})
        status, said = raw(url, "GET", "/facts")
        assert (status, "could not be recorded" in said["error"]) == (503, True)


def test_health_says_for_a_while_that_a_charge_could_not_be_recorded(folder, monkeypatch):
    def fails(_):
        raise LedgerError("the disk is full")

    told = io.StringIO()
    with desk(folder) as ours:
        counter = Counter(ours, lambda error: told.write(str(error)))

        async def asked():
            running = asyncio.create_task(counter.run())
            reply = await counter.ask(Asked(question("question-1"), None))
            failing = counter.failing
            monkeypatch.undo()
            again = await counter.ask(Asked(question("question-1"), None))
            counter.close()
            await running
            return reply, failing, again, counter.failing

        monkeypatch.setattr(ours, "reply", fails)
        with ThreadPoolExecutor(1) as own:
            reply, failing, again, still = own.submit(asyncio.run, asked()).result()
    assert (reply.status, failing, again.id, still) == (503, True, "question-1", False)
    assert told.getvalue() == "the disk is full"


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_at_a_signal_whoever_waits_is_answered_and_whoever_dawdles_is_not_waited_for(
    folder, number
):
    with running(folder) as (url, process), ThreadPoolExecutor(8) as pool:
        place = (urlsplit(url).hostname, urlsplit(url).port)
        with (
            socket.create_connection(place, timeout=60) as silent,
            socket.create_connection(place, timeout=60) as slow,
        ):
            slow.sendall(HEAD + b"Content-Length: 1000\r\n\r\n{")
            answers = []

            def asking(_):
                with QueryClient(url, attempts=1) as client:
                    for _ in range(3):
                        answers.append(client.send(Prepared.of(np.ones(LENGTH), 1)))

            work = [pool.submit(asking, k) for k in range(8)]
            while len(answers) < 5:
                time.sleep(0.001)
            start = time.monotonic()
            process.send_signal(number)
            said, complaints = process.communicate(timeout=60)
            assert time.monotonic() - start < 8  # the limits for heads and bodies are longer
            assert (said, complaints, process.returncode) == ("stopped\n", "", 0)
            assert silent.recv(1) == b""
        for one in work:
            one.exception()
    with Ledger(folder / "budget.db") as ledger:
        assert not ledger.unfinished()
        ledger.verify()
    assert spent(folder) >= stored(folder) * 10_000 >= len(answers) * 10_000


SLOW_TO_STOP = """
import os, signal, sys, threading, time
from query_world import desk
from pathlib import Path
from sfumato.retrieval.service import listening, serve
with desk(Path(sys.argv[1])) as ours, listening("127.0.0.1", 0) as taken:
    ours.close = lambda: time.sleep(120)
    stop = lambda: os.kill(os.getpid(), signal.SIGTERM)
    threading.Timer(1.0, stop).start()
    threading.Timer(2.0, stop).start()
    serve(ours, taken)
"""


@pytest.mark.slow
def test_a_second_signal_ends_at_once(folder):
    start = time.monotonic()
    paths = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", SLOW_TO_STOP, str(folder)],
        env=os.environ | {"PYTHONPATH": paths},
        timeout=100,
        check=False,
    )
    assert done.returncode == -signal.SIGTERM
    assert time.monotonic() - start < 60


@pytest.mark.parametrize("how", ["gone", slow("reset"), slow("half closed")])
def test_a_client_that_drops_in_the_middle_of_a_body_leaves_no_complaint(folder, how):
    with running(folder) as (url, process):
        place = (urlsplit(url).hostname, urlsplit(url).port)
        for _ in range(3):
            with socket.create_connection(place, timeout=60) as line:
                line.sendall(HEAD + b"Content-Length: 1000\r\n\r\n{")
                time.sleep(0.1)
                if how == "reset":
                    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                if how == "half closed":
                    line.shutdown(socket.SHUT_WR)
                    time.sleep(0.1)
        assert raw(url, "GET", "/facts")[0] == 200
        process.terminate()
        assert process.communicate(timeout=60) == ("stopped\n", "")
    assert not [line for line in lines(folder) if line["event"] in ("server", "fault")]
    assert spent(folder) == 0


def test_more_connections_than_files_are_refused_and_the_remedy_named(folder):
    with (
        desk(folder) as ours,
        listening("127.0.0.1", 0) as taken,
        pytest.raises(ParameterError, match=r"connections must be at most .*ulimit"),
    ):
        serve(ours, taken, limits=Limits(connections=10**8))


def test_a_long_list_of_keys_comes_whole_and_in_parts(folder):
    keys, sent = [f"diagnosis-{k:06}" for k in range(20_000)], []
    scope = {"type": "http", "method": "GET", "path": "/keys", "headers": [(b"host", b"localhost")]}

    async def receive():
        await asyncio.sleep(10)

    async def send(message):
        sent.append(message)

    async def through():
        async with app.router.lifespan_context(app):
            await app(scope, receive, send)

    with desk(folder, Counts.of(keys, range(20_000))) as ours, ThreadPoolExecutor(1) as own:
        app = application(ours)
        own.submit(asyncio.run, through()).result()
    parts = [message["body"] for message in sent[1:]]
    assert json.loads(b"".join(parts)) == {"keys": keys}
    assert max(map(len, parts)) <= 65_536
    assert dict(sent[0]["headers"])[b"content-length"] == str(sum(map(len, parts))).encode()
