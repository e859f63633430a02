"""Ledger: what it grants, refuses, remembers and counts; its faults are in test_ledger_faults."""

import os
import re
import shlex
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from math import ceil, floor, inf, nan
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from sfumato.errors import BudgetError, LedgerError, ParameterError, Refused
from sfumato.privacy import ledger_file
from sfumato.privacy.budget import Charge, budget
from sfumato.privacy.chain import minus, plus
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Heuristic, LocalDP, PureDP, Seeded
from sfumato.privacy.ledger import Balance, Entry, Ledger

PLAN, DIGEST = "c0ffee00", "0123456789abcdef"
MICRO = PureDP("0.000001")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "budget.db"


@pytest.fixture
def ledger(path):
    with Ledger.create(path) as ledger:
        ledger.grant("adult", PureDP(3), reason="approved")
        yield ledger


def brought_to(ledger, state, release="r"):
    """A release of one epsilon on `adult` that came this far."""
    ledger.reserve(release, "adult", PureDP(1), plan=PLAN)
    if state == "refunded":
        ledger.refund(release, reason="stopped by hand")
    if state in ("drawn", "released"):
        ledger.draw(release, None)
    if state == "released":
        ledger.settle(release, DIGEST)


# What is charged, and what is remembered


def test_a_reservation_is_charged_and_survives_reopening(ledger, path):
    entry = ledger.reserve("r", "adult", PureDP("0.5"), plan=PLAN)
    assert entry == Entry(
        release="r",
        dataset="adult",
        state="reserved",
        guarantee=PureDP("0.5"),
        charge=Charge(500_000),
        plan=PLAN,
        digest=None,
        sequence=3,
    )
    ledger.close()
    with Ledger(path) as again:
        assert again.entry("r") == entry
        assert again.balance("adult") == Balance(Charge(3_000_000), Charge(500_000), releases=1)
        assert again.balance("adult").left == Charge(2_500_000)


@pytest.mark.parametrize(
    ("granted", "guarantee", "units"),
    [
        (PureDP(3), PureDP(1), Charge(1_000_000)),
        (PureDP(3), LocalDP(1), Charge(1_000_000)),
        (ApproxDP(3, "1e-6"), ApproxDP(1, "1e-9"), Charge(1_000_000, 1_000)),
        (ZCDP(1), ZCDP("0.25"), Charge(0, 0, 250_000)),
    ],
)
def test_each_currency_is_charged_in_its_own_units(ledger, granted, guarantee, units):
    ledger.grant("other", granted, reason="approved")
    before = ledger.balance("other")
    entry = ledger.reserve("r", "other", guarantee, plan=PLAN)
    assert entry.charge == units
    assert ledger.entry("r").guarantee == guarantee
    assert minus(before.left, ledger.balance("other").left) == units


def test_grants_add_up_and_data_sets_do_not_share(ledger):
    ledger.grant("adult", ApproxDP(1, "1e-6"), reason="second year")
    ledger.grant("clinic", ZCDP("0.5"), reason="approved")
    assert ledger.balance("adult").granted == Charge(4_000_000, 1_000_000)
    assert ledger.balance("clinic").granted == Charge(micro_rho=500_000)
    assert ledger.datasets() == ["adult", "clinic"]


# Refusals and their remedies


@pytest.mark.parametrize(
    ("granted", "asked", "left"),
    [
        (PureDP("0.4"), PureDP(1), "epsilon 0.4 left"),
        (PureDP(3), ApproxDP(1, "1e-9"), "epsilon 3, delta 0 left"),
        (PureDP(3), ZCDP("0.1"), "rho 0 left"),
        (ApproxDP("0.1", "1e-12"), ApproxDP(1, "1e-9"), "epsilon 0.1, delta 0.000000000001 left"),
    ],
)
def test_a_charge_beyond_the_budget_is_refused_and_the_remedy_it_names_works(
    ledger, granted, asked, left
):
    ledger.grant("my data", granted, reason="approved")
    with pytest.raises(BudgetError, match=f"'my data' has {left}") as refusal:
        ledger.reserve("r", "my data", asked, plan=PLAN)
    assert ledger.entry("r") is None
    assert ledger.balance("my data").spent == Charge()

    command = shlex.split(re.search("`(.*)`", str(refusal.value))[1])
    assert command[:4] == ["sfumato", "ledger", "grant", "my data"]
    figures = dict(zip(command[4:-2:2], command[5:-2:2], strict=True))
    named = {option.removeprefix("--"): figure for option, figure in figures.items()}
    ledger.grant("my data", budget(**named), reason="the remedy")
    assert ledger.reserve("r", "my data", asked, plan=PLAN).state == "reserved"


