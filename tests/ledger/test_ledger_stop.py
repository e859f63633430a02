"""Ledger: a release that was reserved in two steps, and stops after the first."""

import json
import sqlite3
from contextlib import suppress
from pathlib import Path
from threading import Barrier, Thread

import pytest

from killing import kill_at_every_line, quick_folder
from ledger_world import ABOUT, DIGEST, PLAN, forget_heads
from sfumato.errors import BudgetError, LedgerError, ParameterError
from sfumato.ledger import Ledger
from sfumato.ledger.audit import replay
from sfumato.ledger.balance_table import HEADINGS, balance_rows
from sfumato.ledger.chain import hash_of
from sfumato.ledger.sql import append, every_line
from sfumato.ledger.sqlite.connection import FileConnection
from sfumato.ledger.table_part import DIVISIBLE, TablePart
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP

FIRST = PureDP("0.02")
NORTH, SOUTH = (TablePart(f"region={k}", "f00d" * 4, ((k, k),)) for k in (0, 1))


@pytest.fixture
def ledger():
    with quick_folder() as folder, Ledger.create(Path(folder) / "budget.db") as opened:
        opened.grant("adult", ApproxDP(2, "1e-6"), reason="approved")
        opened.grant("other", ZCDP(1), reason="approved")
        yield opened


def begun(ledger, release="r", price=None, **request):
    asked = {"plan": PLAN, "protects": ABOUT, "first": FIRST} | request
    ledger.reserve(release, "adult", price or PureDP(1), **asked)
    ledger.draw(release, b"1" * 16)


def test_a_stop_leaves_the_first_step_charged_and_nothing_else(ledger):
    begun(ledger)
    assert ledger.balance("adult").spent == Charge(1_000_000)
    entry = ledger.stop("r")
    assert (entry.state, entry.charge, entry.rest) == ("stopped", Charge(20_000), Charge(980_000))
    balance = ledger.balance("adult")
    assert (balance.spent, balance.releases) == (Charge(20_000), 1)
    assert balance.protects == ABOUT  # what was looked at protects something for good
    assert not ledger.unfinished()
    ledger.verify()


def test_what_stopped_is_shown_beside_the_releases_and_not_among_them(ledger):
    begun(ledger, price=PureDP("0.1"))
    ledger.stop("r")
    begun(ledger, "s", price=PureDP("0.1"))
    ledger.passed("s")
    ledger.settle("s", DIGEST)
    assert [entry.release for entry in ledger.stopped("adult")] == ["r"]
    rows = [dict(zip(HEADINGS, r, strict=True)) for r in balance_rows(ledger, ["adult", "other"])]
    assert [row["releases"] for row in rows] == ["1, 1 stopped", "0"]


def test_an_epsilon_and_delta_are_given_back_but_for_the_first_epsilon(ledger):
    begun(ledger, price=ApproxDP(1, "1e-9"))
    assert ledger.stop("r").charge == Charge(20_000)
    assert ledger.balance("adult").spent == Charge(20_000)


def test_a_rho_is_given_back_but_for_the_first_one(ledger):
    request = {"plan": PLAN, "protects": ABOUT, "first": ZCDP("0.0000001")}
    ledger.reserve("z", "other", ZCDP("0.5"), **request)
    ledger.draw("z", None)
    assert ledger.stop("z").charge == Charge(micro_rho=1)  # the unit that it does not fill


def test_what_stopped_neither_settles_nor_draws_nor_is_refunded_nor_stops_again(ledger):
    begun(ledger)
    ledger.stop("r")
    for step in (
        lambda: ledger.settle("r", DIGEST),
        lambda: ledger.draw("r", None),
        lambda: ledger.refund("r", reason="again"),
        lambda: ledger.stop("r"),
        lambda: ledger.inspect("adult", release="r", what="a look"),
    ):
        with pytest.raises(LedgerError, match="stopped"):
            step()
    again = ledger.reserve("r", "adult", PureDP(1), plan=PLAN, protects=ABOUT, first=FIRST)
    assert again.state == "stopped"
    assert ledger.balance("adult").spent == Charge(20_000)


