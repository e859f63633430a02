"""Pictures of a released table: each column, and the most strongly associated pairs."""

from collections.abc import Iterator, Sequence
from math import ceil

import numpy as np

from sfumato.accuracy.spelling import at_least, at_most
from sfumato.release.release import Release, table_schema
from sfumato.report.card import Card, Group
from sfumato.report.columns import MOST_COLUMNS, Bars, Column, Span, Survey, survey
from sfumato.report.figures import bars, heat, histogram
from sfumato.report.group_pictures import group_pictures
from sfumato.report.pairs import MOST_PAIRS, Pair, strongest
from sfumato.report.precision import CONFIDENCE, Precision, share_between
from sfumato.report.svg import short
from sfumato.schema.domain import Grid

__all__ = ["table_pictures"]

_LONG = 80  # characters of a name in a sentence


def table_pictures(release: Release, precision: Precision) -> Iterator[Group]:
    """Columns first, then groups where the schema has them, then pairs."""
    if release.certificate.options.get("where"):  # the tables are of all records, not of these
        precision = Precision()
    bars = _bars(release, precision)
    starts = {name: [start for start, _ in bins] for name, bins in bars.items()}
    found = survey(release, starts)
    cards = tuple(
        _column(column, k, precision, [names for _, names in bars.get(column.name, ())])
        for k, column in enumerate(found.columns)
    )
    rest = len(found.left_out)
    yield Group(
        "Columns",
        "Bars are the released rows. "
        + (
            "A thin line on a bar spans what its true share lies between with 95 % confidence, "
            "a line above a histogram what the true mean lies between; both follow from the noise. "
            if _known(precision)
            else "They hold the noise of every row: what is true of all of them stands above. "
            if precision.from_rows
            else "How far the noise has moved them is not known column by column. "
        ),
        cards,
        f"{rest:,} further column{'s are' if rest > 1 else ' is'} not drawn." if rest else "",
    )
    yield from group_pictures(release, found, precision)
    yield _pairs(found, precision)


def _bars(release: Release, precision: Precision) -> dict[str, list[tuple[int, tuple[str, ...]]]]:
    """The bins of numbers and dates that were counted: where each begins, and what it is called."""
    tables = precision.found.tables if precision.found else None
    if tables is None:
        return {}
    drawn = set(table_schema(release.certificate).names[:MOST_COLUMNS])
    grids = [axis.name for axis in tables.domain.axes if isinstance(axis, Grid)]
    return {name: tables.bars(name) for name in grids if name in drawn}


def _known(precision: Precision) -> bool:
    return precision.found is not None


def _column(
    column: Column, k: int, precision: Precision, counted: Sequence[tuple[str, ...]]
) -> Card:
    title = short(column.name, _LONG)
    note = f"{_share(column.missing / max(column.rows, 1))} missing" if column.missing else ""
    if isinstance(column.bins, Span):
        return _number(column, column.bins, k, (title, note), precision, counted)
    return _category(column, column.bins, k, title, note, precision)


def _number(
    column: Column,
    span: Span,
    k: int,
    told: tuple[str, str],
    precision: Precision,
    counted: Sequence[tuple[str, ...]],
) -> Card:
    (title, note), mean = told, precision.means.get(column.name)
    shares, (low, high) = column.shares, (span.text(end) for end in span.ends)
    fullest = int(shares.argmax())
    most = _share(column.counts[fullest] / max(column.rows, 1))
    label = (
        f"{title}: histogram of the released rows from {low} to {high}; the fullest of "
        f"{len(span)} bins, {span.bin(fullest)}, holds {most}"
    )
    between_shares = []
    if precision.found is not None:
        ends = [share_between(precision.found, column.name, names) for names in counted]
        sized = zip(ends, span.width, strict=False)
        between_shares = [(100 * a / width, 100 * b / width) for (a, b), width in sized]
    if between_shares:
        fullest_ends = " to ".join(_share(end) for end in ends[fullest])
        label += f" (truth {fullest_ends})"
    if mean is not None:
        between = f"{at_least(mean[0])} and {at_most(mean[1])}"
        note = ". ".join(part for part in (f"True mean between {between}", note) if part)
    picture = histogram(
        f"column{k}", 100 * shares, span, label, mean=mean, intervals=between_shares
    )
    return Card(title, picture, column.kind, note)


