"""The query service under load: a steady crowd of clients, alone and beside slow ones.

Twenty clients with tokens ask 200 questions a second, at fixed moments, so that a service that
falls behind is seen in the latency.  Beside them, in the second part, fifty connections send heads
and bodies byte by byte and come back whenever they are cut off.  Both parts run against the same
process, in turn, and their figures are told as ratios.

    python benchmarks/service.py [--seconds 20] [--rounds 2] [--rate 200] [--slow 50]
    python benchmarks/service.py --minutes 10    slow ones all the time: does memory stay flat?
"""

import argparse
import json
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from sfumato.ledger import Ledger
from sfumato.retrieval.bearer import new_token, token_digest
from sfumato.retrieval.client import Prepared, QueryClient
from sfumato.retrieval.mutual import QueryPromise
from sfumato.retrieval.protocol import Question

KEYS, CLIENTS = 4096, 20
HEAD = b"POST /answer HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
SERVER = """
import sys
from sfumato.ledger import Ledger
from sfumato.retrieval.counts import Counts
from sfumato.retrieval.desk import Desk
from sfumato.retrieval.mutual import Answering
from sfumato.retrieval.service import Limits, RequestLog, listening, serve
from sfumato.retrieval.store import AnswerStore
folder, keys = sys.argv[1], int(sys.argv[2])
counts = Counts.of([f"k{i}" for i in range(keys)], range(keys))
taken = listening("127.0.0.1", 0)
with Ledger(folder + "/budget.db") as ledger, AnswerStore(folder + "/answers.db") as store:
    desk = Desk(counts, Answering(keys, "add-remove", "0.01"), ledger, store, "words")
    print(taken.getsockname()[1], flush=True)
    limits = Limits(answers_per_hour=10**7, head_seconds=5, body_seconds=5)
    serve(desk, taken, limits=limits, log=RequestLog.file(folder + "/log"))
"""


class Crowd:
    """Clients who ask at fixed moments, each on a connection of its own."""

    def __init__(self, url: str, tokens: list[str], rate: float) -> None:
        self._url, self._tokens, self._pause = url, tokens, len(tokens) / rate
        promise, wanted = QueryPromise(1, KEYS), np.zeros(KEYS, np.int64)
        self._one = Prepared.of(wanted, 1)
        self._promise, self._serial = promise, iter(range(10**9))

    def asking(self, seconds: float) -> tuple[float, np.ndarray]:
        """Answers a second, and how long after its moment each came."""
        start, waited = time.perf_counter() + 0.5, []
        work = [
            threading.Thread(target=self._ask, args=(k, start, seconds, waited))
            for k in range(len(self._tokens))
        ]
        for one in work:
            one.start()
        for one in work:
            one.join()
        return len(waited) / (time.perf_counter() - start), np.array(waited)

    def _ask(self, k: int, start: float, seconds: float, waited: list[float]) -> None:
        moment = start + self._pause * k / len(self._tokens)
        with QueryClient(self._url, token=self._tokens[k]) as client:
            while moment < start + seconds:
                time.sleep(max(0.0, moment - time.perf_counter()))
                client.send(self._question())
                waited.append(time.perf_counter() - moment)
                moment += self._pause

    def _question(self) -> Prepared:
        """The same numbers under a new id: drawing noise is not what is measured."""
        name = f"question-{next(self._serial)}"
        question = Question(name, "query", self._one.question.numbers)
        return Prepared(self._one.query, self._promise, question, question.to_bytes())


class Slow:
    """Connections from other addresses that send a byte now and then, for as long as this runs."""

    def __init__(self, port: int, number: int) -> None:
        self._port, self._stop, self.cut_off = port, threading.Event(), 0
        self._work = [threading.Thread(target=self._dawdle, args=(k,)) for k in range(number)]

    def __enter__(self) -> "Slow":
        for one in self._work:
            one.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for one in self._work:
            one.join()

    def _dawdle(self, k: int) -> None:
        begun = HEAD if k % 2 else HEAD + b"Content-Length: 9999\r\n\r\n"
        while not self._stop.is_set():
            source = (f"127.0.0.{2 + k % 10}", 0)
            try:
                place = ("127.0.0.1", self._port)
                with socket.create_connection(place, timeout=5, source_address=source) as line:
                    line.sendall(begun)
                    while not self._stop.wait(0.25):
                        line.sendall(b"X")
            except OSError:
                self.cut_off += 1


