"""Folders of Parquet files: one table, if all their footers say the same."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import DataError, ParameterError
from sfumato.table.header import check_header
from sfumato.table.source import number_of_records, open_source
from table.sources_world import DOMAIN, SECRET, codes, domain_of, records, texts


def written(folder, *tables):
    folder.mkdir()
    for number, table in enumerate(tables):
        pq.write_table(table, folder / f"part-{number:05}.parquet")
    return folder


def test_a_folder_gives_the_codes_of_the_table_in_the_order_of_its_files(tmp_path):
    table = records()
    folder = written(tmp_path / "visits", table[:3], table[3:3], table[3:])
    for beside in ("_SUCCESS", ".part-00000.parquet.crc", "_metadata"):
        (folder / beside).write_text(SECRET)
    assert codes(folder) == codes(table)
    source = open_source(str(folder))
    assert number_of_records(source, DOMAIN) == 7
    assert (source.has_rows(7), source.has_rows(8)) == (True, False)
    check_header(source, domain_of({"id": {"kind": "id"}, **_columns()}, "replace-one"))


def _columns():
    return {
        name: column.model_dump() for name, column in DOMAIN.schema.columns.items() if name != "id"
    }


def test_files_that_disagree_are_refused_by_their_number(tmp_path):
    whole = pa.table({"age": [1, 2]})
    others = [
        pa.table({"age": [1.5]}),
        pa.table({"Age": [1]}),
        pa.table({"age": [1], "b": [SECRET]}),
    ]
    for number, other in enumerate(others):
        folder = written(tmp_path / str(number), whole, whole, other)
        with pytest.raises(DataError, match="file 3 by name has other columns or types") as error:
            open_source(folder)
        assert SECRET not in "".join(texts(error.value))


def test_folders_in_folders_and_folders_of_something_else_are_refused(tmp_path):
    whole = pa.table({"age": [1, 2]})
    written(written(tmp_path / "plain") / SECRET, whole)
    written(written(tmp_path / "deep", whole) / f"region={SECRET}", whole)
    written(written(written(tmp_path / "twice") / f"a={SECRET}") / "a=1", whole)
    written(written(tmp_path / "beside") / f"region={SECRET}", whole)
    written(tmp_path / "beside" / f"area={SECRET}", whole)
    written(tmp_path / "mixed", whole).joinpath(f"{SECRET}.csv").write_text("x")
    written(tmp_path / "empty")
    for name, words in {
        "plain": "holds folders that state no column",
        "deep": "in folders that do not state the same columns",
        "beside": "in folders that do not state the same columns",
        "twice": "state one column twice",
        "mixed": "is a folder with files that are not Parquet",
        "empty": "is a folder with no file",
    }.items():
        with pytest.raises(DataError, match=words) as error:
            open_source(tmp_path / name)
        assert SECRET not in "".join(texts(error.value))


def test_a_damaged_file_of_a_folder_is_refused_when_it_is_opened(tmp_path):
    folder = written(tmp_path / "visits", records())
    (folder / "part-00001.parquet").write_bytes(b"PAR1" + SECRET.encode())
    with pytest.raises(DataError, match="it is damaged or half-written") as error:
        open_source(folder)
    assert SECRET not in "".join(texts(error.value))


def partitioned(folder, table, *keys):
    """As Spark and others write it."""
    pq.write_to_dataset(table, folder, partition_cols=list(keys))
    return folder


def test_what_the_names_of_folders_state_are_columns(tmp_path):
    table = pa.table(
        {
            "age": [1, 2, 3, 4, 5],
            "ward": ["a b", "a/b", None, "ü=1", "a b"],
            "year": [2024, 2023, 2024, 2024, 2023],
        }
    )
    folder = partitioned(tmp_path / "visits", table, "ward", "year")
    (folder / "ward=empty" / "year=2000").mkdir(parents=True)
    columns = {
        "age": {"kind": "integer", "low": 0, "high": 9},
        "ward": {"kind": "category", "values": ["a b", "a/b", "ü=1"], "missing": "allowed"},
        "year": {"kind": "integer", "low": 2000, "high": 2030},
    }
    domain = domain_of(columns)
    assert sorted(codes(folder, domain)) == sorted(codes(table, domain))
    source = open_source(folder)
    assert source.names == ["age", "ward", "year"]
    assert number_of_records(source, domain) == 5
    assert "2024" not in repr(source)
    only = {name: {"kind": "id"} for name in ("age", "ward")} | {"year": columns["year"]}
    assert sorted(codes(folder, domain_of(only))) == [[23], [23], [24], [24], [24]]


def test_a_partitioned_folder_gives_the_release_of_its_table_but_no_row_in_its_place(tmp_path):
    table = records()
    folder = partitioned(tmp_path / "visits", table, "ward")
    schema = DOMAIN.schema.to_json() | {"neighbours": "replace-one"}
    there, here = (sf.publish(data, schema=schema, epsilon=1, seed=1) for data in (folder, table))
    assert there.synopsis == here.synopsis
    with pytest.raises(ParameterError, match="parted by their values"):
        sf.publish(folder, schema=schema, method="local", epsilon=1)


def test_no_name_of_a_folder_stops_anybody_or_is_passed_over(tmp_path):
    folder = written(tmp_path / "visits")
    for name in ("_ward=a", "_ward=%FF", "_ward=", "_ward=%"):
        written(folder / name, pa.table({"age": [1]}))
    written(folder / "_delta_log", pa.table({"other": [SECRET]}))
    category = {"kind": "category", "values": ["a", "%"], "other": "o", "missing": "allowed"}
    columns = {"age": {"kind": "integer", "low": 0, "high": 9}, "_ward": category}
    # What is no letter is unreadable, as in every file, and counts as missing.
    assert sorted(codes(folder, domain_of(columns))) == [[1, 0], [1, 1], [1, 3], [1, 3]]
