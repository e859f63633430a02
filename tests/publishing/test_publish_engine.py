"""A release by an engine that writes: parts in a folder that appears whole, the same rows."""

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Barrier

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato import Ledger, Release, publish, verify
from sfumato.errors import DataError, ParameterError, ReleaseError
from sfumato.publishing import table as module
from sfumato.release.folder import sha256
from sfumato.release.part_file import PartSink
from sfumato.table import file_task
from sfumato.table.engine import Local
from sfumato.table.file_task import FileTask, NoRows, RecordFileTask
from sfumato.table.source import open_source

SCHEMA = {
    "name": "visits",
    "columns": {
        "age": {"kind": "integer", "low": 0, "high": 110},
        "ward": {"kind": "category", "values": ["surgery", "cardiology"], "other": "elsewhere"},
    },
}
FEW = 90
TABLE = pa.table({"age": np.arange(FEW) % 110, "ward": ["surgery", "cardiology", "x"] * (FEW // 3)})
ROWS = 5 * 65_536 + 7  # in two files
PARTS = 3  # of the table, where each record has a row


@dataclass(frozen=True)
class Cluster(Local):
    """Sends tasks away as bytes, runs each twice, and hears of them in any order."""

    lost: bool = False  # whether the machines see another disk
    grown: bool = False  # whether there are more records than there were
    sorts: bool = False  # whether records lie where their values sent them
    drawn = []  # noqa: RUF012  the files of each draw, and whether the ledger was charged

    def fold(self, columns, task):
        assert self.drawn, "the place was not tried before a record was read"
        sent = pickle.dumps(task)
        answers = [pickle.loads(sent)([b]) for b in self.source.batches(columns) for _ in "12"]
        return iter(answers[::2])

    def draw(self, part, parts, schema, sink):
        if self.lost:
            sink = type(sink)(Path("/nowhere"))
        task = FileTask.of(part, parts, schema, sink)
        self.drawn.append(task.files)
        sent = pickle.dumps(task)
        return task.written(
            [pickle.loads(sent)(n) for n in reversed(range(task.files)) for _ in "12"]
        )

    def moved(self):
        return self.sorts

    def map(self, columns, task, schema, sink):
        sent = RecordFileTask.of(task, schema, sink)
        size = -(-FEW // PARTS)
        whole = pa.Table.from_batches(self.source.batches(columns))
        pieces = [whole.slice(size * k, size).to_batches() for k in range(PARTS)]
        if self.grown:
            pieces[1] *= 2
        answers = [
            pickle.loads(pickle.dumps(sent))(k, iter(pieces[k])) for k in [2, 0, 1, 0, 2]
        ]  # some of them twice
        return sent.written(answers)


@pytest.fixture
def cluster(monkeypatch):
    given = Cluster(open_source(TABLE))
    given.drawn.clear()
    monkeypatch.setattr(module, "open_source", lambda *_, **__: given)
    return given


def test_a_release_by_parts_has_the_rows_and_the_synopsis_of_one_made_here(cluster, tmp_path):
    asked = {"schema": SCHEMA, "epsilon": 1, "seed": 5, "rows": ROWS}
    there = publish(TABLE, folder=tmp_path / "there", **asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "open_source", open_source)
        here = publish(TABLE, folder=tmp_path / "here", format="parquet", **asked)
    assert there.synopsis == here.synopsis
    assert there.table.equals(here.table)
    assert cluster.drawn == [4, 2]
    found = sorted(p.relative_to(there.folder).as_posix() for p in there.folder.rglob("*.parquet"))
    assert found == ["data/part-00000.parquet", "data/part-00001.parquet"]
    told = json.loads((there.folder / "release.json").read_text())
    assert set(found) < set(told["files"])
    assert verify(there.folder)
    assert Release.load(there.folder).data.num_rows == ROWS


def test_a_release_without_a_row_has_one_empty_file(cluster, tmp_path):
    release = publish(TABLE, schema=SCHEMA, epsilon=1, rows=0, folder=tmp_path / "r")
    assert (release.data.num_rows, bool(verify(release.folder))) == (0, True)


def test_a_place_that_the_machines_do_not_see_is_refused_before_the_charge(
    cluster, tmp_path, monkeypatch
):
    ledger = Ledger.create(tmp_path / "l.sqlite")
    ledger.grant("visits", epsilon=1, reason="a test")
    monkeypatch.setattr(module, "open_source", lambda *_, **__: Cluster(cluster.source, lost=True))
    with pytest.raises(ReleaseError, match="every machine sees under the same path") as refused:
        publish(TABLE, schema=SCHEMA, epsilon=1, ledger=ledger, folder=tmp_path / "r")
    assert "stays charged" not in str(refused.value)
    assert [path.name for path in tmp_path.iterdir() if "r." in path.name] == []


@pytest.mark.parametrize("method", ["local", "identity-laplace", "exponential", "dp-pca"])
def test_a_row_for_each_record_is_made_where_the_records_are(cluster, tmp_path, method):
    ledger = Ledger.create(tmp_path / "l.sqlite")
    ledger.grant("visits", epsilon=9, reason="a test")
    asked = {"schema": SCHEMA, "method": method, "epsilon": 1, "ledger": ledger}
    release = publish(TABLE, folder=tmp_path / "r", **asked)
    assert cluster.drawn == [4]
    assert release.table.num_rows == FEW
    assert release.certificate.invariants[-1] == "the partition of each record"
    parts = [f"data/part-0000{k}.parquet" for k in range(PARTS)]
    assert [name for name in release.certificate.files if name in parts] == parts
    assert verify(tmp_path / "r")
    assert ledger.entry(release.certificate.release).state == "released"


def test_more_records_than_were_fingerprinted_are_refused(cluster, tmp_path, monkeypatch):
    ledger = Ledger.create(tmp_path / "l.sqlite")
    ledger.grant("visits", epsilon=9, reason="a test")
    monkeypatch.setattr(module, "open_source", lambda *_, **__: replace(cluster, grown=True))
    asked = {"schema": SCHEMA, "method": "identity-laplace", "epsilon": 1, "ledger": ledger}
    with pytest.raises(DataError, match="number of records is not what it was"):
        publish(TABLE, folder=tmp_path / "r", **asked)
    assert [path.name for path in tmp_path.iterdir() if "r." in path.name] == []


def test_places_that_follow_from_values_are_not_shown(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "open_source", lambda *_, **__: replace(cluster, sorts=True))
    asked = {"schema": SCHEMA, "epsilon": 1}
    with pytest.raises(ParameterError, match="local shows in which order and partition"):
        publish(TABLE, method="local", folder=tmp_path / "r", **asked)
    assert not cluster.drawn
    unordered = publish(TABLE, method="local", order="shuffled", folder=tmp_path / "s", **asked)
    drawn = publish(TABLE, folder=tmp_path / "r", **asked)
    for release in (unordered, drawn):
        assert "the partition of each record" not in release.certificate.invariants


@pytest.mark.parametrize("folder", [None, "r"])
def test_machines_that_lack_packages_are_known_before_the_charge(
    cluster, tmp_path, monkeypatch, folder
):
    def refuse(*_):
        raise ReleaseError("the Python of Spark's tasks lacks sfumato")

    ledger = Ledger.create(tmp_path / "l.sqlite")
    ledger.grant("visits", epsilon=1, reason="a test")
    monkeypatch.setattr(Cluster, "draw", refuse)
    place = None if folder is None else tmp_path / folder
    for method in ("mosaic", "lap-pca"):  # what the latter releases is written here
        asked = {"schema": SCHEMA, "method": method, "epsilon": 1, "folder": place}
        with pytest.raises(ReleaseError, match="lacks sfumato"):
            publish(TABLE, ledger=ledger, **asked)
    assert ledger.balance("visits").releases == 0


def test_text_files_are_refused_before_anything_is_tried(cluster):
    with pytest.raises(ParameterError, match="a cluster writes Parquet files"):
        publish(TABLE, schema=SCHEMA, epsilon=1, format="csv")
    assert not cluster.drawn


@pytest.mark.parametrize("address", ["s3://bucket/r", "dbfs:/r", "file:///tmp/r", Path("hdfs:/r")])
def test_an_address_is_no_folder(address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParameterError, match="folder must be a path, not an address"):
        publish(TABLE, schema=SCHEMA, epsilon=1, folder=address)
    assert not any(tmp_path.iterdir())


def test_another_number_of_records_than_was_counted_is_refused(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "number_of_records", lambda *_, **__: FEW + 1)
    with pytest.raises(DataError, match="number of records is not what it was"):
        publish(TABLE, schema=SCHEMA, epsilon=1, folder=tmp_path / "r")
    assert not any(tmp_path.iterdir())


def parts_of(k):
    return pa.RecordBatch.from_pydict({"k": [k]})


def refused(*_):
    raise ReleaseError("the disk is full")


def broken(*_):
    raise ValueError("SECRET-4711")


def kept(number, schema, batches):
    return number, [batch.column(0)[0].as_py() for batch in batches]


SHAPE = pa.schema({"k": pa.int64()})


def test_files_have_consecutive_parts_and_are_never_too_many():
    task = FileTask.of(parts_of, 9, SHAPE, kept)
    again = [task(1), task(0), task(2), task(1)]
    assert task.written(again) == ((0, [0, 1, 2, 3]), (1, [4, 5, 6, 7]), (2, [8]))
    assert FileTask.of(parts_of, 2**24, SHAPE, kept).files <= 10_000
    with pytest.raises(ReleaseError, match="not all rows were drawn"):
        task.written([task(0), task(2)])


def test_a_task_that_runs_twice_at_the_same_time_writes_one_file(tmp_path):
    both = Barrier(2)

    def part(k):
        both.wait(60)  # in the middle of two files
        return parts_of(k)

    task = FileTask.of(part, 3, SHAPE, PartSink(tmp_path))
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(task, [0, 0]))
    assert answers[0] == answers[1]
    (found,) = tmp_path.iterdir()
    assert task.written(answers)[0].sha256 == sha256(found)
    assert pq.read_table(found)["k"].to_pylist() == [0, 1, 2]


def test_what_goes_wrong_elsewhere_comes_back_in_words_of_ours(monkeypatch):
    for sink, words in ((refused, "^the disk is full$"), (broken, r"^the rows .* \(ValueError\)$")):
        task = FileTask.of(parts_of, 1, SHAPE, sink)
        with pytest.raises(ReleaseError, match=words):
            task.written([task(0)])
    task = FileTask.of(NoRows(SHAPE), 1, SHAPE, refused)
    monkeypatch.setattr(file_task.pa, "__version__", "0.0")
    with pytest.raises(ReleaseError, match="the same packages are needed on every machine"):
        task.written([task(0)])
