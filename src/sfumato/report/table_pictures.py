"""Pictures of a released table: each column, and the pairs that hang together most."""

from collections.abc import Iterator

import numpy as np

from sfumato.accuracy.statement import spelt
from sfumato.release.release import Release
from sfumato.report.card import Card, Group
from sfumato.report.columns import Bars, Column, Span, Survey, survey
from sfumato.report.figures import bars, heat, histogram
from sfumato.report.pairs import MOST_PAIRS, Pair, strongest
from sfumato.report.precision import Precision, share_between
from sfumato.report.svg import short

__all__ = ["table_pictures"]

_LONG = 80  # characters of a name in a sentence


def table_pictures(release: Release, precision: Precision) -> Iterator[Group]:
    """Columns first, then pairs."""
    found = survey(release)
    cards = tuple(_column(column, k, precision) for k, column in enumerate(found.columns))
    rest = len(found.left_out)
    yield Group(
        "Columns",
        "Bars are the released rows. "
        + (
            "A thin line across a bar spans what the true share lies between with 95 % confidence, "
            "a line above a histogram what the true mean lies between; both follow from the noise. "
            if _known(precision)
            else "How far the noise has moved them is not known column by column. "
        ),
        cards,
        f"{rest:,} further column{'s are' if rest > 1 else ' is'} not drawn." if rest else "",
    )
    yield _pairs(found)


def _known(precision: Precision) -> bool:
    return precision.found is not None


def _column(column: Column, k: int, precision: Precision) -> Card:
    title = short(column.name, _LONG)
    note = f"{_share(column.missing / max(column.rows, 1))} missing" if column.missing else ""
    if isinstance(column.bins, Span):
        return _number(column, column.bins, k, title, note, precision.means.get(column.name))
    return _category(column, column.bins, k, title, note, precision)


def _number(
    column: Column,
    span: Span,
    k: int,
    title: str,
    note: str,
    mean: tuple[float, float] | None,
) -> Card:
    shares, (low, high) = column.shares, (span.text(end) for end in span.ends)
    fullest = int(shares.argmax())
    most = _share(column.counts[fullest] / max(column.rows, 1))
    label = (
        f"{title}: histogram of the released rows from {low} to {high}; the fullest of "
        f"{len(span)} bins, {span.bin(fullest)}, holds {most}"
    )
    if mean is not None:
        between = " and ".join(spelt(float(f"{end:.4g}")) for end in mean)
        note = ". ".join(part for part in (f"True mean between {between}", note) if part)
    picture = histogram(f"column{k}", 100 * shares, span, label, mean=mean)
    return Card(title, picture, column.kind, note)


def _category(
    column: Column, values: Bars, k: int, title: str, note: str, precision: Precision
) -> Card:
    named = len(values) - (values.together > 0)
    found, between = precision.found, list[tuple[float, float] | None]()
    if found is not None and set(values.values[:named]) <= set(found.counts.get(column.name, ())):
        between = [share_between(found, column.name, value) for value in values.values[:named]]
    told = []
    for j, value in enumerate(values.values):
        ends = between[j] if j < len(between) else None
        truth = f" (truth {_share(ends[0])} to {_share(ends[1])})" if ends else ""
        told.append(f"{short(value, _LONG)} {_share(column.shares[j])}{truth}")
    label = f"{title}: share of the released rows by value: {'; '.join(told)}"
    shown = [None if ends is None else (100 * ends[0], 100 * ends[1]) for ends in between]
    picture = bars(f"column{k}", values.values, 100 * column.shares, label, intervals=shown)
    return Card(title, picture, column.kind, note)


def _pairs(found: Survey) -> Group:
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
    cards = tuple(_pair(pair, k) for k, pair in enumerate(pairs))
    return Group("Pairs of columns", reading, cards)


def _pair(pair: Pair, k: int) -> Card:
    names = [short(column.name, _LONG) for column in (pair.up, pair.across)]
    label = (
        f"{names[0]} by {names[1]}: heat map of the released rows, strength {pair.strength:.2f}. "
        f"{_summary(pair)}"
    )
    title = f"{names[0]} by {names[1]}"
    return Card(title, heat(pair, f"pair{k}", label), f"strength {pair.strength:.2f}")


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
