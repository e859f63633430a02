"""Fit is counted first: what a release says of it, where it stops, and what that costs."""

import json
from fractions import Fraction

import pyarrow as pa
import pytest

import sfumato as sf
from killing import quick_folder
from misfit_world import WRONG, people, schema
from sfumato.errors import ReleaseError
from sfumato.ledger import Ledger
from sfumato.plan.fit import SHARE
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP
from sfumato.publishing.table import publish_plan

ROWS = 6_000
BUDGETS = {
    "pure": {"epsilon": 1},
    "approximate": {"epsilon": 1, "delta": "1e-9"},
    "concentrated": {"rho": "0.5"},
}


@pytest.fixture(scope="module")
def right():
    return people(ROWS)


@pytest.fixture(scope="module")
def comma(right):
    return WRONG[0].table(right)


@pytest.fixture
def ledger(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as opened:
        opened.grant("people", ApproxDP(3, "1e-6"), reason="test")
        opened.grant("people", ZCDP(3), reason="test")
        yield opened


def published(data, declared=None, **given):
    asked = {"schema": declared or schema(), "method": "modips", "epsilon": 1} | given
    return sf.publish(data, **{k: v for k, v in asked.items() if v is not None})


@pytest.mark.parametrize("budget", BUDGETS.values(), ids=BUDGETS)
def test_counts_and_method_cost_the_budget_together_and_the_counts_come_first(budget):
    plan = sf.price(schema(), method="modips", **budget)
    first, *rest = plan.events
    assert first.statistic == "fit"
    assert plan.measured == tuple(rest)
    whole = plan.budget
    if isinstance(whole, ZCDP):
        assert first.cost == ZCDP(whole.rho / 50)
        assert sum(event.cost.rho for event in plan.events) == whole.rho
    else:
        assert first.cost == PureDP(whole.epsilon / 50)
        left = plan.fit.rest
        assert left.epsilon + first.cost.epsilon == whole.epsilon
        assert getattr(left, "delta", None) == getattr(whole, "delta", None)
    assert sf.price(schema(), method="modips", fit=False, **budget).fit is None


@pytest.mark.slow
@pytest.mark.parametrize("budget", BUDGETS.values(), ids=BUDGETS)
@pytest.mark.parametrize("method", ["modips", "mosaic"])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_a_release_carries_its_counts_and_verifies(right, method, budget, neighbours):
    with quick_folder() as folder:
        declared = schema() | {"neighbours": neighbours}
        asked = {"method": method, "rows": 50, "epsilon": None, **budget}
        release = published(right, declared, folder=f"{folder}/r", **asked)
        again = sf.Release.load(f"{folder}/r")
        assert all(check.passed for check in sf.verify(f"{folder}/r"))
    assert again.fit == release.fit
    fit, stated = release.fit, release.certificate.fit
    assert (stated.share, stated.misfit) == (SHARE, Fraction(1, 20))
    assert (stated.records is None) == (neighbours == "add-remove")
    # Sums of 40 noises, of deviation 141 or less: within a thousand of them but once in a million.
    assert abs(fit.records - ROWS) < 5_000
    assert abs(fit.fitting - ROWS) < 3_000
    assert all(0 <= m.low <= m.records <= m.high for m in fit.misfits)
    assert {m.column for m in fit.misfits} == set(declared["columns"])


def test_without_fit_a_certificate_is_what_it_was_before(right, tmp_path):
    release = published(right, fit=False, folder=tmp_path / "r")
    assert release.fit is None
    assert "fit" not in release.certificate.to_json()
    assert release.certificate.measured == release.certificate.events
    assert all(check.passed for check in sf.verify(tmp_path / "r"))


@pytest.mark.parametrize("budget", BUDGETS.values(), ids=BUDGETS)
def test_a_wrong_file_stops_after_a_fiftieth_of_the_budget_and_leaves_nothing(
    comma, budget, ledger, tmp_path
):
    said = r"Column wage: about [\d,]+ records .* fail here first, with values that cannot be read"
    with pytest.raises(sf.MisfitError, match=said):
        published(
            comma, folder=tmp_path / "r", ledger=ledger, release="w", **{"epsilon": None, **budget}
        )
    assert not (tmp_path / "r").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"budget.db", "budget.db.key"}
    entry = ledger.entry("w")
    expected = Charge(micro_rho=10_000) if "rho" in budget else Charge(20_000)
    assert (entry.state, entry.charge) == ("stopped", expected)
    assert ledger.balance("people").spent == expected
    assert ledger.unfinished() == []
    ledger.verify()


