"""The pictures of a page: columns, pairs of columns, networks, series."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.accuracy.spelling import spelt
from sfumato.report.columns import Bars, Column, Span
from sfumato.report.pairs import Pair
from sfumato.report.style import COLOURS, INK, QUIET
from sfumato.report.svg import canvas, inline, picture_style, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["bars", "heat", "histogram", "line", "spread"]

Interval = tuple[float, float]
_THIN = 10  # rows in a strip, whose spread says nothing
_WIDE, _LOW = 300.0, 132.0  # points
_BAR, _GAP = 16.0, 26.0  # points per bar, and for the axis under them


def histogram(
    name: str,
    heights: NDArray[np.float64],
    span: Span,
    label: str,
    *,
    mean: Interval | None = None,
    intervals: Sequence[Interval] = (),
    unit: str = "% of rows",
) -> str:
    """Bars without gaps; where the noise tells it, what true bars and mean lie between."""
    with picture_style(name):
        figure, axes = canvas(_WIDE, _LOW, left=34, bottom=24, top=16)
        axes.stairs(heights, np.array(span.edges), fill=True, color=COLOURS[0])
        top = max(float(heights.max(initial=0.0)), *(high for _, high in intervals), 0.0) or 1.0
        if intervals:
            middle = (np.array(span.edges[1:]) + np.array(span.edges[:-1])) / 2
            axes.vlines(middle, *np.transpose(intervals), color=INK, linewidth=1.2)
        axes.set(xlim=(span.edges[0], span.edges[-1]), ylim=(0, 1.05 * top))
        _y_axis(axes, unit)
        _ends(axes, span)
        if mean is not None:
            axes.plot(
                mean, [1.1 * top] * 2, color=COLOURS[1], linewidth=2, marker="|", clip_on=False
            )
        return inline(figure, label)


def bars(
    name: str,
    values: Sequence[str],
    lengths: NDArray[np.float64],
    label: str,
    *,
    intervals: Sequence[Interval | None] = (),
    unit: str = "% of rows",
) -> str:
    """One bar per value, with what the truth lies between where the noise tells it."""
    height = _BAR * len(values) + _GAP
    with picture_style(name):
        figure, axes = canvas(_WIDE, height, left=108, bottom=_GAP - 4, top=4)
        place = np.arange(len(values))
        axes.barh(place, lengths, height=0.72, color=COLOURS[0])
        reach = [0.0, *lengths]
        for k, interval in enumerate(intervals):
            if interval is not None:
                axes.plot(interval, [k, k], color=INK, linewidth=1.2, marker="|", markersize=6)
                reach.append(interval[1])
        axes.set(xlim=(0, 1.05 * max(reach) or 1.0), ylim=(len(values) - 0.5, -0.5))
        axes.set_yticks(place, [short(value) for value in values])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.grid(visible=True, axis="x")
        axes.grid(visible=False, axis="y")
        _few(axes.xaxis)
        axes.annotate(
            unit, (0, 0), xycoords="figure points", xytext=(4, 5), fontsize=8, color=QUIET
        )
        return inline(figure, label)


def heat(pair: Pair, name: str, label: str) -> str:
    """Of the rows in each bin of one column, the share in each bin of the other."""
    from matplotlib.colors import LinearSegmentedColormap

    counts = pair.counts.astype(np.float64)
    strips = counts.sum(axis=0, keepdims=True)
    shares = np.where(strips < _THIN, 0.0, counts / np.maximum(strips, 1))
    # From nothing to solid, so that it reads on white and on black.
    solid = [(*_rgb(COLOURS[5]), 0.0), (*_rgb(COLOURS[5]), 0.55), (*_rgb(COLOURS[0]), 1.0)]
    with picture_style(name):
        figure, axes = canvas(_WIDE, 190, left=108, bottom=40, top=6)
        axes.imshow(
            shares,
            cmap=LinearSegmentedColormap.from_list("solid", solid),
            vmin=0,
            vmax=float(shares.max(initial=0.0)) or 1.0,
            aspect="auto",
            origin="lower",
            interpolation="nearest",
            extent=(-0.5, counts.shape[1] - 0.5, -0.5, counts.shape[0] - 0.5),
        )
        axes.grid(visible=False)
        _named(axes, pair.across, "x")
        _named(axes, pair.up, "y")
        return inline(figure, label)


def line(
    name: str,
    times: NDArray[np.int64],
    values: NDArray[np.float64],
    reach: NDArray[np.float64] | None,
    label: str,
    *,
    unit: str,
) -> str:
    """A series, with the band that holds each true figure by itself."""
    with picture_style(name):
        figure, axes = canvas(340, 200, left=48, bottom=36, top=18)
        if reach is not None:
            axes.fill_between(
                times, values - reach, values + reach, color=COLOURS[0], alpha=0.25, linewidth=0
            )
        marked = "o" if len(times) <= 40 else None
        axes.plot(times, values, color=COLOURS[0], marker=marked, markersize=3)
        axes.set_xlabel("bits so far")
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
        _few(axes.xaxis)
        _few(axes.yaxis, 4)
        axes.annotate(
            unit, (0, 1), xycoords="axes fraction", xytext=(-40, 6), textcoords="offset points",
            fontsize=8, color=QUIET,
        )  # fmt: skip
        return inline(figure, label)


def spread(values: NDArray[np.float64], bins: int = 24) -> tuple[NDArray[np.float64], Span]:
    """Numbers as per cent in bins of equal size; whole numbers in bins of equally many of them.

    >>> heights, span = spread(np.array([1.0, 2.0, 2.0, 5.0]))
    >>> heights.tolist(), span.edges, span.ends
    ([25.0, 50.0, 0.0, 0.0, 25.0], (0.5, 1.5, 2.5, 3.5, 4.5, 5.5), (1.0, 5.0))
    """
    low, high, half = float(values.min()), float(values.max()), 0.0
    if np.array_equal(values, np.rint(values)):
        width = -(-(high - low + 1) // bins)
        bins, half = int(-(-(high - low + 1) // width)), 0.5
        low, high = low - half, low - half + bins * width
    counts, edges = np.histogram(values, bins, (low, high))
    span = Span(tuple(edges.tolist()), (1.0,) * bins, spelt, half)
    return 100 * counts / len(values), span


def _named(axes: "Axes", column: Column, which: str) -> None:
    """The values along an axis of a heat map or, of numbers, their ends."""
    bins = column.bins
    if isinstance(bins, Bars):
        places, texts = [*range(len(bins))], [*bins.values]
    else:
        places, texts = [0, len(bins) - 1], [bins.text(end) for end in bins.ends]
    if which == "y":
        axes.set_yticks(places, [short(text) for text in texts])
        return
    axes.set_xticks(places, [short(text, max(4, 34 // len(texts))) for text in texts])
    if isinstance(bins, Span):
        _inwards(axes)
    axes.set_xlabel(short(column.name, 40))


def _y_axis(axes: "Axes", unit: str) -> None:
    _few(axes.yaxis, 3)
    axes.annotate(
        unit, (0, 1), xycoords="axes fraction", xytext=(-30, 3), textcoords="offset points",
        fontsize=8, color=QUIET,
    )  # fmt: skip


def _ends(axes: "Axes", span: Span) -> None:
    """The ends and the middle of a range, in its own words."""
    low, high = span.ends
    places = [low, (low + high) / 2, high] if high > low else [low]
    axes.set_xticks(places, [span.text(place) for place in places])
    if high > low:
        _inwards(axes)


def _inwards(axes: "Axes") -> None:
    """Labels at the ends stay inside the picture."""
    labels = axes.get_xticklabels()
    labels[0].set_horizontalalignment("left")
    labels[-1].set_horizontalalignment("right")


def _few(axis: object, most: int = 4) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(most))  # type: ignore[attr-defined]
    axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.6g}"))  # type: ignore[attr-defined]


def _rgb(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
