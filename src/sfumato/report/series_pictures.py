"""The picture of a released series, with the band that holds each true figure.

The figure of a tree counter at step t holds as many noises as t has binary ones (twice as many
where its memory may be seen); clipping to what is possible only brings it nearer.  Of
`reservoir-mean` the band is that of Hoeffding's inequality, as in the limits of its certificate.
What only the method itself can tell, its caller hands over.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.accuracy.discrete_sum import DiscreteSum, Part
from sfumato.accuracy.noisy import law_of
from sfumato.accuracy.spelling import at_most, spelt
from sfumato.privacy.guarantee import PureDP, exact
from sfumato.privacy.response import RandomizedResponse
from sfumato.release.certificate import Certificate
from sfumato.release.release import Release
from sfumato.report.card import Card, Group
from sfumato.report.figures import line
from sfumato.report.precision import CONFIDENCE, Line, Precision, beside

__all__ = ["Reach", "series_pictures", "series_precision"]

_MOST_POINTS = 600
_MISSED = float(1 - CONFIDENCE)
Times = NDArray[np.int64]
Values = NDArray[np.float64]
Reach = Callable[[Times], Values]  # how far the figure at each time may be off, at 95 %


def series_precision(release: Release, told: Reach | None = None) -> Precision:
    """The first, the widest and the last error of a series, or why none is stated."""
    times, values = _figures(release)
    reach = _reach(release.certificate, told)
    if not isinstance(reach, str) and len(times):
        off = reach(times)
        counts = _is_count(release)
        lines = []
        for k in sorted({0, int(off.argmax()), len(times) - 1}, key=lambda k: (-off[k], k)):
            whole = max(float(times[k]), 1.0) if counts else 1.0
            says, far = spelt(float(f"{values[k]:.4g}")), at_most(off[k])
            what, most = f"after {times[k]:,} bits", min(float(off[k]) / whole, 1.0)
            of = "of the bits so far" if counts else "of the range from 0 to 1"
            near = f"{beside(float(off[k]), float(values[k]))} of the figure"
            lines.append(Line(what, says, f"within ± {far}", most, of, near))
        return Precision(tuple(lines))
    return Precision(reason=reach if isinstance(reach, str) else "No figure was published.")


def series_pictures(release: Release, told: Reach | None = None) -> Iterator[Group]:
    """The series over the bits so far."""
    times, values = _figures(release)
    counts = _is_count(release)
    what, unit = ("ones so far", "ones") if counts else ("share of ones so far", "share")
    if not len(times):
        yield Group("The series", "No figure was published.", ())
        return
    shown = np.unique(np.linspace(0, len(times) - 1, min(len(times), _MOST_POINTS)).astype(int))
    reach = _reach(release.certificate, told)
    off = None if isinstance(reach, str) else reach(times[shown])
    ends = " to ".join(f"{spelt(float(f'{values[k]:.4g}'))} after {times[k]:,}" for k in (0, -1))
    label = f"{what.capitalize()}, {len(times):,} figures: from {ends} bits"
    if off is not None:
        label += f"; each true figure is within {at_most(off.max())} with confidence"
        label += " 95 %"
    picture = line("series", times[shown], values[shown], off, label, unit=unit)
    band = (
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
        "The series", f"The released figures over the bits that have come.{band}", (card,), left
    )


def _is_count(release: Release) -> bool:
    """Whether the figures are numbers of ones; else they are their share."""
    return release.certificate.method == "counter"


def _figures(release: Release) -> tuple[Times, Values]:
    table = release.table
    return np.asarray(table.column("time"), np.int64), np.asarray(table.column("value"), np.float64)


def _reach(certificate: Certificate, told: Reach | None) -> Reach | str:
    options = certificate.options
    if told is not None:
        return told
    if certificate.method == "reservoir-mean":
        return _responses(certificate)
    if options["smooth"] == "monotone":
        return "Counts that never fall are the largest so far: their error has no simple law."
    if options["engine"] == "tree":
        return _tree(certificate)
    return "Its figures are weighted sums of many noises: sfumato report states their law."


def _tree(certificate: Certificate) -> Reach:
    event, options = certificate.events[0], certificate.options
    kind, size = law_of(event)
    # Each announced look may have added a draw to every sum: the recipient is not told which.
    draws = 1 + int(options.get("intrusions", options["pan"]))

    def reach(times: Times) -> Values:
        ones = np.bitwise_count(-(-times // int(options["every"]))).astype(np.int64)
        laws = {
            int(n): DiscreteSum.of([Part(kind, size, int(n) * draws)], Fraction(1)).two_sided(
                1 - CONFIDENCE
            )
            for n in np.unique(ones)
        }
        return np.array([laws[int(n)] for n in ones])

    return reach


def _responses(certificate: Certificate) -> Reach | str:
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
    return lambda times: np.array([response.error(min(int(t), kept), _MISSED) for t in times])