def memory(process: "subprocess.Popen[str]") -> float:
    """Resident megabytes."""
    text = Path(f"/proc/{process.pid}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) / 1024


def told(name: str, rate: float, waited: np.ndarray, process: "subprocess.Popen[str]") -> None:
    half, most = np.quantile(waited, [0.5, 0.95]) * 1e3
    print(
        f"  {name:22} {rate:6.1f} answers a second; half wait {half:5.1f} ms, 95 % at most "
        f"{most:5.1f} ms, the longest {waited.max() * 1e3:6.1f} ms; {memory(process):.1f} MB",
        flush=True,
    )


def main(given: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        tokens = [new_token() for _ in range(CLIENTS)]
        with Ledger.create(f"{folder}/budget.db") as ledger:
            ledger.grant("words", epsilon=10**6, reason="a benchmark")
            for k, token in enumerate(tokens):
                ledger.add_client(
                    "words",
                    f"client-{k}",
                    token=token_digest(token),
                    epsilon=10**6 // CLIENTS,
                    reason="a benchmark",
                )
        words = [sys.executable, "-c", SERVER, folder, str(KEYS)]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        port = int(process.stdout.readline())
        crowd = Crowd(f"http://127.0.0.1:{port}", tokens, given.rate)
        try:
            crowd.asking(3)  # to warm up
            print(f"{given.rate:g} questions a second over {KEYS:,} keys by {CLIENTS} clients")
            if given.minutes:
                soak(crowd, process, port, given)
            else:
                compared(crowd, process, port, given)
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
        with Ledger(f"{folder}/budget.db") as ledger:
            cost = ledger.balance("words").spent.micro_epsilon
        log = Path(folder, "log").read_text().splitlines()
        refused = {line["refusal"] for line in map(json.loads, log) if "refusal" in line}
        print(f"  charged: {cost / 10_000:,.0f} answers; refusals: {', '.join(sorted(refused))}")


def compared(
    crowd: Crowd, process: "subprocess.Popen[str]", port: int, given: argparse.Namespace
) -> None:
    alone, beside = [], []
    for _ in range(given.rounds):
        alone.append(crowd.asking(given.seconds))
        told("alone", *alone[-1], process)
        with Slow(port, given.slow) as slow:
            beside.append(crowd.asking(given.seconds))
        told(f"beside {given.slow} slow ones", *beside[-1], process)
        print(f"  slow ones were cut off {slow.cut_off} times")
    rates = [np.mean([rate for rate, _ in some]) for some in (beside, alone)]
    late = [np.quantile(np.concatenate([w for _, w in some]), 0.95) for some in (beside, alone)]
    print(
        f"  beside them to alone: rate {rates[0] / rates[1]:.3f}, 95th percentile "
        f"{late[0] / late[1]:.2f}"
    )


def soak(
    crowd: Crowd, process: "subprocess.Popen[str]", port: int, given: argparse.Namespace
) -> None:
    first = memory(process)
    with Slow(port, given.slow) as slow:
        for minute in range(given.minutes):
            rate, waited = crowd.asking(60)
            told(f"minute {minute + 1}", rate, waited, process)
    print(
        f"  resident: {first:.1f} MB before, {memory(process):.1f} MB after {given.minutes} minutes"
    )
    print(f"  slow ones were cut off {slow.cut_off} times")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--rate", type=float, default=200)
    parser.add_argument("--slow", type=int, default=50)
    parser.add_argument("--minutes", type=int, default=0)
    main(parser.parse_args())
