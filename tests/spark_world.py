"""Spark on this machine for tests, and things that go wrong in its tasks, at the first attempt."""

import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa

__all__ = [
    "DOUBLES",
    "LOG",
    "MISSING",
    "SCHEMA",
    "SECRET",
    "Dawdles",
    "DiesOnce",
    "Seen",
    "TakesDown",
    "Troubled",
    "frame_of",
    "java_log",
    "records",
    "session",
    "told_to_python",
    "two_hosts",
]

MISSING = next(
    (
        f"{what} is not installed"
        for what, there in (("Java", shutil.which("java")), ("pyspark", find_spec("pyspark")))
        if not there
    ),
    "",
)
LOG = "log.txt"
_logs = list[Path]()  # of all sessions of this process
SECRET = "SECRET-4711"
SCHEMA = {
    "name": "visits",
    "columns": {
        "age": {"kind": "integer", "low": 0, "high": 110},
        "ward": {"kind": "category", "values": ["surgery", "cardiology"], "other": "elsewhere"},
        "cost": {"kind": "number", "low": 0, "high": 100, "step": 0.01},
    },
}


def session(folder: Path, master: str = "local[2,4]", **settings: Any) -> Any:
    """A session whose workers find what this process finds."""
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["SPARK_HOME"] = str(_home(folder / "home"))
    from pyspark.sql import SparkSession

    plain = {
        "ui.enabled": "false",
        "ui.showConsoleProgress": "false",
        "driver.memory": "2g",
        "driver.host": "127.0.0.1",
        "local.dir": str(folder),
        "sql.warehouse.dir": str(folder / "warehouse"),
        "sql.shuffle.partitions": "2",
    }
    builder = SparkSession.builder.master(master).appName("sfumato")
    for name, value in (plain | settings).items():
        builder = builder.config(f"spark.{name}", value)
    with _logging_to(folder / LOG):
        made = builder.getOrCreate()
    _logs.append(folder / LOG)
    return made


def java_log(spark: Any) -> Path:
    """Java starts with the first session of a process, and outlives it: it has one log.

    What a failed job of another test left silent is heard again.
    """
    log4j = spark.sparkContext._jvm.org.apache.logging.log4j
    for name in ("scheduler", "executor", "api.python"):
        log4j.core.config.Configurator.setLevel(f"org.apache.spark.{name}", log4j.Level.WARN)
    return _logs[0]


# A task that takes longer than others is begun a second time, on another host.
DOUBLES = {
    "speculation": "true",
    "speculation.interval": "100ms",
    "speculation.minTaskRuntime": "500ms",
    "speculation.quantile": "0.5",
    "speculation.efficiency.enabled": "false",
}


@contextmanager
def two_hosts(folder: Path) -> Iterator[str]:
    """A cluster of two workers under two addresses of this machine; its own address is given."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home, java = Path(find_spec("pyspark").origin).parent, shutil.which("java")
    master = f"spark://127.0.0.1:{port}"
    # As its own scripts say it: without the version it looks for folders of its build.
    told = os.environ | {"SPARK_HOME": str(home), "SPARK_SCALA_VERSION": "2.13"}
    told["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))

    def begun(what: str, host: str, *more: str) -> subprocess.Popen[bytes]:
        place = f"org.apache.spark.deploy.{what}"
        size = ["-Xmx256m", "-cp", f"{home}/jars/*", place, "--host", host, "--webui-port", "0"]
        with (folder / LOG).open("ab") as log:
            return subprocess.Popen([java, *size, *more], stdout=log, stderr=log, env=told)

    started = [begun("master.Master", "127.0.0.1", "--port", str(port))]
    for host in ("127.0.0.1", "127.0.0.2"):
        work = folder / host
        own = ["--cores", "1", "--memory", "600m", "--work-dir", str(work)]
        started.append(begun("worker.Worker", host, *own, master))
    try:
        yield master
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait()


def _home(folder: Path) -> Path:
    """Spark as it is installed, in a folder where its executors may leave their files."""
    folder.mkdir()
    for found in Path(find_spec("pyspark").origin).parent.iterdir():
        (folder / found.name).symlink_to(found)
    return folder


@contextmanager
def _logging_to(file: Path) -> Iterator[None]:
    """What is started here has this file as its standard error: Java's log, to be read later."""
    with file.open("ab") as log:
        kept = os.dup(2)
        os.dup2(log.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def told_to_python() -> list[str]:
    """What Spark logs in this process from here on."""
    from pyspark.logger import PySparkLogger

    told: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: told.append(record.getMessage())  # type: ignore[method-assign]
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).addHandler(handler)
    return told


def records(rows: int = 4000) -> pa.Table:
    """Visits, of which some do not fit the schema."""
    wards = ["surgery", "cardiology", "ward 9", None]
    return pa.table(
        {
            "age": [k * 7 % 120 for k in range(rows)],
            "ward": [wards[k * k % 4] for k in range(rows)],
            "cost": [k * 0.37 % 101 for k in range(rows)],
        }
    )


def frame_of(spark: Any, table: pa.Table, partitions: int = 4) -> Any:
    """The same records in so many partitions."""
    return spark.createDataFrame(table).repartition(partitions)


def _attempt() -> tuple[int, int]:
    """The partition of this task, and how often it was tried before."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId(), context.attemptNumber()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Troubled:
    """Records as they are; at first one partition breaks off and the worker of another dies."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield batch
            if _attempt() == (0, 0):
                raise ValueError(SECRET)
            if _attempt() == (1, 0):
                _die()


@dataclass
class Seen:
    """Records as they are, and a file that tells that somebody asked for them."""

    mark: Path

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        self.mark.touch()
        yield from batches


@dataclass
class DiesOnce:
    """Parts of a release by a worker that dies at its first attempt, half-way through a file."""

    part: Any

    def __call__(self, number: int) -> pa.RecordBatch:
        if number == 1 and _attempt()[1] == 0:
            _die()
        return self.part(number)


@dataclass
class TakesDown:
    """Parts of a release by a task that ends its executor, at its first attempt; Linux alone."""

    part: Any

    def __call__(self, number: int) -> pa.RecordBatch:
        if number == 1 and _attempt()[1] == 0:
            daemon = os.getppid()  # of Python workers; the executor has started it
            status = Path(f"/proc/{daemon}/status").read_text()
            executor = int(status.partition("PPid:")[2].split()[0])
            assert Path(f"/proc/{executor}/comm").read_text().strip() == "java"
            os.kill(executor, signal.SIGKILL)
            time.sleep(60)
        return self.part(number)


@dataclass
class Dawdles:
    """Parts of a release by a task that is slow at its first attempt; each leaves a mark."""

    part: Any
    marks: Path

    def __call__(self, number: int) -> pa.RecordBatch:
        if number == 1:
            attempt = _attempt()[1]
            (self.marks / f"attempt {attempt}").touch()
            if attempt == 0:
                time.sleep(60)
        return self.part(number)