def test_an_unknown_data_set_is_refused_with_the_command_that_makes_it_known(ledger):
    for use in (
        lambda: ledger.reserve("r", "clinic", MICRO, plan=PLAN),
        lambda: ledger.balance("clinic"),
        lambda: ledger.allow("adult", "clinic", "typo"),
    ):
        with pytest.raises(BudgetError, match=r"'clinic' has no budget.*ledger grant clinic"):
            use()


def test_a_seeded_run_is_never_charged(ledger):
    with pytest.raises(BudgetError, match="seeded test run"):
        ledger.reserve("r", "adult", Seeded(), plan=PLAN)


def test_releases_without_a_guarantee_need_a_recorded_decision_and_are_counted(ledger):
    rotation = Heuristic("rotation keeps distances")
    with pytest.raises(BudgetError, match=r"carries no guarantee.*--heuristic"):
        ledger.reserve("r", "adult", rotation, plan=PLAN)
    ledger.grant("adult", Heuristic("decided"), reason="internal use only", heuristic=True)
    assert ledger.reserve("r", "adult", rotation, plan=PLAN).charge == Charge()
    balance = ledger.balance("adult")
    assert (balance.releases, balance.unproved, balance.heuristic) == (1, 1, True)
    assert balance.left == Charge(3_000_000)
    ledger.refund("r", reason="not needed")
    assert ledger.balance("adult").unproved == 0


@pytest.mark.parametrize("wrong", [LocalDP(1), Seeded(), Heuristic("no decision")])
def test_only_a_budget_can_be_granted(ledger, wrong):
    with pytest.raises(ParameterError, match="budget must be PureDP"):
        ledger.grant("adult", wrong, reason="approved")


@pytest.mark.parametrize("text", ["", " adult", "a\nb", "\ud800", "x" * 501, None])
def test_names_and_reasons_are_one_printable_line(ledger, text):
    for name, use in {
        "dataset": lambda: ledger.grant(text, PureDP(1), reason="approved"),
        "reason": lambda: ledger.grant("adult", PureDP(1), reason=text),
        "release": lambda: ledger.reserve(text, "adult", PureDP(1), plan=PLAN),
    }.items():
        with pytest.raises(ParameterError, match=f"{name} must be one printable line"):
            use()


def test_plans_and_results_are_digests_so_that_no_content_enters_the_ledger(ledger):
    with pytest.raises(ParameterError, match="plan must be a digest"):
        ledger.reserve("r", "adult", PureDP(1), plan="mean of the salaries")
    brought_to(ledger, "drawn")
    with pytest.raises(ParameterError, match="digest must be a digest"):
        ledger.settle("r", "ABCDEF01")


# One id, one charge, one draw


def test_the_same_request_again_is_the_same_entry_and_no_second_charge(ledger):
    first = ledger.reserve("r", "adult", PureDP(2), plan=PLAN)
    head = ledger.head
    assert ledger.reserve("r", "adult", PureDP(2), plan=PLAN) == first
    ledger.draw("r", None)
    assert ledger.reserve("r", "adult", PureDP(2), plan=PLAN).state == "drawn"
    assert ledger.balance("adult").spent == Charge(2_000_000)
    assert ledger.verify(head=head) == ledger.head


