"""The digest of released content: blind to batches and formats, sharp for every value."""

import datetime as dt
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.release.content import Content
from sfumato.release.file import file_writer, read_batches

SCHEMA = pa.schema(
    [
        ("number", pa.float64()),
        ("whole", pa.int64()),
        ("text", pa.string()),
        ("truth", pa.bool_()),
        ("day", pa.date32()),
        ("moment", pa.timestamp("s")),
    ]
)
# Empty text is no category; line breaks, quotes and zero bytes may be part of one.
TEXT = st.text(st.sampled_from([*'ab",\n\r ', "\0", "é"]), min_size=1, max_size=4)
VALUES = (
    st.floats(allow_nan=False),
    st.integers(-(2**63), 2**63 - 1),
    TEXT,
    st.booleans(),
    st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31)),
    st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31)).map(  # noqa: DTZ001
        lambda moment: moment.replace(microsecond=0)
    ),
)
ROWS = st.lists(st.tuples(*(st.one_of(st.none(), v) for v in VALUES)), min_size=1, max_size=6)


def batch(rows):
    columns = zip(*rows, strict=True) if rows else [[]] * len(SCHEMA)
    arrays = [pa.array(c, f.type) for c, f in zip(columns, SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def digest(*batches):
    content = Content()
    for part in batches:
        content.update(part)
    return content.rows, content.hexdigest()


@settings(max_examples=60)
@given(ROWS, st.lists(st.integers(0, 6), max_size=4))
def test_the_digest_does_not_know_how_records_were_cut(rows, cuts):
    whole, edges = batch(rows), sorted([0, *cuts, len(rows)])
    parts = [whole.slice(a, b - a) for a, b in pairwise(edges)]
    assert digest(*parts) == digest(whole)
    rebuilt = [batch(rows[a:b]) for a, b in pairwise(edges)]
    assert digest(*rebuilt) == digest(whole)


@settings(max_examples=120)
@given(ROWS, st.data())
@pytest.mark.long
def test_the_digest_knows_every_single_value(rows, data):
    place = data.draw(st.integers(0, len(rows) - 1))
    column = data.draw(st.integers(0, len(SCHEMA) - 1))
    new = data.draw(st.one_of(st.none(), VALUES[column]))
    changed = [list(row) for row in rows]
    changed[place][column] = new
    same = repr(new) == repr(rows[place][column])  # 0.0 and -0.0 are two values
    assert (digest(batch(changed)) == digest(batch(rows))) == same


@settings(max_examples=60)
@given(st.lists(TEXT, min_size=2, max_size=5), st.data())
def test_text_that_moves_between_neighbouring_values_changes_the_digest(texts, data):
    place = data.draw(st.integers(0, len(texts) - 2))
    joined = texts[place] + texts[place + 1]
    cut = data.draw(st.integers(0, len(joined)))
    moved = [*texts[:place], joined[:cut], joined[cut:], *texts[place + 2 :]]
    found = [digest(pa.RecordBatch.from_pydict({"text": t})) for t in (texts, moved)]
    assert (found[0] == found[1]) == (texts == moved)


def test_missing_empty_and_zero_are_three_things():
    found = [
        digest(pa.RecordBatch.from_arrays([pa.array(values, kind)], ["x"]))
        for kind, values in (
            (pa.string(), ["", "a"]),
            (pa.string(), [None, "a"]),
            (pa.string(), ["a", None]),
            (pa.int64(), [0, 1]),
            (pa.int64(), [None, 1]),
            (pa.bool_(), [False, None]),
            (pa.bool_(), [None, False]),
        )
    ]
    assert len(set(found)) == len(found)


def test_columns_that_are_swapped_or_renamed_change_the_digest():
    a, b = pa.array([1, 2]), pa.array([3, 4])
    tables = [([a, b], "ab"), ([b, a], "ab"), ([a, b], "ba"), ([b, a], "ba"), ([a, b], "ac")]
    found = {digest(pa.RecordBatch.from_arrays(arrays, list(names))) for arrays, names in tables}
    assert len(found) == len(tables)


def test_rows_count_even_where_nothing_else_does():
    one, two = (pa.RecordBatch.from_arrays([pa.nulls(n)], ["x"]) for n in (1, 2))
    assert digest(one) != digest(two)
    assert digest(one, one) == digest(two)


def test_batches_without_records_leave_no_trace():
    some = batch([(1.0, 2, "a", True, None, None)])
    assert digest(batch([])) == digest() == (0, Content().hexdigest())
    assert digest(batch([]), some, batch([])) == digest(some)


@settings(max_examples=30)
@given(ROWS)
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_what_is_written_and_read_again_has_the_same_digest(tmp_path_factory, format, rows):
    path = tmp_path_factory.mktemp("data") / f"data.{format}"
    whole = batch([[None if v in (float("inf"), -float("inf")) else v for v in r] for r in rows])
    with file_writer(path, SCHEMA, format) as writer:
        writer.write_batch(whole)
    assert digest(*read_batches(path, SCHEMA)) == digest(whole)
