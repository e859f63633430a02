"""A CSV file says the same to every program, as far as its numbers go."""

import pyarrow as pa
import pytest

from sfumato.errors import ReleaseError
from sfumato.release.file import file_writer, read_batches

SCHEMA = pa.schema({"age": pa.int64(), "ward": pa.string()})
TABLE = pa.table({"age": [-1, None, 7], "ward": ["0x1F", "b", None]}, SCHEMA)


def records(path):
    return pa.Table.from_batches(read_batches(path, SCHEMA, len(TABLE)), SCHEMA)


@pytest.fixture
def path(tmp_path):
    with file_writer(tmp_path / "data.csv", SCHEMA, "csv") as writer:
        for batch in TABLE.to_batches():
            writer.write_batch(batch)
    return tmp_path / "data.csv"


@pytest.mark.parametrize("spelt", ["-1", " -1", "-01", '"-1"'])
def test_texts_that_look_like_other_numbers_change_nothing(path, spelt):
    path.write_text(path.read_text().replace("-1", spelt, 1))
    assert records(path).equals(TABLE)


@pytest.mark.parametrize("spelt", ["0x" + "f" * 16, "0XFFFFFFFFFFFFFFFF", '" 0x' + "f" * 16 + '"'])
@pytest.mark.parametrize("block", [1, 2**20])
def test_a_number_that_programs_read_differently_is_refused(path, monkeypatch, spelt, block):
    """Arrow takes it for -1, DuckDB for 18446744073709551615."""
    monkeypatch.setattr("sfumato.release.csv_file._BLOCK", block)
    path.write_text(path.read_text().replace("-1", spelt, 1).replace("0x1F", "a"))
    with pytest.raises(ReleaseError, match="in another way than in decimals"):
        records(path)