@pytest.mark.parametrize(
    "change",
    [{"dataset": "clinic"}, {"guarantee": PureDP("0.5")}, {"plan": DIGEST}],
    ids=["dataset", "guarantee", "plan"],
)
def test_another_request_under_a_used_id_is_refused(ledger, change):
    ledger.grant("clinic", PureDP(3), reason="approved")
    request = {"release": "r", "dataset": "adult", "guarantee": PureDP(1), "plan": PLAN}
    ledger.reserve(**request)
    with pytest.raises(LedgerError, match="'r' is already in the ledger with another"):
        ledger.reserve(**(request | change))


@pytest.mark.parametrize("state", [None, "reserved", "drawn", "released", "refunded"])
@pytest.mark.parametrize("step", ["draw", "settle", "refund"])
def test_every_step_is_taken_from_its_one_state_and_refused_from_all_others(ledger, state, step):
    if state is not None:
        brought_to(ledger, state)
    take = {
        "draw": lambda: ledger.draw("r", None),
        "settle": lambda: ledger.settle("r", "fedcba9876543210"),
        "refund": lambda: ledger.refund("r", reason="by hand"),
    }[step]
    follows = {("reserved", "draw"): "drawn", ("reserved", "refund"): "refunded"}
    follows[("drawn", "settle")] = "released"
    before, spent = ledger.head, ledger.balance("adult").spent
    if (state, step) in follows:
        take()
        assert ledger.entry("r").state == follows[(state, step)]
        assert ledger.balance("adult").spent == (Charge() if step == "refund" else spent)
    else:
        with pytest.raises(
            LedgerError, match="not in the ledger" if state is None else f"{step} r"
        ):
            take()
        assert ledger.head == before
    ledger.verify()


def test_settling_twice_with_one_digest_changes_nothing_and_with_another_is_refused(ledger):
    brought_to(ledger, "released")
    head = ledger.head
    ledger.settle("r", DIGEST)
    assert (ledger.head, ledger.entry("r").digest) == (head, DIGEST)
    with pytest.raises(LedgerError, match="published and settled"):
        ledger.settle("r", "fedcba9876543210")


def test_a_refund_gives_back_the_charge_but_not_the_id(ledger):
    brought_to(ledger, "refunded")
    assert ledger.balance("adult") == Balance(granted=Charge(3_000_000))
    assert ledger.reserve("r", "adult", PureDP(1), plan=PLAN).state == "refunded"
    with pytest.raises(LedgerError, match="was refunded: publish under a new release id"):
        ledger.draw("r", None)
    assert ledger.balance("adult").spent == Charge()


def test_unfinished_releases_are_listed_oldest_first_by_data_set(ledger):
    ledger.grant("clinic", PureDP(3), reason="approved")
    ledger.reserve("b", "clinic", MICRO, plan=PLAN)
    for release, state in [("d", "drawn"), ("e", "released"), ("a", "refunded")]:
        ledger.reserve(release, "adult", MICRO, plan=PLAN)
        if state == "refunded":
            ledger.refund(release, reason="by hand")
        else:
            ledger.draw(release, None)
    ledger.settle("e", DIGEST)
    assert [(e.release, e.state) for e in ledger.unfinished()] == [
        ("b", "reserved"),
        ("d", "drawn"),
    ]
    assert [e.release for e in ledger.unfinished("adult")] == ["d"]


# Data is known by its keyed fingerprint


def test_data_known_under_another_name_is_not_drawn_until_the_two_are_joined(ledger):
    data, elsewhere = b"\x01" * 32, b"\x02" * 32
    ledger.grant("renamed", PureDP(3), reason="approved")
    ledger.reserve("first", "adult", PureDP(1), plan=PLAN)
    ledger.draw("first", data)
    ledger.reserve("again", "renamed", PureDP(1), plan=PLAN)
    with pytest.raises(BudgetError, match=r"already known as 'adult'.*same-data adult renamed"):
        ledger.draw("again", data)
    assert ledger.entry("again").state == "reserved"
    ledger.allow("adult", "renamed", "one table, two projects; the board adds both budgets")
    ledger.draw("again", data)
    ledger.reserve("back", "adult", PureDP(1), plan=PLAN)
    ledger.draw("back", data)
    ledger.reserve("new rows", "renamed", PureDP(1), plan=PLAN)
    ledger.draw("new rows", elsewhere)
    ledger.verify()


