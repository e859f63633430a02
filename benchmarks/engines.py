"""Where records are counted: all pair tables in one pass, beside other engines and a mere scan.

    python benchmarks/engines.py                    ten million rows (a minute, 90 MB of disk)
    python benchmarks/engines.py --rows 1000000

A made-up Parquet file with the columns of Adult.  Seconds are processor time, of all threads, in
one process after a first run on few rows; ratios are to scanning the file.  DuckDB (one query with
grouping sets) and polars (a lazy group-by for each pair) are asked for the same tables: every pair
of columns within the classes of the label, numbers with many values in a hundred bins.
"""

import argparse
import tempfile
import time
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from mosaic import write
from peers.protocol import SCHEMA

from sfumato.measure.fit import FirstComplaints
from sfumato.measure.joint_table import JointTables
from sfumato.methods.mosaic.steps import Steps
from sfumato.privacy.budget import budget
from sfumato.schema import Schema
from sfumato.schema.domain import Domain, Grid
from sfumato.table.records import Records
from sfumato.table.source import open_source

DOMAIN = Domain.of(Schema.of(SCHEMA | {"neighbours": "replace-one"}))
LABEL = DOMAIN.axes[DOMAIN.label].name
COLUMNS = [axis for axis in DOMAIN.axes if axis.name != LABEL]
MOST_VALUES = 256  # of a number whose values have a bin each


def scanned(path):
    for _ in pq.ParquetFile(path).iter_batches(65_536):
        pass


def counted(path):
    """As mosaic counts."""
    steps = Steps(DOMAIN, budget(epsilon=1, delta="1e-9"), pq.read_metadata(path).num_rows)
    records = Records(open_source(path), DOMAIN)
    return JointTables(steps.counts, records.fold(steps.counts))


def with_fit_and_fingerprint(path):
    steps = Steps(DOMAIN, budget(epsilon=1, delta="1e-9"), pq.read_metadata(path).num_rows)
    records, fit = Records(open_source(path), DOMAIN, key=b"k" * 32), FirstComplaints(DOMAIN)
    records.ahead(fit)
    records.fold(steps.counts)
    return records.fold(fit)


def size_of(axis):
    """How many values a number has, where they are counted in a hundred bins; else None."""
    many = isinstance(axis, Grid) and axis.points >= MOST_VALUES
    return int(axis.column.high) + 1 if many else None


def in_sql(axis):
    """A column as small whole numbers, which DuckDB groups faster than texts."""
    name = f'"{axis.name}"'
    if not isinstance(axis, Grid):
        cases = " ".join(f"WHEN '{value}' THEN {code}" for code, value in enumerate(axis.values))
        return f"(CASE {name} {cases} END)::UTINYINT AS {name}"
    size = size_of(axis)
    return f"({f'({name} * 100) // {size}' if size else name})::UTINYINT AS {name}"


def in_duckdb(path):
    import duckdb

    chosen = ", ".join(in_sql(axis) for axis in DOMAIN.axes)
    pairs = combinations([f'"{axis.name}"' for axis in COLUMNS], 2)
    sets = ", ".join(f'("{LABEL}", {one}, {other})' for one, other in pairs)
    names = ", ".join(f'"{axis.name}"' for axis in COLUMNS)
    query = (
        f'SELECT "{LABEL}", {names}, count(*) AS n FROM '
        f"(SELECT {chosen} FROM '{path}') GROUP BY GROUPING SETS ({sets})"
    )
    return int(duckdb.sql(query).arrow().read_all()["n"].to_numpy().sum())


def in_polars(path):
    import polars as pl

    texts = [axis.name for axis in DOMAIN.axes if not isinstance(axis, Grid)]
    wide = {axis.name: size for axis in COLUMNS if (size := size_of(axis))}
    frame = pl.scan_parquet(path).with_columns(
        *(pl.col(name).cast(pl.Categorical) for name in texts),
        *(pl.col(name) * 100 // size for name, size in wide.items()),
    )
    frame = frame.collect()
    pairs = combinations([axis.name for axis in COLUMNS], 2)
    asked = [frame.lazy().group_by(LABEL, one, other).len() for one, other in pairs]
    return sum(int(found["len"].sum()) for found in pl.collect_all(asked))


def seconds(work, path, few):
    """Processor time of all threads, once what is loaded late has been loaded."""
    work(few)
    start, clock = time.process_time(), time.perf_counter()
    found = work(path)
    return found, time.process_time() - start, time.perf_counter() - clock


def main(home, rows):
    path, few = home / "rows.parquet", home / "few.parquet"
    write(path, SCHEMA, rows)
    write(few, SCHEMA, 10_000)
    print(f"{rows:,} rows of {len(DOMAIN.axes)} columns, {path.stat().st_size / 1e6:.0f} MB")
    _, scan, clock = seconds(scanned, path, few)
    print(f"  {'scanning the file':38} {scan:6.2f} CPU s {clock:6.2f} s")
    pairs = len(COLUMNS) * (len(COLUMNS) - 1) // 2
    ours = None
    for what, work in (
        ("all pair tables", counted),
        ("the same, with fit and fingerprint", with_fit_and_fingerprint),
        ("DuckDB, grouping sets", in_duckdb),
        ("polars, a group-by for each pair", in_polars),
    ):
        try:
            found, cpu, clock = seconds(work, path, few)
        except ImportError as missing:
            print(f"  {what:38} not installed: {missing.name}")
            continue
        if isinstance(found, JointTables):
            ours, total = cpu, found.rows
        else:
            total = int(found.sum()) if isinstance(found, np.ndarray) else found // pairs
        assert total == rows, what
        compared = "" if ours is None else f", {cpu / ours:4.1f} × ours"
        print(f"  {what:38} {cpu:6.2f} CPU s {clock:6.2f} s {cpu / scan:5.2f} × the scan{compared}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="where records are counted")
    parser.add_argument("--rows", type=int, default=10_000_000)
    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder), parser.parse_args().rows)
