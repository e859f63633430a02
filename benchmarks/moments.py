"""Exact moments against the limit: the plain float Gram, and merely scanning the file.

python benchmarks/moments.py            10 million rows (a few minutes, 1.7 GB of disk)
python benchmarks/moments.py 1000000    fewer
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.measure.moments import gram

COLUMNS, BLOCK = 20, 65_536

PUBLISH = """
import resource, sys, time
import sfumato as sf
start = time.perf_counter()
column = {"kind": "number", "low": 0, "high": 1}
schema = {"name": "big", "columns": {f"c{k}": column for k in range(20)}}
sf.publish(sys.argv[1], schema=schema, epsilon=1, folder=sys.argv[2])
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10)
"""


def best(action, times=5):
    return min(_clock(action) for _ in range(times))


def _clock(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def gram_ratio():
    """Both on the same float blocks of whole numbers: exactness costs the cast and the add."""
    X = np.asfortranarray(np.random.default_rng(0).integers(0, 2**15 + 1, (BLOCK, COLUMNS)), float)
    plain, exact = best(lambda: X.T @ X, 30), best(lambda: gram(X, 2**15), 30)
    flops = BLOCK * COLUMNS**2 * 2
    print(f"Gram of {BLOCK:,} × {COLUMNS}: plain {plain * 1e3:.2f} ms, exact {exact * 1e3:.2f} ms")
    print(f"  ratio {exact / plain:.2f} (target 1.3); {flops / exact / 1e9:.1f} Gflop/s")


def write(path, rows):
    rng = np.random.default_rng(0)
    schema = pa.schema([(f"c{k}", pa.float64()) for k in range(COLUMNS)])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, BLOCK):
            count = min(BLOCK, rows - start)
            writer.write_batch(pa.record_batch(list(rng.random((COLUMNS, count))), schema=schema))


def scan(path):
    with pq.ParquetFile(path, pre_buffer=False) as file:
        for batch in file.iter_batches(BLOCK):
            del batch


def publish(path, folder):
    run = subprocess.run(
        [sys.executable, "-c", PUBLISH, path, folder], capture_output=True, text=True, check=True
    )
    seconds, megabytes = (float(figure) for figure in run.stdout.split())
    return seconds, megabytes


def whole_file(rows):
    with tempfile.TemporaryDirectory() as home:
        seconds = {}
        for size in (rows // 4, rows):
            path = Path(home) / f"{size}.parquet"
            write(path, size)
            scanned = best(lambda path=path: scan(path), 2)
            taken, memory = publish(path, Path(home) / f"release-{size}")
            seconds[size] = taken
            print(f"publish {size:,} rows × {COLUMNS}: {taken:.1f} s, {memory:.0f} MB resident")
            print(f"  ratio to merely scanning the file ({scanned:.1f} s): {taken / scanned:.1f}")
        growth = seconds[rows] / seconds[rows // 4]
        print(f"four times the rows cost {growth:.2f} times the time")


if __name__ == "__main__":
    gram_ratio()
    whole_file(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
    print(f"benchmark itself: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10:.0f} MB")
