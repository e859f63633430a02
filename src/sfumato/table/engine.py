"""Engines: where records are, and where work on them is done.

An engine is a source that also counts: `fold`.  A cluster also writes rows where they are made:
`map` gives one row for each record, `draw` makes rows of a release from public numbers.  Tasks
are pure: one that is run again, or twice at the same time, gives the same, so an engine may retry,
guess ahead and throw away.  What runs where is the engine's own business, and nobody else knows
which it is.

>>> import pyarrow as pa
>>> from sfumato.schema import Schema
>>> from sfumato.schema.domain import Domain
>>> from sfumato.table.source import open_source
>>> from sfumato.table.statistic import Rows
>>> domain = Domain.of(Schema.of({"name": "t", "columns": {"a": {"kind": "boolean"}}}))
>>> task = FoldTask(domain, (Rows(),))
>>> task.total(Local(open_source(pa.table({"a": [True, False]}))).fold(["a"], task))
(2,)
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np
import pyarrow as pa

from sfumato.table.fold import FoldTask, cut, to_its_end
from sfumato.table.source import Kind, Source
from sfumato.table.totals import TotalsTask
from sfumato.table.workers import shared_out

__all__ = [
    "Cluster",
    "Engine",
    "Local",
    "MapTask",
    "PartMaker",
    "Regrouping",
    "Scatter",
    "Sink",
    "cluster_of",
    "engine_of",
    "is_moved",
    "total_bytes",
]

P = TypeVar("P")  # what is known of a file as it was written: the sink's own business
Told = TypeVar("Told", covariant=True)

_MOST_BYTES = 2**29  # of the totals of all threads together, unless a single one has more


class Sink(Protocol[Told]):
    """Writes the file of a number: whole or not at all, and the same again when it is repeated."""

    def __call__(self, number: int, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> Told:
        """Write these rows, and say what was written."""


class MapTask(Protocol):
    """One row for each record of a numbered part of the table; the same again when repeated."""

    def __call__(self, number: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows of these records, in their order."""


PartMaker = Callable[[int], pa.RecordBatch]  # rows of part k, by public numbers and k alone


class Engine(Source, Protocol):
    """A source that runs tasks where its records are; all that it is given can be pickled."""

    def fold(self, columns: Sequence[str], task: FoldTask) -> Iterator[bytes]:
        """NOT PRIVATE: the task's answers for partitions that hold every record once, in any order.

        Answers may be merged on the way (`FoldTask.merged`).
        """


class Scatter(Protocol):
    """The rows of a partition by the bucket of the person that they belong to."""

    @property
    def columns(self) -> Sequence[str]:
        """What it reads."""

    def __call__(
        self, batches: Iterator[pa.RecordBatch], buckets: int
    ) -> Iterator[tuple[int, bytes]]:
        """NOT PRIVATE: buckets, and some rows of each; never an error."""


class Regrouping(Engine, Protocol):
    """An engine that brings the rows of a person together, wherever they are."""

    def regroup(
        self, tables: Sequence[tuple["Source", Scatter]], task: TotalsTask[bytes]
    ) -> Iterator[bytes]:
        """NOT PRIVATE: the task's answers for buckets that hold every row once; merged or not.

        The tables are of engines of this type.
        """


class Cluster(Engine, Protocol):
    """An engine that writes rows where they are made, in several files."""

    def map(
        self, columns: Sequence[str], task: MapTask, schema: pa.Schema, sink: Sink[P]
    ) -> tuple[P, ...]:
        """One row for each record, written where it was made."""

    def draw(self, part: PartMaker, parts: int, schema: pa.Schema, sink: Sink[P]) -> tuple[P, ...]:
        """The rows of so many parts, in their order, written where they were made."""


def engine_of(source: Source, progress: Callable[[int], None] | None = None) -> "Engine":
    """The engine of a source: itself, or threads of this process."""
    if callable(getattr(source, "fold", None)):
        return source  # type: ignore[return-value]  # what has this verb is an engine
    return Local(source, progress)


def is_moved(source: Source) -> bool:
    """Whether records lie where their values sent them, as far as is known without reading any."""
    moved = getattr(source, "moved", None)
    return moved is not None and bool(moved())


def cluster_of(source: Source) -> "Cluster | None":
    """The cluster that has the records, if they are on one."""
    return source if callable(getattr(source, "draw", None)) else None  # type: ignore[return-value]


@dataclass(frozen=True)
class Local:
    """Threads of this process, over any source; it is read in the thread that asks."""

    source: Source
    progress: Callable[[int], None] | None = field(default=None, repr=False)

    @property
    def kind(self) -> Kind:
        """As the source."""
        return self.source.kind

    @property
    def names(self) -> Sequence[str]:
        """As the source."""
        return self.source.names

    @property
    def types(self) -> dict[str, pa.DataType]:
        """As the source."""
        return self.source.types

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """As the source, in small pieces; an error does not quote a record."""
        for batch in to_its_end(self.source.batches(columns)):
            for piece in cut(batch):
                if self.progress:
                    self.progress(piece.num_rows)
                yield piece

    def has_rows(self, count: int) -> bool:
        """As the source."""
        return self.source.has_rows(count)

    def fold(self, columns: Sequence[str], task: FoldTask) -> Iterator[bytes]:
        """One partition for each thread: the batches that it came to."""
        each = max(total_bytes(task.zero()), 1)
        return iter(shared_out(task, self.batches(columns), _MOST_BYTES // each))


def total_bytes(total: Any) -> int:
    """What arrays a total holds."""
    if isinstance(total, np.ndarray):
        return total.nbytes
    return sum(map(total_bytes, total)) if isinstance(total, tuple) else 0
