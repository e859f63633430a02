"""A publisher that follows the ledger's protocol, for tests that kill it or spoil its file."""

import os
import shutil
from contextlib import contextmanager, nullcontext
from datetime import datetime
from pathlib import Path

import pytest

from sfumato.errors import LedgerError
from sfumato.ledger import Ledger
from sfumato.ledger.audit import replay
from sfumato.ledger.chain import Balance, genesis, hash_of, next_line
from sfumato.ledger.sql import every_line
from sfumato.ledger.sqlite.connection import FileConnection
from sfumato.ledger.table_part import DIVISIBLE
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import PureDP

__all__ = [
    "ABOUT",
    "CHARGE",
    "DIGEST",
    "PLAN",
    "World",
    "at_time",
    "audited",
    "connection_of",
    "following",
    "forget_heads",
    "lines_in",
    "who_writes",
]

PLAN, DIGEST = "c0ffee00", "0123456789abcdef"
ABOUT = "one record (row) of the table; replace-one"
CHARGE = PureDP("0.4")


def forget_heads():
    """As on a machine where no ledger was ever used."""
    shutil.rmtree(Path(os.environ["XDG_STATE_HOME"]) / "sfumato", ignore_errors=True)


def connection_of(ledger):
    """The connection beneath an open ledger, for tests that look at its tables themselves."""
    return ledger._backend.connection


def lines_in(ledger):
    """Every line with its stored hash."""
    return list(every_line(connection_of(ledger)))


def audited(lines, ledger_id):
    """What the auditor says of these lines, once their numbers and hashes were made right."""
    history, head = [], genesis(ledger_id)
    for number, line in enumerate(lines, 1):
        line = line._replace(sequence=number, previous=head)
        history.append((line, head := hash_of(line)))
    return replay(history, ledger_id)


def following(lines, kind, dataset, **said):
    """The line that a program without scruples would write after these, its balance right."""
    last = lines[-1]
    before = [line.balance for line in lines if line.dataset == dataset]
    columns = {"clock": last.clock, "who": last.who, "detail": "{}"} | said
    detail = columns.pop("detail")
    where = last.sequence, hash_of(last)
    return next_line(where, [Balance(), *before][-1], kind, dataset, detail, **columns)


@contextmanager
def at_time(moment):
    """As if this machine's clock said so: seconds since 1970, or a day at noon."""
    if isinstance(moment, str):
        moment = datetime.fromisoformat(f"{moment}T12:00:00+00:00").timestamp()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FileConnection, "clock", property(lambda _: int(moment)))
        yield


@contextmanager
def who_writes(name):
    """As if another person of this host used the ledger."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FileConnection, "who", property(lambda _: name))
        yield


class World:
    """A ledger, an output folder, and a publisher that follows the protocol."""

    def __init__(self, folder, table_part=None):
        self.about = {"protects": ABOUT if table_part is None else DIVISIBLE}
        self.about["table_part"] = table_part
        self.folder, self.path = folder, folder / "budget.db"
        self.output, self.draws = folder / "release.csv", folder / "draws.log"
        with Ledger.create(self.path) as ledger:
            ledger.grant("adult", PureDP(1), reason="approved")
            self.key = ledger.fingerprint_key
        self.whole, self.seen = self.path.read_bytes(), set()
        self.key_file = folder / "budget.db.key"
        self.kept = self.key_file.read_bytes()

    def reset(self):
        for file in self.folder.iterdir():
            file.unlink()
        forget_heads()
        self.path.write_bytes(self.whole)
        self.key_file.touch(mode=0o600)
        self.key_file.write_bytes(self.kept)

    def publish(self):
        with Ledger(self.path) as ledger:
            entry = ledger.reserve("r", "adult", CHARGE, plan=PLAN, **self.about)
            if entry.state == "reserved":
                ledger.draw("r", b"fingerprint of the data")
                with self.draws.open("a") as log:
                    log.write("noise\n")
                draft = self.folder / "release.csv.draft"
                draft.write_text("noisy values")
                draft.rename(self.output)
            elif entry.state == "drawn" and not self.output.exists():
                raise LedgerError("the noise is spent and the release is lost")
            ledger.settle("r", DIGEST)

    def check(self, *_):
        """What must hold after any kill, and again after the next run."""
        self.check_now()
        lost = self.state == "drawn" and not self.output.exists()
        with pytest.raises(LedgerError, match="lost") if lost else nullcontext():
            self.publish()
        assert self.output.exists() == (not lost)
        self.check_now()

    def check_news(self, *_):
        """The same, with the next run only where the kill left something not seen before."""
        self.check_now()
        seen = self.state, self.output.exists(), self.draws.exists()
        if seen not in self.seen:
            self.seen.add(seen)
            self.check()

    def check_now(self):
        draws = self.draws.read_text().count("noise") if self.draws.exists() else 0
        assert draws <= 1
        with Ledger(self.path) as ledger:  # opening verifies the whole history
            entry, spent = ledger.entry("r"), ledger.balance("adult").spent
            assert ledger.fingerprint_key == self.key
        self.state = entry and entry.state
        assert spent == (Charge() if entry is None else Charge(400_000))
        assert not (draws or self.output.exists()) or self.state in ("drawn", "released")
        assert self.state != "released" or self.output.exists()
