"""A worker of the studio that a test lets die at a point of its way, by a fault or a signal."""

import os
import signal
import sys
import time
from pathlib import Path

from sfumato.release.folder import FolderWriter
from sfumato.studio import work

CANARY = "CANARY-value-of-a-record"


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def before(owner, name, act):
    """Let `act` happen before each call."""
    was = getattr(owner, name)

    def changed(*given, **said):
        act()
        return was(*given, **said)

    setattr(owner, name, changed)


def after(owner, name, act):
    was = getattr(owner, name)

    def changed(*given, **said):
        found = was(*given, **said)
        act()
        return found

    setattr(owner, name, changed)


def fault():
    raise ValueError(CANARY)


def crash():
    print(CANARY, flush=True)
    os.write(2, CANARY.encode())
    os.abort()


def hold():
    """Wait for the test, which makes a file."""
    project = Path(sys.argv[-2])
    (project / "holds").write_text(str(os.getpid()))
    (project / "holds").rename(project / "held")
    while not (project / "go-on").exists():
        time.sleep(0.02)


_LEDGER = work._ToldLedger
FATES = {
    "work": lambda: None,
    "killed before the charge": lambda: before(_LEDGER, "reserve", die),
    "killed once charged": lambda: before(_LEDGER, "draw", die),
    "killed once drawn": lambda: after(_LEDGER, "draw", die),
    "killed while writing": lambda: before(FolderWriter, "finish", die),
    "killed in place": lambda: before(_LEDGER, "settle", die),
    "killed once settled": lambda: after(_LEDGER, "settle", die),
    "fault before the charge": lambda: before(_LEDGER, "reserve", fault),
    "fault once charged": lambda: before(_LEDGER, "draw", fault),
    "fault once drawn": lambda: after(_LEDGER, "draw", fault),
    "crash once charged": lambda: before(_LEDGER, "draw", crash),
    "held while looking": lambda: before(work, "_done", hold),
    "held before it begins": lambda: before(work, "run", hold),
    "held before the charge": lambda: before(_LEDGER, "reserve", hold),
    "held once charged": lambda: before(_LEDGER, "draw", hold),
    "held once drawn": lambda: after(_LEDGER, "draw", hold),
}


def main(arguments):
    fate, place, job = arguments
    FATES[fate]()
    work.main([place, job])
