"""Rows grouped by person: time beside a plain pass over the same rows, and memory.

    python benchmarks/people.py                     ten million rows of two million persons
    python benchmarks/people.py --rows 1000000
    python benchmarks/people.py --one               all rows of one person

A made-up Parquet file with an id and ten columns, rows in no order.  Each line is a process of its
own: processor time of all threads, seconds, and the most memory that it had at any time.  Beside
the grouping: a count of each column, all pair tables, a whole release of the rows, each for itself,
and one by person, as a ratio to it.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato import publish
from sfumato.measure.joint_table import JointTables
from sfumato.methods.mosaic.steps import Steps
from sfumato.privacy.budget import budget
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.people.layout import PeopleLayout
from sfumato.table.people.people import People
from sfumato.table.people.ticket import mass, tickets
from sfumato.table.records import Records
from sfumato.table.source import open_source
from sfumato.table.statistic import WholeSum

PER_PERSON, PER_ROW = 3, 7
NAMES = tuple(f"c{k}" for k in range(PER_PERSON + PER_ROW))
SCHEMA = {
    "name": "panel",
    "columns": {"id": {"kind": "id"}}
    | {name: {"kind": "integer", "low": 0, "high": 99} for name in NAMES},
}
PEOPLE = {
    "name": "panel",
    "person": "id",
    "order": NAMES[PER_PERSON],
    "columns": {"id": {"kind": "id"}}
    | {
        name: {"kind": "integer", "low": 0, "high": 99}
        | ({"per": "person"} if k < PER_PERSON else {})
        for k, name in enumerate(NAMES)
    },
}
DOMAIN = Domain.of(Schema.of(SCHEMA))
LAYOUT = PeopleLayout(
    ids=("id",), constants=NAMES[:PER_PERSON], rows=NAMES[PER_PERSON:], order=NAMES[PER_PERSON]
)
CODES = 100
EACH = 5  # rows per person
PIECE = 2**20


@dataclass(frozen=True)
class OneWay(WholeSum):
    """Rows by code, of every column."""

    shape = (len(NAMES), CODES)

    def add(self, total, records):
        """NOT PRIVATE: with these records."""
        for k, column in enumerate(records.T):
            total[k] += np.bincount(column, minlength=CODES)
        return total


@dataclass(frozen=True)
class PeopleOneWay(WholeSum):
    """Tickets by code, of every column of rows, and persons by code of the others."""

    shape = (len(NAMES), CODES)

    def add(self, total, panel):
        """NOT PRIVATE: with these persons."""
        whole = mass(LAYOUT.most)
        for k, column in enumerate(panel.constants.T):
            total[k] += whole * np.bincount(column, minlength=CODES)
        weights = tickets(panel.counts, 3, whole)[panel.owner]
        for k, column in enumerate(panel.rows.T, PER_PERSON):
            total[k] += np.bincount(column, weights, minlength=CODES).astype(np.int64)
        return total


def write(path, rows, persons):
    rng = np.random.default_rng(3)
    header = pa.schema([("id", pa.int64()), *((name, pa.int8()) for name in NAMES)])
    with pq.ParquetWriter(path, header) as file:
        for start in range(0, rows, PIECE):
            count = min(PIECE, rows - start)
            columns = {name: rng.integers(0, CODES, count).astype(np.int8) for name in NAMES}
            file.write_table(pa.table({"id": rng.integers(0, persons, count), **columns}))


def plain(path):
    return int(Records(open_source(path), DOMAIN, key=b"k" * 32).fold(OneWay())[0].sum())


def pairs(path):
    """As mosaic counts the rows, each for itself: all pairs of columns."""
    steps = Steps(DOMAIN, budget(epsilon=1, delta="1e-9"), pq.read_metadata(path).num_rows)
    records = Records(open_source(path), DOMAIN, key=b"k" * 32)
    return JointTables(steps.counts, records.fold(steps.counts)).rows


def release(path):
    """A whole release of the rows, each for itself."""
    with tempfile.TemporaryDirectory() as folder:
        asked = {"epsilon": 1, "delta": "1e-9", "format": "parquet", "folder": Path(folder, "r")}
        return publish(Path(path), schema=SCHEMA, **asked).certificate.rows


def by_person(path):
    """A whole release by person."""
    with tempfile.TemporaryDirectory() as folder:
        asked = {"epsilon": 1, "delta": "1e-9", "format": "parquet", "folder": Path(folder, "r")}
        return publish(Path(path), schema=PEOPLE, **asked).certificate.rows


def grouped(path):
    people = People(open_source(path), DOMAIN, LAYOUT, key=b"k" * 32)
    people.fold(PeopleOneWay())
    return people.persons


def again(path):
    people = People(open_source(path), DOMAIN, LAYOUT, key=b"k" * 32)
    people.fold(PeopleOneWay())
    start, clock = time.process_time(), time.perf_counter()
    people.fold(PeopleOneWay())
    cpu, seconds = time.process_time() - start, time.perf_counter() - clock
    print(f"  later pass {cpu:6.2f} CPU s {seconds:6.2f} s")
    return people.persons


def main(rows, persons):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        write(path, rows, persons)
        print(f"{rows:,} rows of {persons:,} persons, {len(NAMES)} columns")
        seconds = {}
        for work in ("plain", "pairs", "grouped", "again", "release", "by_person"):
            command = [sys.executable, __file__, "--work", work, "--path", path]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            print(done.stdout, end="", flush=True)
            seconds[work] = float(done.stdout.splitlines()[-1].split()[1])
        ratio = seconds["by_person"] / seconds["release"]
        print(f"  a release by person takes {ratio:.2f} times the processor time of one by row")


def one(work, path):
    start, clock = time.process_time(), time.perf_counter()
    found = globals()[work](path)
    cpu, seconds = time.process_time() - start, time.perf_counter() - clock
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  {work:10} {cpu:6.2f} CPU s {seconds:6.2f} s {peak:6.0f} MB  ({found:,})", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="rows grouped by person")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--one", action="store_true")
    parser.add_argument("--work")
    parser.add_argument("--path")
    asked = parser.parse_args()
    if asked.work:
        one(asked.work, asked.path)
    else:
        main(asked.rows, 1 if asked.one else max(asked.rows // EACH, 1))
