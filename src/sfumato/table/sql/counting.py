"""A table of PostgreSQL whose records stay there: the server counts, and counts are what leaves.

Each statistic is a query over the codes of records: tables of cells by GROUPING SETS, and the keyed
fingerprint in whole numbers.  All of it is what our own encoder and statistics would have found,
bit for bit.
"""

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from sfumato.errors import DataError
from sfumato.numeric.arrays import Whole
from sfumato.schema.domain import Domain
from sfumato.table.cells import Cell, CellCounts, Key
from sfumato.table.fingerprint import Tallied, Tally
from sfumato.table.sql.broken import BrokenQuery
from sfumato.table.sql.coded import KEPT, Bound, Coded, check_countable
from sfumato.table.sql.stored import StoredTable
from sfumato.table.statistic import Rows

if TYPE_CHECKING:
    from sfumato.table.fold import FoldTask
    from sfumato.table.source import Inside

__all__ = ["CountedTable", "counted_there"]

_MOST_KEYS = 30  # of one query: what GROUPING can tell apart
_MASK, _FACTOR = 2**32 - 1, 0x9E3779B97F4A7C15  # the latter of `row_digests`
_METHOD = "mosaic"
_STAY = "records are not to leave the database"


@dataclass(frozen=True, eq=False)
class CountedTable(StoredTable):
    """An engine that counts where the records are; it hands none of them out."""

    _known: list[tuple[Domain, Coded]] = field(default_factory=list, repr=False)

    def check(self, domain: Domain, method: str) -> None:
        """Refuse what cannot be counted there, before anything is charged."""
        if method != _METHOD:
            raise DataError(f"{_STAY}, and {method} needs more than counts: choose {_METHOD}")
        check_countable(domain, self)

    def batches(self, _columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Refused."""
        raise DataError(f"{_STAY}, but this reads them: leave out in_database, or do it elsewhere")

    def fold(self, _columns: Sequence[str], task: "FoldTask") -> Iterator[bytes]:
        """NOT PRIVATE: the totals of all records, as one partition."""
        try:
            coded = self._coded(task.domain)
            inside = [_counted(self, coded, each, task.inside) for each in task.statistics]
            whole = [_counted(self, coded, each, None) for each in task.whole]
        except BrokenQuery as broken:
            reason = f"the data could not be read to its end: {broken.strerror}"
        else:
            return iter([pickle.dumps((*inside, *whole), protocol=5)])
        raise DataError(reason)

    def _coded(self, domain: Domain) -> Coded:
        """Once for all passes, which see the same records."""
        for known, coded in self._known:
            if known is domain:
                return coded
        self._known.append((domain, Coded.of(domain, self)))
        return self._known[-1][1]


def counted_there(table: object) -> CountedTable:
    """The same table, of which nothing but counts leaves the database."""
    if not isinstance(table, StoredTable) or getattr(table.session, "encoding", "") != "UTF8":
        raise DataError(
            "records are counted inside the database only by PostgreSQL, in databases that are "
            "kept in UTF8: leave out in_database"
        )
    return CountedTable(table.session, table.table, table.columns)


def _counted(table: StoredTable, coded: Coded, statistic: Any, inside: "Inside | None") -> Any:
    asked = _Asked(table, coded, inside)
    if isinstance(statistic, Tally):
        return asked.tally(statistic)
    if isinstance(statistic, Rows):
        return int(asked.tables([()])[0].sum())
    if isinstance(statistic, CellCounts):
        return statistic.gathered(asked.tables(statistic.tables()))
    raise DataError(f"{_STAY}, and this method counts what a database cannot: choose mosaic")


class _Asked:
    """Queries over the codes of all records, or of those inside."""

    def __init__(self, table: StoredTable, coded: Coded, inside: "Inside | None") -> None:
        self._table, self._coded, self._inside = table, coded, inside

    def tables(self, wanted: Sequence[tuple[Key, ...]]) -> list[Whole]:
        """Counts by each of these tuples of keys, as many as fit at a time."""
        found: list[Whole] = []
        while len(found) < len(wanted):
            end, keys = len(found), dict[int, Key]()
            while end < len(wanted):
                more = keys | {id(key): key for key in wanted[end]}
                if len(more) > _MOST_KEYS and end > len(found):
                    break
                keys, end = more, end + 1
            found += self._together(wanted[len(found) : end], list(keys.values()))
        return found

    def _together(self, wanted: Sequence[tuple[Key, ...]], keys: list[Key]) -> list[Whole]:
        bound = Bound(list(self._coded.bound.texts))
        numbered = {id(key): k for k, key in enumerate(keys)}
        cells = ["0 AS nothing", *(f"{_cell(key, bound)} AS k{k}" for k, key in enumerate(keys))]
        sets = [[numbered[id(key)] for key in each] for each in wanted]
        listed = ", ".join(f"({', '.join(f'k{k}' for k in each)})" for each in sets)
        names = [f"k{k}" for k in range(len(keys))]
        which = f"GROUPING({', '.join(names)})" if names else "0"
        query = (
            f"SELECT {', '.join([*names, f'{which} AS which', 'count(*) AS n'])} "  # noqa: S608
            f"FROM (SELECT {', '.join(cells)} FROM ({self._coded.query}) AS coded"
            f"{self._where(bound)}) AS cells GROUP BY GROUPING SETS ({listed})"
        )
        rows = self._rows(query, bound, len(names) + 2)
        marks = [
            sum(1 << (len(keys) - 1 - k) for k in range(len(keys)) if k not in s) for s in sets
        ]
        return [
            rows[rows[:, -2] == mark][:, [*each, len(keys) + 1]]
            for mark, each in zip(marks, sets, strict=True)
        ]

    def tally(self, tally: Tally) -> Tallied:
        """The sums of `row_digests`: 64 bits in two halves, so that no product passes 2⁶³."""
        bound = Bound(list(self._coded.bound.texts))
        columns = [
            f"{half} AS {name}{side}"
            for side, weights in enumerate(tally.weights.tolist())
            for name, half in zip("hl", _weighed(weights, bound), strict=True)
        ]
        sides = range(len(tally.weights))
        query = f"({self._coded.query}) AS coded{self._where(bound)}"
        for _ in range(2):
            query = f"(SELECT {', '.join(columns)} FROM {query}{KEPT}) AS step"  # noqa: S608
            columns = [
                f"{half} AS {name}{side}"
                for side in sides
                for name, half in zip("hl", _mixed(f"h{side}", f"l{side}"), strict=True)
            ]
        query = f"(SELECT {', '.join(columns)} FROM {query}{KEPT}) AS mixed"  # noqa: S608
        sums = [f"sum(h{side})::text, sum(l{side} # h{side})::text" for side in sides]
        asked = f"SELECT count(*)::text, {', '.join(sums)} FROM {query}"  # noqa: S608
        (batch,) = self._table.session.batches(asked, *bound.texts)
        rows, *found = (int(column[0].as_py() or 0) for column in batch.columns)
        halves = zip(found[::2], found[1::2], strict=True)
        wrapped = [(upper * 2**32 + lower) % 2**64 for upper, lower in halves]
        return Tallied(rows, np.array(wrapped, np.uint64))

    def _where(self, bound: Bound) -> str:
        if self._inside is None:
            return ""
        mask = _looked_up(self._inside.axis, self._inside.mask.astype(np.int64), bound)
        return f" WHERE {mask} = 1"

    def _rows(self, query: str, bound: Bound, width: int) -> Whole:
        parts = [
            np.column_stack([np.asarray(c.fill_null(0)).astype(np.int64) for c in batch.columns])
            for batch in self._table.session.batches(query, *bound.texts)
        ]
        return np.concatenate([np.empty((0, width), np.int64), *parts])


def _weighed(weights: list[int], bound: Bound) -> tuple[str, str]:
    """Upper and lower half of the sum of codes by their weights."""
    upper, lower = (
        " + ".join(
            [halves[-1], *(f"coded.c{j}::int8 * {half}" for j, half in enumerate(halves[:-1]))]
        )
        for halves in (
            [bound.number(weight >> 32) for weight in weights],
            [bound.number(weight & _MASK) for weight in weights],
        )
    )
    return f"(({upper}) + (({lower}) >> 32)) & {_MASK}", f"({lower}) & {_MASK}"


def _mixed(upper: str, lower: str) -> tuple[str, str]:
    """One round: the upper half into the lower one, then times the factor."""
    low = f"({lower} # {upper})"
    product = _times(low, _FACTOR & _MASK)
    carried = f"({product} >> 32) + ((({low} >> 16) * {_FACTOR & _MASK}) >> 16)"
    others = f"{_times(low, _FACTOR >> 32)} + {_times(upper, _FACTOR & _MASK)}"
    return f"({carried} + {others}) & {_MASK}", f"{product} & {_MASK}"


def _times(half: str, factor: int) -> str:
    """A product of two halves, of which the lower 32 bits are right."""
    return f"((({half} & 65535) * {factor}) + (((({half} >> 16) * {factor}) & 65535) << 16))"


def _cell(key: Key, bound: Bound) -> str:
    if isinstance(key, Cell):
        return " + ".join(_looked_up(a, p, bound) for a, p in key.parts) or "0"
    cases = "".join(
        f" WHEN m{j} <> 0 THEN ({bound.array(places.tolist(), 'int8')})[m{j} + 1]"
        for j, places in enumerate(key.places)
    )
    return f"CASE{cases} ELSE 0 END"


def _looked_up(axis: int, places: Any, bound: Bound) -> str:
    array = bound.array(places.tolist(), "int8")
    return f"({array})[CASE WHEN c{axis} < 0 THEN {len(places)} ELSE c{axis} + 1 END]"
