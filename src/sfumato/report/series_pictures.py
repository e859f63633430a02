"""The picture of a released series, with the band that holds each true figure.

Of a running count the band is what `sfumato.accuracy` says of its noise; clipping to what is
possible only brings a count nearer.  Of `reservoir-mean` it is that of Hoeffding's inequality, as
in the limits of its certificate.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.accuracy.published import published
from sfumato.accuracy.series import Series
from sfumato.accuracy.spelling import at_most, spelt
from sfumato.errors import Refused
from sfumato.privacy.guarantee import PureDP, exact
from sfumato.privacy.response import RandomizedResponse
from sfumato.release.release import Release
from sfumato.report.card import Card, Group
from sfumato.report.figures import line
from sfumato.report.precision import CONFIDENCE, Line, Precision, answered, beside

__all__ = ["series_pictures", "series_precision"]

_MOST_POINTS = 600
_MISSED = float(1 - CONFIDENCE)
Times = NDArray[np.int64]
Values = NDArray[np.float64]


class _Band(NamedTuple):
    """How far the figure in each row may be off, at 95 %, and the row where that is most."""

    reach: Callable[[Times], Values]
    widest: int


def series_precision(release: Release) -> Precision:
    """The first, the widest and the last error of a series, or why none is stated."""
    times, values = _figures(release)
    band, asked = _band(release), answered(release)
    if isinstance(band, str):
        return Precision(reason=band, answered=asked)
    rows = np.unique([0, band.widest, len(times) - 1])
    far = dict(zip(rows.tolist(), band.reach(rows).tolist(), strict=True))
    counts, lines = _is_count(release), []
    for k in sorted(far, key=lambda k: (-far[k], k)):
        whole = max(float(times[k]), 1.0) if counts else 1.0
        says, between = spelt(float(f"{values[k]:.4g}")), f"within ± {at_most(far[k])}"
        of = "of the bits so far" if counts else "of the range from 0 to 1"
        near = f"{beside(far[k], float(values[k]))} of the figure"
        what, most = f"after {times[k]:,} bits", min(far[k] / whole, 1.0)
        lines.append(Line(what, says, between, most, of, near))
    return Precision(tuple(lines), answered=asked)


def series_pictures(release: Release) -> Iterator[Group]:
    """The series over the bits so far."""
    times, values = _figures(release)
    counts = _is_count(release)
    what, unit = ("ones so far", "ones") if counts else ("share of ones so far", "share")
    if not len(times):
        yield Group("The series", "No figure was published.", ())
        return
    shown = np.unique(np.linspace(0, len(times) - 1, min(len(times), _MOST_POINTS)).astype(int))
    band = _band(release)
    off = None if isinstance(band, str) else band.reach(shown)
    ends = " to ".join(f"{spelt(float(f'{values[k]:.4g}'))} after {times[k]:,}" for k in (0, -1))
    label = f"{what.capitalize()}, {len(times):,} figures: from {ends} bits"
    if off is not None:
        label += f"; each true figure is within {at_most(off.max())} with confidence"
        label += " 95 %"
    picture = line("series", times[shown], values[shown], off, label, unit=unit)
    held = (
        " The band holds each true figure, by itself, with confidence 95 %."
        if off is not None
        else ""
    )
    left = (
        f"{len(times):,} figures are drawn as {len(shown):,} points."
        if len(shown) < len(times)
        else ""
    )
    card = Card(what.capitalize(), picture, f"{len(times):,} figures", wide=True)
    yield Group(
        "The series", f"The released figures over the bits that have come.{held}", (card,), left
    )


def _is_count(release: Release) -> bool:
    """Whether the figures are numbers of ones; else they are their share."""
    return release.certificate.method == "counter"


def _figures(release: Release) -> tuple[Times, Values]:
    table = release.table
    return np.asarray(table.column("time"), np.int64), np.asarray(table.column("value"), np.float64)


def _band(release: Release) -> _Band | str:
    if not release.table.num_rows:
        return "No figure was published."
    if release.certificate.method == "reservoir-mean":
        return _responses(release)
    if release.certificate.options["smooth"] == "monotone":
        return "Counts that never fall are the largest so far: their error has no simple law."
    try:
        found = published(release).series
    except Refused as refusal:
        why = str(refusal)
        return f"{why[:1].upper()}{why[1:]}."
    assert found is not None  # noqa: S101  the release of a stream is a mean or counts
    return _counted(found)


def _counted(found: Series) -> _Band:
    def reach(rows: Times) -> Values:
        far: dict[int, float] = {}  # by the number of noises, which decides
        for noisy in (counts := [found.at(row) for row in rows.tolist()]):
            if noisy.noises not in far:
                far[noisy.noises] = noisy.law.two_sided(1 - CONFIDENCE)
        return np.array([far[noisy.noises] for noisy in counts])

    return _Band(reach, found.entries.noisiest)


def _responses(release: Release) -> _Band | str:
    """The fewer responses a mean is of, the farther it may be off: most at first."""
    certificate, (times, _) = release.certificate, _figures(release)
    options, cost = certificate.options, certificate.events[0].cost
    if options["single"]:
        return "A single mean from a secret sample: its error is the first limit stated above."
    assert isinstance(cost, PureDP)  # noqa: S101  what its plan promises
    response = RandomizedResponse("bits", cost)
    failure = float(1 - exact("confidence", options["confidence"], below=1))
    if "size" in options:
        kept = int(options["size"])
    else:
        kept = response.sample_size(float(exact("sigma", options["sigma"])), failure)

    def reach(rows: Times) -> Values:
        sizes = np.minimum(times[rows], kept).tolist()
        return np.array([response.error(size, _MISSED) for size in sizes])

    return _Band(reach, 0)