def _category(
    column: Column, values: Bars, k: int, title: str, note: str, precision: Precision
) -> Card:
    named = len(values) - (values.together > 0)
    found, between = precision.found, list[tuple[float, float] | None]()
    if found is not None and set(values.values[:named]) <= set(found.counts.get(column.name, ())):
        between = [share_between(found, column.name, [value]) for value in values.values[:named]]
    told = []
    for j, value in enumerate(values.values):
        ends = between[j] if j < len(between) else None
        truth = f" (truth {_share(ends[0])} to {_share(ends[1])})" if ends else ""
        told.append(f"{short(value, _LONG)} {_share(column.shares[j])}{truth}")
    label = f"{title}: share of the released rows by value: {'; '.join(told)}"
    shown = [None if ends is None else (100 * ends[0], 100 * ends[1]) for ends in between]
    picture = bars(f"column{k}", values.values, 100 * column.shares, label, intervals=shown)
    return Card(title, picture, column.kind, note)


def _pairs(found: Survey, precision: Precision) -> Group:
    pairs = strongest(found)
    sampled = len(found.sample)
    rows = sum(column.rows for column in found.columns[:1])
    every = "" if sampled >= rows else f" {sampled:,} rows, evenly spaced, were looked at."
    reading = (
        f"Up to {MOST_PAIRS} pairs of columns that hang together most in the released rows. Every "
        "upright strip shows how the rows in it are spread: the stronger the colour, the more of "
        f"them; strips of fewer than ten rows stay empty. The strength goes from 0 to 1, as a "
        f"correlation does.{every}"
    )
    if not pairs:
        reading = f"No two columns hang together by more than 0.1 on a scale from 0 to 1.{every}"
    cards = tuple(_pair(pair, k, precision) for k, pair in enumerate(pairs))
    return Group("Pairs of columns", reading, cards)


def _pair(pair: Pair, k: int, precision: Precision) -> Card:
    names = [short(column.name, _LONG) for column in (pair.up, pair.across)]
    label = (
        f"{names[0]} by {names[1]}: heat map of the released rows, strength {pair.strength:.2f}. "
        f"{_summary(pair)}"
    )
    title = f"{names[0]} by {names[1]}"
    note = _measured(pair, precision)
    return Card(title, heat(pair, f"pair{k}", label), f"strength {pair.strength:.2f}", note)


def _measured(pair: Pair, precision: Precision) -> str:
    """How far the cells of its noisy table may be off, if there is one."""
    tables = precision.found.tables if precision.found else None
    if tables is None:
        return ""
    names = pair.up.name, pair.across.name
    if not {names, names[::-1]} & set(tables.measured):
        return "Not measured as a pair: it follows from other tables"
    table = tables.pair(*names)
    each, every = (table.reach(CONFIDENCE, all_cells=many) for many in (False, True))
    size = " × ".join(str(len(values)) for values in table.values)
    return (
        f"Measured in {size} cells, each within {ceil(each):,} records of the truth by itself, all "
        f"within {ceil(every):,} together (95 %)"
    )


def _summary(pair: Pair) -> str:
    """Where most rows are in the first and in the last strip."""
    texts = []
    for strip in (0, pair.counts.shape[1] - 1):
        most = int(np.argmax(pair.counts[:, strip]))
        texts.append(f"{_bin(pair.across, strip)}: most often {_bin(pair.up, most)}")
    return "; ".join(texts)


def _bin(column: Column, which: int) -> str:
    bins = column.bins
    return short(bins.values[which], _LONG) if isinstance(bins, Bars) else bins.bin(which)


def _share(share: float) -> str:
    return f"{100 * share:.3g} %"
