"""NOT PRIVATE: how far the tables of a release by person are from those of the records.

Every figure is a total variation distance, ½ Σ |p − q| over public cells: a category has one cell
per level, a number or date 20 over its range, missing one more where it is declared.  Tables of
rows count every row once, with what its person has; those of persons every person once.

From row to row.  For each column of rows, the value of one row with that of the next of the same
person.  Where no column orders them, two rows of a person stand next to each other by chance, and
either may be the first.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError
from sfumato.inspection.information import Cells, Distances
from sfumato.inspection.panel.persons import steps
from sfumato.inspection.panel.reading import Frame, people_frame, recorded, released
from sfumato.inspection.utility import AnySchema
from sfumato.table.people.panel import Panel

__all__ = ["PanelDistances", "PanelSides", "panel_distances", "shuffled"]

Shares = NDArray[np.float64]


@dataclass(frozen=True)
class PanelDistances:
    """Total variation of tables, the worst first; None where there is no such table."""

    columns: Distances | None  # of rows
    pairs: Distances | None
    crossed: Distances | None  # a column of persons with one of rows
    persons: Distances | None  # columns of persons, each person once
    rows_per_person: float
    lags: Distances | None  # a value with the next of the same person; not of the order itself
    order: float | None  # the same of the order


def panel_distances(release: Any, original: Any, schema: AnySchema) -> PanelDistances:
    """NOT PRIVATE: tables of rows, of persons, of both and from row to row, beside the records.

    A release is its table, or `{"persons": …, "events": …}`; so are records.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "person": "id", "order": "year", "columns": {
    ...     "id": {"kind": "id"}, "year": {"kind": "integer", "low": 0, "high": 3},
    ...     "sick": {"kind": "boolean"}}}
    >>> years = {"id": [1, 1, 2, 2], "year": [0, 1, 0, 1]}
    >>> lasting = pa.table(years | {"sick": [True, True, False, False]})
    >>> passing = pa.table(years | {"sick": [True, False, False, True]})
    >>> found = panel_distances(passing, lasting, schema)
    >>> found.columns.mean, found.lags.worst, found.order, found.rows_per_person
    (0.0, (('sick',), 1.0), 0.0, 0.0)
    """
    frame = people_frame(schema)
    return PanelSides.of(released(release, frame).panel, recorded(original, frame), frame).distances


@dataclass(frozen=True)
class _Side:
    panel: Panel
    persons: Cells
    rows: Cells  # constants first

    @classmethod
    def of(cls, panel: Panel, frame: Frame) -> "_Side":
        if not len(panel.rows):
            raise DataError("persons without a single row have no distribution to compare")
        both = np.hstack([panel.constants[panel.owner], panel.rows])
        return cls(
            panel,
            Cells.of_codes(panel.constants, frame.constants),
            Cells.of_codes(both, frame.both),
        )

    def lagged(self, column: int, *, ordered: bool) -> Shares:
        size, cells = self.rows.sizes[column], self.rows.cells[:, column]
        at = steps(self.panel)
        counts = np.bincount(cells[at] * size + cells[at + 1], minlength=size**2)
        shares: Shares = counts / max(len(at), 1)
        return shares if ordered else (shares + shares.reshape(size, size).T.ravel()) / 2


@dataclass(frozen=True)
class PanelSides:
    """NOT PRIVATE: both panels in public cells, the release first."""

    frame: Frame
    ours: _Side
    theirs: _Side

    @classmethod
    def of(cls, release: Panel, original: Panel, frame: Frame) -> "PanelSides":
        """Counted; rows that nothing orders are put into an order by chance, always the same."""
        if frame.order is None:
            release, original = shuffled(release), shuffled(original)
        return cls(frame, _Side.of(release, frame), _Side.of(original, frame))

    @cached_property
    def distances(self) -> PanelDistances:
        """All of them."""
        width = len(self.frame.constants.axes)
        whole = range(len(self.frame.both.axes))
        own, per_row = range(width), range(width, len(whole))
        order = None if self.frame.order is None else width + self.frame.order
        others = [(j,) for j in per_row if j != order]
        return PanelDistances(
            columns=_far(self._of_rows, ((j,) for j in whole), self.frame),
            pairs=_far(self._of_rows, combinations(whole, 2), self.frame),
            crossed=_far(self._of_rows, product(own, per_row), self.frame),
            persons=_far(self._of_persons, ((j,) for j in own), self.frame),
            rows_per_person=_apart(*self.rows_per_person),
            lags=_far(self._of_steps, others, self.frame) if self.compared else None,
            order=None if order is None or not self.compared else self._of_steps((order,)),
        )

    @property
    def compared(self) -> bool:
        """Whether both sides have a person with two rows."""
        return all(len(steps(side.panel)) for side in (self.ours, self.theirs))

    @cached_property
    def rows_per_person(self) -> tuple[Shares, Shares]:
        """Shares of persons with no row, with one, with two …; the release first."""
        counts = self.ours.panel.counts, self.theirs.panel.counts
        most = int(max(each.max() for each in counts))
        ours, theirs = (np.bincount(c, minlength=most + 1) / len(c) for c in counts)
        return ours, theirs

    def _of_rows(self, columns: tuple[int, ...]) -> float:
        return _apart(self.ours.rows.shares(columns), self.theirs.rows.shares(columns))

    def _of_persons(self, columns: tuple[int, ...]) -> float:
        return _apart(self.ours.persons.shares(columns), self.theirs.persons.shares(columns))

    def _of_steps(self, columns: tuple[int, ...]) -> float:
        ordered = self.frame.order is not None
        ours, theirs = (s.lagged(columns[0], ordered=ordered) for s in (self.ours, self.theirs))
        return _apart(ours, theirs)


def shuffled(panel: Panel) -> Panel:
    """NOT PRIVATE: the rows of each person in an order by chance."""
    chance = np.random.default_rng(0).random(len(panel.rows))
    return Panel(panel.constants, panel.start, panel.rows[np.lexsort((chance, panel.owner))])


def _apart(ours: Shares, theirs: Shares) -> float:
    return float(np.abs(ours - theirs).sum() / 2)


def _far(
    distance: Callable[[tuple[int, ...]], float], tables: Iterable[tuple[int, ...]], frame: Frame
) -> Distances | None:
    names = [axis.name for axis in frame.both.axes]
    found = {tuple(names[c] for c in columns): distance(columns) for columns in tables}
    ordered = dict(sorted(found.items(), key=lambda item: -item[1]))
    return Distances(ordered) if ordered else None
