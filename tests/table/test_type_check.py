"""Typed mismatches: refused before anything is charged, by what a frame or file declares alone."""

import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import DataError
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.header import check_header
from sfumato.table.source import open_source

SEX = {"kind": "category", "values": ["f", "m"], "other": "o"}
GRADE = {"kind": "category", "values": ["low", 1, 2]}
DAY = {"kind": "date", "low": "2020-01-01", "high": "2020-12-31"}
NUMBER = {"kind": "number", "low": 0, "high": 100}
WORDS = {"kind": "boolean", "true": ["ja"], "false": ["nein"]}
OPEN = {"missing": "allowed"}


def said(column, data):
    domain = Domain.of(Schema.of({"name": "t", "columns": {"x": column}}))
    try:
        check_header(open_source(data), domain)
    except DataError as error:
        return str(error)
    return None


def held(values, kind):
    """The same column in every library that has such a type."""
    column = pa.array(values, kind)
    yield pa.table({"x": column})
    yield pl.DataFrame({"x": pl.from_arrow(column)})
    yield pd.DataFrame({"x": column.to_numpy(zero_copy_only=False)})
    yield {"x": column.to_numpy(zero_copy_only=False)}


@pytest.mark.parametrize(
    ("column", "values", "kind", "words"),
    [
        (SEX, [0, 1], pa.int64(), "spells none of the values; or list what is stored"),
        (SEX, [0.0, 1.0], pa.float64(), "spells none of the values"),
        (SEX, [True, False], pa.bool_(), "spells none of the values"),
        (GRADE, [True, False], pa.bool_(), "spells none of the values"),
        (WORDS, [0, 1], pa.int64(), "spells none of the words for true and false"),
        (DAY, [20200103, 20200104], pa.int64(), "declare how the numbers write dates"),
        (DAY | {"format": "%d.%m.%Y"}, [True, False], pa.bool_(), "convert it or correct its kind"),
        (
            NUMBER | {"percent": True},
            [0.5, 0.25],
            pa.float64(),
            "declared percent but stored",
        ),
    ],
)
def test_a_type_that_cannot_be_meant_is_refused_in_every_library(column, values, kind, words):
    for data in held(values, kind):
        found = said(column, data)
        assert found is not None, type(data)
        assert found.startswith("column x is declared ")
        assert words in found


@pytest.mark.parametrize(
    ("column", "values", "kind"),
    [
        (GRADE, [1, 2], pa.int64()),
        (GRADE | {"aliases": {"low": [0]}}, [1.0, 0.0], pa.float64()),
        (SEX | {"aliases": {"f": [1], "m": [2]}}, [1, 2], pa.int64()),
        ({"kind": "category", "values": ["True", "False"]}, [True, False], pa.bool_()),
        (WORDS, [True, False], pa.bool_()),
        ({"kind": "boolean"}, [0, 1], pa.int8()),
        ({"kind": "boolean", "true": [1], "false": [2]}, [1, 2], pa.int64()),
        (DAY | {"format": "%Y%m%d"}, [20200103, 20200104], pa.int64()),
        (NUMBER, [True, False], pa.bool_()),
    ],
)
def test_a_type_that_can_be_meant_is_taken_in_every_library(column, values, kind):
    assert [said(column, data) for data in held(values, kind)] == [None] * 4


@pytest.mark.parametrize(
    ("levels", "values", "kind", "lost"),
    [
        (["006", "007", 8], [6, 8], pa.int64(), "006"),
        (["1.50", 2], [1.5, 2.0], pa.float64(), "1.50"),
        (["1.0", 1.5], [1.0, 1.5], pa.float64(), r"1\.0, .*: list it as 1, or read it as text"),
        ([str(2**53 + 1), 2], [1.0, 2.0], pa.float64(), str(2**53 + 1)),
        (["true", 2], [1, 2], pa.int64(), "true"),
    ],
)
def test_a_level_that_numbers_lose_is_refused_in_every_library_and_file(
    tmp_path, levels, values, kind, lost
):
    column = {"kind": "category", "values": levels, "other": "o"}
    pq.write_table(pa.table({"x": pa.array(values, kind)}), tmp_path / "x.parquet")
    lazy = pl.LazyFrame({"x": pl.from_arrow(pa.array(values, kind))})
    for data in (*held(values, kind), tmp_path / "x.parquet", lazy):
        assert re.match(f"column x has the level {lost}", said(column, data) or ""), type(data)


