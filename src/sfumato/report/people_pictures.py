"""Pictures of persons: how many rows they have, and how columns go over the order of these."""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from sfumato.accuracy.spelling import at_least, at_most, spelt
from sfumato.numeric.arrays import Vector
from sfumato.release.certificate import stated
from sfumato.release.release import Release
from sfumato.report.card import Card, Group
from sfumato.report.columns import MOST_BINS, Ruler, Span, ruler_of
from sfumato.report.figures import histogram, over
from sfumato.report.people_rows import flat_rows
from sfumato.report.precision import Precision, share_between
from sfumato.report.svg import short
from sfumato.schema import Date
from sfumato.schema.domain import Axis, Grid
from sfumato.schema.person import People
from sfumato.synopsis.flat_people import COUNT, FlatPeople
from sfumato.synopsis.panel import NEXT

__all__ = ["people_pictures"]

_MOST, _LINES = 2, 3  # columns over the order, and values of a category
_LONG = 60
_FEWEST = 10  # persons in a bin, fewer of whom say nothing


def people_pictures(
    release: Release, precision: Precision, flat: FlatPeople, starts: Sequence[int] | None
) -> Group:
    """How many rows persons have, then columns over the order; `starts` are those of its bins."""
    people, order = flat.people, None
    if flat.order is not None:
        order = ruler_of(flat.domain.axes[flat.order], starts)
    cards = () if order is None else tuple(_over_the_order(release, flat, order))
    drawn = "" if not cards else (
        f" Over {short(str(people.order), _LONG)}: the released rows at each time, each person "
        "weighing the same in all; times that fewer than ten persons make up are left out."
    )  # fmt: skip
    told = " A thin line spans what the true share, as read, lies between with 95 % confidence."
    lines = told if precision.found is not None else ""
    return Group(
        "Persons and their rows",
        f"How many rows each person has, of which at most {people.rows} were used.{lines}{drawn} "
        f"{_followed(release)}",
        (_rows_per_person(release, precision, flat), *cards),
    )


