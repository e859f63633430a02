"""A worker of the studio that a test lets die at a point of its way, by a fault or a signal."""

import errno
import os
import signal
import sys
import time
from pathlib import Path

from sfumato.errors import LedgerError, ParameterError
from sfumato.release import folder
from sfumato.release.folder import FolderWriter
from sfumato.studio import work
from sfumato.studio.job_folder import JobFolder

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


def hold(again=""):
    """Wait for the test, which makes a file."""
    project = Path(sys.argv[-2])
    (project / "holds").write_text(str(os.getpid()))
    (project / "holds").rename(project / f"held{again}")
    while not (project / f"go-on{again}").exists():
        time.sleep(0.02)


def hold_twice():
    """Once it is charged, and once more when noise is drawn."""
    before(_LEDGER, "draw", hold)
    after(_LEDGER, "draw", lambda: hold("-again"))


def locked():
    """As a ledger says that another process keeps."""
    raise LedgerError("another process has held it for 30 s: try again later")


def fails(number):
    """As the system says it."""
    raise OSError(number, os.strerror(number))


def full():
    fails(errno.ENOSPC)


def read_only():
    fails(errno.EROFS)


def unwritten():
    """As it is told of the small files of a job."""
    raise ParameterError("the ending cannot be written: No space left on device")


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
    "held twice": hold_twice,
    "folder read-only before the charge": lambda: before(folder, "sweep", read_only),
    "disk full while writing": lambda: before(folder, "flush", full),
    "folder read-only at the end": lambda: before(Path, "rename", read_only),
    "disk full when all is done": lambda: before(JobFolder, "end", unwritten),
    "ledger held before the charge": lambda: before(_LEDGER, "reserve", locked),
    "ledger held once charged": lambda: before(_LEDGER, "draw", locked),
    "ledger held once written": lambda: before(_LEDGER, "settle", locked),
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
