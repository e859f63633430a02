"""How many charges a second a ledger takes that many processes share, in a file and on a server.

    python benchmarks/ledger_race.py [CHARGES] [PROCESSES]      # 10,000 by 8 by default

Half of the processes reach the server by one address and half by another, as from two hosts; both
are sockets of this machine, so the network costs nothing here.  The budget is for so many charges
and no more, and every process tries until it is refused: what was spent must be exactly that.
"""

import multiprocessing
import os
import sys
import time
from multiprocessing.synchronize import Barrier
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from postgres_server import programs, running
from sfumato.errors import BudgetError
from sfumato.ledger import Ledger
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import PureDP

ABOUT, PLAN = "one record (row) of the table; replace-one", "c0ffee00"
ONE = PureDP("0.000001")


def charge_all(place: str, name: int, ready: Barrier, told: "multiprocessing.Queue[int]") -> None:
    """Charge until nothing is left; how often that was."""
    done = 0
    with Ledger(place) as ledger:
        ready.wait()
        try:
            while True:
                ledger.reserve(f"{name}-{done}", "adult", ONE, plan=PLAN, protects=ABOUT)
                done += 1
        except BudgetError:
            told.put(done)


def race(places: list[str], charges: int) -> float:
    """Let a process for each place charge the same budget; charges per second."""
    with Ledger.create(places[0]) as ledger:
        ledger.grant("adult", PureDP(f"{charges}e-6"), reason="for the race")
    ready, told = multiprocessing.Barrier(len(places) + 1), multiprocessing.Queue()
    crowd = [
        multiprocessing.Process(target=charge_all, args=(place, name, ready, told))
        for name, place in enumerate(places)
    ]
    for one in crowd:
        one.start()
    ready.wait()
    begin = time.perf_counter()
    won = [told.get() for _ in crowd]
    took = time.perf_counter() - begin
    for one in crowd:
        one.join()
    with Ledger(places[0]) as ledger:
        begin = time.perf_counter()
        ledger.verify()
        verified = time.perf_counter() - begin
        balance = ledger.balance("adult")
        over = balance.spent.micro_epsilon - balance.granted.micro_epsilon
        lines = len(ledger.history())
    assert balance.left == Charge(), "the race stopped before the budget was spent"
    assert sum(won) == charges == balance.releases
    print(
        f"  {charges / took:8,.0f} charges/s   overspend {over}"
        f"   won {min(won):,}-{max(won):,} each   verify of {lines:,} lines {verified:.1f} s"
    )
    return charges / took


def main() -> None:
    """Both, side by side."""
    charges = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    with TemporaryDirectory() as folder:
        os.environ |= {"XDG_STATE_HOME": f"{folder}/state", "XDG_DATA_HOME": f"{folder}/data"}
        print(f"{charges:,} charges by {processes} processes on {os.cpu_count()} cores")
        print("a file of SQLite")
        file = race([f"{folder}/budget.db"] * processes, charges)
        if programs() is None:
            print("no PostgreSQL can be started here")
            return
        with running(durable=True) as server:
            other = Path(folder) / "other"
            other.symlink_to(server.folder)  # another address of the same server
            sides = [server.url(), server.url().replace(str(server.folder), f"{folder}/other")]
            print("PostgreSQL, by two addresses")
            database = race([sides[k % 2] for k in range(processes)], charges)
        print(f"PostgreSQL takes {database / file:.2f} times as many a second")


if __name__ == "__main__":
    main()
