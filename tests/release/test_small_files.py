"""A release whose records are nearly all the same is a small file, and an honest one."""

import pyarrow as pa

import sfumato as sf


def test_a_file_of_equal_records_is_read_and_verifies(tmp_path):
    said = "x" * 400
    schema = {
        "name": "t",
        "columns": {"a": {"kind": "category", "values": [said], "other": False}},
    }
    table = pa.table({"a": [said] * 10})
    folder = tmp_path / "release"
    release = sf.publish(
        table, schema=schema, epsilon=1, rows=700_000, folder=folder, format="parquet"
    )
    assert sf.verify(folder)
    assert sum(batch.num_rows for batch in release._read("data")) == 700_000
