"""The default method at scale: seconds and memory of whole releases, from Parquet to folder.

    python benchmarks/mosaic.py                    all of it (a few minutes, 200 MB of disk)
    python benchmarks/mosaic.py --quick            a tenth of the rows
    python benchmarks/mosaic.py --rows 1000000     of the long table; of the wide one a hundredth
    python benchmarks/mosaic.py --columns 400      of the wide table

Every release is made by a process of its own, so that its peak of memory is its own (Linux).
Seconds are processor time, with those on the clock beside them; ratios are to merely reading the
file, to the plain float32 Gram matrix of the same cells, and to drawing and writing the records.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from peers.protocol import SCHEMA as ADULT
from threadpoolctl import threadpool_limits

from sfumato.measure.joint import JointCounts
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.bins import Merged, Partition
from sfumato.synopsis.tables import Layout
from sfumato.table.records import Records
from sfumato.table.source import open_source
from sfumato.table.statistic import folded

BLOCK, MOST_SECONDS, MOST_MEGABYTES = 65_536, 60, 2_000
PURE, APPROX = {"epsilon": 1}, {"epsilon": 1, "delta": "1e-9"}

PUBLISH = """
import json, sys, time
import pandas, sfumato as sf, sfumato.publishing.table
path, folder, schema, options = json.load(sys.stdin)
at = {}
def progress(phase, rows):
    at["read" if phase == "read" else "write" if "write" not in at else "on"] = time.process_time()