def test_a_decision_joins_two_names_and_no_third(ledger):
    for name in ("b", "c"):
        ledger.grant(name, PureDP(3), reason="approved")
    ledger.allow("b", "adult", "joined")
    for release, name in [("ra", "adult"), ("rb", "b"), ("rc", "c")]:
        ledger.reserve(release, name, MICRO, plan=PLAN)
    ledger.draw("ra", b"f" * 16)
    ledger.draw("rb", b"f" * 16)
    with pytest.raises(BudgetError, match="already known as 'adult'"):
        ledger.draw("rc", b"f" * 16)
    with pytest.raises(ParameterError, match="two names"):
        ledger.allow("b", "b", "itself")
    with pytest.raises(ParameterError, match="at least 16 bytes"):
        ledger.draw("rc", b"short")


def test_the_fingerprint_key_is_random_kept_and_never_shown(ledger, path, tmp_path):
    with Ledger.create(tmp_path / "other.db") as other:
        assert len(ledger.fingerprint_key) == 32
        assert ledger.fingerprint_key != other.fingerprint_key
        assert ledger.ledger_id != other.ledger_id
    with Ledger(path) as again:
        assert again.fingerprint_key == ledger.fingerprint_key
        assert repr(again) == f"Ledger('{path}')"


# Whole units: grants round down, charges up, sums are exact


@settings(max_examples=25, deadline=None)
@given(st.lists(st.fractions(min_value=Fraction(1, 10**9), max_value=2), min_size=1, max_size=8))
def test_any_charges_add_up_exactly_and_never_below_what_was_asked(amounts):
    with TemporaryDirectory() as folder, Ledger.create(Path(folder) / "b.db") as ledger:
        ledger.grant("adult", PureDP(100), reason="approved")
        for number, amount in enumerate(amounts):
            ledger.reserve(f"r{number}", "adult", PureDP(amount), plan=PLAN)
        spent = ledger.balance("adult").spent.micro_epsilon
        assert spent == sum(ceil(amount * 10**6) for amount in amounts)
        assert Fraction(spent, 10**6) >= sum(amounts)


def test_three_thousand_charges_of_one_unit_sum_to_three_thousand_units(ledger):
    ledger.grant("drops", PureDP("0.003"), reason="approved")
    for number in range(3_000):
        ledger.reserve(f"r{number}", "drops", MICRO, plan=PLAN)
    assert ledger.balance("drops").left == Charge()
    with pytest.raises(BudgetError, match="has epsilon 0 left"):
        ledger.reserve("one more", "drops", PureDP("1e-300"), plan=PLAN)
    ledger.verify()


@pytest.mark.parametrize("amount", ["1e-300", 5e-324, "0.0000001", Fraction(1, 3 * 10**9)])
def test_the_smallest_charge_costs_one_unit(ledger, amount):
    assert ledger.reserve("r", "adult", PureDP(amount), plan=PLAN).charge == Charge(1)


@pytest.mark.parametrize("wrong", [0, -1, nan, inf, -inf, "-1e-300", "nan", True])
def test_amounts_that_are_no_amounts_never_reach_the_ledger(ledger, wrong):
    head = ledger.head
    with pytest.raises(ParameterError, match="epsilon must be a number above 0"):
        ledger.reserve("r", "adult", PureDP(wrong), plan=PLAN)
    assert ledger.head == head


