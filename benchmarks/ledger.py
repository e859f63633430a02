"""What a ledger costs when its history is long: opening, charging, drawing, settling, showing.

    python benchmarks/ledger.py [EVENTS]      # a million by default

Everything that is measured goes through the ledger as it is used.
"""

import os
import secrets
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from ledger_history import ABOUT, DIGEST, EACH, NAMES, PLAN, fill

from sfumato.ledger import Ledger

BARS = {"open": 1.0, "charge": 0.005, "draw": 0.005, "settle": 0.005, "show": 1.0}


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
                paid = partial(ledger.reserve, one, NAMES[2], EACH, plan=PLAN, protects=ABOUT)
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
