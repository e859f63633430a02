"""Pictures of a column within each group that the schema marks: the label, or a few others."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sfumato.accuracy.group import Share, groups_of, shares_within
from sfumato.errors import Refused
from sfumato.release.certificate import stated
from sfumato.release.release import Release
from sfumato.report.card import Card, Group
from sfumato.report.columns import Bars, Column, Survey
from sfumato.report.figures import bars
from sfumato.report.precision import CONFIDENCE, Precision
from sfumato.report.svg import short

__all__ = ["group_pictures"]

_MOST_CARDS = 6  # for each group
_MOST_BARS = 24
_LONG = 60
Shares = NDArray[np.float64]


def group_pictures(release: Release, found: Survey, precision: Precision) -> Iterator[Group]:
    """One section, where the schema has a column with `role: group`."""
    names = [] if release.certificate.columns is not None else groups_of(release.certificate)
    if not names:
        return
    columns = {column.name: k for k, column in enumerate(found.columns)}
    label = stated(release.certificate.public_schema).label
    drawable = [column.name for column in found.columns if isinstance(column.bins, Bars)]
    cards: list[Card] = []
    missing: list[str] = []
    told = False
    for group in names:
        called, own = short(group, _LONG), columns.get(group)
        if own is None or not isinstance(found.columns[own].bins, Bars):
            missing.append(f"{called} (no category, or one column too many)")
            continue
        others = [label] if label is not None else [name for name in drawable if name != group]
        if not others:
            missing.append(f"{called} (no category beside it)")
        if len(others) > _MOST_CARDS:
            missing.append(f"{len(others) - _MOST_CARDS:,} further columns by {called}")
        for other in others[:_MOST_CARDS]:
            what, at = f"{short(other, _LONG)} by {called}", columns.get(other)
            if at is None:
                missing.append(f"{what} (one column too many)")
            elif len(found.columns[own].bins) * len(found.columns[at].bins) > _MOST_BARS:
                missing.append(f"{what} (more than {_MOST_BARS} bars)")
            else:
                card, bounded = _card(found, own, at, precision, f"group{len(cards)}")
                cards.append(card)
                told = told or bounded
    lines = " A thin line spans what the share, of values as read, lies between, confidence 95 %."
    undrawn = f"Not drawn: {'; '.join(missing)}. "
    more = ""
    if (release.synopsis or {}).get("kind") in ("tables", "panel"):
        more = "sfumato accuracy --by-group tells of every group what the noise allows."
    yield Group(
        "By group",
        f"What part of each group the released rows give each value.{lines if told else ''}",
        tuple(cards),
        f"{undrawn}{more}" if missing else "",
    )


def _card(
    found: Survey, own: int, other: int, precision: Precision, name: str
) -> tuple[Card, bool]:
    """The picture of two columns, and whether it shows what a true share lies between."""
    group, column = found.columns[own], found.columns[other]
    assert isinstance(group.bins, Bars)  # noqa: S101  others are not drawn
    assert isinstance(column.bins, Bars)  # noqa: S101
    shares = _rows(found, own, other)
    known = {(s.group, s.value): s.between for s in _true(group, column, precision)}
    names, lengths, intervals, told = [], [], [], []
    for i, part in enumerate(group.bins.values):
        for j, value in enumerate(column.bins.values):
            between = known.get((part, value))
            names.append(f"{part}: {value}")
            lengths.append(100 * shares[i, j])
            intervals.append(None if between is None else (100 * between[0], 100 * between[1]))
            truth = f" (as read {between[0]:.1%} to {between[1]:.1%})" if between else ""
            told.append(f"{short(part, _LONG)}, {short(value, _LONG)} {shares[i, j]:.1%}{truth}")
    title = f"{short(column.name, _LONG)} by {short(group.name, _LONG)}"
    label = f"{title}: share of each group by value: {'; '.join(told)}"
    picture = bars(name, names, np.array(lengths), label, intervals=intervals,
                   unit="% of the group")  # fmt: skip
    note = ". ".join(precision.changed_in(group.name, column.name))
    return Card(title, picture, "of the released rows", note), any(intervals)


def _rows(found: Survey, own: int, other: int) -> Shares:
    """The share of every value within every group, in the rows that were looked at."""
    wide, high = len(found.columns[other].bins), len(found.columns[own].bins)
    first, second = found.sample[:, own], found.sample[:, other]
    both = (first < high) & (second < wide)
    joint = np.bincount(first[both] * wide + second[both], minlength=high * wide)
    table = joint.reshape(high, wide).astype(np.float64)
    return np.asarray(table / np.maximum(table.sum(axis=1, keepdims=True), 1))


def _true(group: Column, column: Column, precision: Precision) -> list[Share]:
    if precision.found is None or precision.found.tables is None:
        return []
    try:
        return shares_within(precision.found.pair(group.name, column.name), CONFIDENCE)
    except Refused:  # this pair was not measured
        return []
