"""Frames of Dask: the same numbers as here, whatever fails on the way, and nothing for free."""

import pickle
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dask_world import (
    MISSING,
    PARTITIONS,
    PUBLIC_NUMBER,
    SCHEMA,
    SECRET,
    Dies,
    DyingSink,
    Fails,
    Grows,
    Seen,
    frame_of,
    records,
)
from sfumato import Ledger, publish, verify
from sfumato.errors import DataError
from sfumato.measure.identity import NoisyRecords
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.release.part_file import PartSink
from sfumato.render.decode import NearestRecords
from sfumato.schema import Schema
from sfumato.schema.arrow import arrow_schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features
from sfumato.table import dask as dask_engine
from sfumato.table.dask import DaskFrame
from sfumato.table.header import check_header
from sfumato.table.mapped import RowTask
from sfumato.table.records import Records
from sfumato.table.source import open_source
from sfumato.table.statistic import Rows

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)
TABLE = records() if not MISSING else None
DOMAIN = Domain.of(Schema.of(SCHEMA))
KEY = bytes(32)
ASKED = {"schema": SCHEMA, "epsilon": 1, "seed": 7}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Two worker processes, which are started again when they die."""
    from distributed import Client, LocalCluster

    place = tmp_path_factory.mktemp("workers")
    given = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        LocalCluster(**given, local_directory=str(place), silence_logs=50) as found,
        Client(found) as client,
    ):
        yield client


def behind(error):
    """The error with all it holds on to."""
    found = []
    while error is not None:
        found.append(f"{error!r} {error} {error.__cause__!r}")
        error = error.__context__
    return " ".join(found)


def left_in(folder):
    return sorted(path.name for path in folder.rglob("*") if "partial" in path.name)


@dataclass(frozen=True)
class Overflowing(Rows):
    def add(self, total, records):
        raise OverflowError(SECRET)


# Here, by threads.


def test_header_and_types_are_known_before_anything_is_read(tmp_path):
    source = open_source(frame_of(TABLE, Seen(tmp_path)))
    assert isinstance(source, DaskFrame)
    assert source.names == ["patient", "age", "ward", "cost"]
    check_header(source, DOMAIN)
    other = SCHEMA | {"columns": SCHEMA["columns"] | {"sex": {"kind": "boolean"}}}
    with pytest.raises(DataError, match="column sex of the schema is not in the data"):
        check_header(source, Domain.of(Schema.of(other)))
    assert list(tmp_path.iterdir()) == []


def test_numbers_that_may_have_been_texts_are_refused_as_those_of_pandas(tmp_path):
    agents = TABLE[["age"]]
    columns = {"age": {"kind": "category", "values": ["006", "007"], "other": "else"}}
    domain = Domain.of(Schema.of(SCHEMA | {"columns": columns}))
    for data in (agents, frame_of(agents)):
        with pytest.raises(DataError, match="column age"):
            check_header(open_source(data), domain)


@pytest.mark.parametrize("names", [["age", "age"], [1, "1"]])
def test_two_columns_of_one_name_are_refused(names):
    twins = TABLE[["age", "cost"]].set_axis(names, axis=1)
    with pytest.raises(DataError, match="two columns have the same name"):
        open_source(frame_of(twins))


def test_a_second_pass_over_another_number_of_records_is_refused(tmp_path):
    grown = Records(open_source(frame_of(TABLE, Grows(tmp_path / "flag"))), DOMAIN)
    grown.fold(Rows())
    with pytest.raises(DataError, match="number of records is not what it was"):
        grown.fold(Rows())


def test_what_was_put_together_or_persisted_has_no_places():
    import dask.dataframe as dd

    frame = frame_of(TABLE)
    halves = dd.concat([frame[frame.ward == "surgery"], frame[frame.ward != "surgery"]])
    moved = (halves, frame.sort_values("ward").persist(), frame.nlargest(10, "age"))
    assert all(open_source(one).moved() for one in moved)
    assert not open_source(frame).moved()


def test_sums_and_fingerprint_are_those_of_the_frame_itself():
    here, there = (Records(open_source(data), DOMAIN, key=KEY) for data in (TABLE, frame_of(TABLE)))
    assert there.fold(Rows()) == len(TABLE) == open_source(frame_of(TABLE)).rows
    here.fold(Rows())
    assert here.fingerprint() == there.fingerprint() is not None
    np.testing.assert_array_equal(np.vstack([*here.parts()]), np.vstack([*there.parts()]))


def test_an_error_of_a_partition_or_of_the_work_comes_back_in_fixed_words():
    for verb in (lambda r: r.fold(Rows()), lambda r: list(r.parts())):
        with pytest.raises(DataError, match="could not be read to its end: Dask ended") as error:
            verb(Records(open_source(frame_of(TABLE, Fails())), DOMAIN))
        assert SECRET not in behind(error.value)
    with pytest.raises(RuntimeError, match=r"could not be counted \(OverflowError\)") as error:
        Records(open_source(frame_of(TABLE)), DOMAIN).fold(Overflowing())
    assert SECRET not in behind(error.value)


@pytest.mark.slow
def test_nothing_is_read_before_the_charge(tmp_path):
    (tmp_path / "seen").mkdir()
    ledger = Ledger.create(tmp_path / "l.sqlite")
    ledger.grant("visits", epsilon=1, reason="a test")
    frame = frame_of(TABLE, Seen(tmp_path / "seen"))
    with pytest.raises(Exception, match="left"):
        publish(frame, schema=SCHEMA, epsilon=2, ledger=ledger, folder=tmp_path / "r")
    assert list((tmp_path / "seen").iterdir()) == []
    publish(frame, schema=SCHEMA, epsilon=1, ledger=ledger, folder=tmp_path / "r")
    assert len(list((tmp_path / "seen").iterdir())) == PARTITIONS


def test_no_value_of_the_graph_holds_a_key_and_nothing_shows_it(monkeypatch):
    """Values may be put on the disks of workers, and what fails may be shown in their logs."""
    seen = []
    monkeypatch.setattr(dask_engine, "_answered", lambda tasks: seen.extend(tasks) or [])
    key = b"sixteen bytes of"
    Records(open_source(frame_of(TABLE)), DOMAIN, key=key).fingerprint()
    shown, held = [], []
    for name, node in seen[0].__dask_graph__().items():
        held.append(key in pickle.dumps(node))
        shown.append(f"{name!r} {node!r} {getattr(node, 'func', '')!r}")
        assert not held[-1] or node.dependencies, "a value of its own"
    assert any(held)  # the control: it is there
    for text in (key, pickle.dumps(key)):
        assert repr(text)[2:-1] not in " ".join(shown)


def test_what_is_not_partitioned_by_pandas_is_refused():
    class Foreign:
        _meta = object()

    with pytest.raises(DataError, match=r"are not frames of pandas.*to_parquet"):
        _ = DaskFrame(Foreign()).names


# On two worker processes.


@pytest.mark.slow
@pytest.mark.parametrize("trouble", [None, Dies, Fails], ids=["calm", "killed", "retried"])
def test_the_release_is_the_same_bit_for_bit_whatever_happens_to_workers(
    cluster, tmp_path, trouble
):
    frame = frame_of(TABLE, trouble and trouble(tmp_path / "flag"))
    there = publish(frame, folder=tmp_path / "there", rows=300_000, **ASKED)
    assert (tmp_path / "flag").exists() == (trouble is not None)
    here = publish(TABLE, folder=tmp_path / "here", rows=300_000, format="parquet", **ASKED)
    assert there.synopsis == here.synopsis
    assert there.table.equals(here.table)
    assert list(there.data.columns) == list(here.data.columns)
    assert verify(tmp_path / "there")
    assert left_in(tmp_path) == []


@pytest.mark.slow
def test_a_part_whose_writer_was_killed_is_written_again_with_the_same_noise(cluster, tmp_path):
    domain = Domain.of(Schema.of(PUBLIC_NUMBER))
    noisy = NoisyRecords(Features.of(domain), PureDP(5))
    schema, found = arrow_schema(domain), []
    for place in ("calm", "killed"):
        folder = tmp_path / place
        folder.mkdir()
        source = open_source(frame_of(TABLE))
        records_there = Records(source, domain)
        made = noisy.perturb(records_there, Purse(PureDP(5), SeededBits(1)))
        rows = made.then(NearestRecords(noisy.features))
        sink = PartSink(folder) if place == "calm" else DyingSink(folder, tmp_path / "flag")
        parts = rows.written(source, schema, sink)
        assert [part.name for part in parts] == [
            f"data/part-{k:05}.parquet" for k in range(PARTITIONS)
        ]
        assert sum(part.rows for part in parts) == len(TABLE)
        found.append([part.digest for part in parts])
    assert (tmp_path / "flag").exists()
    assert found[0] == found[1]
    assert len(set(found[0])) == PARTITIONS
    sent = pickle.dumps(RowTask(domain, rows.each))
    one = TABLE.iloc[: len(TABLE) // PARTITIONS]
    batch = pa.RecordBatch.from_pandas(one[["age", "ward", "cost"]], preserve_index=False)
    (again,) = pickle.loads(sent)(0, iter([batch]))
    kept = pq.read_table(tmp_path / "calm" / "part-00000.parquet").cast(schema)
    assert pa.Table.from_batches([again]).cast(schema).equals(kept)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["identity-laplace", "local", "dp-pca"])
def test_a_row_for_each_record_is_released_whole_though_a_worker_is_killed(
    cluster, tmp_path, method
):
    ledger = Ledger.create(tmp_path / "l.sqlite")
    ledger.grant("visits", epsilon=1, reason="a test")
    asked = {"schema": PUBLIC_NUMBER, "method": method, "epsilon": 1, "ledger": ledger}
    frame = frame_of(TABLE, Dies(tmp_path / "flag"))
    release = publish(frame, folder=tmp_path / "r", **asked)
    assert release.table.num_rows == len(TABLE)
    assert len(release.certificate.data_files) == PARTITIONS
    assert verify(tmp_path / "r")
    assert left_in(tmp_path) == []
    assert ledger.entry(release.certificate.release).state == "released"


@pytest.mark.slow
def test_what_always_fails_leaves_a_charge_and_no_file(cluster, tmp_path):
    ledger = Ledger.create(tmp_path / "l.sqlite")
    ledger.grant("visits", epsilon=1, reason="a test")
    frame = frame_of(TABLE, Fails())
    with pytest.raises(DataError, match=r"Dask ended the computation.*stays charged") as error:
        publish(frame, schema=SCHEMA, epsilon=1, ledger=ledger, folder=tmp_path / "r")
    assert SECRET not in behind(error.value)
    assert [path.name for path in tmp_path.iterdir() if "sqlite" not in path.name] == []


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mosaic", "identity-laplace"])
def test_another_number_of_records_than_was_counted_is_refused(cluster, tmp_path, method):
    frame = frame_of(TABLE, Grows(tmp_path / "flag"))
    with pytest.raises(DataError, match="number of records is not what it was"):
        publish(frame, schema=PUBLIC_NUMBER, method=method, epsilon=1, folder=tmp_path / "r")
    assert [path.name for path in tmp_path.iterdir()] == ["flag"]


def test_a_plan_that_moves_records_by_their_values_is_known():
    frame = frame_of(TABLE)
    for kept in (frame, frame[frame.age > 3], frame.repartition(npartitions=2)):
        assert not open_source(kept).moved()
    for moved in (
        frame.sort_values("age"),
        frame.set_index("age").reset_index(),
        frame.shuffle("ward"),
        frame.merge(frame, on="age"),
        frame.drop_duplicates(),
    ):
        assert open_source(moved).moved()
