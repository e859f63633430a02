"""The digest of released content: blind to batches and formats, sharp for every value."""

import datetime as dt
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.release.content import Content, Hashed, PartsContent, leaf_digest
from sfumato.release.file import file_writer, read_batches
from sfumato.release.older_content import OlderContent

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


def leaves(rows, **columns):
    """So many rows of whole numbers and texts, and other columns."""
    texts = pa.array(["x", "y", None, "zz"]).take(pa.array([k % 4 for k in range(rows)]))
    return pa.RecordBatch.from_pydict({"k": range(rows), "t": texts} | columns)


def test_leaves_that_were_hashed_elsewhere_count_as_they_are(monkeypatch):
    monkeypatch.setattr("sfumato.release.content.LEAF_ROWS", 10)
    whole = leaves(35)
    content = Content()
    for start in (0, 10, 20):
        part = whole.slice(start, 10)
        content.update(Hashed(part, leaf_digest(part)))
    content.update(Hashed(whole.slice(30), None))
    assert (content.rows, content.hexdigest()) == digest(whole)
    parts = [whole.slice(0, 3), whole.slice(3, 10), whole.slice(13)]
    assert digest(*parts) == digest(whole)
    late = Content()  # a leaf that does not begin where one does is hashed again
    late.update(whole.slice(0, 3))
    late.update(Hashed(whole.slice(3, 10), leaf_digest(whole.slice(3, 10))))
    late.update(whole.slice(13))
    assert (late.rows, late.hexdigest()) == digest(whole)


def test_records_that_change_places_between_leaves_change_the_digest(monkeypatch):
    monkeypatch.setattr("sfumato.release.content.LEAF_ROWS", 10)
    rows = leaves(20).to_pylist()
    found = {digest(pa.RecordBatch.from_pylist(rows, leaves(1).schema))}
    swapped, cut = [rows[10], *rows[1:10], rows[0], *rows[11:]], rows[10:] + rows[:10]
    for other in (swapped, cut, rows[:-1], [*rows, rows[-1]]):
        found.add(digest(pa.RecordBatch.from_pylist(other, leaves(1).schema)))
    assert len(found) == 5


def test_how_texts_are_kept_makes_no_difference():
    plain = leaves(200)
    for levels in (["x", "y", "zz"], ["never", "zz", "x", "y", "x"]):
        order = {text: levels.index(text) for text in ("x", "y", "zz")}
        places = pa.array([order.get(t) for t in plain["t"].to_pylist()], pa.int8())
        kept = pa.DictionaryArray.from_arrays(places, levels)
        found = pa.RecordBatch.from_arrays([plain["k"], kept], names=["k", "t"])
        assert digest(found) == digest(plain)
        assert leaf_digest(found) == leaf_digest(plain)


@pytest.mark.parametrize("distinct", [255, 256, 65_536])
def test_the_number_of_distinct_texts_is_no_limit(distinct):
    texts = pa.array([f"{k:05}" for k in range(distinct)] + [None])
    moved = pa.array([*texts.to_pylist()[1:], "00000"])
    cases = [pa.RecordBatch.from_arrays([t], ["t"]) for t in (texts, moved, texts[:-1])]
    found = {leaf_digest(case) for case in cases}
    assert len(found) == 3


def test_files_of_a_release_are_bound_by_name_number_and_order():
    files = [("data/part-00000.parquet", 3, "0" * 64), ("data/part-00001.parquet", 2, "1" * 64)]
    (one, two), total = files, PartsContent()
    forged = (
        files,
        [two, one],
        [one],
        [one, one],
        [(one[0], 2, one[2]), (two[0], 3, two[2])],
        [(two[0], *one[1:]), (one[0], *two[1:])],
    )
    found = set()
    for case in forged:
        total = PartsContent()
        for file in case:
            total.add(*file)
        found.add(total.hexdigest())
    assert len(found) == len(forged)


def test_a_certificate_of_format_1_has_the_digest_that_it_always_had():
    """Written down once, by version 0.1."""
    content = OlderContent()
    content.update(batch([(1.5, -2, "añ", True, dt.date(2020, 1, 2), None), (None,) * 6]))
    assert content.hexdigest() == "5f574bbc97e1cc83938c0ab3c1336a4937428a45a1291563220d171f5e0cd1af"
