"""Private inner products: errors of all ways, bytes on the wire, answers per second.

Counts of a million keys follow Zipf's law; a long range and a hundred scattered keywords are
asked for.  The mutual protocol of Liu 2015 (both sides add noise, every answer is charged) is
compared with counts that are published once, as a histogram, as a wavelet, or as both at half
the budget each.  Then the real service runs on this host, with its ledger on this disk.

    python benchmarks/retrieval.py [--keys 1048576] [--repeats 20] [--answers 2000]
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SystemBits
from sfumato.retrieval.client import Prepared, QueryClient
from sfumato.retrieval.count_plan import planned
from sfumato.retrieval.mutual import Answering, QueryPromise

SERVICE_KEYS = 4096
CLIENTS = 8


def zipf(keys: int) -> np.ndarray:
    """Counts in the order of the keys, which is not the order of their size."""
    counts = np.rint(3.5e4 / np.arange(1, keys + 1) ** 0.6).astype(np.int64)
    return np.random.default_rng(0).permutation(counts)


def queries(keys: int) -> dict[str, np.ndarray]:
    start, long = keys // 3, min(45_900, keys // 2)
    span, few = np.zeros(keys, np.int64), np.zeros(keys, np.int64)
    span[start : start + long] = 1
    few[np.random.default_rng(1).choice(keys, 100, replace=False)] = 1
    return {f"range of {long:,} keys": span, "100 scattered keys": few}


def mutual_errors(x: np.ndarray, y: np.ndarray, repeats: int) -> np.ndarray:
    server, promise = Answering(x.size, "add-remove", 1), QueryPromise(1, x.size)
    bits, units, found = SystemBits(), np.ones(x.size, np.int64), []
    for _ in range(repeats):
        noise = server.noise(1)
        noisy = Purse(noise.cost, bits).pay(noise).add(x, units)
        found.append(float(noisy @ promise.noisy(y, bits).astype(float)) - float(x @ y))
    return np.array(found)


def published_errors(x: np.ndarray, asked: dict, ways: str, repeats: int) -> dict[str, list[float]]:
    plan, found = planned(x.size, PureDP(1), ways=ways), {name: [] for name in asked}
    shares = {
        name: [way.share(y.astype(float)).variance for way in plan.ways.values()]
        for name, y in asked.items()
    }
    for _ in range(repeats):
        purse = Purse(PureDP(1), SystemBits())
        columns = [way.published(x, purse) for way in plan.ways.values()]
        for name, y in asked.items():
            parts = 1 / np.array(shares[name])
            values = [float(column @ y) for column in columns]
            found[name].append(float(parts @ values / parts.sum()) - float(x @ y))
    return found


def foretold(x: np.ndarray, y: np.ndarray, ways: str) -> float:
    """The deviation that the formulas say; of the mutual protocol it needs the counts."""
    query = y.astype(float)
    if not ways:
        server, promise = Answering(x.size, "add-remove", 1), QueryPromise(1, x.size)
        return float(np.sqrt(server.variance(x.astype(float), query, promise)))
    plan = planned(x.size, PureDP(1), ways=ways)
    return float(sum(1 / way.share(query).variance for way in plan.ways.values()) ** -0.5)


def errors(keys: int, repeats: int) -> None:
    x, asked = zipf(keys), queries(keys)
    rmse = {"both sides noised": {n: mutual_errors(x, y, repeats) for n, y in asked.items()}}
    for ways in ("histogram", "wavelet", "both"):
        rmse[f"published: {ways}"] = published_errors(x, asked, ways, repeats)
    print(f"\nRMSE at {keys:,} keys, ε = 1 on each side: of {repeats} repetitions, by formula")
    naive = {name: np.sqrt(np.mean(np.square(e))) for name, e in rmse["both sides noised"].items()}
    for way, found in rmse.items():
        for name, e in found.items():
            size = np.sqrt(np.mean(np.square(e)))
            told = foretold(x, asked[name], way.partition(": ")[2])
            print(f"  {way:22} {name:22} {size:10,.0f} {told:10,.0f}   1/{naive[name] / size:,.0f}")


def wire(keys: int) -> None:
    y = queries(keys)["100 scattered keys"]
    print(f"\nBytes of one question over {keys:,} keys (published counts: none is sent)")
    for epsilon in ("1", "0.1"):
        dense = len(Prepared.of(y, epsilon).message)
        sparse = len(Prepared.of(y, epsilon, compress=True).message)
        print(f"  ε = {epsilon:4} whole numbers {dense:12,}   kept Haar coefficients {sparse:12,}")


SERVER = """
import json, resource, sys
from sfumato.ledger import Ledger
from sfumato.retrieval.counts import Counts
from sfumato.retrieval.desk import Desk
from sfumato.retrieval.mutual import Answering
from sfumato.retrieval.service import Limits, listening, serve
from sfumato.retrieval.store import AnswerStore
folder, keys = sys.argv[1], int(sys.argv[2])
counts = Counts.of([f"k{i}" for i in range(keys)], range(keys))
taken = listening("127.0.0.1", 0)
with Ledger(folder + "/budget.db") as ledger, AnswerStore(folder + "/answers.db") as store:
    desk = Desk(counts, Answering(keys, "add-remove", "0.01"), ledger, store, "words")
    print(taken.getsockname()[1], flush=True)
    before = resource.getrusage(resource.RUSAGE_SELF)
    serve(desk, taken, limits=Limits(rate=1e6, answers_per_hour=10**9))
after = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
"""


def service(answers: int) -> None:
    y = np.zeros(SERVICE_KEYS, np.int64)
    y[:50] = 1
    asked = [Prepared.of(y, 1) for _ in range(answers)]
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        with Ledger.create(f"{folder}/budget.db") as ledger:
            ledger.grant("words", PureDP(answers), reason="a benchmark")
        words = [sys.executable, "-c", SERVER, folder, str(SERVICE_KEYS)]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        url = f"http://127.0.0.1:{process.stdout.readline().strip()}"

        def crowd(some: list[Prepared]) -> list[float]:
            taken = []
            with QueryClient(url) as client:
                for one in some:
                    start = time.perf_counter()
                    client.send(one)
                    taken.append(time.perf_counter() - start)
            return taken

        start = time.perf_counter()
        with ThreadPoolExecutor(CLIENTS) as pool:
            found = pool.map(crowd, [asked[k::CLIENTS] for k in range(CLIENTS)])
            waited = np.concatenate([np.array(some) for some in found])
        seconds = time.perf_counter() - start
        process.send_signal(signal.SIGINT)
        busy = float(json.loads(process.stdout.read().splitlines()[-1]))
        process.wait()
        with Ledger(f"{folder}/budget.db") as ledger:
            cost = ledger.balance("words").spent.micro_epsilon
            charges = ledger.balance("words").releases
    print(f"\nThe service: {answers:,} answers over {SERVICE_KEYS:,} keys to {CLIENTS} clients")
    print(
        f"  {answers / seconds:,.0f} answers a second; half wait {np.median(waited) * 1e3:.0f} ms"
    )
    print(f"  {busy / answers * 1e3:.2f} ms of the processor an answer, in {charges:,} charges")
    ahead = cost / 10_000 - answers
    print(
        f"  {ahead:,.0f} of {answers * 100:,} answers granted were bought ahead, lost at the stop"
    )
    assert ahead >= 0, "more was answered than was charged"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=2**20)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--answers", type=int, default=2000)
    told = parser.parse_args()
    service(told.answers)
    wire(told.keys)
    errors(told.keys, told.repeats)
