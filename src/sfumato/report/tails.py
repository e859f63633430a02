"""Where a histogram ends: what was left out of its tails, which noise could have made."""

from collections.abc import Iterator

import numpy as np

from sfumato.accuracy.bins import bin_names
from sfumato.accuracy.published import Published
from sfumato.accuracy.tables import Tables
from sfumato.numeric.arrays import Codes, Whole
from sfumato.release.certificate import Certificate
from sfumato.render.bins import FineCounts
from sfumato.render.mosaic import fine_counts
from sfumato.synopsis.tables import CODES, FINE

__all__ = ["tails"]

_LEAST = 1.0  # records that are worth a word


def tails(found: Published | None) -> dict[str, str]:
    """What is said of the ends of each number of a release, from its synopsis.

    >>> import sfumato as sf, pyarrow as pa
    >>> from sfumato.accuracy.published import published
    >>> schema = {"name": "t", "columns": {"paid": {"kind": "integer", "low": 0, "high": 10**6}}}
    >>> table = pa.table({"paid": [k * k % 900 for k in range(5_000)]})
    >>> release = sf.publish(table, schema=schema, epsilon="0.1", seed=1, fit=False)
    >>> tails(published(release))["paid"]
    'Below 120 the counts are drawn as a tail that falls: about 850 records, where noisy counts \
above zero add up to 938. Above 640 the counts are drawn as a tail that falls: about 1,058 \
records, where noisy counts above zero add up to 1,649'
    """
    tables = None if found is None else found.tables
    if found is None or tables is None or not tables.synopsis.states_bins or tables.unit != 1:
        return {}
    return dict(_said(tables, found.certificate))


def _said(tables: Tables, certificate: Certificate) -> Iterator[tuple[str, str]]:
    synopsis, columns = tables.synopsis, tables.synopsis.partition.columns
    noise = {event.statistic: event.deviation for event in certificate.measured}
    counted = tuple(synopsis.counted(column) for column in columns)
    whole = fine_counts(
        counted,
        synopsis.fine,
        synopsis.runs,
        noise.get(FINE, 0.0),
        synopsis.rows,
        synopsis.codes,
        noise.get(CODES, 0.0),
    )
    for position, one in whole.items():
        axis = tables.domain.axes[counted[position].axis]
        noisy = synopsis.fine[counted[position].axis]
        if one.tail is None or not one.tail.any():
            continue
        names = bin_names(axis, one.column)
        said = [
            f"{'Below' if lower else 'Above'} {names[last].split(' to ')[0 if lower else -1]} "
            f"the counts are drawn as a tail that falls: about {drawn:,.0f} records, "
            f"where noisy counts above zero add up to {seen:,}"
            for lower, last, drawn, seen in _ends(one, noisy, counted[position].place)
            if seen - drawn > _LEAST
        ]
        if said:
            yield axis.name, ". ".join(said)


def _ends(one: FineCounts, noisy: Whole, place: Codes) -> Iterator[tuple[bool, int, float, int]]:
    """For each tail: whether it is the lower one, the last bin before it, and what it holds."""
    assert one.tail is not None  # noqa: S101  or nobody asks
    body = np.flatnonzero(~one.tail[: one.column.ordered])
    if not len(body):
        return
    # Heavy codes have bins of their own, which lie in those that were counted.
    inside = place[one.column.start[: one.column.ordered]]
    for lower, bins, last in (
        (True, slice(0, body[0]), int(body[0])),
        (False, slice(body[-1] + 1, one.column.ordered), int(body[-1])),
    ):
        seen = int(np.maximum(noisy[np.unique(inside[bins])], 0).sum())
        yield lower, last, float(one.counts[bins].sum()), seen
