"""Memory of a release by mosaic: it does not grow with the records, and a label cannot fill it."""

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.methods.mosaic.steps import Steps
from sfumato.privacy.guarantee import ZCDP
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.tables import Layout

LEVELS = [f"v{i}" for i in range(6)]
COLUMNS = 16
SCHEMA = {
    "name": "t",
    "neighbours": "replace-one",
    "columns": {f"c{k}": {"kind": "category", "values": LEVELS} for k in range(COLUMNS)},
}
BATCH = 65_536
FEW, MANY = 6 * BATCH, 24 * BATCH  # a few batches in, allocators have all that they keep
BOUND = 60  # MB; the records that MANY has more take 113 MB as texts, and 75 MB as codes

PUBLISH = """
import json, sys
import sfumato as sf
path, folder, schema, whole = json.load(sys.stdin)
if whole:
    import pyarrow.parquet as pq
    kept = pq.read_table(path)
sf.publish(path, schema=schema, epsilon=1, folder=folder)
status = dict(line.split(":") for line in open("/proc/self/status"))
print(int(status["VmHWM"].split()[0]) / 2**10)
"""


def write(path, rows):
    codes = np.random.default_rng(0).integers(0, len(LEVELS), BATCH)
    texts = pa.array(LEVELS).take(pa.array(codes)).to_numpy(zero_copy_only=False)
    table = pa.table({f"c{k}": np.roll(texts, k) for k in range(COLUMNS)})
    with pq.ParquetWriter(path, table.schema) as writer:
        for _ in range(rows // BATCH):
            writer.write_table(table)


def peak(path, folder, *, whole=False):
    """Megabytes of a process that publishes a file and, with `whole`, keeps all of it as well."""
    asked = json.dumps([str(path), str(folder), SCHEMA, whole])
    command = [sys.executable, "-c", PUBLISH]
    run = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
    return float(run.stdout)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of one process is read from /proc")
def test_memory_does_not_grow_with_the_records(tmp_path):
    write(tmp_path / "few.parquet", FEW)
    write(tmp_path / "many.parquet", MANY)
    few = peak(tmp_path / "few.parquet", tmp_path / "few")
    many = peak(tmp_path / "many.parquet", tmp_path / "many")
    assert many - few < BOUND
    # The control: a process that keeps what it reads is seen.
    assert peak(tmp_path / "many.parquet", tmp_path / "kept", whole=True) - many > BOUND


@pytest.mark.parametrize(("classes", "within"), [(2, True), (16, True), (17, False)])
def test_tables_are_counted_within_a_label_of_few_values(classes, within):
    assert (labelled(30, classes).label is not None) == within


def test_a_label_is_an_ordinary_column_where_counting_within_it_would_fill_the_memory():
    assert labelled(600, 16).label is not None  # 600 × 4 bins: 0.7 GiB of counts
    layout = labelled(1_000, 16)
    assert layout.label is None
    assert layout.classes == 1
    assert len(layout.columns) == 1_001


def labelled(columns, classes):
    """The layout of so many columns of four levels and a label."""
    declared = {f"c{k}": {"kind": "category", "values": LEVELS[:4]} for k in range(columns)}
    values = [f"v{i}" for i in range(classes)]
    declared["y"] = {"kind": "category", "values": values, "role": "label"}
    return Layout.of(Domain.of(Schema.of({"name": "t", "columns": declared})))


@pytest.mark.parametrize("classes", [2, 16])
@pytest.mark.parametrize("columns", [20, 100, 240])
def test_two_way_counts_stay_within_a_gibibyte_however_fine_the_bins(classes, columns):
    number = {"kind": "integer", "low": 0, "high": 99, "missing": "allowed"}
    label = {"kind": "category", "values": [str(k) for k in range(classes)], "role": "label"}
    told = {"name": "t", "columns": {f"x{k}": number for k in range(columns)} | {"y": label}}
    what = Steps(Domain.of(Schema.of(told)), ZCDP(100), 10**6)
    bins = min(what.division.bins, 100) + 1
    assert 8 * what.classes * (bins * len(what.columns)) ** 2 <= 2**30
