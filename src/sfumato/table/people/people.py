"""Fold over persons: the rows of each together, at most so many, whatever holds them.

The first pass reads the source, groups its rows (`sfumato.table.people.grouping`), counts the
persons and takes a keyed fingerprint of all their rows.  Later passes read what was grouped.
"""

import hmac
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.errors import DataError
from sfumato.schema.domain import Domain, Levels
from sfumato.table.engine import Local, total_bytes
from sfumato.table.file.parquet import ParquetFiles
from sfumato.table.people.grouping import Grouping, Room
from sfumato.table.people.layout import PeopleLayout
from sfumato.table.people.packed import PackedRows, Packer
from sfumato.table.people.panel import Panel, PeopleStatistic
from sfumato.table.people.person_id import check_ids
from sfumato.table.people.shelf import Shelf
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
    ) -> None:
        if layout.linked != (persons is not None):
            raise DataError("a table of persons is needed where one is declared, and only there")
        check_ids(source, layout.ids)
        if persons is not None:
            check_ids(persons, layout.key or ())
        self._rows = _plain(source, domain)
        self._of_persons = None if persons is None else _plain(persons, domain)
        self._grouping = Grouping(domain, layout, key, room or Room())
        self._key, self._expected, self._progress = key, expected, progress
        self._shelf: Shelf | None = None
        self._found = (0, np.zeros(2, np.uint64))

    def fold(self, *statistics: PeopleStatistic[Any]) -> Totals:
        """The totals of statistics over all persons, kept rows alone; of nobody, their zeros."""
        task = PanelTask(statistics)
        each = max(total_bytes(task.zero()), 1)
        answers = shared_out(task, self._panels(), _MOST_BYTES // each)
        return task.total(answers)

    @property
    def persons(self) -> int:
        """How many there are."""
        self._panels()
        return self._found[0]

    def fingerprint(self) -> bytes:
        """Keyed digest of all rows of all persons, cut or kept, whatever their order."""
        self._panels()
        persons, sums = self._found
        layout = self._grouping.layout
        axes = (*layout.person_axes(self._grouping.domain), *layout.row_axes(self._grouping.domain))
        facts = repr([layout.linked, *((axis.name, axis.codes) for axis in axes)]).encode()
        content = b"persons" + persons.to_bytes(8, "big") + sums.astype("<u8").tobytes() + facts
        return hmac.digest(self._key, content, "sha256")

    def _panels(self) -> Iterable[Panel]:
        if self._shelf is not None:
            return self._shelf
        layout, domain = self._grouping.layout, self._grouping.domain
        axes = layout.person_axes(domain), layout.row_axes(domain)
        shelf = Shelf(*axes, held=self._grouping.room.held)
        number, sums = 0, np.zeros(2, np.uint64)
        for found in self._grouping.of(self._tagged()):
            shelf.put(found.panel)
            number += found.panel.persons
            sums += found.sums
        self.check_number(number)
        self._found, self._shelf, self._expected = (number, sums), shelf, number
        return shelf

    def _tagged(self) -> Iterator[tuple[bool, PackedRows]]:
        if self._of_persons is not None and self._grouping.person_packer is not None:
            for rows in self._packed(self._of_persons, self._grouping.person_packer):
                yield False, rows
        for rows in self._packed(self._rows, self._grouping.row_packer):
            yield True, rows

    def _packed(self, source: Source, packer: Packer) -> Iterator[PackedRows]:
        return in_order(packer, Local(source, self._progress).batches(packer.columns))

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


def _plain(source: Source, domain: Domain) -> Source:
    """A source whose rows can be read here."""
    if isinstance(source, PartOf):
        raise DataError("parts of a table are parts of its rows, and here the unit is a person")
    if callable(getattr(source, "fold", None)):
        raise DataError(
            f"{type(source).__name__}: persons are not grouped where such records are: give a "
            "frame, a file or a table that can be read here"
        )
    if isinstance(source, ParquetFiles):
        return source.listing(a.name for a in domain.axes if isinstance(a, Levels))
    return source