def test_amounts_past_what_a_column_holds_are_refused_and_the_largest_fits(ledger):
    most = Fraction(2**62 - 1, 10**6)
    for huge in (PureDP(Fraction(2**62, 10**6)), PureDP(Fraction(10**5000)), ZCDP(2**62)):
        with pytest.raises(ParameterError, match=r"below 2\^62"):
            ledger.grant("huge", huge, reason="approved")
        with pytest.raises(ParameterError, match=r"below 2\^62"):
            ledger.reserve("r", "adult", huge, plan=PLAN)
    with pytest.raises(ParameterError, match="4300 digits"):
        ledger.reserve("r", "adult", PureDP(Fraction(1, 10**5000)), plan=PLAN)
    ledger.grant("huge", PureDP(most), reason="approved")
    with pytest.raises(ParameterError, match=r"below 2\^62"):
        ledger.grant("huge", MICRO, reason="one unit too many")
    ledger.reserve("r", "huge", PureDP(most), plan=PLAN)
    assert ledger.balance("huge").left == Charge()


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=10))
@settings(max_examples=20, deadline=None)
def test_a_grant_never_exceeds_what_was_said(amount):
    with TemporaryDirectory() as folder, Ledger.create(Path(folder) / "b.db") as ledger:
        ledger.grant("adult", PureDP(amount), reason="approved")
        assert ledger.balance("adult").granted == Charge(floor(amount * 10**6))


@pytest.mark.parametrize("little", [PureDP("9e-7"), ApproxDP(1, "9e-13"), ZCDP("9e-7")])
def test_a_grant_below_one_unit_is_refused(ledger, little):
    with pytest.raises(ParameterError, match="must reach one ledger unit"):
        ledger.grant("adult", little, reason="approved")


# The file


def test_the_ledger_is_for_its_owner_only_and_every_commit_is_synced(ledger, path):
    for file in (path, path.with_name("budget.db-wal"), path.with_name("budget.db-shm")):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    settings_now = {
        name: ledger._connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "wal_autocheckpoint")
    }
    assert settings_now == {"journal_mode": "wal", "synchronous": 2, "wal_autocheckpoint": 0}


@pytest.mark.parametrize("in_the_way", ["budget.db", "budget.db-wal", "budget.db-shm"])
def test_a_ledger_is_never_made_over_anything(path, in_the_way):
    obstacle = path.with_name(in_the_way)
    obstacle.write_bytes(b"something of value")
    with pytest.raises(LedgerError, match=f"{in_the_way} is in the way"):
        Ledger.create(path)
    assert obstacle.read_bytes() == b"something of value"
    assert list(path.parent.iterdir()) == [obstacle]


def test_a_creation_that_fails_leaves_nothing_behind(path, monkeypatch):
    monkeypatch.setattr(ledger_file, "SCHEMA", "CREATE TABLE identity (one); CREATE NONSENSE;")
    with pytest.raises(LedgerError, match="syntax error"):
        Ledger.create(path)
    assert list(path.parent.iterdir()) == []


def make_foreign(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE treasure (value)")
    connection.close()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "there is no ledger at.*sfumato ledger create"),
        (lambda path: path.mkdir(), "not a file"),
        (lambda path: path.touch(), "is empty: remove it"),
        (lambda path: path.write_text("age,income\n" * 100), "not a ledger"),
        (make_foreign, "database of another program"),
    ],
    ids=["missing", "folder", "empty", "text", "foreign"],
)
def test_what_is_no_ledger_is_refused_and_left_as_it_was(path, make, message):
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(LedgerError, match=message):
        Ledger(path)
    assert (path.read_bytes() if path.is_file() else None) == before


def test_a_second_name_for_the_file_is_refused_and_a_symbolic_link_is_followed(ledger, path):
    ledger.close()
    link = path.with_name("link.db")
    link.symlink_to(path)
    with Ledger(link) as linked:
        linked.reserve("r", "adult", MICRO, plan=PLAN)
    assert not link.with_name("link.db-wal").exists()
    os.link(path, path.with_name("twin.db"))
    with pytest.raises(LedgerError, match="second name"):
        Ledger(path)


def test_a_closed_ledger_says_so(ledger):
    ledger.close()
    ledger.close()
    with pytest.raises(LedgerError, match="closed"):
        ledger.balance("adult")


