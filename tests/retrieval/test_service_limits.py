"""Every limit of the service is hit once, over real sockets, and an honest client notices nothing.

Who misbehaves comes from an address of its own, 127.0.0.2, which is loopback all the same.
"""

import http.client
import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import numpy as np
import pytest

from query_world import LENGTH, funded, lines, question, raw, running, spent, stored
from sfumato.errors import ParameterError
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.retrieval.client import Prepared, QueryClient
from sfumato.retrieval.service import Limits
from sfumato.retrieval.service.limits import Allowance, household

HEAD = b"POST /answer HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
BROKEN = (ConnectionResetError, BrokenPipeError)
BYTES = "application/octet-stream"


# Seconds for what takes a few hundredths on a quiet machine; less than the usual limit for a head.
SOON = 8


@pytest.fixture
def folder(tmp_path):
    return funded(tmp_path)


@contextmanager
def connected(url, begun=b"", source="127.0.0.2"):
    place = (urlsplit(url).hostname, urlsplit(url).port)
    with socket.create_connection(place, timeout=60, source_address=(source, 0)) as line:
        line.sendall(begun)
        yield line


def answered(url, sent):
    """The head of what comes back."""
    with connected(url, sent) as line:
        return line.recv(4096)


def ended(line, seconds=60.0):
    """What came, when the other side ended the connection; how long that took."""
    line.settimeout(seconds)
    start, found = time.monotonic(), b""
    try:
        while piece := line.recv(65536):
            found += piece
    except ConnectionResetError:
        pass
    return found, time.monotonic() - start


def trickle(line):
    """A byte now and then, until the other side has had enough."""
    for _ in range(200):
        line.sendall(b"X")
        time.sleep(0.05)


def honest(url, number=3, attempts=1):
    """Seconds that the slowest of some honest answers took, each on a connection of its own."""
    slowest = 0.0
    for _ in range(number):
        start = time.monotonic()
        with QueryClient(url, attempts=attempts) as client:
            client.send(Prepared.of(np.ones(LENGTH), 1))
        slowest = max(slowest, time.monotonic() - start)
    return slowest


@contextmanager
def held(url, begun, number, source="127.0.0.2"):
    """So many connections that have begun something and go no further."""
    with ExitStack() as stack:
        yield [stack.enter_context(connected(url, begun, source)) for _ in range(number)]


@pytest.mark.slow
@pytest.mark.parametrize("source", ["127.0.0.2", "127.0.0.1"])
def test_1100_half_sent_heads_shut_nobody_out(source, folder):
    """Not even from the address of the honest client itself."""
    with running(folder) as (url, process):
        with held(url, HEAD, 1100, source):
            assert honest(url) < SOON
        process.terminate()
        assert process.wait(60) == 0
    assert {line["refusal"] for line in lines(folder) if line["event"] == "connection"} >= {
        "no room"
    }


def test_a_head_that_does_not_end_is_cut_off_however_it_trickles(folder):
    with running(folder, head_seconds=0.5) as (url, _):
        with connected(url) as silent:
            assert ended(silent)[1] < SOON
        start = time.monotonic()
        with connected(url, HEAD) as trickling, pytest.raises(BROKEN):
            trickle(trickling)
        assert time.monotonic() - start < SOON
        assert honest(url) < SOON
    assert "head too late" in {line.get("refusal") for line in lines(folder)}


def test_a_body_that_does_not_come_is_refused_and_costs_nothing(folder):
    with running(folder, body_seconds=0.5) as (url, _):
        with connected(url, HEAD + b"Content-Length: 500\r\n\r\n{") as slow:
            assert b" 408 " in ended(slow)[0]
        assert spent(folder) == 0
        assert honest(url, 1) < SOON
    assert "slow" in {line.get("refusal") for line in lines(folder)}


@pytest.mark.slow
def test_a_body_that_goes_on_after_its_refusal_is_cut_off(folder):
    """The head is refused for its type; the body would take its sender for ever."""
    head = HEAD.replace(b"application/json", b"text/plain") + b"Content-Length: 999999999\r\n\r\n"
    with running(folder, body_seconds=0.5) as (url, _):
        start = time.monotonic()
        with connected(url, head) as line, pytest.raises(BROKEN):
            trickle(line)
        assert time.monotonic() - start < SOON


@pytest.mark.slow
def test_a_reply_that_nobody_takes_is_given_up(folder):
    """Requests without end, whose replies are never read: they fill what lies between."""
    many = b"GET /keys HTTP/1.1\r\nHost: localhost\r\n\r\n" * 2_000_000
    with running(folder, body_seconds=0.5) as (url, _):
        with connected(url) as line, pytest.raises(BROKEN):
            line.sendall(many)
        assert honest(url, 1) < SOON
    assert "reply not taken" in {line.get("refusal") for line in lines(folder)}


def test_one_address_has_so_many_connections_and_its_oldest_idle_one_goes_first(folder):
    with running(folder, per_address=4) as (url, _), held(url, HEAD, 6) as begun:
        assert ended(begun[0])[1] < SOON
        assert ended(begun[1])[1] < SOON
        begun[5].sendall(b"Content-Length: 2\r\n\r\n{}")
        assert b" 400 " in begun[5].recv(4096)
        assert honest(url) < SOON


def test_there_are_so_many_connections_in_all(folder):
    with (
        running(folder, connections=4, per_address=4) as (url, _),
        held(url, HEAD, 3) as begun,
        held(url, HEAD, 3, "127.0.0.3") as others,
    ):
        assert ended(begun[0])[1] < SOON
        others[2].sendall(b"Content-Length: 2\r\n\r\n{}")
        assert b" 400 " in others[2].recv(4096)
        assert honest(url) < SOON