@pytest.mark.parametrize(("draws", "settles"), [(False, False), (True, True)])
def test_only_what_has_drawn_and_is_not_settled_can_stop(ledger, draws, settles):
    ledger.reserve("r", "adult", PureDP(1), plan=PLAN, protects=ABOUT, first=FIRST)
    if draws:
        ledger.draw("r", None)
    if settles:
        ledger.settle("r", DIGEST)
    with pytest.raises(LedgerError, match="cannot stop"):
        ledger.stop("r")
    assert ledger.balance("adult").spent == Charge(1_000_000)


def test_what_was_not_reserved_in_two_steps_cannot_stop(ledger):
    begun(ledger, first=None)
    with pytest.raises(LedgerError, match="two steps"):
        ledger.stop("r")


def test_a_first_step_that_costs_more_than_all_of_it_is_refused(ledger):
    for first in (PureDP(2), ZCDP("0.1"), ApproxDP("0.02", "1e-9")):
        with pytest.raises(ParameterError, match="first step"):
            begun(ledger, first=first)
    assert ledger.balance("adult").spent == Charge()


def test_what_a_stop_gives_back_can_be_spent_again(ledger):
    begun(ledger, price=PureDP(2))
    with pytest.raises(BudgetError):
        begun(ledger, "next", PureDP("1.9"))
    ledger.stop("r")
    begun(ledger, "next", PureDP("1.9"))
    ledger.settle("next", DIGEST)
    assert ledger.balance("adult").left == Charge(80_000, 1_000_000)
    ledger.verify()


def test_a_stopped_part_leaves_its_records_the_worse_by_the_first_step(ledger):
    for release, part in (("n", NORTH), ("s", SOUTH)):
        begun(ledger, release, table_part=part, protects=DIVISIBLE)
    ledger.stop("n")
    balance = ledger.balance("adult")
    assert balance.spent == Charge(1_000_000)  # the other part has borne it
    assert balance.left_for(NORTH).micro_epsilon == 1_980_000
    ledger.stop("s")
    assert ledger.balance("adult").spent == Charge(20_000)
    ledger.verify()


def test_the_table_and_the_auditor_refuse_a_stop_that_gives_back_more(ledger):
    begun(ledger)
    ledger.stop("r")
    connection = sqlite3.connect(ledger.name, factory=FileConnection)
    lines = list(every_line(connection))
    line, _ = lines.pop()
    more = line._replace(micro_epsilon=1_000_000, spent_micro_epsilon=0)
    with pytest.raises(LedgerError, match="stop gives back something else"):
        replay([*lines, (more, hash_of(more))], ledger.ledger_id)
    for kind in ("stop", "settle"):  # a second end of the same release
        double = line._replace(kind=kind, sequence=line.sequence + 1, previous=hash_of(line))
        marks = ",".join("?" * (len(double) + 1))
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(f"INSERT INTO event VALUES ({marks})", (*double, hash_of(double)))
    connection.close()


def test_only_the_object_that_drew_can_stop_a_release_whoever_else_has_the_file(ledger):
    begun(ledger)
    with Ledger(ledger.name) as other:
        assert not other.may_stop("r")
        with pytest.raises(LedgerError, match="only the run that drew"):
            other.stop("r")
        with pytest.raises(LedgerError, match="has drawn"):
            other.draw("r", b"1" * 16)  # which does not make it the one that drew
        assert not other.may_stop("r")
    assert ledger.balance("adult").spent == Charge(1_000_000)
    assert ledger.may_stop("r")
    assert ledger.stop("r").state == "stopped"


def test_after_a_crash_nobody_can_stop_what_may_have_drawn_more(ledger):
    begun(ledger)
    path = ledger.name
    ledger.close()
    with Ledger(path) as opened:
        with pytest.raises(LedgerError, match="only the run that drew"):
            opened.stop("r")
        assert opened.balance("adult").spent == Charge(1_000_000)