def test_levels_of_many_digits_are_taken_from_columns_that_keep_them():
    column = {"kind": "category", "values": [str(2**53 + 1), 2], "missing": "allowed"}
    for kind in (pa.int64(), pa.decimal128(20, 0)):
        assert said(column, pa.table({"x": pa.array([2, None], kind)})) is None
    fine = {"kind": "category", "values": ["0.1234567890123456789", 2]}
    assert said(fine, pa.table({"x": pa.array([Decimal(2)] * 2, pa.decimal128(30, 20))})) is None


def test_a_column_of_texts_or_of_nothing_is_always_taken():
    for column in (SEX, GRADE, DAY, NUMBER | {"percent": True}, WORDS):
        assert said(column, pa.table({"x": ["a", "b"]})) is None
        assert said(column, pa.table({"x": pa.nulls(2)})) is None
        assert said(column, pd.DataFrame({"x": ["a", None]})) is None
    for column in (SEX, DAY, WORDS):  # in pandas, a column of gaps is one of floats
        assert said(column | OPEN, pd.DataFrame({"x": [np.nan, np.nan]})) is None
    assert said(SEX, pa.table({"x": [Decimal("1.5"), Decimal(2)]})) is not None


def test_periods_and_spans_are_refused_with_the_way_out():
    periods = pd.DataFrame({"x": pd.period_range("2020-01", periods=2, freq="M")})
    assert ".dt.to_timestamp()" in said(DAY, periods)
    spans = pd.DataFrame({"x": pd.to_timedelta(["1 day", "2 days"])})
    assert "a number of days or seconds" in said(NUMBER, spans)
    stamps = pd.DataFrame({"x": pd.to_datetime(["2020-01-03", "2020-01-04"])})
    assert "stored as timestamp" in said(NUMBER, stamps)
    assert said(DAY, stamps) is None


def test_a_typed_mismatch_in_a_file_is_refused_before_the_charge(tmp_path):
    pq.write_table(pa.table({"x": [0, 1] * 20}), tmp_path / "x.parquet")
    ledger = sf.Ledger.create(tmp_path / "ledger")
    before = ledger.head
    with pytest.raises(DataError, match="column x is declared category but stored as int64"):
        sf.publish(
            tmp_path / "x.parquet",
            schema={"name": "t", "columns": {"x": SEX}},
            epsilon=1,
            ledger=ledger,
        )
    assert ledger.unfinished() == []
    assert ledger.head == before


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["Age", "sex"], r"column age \(did you mean Age\?\) of the schema is not in the data"),
        (["age", "Sex "], r"column sex \(did you mean Sex \?\)"),
        (["agee", "sx"], r"columns age \(did you mean agee\?\), sex .*are not in the data"),
        (["years", "gender"], "columns age, sex of the schema are not in the data: check names"),
    ],
)
def test_a_column_that_is_nearly_there_is_pointed_out(names, words):
    known = {"name": "t", "columns": {"age": NUMBER, "sex": SEX}}
    table = pa.table({name: ["1", "2"] for name in names})
    with pytest.raises(DataError, match=words):
        check_header(open_source(table), Domain.of(Schema.of(known)))


def test_a_method_or_option_that_is_nearly_one_is_pointed_out():
    schema = {"name": "t", "columns": {"x": NUMBER}}
    with pytest.raises(sf.errors.ParameterError, match=r"did you mean mosaic\?"):
        sf.price(schema, method="Mosiac", epsilon=1)
    with pytest.raises(sf.errors.ParameterError, match=r"did you mean model\?"):
        sf.price(schema, method="mosaic", epsilon=1, modle="forest")
