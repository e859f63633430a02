"""The sheet: what it says of the account, in words that are right, with room for what is long."""

from fractions import Fraction

import pyarrow as pa
import pytest

import sfumato as sf
from release_world import HOSTILE, NAME, RELEASE, lines, published, reserved
from sfumato.ledger import Ledger
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Heuristic, PureDP
from sfumato.report.promise import Gain, percent
from sfumato.schema import Schema
from sfumato.studio.account import account
from sfumato.studio.sheet import as_promise, sheet


@pytest.fixture
def project(tmp_path):
    return published(tmp_path, rows=100)


def made(project, name=NAME):
    with Ledger(project.ledger_path) as ledger:
        return sheet(project, ledger, name)


def test_it_says_what_a_guess_gains_from_what_is_spent_and_from_all_that_was_granted(project):
    said = " ".join(made(project).promise)
    for epsilon in (1, 3):
        worst = percent(Gain.under(PureDP(epsilon)).after(Fraction(1, 100)))
        assert (
            f"(ε {epsilon}), a guess about one that was 1 % likely beforehand is at most {worst}"
            in said
        )
    assert "one record (row) of the table" in said


def test_where_presence_is_hidden_too_a_guess_between_two_records_counts_twice(tmp_path):
    text = sf.example.CLINIC.replace("neighbours: replace-one", "neighbours: add-remove")
    found = made(published(tmp_path, rows=100, schema=Schema.parse(text)))
    worst = percent(Gain.under(PureDP(1), steps=2).after(Fraction(1, 100)))
    assert worst in " ".join(found.promise)


@pytest.mark.parametrize(
    ("charge", "promise"),
    [
        (Charge(1_500_000), PureDP("1.5")),
        (Charge(1_000_000, 1_000), ApproxDP(1, "1e-9")),
        (Charge(0, 0, 500_000), ZCDP("0.5")),
        (Charge(), None),
        (Charge(0, 1_000), None),
        (Charge(1, 0, 1), None),
    ],
)
def test_a_charge_is_one_promise_or_none(charge, promise):
    assert as_promise(charge) == promise


def test_an_exception_of_the_promise_is_not_kept_quiet(project):
    with Ledger(project.ledger_path) as ledger:
        ledger.grant(NAME, epsilon=1, delta="1e-6", reason="more")
    assert "except with a chance of" in made(project).promise[-1]


def test_releases_without_a_promise_are_counted_and_said_to_have_none(project):
    with Ledger(project.ledger_path) as ledger:
        ledger.grant(NAME, heuristic=True, reason="for a trial")
        for release in ("plain-1", "plain-2"):
            ledger.reserve(release, NAME, Heuristic("x"), plan="c0ffee00", protects="rows; none")
        ledger.refund("plain-2", reason="stopped")
    found = made(project)
    assert found.account.unproved == ("plain-1",)
    assert "1 release carries no promise" in " ".join(found.promise)


def test_what_is_not_finished_is_no_release(project):
    reserved(project, "77ab")
    found = made(project).account
    assert (found.releases, found.spent_by) == (1, "1 release and 1 not finished")


def test_columns_stand_with_the_source_of_their_ranges(project):
    found = made(project)
    assert found.unlisted == 0
    ((source, names),) = found.sources
    assert source == "manual 2024, page 12"
    assert names.split(", ") == [
        "age", "sex", "weight", "pressure", "smoker", "ward", "admitted", "outcome",
    ]  # fmt: skip


def test_the_head_is_that_of_the_ledger(project):
    found = made(project)
    with Ledger(project.ledger_path) as ledger:
        assert (found.head, found.ledger) == (ledger.head, ledger.ledger_id)
    assert lines(project, "settle")[0].release == RELEASE


def test_more_columns_than_there_is_room_for_are_counted(tmp_path):
    names = [f"{'column' * 20}{k}" for k in range(120)]
    schema = Schema.of({"name": NAME, "columns": {n: {"kind": "boolean"} for n in names}})
    records = pa.table({name: [True, False] for name in names})
    found = made(published(tmp_path, schema=schema, records=records))
    shown = sum(len(listed.split(", ")) for _, listed in found.sources)
    assert shown + found.unlisted == 120
    assert 0 < shown < 40


def test_a_sheet_of_a_name_that_is_markup_can_be_made(tmp_path):
    name = "".join(filter(str.isprintable, HOSTILE))
    with Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant(name, epsilon=1, reason="x")
        assert account(ledger, name).share_left == 100
