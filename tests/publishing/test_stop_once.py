"""Budget comes back only while no more than the counts of the fit was drawn."""

import pytest

import sfumato as sf
from misfit_world import people, schema
from sfumato.ledger import Ledger
from sfumato.measure.moments import Moments
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import PureDP
from sfumato.publishing import fit as first_step

WHOLE = Charge(1_000_000)


@pytest.fixture(scope="module")
def right():
    return people(500)


@pytest.fixture
def ledger(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as opened:
        opened.grant("people", PureDP(3), reason="test")
        yield opened


def published(data, ledger, **given):
    asked = {"schema": schema(), "method": "modips", "epsilon": 1, "rows": 5, "release": "r"}
    return sf.publish(data, ledger=ledger, **asked, **given)


def phases(right):
    seen = []
    published(right, None, progress=lambda phase, _: seen.append(phase))
    return seen


def test_an_error_of_the_same_type_from_elsewhere_gives_nothing_back(right, tmp_path):
    told = phases(right)
    assert {"read", "write"} <= set(told)
    states = []
    for last in range(len(told)):
        with Ledger.create(tmp_path / f"{last}.db") as ledger:
            ledger.grant("people", PureDP(3), reason="test")
            calls = []

            def raises(phase, _, calls=calls, last=last):
                calls.append(phase)
                if len(calls) > last:
                    raise sf.MisfitError("not of the counts")

            with pytest.raises(sf.MisfitError, match=r"counts\. Release r stays charged"):
                published(right, ledger, progress=raises)
            states.append(ledger.entry("r").state)
            assert ledger.balance("people").spent == WHOLE
    assert states[0] == "reserved"  # while the counts were made: nothing was drawn
    assert states[-1] == "drawn"  # while the rows were written
    assert set(states) == {"reserved", "drawn"}


def test_a_ledger_that_goes_away_after_the_charge_says_which_release_stays_charged(
    right, ledger, monkeypatch
):
    def away(*_):
        raise sf.LedgerError("the server went away")

    monkeypatch.setattr(ledger, "draw", away)
    with pytest.raises(sf.LedgerError, match=r"went away\. Release r stays charged"):
        published(right, ledger)
    assert (ledger.entry("r").state, ledger.balance("people").spent) == ("reserved", WHOLE)


@pytest.mark.parametrize("reopened", [True, False], ids=["another handle", "the same handle"])
def test_nobody_stops_a_release_while_its_method_runs(right, ledger, reopened):
    tried = []

    def stop(phase, _):
        if phase == "write":
            other = Ledger(ledger.name) if reopened else ledger
            with pytest.raises(sf.LedgerError, match="cannot stop"):
                other.stop("r")
            tried.append(phase)

    assert published(right, ledger, progress=stop).fit is not None
    assert tried
    assert (ledger.entry("r").state, ledger.balance("people").spent) == ("released", WHOLE)


def test_a_release_that_was_stopped_after_its_counts_never_runs_its_method(
    right, ledger, monkeypatch
):
    honest, ran = first_step.judge, []
    monkeypatch.setattr(Moments, "perturb", lambda *_: ran.append("the method"))

    def stopped_by_another_thread(facts, event):
        ledger.stop("r")
        return honest(facts, event)

    monkeypatch.setattr(first_step, "judge", stopped_by_another_thread)
    told = []
    with pytest.raises(sf.LedgerError, match="cannot go on with release 'r': it stopped"):
        published(right, ledger, progress=lambda phase, _: told.append(phase))
    assert (set(told), ran) == ({"read"}, [])  # records are read once, and nothing else is bought
    assert (ledger.entry("r").state, ledger.balance("people").spent) == ("stopped", Charge(20_000))
