"""Folders of Parquet files: one table, if all their footers say the same."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.errors import DataError
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
    written(tmp_path / "parts", whole).joinpath(f"region={SECRET}").mkdir()
    written(tmp_path / "mixed", whole).joinpath(f"{SECRET}.csv").write_text("x")
    written(tmp_path / "empty")
    for name, words in {
        "parts": "holds folders: write the table as one Parquet file, .* without partitions",
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
