"""Frames of Spark: counted where their records are, released as files that its tasks write.

Names and types come from the frame's plan: no job runs before it is asked for records.  Each task
counts its partition and hands back one small row, others merge these rows, and the driver gets a
few of them: it holds the cells of a release, never its records.  Tasks are pure, so that one which
is run again, or twice at the same time, changes nothing.

What a task raises is caught there; what Spark itself raises is answered in fixed words, and
its log is silent meanwhile: both may quote a record.  Spark is not imported here, for whoever has
a frame has done so.
"""

import pickle
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO
from typing import Any, Literal, TypeVar

import pyarrow as pa

from sfumato.errors import DataError, ReleaseError
from sfumato.table.engine import MapTask, PartMaker, Sink, total_bytes
from sfumato.table.file_task import MOST_FILES, FileTask, RecordFileTask
from sfumato.table.fold import FoldTask
from sfumato.table.source import broken_off
from sfumato.table.sql.unread import UnreadType

__all__ = ["SparkFrame"]

T = TypeVar("T")
P = TypeVar("P")

_TYPES = {
    "boolean": pa.bool_(),
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "char": pa.string(),
    "varchar": pa.string(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
    "decimal": pa.decimal128(38, 18),  # that it is one, not how long
}
# Steps of a plan, each on a line of its own behind lines of a tree.
_MOVES = re.compile(r"^[\s:+*()\d-]*\w*(Exchange|Sort|Aggregate|Join|Window)\b", re.MULTILINE)
_LACKS = re.compile(r"No module named '(\w+)")
_ANSWER = "answer binary"  # what every task of ours hands back
_MERGING = 16  # tasks that merge answers, unless their totals take too much room at the driver
_MOST_BYTES = 2**28
_LOGS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")  # of what Python is told


class BrokenJob(OSError):
    """Spark did not get to the end of the records; `strerror` is what `source` repeats."""

    def __init__(self) -> None:
        super().__init__(0, "Spark ended the job; run frame.count() by itself to see why")


@dataclass(frozen=True)
class SparkFrame:
    """A frame of Spark, as a source and as the engine of its records."""

    frame: Any = field(repr=False)
    kind: Literal["arrow"] = "arrow"

    @property
    def names(self) -> list[str]:
        """As the plan of the frame declares them."""
        return [name for name, _ in self.frame.dtypes]

    @property
    def types(self) -> dict[str, pa.DataType]:
        """As the plan of the frame declares them."""
        return {name: _type(declared) for name, declared in self.frame.dtypes}

    @cached_property
    def rows(self) -> int:
        """How many records there are: one job, asked for only where their number is public."""
        return int(self._run(lambda: self.frame.count()))

    def has_rows(self, count: int) -> bool:
        """Whether there are at least so many records."""
        return self.rows >= count

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """All records, through the driver, a partition at a time."""
        packed = self._run(
            lambda: self._selected(columns).mapInArrow(_packed, _ANSWER).toLocalIterator()
        )
        while (row := self._run(lambda: next(packed, None))) is not None:
            yield from pa.ipc.open_stream(bytes(row[0]))

    def fold(self, columns: Sequence[str], task: FoldTask) -> Iterator[bytes]:
        """One answer for each partition, merged by tasks before a few come to the driver."""
        width = max(1, min(_MERGING, _MOST_BYTES // max(total_bytes(task.zero()), 1)))

        def job() -> list[Any]:
            counted = self._selected(columns).mapInArrow(_Counted(task), _ANSWER)
            merged = counted.repartition(width).mapInArrow(_Merged(task), _ANSWER)
            return list(merged.collect())

        try:
            answers = self._run(job)
        except BrokenJob as ended:
            raise DataError(broken_off(ended)) from None
        return iter([_Merged(task).of(bytes(answer) for (answer,) in answers)[1]])

    def moved(self) -> bool:
        """By the plan that Spark has for it, which is its own word for each step."""
        shown = StringIO()
        with redirect_stdout(shown):
            self.frame.explain()
        return bool(_MOVES.search(shown.getvalue()))

    def map(
        self, columns: Sequence[str], task: MapTask, schema: pa.Schema, sink: Sink[P]
    ) -> tuple[P, ...]:
        """A file for each partition, or for several where there are very many."""
        files = RecordFileTask.of(task, schema, sink)

        def job() -> list[Any]:
            parts = self._selected(columns).coalesce(MOST_FILES)
            return list(parts.mapInArrow(_WithRows(files), _ANSWER).collect())

        try:
            answers = self._run(job)
        except BrokenJob as ended:
            raise DataError(broken_off(ended)) from None
        return files.written(bytes(answer) for (answer,) in answers)

    def draw(self, part: PartMaker, parts: int, schema: pa.Schema, sink: Sink[P]) -> tuple[P, ...]:
        """Files of several parts, a task each."""
        task = FileTask.of(part, parts, schema, sink)
        numbers = self.frame.sparkSession.range(0, task.files, 1, task.files)
        answers = None
        with _silent(self.frame.sparkSession):
            try:
                answers = numbers.mapInArrow(_Written(task), _ANSWER).collect()
            except Exception as error:  # it is about no record, but it is long
                reason = "Spark ended a job that has no record in it; its log says why"
                if lacks := _LACKS.search(str(error)):
                    reason = (
                        f"the Python of Spark's tasks lacks {lacks[1]}: install sfumato on every "
                        "machine of the cluster, and let PYSPARK_PYTHON name the Python that has it"
                    )
        if answers is None:
            raise ReleaseError(reason)
        return task.written(bytes(answer) for (answer,) in answers)

    def _selected(self, columns: Sequence[str]) -> Any:
        return self.frame.select(*(f"`{name.replace('`', '``')}`" for name in columns))

    def _run(self, job: Callable[[], T]) -> T:
        """What a job answers; what it raises may quote a record, and is raised in other words."""
        with _silent(self.frame.sparkSession), suppress(Exception):
            return job()
        raise BrokenJob


def _type(declared: str) -> pa.DataType:
    """By the name that Spark has for it, which may be followed by a length."""
    return _TYPES.get(declared.partition("(")[0]) or UnreadType(declared)


@contextmanager
def _silent(session: Any) -> Iterator[None]:
    """Without Spark's logs, where they are ours to silence: they quote what tasks failed at."""
    with ExitStack() as later:
        with suppress(Exception):  # over Spark Connect this log is another machine's
            log4j = session.sparkContext._jvm.org.apache.logging.log4j
            root, config = log4j.LogManager.getRootLogger(), log4j.core.config.Configurator
            later.callback(_tried, config.setRootLevel, root.getLevel())
            config.setRootLevel(log4j.Level.OFF)
        with suppress(ImportError):
            from pyspark.logger import PySparkLogger

            for log in map(PySparkLogger.getLogger, _LOGS):
                later.callback(setattr, log, "disabled", log.disabled)
                log.disabled = True
        yield


def _tried(action: Callable[[Any], None], argument: Any) -> None:
    """For Spark may be gone."""
    with suppress(Exception):
        action(argument)


def _partition() -> int:
    """The number of the one that a task works on: the same when it is run again."""
    from pyspark import TaskContext  # where it runs, there is Spark

    return int(TaskContext.get().partitionId())


def _row(answer: bytes) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"answer": pa.array([answer], pa.binary())})


def _packed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Each batch as a stream of its own."""
    for batch in batches:
        packed = pa.BufferOutputStream()
        with pa.ipc.new_stream(packed, batch.schema) as stream:
            stream.write_batch(batch)
        yield _row(packed.getvalue().to_pybytes())


@dataclass(frozen=True)
class _Counted:
    """A partition as one row: its number, and what the task answers."""

    task: FoldTask

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield _row(pickle.dumps(((_partition(),), self.task(batches)), protocol=5))


@dataclass(frozen=True)
class _Merged:
    """Answers of several partitions as one, if each partition is in it once."""

    task: FoldTask

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        answers = (answer.as_py() for batch in batches for answer in batch.column(0))
        yield _row(pickle.dumps(self.of(answers), protocol=5))

    def of(self, answers: Iterator[bytes]) -> tuple[tuple[int, ...], bytes]:
        """NOT PRIVATE: which partitions these are, and their merged answer."""
        numbers: list[int] = []

        def each() -> Iterator[bytes]:
            for answer in answers:
                partitions, found = pickle.loads(answer)  # noqa: S301  our own
                numbers.extend(partitions)
                yield found
            if len(set(numbers)) < len(numbers):  # a record that counts twice is hidden half
                raise DataError("Spark counted a partition twice: publish again")

        merged = self.task.merged(each())
        return tuple(numbers), merged


@dataclass(frozen=True)
class _WithRows:
    """The file of a partition."""

    task: RecordFileTask[Any]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield _row(self.task(_partition(), batches))


@dataclass(frozen=True)
class _Written:
    """Files by their numbers."""

    task: FileTask[Any]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield _row(self.task(number))
