"""Whole releases by each engine, from a folder of Parquet files to a folder: time and memory.

    python benchmarks/engines_release.py                         ten million rows of 11 columns
    python benchmarks/engines_release.py --rows 100000000 --engines local
    python benchmarks/engines_release.py --method dp-lda         20 columns, a label among them
    python benchmarks/engines_release.py --before OTHER/src      beside an earlier version

Each release has a process of its own, after one of few rows in the same process.  Seconds are
processor time of that process and of all that it started (Java and workers among them), without
the start; ratios are to scanning the files.  Memory is the most that one process ever held.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pyarrow.parquet as pq
from peers.protocol import SCHEMA

FILES, FEW = 8, 20_000
ENGINES = ("local", "duckdb", "spark", "dask")
NUMBERS = {f"x{k}": {"kind": "integer", "low": 0, "high": 9999} for k in range(14)}
LISTS = {f"c{k}": {"kind": "category", "values": [f"v{i}" for i in range(2 + k)]} for k in range(5)}
LABEL = {"kind": "category", "values": ["no", "yes"], "role": "label"}
SCHEMAS = {"mosaic": SCHEMA, "dp-lda": {"name": "wide", "columns": NUMBERS | LISTS | {"y": LABEL}}}


def written(folder, schema, rows):
    from mosaic import write  # not in a job: an earlier version lacks what it imports

    folder.mkdir()
    for k in range(FILES):
        write(folder / f"{k}.parquet", schema, rows // FILES)
    return folder


def scanned(folder):
    for path in folder.iterdir():
        for _ in pq.ParquetFile(path).iter_batches(65_536):
            pass


def processes():
    """This process and all that it started, directly or not, as `ps` would list them."""
    found, tick = {}, os.sysconf("SC_CLK_TCK")
    for place in Path("/proc").glob("[0-9]*"):
        try:
            said = (place / "stat").read_text().rpartition(")")[2].split()
            status = (place / "status").read_text()
        except OSError:  # it has ended
            continue
        most = status.partition("VmHWM:")[2].split()
        seconds = sum(map(int, said[11:15])) / tick  # its own, and of children that have ended
        found[int(place.name)] = int(said[1]), seconds, int(most[0]) / 1e6 if most else 0.0
    ours = {os.getpid()}
    while more := {pid for pid, (parent, *_) in found.items() if parent in ours} - ours:
        ours |= more
    return [found[pid][1:] for pid in ours]


def cpu():
    return sum(seconds for seconds, _ in processes())


@contextmanager
def opened(engine):
    """What makes records of a folder."""
    if engine == "duckdb":
        import duckdb

        yield lambda folder: duckdb.sql(f"SELECT * FROM '{folder}/*.parquet'")
    elif engine == "spark":
        from pyspark.sql import SparkSession

        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        settings = {
            "spark.ui.enabled": "false",
            "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
            "spark.log.level": "ERROR",
        }
        session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
        yield lambda folder: session.read.parquet(str(folder))
        session.stop()
    elif engine == "dask":
        import dask.dataframe as dd
        from distributed import Client, LocalCluster

        given = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
        with LocalCluster(**given, silence_logs=50) as cluster, Client(cluster):
            yield dd.read_parquet
    else:
        yield lambda folder: folder


def released(engine, method, home):
    """In a process of its own: what it took, and what was measured."""
    import sfumato as sf

    schema = SCHEMAS[method] | {"neighbours": "replace-one"}
    asked = {"schema": schema, "method": method, "epsilon": 1, "delta": "1e-9", "seed": 1}
    asked |= {"progress": False}
    if engine in ("local", "duckdb"):
        asked["format"] = "parquet"
    with opened(engine) as read, tempfile.TemporaryDirectory(dir=home) as out:
        sf.publish(read(home / "few"), folder=f"{out}/few", **asked)
        start, clock = cpu(), time.perf_counter()
        release = sf.publish(read(home / "rows"), folder=f"{out}/rows", **asked)
        told = {"cpu": cpu() - start, "clock": time.perf_counter() - clock}
        told["memory"] = max(most for _, most in processes())
        told["synopsis"] = hash(json.dumps(release.synopsis, sort_keys=True))
        print(json.dumps(told))


def main(home, method, rows, engines, before):
    folder = written(home / "rows", SCHEMAS[method], rows)
    written(home / "few", SCHEMAS[method], FEW)
    size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    columns = len(SCHEMAS[method]["columns"])
    print(f"{method}, {rows:,} rows of {columns} columns, {size:.0f} MB in {FILES} files")
    start, clock = time.process_time(), time.perf_counter()
    scanned(folder)
    scan, clock = time.process_time() - start, time.perf_counter() - clock
    print(f"  {'scanning the files':20} {scan:7.2f} CPU s {clock:7.2f} s")
    first = None
    for engine, source in [(name, None) for name in engines] + [("local", before)] * bool(before):
        job = [sys.executable, __file__, "--job", engine, "--method", method, "--home", str(home)]
        path = {} if source is None else {"PYTHONPATH": str(source)}
        # Texts have the same hash in each process.
        ran = subprocess.run(
            job, stdout=subprocess.PIPE, env={**os.environ, "PYTHONHASHSEED": "0", **path}
        )
        name = engine if source is None else "an earlier version"
        if ran.returncode:
            print(f"  {name:20} failed")
            continue
        told = json.loads(ran.stdout.splitlines()[-1])
        first = first or told
        same = "same synopsis" if told["synopsis"] == first["synopsis"] else "other synopsis"
        print(
            f"  {name:20} {told['cpu']:7.2f} CPU s {told['clock']:7.2f} s "
            f"{told['cpu'] / scan:5.2f} × the scan, {told['cpu'] / first['cpu']:5.2f} × local, "
            f"{told['memory']:.2f} GB, {same}",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="whole releases by each engine")
    parser.add_argument("--method", choices=SCHEMAS, default="mosaic")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--engines", default=",".join(ENGINES), help="some of them, local first")
    parser.add_argument("--before", type=Path, help="the source folder of an earlier version")
    parser.add_argument("--home", type=Path, help="where the tables are put (default: a temporary)")
    parser.add_argument("--job", choices=ENGINES, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.job:
        released(given.job, given.method, given.home)
    else:
        with tempfile.TemporaryDirectory(dir=given.home) as place:
            chosen = given.engines.split(",")
            main(Path(place), given.method, given.rows, chosen, given.before)
