"""Pictures of released counts: the largest ones, and how all are spread."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from sfumato.accuracy.noisy import Entries, law_of
from sfumato.accuracy.spelling import at_most, spelt
from sfumato.release.certificate import stated
from sfumato.release.release import Release
from sfumato.report.card import Card, Group
from sfumato.report.figures import bars, histogram, spread
from sfumato.report.precision import CONFIDENCE, Line, Precision, answered, beside_counts
from sfumato.report.svg import short

__all__ = ["count_pictures", "count_precision"]

_MOST = 12
_ASK = "sfumato query ask states the interval of every answer."


def count_precision(release: Release) -> Precision:
    """How far any one count may be off."""
    facts = stated(release.certificate.counts)
    entries = _entries(release)
    if entries is None or not len(entries.values):
        why = f"Every count is put together from many noisy sums; {_ASK}"
        return Precision(reason=why, answered=answered(release))
    reach = entries.total([0], Fraction(1)).law.two_sided(1 - CONFIDENCE)
    records = facts.records or max(int(entries.values.sum()), 1)
    says = f"{facts.keys:,} counts"
    between = f"each within ± {at_most(reach)} records"
    off, counts = min(reach / records, 1.0), entries.values.tolist()
    line = Line("any one count", says, between, off, relative=beside_counts(reach, counts))
    return Precision((line,), answered=answered(release))


def count_pictures(release: Release) -> Iterator[Group]:
    """The largest counts with their intervals, and a histogram of all."""
    table, entries = release.table, _entries(release)
    name = "histogram" if entries is not None else "wavelet"
    values = np.asarray(table.column(name), np.float64)
    if not len(values):
        yield Group("Counts", "There are no keys.", ())
        return
    largest = np.argsort(-values, kind="stable")[:_MOST]
    keys = [table.column("key")[int(k)].as_py() for k in largest]
    intervals = [
        entries.total([int(k)], Fraction(1)).interval(CONFIDENCE)
        for k in (largest if entries is not None else ())
        if entries is not None
    ]
    told = "; ".join(
        f"{short(k, 80)} {spelt(v)}" for k, v in zip(keys, values[largest], strict=True)
    )
    label = f"The {len(keys)} largest released counts: {told}"
    picture = bars(
        "largest", keys, np.maximum(values[largest], 0), label, intervals=intervals, unit="records"
    )
    heights, span = spread(values)
    ends = " to ".join(span.text(end) for end in span.ends)
    every = histogram(
        "all", heights, span, f"Histogram of all released counts, {ends}", unit="% of keys"
    )
    lines = " A thin line spans what the true count, as read, lies between, with confidence 95 %."
    yield Group(
        "Counts",
        f"Released counts; below zero is noise.{lines if intervals else ''}",
        (
            Card("Largest counts", picture, f"{len(keys)} of {len(values):,} keys"),
            Card("All counts", every, f"{len(values):,} keys"),
        ),
    )


def _entries(release: Release) -> Entries | None:
    """Counts that noise was simply added to; None where only the wavelet was published."""
    if "histogram" not in release.table.column_names:
        return None
    law = law_of(release.certificate.events[0])
    return Entries(np.asarray(release.table.column("histogram"), np.int64), *law)
