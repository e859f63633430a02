"""Pictures of the most strongly associated pairs of columns, and what is known of their tables."""

from collections.abc import Sequence
from math import ceil

import numpy as np

from sfumato.report.card import Card, Group
from sfumato.report.columns import Bars, Column, Survey
from sfumato.report.figures import heat
from sfumato.report.pairs import MOST_PAIRS, Pair, strongest
from sfumato.report.precision import CONFIDENCE, Precision
from sfumato.report.quality import unmeasured
from sfumato.report.svg import short

__all__ = ["pair_pictures"]

_LONG = 80  # characters of a name in a sentence
_FIRST, _MOST_NAMED = 12, 2_000  # pairs that are not measured: at once, and folded


def pair_pictures(found: Survey, precision: Precision, *, people: bool = False) -> Group:
    """The pairs that hang together most, and which were not measured."""
    pairs = strongest(found)
    sampled = len(found.sample)
    rows = sum(column.rows for column in found.columns[:1])
    every = "" if sampled >= rows else f" {sampled:,} rows, evenly spaced, were looked at."
    if people:
        some = f" of {sampled:,} of them, evenly spaced" if sampled < rows else ""
        every = f" One row of each person{some} was looked at, so that each weighs the same."
    reading = (
        f"Up to {MOST_PAIRS} pairs of columns that hang together most in the released rows. Every "
        "upright strip shows how the rows in it are spread: the stronger the colour, the more of "
        f"them; strips of fewer than ten rows stay empty. The strength goes from 0 to 1, as a "
        f"correlation does.{every}"
    )
    if not pairs:
        reading = f"No two columns hang together by more than 0.1 on a scale from 0 to 1.{every}"
    cards = tuple(_pair(pair, k, precision) for k, pair in enumerate(pairs))
    return Group("Pairs of columns", reading, cards, *_unmeasured(precision))


def _unmeasured(precision: Precision) -> tuple[str, str]:
    """Which pairs a reader should not build on: the first of them, and all where there are more."""
    found = unmeasured(precision)
    if found is None or not found[1]:
        return "", ""
    pairs, every = found
    if not pairs:
        said = f"Every one of the {every:,} pairs of columns was measured." if every > 1 else ""
        return said, ""
    return (
        f"Not measured as pairs, {len(pairs):,} of {every:,}; what the rows show of them follows "
        f"from other tables and may be wrong: {_named(pairs, _FIRST)}.",
        f"{_named(pairs, _MOST_NAMED)}." if len(pairs) > _FIRST else "",
    )


def _named(pairs: Sequence[tuple[str, str]], most: int) -> str:
    by_first: dict[str, list[str]] = {}
    for first, second in pairs[:most]:
        by_first.setdefault(short(first, _LONG), []).append(short(second, _LONG))
    named = "; ".join(f"{first} by {', '.join(others)}" for first, others in by_first.items())
    left = len(pairs) - most
    return f"{named}{f', and {left:,} more' if left > 0 else ''}"


def _pair(pair: Pair, k: int, precision: Precision) -> Card:
    names = [short(column.name, _LONG) for column in (pair.up, pair.across)]
    label = (
        f"{names[0]} by {names[1]}: heat map of the released rows, strength {pair.strength:.2f}. "
        f"{_summary(pair)}"
    )
    title = f"{names[0]} by {names[1]}"
    changed = precision.changed_in(pair.up.name, pair.across.name)
    note = ". ".join(said for said in (_measured(pair, precision), *changed) if said)
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
    of = "records" if precision.found is None else precision.found.counted(*names)
    size = " × ".join(str(len(values)) for values in table.values)
    return (
        f"Measured in {size} cells, each within {ceil(each):,} {of} of the truth as read by "
        f"itself, all within {ceil(every):,} together (95 %)"
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
