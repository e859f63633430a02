"""Ledger: any history at all, against a model in a dictionary."""

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
from ledger_world import ABOUT
from sfumato.errors import Refused
from sfumato.ledger import Ledger
from sfumato.ledger.amount import minus, plus
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Heuristic, PureDP
from slowness import slow

PLAN, DIGEST = "c0ffee00", "0123456789abcdef"
MICRO = PureDP("0.000001")


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
        self.kept = self.ledger.head

    def teardown(self):
        if hasattr(self, "folder"):
            self.ledger.close()
            self.folder.cleanup()

    def spent(self, dataset):
        total = Charge()
        for name, units, state, *_ in self.entries.values():
            if name == dataset and state != "refunded":
                total = plus(total, units)
        return total

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

    @rule(release=releases, name=names, guarantee=guarantees)
    def reserve(self, release, name, guarantee):
        units = {
            MICRO: Charge(1),
            PureDP(1): Charge(10**6),
            ApproxDP("0.5", "1e-9"): Charge(500_000, 1000),
            ZCDP("0.3"): Charge(0, 0, 300_000),
        }.get(guarantee, Charge())
        old = self.entries.get(release)
        left = minus(self.granted.get(name, Charge()), self.spent(name))
        fits = all(
            getattr(left, unit) >= getattr(units, unit)
            for unit in ("micro_epsilon", "pico_delta", "micro_rho")
        )
        lawful = name in self.granted and (units != Charge() or name in self.allowed)
        agreed = (old[0], old[3]) == (name, guarantee) if old else fits and lawful
        self.expect(
            agreed, lambda: self.ledger.reserve(release, name, guarantee, plan=PLAN, protects=ABOUT)
        )
        if agreed and not old:
            self.entries[release] = [name, units, "reserved", guarantee]

    @rule(release=releases, mark=st.sampled_from([None, b"1" * 16, b"2" * 16]))
    def draw(self, release, mark):
        entry = self.entries.get(release)
        known = self.marks.setdefault(mark, set())
        stranger = mark is not None and entry and known - {entry[0]} and "joined" not in self.marks
        agreed = bool(entry) and entry[2] == "reserved" and not stranger
        self.expect(agreed, lambda: self.ledger.draw(release, mark))
        if agreed:
            entry[2] = "drawn"
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
        self.kept = self.ledger.verify(head=self.kept)

    @invariant()
    def agrees(self):
        if not hasattr(self, "ledger"):
            return
        assert self.ledger.datasets() == sorted(self.granted)
        for name, granted in self.granted.items():
            balance = self.ledger.balance(name)
            assert (balance.granted, balance.spent) == (granted, self.spent(name))
        for release, (name, units, state, guarantee) in self.entries.items():
            entry = self.ledger.entry(release)
            assert (entry.dataset, entry.charge, entry.state) == (name, units, state)
            assert entry.guarantee == guarantee


@pytest.mark.parametrize("histories", [20, slow(60)])
def test_any_history_agrees_with_the_model(histories):
    run_state_machine_as_test(
        LedgerMachine, settings=settings(max_examples=histories, stateful_step_count=30)
    )
