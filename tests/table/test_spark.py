"""A real Spark on this machine: the release of one process, whatever happens to its tasks."""

import traceback

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import spark_world as world
from sfumato import Ledger, publish, verify
from sfumato.errors import BudgetError, DataError, ParameterError
from sfumato.release.part_file import PartSink
from sfumato.render.drawing import Drawing
from sfumato.table.source import open_source
from sfumato.table.spark import SparkFrame
from spark_world import SCHEMA, SECRET

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),  # Java takes long to start on a busy machine
    pytest.mark.skipif(bool(world.MISSING), reason=world.MISSING),
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning"),
]
SHAPE = pa.schema({"row": pa.int64()})


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    made = world.session(tmp_path_factory.mktemp("spark"))
    yield made
    made.stop()


def jobs(spark):
    return len(spark.sparkContext.statusTracker().getJobIdsForGroup())


def test_a_release_has_the_bits_of_one_made_here_though_tasks_fail_and_workers_die(spark, tmp_path):
    asked = {"schema": SCHEMA, "epsilon": 1, "seed": 5, "rows": 5 * 65_536 + 7}
    table = world.records()
    frame = world.frame_of(spark, table)
    troubled = frame.mapInArrow(world.Troubled(), frame.schema)
    there = publish(troubled, folder=tmp_path / "there", **asked)
    here = publish(table, folder=tmp_path / "here", format="parquet", **asked)
    assert there.synopsis == here.synopsis
    assert there.table.equals(here.table)
    assert there.certificate.fit == here.certificate.fit
    assert verify(there.folder)
    assert len(there.certificate.data_files) == 2
    assert there.data.equals(there.table)
    assert {path.name for path in tmp_path.iterdir()} == {"here", "there"}


def test_the_header_is_known_without_a_job_and_nothing_is_read_before_the_charge(spark, tmp_path):
    frame = world.frame_of(spark, world.records(200))
    before = jobs(spark)
    source = open_source(frame)
    assert source.types == {"age": pa.int64(), "ward": pa.string(), "cost": pa.float64()}
    assert jobs(spark) == before
    ledger = Ledger.create(tmp_path / "ledger.sqlite")
    ledger.grant("visits", epsilon="1/2", reason="a test")
    watched = frame.mapInArrow(world.Seen(tmp_path / "read"), frame.schema)
    schema, place = SCHEMA | {"neighbours": "add-remove"}, tmp_path / "release"
    with pytest.raises(BudgetError):
        publish(watched, schema=schema, epsilon=1, ledger=ledger, folder=place)
    assert not (tmp_path / "read").exists()
    release = publish(watched, schema=schema, epsilon="1/2", ledger=ledger, folder=place)
    assert (tmp_path / "read").exists()
    assert verify(release.folder)


def test_another_number_of_records_than_was_counted_is_refused(spark, tmp_path, monkeypatch):
    frame = world.frame_of(spark, world.records(200))
    monkeypatch.setattr(SparkFrame, "rows", property(lambda _: 201))
    with pytest.raises(DataError, match="number of records is not what it was"):
        publish(frame, schema=SCHEMA, epsilon=1, folder=tmp_path / "release")
    assert not any(tmp_path.iterdir())


def test_records_come_through_the_driver_in_batches(spark):
    frame = world.frame_of(spark, world.records(200), partitions=3)
    found = pa.Table.from_batches(open_source(frame).batches(["age", "ward"]))
    assert found.to_pylist() == frame.select("age", "ward").toArrow().to_pylist()


def test_no_message_and_no_line_of_a_log_quotes_a_record(spark, tmp_path):
    table = pa.table({"age": [1, 2], "ward": [SECRET, SECRET], "cost": [1.0, 2.0]})
    frame = world.frame_of(spark, table, 2)
    failing = frame.selectExpr("cast(ward as int) as age", "ward", "cost")
    schema = SCHEMA | {"neighbours": "add-remove"}
    log, told = world.java_log(spark), world.told_to_python()
    with pytest.raises(Exception, match=SECRET):  # as Spark itself does, and logs it twice
        failing.collect()
    assert SECRET in log.read_text()
    assert SECRET in "".join(told)
    told.clear()
    before = len(log.read_text())
    with pytest.raises(DataError, match="Spark ended the job") as refused:
        publish(failing, schema=schema, epsilon=1, folder=tmp_path / "release")
    assert SECRET not in "".join(traceback.format_exception(refused.value))
    assert SECRET not in log.read_text()[before:] + "".join(told)
    assert not any(tmp_path.iterdir())


def drawn(start, count, rng):
    return pa.RecordBatch.from_pydict({"row": rng.integers(0, 9, count) + start}, schema=SHAPE)


def test_a_writer_that_is_killed_writes_the_same_file_again(spark, tmp_path):
    part = Drawing(drawn, rows=9 * 65_536, seed=3)
    engine = open_source(world.frame_of(spark, world.records(10)))
    (tmp_path / "there").mkdir()
    sink = PartSink(tmp_path / "there")
    told = engine.draw(world.DiesOnce(part), part.parts, SHAPE, sink)
    assert [one.rows for one in told] == [4 * 65_536, 4 * 65_536, 65_536]
    found = pa.parquet.read_table(tmp_path / "there")
    assert found.equals(pa.Table.from_batches(map(part, range(part.parts))))


@pytest.mark.parametrize("method", ["identity-laplace", "dp-pca"])
def test_a_row_for_each_record_is_released_though_workers_die(spark, tmp_path, method):
    stored = tmp_path / "stored"
    stored.mkdir()
    for k in range(3):
        pq.write_table(world.records(), stored / f"{k}.parquet")
    frame = spark.read.parquet(str(stored))
    troubled = frame.mapInArrow(world.Troubled(), frame.schema)
    asked = {"schema": SCHEMA | {"neighbours": "replace-one"}, "method": method, "epsilon": 1}
    release = publish(troubled, folder=tmp_path / "r", **asked)
    assert release.table.num_rows == frame.count()
    assert release.certificate.invariants[-1] == "the partition of each record"
    assert verify(release.folder)
    with pytest.raises(ParameterError, match="in which order and partition"):
        publish(frame.repartition(3), folder=tmp_path / "s", **asked)
    assert {path.name for path in tmp_path.iterdir()} == {"r", "stored"}
