"""Sources: the same content gives the same codes, and refusals look at headers alone."""

import gzip
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import DataError, SfumatoError
from sfumato.table.encode import encode
from sfumato.table.header import check_header
from sfumato.table.source import open_source
from slowness import slow
from table.sources_world import COLUMNS, OBJECTS, SECRET, codes, domain_of, records, texts


def sources(table, folder):
    """The same content as every kind of source."""
    plain = table.set_column(7, "at", table["at"].cast(pa.timestamp("us")))
    texts = pa.table(
        {name: pa.array([_written(v) for v in table[name].to_pylist()]) for name in COLUMNS}
    )
    pacsv.write_csv(plain, folder / "plain.csv")
    content = (folder / "plain.csv").read_bytes()
    (folder / "packed.csv.gz").write_bytes(gzip.compress(content))
    for name, delimiter in (("semicolon.csv", ";"), ("tab.tsv", "\t"), ("pipe.txt", "|")):
        pacsv.write_csv(plain, folder / name, pacsv.WriteOptions(delimiter=delimiter))
    plain.to_pandas().to_csv(folder / "pandas.csv", index=False)
    pl.from_arrow(plain).write_csv(folder / "polars.csv")
    pq.write_table(plain, folder / "plain.parquet")
    pq.write_table(table, folder / "groups.pq", row_group_size=2, use_dictionary=True)
    yield table
    yield plain.combine_chunks().to_batches()[0] if table.num_rows else plain
    yield texts
    yield pa.table([c.dictionary_encode() for c in texts.columns], texts.column_names)
    yield texts.cast(pa.schema([(name, pa.large_string()) for name in COLUMNS]))
    yield pl.from_arrow(table)
    yield pl.from_arrow(texts)
    yield pl.from_arrow(texts).with_columns(pl.col("ward", "grade").cast(pl.Categorical))
    yield plain.to_pandas()
    yield plain.to_pandas().astype(object)
    yield texts.to_pandas()
    yield texts.to_pandas().astype({"ward": "category", "grade": "category"})
    yield plain.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    yield from sorted(path for path in folder.iterdir())


def _written(value):
    return None if value is None else str(value)


@pytest.mark.parametrize("rows", [7, 1, 0])
def test_the_same_content_gives_the_same_codes_from_every_kind_of_source(tmp_path, rows):
    table = records(rows)
    expected = codes(table)
    assert len(expected) == rows
    found = [codes(source) for source in sources(table, tmp_path)]
    assert len(found) == 22
    assert [i for i, other in enumerate(found) if other != expected] == []


@pytest.mark.parametrize("examples", [15, slow(60)])
@pytest.mark.long
def test_in_a_column_of_python_objects_no_record_decides_how_another_is_read(examples):
    domains = [domain_of({"x": column}) for name, column in COLUMNS.items() if name != "id"]

    @settings(max_examples=examples)
    @given(st.lists(st.sampled_from(range(len(OBJECTS))), min_size=1, max_size=5))
    def check(places):
        for domain in domains:
            for frame in (pandas_objects, polars_objects):
                whole = codes(frame([OBJECTS[i] for i in places]), domain)
                assert whole == [codes(frame([OBJECTS[i]]), domain)[0] for i in places]

    check()


def pandas_objects(values):
    series = pd.Series(index=range(len(values)), dtype=object)
    for place, value in enumerate(values):
        series.iat[place] = value
    return pd.DataFrame({"x": series})


def polars_objects(values):
    return pl.DataFrame({"x": pl.Series(values, dtype=pl.Object)})


def test_categories_of_mixed_objects_are_read_by_themselves():
    domain = domain_of({"x": {"kind": "category", "values": ["a", 3], "other": "else"}})
    mixed = pd.DataFrame({"x": pd.Categorical([3.0, "a", None, 7.5])})
    alone = pd.DataFrame({"x": pd.Categorical([3.0, 7.5])})
    assert codes(mixed, domain) == [[1], [0], [2], [2]]
    assert codes(alone, domain) == [[1], [2]]


