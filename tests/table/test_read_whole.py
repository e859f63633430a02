"""Fast ways to codes: the same bits as the slow ones, value by value."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from neighbours import MIXED, schema, table, text_rows, typed_rows
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table import encode as module
from sfumato.table import stored
from sfumato.table.encode import encode, read
from sfumato.table.read_whole import write_whole
from sfumato.table.records import Records
from sfumato.table.source import open_source

KINDS = (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint32(), pa.uint64())
ENDS = [-(2**63), -(2**53), -129, -1, 0, 1, 5, 99, 127, 200, 2**31, 2**53, 2**63 - 1, 2**64 - 1]
NUMBERS = st.one_of(st.none(), st.sampled_from(ENDS), st.integers(-300, 300))


def axis_of(low, high, **facts):
    column = {"kind": "integer", "low": low, "high": high} | facts
    (axis,) = Domain.of(Schema.of({"name": "t", "columns": {"n": column}})).axes
    return axis


def slow(axis, column):
    codes, said = np.empty(len(column), np.int32), np.empty(len(column), np.uint8)
    module._write_grid(codes, said, axis, column)
    return codes, said


@settings(max_examples=150)
@given(
    st.lists(NUMBERS, max_size=8),
    st.sampled_from(KINDS),
    st.tuples(st.integers(-300, 300), st.integers(1, 500)),
    st.sampled_from([{}, {"missing": "allowed"}]),
)
@example([2**53 - 1, 2**53], pa.int64(), (2**53 - 100, 100), {})
@example([-128, 127, None], pa.int8(), (-1000, 2000), {})
def test_whole_numbers_have_the_codes_and_complaints_of_their_floats(values, kind, ends, facts):
    held = np.iinfo(kind.to_pandas_dtype())
    fitting = [v if v is None or held.min <= v <= held.max else None for v in values]
    axis, column = axis_of(ends[0], sum(ends), **facts), pa.array(fitting, kind)
    codes, said = np.empty(len(column), np.int32), np.empty(len(column), np.uint8)
    if write_whole(codes, said, axis, column):
        for fast, plain in zip((codes, said), slow(axis, column), strict=True):
            np.testing.assert_array_equal(fast, plain)
        alone = np.empty(len(column), np.int32)
        assert write_whole(alone, None, axis, column)
        np.testing.assert_array_equal(alone, codes)
    else:  # by the type and the range alone
        assert sum(ends) < held.min or ends[0] > held.max


@pytest.mark.parametrize(
    ("axis", "column"),
    [
        (axis_of(0, 9), pa.array([1.0])),
        (axis_of(0, 9), pa.array(["1"])),
        (axis_of(0, 9, missing="allowed", missing_words=["-99"]), pa.array([7])),
        (axis_of(0, 2**40), pa.array([1])),  # more whole numbers than points
        (axis_of(200, 300), pa.array([1], pa.int8())),  # which the type does not reach
    ],
)
def test_what_is_not_stored_as_whole_numbers_of_the_grid_goes_through_floats(axis, column):
    codes = np.full(1, 77, np.int32)
    assert not write_whole(codes, None, axis, column)
    assert codes.tolist() == [77]


def in_dictionaries(content, padding):
    """Every column as a dictionary, with values that no record has among the listed ones."""
    columns = {}
    for name, column in zip(content.column_names, content.columns, strict=True):
        known = column.combine_chunks().dictionary_encode()
        extra = pa.array([f"{k}" for k in range(padding)]).cast(known.dictionary.type)
        listed = pa.concat_arrays([extra, known.dictionary])
        places = [None if place is None else place + padding for place in known.indices.to_pylist()]
        columns[name] = pa.DictionaryArray.from_arrays(pa.array(places, pa.int32()), listed)
    return pa.record_batch(columns)


@settings(max_examples=40)
@given(st.lists(text_rows(), min_size=1, max_size=8), st.sampled_from([0, 3, 40]))
@pytest.mark.long
def test_dictionaries_have_the_codes_and_complaints_of_their_values(rows, padding):
    domain, content = Domain.of(schema()), table(rows).combine_chunks()
    (batch,) = content.to_batches()
    listed = in_dictionaries(content, padding)
    np.testing.assert_array_equal(encode(domain, listed), encode(domain, batch))
    for fast, plain in zip(read(domain, listed), read(domain, batch), strict=True):
        np.testing.assert_array_equal(fast, plain)


def test_a_list_longer_than_the_column_is_read_only_where_it_is_used():
    values = pa.array([f"v{k}" for k in range(300)])
    column = pa.DictionaryArray.from_arrays(pa.array([299, None, 3], pa.int16()), values)
    places, found = stored.distinct(column)
    assert found.take(pa.array(places)).to_pylist() == ["v299", None, "v3"]
    assert len(found) == 3
    short = pa.DictionaryArray.from_arrays(pa.array([127, None] * 99, pa.int8()), values[:128])
    places, found = stored.distinct(short)  # the place of what is missing does not fit the type
    assert found.take(pa.array(places)).to_pylist() == ["v127", None] * 99


@settings(max_examples=15)
@given(st.lists(st.one_of(text_rows(), typed_rows()), min_size=1, max_size=6))
@pytest.mark.long
def test_parquet_is_read_in_dictionaries_with_the_same_codes(tmp_path_factory, rows):
    path, content = tmp_path_factory.mktemp("p") / "x.parquet", table(rows)
    pq.write_table(content, path, row_group_size=2)
    domain = Domain.of(schema())
    (batch,) = content.combine_chunks().to_batches()
    found = np.vstack(list(Records(open_source(path), domain).parts()))
    np.testing.assert_array_equal(found, encode(domain, batch))


def test_only_texts_of_categories_are_read_in_dictionaries(tmp_path):
    content = table([dict.fromkeys(MIXED["columns"], "1")]).append_column("a.b", pa.array(["x"]))
    content = content.append_column("code", pa.array([1]))
    pq.write_table(content, tmp_path / "x.parquet")
    source = open_source(tmp_path / "x.parquet").listing(["ward", "code", "a.b", "no such"])
    assert source.listed == {"ward", "a.b"}
    (batch,) = source.batches(["ward", "code", "age", "a.b"])
    kinds = [pa.types.is_dictionary(column.type) for column in batch.columns]
    assert kinds[:3] == [True, False, False]
    assert batch.column("a.b").to_pylist() == ["x"]
