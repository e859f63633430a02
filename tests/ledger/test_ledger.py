"""Ledger: what it grants, refuses, remembers and counts; its faults are in test_ledger_faults."""

import doctest
import re
import shlex
from fractions import Fraction
from math import ceil, floor, inf, nan
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from killing import quick_folder
from ledger_world import ABOUT
from sfumato.errors import BudgetError, LedgerError, ParameterError
from sfumato.ledger import Balance, Entry, Ledger
from sfumato.ledger.amount import minus
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Heuristic, LocalDP, PureDP, Seeded
from slowness import slow

PLAN, DIGEST = "c0ffee00", "0123456789abcdef"
MICRO = PureDP("0.000001")
GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "ledger.md"


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
    ledger.reserve(release, "adult", PureDP(1), plan=PLAN, protects=ABOUT)
    if state == "refunded":
        ledger.refund(release, reason="stopped by hand")
    if state in ("drawn", "released"):
        ledger.draw(release, None)
    if state == "released":
        ledger.settle(release, DIGEST)


def test_the_examples_in_the_guide_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = doctest.testfile(str(GUIDE), module_relative=False, encoding="utf-8")
    assert found.attempted > 5
    assert found.failed == 0


# What is charged, and what is remembered


def test_a_reservation_is_charged_and_survives_reopening(ledger, path):
    entry = ledger.reserve("r", "adult", PureDP("0.5"), plan=PLAN, protects=ABOUT)
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
        assert again.balance("adult") == Balance(
            Charge(3_000_000), Charge(500_000), releases=1, protects=ABOUT
        )
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
    entry = ledger.reserve("r", "other", guarantee, plan=PLAN, protects=ABOUT)
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
        (ApproxDP("0.1", "1e-12"), ApproxDP(1, "1e-9"), "epsilon 0.1, delta 1e-12 left"),
    ],
)
def test_a_charge_beyond_the_budget_is_refused_and_the_remedy_it_names_works(
    ledger, granted, asked, left
):
    ledger.grant("my data", granted, reason="approved")
    with pytest.raises(BudgetError, match=f"'my data' has {left}") as refusal:
        ledger.reserve("r", "my data", asked, plan=PLAN, protects=ABOUT)
    assert ledger.entry("r") is None
    assert ledger.balance("my data").spent == Charge()

    command = shlex.split(re.search("`(.*)`", str(refusal.value))[1])
    assert command[:4] == ["sfumato", "ledger", "grant", "my data"]
    figures = dict(zip(command[4:-2:2], command[5:-2:2], strict=True))
    named = {option.removeprefix("--"): figure for option, figure in figures.items()}
    ledger.grant("my data", **named, reason="the remedy")
    assert ledger.reserve("r", "my data", asked, plan=PLAN, protects=ABOUT).state == "reserved"


def test_an_unknown_data_set_is_refused_with_the_command_that_makes_it_known(ledger):
    for use in (
        lambda: ledger.reserve("r", "clinic", MICRO, plan=PLAN, protects=ABOUT),
        lambda: ledger.balance("clinic"),
        lambda: ledger.allow("adult", "clinic", "typo"),
    ):
        with pytest.raises(BudgetError, match=r"'clinic' has no budget.*ledger grant clinic"):
            use()


def test_a_seeded_run_is_never_charged(ledger):
    with pytest.raises(BudgetError, match="seeded test run"):
        ledger.reserve("r", "adult", Seeded(), plan=PLAN, protects=ABOUT)


def test_releases_without_a_guarantee_need_a_recorded_decision_and_are_counted(ledger):
    rotation = Heuristic("rotation keeps distances")
    with pytest.raises(BudgetError, match=r"carries no guarantee.*--heuristic"):
        ledger.reserve("r", "adult", rotation, plan=PLAN, protects=ABOUT)
    ledger.grant("adult", Heuristic("decided"), reason="internal use only", heuristic=True)
    assert ledger.reserve("r", "adult", rotation, plan=PLAN, protects=ABOUT).charge == Charge()
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
        "release": lambda: ledger.reserve(text, "adult", PureDP(1), plan=PLAN, protects=ABOUT),
    }.items():
        with pytest.raises(ParameterError, match=f"{name} must be one printable line"):
            use()


def test_plans_and_results_are_digests_so_that_no_content_enters_the_ledger(ledger):
    with pytest.raises(ParameterError, match="plan must be a digest"):
        ledger.reserve("r", "adult", PureDP(1), plan="mean of the salaries", protects=ABOUT)
    brought_to(ledger, "drawn")
    with pytest.raises(ParameterError, match="digest must be a digest"):
        ledger.settle("r", "ABCDEF01")


# One id, one charge, one draw


def test_the_same_request_again_is_the_same_entry_and_no_second_charge(ledger):
    first = ledger.reserve("r", "adult", PureDP(2), plan=PLAN, protects=ABOUT)
    head = ledger.head
    assert ledger.reserve("r", "adult", PureDP(2), plan=PLAN, protects=ABOUT) == first
    ledger.draw("r", None)
    assert ledger.reserve("r", "adult", PureDP(2), plan=PLAN, protects=ABOUT).state == "drawn"
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
    request |= {"protects": ABOUT}
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
    assert ledger.reserve("r", "adult", PureDP(1), plan=PLAN, protects=ABOUT).state == "refunded"
    with pytest.raises(LedgerError, match="was refunded: publish under a new release id"):
        ledger.draw("r", None)
    assert ledger.balance("adult").spent == Charge()


