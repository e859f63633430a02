"""Estimates as releases: charged, certified, verified, and the price of what rests on them."""

import json
from datetime import datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import DataError, ParameterError, SchemaError
from sfumato.ledger import Ledger
from sfumato.plan.bought import bought_before
from sfumato.privacy.guarantee import ZCDP, ApproxDP, LocalDP, PureDP
from sfumato.publishing.estimate import estimate_schema
from sfumato.publishing.verify import verify
from sfumato.report.spending import spending

ROWS = 3_000
KINDS = {"name": "clinic", "columns": {"age": {"kind": "integer", "low": 0}}}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    ward = rng.choice(["cardiology", "surgery", "rare"], ROWS, p=[0.6, 0.399, 0.001])
    day = np.datetime64("2023-01-01") + rng.integers(0, 500, ROWS)
    return pa.table(
        {
            "age": pa.array(rng.integers(18, 95, ROWS)),
            "cost": pa.array(np.round(rng.gamma(2, 40, ROWS), 2)),
            "ward": pa.array(ward),
            "day": pa.array(day),
            "smoker": pa.array(rng.random(ROWS) < 0.3),
        }
    )


@pytest.fixture
def ledger(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as made:
        made.grant("clinic", ApproxDP(9, "1e-6"), reason="a test")
        yield made


def blanks(**columns):
    return {"name": "clinic", "columns": columns}


def test_kinds_of_a_frame_are_enough(table):
    found = estimate_schema(table, epsilon=2, delta="1e-6", seed=4).schema
    age, cost, ward, day = (found.columns[name] for name in ("age", "cost", "ward", "day"))
    assert age.low <= 18 <= 94 <= age.high <= 400
    assert cost.step == 0.01
    assert cost.low <= 1 < 200 < cost.high
    assert set(ward.values) == {"cardiology", "surgery"}
    assert ward.other == "other"
    assert day.low <= datetime(2023, 2, 1) < datetime(2024, 4, 1) <= day.high  # noqa: DTZ001
    assert day.step == "day"
    assert found.columns["smoker"].provenance == "declared"


def test_a_parquet_file_says_its_kinds_and_a_text_file_does_not(table, tmp_path):
    pq.write_table(table.select(["age"]), tmp_path / "clinic.parquet")
    found = estimate_schema(tmp_path / "clinic.parquet", epsilon=2, seed=1)
    assert found.schema.name == "clinic"
    (tmp_path / "clinic.csv").write_text("age\n1\n2\n")
    with pytest.raises(DataError, match="schema draft"):
        estimate_schema(tmp_path / "clinic.csv", epsilon=2)


def test_the_release_is_charged_certified_and_verified(table, ledger, tmp_path):
    kinds = blanks(
        age={"kind": "integer"}, ward={"kind": "category"}, day={"kind": "date"},
        cost={"kind": "number", "low": 0, "high": 1000}, smoker={"kind": "boolean"},
    )  # fmt: skip
    found = estimate_schema(
        table, schema=kinds, epsilon=2, delta="1e-8", ledger=ledger, folder=tmp_path / "r"
    )
    paid = found.schema.columns["age"].provenance
    assert (paid.release, paid.epsilon, paid.delta) == (found.release.certificate.release, 2, 1e-8)
    assert found.schema.columns["cost"].provenance == "declared"
    assert ledger.balance("clinic").spent.micro_epsilon == 2_000_000
    assert all(check.passed for check in verify(tmp_path / "r", ledger=ledger))
    certificate = found.release.certificate
    assert certificate.kind.name == "estimate"
    assert certificate.estimate.records == ROWS
    assert {event.statistic for event in certificate.events} >= {"range of age", "step of day"}


def test_what_rests_on_an_estimate_states_both_prices_and_their_sum(table, ledger, tmp_path):
    kinds = blanks(age={"kind": "integer", "low": 0})
    ages = table.select(["age"])
    found = estimate_schema(ages, schema=kinds, epsilon=1, ledger=ledger)
    schema = found.schema
    made = sf.publish(ages, schema=schema, epsilon=2, ledger=ledger, folder=tmp_path / "r")
    name = found.release.certificate.release
    assert made.certificate.bought.releases == {name: PureDP(1)}
    assert made.certificate.bought.together == PureDP(3)
    assert any("3-differential privacy" in line for line in made.certificate.limits)
    assert all(check.passed for check in verify(tmp_path / "r", ledger=ledger))
    with Ledger.create(tmp_path / "other.db") as other:
        other.grant("clinic", PureDP(9), reason="a test")
        with pytest.raises(ParameterError, match="holds no such release of clinic"):
            sf.publish(ages, schema=schema, epsilon=1, ledger=other)
        assert not other.balance("clinic").spent.micro_epsilon
    cheaper = schema.to_json()
    cheaper["columns"]["age"]["provenance"]["epsilon"] = 0.5
    with pytest.raises(ParameterError, match="restore the schema"):
        sf.publish(ages, schema=cheaper, epsilon=1, ledger=ledger)


def test_a_schema_without_its_estimate_in_the_ledger_does_not_verify(table, ledger, tmp_path):
    ages, forged = table.select(["age"]), tmp_path / "r"
    schema = blanks(age={"kind": "integer", "low": 0, "high": 99})
    made = sf.publish(ages, schema=schema, epsilon=1, ledger=ledger, folder=forged)
    record = json.loads((forged / "release.json").read_text())
    paid = {"release": "bought", "epsilon": 0.1}
    record["schema"]["columns"]["age"]["provenance"] = paid
    (forged / "release.json").write_text(json.dumps(record))
    failed = {check.name for check in verify(forged, ledger=ledger) if not check.passed}
    assert {"files", "plan", "ledger"} <= failed
    assert made.certificate.bought is None


@pytest.mark.parametrize(
    ("promise", "whole"),
    [
        (PureDP(1), ApproxDP("1.5", "1e-9")),
        (ApproxDP(1, "1e-9"), ApproxDP("1.5", "2e-9")),
        (LocalDP(1), ApproxDP("1.5", "1e-9")),
    ],
)
def test_prices_add_up_whatever_the_promise(promise, whole):
    paid = {"release": "r", "epsilon": 0.5, "delta": 1e-9}
    schema = sf.Schema.of(blanks(a={"kind": "boolean", "provenance": paid}))
    assert bought_before(schema, promise).fields["bought"]["together"] == sf_json(whole)
    mixed = bought_before(schema, ZCDP("0.1")).fields["bought"]["together"]
    assert mixed["delta"] == "1/500000000"
    assert bought_before(schema, sf.Heuristic("why")).fields["bought"]["together"] is None


def sf_json(guarantee):
    from sfumato.privacy.guarantee import to_json

    return to_json(guarantee)


def test_the_page_shows_what_each_part_of_the_budget_bought(table):
    kinds = blanks(age={"kind": "integer"}, ward={"kind": "category"})
    asked = {"schema": kinds, "epsilon": 3, "delta": "1e-8", "seed": 1}
    certificate = estimate_schema(table.select(["age", "ward"]), **asked).release.certificate
    shares = {item.what: item.share for item in spending(certificate.events, certificate.budget)}
    assert float(shares["range of age"]) == pytest.approx(1 / 3)
    assert sum(shares.values()) == 1


def test_two_prices_of_one_release_are_refused():
    cheap, dear = ({"release": "r", "epsilon": e} for e in (0.1, 0.2))
    columns = {
        "a": {"kind": "boolean", "provenance": cheap},
        "b": {"kind": "boolean", "provenance": dear},
    }
    with pytest.raises(SchemaError, match="two prices"):
        sf.Schema.of(blanks(**columns))


@pytest.mark.parametrize(
    ("kinds", "more", "said"),
    [
        (blanks(age={"kind": "integer"}), {"epsilon": "0.001"}, "too few. Take 16.7 times"),
        (blanks(age={"kind": "integer"}), {"epsilon": "1e-300"}, "more than a million times"),
        (blanks(age={"kind": "category"}), {"epsilon": 101, "delta": "0.1"}, "at most 100"),
        (blanks(age={"kind": "integer", "low": 0, "high": 9}), {"epsilon": 1}, "nothing is blank"),
        (blanks(age={"kind": "category"}), {"epsilon": 1}, "cannot be found without delta"),
        (blanks(age={"kind": "category"}), {"epsilon": "0.01", "delta": "1e-9"}, "hardly be found"),
        (blanks(age={"kind": "integer"}), {"epsilon": 1, "records": 9}, "leave out records"),
        (blanks(age={"kind": "integer"}), {"epsilon": 1, "name": "x"}, "leave out name"),
        (
            {**blanks(age={"kind": "integer"}), "neighbours": "add-remove"},
            {"epsilon": 1},
            "say about how many there are",
        ),
        (blanks(age={"kind": "integer"}), {"epsilon": 1, "share": 2}, "share must be"),
    ],
)
def test_refusals_come_before_the_charge(table, ledger, kinds, more, said):
    with pytest.raises(ParameterError, match=said):
        estimate_schema(table.select(["age"]), schema=kinds, ledger=ledger, **more)
    assert not ledger.balance("clinic").spent.micro_epsilon


def test_records_may_come_and_go_where_their_number_is_told(table):
    kinds = {**blanks(age={"kind": "integer"}), "neighbours": "add-remove"}
    ages = table.select(["age"])
    found = estimate_schema(ages, schema=kinds, epsilon=1, records=2_000, seed=1)
    assert found.release.certificate.invariants == ()
    assert found.schema.columns["age"].high >= 90


def test_columns_of_one_meaning_share_a_range_for_the_price_of_one(table):
    pay = pa.table({f"pay{k}": pa.array(np.arange(ROWS) % (100 * (k + 1))) for k in range(4)})
    kinds = blanks(**{name: {"kind": "integer"} for name in pay.column_names})
    found = estimate_schema(pay, schema=kinds, epsilon=1, groups=[pay.column_names], seed=1)
    ends = {(c.low, c.high) for c in found.schema.columns.values()}
    assert len(ends) == 1
    assert max(ends)[1] >= 390
    assert [event.statistic for event in found.release.certificate.events] == [
        "range of pay0 and 3 more"
    ]


def test_odd_columns_give_a_schema_and_no_word_of_theirs(table):
    n = ROWS
    odd = pd.DataFrame(
        {
            "nothing": [None] * n,
            "words": ["secret"] * n,
            "huge": [1e308, -1e308, float("inf")] * (n // 3),
            "constant": [5] * n,
        }
    )
    kinds = blanks(
        nothing={"kind": "number"}, words={"kind": "date"},
        huge={"kind": "number"}, constant={"kind": "integer", "low": 0},
    )  # fmt: skip
    for seed in range(3):
        found = estimate_schema(odd, schema=kinds, epsilon=4, seed=seed)
        assert "secret" not in found.schema.to_yaml()
        assert found.schema.columns["constant"].high >= 5


def test_values_that_are_rare_long_or_unwritable_are_never_found():
    texts = ["a"] * 900 + ["x" * 300] * 900 + ["b\0"] * 900 + ["other"] * 900 + ["rare"] * 2
    frame = pd.DataFrame({"ward": texts})
    for seed in range(3):
        asked = {"epsilon": 2, "delta": "1e-8", "seed": seed}
        found = estimate_schema(frame, schema=blanks(ward={"kind": "category"}), **asked)
        assert found.schema.columns["ward"].values == ("a",)


def test_a_category_of_nothing_but_rare_values_keeps_a_level_of_its_own():
    frame = pd.DataFrame({"name": [f"n{k}" for k in range(2_000)]})
    asked = {"epsilon": 2, "delta": "1e-8", "seed": 0}
    found = estimate_schema(frame, schema=blanks(name={"kind": "category"}), **asked)
    assert found.schema.columns["name"].values == ("(none found)",)


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_values_of_any_spelling_survive_the_folder(format, tmp_path):
    odd = ["a\nb", '"', '""', "NA", "null", "'x", "=1", "a,b", "\x07", "\u2028", "nan", "1_0"]
    frame = pa.table({"ward": pa.array(odd * 400)})
    asked = {"epsilon": 8, "delta": "1e-5", "folder": tmp_path / "r", "format": format}
    found = estimate_schema(frame, schema=blanks(ward={"kind": "category"}), **asked)
    assert set(found.schema.columns["ward"].values) == {text for text in odd if text.strip()}
    assert all(check.passed for check in verify(tmp_path / "r"))


@pytest.mark.parametrize("kind", ["int64", "float64", "bool"])
def test_a_column_of_numbers_may_be_a_category(kind):
    frame = pd.DataFrame({"code": np.array([1, 0] * 1_000).astype(kind)})
    asked = {"epsilon": 2, "delta": "1e-8", "seed": 1}
    found = estimate_schema(frame, schema=blanks(code={"kind": "category"}), **asked)
    values = {"True", "False"} if kind == "bool" else {"0", "1"}
    assert set(found.schema.columns["code"].values) == values
    assert sf.publish(frame, schema=found.schema, epsilon=1, seed=1).table.num_rows == 2_000


@pytest.mark.parametrize(
    "kind", [pa.int64(), pa.float64(), pa.bool_(), pa.decimal128(21, 2)], ids=str
)
def test_so_may_one_whose_type_is_declared(kind):
    asked = {"epsilon": 2, "delta": "1e-8", "seed": 1}
    table = pa.table({"code": pa.array([1, 0] * 1_000).cast(kind)})
    kinds = blanks(code={"kind": "category"})
    found = estimate_schema(table, schema=kinds, **asked).schema.columns["code"]
    assert set(found.values) == ({"True", "False"} if kind == pa.bool_() else {"0", "1"})
    kinds["columns"]["code"]["other"] = "true" if kind == pa.bool_() else "007"
    for data in (table, table.to_pandas()) if not pa.types.is_decimal(kind) else (table,):
        with pytest.raises(DataError, match=r"has the level (007|true), which .* loses"):
            estimate_schema(data, schema=kinds, **asked)
    dates = pa.table({"code": pa.array([1, 2], pa.date32())})
    with pytest.raises(DataError, match="declared category but stored as date32"):
        estimate_schema(dates, schema=kinds, **asked)


def test_an_id_that_paid_for_other_columns_is_refused(table):
    paid = {"kind": "boolean", "provenance": {"release": "r", "epsilon": 1}}
    kinds = blanks(smoker=paid, age={"kind": "integer"})
    with pytest.raises(ParameterError, match="choose another id"):
        estimate_schema(table.select(["age", "smoker"]), schema=kinds, epsilon=1, release="r")


@pytest.mark.parametrize("texts", [[], [None], ["x" * 300]])
def test_a_table_without_any_value_is_charged_and_settled_like_any_other(texts, ledger):
    frame = pa.table({"ward": pa.array(texts, pa.string())})
    kinds = {**blanks(ward={"kind": "category"}), "neighbours": "add-remove"}
    asked = {"epsilon": 2, "delta": "1e-8", "records": 2_000, "ledger": ledger, "release": "r"}
    found = estimate_schema(frame, schema=kinds, **asked)
    assert ledger.entry("r").state == "released"
    assert found.schema.columns["ward"].values == ("(none found)",)


def test_the_same_estimate_is_not_charged_twice(table, ledger, tmp_path):
    asked = {"schema": KINDS, "epsilon": 1, "ledger": ledger, "folder": tmp_path / "r"}
    first = estimate_schema(table.select(["age"]), **asked)
    second = estimate_schema(table.select(["age"]), **asked)
    assert first.schema == second.schema
    assert ledger.balance("clinic").spent.micro_epsilon == 1_000_000


@pytest.mark.parametrize(
    ("old", "new"),
    [('"age","high"', '"age","low"'), ('"age","high"', '"name","high"'), ('"1', '"x')],
)
def test_facts_that_were_changed_do_not_verify(table, tmp_path, old, new):
    folder = tmp_path / "r"
    estimate_schema(table.select(["age"]), schema=KINDS, epsilon=1, folder=folder)
    data = (folder / "data.csv").read_text()
    (folder / "data.csv").write_text(data.replace(old, new, 1) + "")
    assert data.replace(old, new, 1) == data or not all(c.passed for c in verify(folder))