def test_the_message_says_what_how_many_what_to_do_and_what_was_spent(comma, ledger):
    with pytest.raises(sf.MisfitError) as stopped:
        published(comma, ledger=ledger, release="w")
    said = str(stopped.value)
    for word in (
        "% of the records do not fit the schema",
        "of 6,000; between",
        "more than the 5 % that are let pass: nothing was published",
        "declare how the file writes its numbers (decimal, thousands, percent)",
        "sfumato check DATA --schema SCHEMA --ledger LEDGER (or --uncounted)",
        "Spent: 0.02-differential privacy, 2 % of the budget",
        "The ledger keeps epsilon 0.02 as release w and gives epsilon 0.98 back",
    ):
        assert word in said
    for value in comma["wage"].to_pylist()[:50]:
        assert value not in said


def test_the_same_id_is_never_drawn_again_and_another_schema_needs_another_id(comma, right, ledger):
    with pytest.raises(sf.MisfitError):
        published(comma, ledger=ledger, release="w")
    for data in (comma, right):
        with pytest.raises(ReleaseError, match="stopped because the records did not fit"):
            published(data, ledger=ledger, release="w")
    published(right, ledger=ledger, release="w2", rows=5)
    assert ledger.balance("people").spent == Charge(1_020_000)


@pytest.mark.parametrize(
    ("given", "stops"),
    [({}, True), ({"misfit": "0.2"}, False), ({"misfit": 1}, False), ({"fit": False}, False)],
    ids=str,
)
def test_what_is_let_pass_is_the_owners_word(right, given, stops):
    narrow = schema(hours={"kind": "integer", "low": 0, "high": 55})  # one in ten is above
    if stops:
        with pytest.raises(sf.MisfitError, match="Column hours"):
            published(right, narrow, seed=1, epsilon=10, **given)
    else:
        release = published(right, narrow, seed=1, rows=5, epsilon=10, **given)
        named = [m.column for m in release.fit.significant] if release.fit else []
        assert named == ([] if "fit" in given else ["hours"])


def test_a_stop_of_a_part_looks_at_its_records_alone(right, ledger):
    declared = schema(wage={"kind": "number", "low": 0, "high": 10}) | {"neighbours": "add-remove"}
    with pytest.raises(sf.MisfitError, match="Column wage"):
        published(right, declared, part="region=north", ledger=ledger)
    assert ledger.balance("people").spent == Charge(20_000)
    only = pa.compute.equal(right["region"], "south")
    mixed = pa.concat_tables(
        [right.filter(only), WRONG[0].table(right.filter(pa.compute.invert(only)))]
    )
    lawful = schema() | {"neighbours": "add-remove"}
    assert published(mixed, lawful, part="region=south", rows=5).fit is not None


@pytest.mark.parametrize(
    "misfit", [-1, "1.01", "a few", None, "1e-100", "1e-5000", "0." + "1" * 60]
)
def test_a_share_that_is_none_is_refused_before_anything_is_charged(right, misfit, ledger):
    with pytest.raises(sf.ParameterError, match="misfit"):
        sf.publish(right, schema=schema(), epsilon=1, misfit=misfit, ledger=ledger)
    assert ledger.balance("people").spent == Charge()


