"""In a column of a declared type, however it is stored, an extreme value touches no other."""

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.table.encode import encode
from table.alone import DOMAINS, domain_of, read

TYPED = {
    "int64": (pa.int64(), [20, 3, 110], [2**63 - 1, -(2**63), None]),
    "uint64": (pa.uint64(), [20, 3, 110], [2**64 - 1, None]),
    "half": (pa.float16(), [np.float16(v) for v in (20, 3, 0.1)], [np.float16("inf"), None]),
    "float": (pa.float32(), [20, 3, 0.1], [float("nan"), float("-inf"), 3e38]),
    "double": (pa.float64(), [20, 3, 0.1], [float("nan"), 1.7e308, None]),
    "decimal": (pa.decimal128(38, 2), [20, 3, 1], [10**35, None]),
    "text": (pa.string(), ["20", "a", "2020-01-04"], ["", "x" * 10**6, "\0", None]),
    "large": (pa.large_string(), ["20", "a", "2020-01-04"], ["x" * 10**6, None]),
    "view": (pa.string_view(), ["20", "a", "2020-01-04"], ["x" * 10**6, None]),
    "null": (pa.null(), [None] * 3, [None]),
    "ms": (pa.timestamp("ms", "Europe/Berlin"), [10**12, 0, 5], [2**63 - 1, -(2**63) + 1]),
    "us": (pa.timestamp("us"), [10**15, 0, 5], [2**63 - 1, -(2**63) + 1]),
    "ns": (pa.timestamp("ns", "Asia/Tokyo"), [10**18, 0, 5], [2**63 - 1, -(2**63) + 1]),
    "date32": (pa.date32(), [18262, 0, 18300], [2**31 - 1, -(2**31)]),
}


def column_of(kind, values):
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        plain = pa.int32() if pa.types.is_date32(kind) else pa.int64()
        return pa.array(values, plain).view(kind)
    return pa.array(values, kind)


def plain(column, _):
    return pa.table({"x": column})


def chunked(column, _):
    parts = [column.slice(0, 2), column.slice(2, 0), column.slice(2)]
    return pa.table({"x": pa.chunked_array(parts)})


def in_dictionary(column, _):
    """With a value that no row has, and one that is there twice."""
    values = pa.concat_arrays([column, column.slice(0, 2)])
    places = pa.array(range(len(column)), pa.int16())
    return pa.table({"x": pa.DictionaryArray.from_arrays(places, values)})


def in_parquet(column, folder):
    pq.write_table(pa.table({"x": column}), folder / "x.parquet")
    return folder / "x.parquet"


def in_polars(column, _):
    return pl.from_arrow(pa.table({"x": column}))


@pytest.mark.parametrize("name", TYPED)
@pytest.mark.parametrize("hold", [plain, chunked, in_dictionary, in_parquet, in_polars])
def test_an_extreme_value_changes_nothing_about_the_others(tmp_path, name, hold):
    kind, ordinary, odds = TYPED[name]

    def found(values):
        return read(hold(column_of(kind, values), tmp_path))

    baseline = found([*ordinary, ordinary[0]])
    as_stored = read(plain(column_of(kind, [*ordinary, ordinary[0]]), None))
    for mine, theirs in zip(baseline, as_stored, strict=True):
        assert mine == theirs or (isinstance(mine, str) and isinstance(theirs, str))
    for odd in odds:
        last, first = found([*ordinary, odd, ordinary[0]]), found([odd, *ordinary])
        for before, after, opened in zip(baseline, last, first, strict=True):
            if isinstance(before, str):
                assert after == opened == before
            else:
                assert after[:3] + after[4:] == before
                assert opened[0] == after[3]


REFUSED = {
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([1, 3], pa.int32()), pa.array([20, 3])),
    "union": pa.UnionArray.from_dense(
        pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32()), [pa.array([1]), pa.array(["a"])]
    ),
    "uuid": pa.array([b"0123456789abcdef"] * 2, pa.uuid()),
    "binary view": pa.array([b"1", b"2"], pa.binary_view()),
    "fixed": pa.array([b"1", b"2"], pa.binary(1)),
    "list view": pa.array([[1], [2]], pa.list_view(pa.int64())),
    "month and day": pa.array([(1, 2, 3)] * 2, pa.month_day_nano_interval()),
}


@pytest.mark.parametrize("name", REFUSED)
def test_types_that_no_kind_fits_are_refused_and_read_as_missing_where_nobody_asked(name):
    table = pa.table({"x": REFUSED[name]})
    assert {type(found) for found in read(table[:0])} == {str}
    for domain in DOMAINS:  # a way in without a header must not raise either
        codes = encode(domain, table.combine_chunks().to_batches()[0])
        assert len(set(codes.ravel().tolist())) == 1


@pytest.mark.parametrize(
    ("stored", "accepted"),
    [
        (pl.Series([20, 2**100, None], dtype=pl.Int128), True),
        (pl.Series(["20", "a", "b"], dtype=pl.Categorical), True),
        (pl.Series(["20", "a", None], dtype=pl.Enum(["20", "a", "unused"])), True),
        (pl.Series(["1.50", None, "3"]).cast(pl.Decimal(10, 2)), True),
        (pl.Series([None, None], dtype=pl.Null), True),
        (pl.Series([[1], [2]], dtype=pl.List(pl.Int64)), False),
        (pl.Series([{"a": 1}, {"a": 2}]), False),
        (pl.Series([0, 1], dtype=pl.Int64).cast(pl.Time), False),
        (pl.Series([0, 1], dtype=pl.Int64).cast(pl.Duration("us")), False),
        (pl.Series([b"1", b"2"], dtype=pl.Binary), False),
    ],
    ids=lambda case: str(getattr(case, "dtype", case)),
)
def test_polars_columns_are_judged_by_their_type_and_read_value_by_value(stored, accepted):
    number = read(pl.DataFrame({"x": stored}))[0]
    assert isinstance(number, list) == accepted
    if accepted:
        for place in range(len(stored)):
            assert (
                read(pl.DataFrame({"x": stored[place : place + 1]}))[0] == number[place : place + 1]
            )


def test_a_long_text_of_many_rows_is_not_copied_for_each():
    """As copies it would take 60 GB."""
    texts = pa.array(["20", "x" * 10**6])
    places = pa.array(np.arange(60_000) % 2, pa.int32())
    batch = pa.RecordBatch.from_arrays([pa.DictionaryArray.from_arrays(places, texts)], ["x"])
    for kind in ({"kind": "integer", "low": 0, "high": 40}, {"kind": "category", "values": ["20"]}):
        assert encode(domain_of(kind), batch)[0, 0] in (20, 0)
