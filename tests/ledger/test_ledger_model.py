"""Ledger: any history at all, against a model in a dictionary."""

from itertools import product
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from killing import quick_folder
from sfumato.errors import Refused
from sfumato.ledger import Ledger
from sfumato.ledger.amount import covers, most, plus
from sfumato.ledger.table_part import DIVISIBLE, TablePart
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Heuristic, PureDP
from slowness import slow

PLAN, DIGEST = "c0ffee00", "0123456789abcdef"
MICRO = PureDP("0.000001")
FIRST = {PureDP: MICRO, ApproxDP: PureDP("0.1"), ZCDP: ZCDP("0.1")}
LEFT = {PureDP: Charge(1), ApproxDP: Charge(100_000), ZCDP: Charge(0, 0, 100_000)}
# Of a column with three codes, and of another one with two.
PARTS = [
    None,
    *(TablePart(f"a{codes}", "aaaaaaaa", codes) for codes in [((0, 0),), ((1, 1),), ((0, 1),)]),
    TablePart("ends", "aaaaaaaa", ((0, 0), (2, 2))),
    *(TablePart(f"b={code}", "bbbbbbbb", ((code, code),)) for code in (0, 1)),
]


def reads(part, record):
    """Whether a release of this part reads a record with these two codes."""
    if part is None:
        return True
    return any(low <= record[part.frame == "b" * 8] <= high for low, high in part.codes)


