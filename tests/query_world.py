"""A ledger that pays for a hundred answers, a desk on it, and the service as a process."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

import numpy as np

from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.retrieval.counts import Counts
from sfumato.retrieval.desk import Desk
from sfumato.retrieval.mutual import Answering
from sfumato.retrieval.protocol import Question
from sfumato.retrieval.store import AnswerStore

__all__ = ["COUNTS", "LENGTH", "PRICE", "desk", "funded", "question", "running", "spent", "stored"]

LENGTH, PRICE = 64, Fraction(1, 100)
KEYS = tuple(f"k{place}" for place in range(LENGTH))
COUNTS = Counts.of(KEYS, np.arange(LENGTH) * 3)
SERVER = """
import json, sys
from sfumato.ledger import Ledger
from sfumato.retrieval.counts import Counts
from sfumato.retrieval.desk import Desk
from sfumato.retrieval.mutual import Answering
from sfumato.retrieval.service import Limits, RequestLog, listening, serve
from sfumato.retrieval.store import AnswerStore
folder, neighbours, limits = sys.argv[1:]
counts = Counts.of([f"k{i}" for i in range(64)], [3 * i for i in range(64)])
taken = listening("127.0.0.1", 0)
with Ledger(folder + "/budget.db") as ledger, AnswerStore(folder + "/answers.db") as store:
    desk = Desk(counts, Answering(64, neighbours, "1/100"), ledger, store, "words")
    print(taken.getsockname()[1], flush=True)
    serve(desk, taken, limits=Limits(**json.loads(limits)), log=RequestLog.file(folder + "/log"))
print("stopped", flush=True)
"""


def funded(folder):
    """The folder, with a ledger that pays for a hundred answers."""
    with Ledger.create(folder / "budget.db") as ledger:
        ledger.grant("words", PureDP(100 * PRICE), reason="a test")
    return folder


@contextmanager
def running(folder, neighbours="add-remove", **limits) -> Iterator[tuple[str, subprocess.Popen]]:
    """The service as a process; unless limits are given, none that a test would come up to."""
    told = json.dumps({"rate": 1e6, "answers_per_hour": 10**9} | limits)
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(folder), neighbours, told],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        port = process.stdout.readline().strip()
        assert port, process.stderr.read()
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.kill()
        process.communicate()


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
