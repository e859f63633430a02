"""Ledger: any history at all, against a model in a dictionary."""

from datetime import date, timedelta
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
from ledger_world import connection_of
from sfumato.errors import Refused
from sfumato.ledger import Ledger
from sfumato.ledger.amount import covers, minus, most, plus
from sfumato.ledger.sql import last_line
from sfumato.ledger.sqlite.connection import FileConnection
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


GRANTED = {
    PureDP(1): Charge(10**6),
    ApproxDP(1, "1e-9"): Charge(10**6, 1000),
    ZCDP("0.5"): Charge(0, 0, 500_000),
}


def date_of(day):
    return date(1970, 1, 1) + timedelta(day)


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

    days = st.sampled_from([None, 0, 2])

    @initialize()
    def begin(self):
        self.day, self.who = 20_000, "anna"
        self.folder = quick_folder()
        self.path = Path(self.folder.name) / "budget.db"
        self.ledger = Ledger.create(self.path)
        self.granted, self.allowed, self.entries, self.marks = {}, set(), {}, {}
        self.until, self.level, self.requests, self.quotas = {}, {}, {}, {}
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(FileConnection, "clock", property(lambda _: 86_400 * self.day))
        self.patch.setattr(FileConnection, "who", property(lambda _: self.who))
        self.first = set()  # drawn by the ledger as it is open now, and not gone on
        self.tables = {}  # what parts of each frame were drawn from
        self.kept = self.ledger.head
        self.grant("adult", PureDP(1), 2)

    def teardown(self):
        if hasattr(self, "folder"):
            self.ledger.close()
            self.folder.cleanup()
            self.patch.undo()

    def spent(self, dataset, *more, within=None):
        """The most that any record of a part has borne, unit by unit; with `more` entries.

        What parts had borne when a period ended counts for all records from then on.
        """
        dearest = Charge()
        for record in product(range(3), range(2)):
            if not reads(within, record):
                continue
            total = Charge()
            for name, units, state, _, part, old in [*self.entries.values(), *more]:
                counts = name == dataset and state != "refunded" and not (old and part)
                if counts and reads(part, record):
                    total = plus(total, units)
            dearest = most(dearest, total)
        return plus(dearest, self.level.get(dataset, Charge()))

    def today(self):
        """The last day that the ledger knows of, which a clock set back does not change."""
        return max(self.day, last_line(connection_of(self.ledger))[0].clock // 86_400)

    def over(self, name):
        return self.until.get(name) is not None and self.until[name] < self.today()

    def grants(self, name, amount, until):
        """What a grant leads to: before it, the end of a period that is over."""
        if self.over(name):
            spent = self.spent(name)
            self.granted[name] = spent
            whole = Charge()
            for entry in self.entries.values():
                if entry[0] == name:
                    entry[5] = True
                    if entry[4] is None and entry[2] != "refunded":
                        whole = plus(whole, entry[1])
            self.level[name] = minus(spent, whole)
            for frame in [frame for frame in self.tables if frame[0] == name]:
                del self.tables[frame]
            self.until[name] = None
        self.granted[name] = plus(self.granted.get(name, Charge()), amount)
        self.until[name] = self.until.get(name) if until is None else until

    def gives_back(self, entry, amount):
        """A part of a period that is over gives nothing back, the whole table what then lapses."""
        if entry[5] and entry[4] is None:
            self.granted[entry[0]] = minus(self.granted[entry[0]], amount)

    def expect(self, agreed, use):
        if agreed:
            return use()
        with pytest.raises(Refused):
            use()
        return None

    @rule(name=names, amount=st.sampled_from(list(GRANTED)), days=days)
    def grant(self, name, amount, days):
        until = None if days is None else self.today() + days
        self.ledger.grant(name, amount, reason="rule", until=until and date_of(until))
        self.grants(name, GRANTED[amount], until)

    @rule(name=names)
    def allow_heuristics(self, name):
        self.ledger.grant(name, Heuristic("rule"), reason="rule", heuristic=True)
        self.grants(name, Charge(), None)
        self.allowed.add(name)

    @rule(name=names)
    def open_an_account(self, name):
        agreed = name not in self.granted
        self.expect(agreed, lambda: self.ledger.create_dataset(name, reason="rule"))
        self.granted.setdefault(name, Charge())

    @rule(name=names, amount=st.sampled_from(list(GRANTED)), days=days)
    def request(self, name, amount, days):
        until = None if days is None else self.today() + days
        number = self.ledger.request(name, amount, reason="rule", until=until and date_of(until))
        if until is None and not self.over(name):
            until = self.until.get(name)
        self.requests[number] = name, GRANTED[amount], until, self.who
        self.granted.setdefault(name, Charge())

    @rule(number=st.integers(0, 9), agrees=st.booleans())
    def answer(self, number, agrees):
        number = [*self.requests, 1][number % (len(self.requests) + 1)]
        name, amount, until, who = self.requests.get(number, (None,) * 4)
        late = until is not None and until < self.today()
        agreed = name is not None and not (agrees and (late or who == self.who))
        answer = self.ledger.approve if agrees else self.ledger.decline
        self.expect(agreed, lambda: answer(number, reason="rule"))
        if agreed:
            del self.requests[number]
            if agrees:
                self.grants(name, amount, until)

    @rule(name=names)
    def add_client(self, name):
        agreed = name in self.granted
        request = {"token": "a" * 64, "epsilon": MICRO.epsilon, "reason": "rule"}
        self.expect(agreed, lambda: self.ledger.add_client(name, "carl", **request))
        if agreed:
            self.quotas[name] = self.quotas.get(name, 0) + 1

    @rule(
        name=names,
        amount=st.sampled_from(list(GRANTED)),
        release=releases,
        part=st.sampled_from(PARTS),
    )
    def the_next_period_begins(self, name, amount, release, part):
        self.reserve(release, name, MICRO, part, False)
        self.day = self.today() + 3
        self.grant(name, amount, 2)

    @rule(days=st.sampled_from([1, 3, -3_000]), who=st.sampled_from(["anna", "bert"]))
    def time_passes(self, days, who):
        self.day, self.who = self.day + days, who
        self.ledger.inspect("adult", what="rule")

    @rule()
    def lose_the_key(self):
        self.path.with_name("budget.db.key").unlink()
        self.ledger.new_key(reason="rule")

    @rule(
        release=releases,
        name=names,
        guarantee=guarantees,
        part=st.sampled_from(PARTS),
        used=st.sampled_from([False, False, True]),
    )
    def reserve(self, release, name, guarantee, part, used):
        units = {
            MICRO: Charge(1),
            PureDP(1): Charge(10**6),
            ApproxDP("0.5", "1e-9"): Charge(500_000, 1000),
            ZCDP("0.3"): Charge(0, 0, 300_000),
        }.get(guarantee, Charge())
        old = self.entries.get(release)
        new = [name, units, "reserved", guarantee, part, False]
        fits = covers(self.granted.get(name, Charge()), self.spent(name, new))
        free = units == Charge()
        lawful = name in self.granted and (not free or (name in self.allowed and part is None))
        asked = (name, guarantee, part)
        lawful = lawful and not self.over(name)
        if used:
            lawful = lawful and self.quotas.get(name, 0) and covers(units, Charge(1))
        agreed = (old[0], *old[3:5]) == asked if old else fits and lawful
        first = FIRST.get(type(guarantee))
        request = {"plan": PLAN, "protects": DIVISIBLE, "table_part": part, "first": first}
        request["uses"] = {"carl": MICRO} if used else None
        self.expect(agreed, lambda: self.ledger.reserve(release, name, guarantee, **request))
        if agreed and not old:
            self.entries[release] = new
            self.quotas[name] = self.quotas.get(name, 0) - used

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
            left = LEFT[type(entry[3])]
            self.gives_back(entry, minus(entry[1], left))
            entry[1:3] = left, "stopped"

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
            self.gives_back(entry, entry[1])
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
            assert covers(granted, self.spent(name))
            for part in PARTS[1:]:
                borne = self.spent(name, within=part)
                assert balance.left_for(part) == minus(granted, borne)
            left = sum(client.left.micro_epsilon for client in self.ledger.clients(name))
            assert left == self.quotas.get(name, 0)
        assert {request.number for request in self.ledger.requests()} == set(self.requests)
        for release, (name, units, state, guarantee, part, _) in self.entries.items():
            entry = self.ledger.entry(release)
            assert (entry.dataset, entry.charge, entry.state) == (name, units, state)
            assert (entry.guarantee, entry.table_part) == (guarantee, part)


@pytest.mark.parametrize("histories", [20, slow(60)])
def test_any_history_agrees_with_the_model(histories):
    run_state_machine_as_test(
        LedgerMachine, settings=settings(max_examples=histories, stateful_step_count=40)
    )
