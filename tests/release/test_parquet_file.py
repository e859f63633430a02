"""What a Parquet file says beside its values follows from them, or the file is refused."""

import datetime as dt

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.errors import ReleaseError
from sfumato.release.file import file_writer, read_batches

SCHEMA = pa.schema(
    {
        "age": pa.int64(),
        "share": pa.float64(),
        "smoker": pa.bool_(),
        "born": pa.date32(),
        "seen": pa.timestamp("s"),
        "ward": pa.string(),
    }
)
TABLE = pa.table(
    {
        "age": [23, 7, None, 30],
        "share": [0.5, 0.0, None, 2.5],
        "smoker": [True, False, None, False],
        "born": [dt.date(2001, 2, 3), None, dt.date(1969, 1, 1), dt.date(2000, 1, 1)],
        "seen": [1_577_887_200, 1_577_844_000, None, 1_577_869_200],
        "ward": ["a", "b", None, "ä"],
    },
    SCHEMA,
)


def records(path):
    return pa.Table.from_batches(read_batches(path, SCHEMA, len(TABLE)), SCHEMA)


@pytest.fixture
def path(tmp_path):
    with file_writer(tmp_path / "data.parquet", SCHEMA, "parquet") as writer:
        for batch in TABLE.to_batches():
            writer.write_batch(batch)
    return tmp_path / "data.parquet"


def cast(name, kind):
    """The same values in another type."""
    place = SCHEMA.names.index(name)
    return TABLE.set_column(place, name, TABLE[name].cast(kind))


def test_what_we_write_is_read(path):
    assert records(path).equals(TABLE)


@pytest.mark.parametrize("statistics", [True, False, ["ward"]])
def test_true_ends_of_values_are_taken_as_earlier_versions_wrote_them(path, statistics):
    pq.write_table(TABLE, path, write_statistics=statistics, row_group_size=3)
    assert records(path).equals(TABLE)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("age", pa.timestamp("us")),  # 23 reads as 1970
        ("age", pa.duration("us")),
        ("age", pa.string()),
        ("age", pa.int32()),
        ("smoker", pa.int8()),  # and 5 would be true
        ("seen", pa.timestamp("ms", "America/New_York")),  # five hours earlier
        ("born", pa.timestamp("us")),
        ("ward", pa.binary()),
    ],
)
def test_values_that_are_equal_in_another_type_are_refused(path, name, kind):
    pq.write_table(cast(name, kind), path)
    with pytest.raises(ReleaseError, match="does not have the types of its schema"):
        records(path)


@pytest.mark.parametrize("told", ['{"freq": "D"}', "{}"])
def test_notes_on_a_column_are_refused(path, told):
    """pandas makes days of these values, or stops at the second one."""
    pytest.importorskip("pandas")
    note = {"ARROW:extension:name": "pandas.period", "ARROW:extension:metadata": told}
    noted = [SCHEMA.field(0).with_metadata(note), *list(SCHEMA)[1:]]
    pq.write_table(TABLE.cast(pa.schema(noted)), path)
    with pytest.raises(ReleaseError, match="does not have the types of its schema"):
        records(path)


@pytest.mark.parametrize(("true", "stated"), [(30, 8), (7, 25)], ids=["largest", "least"])
def test_ends_by_which_programs_skip_rows_are_compared_with_the_values(path, true, stated):
    """DuckDB, polars and pandas would find no age above 8, and no record at all above that."""
    content = path.read_bytes()
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    footer = content[start:].replace(true.to_bytes(8, "little"), stated.to_bytes(8, "little"))
    path.write_bytes(content[:start] + footer)
    told = pq.read_metadata(path).row_group(0).column(0).statistics
    assert stated in (told.min, told.max), "control: it is what programs are told"
    assert pq.read_table(path)["age"].to_pylist() == [23, 7, None, 30]
    with pytest.raises(ReleaseError, match="tells of its records what does not follow from them"):
        records(path)


@pytest.mark.parametrize(
    "more",
    [{"sorting_columns": [pq.SortingColumn(0)]}, {"write_page_index": True}],
    ids=["an order", "an index"],
)
def test_other_ways_to_skip_rows_are_refused(path, more):
    pq.write_table(TABLE, path, **more)
    with pytest.raises(ReleaseError, match="holds indices beside its records"):
        records(path)


@pytest.mark.parametrize(
    ("levels", "taken"), [(None, True), ({"ward": {"a", "b", "ä", "c"}}, True), ({}, False)]
)
def test_categories_that_no_row_has_are_those_of_the_schema(path, levels, taken):
    """pandas shows them, whatever they say."""
    places = pa.array([0, 1, None, 2], pa.int8())
    texts = pa.DictionaryArray.from_arrays(places, ["a", "b", "ä", "c"])
    table = TABLE.set_column(5, "ward", texts)
    pq.write_table(table, path, write_statistics=False)
    found = read_batches(path, SCHEMA, len(TABLE), levels=levels)
    if taken:
        assert pa.Table.from_batches(found, SCHEMA).equals(TABLE)
    else:
        with pytest.raises(ReleaseError, match="tells of its records"):
            list(found)
    pq.write_table(TABLE, path)
    assert pa.Table.from_batches(read_batches(path, SCHEMA, 4, levels={}), SCHEMA).equals(TABLE)
