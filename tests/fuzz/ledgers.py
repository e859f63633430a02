"""Ledger files: damaged ones are refused, and never with a traceback."""

import sqlite3
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from fuzz.changes import ODD, WORDS, bytes_changed
from fuzz.judge import Trial, command
from ledger_world import ABOUT
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP

__all__ = ["make"]


@cache
def _good() -> dict[str, bytes]:
    """A ledger with a history, and whatever stands beside it while it is open."""
    with TemporaryDirectory() as place:
        path = Path(place) / "budget.db"
        with Ledger.create(path) as ledger:
            ledger.grant("people", PureDP(3), reason="a test")
            for release in ("first", "second", "third"):
                ledger.reserve(release, "people", PureDP("1/2"), plan="c0ffee00", protects=ABOUT)
            ledger.draw("first", b"0123456789abcdef")
            ledger.settle("first", "0123456789abcdef")
            ledger.draw("second", None)
            return {file.name: file.read_bytes() for file in Path(place).iterdir()}


def make(rng: Random, folder: Path) -> Trial:
    """A changed ledger that is opened, asked and written to."""
    files, path = _good(), folder / "budget.db"
    for name, content in files.items():
        (folder / name).write_bytes(content)
    level = rng.choice(("bytes", "bytes", "cells", "gone", "beside"))
    changed = rng.choice(list(files))
    if level == "bytes":
        (folder / changed).write_bytes(bytes_changed(rng, files[changed], 2))
    elif level == "gone":
        (folder / changed).unlink()
    elif level == "beside":
        ending = rng.choice(("-wal", "-shm", "-journal", ".draft", ".answers"))
        (folder / f"budget.db{ending}").write_bytes(rng.randbytes(rng.choice((0, 1, 32, 5000))))
    else:
        changed = _cell_changed(rng, path)
    acts = {
        "open": lambda: _used(path),
        "show": command("ledger", "show", "--ledger", str(path)),
        "verify": command("ledger", "verify", "--ledger", str(path)),
        "doctor": command("doctor", "--ledger", str(path)),
        "refund": command("ledger", "refund", "third", "--reason", "x", "--ledger", str(path)),
    }
    chosen = rng.choice(list(acts))
    return Trial(acts[chosen], f"{chosen}, {level}: {changed}")


def _cell_changed(rng: Random, path: Path) -> str:
    """By somebody with SQLite at hand, who leaves out the rules that stand in the way."""
    said = "no cell"
    with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.Error, OverflowError):
        names = connection.execute("SELECT type, name FROM sqlite_schema").fetchall()
        for kind, name in names:
            if kind == "trigger":
                connection.execute(f'DROP TRIGGER "{name}"')
        table = rng.choice([name for kind, name in names if kind == "table"])
        columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
        column, value = rng.choice(columns), rng.choice((*WORDS, *ODD, b"\xff"))
        said = f"{table}.{column} = {value!r}"
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(f'UPDATE "{table}" SET "{column}" = ?', (value,))
        connection.commit()
    return said


def _used(path: Path) -> None:
    with Ledger(path) as ledger:
        for name in ledger.datasets():
            ledger.balance(name)
        ledger.unfinished()
        ledger.entry("first")
        ledger.reserve("fourth", "people", PureDP("1/2"), plan="c0ffee00", protects=ABOUT)
        ledger.verify()