@pytest.mark.parametrize("misfit", ["0.05", "0.2", 1])
def test_a_share_without_counts_is_refused(right, misfit):
    with pytest.raises(sf.ParameterError, match="leave out misfit"):
        published(right, fit=False, misfit=misfit)


@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("local", {"epsilon": 8}),
        ("rotation", {"epsilon": None, "accept_no_guarantee": True}),
    ],
)
def test_where_nothing_central_is_promised_there_are_no_counts(right, method, given):
    columns = {"wage": schema()["columns"]["wage"], "weight": schema()["columns"]["weight"]}
    declared = {"name": "people", "columns": columns}
    data = right.select(["wage", "weight"]).slice(0, 200)
    release = published(data, declared, method=method, **given)
    assert release.fit is None
    assert "fit" not in [event.statistic for event in release.certificate.events]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda fit: fit | {"reach": 1}, "another precision"),
        (lambda fit: fit | {"records": None}, "another precision"),
        (lambda fit: fit | {"share": "1/10"}, "another precision"),
        (lambda fit: fit | {"misfits": fit["misfits"][1:]}, "schema calls for"),
        (lambda fit: fit | {"fitting": 100}, "nothing would have been published"),
        (lambda fit: fit | {"records": 5_999}, "another number of records"),
        (lambda fit: fit | {"fitting": 60_000}, "none that their noise would make"),
        (lambda fit: fit | {"misfits": loud(fit["misfits"])}, "none that their noise would make"),
    ],
)
def test_counts_that_the_plan_would_not_have_made_do_not_verify(right, change, said, tmp_path):
    published(right, folder=tmp_path / "r", rows=5)
    path = tmp_path / "r" / "release.json"
    record = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(record | {"fit": change(record["fit"])}), "utf-8")
    plan = {check.name: check for check in sf.verify(tmp_path / "r")}["plan"]
    assert not plan.passed
    assert said in plan.detail


def loud(cells):
    return [cells[0] | {"count": -(10**9)}, *cells[1:]]


def test_rows_that_are_records_are_as_many_as_the_counts_say(right, tmp_path):
    columns = {"wage": schema()["columns"]["wage"], "weight": schema()["columns"]["weight"]}
    data, facts = right.select(list(columns)), {"name": "people", "columns": columns}
    published(data, facts, method="identity-laplace", folder=tmp_path / "r")
    assert sf.verify(tmp_path / "r")
    path = tmp_path / "r" / "release.json"
    record = json.loads(path.read_text("utf-8"))
    assert record["rows"] == ROWS
    fewer = record["fit"] | {"records": ROWS - 1}
    path.write_text(json.dumps(record | {"fit": fewer}), "utf-8")
    plan = {check.name: check for check in sf.verify(tmp_path / "r")}["plan"]
    assert "another number of records" in plan.detail


def test_counts_that_would_have_stopped_a_private_number_of_records_do_not_verify(right, tmp_path):
    published(right, schema() | {"neighbours": "add-remove"}, folder=tmp_path / "r", rows=5)
    path = tmp_path / "r" / "release.json"
    record = json.loads(path.read_text("utf-8"))
    cells = record["fit"]["misfits"]
    wrong = record["fit"] | {"misfits": [cells[0] | {"count": 5_000}, *cells[1:]]}
    path.write_text(json.dumps(record | {"fit": wrong}), "utf-8")
    plan = {check.name: check for check in sf.verify(tmp_path / "r")}["plan"]
    assert not plan.passed
    assert "nothing would have been published" in plan.detail


def test_a_seeded_run_stops_as_well_and_a_plan_can_be_published_twice(comma, right):
    plan = sf.price(schema(), method="modips", epsilon=1)
    with pytest.raises(sf.MisfitError) as stopped:
        publish_plan(plan, comma, seed=1)
    assert "Spent" not in str(stopped.value)  # a test run promises nothing, at no price
    one, two = (publish_plan(plan, right, seed=1, rows=9) for _ in range(2))
    assert one.certificate.fit == two.certificate.fit
