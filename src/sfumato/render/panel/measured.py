"""Noisy tables of persons made ready: fine counts in persons, and the bins found from them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from sfumato.numeric.arrays import Vector, Whole
from sfumato.render.bins import FineCounts, whole_column
from sfumato.render.estimate import NoisyTables
from sfumato.render.mosaic import merged
from sfumato.render.piecewise import simplex
from sfumato.render.tails import significant
from sfumato.synopsis.bins import Fine, Merged, Partition
from sfumato.synopsis.flat_people import FlatPeople
from sfumato.synopsis.panel import PanelSynopsis
from sfumato.synopsis.tables import RUN

__all__ = ["PanelDeviations", "fine_of_panel", "in_bins", "tables_in_persons"]

_LIKELY = 1.2  # deviations of a block that goes on where others were
MOST_TIMES = 40  # bins of the order: as many as there are times, where they are so few


@dataclass(frozen=True)
class PanelDeviations:
    """Of a cell of each kind of table, in persons; 0 where there is none."""

    one: float
    pairs: float
    next: float
    other: float
    steps: float
    staying: float
    laplace: bool  # whether the noise is, or else Gaussian


def fine_of_panel(
    flat: FlatPeople,
    columns: tuple[Fine, ...],
    fine: Mapping[int, Whole],
    runs: Mapping[int, Whole],
    deviations: PanelDeviations,
    whole: int,
    persons: int | None,
) -> dict[int, FineCounts]:
    """All columns in persons, made whole.

    Times are not smoothed: surveys are held in some years and not in those between.
    """
    found = {}
    for j, table in fine.items():
        noisy: Vector = table / whole
        total = float(max(noisy.sum(), 1.0)) if persons is None else float(persons)
        in_runs = runs[j] / whole if j in runs else None
        if j == flat.order and columns[j].bins <= MOST_TIMES:
            counts = FineCounts(columns[j], simplex(noisy, total), deviations.one)
        else:
            counts = whole_column(columns[j], noisy, in_runs, RUN, deviations.one, total)
        if j == flat.count:
            first = int(not flat.people.linked and columns[j].stop[0] == 1)  # row of all
            every = np.arange(len(noisy))
            last = max(_last_seen(noisy, deviations.one, total, laplace=deviations.laplace), first)
            ends = (every >= first) & (every <= last)
            kept = np.where(ends, counts.counts + 1e-9, 0.0)
            kept *= total / max(float(kept.sum()), 1e-9)
            counts = replace(counts, counts=kept)
        found[j] = counts
    return found


def _last_seen(noisy: Vector, deviation: float, total: float, *, laplace: bool) -> int:
    """The number of rows beyond which noise is all there is.

    A public bound is often far above the rows that anybody has, and a made-up person with very
    many rows weighs as much as many others.  It is the last number that noise alone would hardly
    make (`sfumato.render.tails`) and those next to it that are likely to be there, or, where
    nothing is clear, the number up to which half of all persons seem to be, and 1 at least.

    >>> noisy = np.array([90.0, 40.0, 20.0, -9.0, 3.0, -4.0, 2.0])
    >>> _last_seen(noisy, 4.0, 150.0, laplace=False), _last_seen(noisy, 90.0, 150.0, laplace=True)
    (2, 1)
    """
    upto, clear = np.append(0.0, np.cumsum(noisy)), significant(len(noisy), laplace=laplace)
    last = int(np.flatnonzero(noisy >= clear * deviation).max(initial=-1))
    more = last >= 0
    while more:
        more = False
        for length in (1, 2, 4, 8):
            end = last + length
            block = upto[end + 1] - upto[last + 1] if end < len(noisy) else 0.0
            if block >= _LIKELY * deviation * sqrt(length) and block > 0:
                last, more = end, True
                break
    if last < 0:
        half = np.flatnonzero(upto[1:] >= total / 2)
        last = max(int(half[0]), 1) if len(half) else len(noisy) - 1
    return last


def in_bins(
    flat: FlatPeople,
    columns: tuple[Fine, ...],
    found: Mapping[int, FineCounts],
    wide: tuple[int, ...],
    most: int,
) -> Partition:
    """Wide flat columns in coarse bins; times by themselves, where they are few."""
    told = {j: found[j] for j in wide}
    if flat.people.linked:  # who has no row is in the bin of what is missing
        told |= {j: _with_missing_apart(found[j]) for j in wide if j in flat.rows}
    bins = merged(columns, told, most)
    if flat.order is not None:
        order = columns[flat.order]
        if order.bins <= MOST_TIMES:
            bins[flat.order] = Merged(order, np.arange(order.bins))
        else:
            bins[flat.order] = merged((order,), {0: found[flat.order]}, MOST_TIMES)[0]
    return Partition(tuple(bins), None, 1)


def _with_missing_apart(found: FineCounts) -> FineCounts:
    """Of a category, what is missing is a bin by itself, however rare it is."""
    if found.column.ordered:
        return found
    counts = found.counts.copy()
    counts[-1] = np.inf  # whatever the noise
    return replace(found, counts=counts)


def tables_in_persons(
    synopsis: PanelSynopsis, flat: FlatPeople, deviations: PanelDeviations
) -> NoisyTables:
    """What was measured of flat rows, in persons."""
    tables, whole = synopsis.tables, synopsis.whole
    columns = tuple(column.fine for column in tables.partition.columns)
    fine = fine_of_panel(flat, columns, tables.fine, tables.runs, deviations, whole, tables.rows)
    return NoisyTables(
        tables.partition,
        fine,
        None,
        max(deviations.one**2, 1e-9),
        {pair: table / whole for pair, table in tables.pairs.items()},
        max(deviations.pairs**2, 1e-9),
        tables.rows,
    )
