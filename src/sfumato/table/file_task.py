"""What is sent to those who write the rows of a release: files of several parts, by their number.

Such a task gives the same file again when it is repeated, if whoever repeats it has the same
packages; what goes wrong there comes back in words of ours.  Nothing in a `FileTask` is private; a
`RecordFileTask` reads records, and may carry the key of their noise.

>>> rows = pa.RecordBatch.from_pydict({"a": [7]})
>>> task = FileTask.of(lambda k: rows, 5, rows.schema, lambda number, schema, some: len(list(some)))
>>> task.files, task.written(task(number) for number in range(task.files))
(2, (4, 1))
"""

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import pyarrow as pa

from sfumato.errors import DataError, ReleaseError
from sfumato.table.engine import MapTask, PartMaker, Sink
from sfumato.table.totals import Failed

__all__ = ["MOST_FILES", "FileTask", "NoRows", "RecordFileTask"]

P = TypeVar("P")

_PARTS = 4  # of 65,536 rows: as many as a group of a Parquet file has
MOST_FILES = 10_000


@dataclass(frozen=True, eq=False)
class FileTask(Generic[P]):
    """The files of a release: each of so many parts, the last one of what is left."""

    part: PartMaker
    parts: int
    each: int
    schema: pa.Schema
    sink: Sink[P]
    packages: tuple[str, ...]

    @classmethod
    def of(cls, part: PartMaker, parts: int, schema: pa.Schema, sink: Sink[P]) -> "FileTask[P]":
        """By those who will read the files: with their packages."""
        each = max(_PARTS, -(-parts // MOST_FILES))
        return cls(part, parts, each, schema, sink, _packages())

    @property
    def files(self) -> int:
        """How many there are: one at least, which may be empty."""
        return max(-(-self.parts // self.each), 1)

    def __call__(self, number: int) -> bytes:
        """Write the file of this number, and say what was written; or the marker of a failure."""
        try:
            _check_packages(self.packages)
            first = number * self.each
            parts = range(first, min(first + self.each, self.parts))
            told = self.sink(number, self.schema, map(self.part, parts))
            return pickle.dumps((number, told), protocol=5)
        except Exception as error:
            return _failed(error, "the rows could not be drawn")

    def written(self, answers: Iterable[bytes]) -> tuple[P, ...]:
        """What was written, by number; raises what a marker stands for."""
        return _by_number(answers, self.files, "not all rows were drawn")


@dataclass(frozen=True, eq=False)
class RecordFileTask(Generic[P]):
    """The files of a release with a row for each record: one for each part of the table."""

    task: MapTask
    schema: pa.Schema
    sink: Sink[P]
    packages: tuple[str, ...]

    @classmethod
    def of(cls, task: MapTask, schema: pa.Schema, sink: Sink[P]) -> "RecordFileTask[P]":
        """By those who will read the files: with their packages."""
        return cls(task, schema, sink, _packages())

    def __call__(self, number: int, batches: Iterator[pa.RecordBatch]) -> bytes:
        """Write the rows of these records in the file of this number, and say what was written."""
        try:
            _check_packages(self.packages)
            told = self.sink(number, self.schema, self.task(number, batches))
            return pickle.dumps((number, told), protocol=5)
        except Exception as error:  # whatever it is, it may quote a record
            return _failed(error, "the rows could not be made")

    def written(self, answers: Iterable[bytes]) -> tuple[P, ...]:
        """What was written, by number; raises what a marker stands for.

        Whether all records have a row, whoever knows their number can tell.
        """
        return _by_number(answers, None, "not all rows were made")


def _failed(error: Exception, otherwise: str) -> bytes:
    """The marker of a failure: in words of ours, or by the type of the error alone."""
    if isinstance(error, DataError | ReleaseError):
        return pickle.dumps(Failed(str(error), of_data=isinstance(error, DataError)))
    return pickle.dumps(Failed(f"{otherwise} ({type(error).__name__})", of_data=False))


def _by_number(answers: Iterable[bytes], files: int | None, missing: str) -> tuple[Any, ...]:
    told: dict[int, Any] = {}
    for answer in answers:
        found = pickle.loads(answer)  # noqa: S301  our own, from a task of our own
        if isinstance(found, Failed):
            raise DataError(found.words) if found.of_data else ReleaseError(found.words)
        told |= [found]
    if sorted(told) != list(range(len(told) if files is None else files)):
        raise ReleaseError(missing)
    return tuple(told[number] for number in sorted(told))


@dataclass(frozen=True)
class NoRows:
    """Parts without a row, to find out whether files can be written."""

    schema: pa.Schema

    def __call__(self, _: int) -> pa.RecordBatch:
        """One of them."""
        return pa.RecordBatch.from_pylist([], self.schema)


def _check_packages(wanted: tuple[str, ...]) -> None:
    if wanted != _packages():
        raise ReleaseError(f"the same packages are needed on every machine: {', '.join(wanted)}")


def _packages() -> tuple[str, ...]:
    """What rows and files depend on."""
    import sfumato  # the front door has the version

    versions = {"sfumato": sfumato.__version__, "numpy": np.__version__, "pyarrow": pa.__version__}
    return tuple(f"{name} {version}" for name, version in versions.items())
