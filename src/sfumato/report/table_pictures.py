"""Pictures of a released table: each column, and the most strongly associated pairs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sfumato.accuracy.heaps import Heap, heaps
from sfumato.accuracy.spelling import at_least, at_most
from sfumato.release.certificate import stated
from sfumato.release.release import Release
from sfumato.report.card import Card, Group
from sfumato.report.columns import MOST_COLUMNS, Bars, Column, Span, Survey, names_of, survey
from sfumato.report.drift import Beside, beside_tables
from sfumato.report.figures import bars, histogram
from sfumato.report.group_pictures import group_pictures
from sfumato.report.pair_pictures import pair_pictures
from sfumato.report.people_pictures import people_pictures
from sfumato.report.precision import Precision
from sfumato.report.svg import short
from sfumato.report.tails import tails
from sfumato.schema.domain import Domain, Grid
from sfumato.synopsis.flat_people import COUNT, FlatPeople

__all__ = ["Look", "table_pictures"]

_LONG = 80  # characters of a name in a sentence
_ROWS = "Bars are the released rows. "
_PARTS = (
    "Bars are the released rows as they were measured, each person weighing the same: one of five "
    "rows counts as a fifth of a person. So shares are of persons, or of persons' rows; of rows "
    "that all count alike they may be others. "
)
_NO_ROW = "Who has no row counts as missing in what rows hold. "
Interval = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Look:
    """The released rows, in the bins of the noisy tables and beside these."""

    precision: Precision  # what is known of these rows
    starts: Mapping[str, Sequence[int]]  # of the bins that were counted, by column
    survey: Survey
    beside: Mapping[str, tuple[Beside, ...]]

    @classmethod
    def at(cls, release: Release, precision: Precision) -> "Look":
        """Read once, for the pictures and for what is said of the rows."""
        if release.certificate.options.get("where"):  # the tables are of all records, not of these
            precision = Precision(changed=precision.changed)
        bars = _bars(release, precision)
        starts = {name: [start for start, _ in bins] for name, bins in bars.items()}
        found = survey(release, starts)
        names = {name: [some for _, some in bins] for name, bins in bars.items()}
        beside = {
            column.name: beside_tables(column, precision.found, names.get(column.name, ()))
            for column in found.columns
        }
        return cls(precision, starts, found, beside)


def table_pictures(
    release: Release, precision: Precision, look: Look | None = None
) -> Iterator[Group]:
    """Columns first, then groups where the schema has them, then pairs."""
    look = look or Look.at(release, precision)
    precision, starts, found = look.precision, look.starts, look.survey
    piled, ends = heaps(precision.found) if precision.found else (), tails(precision.found)
    notes = {
        column.name: (*_hints(column.name, piled, precision), *_one(ends, column.name))
        for column in found.columns
    }
    cards = tuple(
        _column(
            column, k, precision, look.beside[column.name], notes[column.name],
        )
        for k, column in enumerate(found.columns)
    )  # fmt: skip
    unit = _unit(release)
    if unit is not None:
        names = [column.name for column in found.columns]
        yield people_pictures(release, precision, unit, starts.get(str(unit.people.order)))
        cards = tuple(card for card, name in zip(cards, names, strict=True) if name != COUNT)
    rest = len(found.left_out)
    spans = [c.bins for c in found.columns if isinstance(c.bins, Span)]
    growing = any(span.growing for span in spans)
    uneven = any(not span.even and not span.growing for span in spans)
    yield Group(
        "Columns",
        (_ROWS if unit is None else _PARTS + _NO_ROW * unit.people.linked)
        + "Those of a column add up to 100 % with what is missing. "
        + (
            "A thin line on a bar spans what its share of the values as read lies between with "
            "95 % confidence, a line above a histogram what the mean of the values as read lies "
            "between; both follow from the noise. "
            if _known(precision)
            else "They hold the noise of every row: what is true of all of them stands above. "
            if precision.from_rows
            else "How far the noise has moved them is not known column by column. "
        )
        + ("Some bins are narrower than others of their column, and hold less for that. " * uneven)
        + ("Bins that grow with the number are drawn alike: the scale is not even." * growing),
        cards,
        f"{rest:,} further column{'s are' if rest > 1 else ' is'} not drawn." if rest else "",
    )
    yield from group_pictures(release, found, precision)
    yield pair_pictures(found, precision, people=unit is not None)


def _unit(release: Release) -> FlatPeople | None:
    """The flat columns, where a person is the unit."""
    if release.certificate.people is None:
        return None
    return FlatPeople.of(Domain.of(stated(release.certificate.public_schema)))


def _hints(column: str, piled: Sequence[Heap], precision: Precision) -> Iterator[str]:
    """Records that the fit says were changed, and heaps that may be such."""
    if changed := precision.changed(column):
        yield changed[:1].upper() + changed[1:]
    yield from (heap.says for heap in piled if heap.column == column)


def _one(said: Mapping[str, str], column: str) -> tuple[str, ...]:
    return (said[column],) if column in said else ()


def _bars(release: Release, precision: Precision) -> dict[str, list[tuple[int, tuple[str, ...]]]]:
    """The bins of numbers and dates that were counted: where each begins, and what it is called."""
    tables = precision.found.tables if precision.found else None
    if tables is None:
        return {}
    drawn = set(names_of(release.certificate)[:MOST_COLUMNS])
    grids = [axis.name for axis in tables.domain.axes if isinstance(axis, Grid)]
    return {name: tables.bars(name) for name in grids if name in drawn}


def _known(precision: Precision) -> bool:
    return precision.found is not None


def _column(
    column: Column,
    k: int,
    precision: Precision,
    beside: Sequence[Beside],
    hints: tuple[str, ...],
) -> Card:
    title = short(column.name, _LONG)
    if column.missing:
        hints = (*hints, f"{_share(column.missing / max(column.rows, 1))} missing")
    if isinstance(column.bins, Span):
        return _number(column, column.bins, k, (title, hints), precision, beside)
    return _category(column, column.bins, k, (title, hints), beside)


def _number(
    column: Column,
    span: Span,
    k: int,
    told: tuple[str, tuple[str, ...]],
    precision: Precision,
    beside: Sequence[Beside],
) -> Card:
    (title, hints), mean = told, precision.means.get(column.name)
    shares, (low, high) = column.shares, (span.text(end) for end in span.ends)
    fullest = int(shares.argmax())
    of = column.unit.removeprefix("% of ")
    label = (
        f"{title}: histogram of the released {of} from {low} to {high}; the fullest of "
        f"{len(span)} bins, {span.bin(fullest)}, holds {_share(shares[fullest])}"
    )
    ends = [one.ends for one in beside[: len(span)]]  # missing stands behind
    if ends:
        label += f" (as read {' to '.join(_share(end) for end in ends[fullest])})"
    wide = _noise(column, ends) or _mean_noise(mean, span)
    if mean is not None:
        between = f"{at_least(mean[0])} and {at_most(mean[1])}"
        # In one breath: what was changed belongs to the mean that it moved.
        first = f"Mean of the values as read between {between}"
        changed = precision.changed(column.name)
        hints = (f"{first}; {changed}", *hints[1:]) if changed else (first, *hints)
    picture = histogram(
        f"column{k}",
        100 * shares,
        span,
        label,
        mean=mean,
        intervals=[(100 * a, 100 * b) for a, b in ends],
        unit=column.unit,
    )
    return Card(title, picture, column.kind, ". ".join((*wide, *hints)))


def _noise(column: Column, ends: Sequence[Interval | None]) -> tuple[str, ...]:
    """Whether most rows are where the truth may be nothing at all."""
    known = [k for k, interval in enumerate(ends) if interval is not None]
    empty = sum(float(column.counts[k]) for k in known if (ends[k] or (0.0,))[0] <= 0)
    if not known or 2 * empty <= column.rows:
        return ()
    return (
        "This column is mostly noise at this budget: more than half of its rows are in bars "
        "that may be empty in truth",
    )


def _mean_noise(mean: Interval | None, span: Span) -> tuple[str, ...]:
    low, high = span.ends
    if mean is None or 2 * (mean[1] - mean[0]) <= high - low:
        return ()
    return ("This column is mostly noise at this budget: its mean may be anywhere in half of the "
            "range",)  # fmt: skip


def _category(
    column: Column,
    values: Bars,
    k: int,
    told: tuple[str, tuple[str, ...]],
    beside: Sequence[Beside],
) -> Card:
    title, hints = told
    between = [one.ends for one in beside[: len(values) - (values.together > 0)]]
    words = []
    for j, value in enumerate(values.values):
        ends = between[j] if j < len(between) else None
        truth = f" (as read {_share(ends[0])} to {_share(ends[1])})" if ends else ""
        words.append(f"{short(value, _LONG)} {_share(column.shares[j])}{truth}")
    of = column.unit.removeprefix("% of ")
    label = f"{title}: share of the released {of} by value: {'; '.join(words)}"
    shown = [None if ends is None else (100 * ends[0], 100 * ends[1]) for ends in between]
    picture = bars(
        f"column{k}", values.values, 100 * column.shares, label, intervals=shown, unit=column.unit
    )
    return Card(title, picture, column.kind, ". ".join((*_noise(column, between), *hints)))


def _share(share: float) -> str:
    return f"{100 * share:.3g} %"
