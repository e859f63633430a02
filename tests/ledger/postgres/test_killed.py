"""Ledger in PostgreSQL: client, connection or server die at each step of a release."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress

import pytest

psycopg = pytest.importorskip("psycopg")

from killing import in_child, kill_at_every_line, spawn  # noqa: E402
from ledger_world import ABOUT, DIGEST, PLAN  # noqa: E402
from postgres_ledger import made  # noqa: E402
from sfumato.errors import LedgerError  # noqa: E402
from sfumato.ledger import Ledger  # noqa: E402
from sfumato.ledger.postgres import connection  # noqa: E402
from sfumato.ledger.postgres.connection import DatabaseConnection  # noqa: E402
from sfumato.privacy.guarantee import PureDP  # noqa: E402
from slowness import slow  # noqa: E402

FILES = ("ledger/session.py", "ledger/postgres/backend.py", "ledger/sql.py", "ledger/ledger.py")


class Publisher:
    """Follows the protocol, as often as it is asked; `check` is what must hold in between."""

    def __init__(self, people, address, schema, folder):
        self.people, self.schema = people, schema
        self.address, self.draws, self.output = (
            people.url("paul", schema),
            folder / "draws",
            folder / "output",
        )
        made(people, address, epsilon=1_000)
        self.number = 0

    @property
    def release(self):
        return f"r{self.number}"

    def another(self):
        self.number += 1
        for file in (self.draws, self.output):
            file.unlink(missing_ok=True)

    def publish(self):
        with Ledger(self.address) as ledger:
            self.steps(ledger)

    def steps(self, ledger):
        entry = ledger.reserve(self.release, "adult", PureDP(1), plan=PLAN, protects=ABOUT)
        if entry.state == "reserved":
            ledger.draw(self.release, b"fingerprint of it")
            with self.draws.open("a") as log:
                log.write("noise\n")
            self.output.write_text("noisy values")
        elif entry.state == "drawn" and not self.output.exists():
            raise LedgerError("the noise is spent and the release is lost")
        ledger.settle(self.release, DIGEST)

    def check(self, *_):
        self.check_now()
        with suppress(LedgerError):
            self.publish()
        entry = self.check_now()
        assert entry is not None
        assert entry.state == "released" or not self.output.exists()

    def check_now(self):
        draws = self.draws.read_text().count("noise") if self.draws.exists() else 0
        assert draws <= 1
        with Ledger(self.people.url("aude", self.schema)) as ledger:  # opening verifies it all
            entry, spent = ledger.entry(self.release), ledger.balance("adult").spent
        assert spent.micro_epsilon == 1_000_000 * (self.number - (entry is None))
        assert not draws or entry.state in ("drawn", "released")
        assert not self.output.exists() or entry.state in ("drawn", "released")
        return entry


@pytest.fixture
def publisher(people, address, schema, tmp_path):
    return Publisher(people, address, schema, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_client_killed_at_any_line_never_draws_twice(publisher, monkeypatch):
    # What lies behind a checkpoint is not read again: otherwise each release makes the next one
    # longer, and the kills run after its end.
    monkeypatch.setattr("sfumato.ledger.session.CHECKPOINT", 8)
    kills = kill_at_every_line(
        publisher.publish, FILES, publisher.check, publisher.another, stride=13
    )
    assert kills > 300


@pytest.fixture
def at_statement(monkeypatch):
    """Does something just before the n-th statement of a write."""
    whole = psycopg.Connection.execute

    class At:
        count, at, what = 0, None, None

    def execute(self, query, *more, **how):
        if self.info.parameter_status("application_name") == "sfumato ledger":
            At.count += 1
            if At.count == At.at:
                At.what(self)
        return whole(self, query, *more, **how)

    monkeypatch.setattr(psycopg.Connection, "execute", execute)
    return At


def every_statement(publisher, at, stride, what):
    """Publish, each time with `what` done at another statement, until there are no more."""
    for number in range(1, 200, stride):
        publisher.another()
        with Ledger(publisher.address) as ledger:
            at.count, at.at, at.what = 0, number, what
            try:
                publisher.steps(ledger)
                survived = True
            except LedgerError as error:
                survived, said = False, str(error)
            at.at = None
            if not survived:  # the same object goes on
                assert "\n" not in said
                assert "ledger postgresql://" in said
                with suppress(LedgerError):
                    publisher.steps(ledger)
        publisher.check_now()
        if at.count < number:
            return number
    raise AssertionError("more statements than were thought")


@pytest.mark.parametrize("stride", [23, slow(2)])
def test_a_connection_cut_before_any_statement_never_charges_twice(
    people, publisher, at_statement, stride
):
    def cut(raw):
        with people.raw() as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [raw.info.backend_pid])

    assert every_statement(publisher, at_statement, stride, cut) > 30


@pytest.mark.slow
def test_a_server_killed_before_any_statement_never_charges_twice(
    ledger_server, publisher, at_statement
):
    def crash(_):
        ledger_server.kill()
        ledger_server.start()

    assert every_statement(publisher, at_statement, 4, crash) > 30


@pytest.mark.slow
def test_a_server_process_killed_before_any_statement_never_charges_twice(
    people, publisher, at_statement
):
    def crash(raw):
        with people.raw() as other:
            os.kill(raw.info.backend_pid, signal.SIGKILL)  # all others are ended, and it recovers
            until(lambda: not answers(other))
        until(lambda: answers(None))

    def answers(other):
        with suppress(psycopg.OperationalError), nullcontext(other) if other else people.raw() as a:
            a.execute("SELECT")
            return True

    def until(done):
        end = time.monotonic() + 30
        while not done():
            assert time.monotonic() < end
            time.sleep(0.05)

    assert every_statement(publisher, at_statement, 6, crash) > 30


def test_a_cancelled_statement_leaves_nothing_behind(people, publisher):
    publisher.another()
    with Ledger(publisher.address) as ledger, people.raw("pia", publisher.schema) as other:
        other.execute("BEGIN; LOCK TABLE turn IN EXCLUSIVE MODE")
        pid, done = ledger._backend.connection.raw.info.backend_pid, threading.Event()

        def cancel():
            with people.raw() as root:
                while not done.wait(0.1):
                    root.execute("SELECT pg_cancel_backend(%s)", [pid])

        with ThreadPoolExecutor(1) as threads:
            cancelling = threads.submit(cancel)
            try:
                with pytest.raises(LedgerError, match="limit of time or by hand: this was not"):
                    publisher.steps(ledger)
            finally:
                done.set()
            cancelling.result()
        other.execute("ROLLBACK")
    publisher.check_now()


def test_who_waits_too_long_is_told_so(people, publisher):
    publisher.another()
    with Ledger(publisher.address) as ledger, people.raw("pia", publisher.schema) as other:
        ledger._backend.connection.raw.execute("SET lock_timeout = '200ms'")
        other.execute("BEGIN; LOCK TABLE turn IN EXCLUSIVE MODE")
        with pytest.raises(LedgerError, match="another process has held it"):
            publisher.steps(ledger)
        other.execute("ROLLBACK")
        publisher.steps(ledger)
    publisher.check_now()


def test_whoever_stops_in_the_middle_loses_the_turn_and_not_the_others(publisher):
    shorter = connection._SETTINGS.replace("timeout = '20s'", "timeout = '1s'")
    assert shorter != connection._SETTINGS
    publisher.another()

    def stopped():
        connection._SETTINGS = shorter  # of this process alone
        with Ledger(publisher.address) as ledger:
            with pytest.raises(LedgerError, match=r"stopped for too long|the server went away"):
                writes(ledger)
            ledger.verify()

    def writes(ledger):
        with ledger._writing() as held:
            os.kill(os.getpid(), signal.SIGSTOP)
            held.execute("SELECT 'awake again'")

    child = spawn(stopped)
    os.waitpid(child, os.WUNTRACED)
    try:
        publisher.publish()
    finally:
        os.kill(child, signal.SIGCONT)
        _, status = os.waitpid(child, 0)
    assert status == 0
    publisher.check_now()


def test_a_write_that_the_server_cannot_put_in_order_is_refused_whole(people, publisher):
    publisher.another()
    with Ledger(publisher.address) as ledger:
        whole = DatabaseConnection.execute

        def clash(self, query, *values):
            if query.startswith("INSERT"):
                self.raw.execute("DO $$ BEGIN RAISE serialization_failure; END $$")
            return whole(self, query, *values)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(DatabaseConnection, "execute", clash)
            with pytest.raises(LedgerError, match="another write came between: this was not"):
                publisher.steps(ledger)
        publisher.steps(ledger)
    publisher.check_now()


def test_a_child_does_not_use_the_connection_of_its_parent(publisher):
    publisher.another()
    with Ledger(publisher.address) as ledger:

        def child():
            with pytest.raises(LedgerError, match="opened before a fork"):
                publisher.steps(ledger)
            ledger.close()

        assert in_child(child) == 0
        publisher.steps(ledger)
    publisher.check_now()
