"""A row for each record, before it is made: here, part by part, or where the records are.

What is made of a part depends on its number and on the codes of its records alone, so an engine
may make it anywhere, twice, and throw one away.  `then` adds a step that sees no record any more.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import numpy as np
import pyarrow as pa

from sfumato.numeric.arrays import Codes
from sfumato.numeric.threads import one_blas_thread
from sfumato.schema.domain import Domain
from sfumato.table.encode import encode
from sfumato.table.engine import Cluster, Sink
from sfumato.table.fold import coded, cut, to_its_end
from sfumato.table.source import BATCH_ROWS

if TYPE_CHECKING:
    from sfumato.table.records import Records

__all__ = ["EachPart", "Mapped", "RowTask", "W", "even", "part_number"]

S = TypeVar("S")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class WrittenRows(Protocol):
    """What is known of a file as it was written."""

    @property
    def rows(self) -> int:
        """How many it has."""


W = TypeVar("W", bound=WrittenRows)

_MOST_PARTS = 2**32  # of one partition of an engine


class EachPart(Protocol[T_co]):
    """Something of each record of a part; it can be pickled, and is the same when repeated."""

    def __call__(self, number: int, codes: Codes, /) -> T_co:
        """NOT PRIVATE unless it was paid for: of the records with these codes."""


@dataclass(frozen=True, eq=False)
class _Then(Generic[S, T]):
    each: EachPart[S]
    step: Callable[[S], T]

    def __call__(self, number: int, codes: Codes, /) -> T:
        return self.step(self.each(number, codes))


@dataclass(frozen=True, eq=False)
class Mapped(Generic[T]):
    """What is made of every part of some records, in their order, when it is asked for."""

    records: "Records"
    each: EachPart[T]

    def __iter__(self) -> Iterator[T]:
        """Made here, one part after the other."""
        rows = 0
        for place, codes in enumerate(self.records.parts()):
            yield self.each(part_number(place), codes)
            rows += len(codes)
        self.records.check_number(rows)

    def then(self, step: Callable[[T], S]) -> "Mapped[S]":
        """The same with a step after it, which can be pickled as well."""
        return Mapped(self.records, _Then(self.each, step))

    def written(
        self: "Mapped[pa.RecordBatch]", cluster: Cluster, schema: pa.Schema, sink: Sink[W]
    ) -> tuple[W, ...]:
        """Made and written where the records are."""
        return self.records.written(self.each, cluster, schema, sink)


@dataclass(frozen=True, eq=False)
class RowTask:
    """A row for each record of a partition: what an engine is given."""

    domain: Domain
    each: EachPart[pa.RecordBatch]

    @property
    def columns(self) -> list[str]:
        """What it reads."""
        return [axis.name for axis in self.domain.axes]

    def __call__(self, number: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows of these records, in their order, whatever batches they come in."""
        pieces = (piece for batch in to_its_end(batches) for piece in cut(batch))
        parts = even(coded(encode, self.domain, piece) for piece in pieces)
        for place, codes in enumerate(parts):
            with one_blas_thread:  # so that the same part has the same bits everywhere
                rows = self.each(part_number(number, place), codes)
            yield rows


def part_number(partition: int, place: int = 0) -> int:
    """The number of a part among all: no two parts of any partitions have the same.

    >>> part_number(0, 1) < part_number(1)
    True
    """
    return partition * _MOST_PARTS + place


def even(parts: Iterable[Codes]) -> Iterator[Codes]:
    """The same records, `BATCH_ROWS` at a time, and at last the rest."""
    held: list[Codes] = []
    for codes in parts:
        held.append(codes)
        while (rows := sum(map(len, held))) >= BATCH_ROWS:
            whole = held[0] if len(held) == 1 else np.concatenate(held)
            yield np.asfortranarray(whole[:BATCH_ROWS])
            held = [whole[BATCH_ROWS:]] if rows > BATCH_ROWS else []
    if any(map(len, held)):
        yield np.asfortranarray(np.concatenate(held))
