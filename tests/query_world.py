"""A ledger that pays for a hundred answers, a desk on it, and the service as a process."""

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from urllib.parse import urlsplit

import numpy as np

from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.retrieval.bearer import new_token, token_digest
from sfumato.retrieval.counts import Counts
from sfumato.retrieval.desk import Desk
from sfumato.retrieval.mutual import Answering
from sfumato.retrieval.protocol import Question
from sfumato.retrieval.store import AnswerStore

__all__ = [
    "COUNTS",
    "LENGTH",
    "PRICE",
    "client_spent",
    "desk",
    "funded",
    "lines",
    "named",
    "question",
    "raw",
    "running",
    "spent",
    "stored",
]

LENGTH, PRICE = 64, Fraction(1, 100)
KEYS = tuple(f"k{place}" for place in range(LENGTH))
COUNTS = Counts.of(KEYS, np.arange(LENGTH) * 3)
SERVER = """
import json, sys
from sfumato.ledger import Ledger
from sfumato.retrieval.counts import Counts
from sfumato.retrieval.desk import Desk
from sfumato.retrieval.mutual import Answering
from sfumato.retrieval.service import *
from sfumato.retrieval.store import AnswerStore
folder, told = sys.argv[1], json.loads(sys.argv[2])
counts = Counts.of([f"k{i}" for i in range(64)], [3 * i for i in range(64)])
taken = listening_at(told["host"]) if "/" in told["host"] else listening(told["host"], 0)
with Ledger(folder + "/budget.db") as ledger, AnswerStore(folder + "/answers.db") as store:
    desk = Desk(counts, Answering(64, told["neighbours"], "1/100"), ledger, store, "words")
    print(taken.getsockname()[1] if "/" not in told["host"] else "at the path", flush=True)
    serve(
        desk,
        taken,
        limits=Limits(**told["limits"]),
        log=RequestLog.file(folder + "/log"),
        encrypted=encryption(*told["tls"]) if told["tls"] else None,
        behind_proxy=told["behind_proxy"],
    )
print("stopped", flush=True)
"""


def funded(folder):
    """The folder, with a ledger that pays for a hundred answers."""
    with Ledger.create(folder / "budget.db") as ledger:
        ledger.grant("words", PureDP(100 * PRICE), reason="a test")
    return folder


@contextmanager
def running(
    folder, neighbours="add-remove", *, host="127.0.0.1", tls=(), behind_proxy=False, **limits
) -> Iterator[tuple[str, subprocess.Popen]]:
    """The service as a process; unless limits are given, none that a test would come up to."""
    told = {
        "neighbours": neighbours,
        "host": str(host),
        "tls": [str(path) for path in tls],
        "behind_proxy": behind_proxy,
        "limits": {"rate": 1e6, "answers_per_hour": 10**9} | limits,
    }
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(folder), json.dumps(told)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        port = process.stdout.readline().strip()
        assert port, process.stderr.read()
        yield f"{'https' if tls else 'http'}://127.0.0.1:{port}", process
    finally:
        process.kill()
        process.communicate()


def named(folder, client, answers=10):
    """A client who may have so many answers, and the token."""
    token = new_token()
    with Ledger(folder / "budget.db") as ledger:
        ledger.add_client(
            "words", client, token=token_digest(token), epsilon=answers * PRICE, reason="a test"
        )
    return token


def client_spent(folder):
    """Micro-epsilon that each client has used, as the ledger has it."""
    with Ledger(folder / "budget.db") as ledger:
        return {one.name: one.spent.micro_epsilon for one in ledger.clients("words")}


def raw(url, verb, path, body=None, *, token=None, **headers):
    """Status and content of one request, without the client's patience."""
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=60)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    if token is not None:
        sent["Authorization"] = f"Bearer {token}"
    connection.request(verb, path, body, sent)
    reply = connection.getresponse()
    found = reply.read()
    connection.close()
    return reply.status, json.loads(found) if found[:1] == b"{" else found


def lines(folder):
    """The log, read as JSON."""
    return [json.loads(line) for line in (folder / "log").read_text().splitlines()]


def spent(folder):
    with Ledger(folder / "budget.db") as ledger:  # opening verifies the whole history
        return ledger.balance("words").spent.micro_epsilon


def stored(folder):
    with AnswerStore(folder / "answers.db") as store:
        return store.count("words")


@contextmanager
def desk(folder, counts=COUNTS, price=PRICE, dataset="words"):
    with Ledger(folder / "budget.db") as ledger, AnswerStore(folder / "answers.db") as store:
        server = Answering(len(counts.keys), "add-remove", price)
        yield Desk(counts, server, ledger, store, dataset)


def question(name, numbers=None):
    return Question(name, "query", np.ones(LENGTH) if numbers is None else numbers)
