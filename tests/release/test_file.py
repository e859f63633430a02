"""Data files: categories as dictionaries of the schema's levels, in groups of a sensible size."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.release.content import Content
from sfumato.release.file import file_writer, read_batches
from sfumato.render.decode import Decoder
from sfumato.schema import Schema
from sfumato.schema.arrow import arrow_schema
from sfumato.schema.domain import MISSING, Domain

DOMAIN = Domain.of(
    Schema.of(
        {
            "name": "t",
            "columns": {
                "age": {"kind": "integer", "low": 0, "high": 110, "missing": "allowed"},
                "ward": {"kind": "category", "values": ["c", "a", "b"], "missing": "allowed"},
                "unit": {"kind": "category", "values": [1, 2]},
                "seen": {"kind": "date", "low": "2020-01-01", "high": "2020-12-31"},
            },
        }
    )
)
CODES = np.array([[30, 1, 0, 5], [MISSING, 3, 1, 6], [41, 0, 1, 7]], np.int32)
PLAIN = Decoder(DOMAIN).batch(CODES)


@pytest.fixture
def path(tmp_path):
    with file_writer(tmp_path / "data.parquet", arrow_schema(DOMAIN), "parquet") as writer:
        writer.write_batch(Decoder(DOMAIN).encoded(CODES))
    return tmp_path / "data.parquet"


def test_categories_are_kept_as_places_among_all_levels_of_the_schema(path):
    kept = pq.read_table(path).column("ward").chunk(0)
    assert pa.types.is_dictionary(kept.type)
    assert kept.dictionary.to_pylist() == ["c", "a", "b"]  # whichever are there
    assert set(pq.read_metadata(path).row_group(0).column(1).encodings) <= {
        "PLAIN",
        "RLE",
        "RLE_DICTIONARY",
    }


def test_they_are_read_back_in_the_types_of_the_schema(path):
    found = pa.Table.from_batches(read_batches(path, arrow_schema(DOMAIN), 3))
    assert found.schema.equals(arrow_schema(DOMAIN), check_metadata=True)
    assert found.to_pylist() == PLAIN.to_pylist()


def test_other_programs_read_them(path):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = pd.read_parquet(path)
    assert frame["ward"].cat.categories.tolist() == ["c", "a", "b"]
    assert frame["ward"].astype(object).where(frame["ward"].notna(), None).tolist() == [
        "a",
        None,
        "c",
    ]
    assert pl.read_parquet(path)["ward"].cast(pl.String).to_list() == ["a", None, "c"]


def test_a_file_in_plain_texts_has_the_same_content(path, tmp_path):
    digests = set()
    for format, batch in (("csv", Decoder(DOMAIN).encoded(CODES)), ("parquet", PLAIN)):
        other = tmp_path / f"other.{format}"
        with file_writer(other, arrow_schema(DOMAIN), format) as writer:
            writer.write_batch(batch)
        content = Content()
        for found in read_batches(other, arrow_schema(DOMAIN)):
            content.update(found)
        digests.add(content.hexdigest())
    content = Content()
    content.update(Decoder(DOMAIN).encoded(CODES))
    assert digests == {content.hexdigest()}


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_no_records_are_a_file_with_the_columns(tmp_path, format):
    path = tmp_path / f"data.{format}"
    with file_writer(path, arrow_schema(DOMAIN), format):
        pass
    assert list(read_batches(path, arrow_schema(DOMAIN), 0)) in ([], [PLAIN.slice(0, 0)])


def test_groups_of_rows_have_a_size_of_their_own_however_batches_come(tmp_path, monkeypatch):
    monkeypatch.setattr("sfumato.release.file._GROUP", 10)
    path, batch = tmp_path / "data.parquet", pa.RecordBatch.from_pydict({"a": range(7)})
    with file_writer(path, batch.schema, "parquet") as writer:
        for _ in range(5):
            writer.write_batch(batch)
    found = pq.read_metadata(path)
    groups = [found.row_group(k).num_rows for k in range(found.num_row_groups)]
    assert groups == [10, 10, 10, 5]
    assert pq.read_table(path)["a"].to_pylist() == [*range(7)] * 5