def test_missing_values_of_each_library_are_missing():
    domain = domain_of({"x": {"kind": "integer", "low": 0, "high": 9, "missing": "allowed"}})
    for values in ([1, None], [1, np.nan]):
        assert codes(pd.DataFrame({"x": values}), domain) == [[1], [-1]]
    assert codes(pd.DataFrame({"x": pd.array([1, pd.NA], "Int64")}), domain) == [[1], [-1]]
    assert codes(pl.DataFrame({"x": [1, None]}), domain) == [[1], [-1]]
    days = domain_of({"x": COLUMNS["seen"]})
    stamps = pd.DataFrame({"x": pd.to_datetime(["2020-01-03", None])})
    assert codes(stamps, days) == [[2], [-1]]
    assert codes(pd.DataFrame({"x": [np.nan, np.nan]}), days) == [[-1], [-1]]


class Unreadable:
    """A source that fails when an id is asked for."""

    kind, names, types = "arrow", ["id", "age"], {}

    def batches(self, columns):
        assert "id" not in columns
        return iter([pa.RecordBatch.from_pydict({"age": [1, 2]})])

    def has_rows(self, count):
        return True


def test_ids_are_never_asked_from_a_source(tmp_path):
    domain = domain_of({"id": {"kind": "id"}, "age": COLUMNS["age"]}, "replace-one")
    names = [axis.name for axis in domain.axes]
    check_header(Unreadable(), domain)
    assert [encode(domain, b).tolist() for b in Unreadable().batches(names)] == [[[1], [2]]]


def test_a_damaged_id_column_does_not_matter(tmp_path):
    table = pa.table({"id": [f"{i:064}" for i in range(5000)], "age": [i % 8 for i in range(5000)]})
    path = tmp_path / "x.parquet"
    pq.write_table(table, path, compression="none", use_dictionary=False)
    page = pq.read_metadata(path).row_group(0).column(0).data_page_offset
    content = bytearray(path.read_bytes())
    content[page : page + 40] = b"\xff" * 40
    path.write_bytes(content)
    domain = domain_of({"id": {"kind": "id"}, "age": COLUMNS["age"]})
    assert codes(path, domain) == [[i % 8] for i in range(5000)]
    with pytest.raises((OSError, pa.ArrowException)):
        list(open_source(path).batches(["id"]))


def test_the_id_column_of_a_frame_is_not_even_looked_at():
    looks = []

    class Watched:
        def __str__(self):
            looks.append("look")
            return SECRET

    frame = pandas_objects([Watched(), Watched()]).rename(columns={"x": "id"}).assign(age=[1, 2])
    assert codes(frame, domain_of({"id": {"kind": "id"}, "age": COLUMNS["age"]})) == [[1], [2]]
    codes(
        frame.assign(id=pd.Categorical(frame["id"])),
        domain_of({"id": {"kind": "id"}, "age": COLUMNS["age"]}),
    )
    assert looks == []
    codes(frame[["id"]], domain_of({"id": {"kind": "category", "values": ["a"]}}))
    assert looks == ["look"] * 2  # a look would have been seen


def test_an_id_column_may_be_absent():
    domain = domain_of({"id": {"kind": "id"}, "age": COLUMNS["age"]})
    assert codes(pa.table({"age": [3]}), domain) == [[3]]


WRONG = {
    "list": pa.array([[1], [2]]),
    "struct": pa.array([{"x": 1}, {"x": 2}]),
    "binary": pa.array([b"1", SECRET.encode()]),
    "duration": pa.array([1, 2], pa.duration("s")),
    "time": pa.array([1, 2], pa.time32("s")),
    "map": pa.array([[("a", 1)], []], pa.map_(pa.string(), pa.int8())),
    "dictionary": pa.array([b"1", b"2"]).dictionary_encode(),
}
MOMENTS = {
    "timestamp": pa.array([1, 2], pa.timestamp("s")),
    "date32": pa.array([1, 2], pa.date32()),
}
WHOLE = {"int64": pa.array([1, 2]), "decimal": pa.array([Decimal("1.5")] * 2)}
REFUSED = [
    (column, kind, stored)
    for column in ("size", "age", "ward", "grade", "smoker", "seen", "at")
    for kind, stored in (
        WRONG | (WHOLE | {"bool": pa.array([True] * 2)} if column in ("seen", "at") else MOMENTS)
    ).items()
]


@pytest.mark.parametrize(("column", "kind", "stored"), REFUSED, ids=lambda x: str(x)[:12])
@pytest.mark.parametrize("file", [False, True])
def test_a_column_stored_as_the_wrong_kind_is_refused_by_name(tmp_path, column, kind, stored, file):
    table = records(2)
    table = table.set_column(table.column_names.index(column), column, stored)
    if file:
        pq.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(DataError, match=f"^column {column} is declared .* but stored as") as error:
        codes(tmp_path / "x.parquet" if file else table)
    assert SECRET not in "".join(texts(error.value))
    assert "convert it or correct its kind" in str(error.value)