clock, start = time.perf_counter(), time.process_time()
release = sf.publish(path, schema=schema, folder=folder, progress=progress, **options)
end = time.process_time()
# The peak of this process alone, which getrusage mixes with that of the one that started it.
status = dict(line.split(":") for line in open("/proc/self/status"))
print(json.dumps({
    "cpu": end - start, "wall": time.perf_counter() - clock,
    "count": at["read"] - start, "fit": at["write"] - at["read"], "draw": end - at["write"],
    "memory": int(status["VmHWM"].split()[0]) / 2**10,
    "model": release.certificate.options["model"],
}))
"""


def published(path, schema, options, what):
    """The figures of one release; printed with their ratio to reading the file."""
    with tempfile.TemporaryDirectory() as home:
        asked = json.dumps([str(path), f"{home}/release", schema, options])
        command = [sys.executable, "-c", PUBLISH]
        run = subprocess.run(command, input=asked, capture_output=True, text=True, check=False)
    if run.returncode:
        print(f"  {what}: {run.stderr.strip().splitlines()[-1]}")
        return None
    found = json.loads(run.stdout)
    print(
        f"  {what}: {found['cpu']:.1f} s ({found['wall']:.1f} on the clock), "
        f"{found['memory']:.0f} MB, {found['model']}\n"
        f"    count {found['count']:.1f} s, fit {found['fit']:.1f} s, draw and write "
        f"{found['draw']:.1f} s; whole: {found['cpu'] / scan(path):.1f} × reading the file, "
        f"{found['cpu'] / found['draw']:.1f} × drawing and writing"
    )
    return found


def scan(path):
    """Processor seconds of merely reading."""
    start = time.process_time()
    with pq.ParquetFile(path, pre_buffer=False) as file:
        for batch in file.iter_batches(BLOCK):
            del batch
    return time.process_time() - start


def write(path, schema, rows):
    """Made-up records of a schema, all of whose columns hang together."""
    rng, writer = np.random.default_rng(0), None
    for start in range(0, rows, BLOCK):
        count = min(BLOCK, rows - start)
        common, columns = rng.random(count), {}
        for name, column in schema["columns"].items():
            level = ((common + rng.random(count)) / 2) ** 2
            if column["kind"] == "category":
                values = column["values"]
                place = (level * len(values)).astype(np.int64)
                columns[name] = pa.array(values).take(pa.array(place))
            else:
                low, high = column["low"], column["high"]
                columns[name] = (low + level * (high - low + 1)).astype(np.int64)
        table = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()


def categories(columns, levels, label=0):
    """A schema of categories with these numbers of levels in turn, and maybe a label."""
    declared = {
        f"c{k}": {"kind": "category", "values": [f"v{i}" for i in range(levels[k % len(levels)])]}
        for k in range(columns)
    }
    if label:
        values = [f"v{i}" for i in range(label)]
        declared["label"] = {"kind": "category", "values": values, "role": "label"}
    return {"name": "categories", "neighbours": "replace-one", "columns": declared}


def small(home):
    schema, path = ADULT | {"neighbours": "replace-one"}, home / "small.parquet"
    write(path, schema, 1_000)
    print("small: 1,000 records of the columns of Adult (target: well under 1 s)")
    for options in (PURE, APPROX):
        published(path, schema, options, said(options))


def wide(home, rows, columns):
    print(f"wide: {rows:,} × {columns} categories (targets: {MOST_SECONDS} s, {MOST_MEGABYTES} MB)")
    for levels, label in (([4], 0), ([2, 5, 8, 20], 0), ([2, 5, 8, 20], 5), ([12], 16)):
        schema, path = categories(columns, levels, label), home / "wide.parquet"
        write(path, schema, rows)
        for options in (PURE, APPROX):
            what = f"levels {levels}, label of {label}, {said(options)}"
            found = published(path, schema, options, what)
            if found["cpu"] > MOST_SECONDS or found["memory"] > MOST_MEGABYTES:
                print("    MISSED")
        gram_ratio(path, schema)


def long(home, rows):
    print(f"long: columns of Adult, {rows // 10:,} and {rows:,} records")
    schema, found = ADULT | {"neighbours": "replace-one"}, {}
    for size in (rows // 10, rows):
        path = home / f"{size}.parquet"
        write(path, schema, size)
        found[size] = published(path, schema, APPROX, f"{size:,} records")
    few, many = found.values()
    print(
        f"  ten times the records: {many['cpu'] / few['cpu']:.1f} × the time, "
        f"{many['memory'] - few['memory']:+.0f} MB; the fit is {many['fit'] / many['cpu']:.0%}"
    )
    gram_ratio(home / f"{rows // 10}.parquet", schema)


def extremes(home, rows):
    print(f"extremes: {rows:,} records")
    for columns, levels in ((10, 1_000), (10, 10_000), (1_000, 5), (1_000, 12)):
        schema, path = categories(columns, [levels]), home / "extreme.parquet"
        write(path, schema, rows)
        published(path, schema, APPROX, f"{columns:,} columns of {levels:,} levels")


def gram_ratio(path, schema):
    """Exact counts of encoded records, and the plain product of as many one-hot records."""
    domain = Domain.of(Schema.of(schema))
    layout = Layout.of(domain)
    merged = tuple(Merged(c, np.arange(c.bins) * 12 // max(c.bins, 12)) for c in layout.columns)
    partition = Partition(merged, layout.label, layout.classes)
    records = Records(open_source(path), domain)
    codes = next(records.parts())
    X = (np.random.default_rng(0).random((4096, partition.cells)) < 0.2).astype(np.float32)
    with threadpool_limits(1, "blas"):
        exact = best(lambda: folded(JointCounts(partition), [codes]))
        plain = best(lambda: X.T @ X) * len(codes) / len(X)
    rate = len(codes) * partition.cells**2 / plain / 1e9
    print(
        f"  {partition.cells} cells: exact counts {exact / plain:.2f} × the plain float32 Gram "
        f"matrix, which runs at {rate:.0f} Gflop/s on one core"
    )


def best(action, times=3):
    seconds = []
    for _ in range(times):
        start = time.process_time()
        action()
        seconds.append(time.process_time() - start)
    return min(seconds)


def said(options):
    return "(1, 1e-9)" if "delta" in options else "pure 1"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="mosaic at scale")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--columns", type=int, default=200)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    rows = asked.rows // 10 if asked.quick else asked.rows
    with tempfile.TemporaryDirectory() as folder:
        small(Path(folder))
        wide(Path(folder), rows // 100, asked.columns)
        extremes(Path(folder), rows // 200)
        long(Path(folder), rows)
