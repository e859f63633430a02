"""Fold over persons: the rows of each together, at most so many, whatever holds them.

The first pass reads the source, groups its rows (`sfumato.table.people.grouping`), counts the
persons and takes a keyed fingerprint of all their rows.  Later passes read what was grouped.  On
clusters every pass brings the rows of a person together (`sfumato.table.people.cluster_task`).
"""

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from sfumato.errors import DataError
from sfumato.schema.domain import Domain, Levels
from sfumato.table.engine import Local, Regrouping, total_bytes
from sfumato.table.file.parquet import ParquetFiles
from sfumato.table.people.cluster_task import GatherTask, ScatterTask
from sfumato.table.people.grouping import Grouping, Room
from sfumato.table.people.layout import PeopleLayout
from sfumato.table.people.packed import PackedRows
from sfumato.table.people.panel import Panel, PeopleStatistic
from sfumato.table.people.person_id import check_ids
from sfumato.table.people.shelf import Shelf
from sfumato.table.people.tally import PeopleTally, Tallied
from sfumato.table.source import PartOf, Source
from sfumato.table.totals import Totals, TotalsTask
from sfumato.table.workers import in_order, shared_out

__all__ = ["PanelTask", "People"]

_MOST_BYTES = 2**29  # of the totals of all threads together, unless a single one has more


class People:
    """NOT PRIVATE: the persons of a source, of one table or of two, as codes of the public grid.

    Rows without an id are left out, and of two tables those whose person is in no row of the
    table of persons.  Nothing that is said or raised depends on either.
    """

    def __init__(
        self,
        source: Source,
        domain: Domain,
        layout: PeopleLayout,
        *,
        key: bytes,
        persons: Source | None = None,  # where they have a table of their own
        expected: int | None = None,  # how many persons there are, where that is public
        progress: Callable[[int], None] | None = None,
        room: Room | None = None,
        complaints: bool = False,  # whether panels say what does not fit the schema
    ) -> None:
        if layout.linked != (persons is not None):
            raise DataError("a table of persons is needed where one is declared, and only there")
        self._grouping = Grouping(domain, layout, key, room or Room(), complaints)
        tables = [(source, ScatterTask(self._grouping.row_packer, of_rows=True))]
        if persons is not None and self._grouping.person_packer is not None:
            tables.insert(0, (persons, ScatterTask(self._grouping.person_packer, of_rows=False)))
        for table, task in tables:
            check_ids(table, task.packer.ids)
        self._tables = [(_readable(table, domain), task) for table, task in tables]
        self._cluster = _cluster_of([table for table, _ in self._tables])
        self._key, self._expected, self._progress = key, expected, progress
        self._shelf: Shelf | None = None
        self._tally: Tallied | None = None

    def fold(self, *statistics: PeopleStatistic[Any]) -> Totals:
        """The totals of statistics over all persons, kept rows alone; of nobody, their zeros."""
        if self._cluster is not None:
            return self._passed(self._cluster, statistics)
        task = PanelTask(statistics)
        each = max(total_bytes(task.zero()), 1)
        answers = shared_out(task, self._panels(), _MOST_BYTES // each)
        return task.total(answers)

    @property
    def complaints(self) -> bool:
        """Whether panels say what does not fit the schema."""
        return self._grouping.complaints

    @property
    def persons(self) -> int:
        """How many there are."""
        return self._found().persons

    def fingerprint(self) -> bytes:
        """Keyed digest of all rows of all persons, cut or kept, whatever their order."""
        return self._found().digest(self._key, self._grouping.domain, self._grouping.layout)

    def _found(self) -> Tallied:
        if self._cluster is None:
            self._panels()
        elif self._tally is None:
            self.fold()
        return self._tally or PeopleTally().zero()

    def _passed(self, cluster: Regrouping, statistics: tuple[PeopleStatistic[Any], ...]) -> Totals:
        """The totals of a pass where the records are."""
        task = GatherTask(self._grouping, statistics)
        *totals, tally = task.total(cluster.regroup(self._tables, task))
        self._learn(tally)
        return tuple(totals)

    def _panels(self) -> Iterable[Panel]:
        """Grouped in the first pass, and kept."""
        if self._shelf is not None:
            return self._shelf
        layout, domain = self._grouping.layout, self._grouping.domain
        axes = layout.person_axes(domain), layout.row_axes(domain)
        shelf, tally = Shelf(*axes, held=self._grouping.room.held), PeopleTally().zero()
        with closing(self._packed()) as packed:
            for panel, sums in self._grouping.of(packed):
                shelf.put(panel)
                tally = tally.with_more(panel.persons, sums)
        self._learn(tally)
        self._shelf = shelf
        return shelf

    def _packed(self) -> Generator[tuple[bool, PackedRows], None, None]:
        for source, task in self._tables:
            batches = Local(source, self._progress).batches(task.columns)
            with closing(in_order(task.packer, batches)) as packed:
                for rows in packed:
                    yield task.of_rows, rows

    def _learn(self, tally: Tallied) -> None:
        """What a pass found of all persons: a later one must find as many."""
        self.check_number(tally.persons)
        self._expected = tally.persons
        self._tally = self._tally or tally

    def check_number(self, persons: int) -> None:
        """Refuse, where the number of persons is public, another one than was found before."""
        if self._expected is not None and persons != self._expected:
            raise DataError(
                "the number of persons is not what it was when they were counted: the records "
                "were changed meanwhile; publish again once nobody writes to them"
            )


@dataclass(frozen=True, eq=False)
class PanelTask(TotalsTask[Panel]):
    """Statistics of persons that are at hand."""

    statistics: tuple[PeopleStatistic[Any], ...]

    @property
    def _all(self) -> tuple[PeopleStatistic[Any], ...]:
        return self.statistics

    def _totals(self, items: Iterable[Panel]) -> Totals:
        totals = list(self.zero())
        for panel in items:
            for k, each in enumerate(self.statistics):
                totals[k] = each.add(totals[k], panel)
        return tuple(totals)


def _readable(source: Source, domain: Domain) -> Source:
    """A source whose rows can be grouped, here or where they are."""
    if isinstance(source, PartOf):
        raise DataError("parts of a table are parts of its rows, and here the unit is a person")
    if callable(getattr(source, "fold", None)) and not _regroups(source):
        raise DataError(
            "a database does not group its rows by person: leave out in_database, so that they "
            "are read and grouped here"
        )
    if isinstance(source, ParquetFiles):
        return source.listing(a.name for a in domain.axes if isinstance(a, Levels))
    return source


def _regroups(source: Source) -> bool:
    return callable(getattr(source, "regroup", None))


def _cluster_of(sources: list[Source]) -> Regrouping | None:
    """The engine that has the records of all tables, if they are on one."""
    if not any(map(_regroups, sources)):
        return None
    if len({type(source) for source in sources}) > 1:
        raise DataError("both tables must be frames of the same engine: Dask, Spark, or neither")
    return sources[-1]  # type: ignore[return-value]  # what has this verb is one
