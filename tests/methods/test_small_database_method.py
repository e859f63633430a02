"""small-database: releases, what is refused and with which numbers, and its synopsis."""

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import ParameterError, ReleaseError, SchemaError
from sfumato.ledger import Ledger
from sfumato.methods.small_database import METHOD
from sfumato.privacy.guarantee import PureDP
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

BIT = {"kind": "boolean"}
WARD = {"kind": "category", "values": ["a", "b", "c"], "missing": "allowed"}
KNOWN = {"name": "t", "columns": {"smoker": BIT, "ward": WARD}}


def patients(rows=400):
    rng = np.random.default_rng(0)
    ward = rng.choice(["a", "b", None], rows, p=[0.6, 0.3, 0.1])
    smoker = rng.random(rows) < np.where(ward == "a", 0.8, 0.1)
    return pa.table({"smoker": smoker, "ward": pa.array(list(ward), pa.string())})


def publish(changes=None, **options):
    given = {"schema": KNOWN | (changes or {}), "method": "small-database", "epsilon": 1}
    return sf.publish(patients(), **given | options)


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_a_release_carries_its_promise_and_verifies(neighbours, tmp_path):
    release = publish({"neighbours": neighbours}, size=6, folder=tmp_path / "r")
    assert release.guarantee == PureDP(1)
    assert release.certificate.options == {"size": 6}
    assert all(check.passed for check in sf.verify(tmp_path / "r"))
    assert sum(held for _, held in release.synopsis["table"]) == 6


def test_shares_are_those_of_the_small_table():
    made = publish(size=10, epsilon=50).data.to_pandas()
    real = patients().to_pandas()
    for value in ("a", "b"):
        assert abs((made["ward"] == value).mean() - (real["ward"] == value).mean()) < 0.06
    both = ((made["ward"] == "a") & made["smoker"]).mean()
    assert abs(both - ((real["ward"] == "a") & real["smoker"]).mean()) < 0.06
    assert made["ward"].isna().mean() == pytest.approx(0.1)
    assert len(made.drop_duplicates()) <= 10


def test_the_number_of_rows_is_public_or_noisy_or_asked_for():
    assert publish(size=4).table.num_rows == 400
    noisy = {publish({"neighbours": "add-remove"}, size=4).table.num_rows for _ in range(5)}
    assert len(noisy) > 1
    assert publish(size=4, rows=7).table.num_rows == 7


def test_as_many_records_are_taken_as_a_million_tables_allow():
    def size(**columns):
        plan = METHOD.price(Domain.of(Schema.of({"name": "t", "columns": columns})), PureDP(1), {})
        return plan.options["size"]

    assert size(a=BIT) == 100
    assert size(a=BIT, b=BIT, c=BIT) == 20
    assert size(a=WARD, b=WARD, c=WARD) == 4


@pytest.mark.parametrize(
    ("columns", "options", "error", "words"),
    [
        (
            {"age": {"kind": "integer", "low": 0, "high": 99}, "smoker": BIT},
            {},
            SchemaError,
            "hold 200 different records, so there are 68,685,050 tables of 4, and all .* 1,000,000",
        ),
        (
            {"x": {"kind": "number", "low": 0, "high": 1}, "y": WARD},
            {},
            SchemaError,
            r"more than 10\^19 tables",
        ),
        ({"a": BIT, "b": BIT}, {"size": 400}, SchemaError, "10,827,401 tables of 400"),
        ({"a": BIT}, {"size": 0}, ParameterError, "size must be auto or a whole number from 1"),
        ({"a": BIT}, {"size": "many"}, ParameterError, "size must be auto"),
        ({"a": BIT}, {"delta": "1e-6"}, ParameterError, "pure epsilon-DP only"),
        ({"a": {"kind": "category", "values": ["x"]}}, {}, SchemaError, "single value"),
    ],
)
def test_what_cannot_be_scored_is_refused_before_anything_is_read(
    columns, options, error, words, tmp_path
):
    with Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("t", PureDP(1), reason="test")
        asked = {"method": "small-database", "epsilon": 1, "ledger": ledger, **options}
        with pytest.raises(error, match=words):
            sf.publish(patients(), schema={"name": "t", "columns": columns}, **asked)
        assert ledger.balance("t").spent.micro_epsilon == 0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"table": [[0, 3]]}, "a table of 4 records"),
        ({"table": [[0, 0], [1, 4]]}, "a table of 4 records"),
        ({"table": [[0, 4, 0]]}, "a table of 4 records"),
        ({"table": [[0, 4.0]]}, "a table of 4 records"),
        ({"table": "x"}, "a table of 4 records"),
        ({"table": None}, "a table of 4 records"),
        ({"table": [[0, 2], [0, 2]]}, "outside the public domain"),
        ({"table": [[1, 2], [0, 2]]}, "outside the public domain"),
        ({"table": [[8, 4]]}, "outside the public domain"),
        ({"records": -1}, "the number of records"),
        ({"records": 2.0}, "the number of records"),
    ],
)
def test_a_synopsis_that_cannot_be_is_refused(changes, words):
    plan = METHOD.price(Domain.of(Schema.of(KNOWN)), PureDP(1), {"size": 4})
    good = {"kind": "small database", "records": 3, "table": [[0, 1], [7, 3]]}
    assert plan.recount(good) == plan.events
    with pytest.raises(ReleaseError, match=words):
        plan.recount(good | changes)


@pytest.mark.slow
def test_numbers_too_long_to_be_printed_are_refused_in_words():
    wide = {f"x{k}": {"kind": "number", "low": 0, "high": 1} for k in range(400)}
    with pytest.raises(SchemaError, match="more than 10"):
        sf.price({"name": "t", "columns": wide}, method="small-database", epsilon=1)
    with pytest.raises(ParameterError, match="from 1 to 1000"):
        sf.price({"name": "t", "columns": {"a": {"kind": "boolean"}}}, method="small-database",
                 epsilon=1, size="9" * 5_000)  # fmt: skip