def test_unfinished_releases_are_listed_oldest_first_by_data_set(ledger):
    ledger.grant("clinic", PureDP(3), reason="approved")
    ledger.reserve("b", "clinic", MICRO, plan=PLAN, protects=ABOUT)
    for release, state in [("d", "drawn"), ("e", "released"), ("a", "refunded")]:
        ledger.reserve(release, "adult", MICRO, plan=PLAN, protects=ABOUT)
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
    ledger.reserve("first", "adult", PureDP(1), plan=PLAN, protects=ABOUT)
    ledger.draw("first", data)
    ledger.reserve("again", "renamed", PureDP(1), plan=PLAN, protects=ABOUT)
    with pytest.raises(BudgetError, match=r"already known as 'adult'.*same-data adult renamed"):
        ledger.draw("again", data)
    assert ledger.entry("again").state == "reserved"
    ledger.allow("adult", "renamed", "one table, two projects; the board adds both budgets")
    ledger.draw("again", data)
    ledger.reserve("back", "adult", PureDP(1), plan=PLAN, protects=ABOUT)
    ledger.draw("back", data)
    ledger.reserve("new rows", "renamed", PureDP(1), plan=PLAN, protects=ABOUT)
    ledger.draw("new rows", elsewhere)
    ledger.verify()


def test_a_decision_joins_two_names_and_no_third(ledger):
    for name in ("b", "c"):
        ledger.grant(name, PureDP(3), reason="approved")
    ledger.allow("b", "adult", "joined")
    for release, name in [("ra", "adult"), ("rb", "b"), ("rc", "c")]:
        ledger.reserve(release, name, MICRO, plan=PLAN, protects=ABOUT)
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
    with quick_folder() as folder, Ledger.create(Path(folder) / "b.db") as ledger:
        ledger.grant("adult", PureDP(100), reason="approved")
        for number, amount in enumerate(amounts):
            ledger.reserve(f"r{number}", "adult", PureDP(amount), plan=PLAN, protects=ABOUT)
        spent = ledger.balance("adult").spent.micro_epsilon
        assert spent == sum(ceil(amount * 10**6) for amount in amounts)
        assert Fraction(spent, 10**6) >= sum(amounts)


@pytest.mark.parametrize("charges", [300, slow(3_000)])
def test_many_charges_of_one_unit_sum_to_as_many_units(charges):
    with quick_folder() as folder, Ledger.create(Path(folder) / "b.db") as ledger:
        ledger.grant("drops", PureDP(Fraction(charges, 10**6)), reason="approved")
        for number in range(charges):
            ledger.reserve(f"r{number}", "drops", MICRO, plan=PLAN, protects=ABOUT)
        assert ledger.balance("drops").left == Charge()
        with pytest.raises(BudgetError, match="has epsilon 0 left"):
            ledger.reserve("one more", "drops", PureDP("1e-300"), plan=PLAN, protects=ABOUT)
        ledger.verify()


@pytest.mark.parametrize("amount", ["1e-300", 5e-324, "0.0000001", Fraction(1, 3 * 10**9)])
def test_the_smallest_charge_costs_one_unit(ledger, amount):
    assert ledger.reserve("r", "adult", PureDP(amount), plan=PLAN, protects=ABOUT).charge == Charge(
        1
    )


@pytest.mark.parametrize("wrong", [0, -1, nan, inf, -inf, "-1e-300", "nan", True])
def test_amounts_that_are_no_amounts_never_reach_the_ledger(ledger, wrong):
    head = ledger.head
    with pytest.raises(ParameterError, match="epsilon must be a number above 0"):
        ledger.reserve("r", "adult", PureDP(wrong), plan=PLAN, protects=ABOUT)
    assert ledger.head == head


def test_amounts_past_what_a_column_holds_are_refused_and_the_largest_fits(ledger):
    most = Fraction(2**62 - 1, 10**6)
    for huge in (PureDP(Fraction(2**62, 10**6)), PureDP(Fraction(10**5000)), ZCDP(2**62)):
        with pytest.raises(ParameterError, match=r"below 2\^62"):
            ledger.grant("huge", huge, reason="approved")
        with pytest.raises(ParameterError, match=r"below 2\^62"):
            ledger.reserve("r", "adult", huge, plan=PLAN, protects=ABOUT)
    with pytest.raises(ParameterError, match="4300 digits"):
        ledger.reserve("r", "adult", PureDP(Fraction(1, 10**5000)), plan=PLAN, protects=ABOUT)
    ledger.grant("huge", PureDP(most), reason="approved")
    with pytest.raises(ParameterError, match=r"below 2\^62"):
        ledger.grant("huge", MICRO, reason="one unit too many")
    ledger.reserve("r", "huge", PureDP(most), plan=PLAN, protects=ABOUT)
    assert ledger.balance("huge").left == Charge()


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=10))
@settings(max_examples=20, deadline=None)
def test_a_grant_never_exceeds_what_was_said(amount):
    with quick_folder() as folder, Ledger.create(Path(folder) / "b.db") as ledger:
        ledger.grant("adult", PureDP(amount), reason="approved")
        assert ledger.balance("adult").granted == Charge(floor(amount * 10**6))


@pytest.mark.parametrize("little", [PureDP("9e-7"), ApproxDP(1, "9e-13"), ZCDP("9e-7")])
def test_a_grant_below_one_unit_is_refused(ledger, little):
    with pytest.raises(ParameterError, match="must reach one ledger unit"):
        ledger.grant("adult", little, reason="approved")
