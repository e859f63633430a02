"""The programs whose power is cut: each says what it has done by now.

    python acting.py publish|stream|desk [lax] [forgetful] [late]

`lax` asks SQLite not to wait for the disk, `forgetful` leaves out our own waiting, `late` does
both once a stream was paused: they are controls, in which a power cut must show.
"""

import ctypes
import os
import re
import sqlite3
import sys
from pathlib import Path

import pyarrow as pa

import sfumato
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.retrieval.counts import Counts
from sfumato.retrieval.desk import Desk
from sfumato.retrieval.mutual import Answering
from sfumato.retrieval.store import AnswerStore

__all__ = ["BITS", "asked", "desk_on", "publish", "stream"]

SCHEMA = {
    "name": "people",
    "columns": {
        "age": {"kind": "integer", "low": 0, "high": 100},
        "smoker": {"kind": "boolean"},
    },
}
TABLE = pa.table({"age": list(range(40)), "smoker": [True, False] * 20})
BITS, HORIZON = [0, 1, 1, 0] * 16, 64
COUNTS = Counts.of([f"k{place}" for place in range(8)], list(range(8)))
PRICE = "1/100"


def publish(root):
    """A release into a folder, charged."""
    return sfumato.publish(
        TABLE, schema=SCHEMA, epsilon=1, ledger=root / "b.db", folder=root / "out", release="r"
    )


def stream(root, bits, folder, **part):
    """A part of a running count."""
    return sfumato.publish_stream(
        bits,
        horizon=HORIZON,
        every=8,
        epsilon=1,
        name="people",
        ledger=root / "b.db",
        folder=root / folder,
        **part,
    )


def desk_on(ledger, store):
    """Eight counts that are asked about."""
    return Desk(COUNTS, Answering(8, "add-remove", PRICE), ledger, store, "people")


def asked(name):
    """A question."""
    from sfumato.retrieval.protocol import Question

    return Question(name, "query", COUNTS.values * 0.0 + 1)


def _mark(text):
    ctypes.CDLL(None).power_mark(text.encode())


def _marked(method):
    before = getattr(Ledger, method)

    def after(self, *given, **named):
        result = before(self, *given, **named)
        _mark(method)
        return result

    setattr(Ledger, method, after)


def _funded(root):
    with Ledger.create(root / "b.db") as ledger:
        _mark("created")
        ledger.grant("people", PureDP(2), reason="a test")
        _mark("granted")


def _publish(root, *_):
    publish(root)
    _mark("published")


def _stream(root, *controls):
    stream(root, BITS[:40], "first", release="r", pause=root / "s.state")
    _mark("paused")
    _forget(*("lax", "forgetful") * ("late" in controls))
    _mark("resuming")
    seen = []
    stream(
        root,
        BITS,
        "second",
        resume=root / "s.state",
        progress=lambda *_: None if seen else seen.append(_mark("continued")),
    )
    _mark("finished")


def _desk(root, *_):
    with Ledger(root / "b.db") as ledger, AnswerStore(root / "answers.db") as store:
        desk = desk_on(ledger, store)
        for batch in (("first-one",), ("second-a", "second-b"), ("third-one",)):
            for found in desk.answer([asked(name) for name in batch]):
                _mark(f"answered {found.id} {found.value.hex()}")
        desk.close()
        _mark("stopped")


class _Lax:
    """A connection that never waits for the disk, whatever it is told."""

    def execute(self, statement, *given):
        return super().execute(_not_waiting(statement), *given)

    def executescript(self, script):
        return super().executescript(_not_waiting(script))


def _not_waiting(statement):
    return re.sub(r"synchronous\s*=\s*\w+", "synchronous = OFF", statement, flags=re.I)


def _forget(*controls):
    if "lax" in controls:
        real = sqlite3.connect

        def connect(*given, factory=sqlite3.Connection, **named):
            return real(*given, **named, factory=type("Lax", (_Lax, factory), {}))

        sqlite3.connect = connect
    if "forgetful" in controls:
        os.fsync = lambda _: None


def main(scenario, *controls):
    """Act below POWER_ROOT; the ledger is made with care in the controls, too."""
    root = Path(os.environ["POWER_ROOT"])
    _funded(root)
    _forget(*controls)
    for method in ("reserve", "draw", "settle"):
        _marked(method)
    {"publish": _publish, "stream": _stream, "desk": _desk}[scenario](root, *controls)


if __name__ == "__main__":
    main(*sys.argv[1:])
