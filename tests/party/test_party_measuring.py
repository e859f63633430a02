"""Whatever parties may add up is a sum over the records, and hangs on no answer of its round."""

import numpy as np
import pytest

from contract.cases import CASES, ROWS
from neighbours import table
from sfumato.errors import PartyError
from sfumato.methods.mosaic.steps import Steps
from sfumato.party import measuring
from sfumato.party.measuring import (
    OpenedPurse,
    StandIns,
    bins_digest,
    measured,
    rehearse,
    rehearse_all,
)
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.privacy.share import NoiseShare
from sfumato.publishing.table import price
from sfumato.synopsis.bins import Merged, Partition
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


def with_wide_columns():
    """A number with more codes than fine bins, and missing; a category of many values."""
    columns = {
        "dose": {"kind": "integer", "low": 0, "high": 40_000, "missing": "allowed"},
        "town": {"kind": "category", "values": [f"t{k}" for k in range(60)], "missing": "allowed"},
        "ill": {"kind": "boolean"},
    }
    said = {"name": "t", "neighbours": "add-remove", "columns": columns}
    return price(said, epsilon="1", records=1_000_000, fit=False)


def falling(length):
    """Counts with which narrow fine bins stay by themselves, and others are merged."""
    places = np.arange(length)
    return np.where(places < 350, 1e6 * np.exp(-(places % 71) / 8), 0).astype(np.int64)


def moves(group):
    """Merged bins again, with one fine bin in another of them: each that leaves none empty."""
    for k in np.flatnonzero(np.bincount(group)[group] > 1):
        for near in {int(group[j]) for j in (k - 1, k + 1) if 0 <= j < len(group)} - {group[k]}:
            moved = group.copy()
            moved[k] = near
            yield moved


def swaps(group):
    """Merged bins of as many fine bins as before, some of them others."""
    for k, other in zip(*np.nonzero(group[:, None] < group[None, :]), strict=True):
        if k % 7 == other % 5 == 0:
            swapped = group.copy()
            swapped[[k, other]] = group[[other, k]]
            yield swapped


@pytest.mark.parametrize(("column", "others"), [(0, moves), (1, swaps)])
def test_bins_that_differ_in_any_way_are_told_apart(column, others, monkeypatch):
    plan, real = with_wide_columns(), Steps._bins_found
    known = [falling(length) for length in rehearse(plan, 1, ())]
    bins = []
    monkeypatch.setattr(Steps, "_bins_found", lambda *given: bins.append(real(*given)) or bins[-1])
    digests = {bins_digest(plan, known)}
    assert digests == {bins_digest(plan, known)}
    found, partition = bins[0]
    different = list(others(partition.columns[column].group))[:20]
    for group in different:
        columns = list(partition.columns)
        columns[column] = Merged(columns[column].fine, group)
        other = found, Partition(tuple(columns), partition.label, partition.classes)
        monkeypatch.setattr(Steps, "_bins_found", lambda *_, other=other: other)
        digests.add(bins_digest(plan, known))
    assert len(digests) == 1 + len(different) > 20


def test_what_bins_are_compared_by_is_rehearsed_before_anything_is_paid(monkeypatch):
    def broken(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(measuring._Probes, "fold", broken)
    with pytest.raises(ZeroDivisionError):
        rehearse_all(with_wide_columns(), 1)