class LedgerMachine(RuleBasedStateMachine):
    """The ledger must agree with the obvious dictionary, also after reopening."""

    releases = st.sampled_from(["r1", "r2", "r3", "r4", "r5"])
    names = st.sampled_from(["adult", "clinic"])
    guarantees = st.sampled_from(
        [MICRO, PureDP(1), ApproxDP("0.5", "1e-9"), ZCDP("0.3"), Heuristic("no proof")]
    )

    @initialize()
    def begin(self):
        self.folder = quick_folder()
        self.path = Path(self.folder.name) / "budget.db"
        self.ledger = Ledger.create(self.path)
        self.granted, self.allowed, self.entries, self.marks = {}, set(), {}, {}
        self.first = set()  # drawn by the ledger as it is open now, and not gone on
        self.tables = {}  # what parts of each frame were drawn from
        self.kept = self.ledger.head

    def teardown(self):
        if hasattr(self, "folder"):
            self.ledger.close()
            self.folder.cleanup()

    def spent(self, dataset, *more):
        """The most that any record at all has borne, unit by unit; with `more` entries."""
        dearest = Charge()
        for record in product(range(3), range(2)):
            total = Charge()
            for name, units, state, _, part in [*self.entries.values(), *more]:
                if name == dataset and state != "refunded" and reads(part, record):
                    total = plus(total, units)
            dearest = most(dearest, total)
        return dearest

    def expect(self, agreed, use):
        if agreed:
            return use()
        with pytest.raises(Refused):
            use()
        return None

    @rule(name=names, amount=st.sampled_from([PureDP(1), ApproxDP(1, "1e-9"), ZCDP("0.5")]))
    def grant(self, name, amount):
        before = self.granted.get(name, Charge())
        units = {PureDP: Charge(10**6), ApproxDP: Charge(10**6, 1000), ZCDP: Charge(0, 0, 500_000)}
        self.ledger.grant(name, amount, reason="rule")
        self.granted[name] = plus(before, units[type(amount)])

    @rule(name=names)
    def allow_heuristics(self, name):
        self.ledger.grant(name, Heuristic("rule"), reason="rule", heuristic=True)
        self.granted.setdefault(name, Charge())
        self.allowed.add(name)

    @rule(release=releases, name=names, guarantee=guarantees, part=st.sampled_from(PARTS))
    def reserve(self, release, name, guarantee, part):
        units = {
            MICRO: Charge(1),
            PureDP(1): Charge(10**6),
            ApproxDP("0.5", "1e-9"): Charge(500_000, 1000),
            ZCDP("0.3"): Charge(0, 0, 300_000),
        }.get(guarantee, Charge())
        old = self.entries.get(release)
        new = [name, units, "reserved", guarantee, part]
        fits = covers(self.granted.get(name, Charge()), self.spent(name, new))
        free = units == Charge()
        lawful = name in self.granted and (not free or (name in self.allowed and part is None))
        asked = (name, guarantee, part)
        agreed = (old[0], *old[3:]) == asked if old else fits and lawful
        first = FIRST.get(type(guarantee))
        request = {"plan": PLAN, "protects": DIVISIBLE, "table_part": part, "first": first}
        self.expect(agreed, lambda: self.ledger.reserve(release, name, guarantee, **request))
        if agreed and not old:
            self.entries[release] = new

    @rule(release=releases, mark=st.sampled_from([None, b"1" * 16, b"2" * 16]))
    def draw(self, release, mark):
        entry = self.entries.get(release)
        known = self.marks.setdefault(mark, set())
        stranger = mark is not None and entry and known - {entry[0]} and "joined" not in self.marks
        agreed = bool(entry) and entry[2] == "reserved" and not stranger
        if agreed and entry[4] is not None:
            table = self.tables.get((entry[0], entry[4].frame), mark)
            agreed = mark is not None and mark == table
        self.expect(agreed, lambda: self.ledger.draw(release, mark))
        if agreed:
            entry[2] = "drawn"
            self.first.add(release)
            if entry[4] is not None:
                self.tables[entry[0], entry[4].frame] = mark
            known.add(entry[0])

    @rule()
    def join(self):
        agreed = {"adult", "clinic"} <= set(self.granted)
        self.expect(agreed, lambda: self.ledger.allow("clinic", "adult", "rule"))
        if agreed:
            self.marks["joined"] = set()

    @rule(release=releases)
    def settle(self, release):
        entry = self.entries.get(release)
        agreed = bool(entry) and entry[2] in ("drawn", "released")
        self.expect(agreed, lambda: self.ledger.settle(release, DIGEST))
        if agreed:
            entry[2] = "released"

    @rule(release=releases)
    def stop(self, release):
        entry = self.entries.get(release)
        agreed = bool(entry) and entry[2] == "drawn" and type(entry[3]) in FIRST
        agreed = agreed and release in self.first
        self.expect(agreed, lambda: self.ledger.stop(release))
        if agreed:
            entry[1:3] = LEFT[type(entry[3])], "stopped"

    @rule(release=releases)
    def go_on(self, release):
        entry = self.entries.get(release)
        agreed = bool(entry) and entry[2] == "drawn"
        self.expect(agreed, lambda: self.ledger.passed(release))
        if agreed:
            self.first.discard(release)

    @rule(release=releases)
    def refund(self, release):
        entry = self.entries.get(release)
        agreed = bool(entry) and entry[2] == "reserved"
        self.expect(agreed, lambda: self.ledger.refund(release, reason="rule"))
        if agreed:
            entry[2] = "refunded"

    @rule()
    def reopen(self):
        self.ledger.close()
        self.ledger = Ledger(self.path)
        self.first = set()
        self.kept = self.ledger.verify(head=self.kept)

    @invariant()
    def agrees(self):
        if not hasattr(self, "ledger"):
            return
        assert self.ledger.datasets() == sorted(self.granted)
        for name, granted in self.granted.items():
            balance = self.ledger.balance(name)
            assert (balance.granted, balance.spent) == (granted, self.spent(name))
        for release, (name, units, state, guarantee, part) in self.entries.items():
            entry = self.ledger.entry(release)
            assert (entry.dataset, entry.charge, entry.state) == (name, units, state)
            assert (entry.guarantee, entry.table_part) == (guarantee, part)


@pytest.mark.parametrize("histories", [20, slow(60)])
def test_any_history_agrees_with_the_model(histories):
    run_state_machine_as_test(
        LedgerMachine, settings=settings(max_examples=histories, stateful_step_count=30)
    )
