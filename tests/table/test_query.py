"""Queries of polars and DuckDB: run when records are asked for; others get a hint."""

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import DataError
from sfumato.table.source import open_source
from table.sources_world import COLUMNS, codes, domain_of, records


@pytest.mark.parametrize("rows", [7, 1, 0])
def test_a_lazy_frame_gives_the_codes_of_the_table(tmp_path, rows):
    table = records(rows)
    pq.write_table(table, tmp_path / "x.parquet")
    for lazy in (pl.from_arrow(table).lazy(), pl.scan_parquet(tmp_path / "x.parquet")):
        assert codes(lazy) == codes(table)
        assert codes(lazy) == codes(table)  # again
        source = open_source(lazy)
        assert [source.has_rows(rows), source.has_rows(rows + 1)] == [True, False]


def test_polars_without_batches_is_asked_for_all_at_once(monkeypatch):
    monkeypatch.delattr(pl.LazyFrame, "collect_batches", raising=False)
    assert codes(pl.from_arrow(records()).lazy()) == codes(records())


def test_a_lazy_frame_runs_nothing_before_records_are_read_and_comes_back_as_a_frame():
    runs = []

    def watched(frame):
        runs.append(frame.height)
        return frame

    lazy = pl.LazyFrame({"age": [1, 2, 3]}).map_batches(watched, schema={"age": pl.Int64})
    source = open_source(lazy)
    assert source.types == {"age": pa.int64()}
    assert runs == []
    schema = {"name": "t", "neighbours": "add-remove", "columns": {"age": COLUMNS["age"]}}
    assert isinstance(sf.publish(lazy, schema=schema, epsilon=1).data, pl.DataFrame)
    assert runs


def test_a_column_of_the_wrong_kind_is_refused_by_the_type_of_the_query():
    lazy = pl.LazyFrame({"age": [[1]]})
    with pytest.raises(DataError, match="column age is declared integer but stored as"):
        codes(lazy, domain_of({"age": COLUMNS["age"]}))


@pytest.mark.parametrize("rows", [7, 1, 0])
def test_a_relation_gives_the_codes_of_the_table(rows):
    duckdb = pytest.importorskip("duckdb")
    table = records(rows)
    with duckdb.connect() as connection:
        relation = connection.from_arrow(table)
        assert codes(relation) == codes(relation) == codes(table)
        source = open_source(relation)
        assert [source.has_rows(rows), source.has_rows(rows + 1)] == [True, False]
        renamed = relation.project('age as "a ""b"" c", age + 1 as age')
        assert [b.num_columns for b in open_source(renamed).batches(['a "b" c'])] == [1] * bool(
            rows
        )


class Stranger:
    """Stands for a frame of a library that is not asked yet."""


@pytest.mark.parametrize(
    ("module", "hint"),
    [
        ("dask.dataframe.core", r"write it with frame.to_parquet\(folder\), and give the folder"),
        ("pyspark.sql", r"write it with frame.write.parquet\(folder\), and give the folder"),
        ("elsewhere", "give a pandas or polars frame, an Arrow table, a dict of columns"),
    ],
)
def test_frames_of_other_libraries_are_refused_with_a_hint(monkeypatch, module, hint):
    monkeypatch.setattr(Stranger, "__module__", module)
    with pytest.raises(DataError, match=f"data of type Stranger is not a table: {hint}"):
        open_source(Stranger())


def test_a_reader_that_can_be_read_once_is_refused_with_a_hint():
    with pytest.raises(DataError, match=r"can be read only once: give reader.read_all\(\)"):
        open_source(records().to_reader())


def test_whole_numbers_of_many_bits_read_as_in_a_frame():
    kinds = [getattr(pl, name) for name in ("Int128", "UInt128") if hasattr(pl, name)]
    for kind in kinds:
        lazy = pl.LazyFrame({"age": [1, None, 2**100]}, schema={"age": kind})
        domain = domain_of({"age": COLUMNS["age"]})
        assert codes(lazy, domain) == codes(lazy.collect(), domain) == [[1], [-1], [7]]


def test_a_query_that_cannot_be_resolved_is_refused_without_its_plan(tmp_path):
    secret = pl.LazyFrame({"age": [1, 4711]}).filter(pl.col("age") == 4711)
    both = pl.col("age").alias("x")
    for lazy in (
        secret.select("agee"),
        secret.select(both, both),
        pl.scan_csv(tmp_path / "no.csv"),
    ):
        with pytest.raises(DataError, match="query of polars cannot be resolved: correct") as error:
            open_source(lazy)
        assert error.value.__context__ is None
