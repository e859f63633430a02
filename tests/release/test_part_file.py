"""Data in several files: whole or not there, read and saved as one table."""

import os
import shutil
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from parts_world import ROWS, SIZES, published, written
from sfumato.errors import ReleaseError
from sfumato.release import stored_rows
from sfumato.release.part_file import PartSink
from sfumato.release.stored_rows import StoredRows

NAMES = [f"data/part-{k:05}.parquet" for k in range(len(SIZES))]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    place = tmp_path_factory.mktemp("parts") / "release"
    return published(place)


@pytest.fixture
def release(made, tmp_path):
    return sf.Release.load(shutil.copytree(made.folder, tmp_path / "copy"))


def test_a_release_in_parts_lists_and_seals_each_of_them(made):
    assert list(made.certificate.data_files) == NAMES
    assert sorted(path.name for path in made.folder.iterdir()) == [
        "data",
        "release.json",
        "synopsis.json",
    ]
    assert [pq.read_metadata(made.folder / name).num_rows for name in NAMES] == list(SIZES)
    found = sf.verify(made.folder)
    assert found.passed, found
    assert found[0].detail == "as released: data/ (3 files), synopsis.json"


@pytest.mark.slow
def test_it_is_read_as_one_table_asked_and_reported(release):
    whole = pa.concat_tables([pq.read_table(release.folder / name) for name in NAMES])
    assert release.table.to_pylist() == whole.to_pylist()
    assert release.table.num_rows == release.certificate.rows == ROWS
    assert release.accuracy(mean="age")[0].question == "mean of age"
    assert sf.write_report(release).exists()
    assert sf.verify(release).passed


def test_it_is_saved_as_the_files_that_it_is(release, tmp_path):
    assert release.table.num_rows == ROWS  # looked at, and yet saved as it is
    saved = release.save(tmp_path / "saved")
    assert sf.verify(saved).passed
    assert sf.Release.load(saved).certificate == release.certificate
    (release.folder / NAMES[1]).write_bytes((release.folder / NAMES[0]).read_bytes())
    with pytest.raises(ReleaseError, match="changed after the release"):
        release.save(tmp_path / "again")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "saved"]


def test_a_part_is_there_whole_or_not_at_all(tmp_path):
    batch, sink = pa.RecordBatch.from_pydict({"a": [1, 2]}), PartSink(tmp_path)

    def broken():
        yield batch
        raise RuntimeError("the worker is gone")

    with pytest.raises(RuntimeError):
        sink(0, batch.schema, broken())
    assert list(tmp_path.iterdir()) == []
    first = sink(0, batch.schema, [batch])
    assert sink(0, batch.schema, [batch]) == first  # begun again
    assert sink(0, batch.schema, []).rows == 0


def left_out(sink, whole):
    parts = written(sink, whole)
    (sink.folder / "part-00001.parquet").unlink()
    return parts


def not_reported(sink, whole):
    return written(sink, whole)[:-1]


def foreign(sink, whole):
    (sink.folder / "notes.txt").write_text("x")
    return written(sink, whole)


def nothing(_sink, _whole):
    return []


@pytest.mark.parametrize("write", [left_out, not_reported, foreign, nothing])
def test_parts_that_are_not_all_there_make_no_release(tmp_path, write):
    with pytest.raises(ReleaseError, match="parts of it are missing"):
        published(tmp_path / "release", write=write)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_writer_left_is_not_published(tmp_path):
    def begun_twice(sink, whole):
        (sink.folder / ".partial-7-abc.parquet").write_bytes(b"half of it")
        return written(sink, whole)

    release = published(tmp_path / "release", write=begun_twice)
    assert len(list((release.folder / "data").iterdir())) == len(SIZES)
    assert sf.verify(release).passed


def test_a_release_that_is_larger_than_the_bound_stays_in_its_files(release, monkeypatch):
    assert isinstance(release.data, pa.Table)
    fresh = sf.Release.load(release.folder)
    monkeypatch.setattr("sfumato.release.release.MOST_BYTES", 100)
    rows = fresh.data
    assert isinstance(rows, StoredRows)
    assert (len(rows), rows.schema) == (ROWS, release.table.schema)
    for _ in range(2):  # it can be read again
        assert pa.Table.from_batches(rows).equals(release.table)
    assert pa.table(rows).equals(release.table)
    assert rows.reader().read_all().equals(release.table)
    assert fresh.table.num_rows == ROWS  # asked for in so many words
    assert isinstance(fresh.data, pa.Table)


def test_the_bound_is_about_public_facts(release):
    assert stored_rows.row_bytes(release.table.schema) * 10**9 > stored_rows.MOST_BYTES
    assert stored_rows.row_bytes(release.table.schema) * 10**6 < stored_rows.MOST_BYTES


def test_frames_are_made_from_rows_in_files():
    pl = pytest.importorskip("polars")
    batch = pa.RecordBatch.from_pydict({"a": [1, 2]})
    rows = StoredRows(batch.schema, 2, lambda: iter([batch]))
    assert pl.DataFrame(rows)["a"].to_list() == [1, 2]


DYING = """
import os, sys
import parts_world

def dying(sink, whole):
    parts_world.written(sink, whole)
    os._exit(9)

parts_world.published(sys.argv[1], write=dying)
"""


@pytest.mark.slow
@pytest.mark.long
def test_a_process_that_is_killed_among_its_parts_leaves_nothing_that_is_seen(tmp_path):
    place, path = tmp_path / "release", os.pathsep.join(sys.path)
    command = [sys.executable, "-c", DYING, str(place)]
    killed = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, check=False)
    assert killed.returncode == 9
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".release.partial-")
    assert sf.verify(published(place).folder).passed
    assert [found.name for found in tmp_path.iterdir()] == ["release"]  # and it was swept
