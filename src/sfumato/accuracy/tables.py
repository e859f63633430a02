"""The noisy one- and two-way tables of a `mosaic` release, each count with the law of its noise.

What may be combined.  Coarse bins were formed after the noise of fine tables was seen, and pairs
may have been chosen after that of the tables by class.  A count is put together only from tables
whose noise had no say in which these are, so its law is the one that was added (`docs/proofs/
accuracy.md`): fine bins from fine tables and runs; anything in coarse bins from the tables by
class and, if all pairs were measured, from those of pairs; a pair from its own table.  Counts of
heavy codes are in none: they were kept because they are large.

Of tables that add up to the same count the mean is taken, weighted by 1 / variance in whole
numbers from 0 to 16: the exact law of such a mean is known.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.accuracy.bins import bin_names, levels, merged_names
from sfumato.accuracy.noisy import Blocks, Noisy, combined, noise_of, often
from sfumato.accuracy.number_sum import BinnedMean
from sfumato.accuracy.two_way import TwoWay
from sfumato.errors import ParameterError
from sfumato.release.certificate import Certificate, stated
from sfumato.schema import Date
from sfumato.schema.domain import Axis, Domain, Grid, Levels
from sfumato.synopsis.bins import Fine, Partition
from sfumato.synopsis.tables import FINE, ONE_WAY, RUN, TWO_WAY, Layout, MosaicSynopsis

__all__ = ["Tables", "places"]

_NOTHING, _ONE = Fraction(0), Fraction(1)
_HEAVIEST = 16  # weight of a table among those that say the same
_MOST_BARS = 24
_FEW_BARS = 12
_MARKS = 100  # of the middles of bins on finer grids
_MOST_POINTS = 400  # of a grid, up to which marks of bins are exact: fine ones cost time
_MOST_LISTED = 12
Places = NDArray[np.int64]
Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Tables:
    """All noisy counts of a release, and where those of each table stand among them."""

    domain: Domain
    synopsis: MosaicSynopsis
    entries: Blocks
    fine: Mapping[int, Places]  # by axis
    runs: Mapping[int, Places]  # by axis
    one: Places | None  # by class and cell; persons are in no classes
    pairs: Mapping[Pair, Places]  # by class and two cells
    unit: Fraction = _ONE  # what an entry counts: a record, or such a part of a person
    lost: Fraction = _NOTHING  # what a person may be short of one, at most
    only: Collection[str] | None = None  # columns whose counts and means are put together

    @classmethod
    def of(
        cls,
        certificate: Certificate,
        record: Mapping[str, Any],
        only: Collection[str] | None = None,
    ) -> "Tables":
        """What a certificate and its synopsis hold, of all columns or of some."""
        domain = Domain.of(stated(certificate.public_schema))
        found = MosaicSynopsis.from_json(record, Layout.of(domain))
        if found.one is None:
            raise ValueError("every release has tables by class")
        blocks: dict[str, list[Places]] = {
            FINE: [*found.fine.values(), *found.runs.values()],
            ONE_WAY: [found.one],
            TWO_WAY: [*found.pairs.values()],
        }
        there = {name: tables for name, tables in blocks.items() if tables}
        kinds, sizes = zip(*(noise_of(certificate, name) for name in there), strict=True)
        flat = [table.ravel() for tables in there.values() for table in tables]
        ends = np.cumsum([sum(t.size for t in tables) for tables in there.values()])
        blocks_of = tuple(ends[:-1].tolist()), sizes
        entries = Blocks(
            np.concatenate(flat), kinds[0], max(sizes), *blocks_of, often=often(certificate)
        )
        place = places([table for tables in there.values() for table in tables])
        fine = {axis: next(place) for axis in found.fine}
        runs = {axis: next(place) for axis in found.runs}
        one = next(place)
        pairs = dict(zip(found.pairs, place))  # noqa: B905  as many as are left
        return cls(domain, found, entries, fine, runs, one, pairs, only=only)

    @cached_property
    def total(self) -> Noisy:
        """The number of records: public, or what all tables by class and pair say of it."""
        if self._rows is not None:
            return self.entries.known(self._rows, self.unit)
        return self._mean(self._sums(slice(None)))

    @cached_property
    def counts(self) -> dict[str, Mapping[str, Noisy]]:
        """By column and value; of a number or date by fine bin."""
        positions = {axis: k for k, axis in enumerate(self._axes)}
        found: dict[str, Mapping[str, Noisy]] = {}
        for index, axis in enumerate(self.domain.axes):
            if self.only is not None and axis.name not in self.only:
                continue
            if index == self._label:
                found[axis.name] = dict(
                    zip(levels(_category(axis)), self.margin(axis.name), strict=True)
                )
                continue
            column = self._partition.columns[positions[index]]
            if index in self.fine:
                cells = list(self._finely(index))
            elif column.bins == column.fine.bins:
                cells = self.margin(axis.name)
            else:
                raise ValueError("bins that were merged have a fine table")
            fine = self.synopsis.counted(column)
            found[axis.name] = dict(zip(bin_names(axis, fine), cells, strict=True))
        return found

    def settled(self, column: str) -> bool:
        """Whether the noise of a column's counts is that of any other records as well.

        It is unless it comes from tables in bins that were found from noisy counts: of these there
        are as many as were found.
        """
        if not self.fine:  # no bins were found
            return True
        index = [axis.name for axis in self.domain.axes].index(column)
        if index in self.fine:  # of two values the other one and the total may say more
            return self._rows is not None or len(self.fine[index]) > 2
        return index != self._label and self._rows is not None and not self._every_pair

    def margin(self, column: str) -> list[Noisy]:
        """The coarse bins of a column, or the classes of the label, over all records."""
        every = slice(None)
        if self._label is not None and column == self.domain.axes[self._label].name:
            return [self._mean(self._sums(k)) for k in range(self._partition.classes)]
        position = [self.domain.axes[index].name for index in self._axes].index(column)
        bins = range(self._partition.columns[position].bins)
        return [self._mean(self._ways(position, cell, every)) for cell in bins]

    @cached_property
    def numbers(self) -> dict[str, BinnedMean]:
        """What the bins of every number say about its mean."""
        found = {}
        for axis in self.domain.axes:
            wanted = self.only is None or axis.name in self.only
            if wanted and isinstance(axis, Grid) and not isinstance(axis.column, Date):
                found[axis.name] = self._number(axis)
        return found

    def fine_bins(self, column: str) -> Fine:
        """The fine bins of a column."""
        return next(
            self.synopsis.counted(merged)
            for index, merged in zip(self._axes, self._partition.columns, strict=True)
            if self.domain.axes[index].name == column
        )

    def bars(self, column: str) -> list[tuple[int, tuple[str, ...]]]:
        """Neighbouring bins of a number or date, few enough to draw: first code, and names."""
        fine, names = self.fine_bins(column), list(self.counts[column])
        each = 1
        if fine.ordered > _MOST_BARS:
            # Whole runs, whose sums were measured apart; or fewer bins, where none were.
            each = RUN * -(-fine.ordered // (RUN * _MOST_BARS))
            if fine.ordered < _FEW_BARS * each and fine.axis not in self.runs:
                each = -(-fine.ordered // _MOST_BARS)
        starts = list(range(0, fine.ordered, each))
        if fine.ordered - starts[-1] < each / 2:  # too narrow to stand alone
            starts.pop()
        stops = [*starts[1:], fine.ordered]
        return [
            (int(fine.start[k]), tuple(names[k:stop]))
            for k, stop in zip(starts, stops, strict=True)
        ]

    def spans(self, column: str) -> bool:
        """Whether it is a number or date, whose bins follow each other."""
        return any(isinstance(axis, Grid) for axis in self.domain.axes if axis.name == column)

    def spanned(self, column: str, value: str) -> list[str]:
        """The bins of a number or date from one to another, as in "40 to 49"; else the value.

        Both must be where a bin begins and ends.
        """
        names = list(self.counts[column])
        low, _, high = value.partition(" to ")
        if value in names or not high or not self.spans(column):
            return [value]
        begins = {name.partition(" to ")[0]: k for k, name in enumerate(names)}
        ends = {name.rpartition(" to ")[2]: k for k, name in enumerate(names)}
        inside = names[begins[low] : ends[high] + 1] if low in begins and high in ends else []
        return inside or [value]

    @property
    def measured(self) -> list[tuple[str, str]]:
        """Pairs of columns of which there is a table, with the label first."""
        names = [self.domain.axes[index].name for index in self._axes]
        label = [] if self._label is None else [self.domain.axes[self._label].name]
        return [(name, own) for own in label for name in names] + [
            (names[i], names[j]) for i, j in self.pairs
        ]

    def pair(self, first: str, second: str) -> TwoWay:
        """The table of two columns, in coarse bins."""
        if (second, first) in self.measured:
            return self.pair(second, first).turned
        if (first, second) not in self.measured:
            known = [f"{a} and {b}" for a, b in self.measured]
            more = f" and {len(known) - _MOST_LISTED:,} more" if len(known) > _MOST_LISTED else ""
            listed = ", ".join(known[:_MOST_LISTED]) or "none"
            raise ParameterError(
                f"no table of {first} and {second} was measured; there are: {listed}{more}"
            )
        label = None if self._label is None else self.domain.axes[self._label]
        position = {self.domain.axes[index].name: k for k, index in enumerate(self._axes)}
        i, across = position[first], self._named(position[first])
        if label is not None and second == label.name:
            return TwoWay(
                (first, second),
                (across, tuple(levels(_category(label)))),
                (),
                lambda a, k, _: self._mean(self._ways(i, a, k)),
                self._rows,
            )
        table, j = self.pairs[i, position[second]], position[second]
        classes = () if label is None else tuple(levels(_category(label)))

        def cell(a: int, b: int, k: int | slice) -> Noisy:
            return self._sum(np.ravel(table[k, a, b]).tolist())

        return TwoWay((first, second), (across, self._named(j)), classes, cell, self._rows)

    # ---- one count ---------------------------------------------------------------------

    def _finely(self, axis: int) -> Iterator[Noisy]:
        """Each bin; where its run was measured too, it takes an equal share of what is missing."""
        bins, runs = self.fine[axis].tolist(), self.runs.get(axis)
        columns = (self.synopsis.counted(column) for column in self._partition.columns)
        ordered = next(fine.ordered for fine in columns if fine.axis == axis)
        for k, own in enumerate(bins):
            if runs is None or k >= ordered:  # missing is in no run
                yield self._sum([own])
                continue
            inside = bins[k // RUN * RUN : min(k // RUN * RUN + RUN, ordered)]
            weights = dict.fromkeys(inside, -1)
            weights |= {own: len(inside), int(runs[k // RUN]): 1}
            yield self._noisy(weights, len(inside) + 1)

    def _ways(self, position: int, cell: int, classes: int | slice) -> list[Places]:
        """Which entries add up to a coarse cell of a column, table by table."""
        assert self.one is not None  # noqa: S101  persons are in no classes, and nobody asks
        first = int(self._partition.offset[position])
        found = [np.ravel(self.one[classes, first + cell])]
        through = self._through.get(position, [])
        return [*found, *(np.ravel(table[classes, cell]) for table in through)]

    def _sums(self, classes: int | slice) -> list[Places]:
        """Which entries add up to all records of a class, table by table."""
        if self.one is None:  # the table with the least noise in its sum
            return [min(self.fine.values(), key=len)]
        columns = range(len(self._axes))
        found = [np.ravel(self.one[classes, self._partition.block(c)]) for c in columns]
        return [*found, *(np.ravel(table[classes]) for table in self._every_pair.values())]

    def _mean(self, ways: Sequence[Places]) -> Noisy:
        spread = [len(way) * self._variance(int(way[0])) for way in ways]
        least = min(spread)  # once: every pair of columns is a way to the total
        weights = [round(_HEAVIEST * least / each) for each in spread]
        together: dict[int, int] = {}
        for way, weight in zip(ways, weights, strict=True):
            together |= dict.fromkeys(way.tolist() if weight else (), weight)
        return self._noisy(together, sum(weights))

    def _variance(self, which: int) -> float:
        """Of one entry, beside that of the noisiest: so that a float can hold it at any budget."""
        return self._spread[bisect_right(self.entries.ends, which)]

    @cached_property
    def _spread(self) -> list[float]:
        sizes = [float(size / self.entries.size) for size in self.entries.block_sizes]
        return sizes if self.entries.kind == "gaussian" else [size**2 for size in sizes]

    def _noisy(self, weights: Mapping[int, int], parts: int) -> Noisy:
        size, step, whole = self.entries.size, self.unit / parts, self.unit == 1
        return Noisy(self.entries, weights, size, _NOTHING, step, _NOTHING, self._rows, whole=whole)

    def _sum(self, which: Sequence[int]) -> Noisy:
        return self.entries.total(which, self.unit, self._rows)

    def _number(self, axis: Grid) -> BinnedMean:
        fine, cells = self.fine_bins(axis.name), self.counts[axis.name]
        names = list(cells)
        first, last = fine.start[: fine.ordered], fine.stop[: fine.ordered] - 1
        if axis.points <= _MOST_POINTS:  # marks in the middle
            steps, marks = 2 * axis.points, first + last
        else:  # nearly in the middle: figures of few digits have laws that are found fast
            steps = 2 * _MARKS
            marks = np.rint((first + last) / (2 * axis.points) * steps).astype(np.int64)
        ends = np.stack([first, last]) / axis.points
        # Who is short of one person moves a mean by no more than half of that.
        slack = np.abs(ends - marks / steps).max() + float(self.lost) / 2
        weights = dict(zip(names, (2 * marks - steps).tolist(), strict=False))  # missing has none
        there = self.total - cells[names[-1]] if axis.missing else self.total
        return BinnedMean(
            axis,
            combined(cells, weights).divided(2, _NOTHING),
            there.bounded(_NOTHING, self._rows),
            steps,
            float(slack),
        )

    # ---- where things are ----------------------------------------------------------------

    @property
    def _partition(self) -> Partition:
        return self.synopsis.partition

    @property
    def _label(self) -> int | None:
        return self.synopsis.partition.label

    @property
    def _rows(self) -> Fraction | None:
        return None if self.synopsis.rows is None else Fraction(self.synopsis.rows)

    @cached_property
    def _axes(self) -> list[int]:
        return [column.fine.axis for column in self.synopsis.partition.columns]

    @property
    def _every_pair(self) -> Mapping[Pair, Places]:
        """The tables of pairs, if which these are was settled beforehand."""
        return {} if self.synopsis.chosen else self.pairs

    @cached_property
    def _through(self) -> dict[int, list[Places]]:
        """These tables by either of their columns, whose bins come after the class."""
        found: dict[int, list[Places]] = {}
        for (i, j), table in self._every_pair.items():
            found.setdefault(i, []).append(table)
            found.setdefault(j, []).append(table.swapaxes(1, 2))
        return found

    def _named(self, position: int) -> tuple[str, ...]:
        axis = self.domain.axes[self._axes[position]]
        return tuple(merged_names(axis, self.synopsis.partition.columns[position]))


def places(tables: Sequence[Places]) -> Iterator[Places]:
    """Where the entries of each table stand, one table after the other."""
    start = 0
    for table in tables:
        yield np.arange(start, start + table.size).reshape(table.shape)
        start += table.size


def _category(axis: Axis) -> Levels:
    if not isinstance(axis, Levels):
        raise ValueError("a label is a category")
    return axis
