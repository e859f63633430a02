"""Frames of Dask: counted where their partitions are, released as files that its tasks write.

Names and types come from the frame's empty twin, which Dask keeps beside the plan: nothing runs
before records are asked for.  There is a task for each partition and a tree of tasks that merge
their answers, so that the driver gets one answer, the cells of a release and never its records.
Tasks are pure: one that is run again, because a worker died or its answer was lost, changes
nothing.

What a task of ours raises is caught there, and what Dask raises is answered in fixed words: both
may quote a record.  A task holds its secrets in itself and not as a value of its own, for Dask may
put values on the disks of workers.  Dask is imported where it is used: whoever has a frame has it.
"""

import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, Literal, TypeVar

import narwhals as nw
import pyarrow as pa

from sfumato.errors import DataError, ReleaseError
from sfumato.table.engine import MapTask, PartMaker, Scatter, Sink
from sfumato.table.file_task import MOST_FILES, FileTask, RecordFileTask
from sfumato.table.fold import FoldTask
from sfumato.table.source import Frame, broken_off
from sfumato.table.totals import TotalsTask

__all__ = ["DaskFrame"]

P = TypeVar("P")

# Modules of Dask whose steps leave records where they were; what a persisted graph did before,
# nobody can see.
_IN_PLACE = {"_accessor", "_categorical", "_datetime", "_expr", "_repartition", "_str_accessor"}
_UNSEEN = "FromGraph"
_MERGED = 8  # answers that one task merges
_MOST_BUCKETS = 128  # of rows that go to their persons: each partition has a task for each
_ATTEMPTS = 3  # more of a task that failed: a disk that was away may be back


class BrokenGraph(OSError):
    """Dask did not get to the end of the records; `strerror` is what `source` repeats."""

    def __init__(self, installed: bool = True) -> None:
        words = "Dask ended the computation; run len(frame) by itself to see why"
        if not installed:
            words = "sfumato must be installed on every machine of the cluster"
        super().__init__(0, words)


