"""How long it takes to check a whole ledger: every page, rule, hash, balance and step.

python benchmarks/ledger_verify.py [LINES]      # a million by default; the bar is a minute
"""

import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from ledger_history import fill

from sfumato.ledger import Ledger
from sfumato.ledger.audit import Audit
from sfumato.ledger.chain import genesis
from sfumato.ledger.sql import every_line

BAR = 60e-6  # seconds a line


def main(lines: int) -> None:
    with TemporaryDirectory(dir=".") as folder:
        os.environ["XDG_STATE_HOME"] = folder
        path = Path(folder) / "budget.db"
        begin = time.process_time()
        fill(path, lines)
        with Ledger(path) as ledger:
            count = len(ledger._backend.connection.execute("SELECT 1 FROM event").fetchall())
            print(f"{count:,} lines made in {time.process_time() - begin:.0f} s of CPU,", end=" ")
            print(f"{path.stat().st_size / 1e6:.0f} MB", flush=True)
            audit = Audit(genesis(ledger.ledger_id))
            walking = cpu(lambda: audit.walk(every_line(ledger._backend.connection)))
            print(f"  the lines alone: {walking:.1f} s, {walking / count * 1e6:.1f} µs a line")
            whole = cpu(ledger.verify)
            print(f"verify: {whole:.1f} s of CPU, {whole / count * 1e6:.1f} µs a line;", end=" ")
            print(f"{BAR * count / whole:.1f} times within its bar")


def cpu(what) -> float:
    begin = time.process_time()
    what()
    return time.process_time() - begin


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