def _rows_per_person(release: Release, precision: Precision, flat: FlatPeople) -> Card:
    """Persons by the number of their rows, up to the most that was released."""
    tally = np.zeros(flat.people.rows + 1)
    for batch, weight, _ in flat_rows(release):
        tally += np.bincount(np.asarray(batch.column(COUNT)), weight, len(tally))
    first = 0 if flat.people.linked else 1  # of one table nobody has none
    last = max(int(np.flatnonzero(tally)[-1]) if tally.any() else first, first)
    each = -(-(last + 1 - first) // MOST_BINS)
    starts = np.arange(first, last + 1, each)
    stops = np.minimum(starts + each, len(tally))
    edges = (*(starts - 0.5).tolist(), float(stops[-1]) - 0.5)
    span = Span(edges, tuple(((stops - starts) / each).tolist()), spelt, 0.5)
    shares = np.add.reduceat(tally[: stops[-1]], starts) / max(float(tally.sum()), 1.0)
    between = list(_between(precision, starts.tolist(), stops.tolist()))
    most = int(shares.argmax())
    label = (
        f"Rows per person: histogram of the released persons from {first} to {last} rows; most "
        f"have {span.bin(most)}, {100 * shares[most]:.3g} %"
    )
    mean = precision.means.get(COUNT)
    note = "" if mean is None else (
        f"Mean of the numbers as read between {at_least(mean[0])} and {at_most(mean[1])}"
    )  # fmt: skip
    picture = histogram("rows", 100 * shares, span, label, intervals=between, unit="% of persons")
    return Card("Rows per person", picture, "released", note)


def _between(
    precision: Precision, starts: Sequence[int], stops: Sequence[int]
) -> Iterator[tuple[float, float]]:
    """What true shares lie between, where numbers were counted in these bins or finer ones."""
    found = precision.found
    if found is None or found.tables is None:
        return
    cells_of = [
        found.tables.spanned(COUNT, str(a) if b == a + 1 else f"{a} to {b - 1}")
        for a, b in zip(starts, stops, strict=True)
    ]
    if not set().union(*cells_of) <= set(found.counts[COUNT]):
        return
    for cells in cells_of:
        low, high = share_between(found, COUNT, cells)
        yield 100 * low, 100 * high


def _followed(release: Release) -> str:
    if any(event.statistic == NEXT for event in release.certificate.events):
        return "How the rows of a person follow each other was measured."
    return (
        "How the rows of a person follow each other was not measured: what the release shows of it "
        "follows from other tables, and may be wrong."
    )


def _chosen(release: Release, people: People) -> list[str]:
    """What is to be predicted first, then what rows hold, in their order."""
    schema = stated(release.certificate.public_schema)
    told = [name for name, c in schema.released.items() if c.role in ("label", "target")]
    names = dict.fromkeys([*told, *people.per_row])
    return [name for name in names if name != people.order][:_MOST]


def _over_the_order(release: Release, flat: FlatPeople, order: Ruler) -> Iterator[Card]:
    axes = {axis.name: axis for axis in flat.domain.axes}
    names = _chosen(release, flat.people)
    rulers = {name: ruler_of(axes[name]) for name in names}
    sums = {name: np.zeros((order.size + 1, rulers[name].size + 1)) for name in names}
    totals = {name: np.zeros(order.size + 1) for name in names}  # of numbers, where they are there
    when = str(flat.people.order)
    for batch, weight, _ in flat_rows(release):
        time = order.place(batch.column(when))
        for name in names:
            ruler, table = rulers[name], sums[name]
            cell = time * table.shape[1] + ruler.place(batch.column(name))
            table += np.bincount(cell, weight, table.size).reshape(table.shape)
            if _is_number(axes[name]):
                values = np.asarray(batch.column(name).fill_null(0).cast(pa.float64()))
                there = np.asarray(batch.column(name).is_valid())
                totals[name] += np.bincount(time, weight * values * there, len(totals[name]))
    assert isinstance(order.bins, Span)  # noqa: S101  an order is a number or a date
    for k, name in enumerate(names):
        table = sums[name][:-1, :-1]
        persons = table.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = np.where(persons[:, None] >= _FEWEST, 100 * table / persons[:, None], np.nan)
            means = np.where(persons >= _FEWEST, totals[name][:-1] / persons, np.nan)
        lines, unit = (
            ({"mean": means}, "mean") if _is_number(axes[name]) else _shown(rulers[name], shares)
        )
        yield _card(f"over{k}", name, when, order.bins, lines, unit)


def _is_number(axis: Axis) -> bool:
    return isinstance(axis, Grid) and not isinstance(axis.column, Date)


def _shown(ruler: Ruler, shares: Vector) -> tuple[dict[str, Vector], str]:
    """The values that are most frequent; of a date its bins."""
    often = np.argsort(-np.nan_to_num(shares).sum(axis=0), kind="stable")[:_LINES]
    bins = ruler.bins
    named = [bins.bin(k) if isinstance(bins, Span) else bins.values[k] for k in often.tolist()]
    return {name: shares[:, k] for name, k in zip(named, often.tolist(), strict=True)}, "% of rows"


def _card(
    ident: str, name: str, when: str, span: Span, lines: dict[str, Vector], unit: str
) -> Card:
    title = f"{short(name, _LONG)} over {short(when, _LONG)}"
    told = []
    for value, line in lines.items():
        seen = np.flatnonzero(~np.isnan(line))
        if len(seen):
            ends = (f"{_told(line[k], unit)} at {span.bin(k)}" for k in (seen[0], seen[-1]))
            told.append(f"{short(value, _LONG)} from {' to '.join(ends)}")
    label = f"{title}, by the released rows: {'; '.join(told) or 'too few of them'}"
    return Card(title, over(ident, span, lines, label, unit=unit), unit)


def _told(value: float, unit: str) -> str:
    return f"{value:.3g} %" if unit.startswith("%") else spelt(float(f"{value:.4g}"))
