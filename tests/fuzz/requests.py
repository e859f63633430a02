"""HTTP requests to a running service: raw bytes, so that no client stands between."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import numpy as np

from fuzz.changes import ODD, bytes_changed, nested_changed, words_changed
from fuzz.tables import FIGURE
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.retrieval.protocol import Question

__all__ = ["fault_of_service", "request", "serving"]

KEYS, SECONDS = 16, 20
_KNOWN = {200, 307, 400, 403, 404, 405, 409, 413, 415, 431, 501, 503, 505}
_QUERY = [1.0] * KEYS


@contextmanager
def serving(folder: Path) -> Iterator[tuple[int, "subprocess.Popen[bytes]"]]:
    """The command as its owner starts it, on counts of which one is a secret."""
    lines = [f"k{place},{FIGURE if place == 3 else place}" for place in range(KEYS)]
    (folder / "words.csv").write_text("\n".join(["key,count", *lines]) + "\n")
    with Ledger.create(folder / "budget.db") as ledger:
        ledger.grant("words", PureDP(1000), reason="a test")
    words = ("query", "serve", "words.csv", "--epsilon-per-answer", "1/100", "--port", "0")
    fast = ("--rate", "1000000", "--answers-per-hour", "1000000")
    with (folder / "said").open("w") as said:  # a pipe that nobody empties would stop the service
        process = subprocess.Popen(
            [sys.executable, "-u", "-m", "sfumato", *words, *fast, "--ledger", "budget.db"],
            cwd=folder,
            stdout=said,
            stderr=subprocess.STDOUT,
        )
    try:
        yield _port(folder / "said", process), process
    finally:
        process.kill()
        process.wait()


def _port(said: Path, process: "subprocess.Popen[bytes]") -> int:
    deadline = time.monotonic() + 60
    while "http://127.0.0.1:" not in said.read_text():
        assert process.poll() is None, said.read_text()
        assert time.monotonic() < deadline, "the service does not start"
        time.sleep(0.05)
    return int(said.read_text().split("http://127.0.0.1:")[1].split(",")[0])


def request(rng: Random) -> bytes:
    """A request that is wrong somewhere between its first byte and its last number."""
    name = f"question-{rng.randrange(10**6)}"
    good = Question(name, "query", np.array(_QUERY))
    kind, body = rng.choice(
        (("application/json", good.to_json()), ("application/octet-stream", good.to_bytes()))
    )
    level = rng.choice(("body", "body", "nested", "nested", "numbers", "head", "all"))
    if level == "body":
        body = bytes_changed(rng, body)
    elif level == "nested":
        kind, changed = "application/json", nested_changed(rng, {"id": name, "query": _QUERY})
        body = json.dumps(changed).encode()
    elif level == "numbers":
        kind, numbers = "application/json", [rng.choice((*ODD, 1, 2.5)) for _ in range(KEYS)]
        body = json.dumps({"id": name, "query": numbers}).encode()
    length = rng.choice((len(body), len(body), len(body), 0, 10**9, -1, "x"))
    path = "/answer" if level != "head" else rng.choice(("/facts", "/keys", "/", "/%ff", "/answer"))
    verb = "POST" if level != "head" else rng.choice(("GET", "POST", "HEAD", "PUT", "OPTIONS", "X"))
    head = (
        f"{verb} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\n"
        f"Content-Length: {length}\r\nConnection: close\r\n\r\n"
    )
    if level == "head":
        head = words_changed(rng, head, 2)
    whole = head.encode("utf-8", "surrogatepass") + body
    return bytes_changed(rng, whole) if level == "all" else whole


def fault_of_service(port: int, sent: bytes) -> str | None:
    """What is wrong with the reply, or with there being none."""
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as line:
        try:
            line.sendall(sent)
            line.shutdown(socket.SHUT_WR)
            reply = b"".join(iter(lambda: line.recv(2**16), b""))
        except TimeoutError:
            return f"no reply within {SECONDS} s"
        except OSError:
            return None  # hung up on: a request that is no HTTP
    if FIGURE.encode() in reply:
        return f"the reply holds a secret: {reply[:200]!r}"
    status = reply[9:12]
    if reply and (not reply.startswith(b"HTTP/1.1 ") or int(status) not in _KNOWN):
        return f"the reply is {reply[:80]!r}"
    return None
