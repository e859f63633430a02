"""What a ledger costs when its history is long: opening, charging, drawing, settling, showing.

    python benchmarks/ledger.py [EVENTS]      # a million by default

The history is made by the ledger's own lines, in one transaction, so that making it takes a
minute and not an hour; everything that is measured goes through the ledger as it is used.
"""

import os
import secrets
import sqlite3
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from sfumato.ledger import Ledger
from sfumato.ledger.amount import NOTHING
from sfumato.ledger.chain import Balance, hash_of, next_line, summary, written
from sfumato.ledger.session import CHECKPOINT
from sfumato.ledger.sql import balance_of, insert, last_hash, last_line
from sfumato.privacy.budget import charge as price
from sfumato.privacy.guarantee import PureDP, to_json

DATASETS, EACH = 50, PureDP("0.000001")
ABOUT = "one record (row) of the table; replace-one"
PLAN, DIGEST = "c0ffee00", "0123456789abcdef"
BARS = {"open": 1.0, "charge": 0.005, "draw": 0.005, "settle": 0.005, "show": 1.0}


def fill(path: Path, events: int) -> None:
    """Releases in turn for each data set, one in a thousand left unfinished."""
    with Ledger.create(path) as ledger:
        for k in range(DATASETS):
            ledger.grant(f"data-{k:02}", PureDP(1_000), reason="approved")
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN")
    event, head = last_line(connection)
    names = [f"data-{k:02}" for k in range(DATASETS)]
    books = {name: balance_of(connection, name) or Balance() for name in names}
    asked = written({"guarantee": to_json(EACH), "plan": PLAN})
    last, release = (event.sequence, head), 0
    since = 0
    while last[0] < events:
        name, one = names[release % DATASETS], f"release-{release}"
        steps = [("reserve", asked), ("draw", "{}"), ("settle", written({"digest": DIGEST}))]
        for kind, said in steps[: 2 if release % 1_000 == 7 else 3]:
            event = next_line(
                last,
                books[name],
                kind,
                name,
                said,
                clock=0,
                release=one,
                amount=price(EACH) if kind == "reserve" else NOTHING,
                protects=ABOUT if kind == "reserve" else None,
                fingerprint=secrets.token_hex(32) if kind == "draw" else None,
            )
            insert(connection, event)
            books[name], last = event.balance, (event.sequence, hash_of(event))
        release += 1
        if last[0] - since >= CHECKPOINT:
            told = summary((name, str(last_hash(connection, name))) for name in names)
            event = next_line(last, Balance(), "checkpoint", "", told, clock=0)
            insert(connection, event)
            last, since = (event.sequence, hash_of(event)), event.sequence
    connection.execute("COMMIT")
    connection.close()


def timed(what: Callable[[], object]) -> float:
    begin = time.perf_counter()
    what()
    return time.perf_counter() - begin


def spread(times: list[float]) -> str:
    times = sorted(times)
    return f"median {times[len(times) // 2] * 1e3:.2f} ms, worst {times[-1] * 1e3:.1f} ms"


def disk(folder: Path, size: int = 4096) -> float:
    """The median time of a write and a sync: what no durable charge can be faster than."""
    times = []
    with (folder / "probe").open("wb", buffering=0) as out:
        for _ in range(50):
            begin = time.perf_counter()
            out.write(b"\0" * size)
            os.fsync(out.fileno())
            times.append(time.perf_counter() - begin)
    return sorted(times)[25]


def main(events: int) -> None:
    with TemporaryDirectory(dir=".") as folder:
        os.environ["XDG_STATE_HOME"] = folder
        path = Path(folder) / "budget.db"
        print(f"making {events:,} events …", flush=True)
        print(f"  {timed(lambda: fill(path, events)):.0f} s, {path.stat().st_size / 1e6:.0f} MB")
        found: dict[str, list[float]] = {name: [] for name in BARS}
        for _ in range(3):
            found["open"].append(timed(lambda: Ledger(path).close()))
        with Ledger(path) as ledger:
            for k in range(300):
                one = f"new-{k}"
                paid = partial(ledger.reserve, one, "data-00", EACH, plan=PLAN, protects=ABOUT)
                found["charge"].append(timed(paid))
                found["draw"].append(timed(partial(ledger.draw, one, secrets.token_bytes(32))))
                found["settle"].append(timed(partial(ledger.settle, one, DIGEST)))
        for _ in range(3):
            found["show"].append(timed(lambda: show(path)))
        sync = disk(Path(folder))
        for name, times in found.items():
            middle = sorted(times)[len(times) // 2]
            print(f"{name:7} {spread(times):42} {BARS[name] / middle:6.1f} times within its bar")
        print(f"one write and sync of this disk: {sync * 1e3:.2f} ms;", end=" ")
        print(f"a charge is {sorted(found['charge'])[150] / sync:.1f} of them")
        with Ledger(path) as ledger:
            print(f"verify (every line from the first on): {timed(ledger.verify):.1f} s")


def show(path: Path) -> None:
    with Ledger(path) as ledger:
        for name in ledger.datasets():
            ledger.balance(name)
            ledger.unfinished(name)
            ledger.inspections(name)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