def missing_column():
    return records().drop_columns("age")


def extra_column():
    return records().append_column("notes", pa.array([SECRET] * 7))


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (missing_column, "column age of the schema is not in the data"),
        (extra_column, "column notes is not in the schema: declare it .* or drop it"),
    ],
)
def test_missing_and_extra_columns_are_refused_by_name(tmp_path, table, words):
    table = table()
    pacsv.write_csv(table, tmp_path / "x.csv")
    pq.write_table(table, tmp_path / "x.parquet")
    given = [table, pl.from_arrow(table), table.to_pandas()]
    for data in [*given, tmp_path / "x.csv", tmp_path / "x.parquet"]:
        with pytest.raises(DataError, match=words) as error:
            codes(data)
        assert SECRET not in "".join(texts(error.value))


@pytest.mark.parametrize("rows", [0, 1])
def test_too_few_records_are_refused_only_where_their_number_is_public(tmp_path, rows):
    table = pa.table({"age": pa.array([int(SECRET[-1])] * rows, pa.int64())})
    pacsv.write_csv(table, tmp_path / "x.csv")
    pq.write_table(table, tmp_path / "x.parquet")
    for data in (table, table.to_pandas(), tmp_path / "x.csv", tmp_path / "x.parquet"):
        with pytest.raises(DataError, match="fewer than two records"):
            codes(data, domain_of({"age": COLUMNS["age"]}, "replace-one"))
        assert len(codes(data, domain_of({"age": COLUMNS["age"]}))) == rows


NOT_TABLES = [None, 5, [1], np.ones((2, 2)), pd.Series([1]), b"x", pa.array([1])]


@pytest.mark.parametrize("data", NOT_TABLES, ids=lambda data: type(data).__name__)
def test_what_is_no_table_is_refused_by_its_type(data):
    with pytest.raises(DataError, match=rf"data of type {type(data).__name__} is not a table"):
        open_source(data)


def test_names_that_occur_twice_are_refused_in_every_frame():
    twice = pd.DataFrame([[SECRET, 2]], columns=["age", "age"])
    as_text = pd.DataFrame([[SECRET, 2]], columns=["1", 1])
    for frame in (twice, as_text):
        with pytest.raises(DataError, match="two columns have the same name") as error:
            open_source(frame)
        assert SECRET not in "".join(texts(error.value))
    with pytest.raises(DataError, match="two columns have the same name"):
        open_source(pa.table([[SECRET], [2]], ["a", "a"]))


@pytest.mark.parametrize("name", ["gone.csv", "folder", "x.xlsx", "noend", "x" * 5000, "a\0b.csv"])
def test_paths_that_cannot_be_tables_are_refused(tmp_path, name):
    (tmp_path / "folder").mkdir()
    for present in ("x.xlsx", "noend"):
        (tmp_path / present).write_bytes(SECRET.encode())
    with pytest.raises(DataError) as error:
        open_source(tmp_path / name)
    assert SECRET not in "".join(texts(error.value))


@pytest.mark.parametrize("name", ["x.parquet", "x.pq", "x.csv.gz"])
@pytest.mark.parametrize("content", [b"", SECRET.encode(), b"PAR1" + SECRET.encode() * 9 + b"PAR1"])
def test_files_that_are_not_what_they_are_called_are_refused(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SfumatoError) as error:
        codes(tmp_path / name)
    assert SECRET not in "".join(texts(error.value))


@pytest.mark.parametrize("kept", [0.01, 0.5])
def test_a_packed_file_cut_short_is_refused_before_anything_is_charged(tmp_path, rng, kept):
    content = b"age\n" + rng.bytes(10**6).hex().encode() + b"\n1\n"
    packed = gzip.compress(content)
    (tmp_path / "x.csv.gz").write_bytes(packed[: int(len(packed) * kept)])
    source = open_source(tmp_path / "x.csv.gz")  # the header can be read
    with pytest.raises(DataError, match="cannot be read: it is damaged") as error:
        check_header(source, domain_of({"age": COLUMNS["age"]}, "replace-one"))
    assert content[10:40].decode() not in "".join(texts(error.value))