def test_a_head_has_so_many_bytes(folder):
    with running(folder) as (url, _):
        with connected(url, b"GET /facts HTTP/1.1\r\nX: ") as line:
            line.sendall(b"y" * 20_000)
            assert b" 400 " in line.recv(4096)
        whole = b"GET /facts HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 16_000 + b"\r\n\r\n"
        assert b" 200 " in answered(url, whole)
        assert b" 431 " in answered(url, whole.replace(b"y\r\n", b"y" * 400 + b"\r\n"))
        assert honest(url, 1) < SOON


def test_an_address_has_so_many_requests_a_second_and_the_others_theirs(folder):
    with running(folder, rate=2) as (url, _):
        hasty = urlsplit(url)
        line = http.client.HTTPConnection(
            hasty.hostname, hasty.port, timeout=60, source_address=("127.0.0.2", 0)
        )
        statuses = []
        while 429 not in statuses and len(statuses) < 100:
            line.request("GET", "/facts")
            reply = line.getresponse()
            reply.read()
            statuses.append(reply.status)
        line.close()
        assert (statuses[:4], statuses[-1]) == ([200] * 4, 429)  # a slow asker has a few more
        assert 1 <= int(reply.getheader("Retry-After")) <= 2
        assert raw(url, "GET", "/facts")[0] == 200


@pytest.mark.slow
def test_no_asker_spends_two_thousand_answers_in_ten_seconds(folder):
    """With the limits as they are: what comes at once, and then the rate."""
    with Ledger(folder / "budget.db") as ledger:
        ledger.grant("words", PureDP(100), reason="a test")
    usual, given = Limits(), []

    def hurried(_):
        while time.monotonic() < start + 3 or len(given) <= 40:
            body = question(f"question-{len(given)}-{time.monotonic_ns()}").to_bytes()
            if raw(url, "POST", "/answer", body, Content_Type=BYTES)[0] == 200:
                given.append(body)

    with running(folder, rate=usual.rate, answers_per_hour=usual.answers_per_hour) as (url, _):
        start = time.monotonic()
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(hurried, range(4)))
        took = time.monotonic() - start
    assert len(given) <= 20 * took + 40 + 5
    assert stored(folder) >= len(given)


def test_new_answers_an_hour_are_counted_and_repeated_ones_are_free(folder):
    kind = {"Content_Type": BYTES}
    with running(folder, answers_per_hour=3) as (url, _):
        asked = [question(f"question-{k}").to_bytes() for k in range(4)]
        for body in (asked[0], asked[0], asked[0], asked[1], asked[2]):
            assert raw(url, "POST", "/answer", body, **kind)[0] == 200
        status, said = raw(url, "POST", "/answer", asked[3], **kind)
        assert (status, "at most 3 new answers an hour" in said["error"]) == (429, True)
        assert raw(url, "POST", "/answer", asked[1], **kind)[0] == 200
    assert spent(folder) == 30_000


def test_questions_that_are_being_read_have_so_much_memory(folder):
    """Large messages that are begun and not ended; then room again, when they are gone."""
    body = json.dumps({"id": "question-1", "query": [1] * LENGTH}).ljust(2600).encode()
    whole = HEAD + f"Content-Length: {len(body)}\r\n\r\n".encode() + body
    with running(folder, held_megabytes=1, per_address=400) as (url, _):
        begun = HEAD + b"Content-Length: 2600\r\n\r\n{"  # taken for four times as much
        with (
            held(url, begun, 60),
            held(url, begun, 60, "127.0.0.3"),
            held(url, begun, 2, "127.0.0.4"),
            connected(url, whole, "127.0.0.1") as line,
        ):
            assert b" 503 " in line.recv(4096)
        assert honest(url, 1, attempts=5) < 3 * SOON  # until those that went away are noticed
    assert "full" in {line.get("refusal") for line in lines(folder)}


@pytest.mark.slow
def test_large_messages_of_one_asker_take_no_room_from_the_others(folder):
    """Nor do many small ones, which would fill what the large ones leave."""
    large, small = (HEAD + f"Content-Length: {n}\r\n\r\n".encode() for n in (2600, 2))
    with (
        running(folder, held_megabytes=1, per_address=400) as (url, _),
        held(url, large + b"{", 200),
        held(url, small + b"{", 60),
    ):
        until = time.monotonic() + 10
        while b" 503 " not in answered(url, small + b"{}"):  # 400, while there is room for it
            assert time.monotonic() < until
        assert honest(url, 3) < SOON
    assert stored(folder) == 3
    assert "full" in {line.get("refusal") for line in lines(folder)}


@pytest.mark.parametrize("name", Limits.__slots__)
def test_a_limit_is_above_0_and_its_refusal_names_it(name):
    for wrong in (0, -1, float("nan"), float("inf"), 10**26, 10**400):
        with pytest.raises(ParameterError, match=f"{name} must be above 0"):
            Limits(**{name: wrong})


def test_who_is_forgotten_is_who_asked_longest_ago():
    """So that memory is bounded however many addresses there are."""
    allowed = Allowance(1, 1, clock=lambda: 0.0)
    for number in range(20_000):
        assert allowed.wait(str(number)) == 0
    assert len(allowed._levels) == 2**14
    assert allowed.wait("19999") > 0
    assert allowed.wait("0") == 0


def test_a_household_of_ipv6_is_one_address():
    assert household("2001:db8:0:1::7") == household("2001:db8:0:1:ffff::9")
    assert household("2001:db8:0:1::7") != household("2001:db8:0:2::7")
    assert household("fe80::1%eth0") == "fe80::/64"
    assert household("not an address") == ""
