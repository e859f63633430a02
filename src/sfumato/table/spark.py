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
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, field
from functools import cached_property, reduce
from io import StringIO
from typing import Any, Literal, TypeVar

import pyarrow as pa

from sfumato.errors import DataError, ReleaseError
from sfumato.table.engine import MapTask, PartMaker, Scatter, Sink, total_bytes
from sfumato.table.file_task import MOST_FILES, FileTask, RecordFileTask
from sfumato.table.fold import FoldTask
from sfumato.table.source import broken_off
from sfumato.table.spark_log import silent
from sfumato.table.sql.unread import UnreadType
from sfumato.table.totals import TotalsTask

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
# Steps of a plan, each on a line of its own behind lines of a tree; those that leave records where
# they were, as far as Spark can tell (what code of its user does is not seen).
_STEP = re.compile(r"^[\s:+*()\d-]*([A-Za-z]\w*)", re.MULTILINE)
_IN_PLACE = {
    *("AdaptiveSparkPlan", "ColumnarToRow", "InMemoryTableScan", "InMemoryRelation", "Coalesce"),
    *("BatchScan", "FileScan", "LocalTableScan", "Range", "Scan", "Project", "Filter"),
    *("ArrowEvalPython", "BatchEvalPython", "MapInArrow", "MapInPandas", "PythonMapInArrow"),
}
_LACKS = re.compile(r"No module named '(\w+)")
_ANSWER = "answer binary"  # what every task of ours hands back
_BUCKET = "bucket int, rows binary"  # but those that send rows to their persons
_MERGING = 16  # tasks that merge answers, unless their totals take too much room at the driver
_MOST_BYTES = 2**28


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
            lambda: self._selected(columns).mapInArrow(_Packed(columns), _ANSWER).toLocalIterator()
        )
        while (row := self._run(lambda: next(packed, None))) is not None:
            yield from pa.ipc.open_stream(bytes(row[0]))

    def fold(self, columns: Sequence[str], task: FoldTask) -> Iterator[bytes]:
        """One answer for each partition, merged by tasks before a few come to the driver."""

        def job() -> list[Any]:
            counted = self._selected(columns).mapInArrow(_Counted(columns, task), _ANSWER)
            merged = counted.repartition(self._width(task)).mapInArrow(_Merged(task), _ANSWER)
            return list(merged.collect())

        return self._merged(job, task)

    def regroup(
        self, tables: Sequence[tuple[Any, Scatter]], task: TotalsTask[bytes]
    ) -> Iterator[bytes]:
        """Rows go to as many partitions as Spark shuffles to, all of a bucket to the same."""
        parts = int(self.frame.sparkSession.conf.get("spark.sql.shuffle.partitions"))

        def job() -> list[Any]:
            rows = [
                frame._selected(how.columns).mapInArrow(_Scattered(how, parts), _BUCKET)
                for frame, how in tables
            ]
            together = reduce(lambda a, b: a.unionAll(b), rows).repartition(parts, "bucket")
            merged = together.mapInArrow(_Gathered(task), _ANSWER).repartition(self._width(task))
            return list(merged.mapInArrow(_Merged(task), _ANSWER).collect())

        return self._merged(job, task)

    def _width(self, task: TotalsTask[Any]) -> int:
        """How many tasks merge answers."""
        return max(1, min(_MERGING, _MOST_BYTES // max(total_bytes(task.zero()), 1)))

    def _merged(self, job: Callable[[], list[Any]], task: TotalsTask[Any]) -> Iterator[bytes]:
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
        steps = set(_STEP.findall(shown.getvalue()))
        return not steps or not steps <= _IN_PLACE  # what is not shown is not known to stay

    def map(
        self, columns: Sequence[str], task: MapTask, schema: pa.Schema, sink: Sink[P]
    ) -> tuple[P, ...]:
        """A file for each partition, or for several where there are very many."""
        files = RecordFileTask.of(task, schema, sink)

        def job() -> list[Any]:
            parts = self._selected(columns).coalesce(MOST_FILES)
            return list(parts.mapInArrow(_WithRows(columns, files), _ANSWER).collect())

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
        with silent(self.frame.sparkSession):
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
        """These columns, called by their places: tasks know the names.

        Spark takes a dot in a name for a field of a struct, and A for a.
        """
        places = {name: f"c{k}" for k, name in enumerate(self.names)}
        return self.frame.toDF(*places.values()).select(*(places[name] for name in columns))

    def _run(self, job: Callable[[], T]) -> T:
        """What a job answers; what it raises may quote a record, and is raised in other words."""
        with suppress(Exception), silent(self.frame.sparkSession):
            return job()
        raise BrokenJob


def _type(declared: str) -> pa.DataType:
    """By the name that Spark has for it, which may be followed by a length."""
    return _TYPES.get(declared.partition("(")[0]) or UnreadType(declared)


def _partition() -> int:
    """The number of the one that a task works on: the same when it is run again."""
    from pyspark import TaskContext  # where it runs, there is Spark

    return int(TaskContext.get().partitionId())


def _row(answer: bytes) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"answer": pa.array([answer], pa.binary())})


def _named(columns: Sequence[str], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches under the names of their columns, with moments in UTC, as `types` says.

    Spark keeps no zone: the one that it writes is that of whoever asks, and no day may follow it.
    """
    for batch in batches:
        yield pa.RecordBatch.from_arrays([_in_utc(found) for found in batch.columns], columns)


def _in_utc(column: pa.Array) -> pa.Array:
    zoned = pa.types.is_timestamp(column.type) and column.type.tz is not None
    return column.cast(pa.timestamp(column.type.unit, "UTC")) if zoned else column


@dataclass(frozen=True)
class _Packed:
    """Each batch as a stream of its own."""

    columns: Sequence[str]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in _named(self.columns, batches):
            packed = pa.BufferOutputStream()
            with pa.ipc.new_stream(packed, batch.schema) as stream:
                stream.write_batch(batch)
            yield _row(packed.getvalue().to_pybytes())


@dataclass(frozen=True)
class _Counted:
    """A partition as one row: its number, and what the task answers."""

    columns: Sequence[str]
    task: FoldTask

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        answer = self.task(_named(self.columns, batches))
        yield _row(pickle.dumps(((_partition(),), answer), protocol=5))


@dataclass(frozen=True)
class _Scattered:
    """The rows of a partition by the bucket of their person."""

    task: Scatter
    buckets: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for bucket, rows in self.task(_named(self.task.columns, batches), self.buckets):
            columns = [pa.array([bucket], pa.int32()), pa.array([rows], pa.binary())]
            yield pa.RecordBatch.from_arrays(columns, ["bucket", "rows"])


@dataclass(frozen=True)
class _Gathered:
    """Some buckets as one row: their numbers, and what the task answers."""

    task: TotalsTask[bytes]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        numbers: set[int] = set()

        def rows() -> Iterator[bytes]:
            for batch in batches:
                numbers.update(batch.column(0).to_pylist())
                yield from batch.column(1).to_pylist()

        answer = self.task(rows())
        yield _row(pickle.dumps((tuple(numbers), answer), protocol=5))


@dataclass(frozen=True)
class _Merged:
    """Answers of several partitions as one, if each partition, or bucket, is in it once."""

    task: TotalsTask[Any]

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

    columns: Sequence[str]
    task: RecordFileTask[Any]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield _row(self.task(_partition(), _named(self.columns, batches)))


@dataclass(frozen=True)
class _Written:
    """Files by their numbers."""

    task: FileTask[Any]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield _row(self.task(number))