@dataclass(frozen=True)
class DaskFrame:
    """A frame of Dask, as a source and as the engine of its records."""

    frame: Any = field(repr=False)
    kind: Literal["pandas"] = "pandas"

    @cached_property
    def _header(self) -> Frame:
        """The frame without a record, which Dask has made from its plan."""
        with suppress(Exception):
            return _columns(self.frame._meta)
        raise DataError(
            "the partitions of this frame of Dask are not frames of pandas: write it with "
            "frame.to_parquet(folder), and give the folder"
        )

    @property
    def names(self) -> list[str]:
        """As the plan of the frame declares them; two of them may be the same."""
        found = [str(name) for name in getattr(self.frame, "columns", ())]
        return found if len(set(found)) < len(found) else self._header.names

    @property
    def types(self) -> dict[str, pa.DataType]:
        """As the plan of the frame declares them."""
        return self._header.types

    @property
    def guessed(self) -> dict[str, str]:
        """Columns whose texts pandas may have taken for numbers or truth values."""
        return self._header.guessed

    @cached_property
    def rows(self) -> int:
        """How many records there are: asked for only where their number is public."""
        with suppress(Exception):  # it may quote a record
            return len(self.frame)
        raise BrokenGraph

    def has_rows(self, count: int) -> bool:
        """Whether there are at least so many records."""
        return self.rows >= count

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """All records, through the driver, a partition at a time."""
        for part in self._partitions(columns):
            (found,) = _answered([part])
            yield from _columns(found).batches(columns)

    def fold(self, columns: Sequence[str], task: FoldTask) -> Iterator[bytes]:
        """One answer for each partition, merged by a tree of tasks."""
        count, merge = (_Sent(work, task).delayed for work in (_counted, _merged))
        return self._merged([count(columns, part) for part in self._partitions(columns)], merge)

    def _merged(self, level: list[Any], merge: Callable[..., Any]) -> Iterator[bytes]:
        """By a tree of tasks."""
        while len(level) > 1:
            level = [merge(level[k : k + _MERGED]) for k in range(0, len(level), _MERGED)]
        try:
            return iter(_answered(level))
        except BrokenGraph as ended:
            reason = broken_off(ended)
        raise DataError(reason)

    def regroup(
        self, tables: Sequence[tuple[Any, Scatter]], task: TotalsTask[bytes]
    ) -> Iterator[bytes]:
        """A task for each partition, whose rows go to as many buckets as there are partitions."""
        parts = [(part, how) for frame, how in tables for part in frame._partitions(how.columns)]
        buckets = max(min(len(parts), _MOST_BUCKETS), 1)
        rows = [_Sent(_scattered, how).several(buckets)(part, buckets) for part, how in parts]
        gather, merge = (_Sent(work, task).delayed for work in (_gathered, _merged))
        level = [gather([part[bucket] for part in rows]) for bucket in range(buckets)]
        return self._merged(level, merge)

    def moved(self) -> bool:
        """By the steps of its plan, and the modules of Dask that they come from."""
        steps = {type(step) for step in self.frame.expr.walk()}
        return any(step.__name__ == _UNSEEN or not _stays(step.__module__) for step in steps)

    def map(
        self, columns: Sequence[str], task: MapTask, schema: pa.Schema, sink: Sink[P]
    ) -> tuple[P, ...]:
        """A file for each partition, or for several where there are very many."""
        parts = self._partitions(columns)
        each = -(-len(parts) // MOST_FILES)
        groups = [parts[k : k + each] for k in range(0, len(parts), each)]
        files = RecordFileTask.of(task, schema, sink)
        write = _Sent(_with_rows, files).delayed
        try:
            answers = _answered([write(k, columns, group) for k, group in enumerate(groups)])
        except BrokenGraph as ended:
            reason = broken_off(ended)
        else:
            return files.written(answers)
        raise DataError(reason)

    def draw(self, part: PartMaker, parts: int, schema: pa.Schema, sink: Sink[P]) -> tuple[P, ...]:
        """Files of several parts, a task each."""
        files = FileTask.of(part, parts, schema, sink)
        write = _Sent(_drawn, files).delayed
        try:
            answers = _answered([write(number) for number in range(files.files)])
        except BrokenGraph as ended:
            reason = str(ended.strerror)
        else:
            return files.written(answers)
        raise ReleaseError(reason)

    def _partitions(self, columns: Sequence[str]) -> list[Any]:
        """Not yet computed, with these columns alone."""
        own = {str(name): name for name in self.frame.columns}
        return list(self.frame[[own[name] for name in columns]].to_delayed())


def _stays(module: str) -> bool:
    return ".io." in module or module.rpartition(".")[2] in _IN_PLACE


def _columns(part: Any) -> Frame:
    """NOT PRIVATE: a partition as a source."""
    names = [str(name) for name in part.columns]
    series = nw.from_native(part, eager_only=True).iter_columns()
    return Frame(dict(zip(names, series, strict=True)), "pandas")


class _Sent:
    """A task of ours as Dask is given it: in bytes, and shown by its name alone.

    No dataclass, for Dask looks into these; what it is shown as may stand in a log.
    """

    def __init__(self, work: Callable[..., Any], task: Any) -> None:
        self._work, self._task, self.__name__ = work, pickle.dumps(task, protocol=5), work.__name__

    def __call__(self, *given: Any) -> Any:
        return self._work(pickle.loads(self._task), *given)  # noqa: S301  our own

    @property
    def delayed(self) -> Callable[..., Any]:
        """With arguments it is one task, which holds this object itself."""
        from dask import delayed

        made: Callable[..., Any] = delayed(self, pure=False, traverse=False)
        return made

    def several(self, count: int) -> Callable[..., Any]:
        """The same for work with so many answers, each of which goes somewhere else."""
        from dask import delayed

        made: Callable[..., Any] = delayed(self, pure=False, traverse=False, nout=count)
        return made


def _answered(tasks: list[Any]) -> list[Any]:
    """What the tasks answer; what they raise may quote a record, and is raised in other words."""
    import dask

    installed = True
    with suppress(Exception):  # out of whose reach it is forgotten
        try:
            return list(dask.compute(*tasks, **({"retries": _ATTEMPTS} if _has_workers() else {})))
        except ModuleNotFoundError as error:
            installed = error.name != "sfumato"
    raise BrokenGraph(installed)


def _has_workers() -> bool:
    """Whether tasks are sent away: then they are tried again."""
    if "distributed" in sys.modules:
        with suppress(ValueError):
            from distributed import default_client

            return default_client() is not None
    return False


def _batches(columns: Sequence[str], parts: Iterable[Any]) -> Iterator[pa.RecordBatch]:
    """NOT PRIVATE: the records of partitions; read by whoever answers for what it raises."""
    for part in parts:
        yield from _columns(part).batches(columns)


def _counted(task: FoldTask, columns: Sequence[str], part: Any) -> bytes:
    return task(_batches(columns, [part]))


def _scattered(task: Scatter, part: Any, buckets: int) -> list[list[bytes]]:
    found: list[list[bytes]] = [[] for _ in range(buckets)]
    for bucket, rows in task(_batches(task.columns, [part]), buckets):
        found[bucket].append(rows)
    return found


def _gathered(task: TotalsTask[bytes], parts: list[list[bytes]]) -> bytes:
    return task(chain.from_iterable(parts))


def _merged(task: TotalsTask[Any], answers: list[bytes]) -> bytes:
    return task.merged(answers)


def _with_rows(
    task: RecordFileTask[Any], number: int, columns: Sequence[str], parts: list[Any]
) -> bytes:
    return task(number, _batches(columns, parts))


def _drawn(task: FileTask[Any], number: int) -> bytes:
    return task(number)