def test_once_the_next_step_has_begun_there_is_no_way_back(ledger):
    begun(ledger)
    ledger.passed("r")
    assert not ledger.may_stop("r")
    with pytest.raises(LedgerError, match="only until it goes on"):
        ledger.stop("r")
    assert ledger.balance("adult").spent == Charge(1_000_000)
    ledger.settle("r", DIGEST)


def test_what_was_stopped_does_not_go_on(ledger):
    begun(ledger)
    ledger.stop("r")
    with pytest.raises(LedgerError, match="cannot go on with release 'r': it stopped"):
        ledger.passed("r")


def test_of_a_stop_and_a_next_step_at_the_same_time_one_is_refused(ledger):
    for k in range(20):
        release = f"race-{k}"
        begun(ledger, release, PureDP("0.04"))
        gate, done = Barrier(2), []

        def race(step, release=release, gate=gate, done=done):
            gate.wait()
            with suppress(LedgerError):
                step(release)
                done.append(step)

        threads = [Thread(target=race, args=(step,)) for step in (ledger.stop, ledger.passed)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(done) == 1
        assert (ledger.entry(release).state == "stopped") == (done[0] == ledger.stop)


def test_a_series_that_went_on_cannot_stop_nor_go_on_once_it_stopped(ledger):
    begun(ledger)
    ledger.go_on("r", 1, plan=PLAN)
    with pytest.raises(LedgerError, match="later parts"):
        ledger.stop("r")
    begun(ledger, "s", PureDP("0.5"))
    ledger.stop("s")
    with pytest.raises(LedgerError, match="not started"):
        ledger.go_on("s", 1, plan=PLAN)
    part = ledger.history("adult")[-4]
    assert part.kind == "part"
    connection = sqlite3.connect(ledger.name, factory=FileConnection)
    given = {"release": "r", "amount": Charge(980_000)}
    with pytest.raises(sqlite3.IntegrityError, match="went on cannot stop"):
        append(connection, "stop", "adult", {}, **given)
    said = json.loads(part.detail)
    with pytest.raises(sqlite3.IntegrityError, match="never drawn"):
        append(connection, "part", "adult", said, release="s+1", other="s")
    for rule in ("event_stops_before_it_goes_on", "event_continues_what_was_drawn"):
        connection.execute(f"DROP TRIGGER {rule}")
    append(connection, "stop", "adult", {}, **given)
    with pytest.raises(LedgerError, match="stopped after it had gone on"):
        replay(every_line(connection), ledger.ledger_id)
    connection.close()


@pytest.mark.slow
def test_killed_at_any_line_of_a_stop_the_charge_is_whole_or_that_of_the_first_step():
    with quick_folder() as name:
        path = Path(name) / "budget.db"
        with Ledger.create(path) as made:
            made.grant("adult", PureDP(2), reason="approved")
            made.reserve("r", "adult", PureDP(1), plan=PLAN, protects=ABOUT, first=FIRST)
        whole, seen = path.read_bytes(), set()

        def reset():
            for file in Path(name).iterdir():
                file.unlink()
            forget_heads()
            path.write_bytes(whole)

        def stop():
            with Ledger(path) as opened:
                opened.draw("r", None)
                opened.stop("r")

        def check(*_):
            with Ledger(path) as opened:
                entry = opened.entry("r")
                spent = {"reserved": 1_000_000, "drawn": 1_000_000, "stopped": 20_000}[entry.state]
                assert opened.balance("adult").spent == Charge(spent)
                with pytest.raises(LedgerError):  # whoever comes after cannot
                    opened.stop("r")
            seen.add(entry.state)

        files = ("sfumato/ledger/ledger.py", "sfumato/ledger/two_steps.py")
        survived = kill_at_every_line(stop, files, check, reset)
        assert survived > 10
        assert seen == {"reserved", "drawn", "stopped"}
