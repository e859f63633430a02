"""What is sent to those who write the rows of a release: files of several parts, by their number.

Nothing in such a task is private.  It gives the same file again when it is repeated, if whoever
repeats it has the same packages; what goes wrong there comes back in words of ours.

>>> rows = pa.RecordBatch.from_pydict({"a": [7]})
>>> task = FileTask.of(lambda k: rows, 5, rows.schema, lambda number, schema, some: len(list(some)))
>>> task.files, task.written(task(number) for number in range(task.files))
(2, (4, 1))
"""

import pickle
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import pyarrow as pa

from sfumato.errors import ReleaseError
from sfumato.table.engine import PartMaker, Sink
from sfumato.table.fold import Failed

__all__ = ["FileTask", "NoRows"]

P = TypeVar("P")

_PARTS = 4  # of 65,536 rows: as many as a group of a Parquet file has
_MOST_FILES = 10_000


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
        each = max(_PARTS, -(-parts // _MOST_FILES))
        return cls(part, parts, each, schema, sink, _packages())

    @property
    def files(self) -> int:
        """How many there are: one at least, which may be empty."""
        return max(-(-self.parts // self.each), 1)

    def __call__(self, number: int) -> bytes:
        """Write the file of this number, and say what was written; or the marker of a failure."""
        try:
            if self.packages != _packages():
                wanted = ", ".join(self.packages)
                raise ReleaseError(f"the same packages are needed on every machine: {wanted}")
            first = number * self.each
            parts = range(first, min(first + self.each, self.parts))
            told = self.sink(number, self.schema, map(self.part, parts))
            return pickle.dumps((number, told), protocol=5)
        except ReleaseError as error:  # in words of ours
            words = str(error)
        except Exception as error:
            words = f"the rows could not be drawn ({type(error).__name__})"
        return pickle.dumps(Failed(words, of_data=False))

    def written(self, answers: Iterable[bytes]) -> tuple[P, ...]:
        """What was written, by number; raises what a marker stands for."""
        told: dict[int, P] = {}
        for answer in answers:
            found = pickle.loads(answer)  # noqa: S301  our own, from a task of our own
            if isinstance(found, Failed):
                raise ReleaseError(found.words)
            told |= [found]
        if sorted(told) != list(range(self.files)):
            raise ReleaseError("not all rows were drawn")
        return tuple(told[number] for number in range(self.files))


@dataclass(frozen=True)
class NoRows:
    """Parts without a row, to find out whether files can be written."""

    schema: pa.Schema

    def __call__(self, _: int) -> pa.RecordBatch:
        """One of them."""
        return pa.RecordBatch.from_pylist([], self.schema)


def _packages() -> tuple[str, ...]:
    """What rows and files depend on."""
    import sfumato  # the front door has the version

    versions = {"sfumato": sfumato.__version__, "numpy": np.__version__, "pyarrow": pa.__version__}
    return tuple(f"{name} {version}" for name, version in versions.items())
