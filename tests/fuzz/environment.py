"""The environment that a command starts in: languages, terminals, places, and odd words."""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

from fuzz.changes import WORDS
from fuzz.schemas import SCHEMA
from fuzz.tables import SECRETS, csv_of

__all__ = ["fault_in", "world"]

_ODD = {
    "LC_ALL": ("C", "POSIX", "xx_YY", "C.UTF-8"),
    "PYTHONIOENCODING": ("ascii", "latin-1", "utf-16", "ascii:strict"),
    "PYTHONUTF8": ("0", "1"),
    "TERM": ("", "dumb", "xterm-256color", "x"),
    "COLUMNS": ("0", "1", "-5", "x", "100000", ""),
    "LINES": ("0", "x"),
    "NO_COLOR": ("", "1"),
    "FORCE_COLOR": ("1",),
    "TZ": ("", "Nowhere/None", "Asia/Kathmandu", ":"),
    "HOME": ("", "/nowhere", "x" * 300),
    "TMPDIR": ("/nowhere", "", "."),
    "XDG_STATE_HOME": ("", "/nowhere", ".", "people.csv", "/proc", "x" * 300, "relative/place"),
    "XDG_CACHE_HOME": ("/nowhere", ""),
    "SFUMATO_LEDGER": ("", ".", "none", "people.csv", "/proc/self/mem", "x" * 300),
    "OMP_NUM_THREADS": ("0", "-1", "x"),
    "NUMBA_NUM_THREADS": ("1",),
    "NUMBA_CACHE_DIR": ("/nowhere",),
}
_COMMANDS = (
    "publish people.csv --schema people.json --epsilon 1 --yes -o out",
    "ledger create --ledger new.db",
    "schema check people.json",
    "schema draft people.csv",
    "methods",
    "doctor",
    "verify out",
    "--help",
)


def world(rng: Random) -> tuple[dict[str, str], list[str]]:
    """Some odd variables, and a command."""
    chosen = {
        name: rng.choice((*_ODD[name], rng.choice(WORDS).replace("\0", "")))
        if name not in ("PYTHONIOENCODING", "PYTHONUTF8", "NUMBA_NUM_THREADS")
        else rng.choice(_ODD[name])  # Python and numba judge these before we are asked
        for name in rng.sample(list(_ODD), rng.randint(1, 4))
    }
    return chosen, rng.choice(_COMMANDS).split()


def fault_in(variables: dict[str, str], words: list[str], folder: Path) -> str | None:
    """What is wrong with how the command ends."""
    (folder / "people.csv").write_text(csv_of(Random(1)))
    (folder / "people.json").write_text(json.dumps(SCHEMA))
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-m", "sfumato", *words],
        cwd=folder,
        env=kept | variables,
        capture_output=True,
        timeout=120,
        check=False,
    )
    said = done.stdout + done.stderr
    if b"Traceback" in said or done.returncode not in (0, 1, 2):
        return f"exit code {done.returncode}: {said[-600:].decode('utf-8', 'replace')}"
    if any(secret.encode() in said for secret in SECRETS):
        return "a secret is told"
    return None