def test_a_long_log_is_folded_back_before_the_next_write(ledger, path, monkeypatch):
    log = path.with_name("budget.db-wal")
    for number in range(5):
        ledger.reserve(f"r{number}", "adult", MICRO, plan=PLAN)
    grown = log.stat().st_size
    monkeypatch.setattr(ledger_file, "FOLD", 1)
    ledger.reserve("last", "adult", MICRO, plan=PLAN)
    assert log.stat().st_size < grown
    assert ledger.balance("adult").releases == 6
    ledger.verify()


FORGED = "INSERT INTO event SELECT sequence + 1, {kind}, dataset, {release}, NULL, NULL, 0, 0, 0, 0, granted_micro_epsilon, 0, 0, {spent}, 0, 0, releases, unproved, allowed, '{{}}', clock, hash, 'forged' FROM event ORDER BY sequence DESC LIMIT 1"  # noqa: E501


@pytest.mark.parametrize(
    ("statement", "rule"),
    [
        ("UPDATE event SET spent_micro_epsilon = 0", "append-only"),
        ("DELETE FROM event WHERE sequence = 5", "append-only"),
        ("UPDATE identity SET fingerprint_key = zeroblob(32)", "append-only"),
        ("DELETE FROM identity", "append-only"),
        ("REPLACE INTO event SELECT * FROM event WHERE sequence = 2", "follow the last one"),
        (FORGED.format(kind="'draw'", release="'drawn'", spent=0), "UNIQUE"),
        (FORGED.format(kind="'refund'", release="'drawn'", spent=0), "UNIQUE"),
        (FORGED.format(kind="'settle'", release="'open'", spent=0), "step of a release"),
        (FORGED.format(kind="'draw'", release="'unheard of'", spent=0), "step of a release"),
        (FORGED.format(kind="'draw'", release="'open'", spent=3_000_001), "CHECK"),
        (FORGED.format(kind="'draw'", release="'open'", spent="'much'"), "store TEXT"),
        (FORGED.format(kind="'gift'", release="NULL", spent=0), "CHECK"),
    ],
)
def test_the_tables_themselves_refuse_what_must_never_happen(ledger, path, statement, rule):
    brought_to(ledger, "drawn", "drawn")
    brought_to(ledger, "reserved", "open")
    ledger.close()
    other_program = sqlite3.connect(path, isolation_level=None)
    with pytest.raises(sqlite3.IntegrityError, match=rule):
        other_program.execute(statement)
    other_program.close()
    with Ledger(path) as again:
        assert again.balance("adult").releases == 2


def test_the_forged_lines_above_are_refused_for_their_fault_and_not_for_their_form(ledger, path):
    brought_to(ledger, "reserved", "open")
    ledger.close()
    other_program = sqlite3.connect(path, isolation_level=None)
    other_program.execute(FORGED.format(kind="'draw'", release="'open'", spent=0))
    other_program.close()
    with pytest.raises(LedgerError, match="at event 4 the line was changed"):
        Ledger(path)


def test_threads_share_a_ledger_and_spend_exactly_what_was_granted(ledger):
    ledger.grant("shared", PureDP("0.000010"), reason="approved")

    def attempt(number):
        try:
            ledger.reserve(f"r{number}", "shared", MICRO, plan=PLAN)
        except BudgetError:
            return 0
        return 1

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(40))) == 10
    assert ledger.balance("shared").left == Charge()
    ledger.verify()


# Any history at all, against a model in a dictionary


class LedgerMachine(RuleBasedStateMachine):
    """The ledger must agree with the obvious dictionary, also after reopening."""

    releases = st.sampled_from(["r1", "r2", "r3", "r4", "r5"])
    names = st.sampled_from(["adult", "clinic"])
    guarantees = st.sampled_from(
        [MICRO, PureDP(1), ApproxDP("0.5", "1e-9"), ZCDP("0.3"), Heuristic("no proof")]
    )

    @initialize()
    def begin(self):
        self.folder = TemporaryDirectory()
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
        self.expect(agreed, lambda: self.ledger.reserve(release, name, guarantee, plan=PLAN))
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


LedgerMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestAnyHistoryAgreesWithTheModel = LedgerMachine.TestCase
