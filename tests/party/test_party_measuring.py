"""Whatever parties may add up is a sum over the records, and hangs on no answer of its round."""

import numpy as np
import pytest

from contract.cases import CASES, ROWS
from neighbours import table
from sfumato.errors import PartyError
from sfumato.party.measuring import OpenedPurse, StandIns, measured, rehearse
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.privacy.share import NoiseShare
from sfumato.publishing.table import price
from sfumato.table.records import Records
from sfumato.table.source import open_source
from sfumato.table.statistic import Rows

SUMS = {"modips", "dp-lda", "dca", "lap-pca", "analyze-gauss", "mosaic"}


def planned(case):
    return price(case.schema, method=case.method, fit=False, **case.given)


PLANS = {str(case): planned(case) for case in CASES if case.promised and case.method in SUMS}
ADDED = {name: plan for name, plan in PLANS.items() if plan.rounds}


def test_only_these_methods_are_added_up():
    found = {case.method for case in CASES if case.promised and planned(case).rounds}
    assert found == SUMS
    assert {plan.method for plan in ADDED.values()} == SUMS


def without_noise(plan, rows, monkeypatch, known, spoilt=0):
    """The exact statistics of a round; what a party answers itself within it may be anything."""
    monkeypatch.setattr(NoiseShare, "draw", lambda self, units, bits: units * 0 + spoilt)
    records = Records(open_source(table(rows)), plan.domain)
    return [part - spoilt for part in measured(plan, records, SeededBits(0), 1, known)]


@pytest.mark.parametrize("name", ADDED)
def test_what_two_parties_measure_adds_up_to_what_one_owner_measures(name, monkeypatch):
    plan, known = ADDED[name], []
    for _ in plan.rounds:
        whole, first, second, spoilt = (
            without_noise(plan, rows, monkeypatch, known, spoilt=by)
            for rows, by in ((ROWS, 0), (ROWS[:1], 0), (ROWS[1:], 0), (ROWS, 1000))
        )
        assert rehearse(plan, 1, known) == tuple(map(len, whole))
        for total, here, there, again in zip(whole, first, second, spoilt, strict=True):
            assert (here + there == total).all()
            assert (again == total).all()  # nothing hangs on an answer of the same round
        known += whole
    assert len(known) == len(plan.events)
    with pytest.raises(PartyError, match="all rounds are over"):
        rehearse(plan, 1, known)


@pytest.mark.parametrize("name", [name for name, plan in ADDED.items() if plan.longest])
def test_no_round_is_longer_than_the_plan_says(name):
    plan = ADDED[name]
    rng = np.random.default_rng(0)
    first = rehearse(plan, 1, ())
    counts = (
        lambda n: np.full(n, 10**6),
        lambda n: np.where(np.arange(n) % 7, 0, 10**6),
        lambda n: np.zeros(n, np.int64),
        *[lambda n: rng.integers(0, 10**5, n)] * 20,
    )
    lengths = [(*first, *rehearse(plan, 1, [known(n) for n in first])) for known in counts]
    assert (np.max(lengths, axis=0) <= plan.longest).all()
    assert tuple(lengths[0]) == plan.longest  # so many bins as there may be
    assert len(plan.longest) == sum(plan.rounds)


@pytest.mark.parametrize("name", ADDED)
def test_a_release_holds_nothing_of_the_stand_ins_but_their_number(name, monkeypatch):
    plan, known = ADDED[name], []
    for _ in plan.rounds:
        known += without_noise(plan, ROWS, monkeypatch, known)

    def synopsis(records):
        return plan.measure(records, OpenedPurse(Purse(plan.guarantee, SeededBits(0)), known))

    real = Records(open_source(table(ROWS)), plan.domain)
    assert synopsis(StandIns(plan.domain, len(ROWS))).to_json() == synopsis(real).to_json()


def test_there_are_as_many_stand_ins_as_asked_for():
    plan = next(iter(ADDED.values()))
    for rows in (0, 1, 65_536, 65_537, 200_000):
        assert StandIns(plan.domain, rows).fold(Rows()) == rows


def test_sums_of_another_length_are_refused():
    plan = next(iter(ADDED.values()))
    purse = OpenedPurse(Purse(plan.guarantee, SeededBits(0)), [np.ones(1, np.int64)])
    with pytest.raises(PartyError, match="the same versions"):
        plan.measure(StandIns(plan.domain, 0), purse)
