"""Fold and map over encoded records, and a keyed fingerprint taken on the way.

`fold` adds up a statistic of exact whole numbers, so the result is the same for every order,
batching and engine; `map` makes something of each record, here or where the records are; `parts`
hands the records themselves on, one part after the other.  The first whole pass leaves the
fingerprint behind (`sfumato.table.fingerprint`).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, cast

import pyarrow as pa

from sfumato.errors import DataError
from sfumato.numeric.arrays import Codes
from sfumato.schema.domain import Domain, Levels
from sfumato.table.complaint import Complaints
from sfumato.table.encode import encode, read
from sfumato.table.engine import Cluster, Sink, engine_of
from sfumato.table.file.parquet import ParquetFiles
from sfumato.table.fingerprint import Tally
from sfumato.table.fold import FoldTask, coded, cut, to_its_end
from sfumato.table.mapped import EachPart, Mapped, RowTask, W, even
from sfumato.table.source import Inside, PartOf, Source
from sfumato.table.statistic import Rows, Statistic

__all__ = ["Records"]

T = TypeVar("T")


class Records:
    """NOT PRIVATE: the records of a source as codes of the public grid.

    Of a part of a table the records of the part alone are handed on.  The fingerprint is that of
    all records, taken in the same pass: what was measured is what was known.
    """

    def __init__(
        self,
        source: Source,
        domain: Domain,
        *,
        key: bytes | None = None,
        expected: int | None = None,  # how many records there are, where that is public
        progress: Callable[[int], None] | None = None,
    ) -> None:
        part = source if isinstance(source, PartOf) else None
        whole = source if part is None else part.source
        if isinstance(whole, ParquetFiles):
            whole = whole.listing(a.name for a in domain.axes if isinstance(a, Levels))
        self._engine = engine_of(whole, progress)
        self._inside = None if part is None else Inside(domain.axes.index(part.axis), part.mask)
        self._domain, self._expected = domain, expected
        self._tally = None if key is None else Tally(key, domain)
        self._fingerprint: bytes | None = None
        self._known = False  # whether a whole pass has been made
        self._ahead: list[Statistic[Any]] = []
        self._counted: list[tuple[Statistic[Any], Any]] = []

    def ahead(self, *statistics: Statistic[Any]) -> None:
        """Count these in the next pass, too: each is handed out, once, when it is asked for."""
        self._ahead += statistics

    def fold(self, statistic: Statistic[T]) -> T:
        """The total of a statistic over all records; of an empty table, its zero."""
        for k, (known, total) in enumerate(self._counted):
            if known is statistic:
                del self._counted[k]
                return cast(T, total)
        others = [each for each in self._ahead if each is not statistic]
        first, *rest = self._passed((statistic, *others))
        self._ahead.clear()
        self._counted += zip(others, rest, strict=True)
        return cast(T, first)

    def _passed(self, statistics: tuple[Statistic[Any], ...]) -> Sequence[Any]:
        """The totals of one pass; the first one also counts all records, and knows them again."""
        task = FoldTask(self._domain, statistics, self._of_all, self._inside)
        totals = task.total(self._engine.fold(task.columns, task))
        self._learn(totals[len(statistics) :])
        return totals[: len(statistics)]

    def with_complaints(self) -> Iterator[tuple[pa.RecordBatch, Complaints]]:
        """The records as they are stored, beside what is said against each of their values."""
        for batch in self._batches():
            codes, said = coded(read, self._domain, batch)
            if self._inside is None:
                yield batch, said
            else:
                inside = self._inside.of(codes)
                yield batch.filter(pa.array(inside)), said[inside]

    def map(self, each: EachPart[T]) -> Mapped[T]:
        """`each` of the records of every part, made when they are asked for."""
        return Mapped(self, each)

    def written(
        self, each: EachPart[pa.RecordBatch], cluster: Cluster, schema: pa.Schema, sink: Sink[W]
    ) -> tuple[W, ...]:
        """A row for each record, written by the cluster that has the records."""
        task = RowTask(self._domain, each)
        parts = cluster.map(task.columns, task, schema, sink)
        self.check_number(sum(part.rows for part in parts))
        return parts

    def parts(self) -> Iterator[Codes]:
        """So many records at a time, one part after the other, in their order.

        How many follows from their number alone: what is released may be cut where these are,
        and the blocks of a file end where its texts are long.
        """
        return even(self._encoded())

    def _encoded(self) -> Iterator[Codes]:
        whole = self._of_all
        totals = [each.zero() for each in whole]
        for batch in self._batches():
            codes = coded(encode, self._domain, batch)
            totals = [each.add(a, codes) for each, a in zip(whole, totals, strict=True)]
            yield codes if self._inside is None else codes[self._inside.of(codes)]
        self._learn(totals)

    def fingerprint(self) -> bytes | None:
        """Keyed digest of all records: from the first whole pass, or from one of its own."""
        if self._tally is not None and not self._known:
            self._passed(())
        return self._fingerprint

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for batch in to_its_end(self._engine.batches([axis.name for axis in self._domain.axes])):
            yield from cut(batch)

    @property
    def _of_all(self) -> tuple[Statistic[Any], ...]:
        """What a whole pass takes of all records: the first one also knows them again."""
        return (Rows(),) if self._tally is None or self._known else (Rows(), self._tally)

    def _learn(self, totals: Sequence[Any]) -> None:
        """What a whole pass found of all records: a later one must find as many."""
        self.check_number(totals[0])
        if self._known:
            return
        self._expected = totals[0]
        if self._tally is not None:
            self._fingerprint = self._tally.digest(totals[1])
        self._known = True

    def check_number(self, rows: int) -> None:
        """Refuse another number than is public or was found before: the table was changed.

        Of a table that stays as it is there is none, so that this tells nothing of its records.
        """
        if self._expected is not None and rows != self._expected:
            raise DataError(
                "the number of records is not what it was when they were counted: they were "
                "changed meanwhile; publish again once nobody writes to them"
            )
