"""Executors in processes of their own, on two hosts: they are lost, and slow tasks are doubled."""

import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import spark_world as world
from sfumato import publish, verify
from sfumato.release.part_file import PartSink
from sfumato.render.drawing import Drawing
from sfumato.table.source import open_source

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),  # Java takes long to start on a busy machine
    pytest.mark.skipif(bool(world.MISSING), reason=world.MISSING),
    pytest.mark.skipif(sys.platform != "linux", reason="executors are found by /proc"),
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning"),
]
SHAPE = pa.schema({"row": pa.int64()})


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spark")
    with world.two_hosts(folder) as master:
        made = world.session(folder, master, **{"executor.memory": "512m", **world.DOUBLES})
        yield made
        made.stop()


def drawn(start, count, rng):
    return pa.RecordBatch.from_pydict({"row": rng.integers(0, 9, count) + start}, schema=SHAPE)


PART = Drawing(drawn, rows=13 * 65_536, seed=3)  # in four files
WANTED = pa.Table.from_batches(list(PART), SHAPE)


def written(spark, folder, part):
    folder.mkdir()
    engine = open_source(world.frame_of(spark, world.records(10)))
    told = engine.draw(part, PART.parts, SHAPE, PartSink(folder))
    found = sorted(folder.glob("part-*"))  # what was given up half-way has a hidden name
    assert [f"data/{path.name}" for path in found] == [one.name for one in told]
    return pa.concat_tables(map(pq.read_table, found))


def test_a_lost_executor_changes_nothing(spark, tmp_path):
    assert written(spark, tmp_path / "data", world.TakesDown(PART)).equals(WANTED)


def test_a_slow_task_that_is_doubled_changes_nothing(spark, tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    assert written(spark, tmp_path / "data", world.Dawdles(PART, marks)).equals(WANTED)
    assert {path.name for path in marks.iterdir()} == {"attempt 0", "attempt 1"}  # the control


def test_a_release_of_a_cluster_has_the_bits_of_one_made_here(spark, tmp_path):
    asked = {"schema": world.SCHEMA, "epsilon": 1, "seed": 5}
    there = publish(world.frame_of(spark, world.records()), folder=tmp_path / "there", **asked)
    here = publish(world.records(), **asked)
    assert there.synopsis == here.synopsis
    assert there.table.equals(here.table)
    assert verify(there.folder)
