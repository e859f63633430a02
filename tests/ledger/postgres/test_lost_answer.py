"""Ledger in PostgreSQL: the network loses a COMMIT, or the answer to it."""

import threading
import time

import pytest

pytest.importorskip("psycopg")

from ledger_world import ABOUT, DIGEST, PLAN
from postgres_ledger import made
from postgres_proxy import Proxy
from sfumato.errors import LedgerError
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from slowness import slow, slow_but

LOSSES = ["answer", "commit", "late"]
ABOUT_IT = {"plan": PLAN, "protects": ABOUT}


@pytest.fixture
def proxy(ledger_server):
    between = Proxy(ledger_server)
    yield between
    between.close()


def charge(ledger):
    return ledger.reserve("r", "adult", PureDP(1), **ABOUT_IT)


def state(people, schema):
    """What the server knows, seen past the proxy: the state of the release and what was spent."""
    with Ledger(people.url("aude", schema)) as ledger:
        ledger.verify()
        entry = ledger.entry("r")
        return entry and entry.state, ledger.balance("adult").spent.micro_epsilon


@pytest.mark.parametrize("how", LOSSES)
def test_a_charge_is_there_once_or_not_at_all_whatever_is_lost(people, address, schema, proxy, how):
    made(people, address)
    with Ledger(proxy.url(people.url("paul", schema))) as ledger:
        proxy.how = how
        if how == "commit":
            with pytest.raises(LedgerError, match="nothing was: repeat it, under the same release"):
                charge(ledger)
            assert state(people, schema) == (None, 0)
        else:
            entry = charge(ledger)
            assert state(people, schema) == ("reserved", 1_000_000)
            assert entry == ledger.entry("r")
        assert proxy.lost == 1
        assert charge(ledger).sequence == 3
        assert state(people, schema) == ("reserved", 1_000_000)


@pytest.mark.parametrize("how", slow_but(["answer"], LOSSES))
def test_a_draw_and_a_settlement_are_there_once_whatever_is_lost(
    people, address, schema, proxy, how
):
    made(people, address)
    with Ledger(proxy.url(people.url("paul", schema))) as ledger:
        charge(ledger)

        def draw():
            ledger.draw("r", b"fingerprint of it")

        for step in (draw, lambda: ledger.settle("r", DIGEST)):
            proxy.how = how
            if how == "commit":
                with pytest.raises(LedgerError, match="nothing was: repeat it"):
                    step()
            step()
        with pytest.raises(LedgerError, match="it is published"):
            draw()
    assert proxy.lost == 2
    assert state(people, schema) == ("released", 1_000_000)


def test_a_lost_charge_is_looked_up_although_others_went_on(people, address, schema, proxy):
    made(people, address)

    def another():
        with Ledger(people.url("pia", schema)) as ledger:
            ledger.reserve("other", "adult", PureDP(1), **ABOUT_IT)

    with Ledger(proxy.url(people.url("paul", schema))) as ledger:
        for how, found in (("commit", None), ("answer", "reserved")):
            proxy.how, proxy.then = how, another if how == "commit" else None
            if found is None:
                with pytest.raises(LedgerError, match="nothing was"):
                    charge(ledger)
            else:
                assert charge(ledger).state == found
    assert state(people, schema) == ("reserved", 2_000_000)


@pytest.fixture
def restart(ledger_server):
    """Kills the server; it comes back a little later."""
    begun = []

    def again():
        ledger_server.kill()
        begun.append(threading.Timer(0.5, ledger_server.start))
        begun[-1].start()

    yield again
    for one in begun:
        one.join()


@pytest.mark.parametrize("how", ["answer", slow("commit")])
def test_a_server_that_restarts_is_waited_for(people, address, schema, proxy, restart, how):
    made(people, address)
    with Ledger(proxy.url(people.url("paul", schema))) as ledger:
        proxy.how, proxy.then = how, restart
        if how == "commit":
            with pytest.raises(LedgerError, match="nothing was"):
                charge(ledger)
        assert charge(ledger).state == "reserved"
        assert charge(ledger).sequence == 3
    assert state(people, schema) == ("reserved", 1_000_000)


@pytest.mark.slow
def test_where_the_server_stays_away_it_is_said_that_nobody_knows(
    people, address, schema, proxy, ledger_server, monkeypatch
):
    monkeypatch.setattr("sfumato.ledger.postgres.backend.PATIENCE", 1)
    made(people, address)
    with Ledger(proxy.url(people.url("paul", schema))) as ledger:
        proxy.how, proxy.then = "answer", ledger_server.kill
        try:
            with pytest.raises(LedgerError, match="it is not known whether it was: repeat it"):
                charge(ledger)
        finally:
            ledger_server.start()
        assert charge(ledger).sequence == 3
    assert state(people, schema) == ("reserved", 1_000_000)


@pytest.mark.slow
def test_a_second_crash_while_it_is_looked_up_tells_nothing_untrue(
    people, address, schema, proxy, restart
):
    from sfumato.ledger.postgres.backend import LedgerDatabase

    made(people, address)
    whole, crashes = LedgerDatabase.write, []

    def crashing(self, **how):
        if proxy.lost and not crashes:
            crashes.append(self)
            restart()
        whole(self, **how)

    with Ledger(proxy.url(people.url("paul", schema))) as ledger, pytest.MonkeyPatch.context() as p:
        p.setattr(LedgerDatabase, "write", crashing)
        proxy.how = "answer"
        assert charge(ledger).state == "reserved"
    assert crashes
    assert state(people, schema) == ("reserved", 1_000_000)


@pytest.mark.parametrize("how", ["answer", "commit"])
def test_a_new_ledger_is_whole_with_its_key_or_was_never_made(people, address, schema, proxy, how):
    proxy.how = how
    by_proxy = proxy.url(address)
    if how == "commit":
        with pytest.raises(LedgerError, match="nothing was made: repeat it"):
            Ledger.create(by_proxy)
    else:
        with Ledger.create(by_proxy) as ledger:
            assert ledger.fingerprint_key
    if how == "commit":
        Ledger.create(by_proxy).close()
    with Ledger(address) as ledger:
        assert ledger.verify() == ledger.head
        assert len(ledger.fingerprint_key) == 32


def test_a_connection_that_was_lost_while_idle_is_made_anew(people, address, schema):
    made(people, address)
    with Ledger(people.url("paul", schema)) as ledger:
        with people.raw() as raw:
            raw.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'paul'"
            )
        time.sleep(0.1)
        ledger._backend._asked -= 10  # as if it had been idle for longer
        assert charge(ledger).state == "reserved"
    assert state(people, schema) == ("reserved", 1_000_000)
