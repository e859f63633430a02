"""The pictures of a page: columns, pairs of columns, networks, series."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.accuracy.spelling import spelt
from sfumato.report.columns import Bars, Column, Span
from sfumato.report.pairs import Pair
from sfumato.report.style import COLOURS, INK, MARKERS, QUIET
from sfumato.report.svg import apart, canvas, inline, picture_style, room, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["bars", "heat", "histogram", "line", "over", "spread"]

Interval = tuple[float, float]
_THIN = 10  # rows in a strip, whose spread says nothing
_WIDE, _LOW = 300.0, 138.0  # points
_BAR, _GAP = 16.0, 26.0  # points per bar, and for the axis under them
_OVER = 27.0  # points per bar with its label over it
_BESIDE, _WHOLE = 17, 52  # characters of a label that stands beside a bar, or over it
_UPRIGHT, _END = 14, 14  # characters of a label under a heat map: a value, an end of a range
_LETTER = 5.6  # points per character at most, of the labels


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
        figure, axes = canvas(_WIDE, _LOW, left=34, bottom=24, top=22)
        edges = np.array(span.edges)
        at = np.arange(len(edges), dtype=float) if span.growing else edges
        axes.stairs(heights, at, fill=True, color=COLOURS[0])
        top = max(float(heights.max(initial=0.0)), *(high for _, high in intervals), 0.0) or 1.0
        if intervals:
            axes.vlines((at[1:] + at[:-1]) / 2, *np.transpose(intervals), color=INK, linewidth=1.2)
        axes.set(xlim=(at[0], at[-1]), ylim=(0, _room([top], unit)))
        _y_axis(axes, unit)
        _ends(axes, span, at)
        if mean is not None:
            above = [1.15 * _room([top], unit)] * 2
            places = np.interp(mean, edges, at)
            axes.plot(places, above, color=COLOURS[1], linewidth=2, marker="|", clip_on=False)
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
    over = max(map(room, values), default=0) > _BESIDE
    gap = _GAP + 10 * over  # for the unit, which has no room at the left then
    height = (_OVER if over else _BAR) * len(values) + gap
    with picture_style(name):
        left = 10 if over else 108
        figure, axes = canvas(_WIDE, height, left=left, bottom=gap - 4, top=4)
        place, thick, down = np.arange(len(values)), 0.72, 0.0
        if over:  # the upper half of a strip is for words
            thick, down = 0.42, 0.24
        axes.barh(place + down, lengths, height=thick, color=COLOURS[0])
        reach = [0.0, *lengths]
        for k, interval in enumerate(intervals):
            if interval is not None:
                line = [k + down] * 2
                axes.plot(interval, line, color=INK, linewidth=1.2, marker="|", markersize=6)
                reach.append(interval[1])
        axes.set(xlim=(0, _room(reach, unit)), ylim=(len(values) - 0.5, -0.5))
        _labels(axes, place, apart(values, _WHOLE if over else _BESIDE), over=over)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.grid(visible=True, axis="x")
        axes.grid(visible=False, axis="y")
        _few(axes.xaxis)
        axes.annotate(
            unit, (0, 0), xycoords="figure points", xytext=(4, 5), fontsize=8, color=QUIET
        )
        return inline(figure, label)


def _labels(axes: "Axes", place: NDArray[np.int64], texts: Sequence[str], *, over: bool) -> None:
    """Beside the bars or, where one is long, each over its own."""
    axes.set_yticks(place, [] if over else texts)
    for k, text in enumerate(texts if over else ()):
        axes.annotate(text, (0, k - 0.22), xycoords=("axes fraction", "data"), fontsize=8,
                      color=INK, va="center")  # fmt: skip


def _room(reach: Sequence[float], unit: str) -> float:
    """Where an axis ends: a share has no place beyond 100 %."""
    most = 1.05 * max(reach) or 1.0
    return min(most, 100.0) if unit.startswith("%") else most


def heat(pair: Pair, name: str, label: str) -> str:
    """Of the rows in each bin of one column, the share in each bin of the other."""
    from matplotlib.colors import LinearSegmentedColormap

    counts = pair.counts.astype(np.float64)
    strips = counts.sum(axis=0, keepdims=True)
    shares = np.where(strips < _THIN, 0.0, counts / np.maximum(strips, 1))
    # From nothing to solid, so that it reads on white and on black.
    solid = [(*_rgb(COLOURS[5]), 0.0), (*_rgb(COLOURS[5]), 0.55), (*_rgb(COLOURS[0]), 1.0)]
    with picture_style(name):
        under = _under(pair.across)
        figure, axes = canvas(_WIDE, 150 + under, left=108, bottom=under, top=6)
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


def over(
    name: str, span: Span, lines: Mapping[str, NDArray[np.float64]], label: str, *, unit: str
) -> str:
    """Figures over the bins of a range, one line each; where a figure is missing there is a gap."""
    named = len(lines) > 1
    with picture_style(name):
        figure, axes = canvas(_WIDE, _LOW + 16 * named, left=48, bottom=24, top=22 + 16 * named)
        edges = np.array(span.edges)
        at = np.arange(len(edges), dtype=float) if span.growing else edges
        middle = (at[1:] + at[:-1]) / 2
        texts = apart(list(lines), _WHOLE // (len(lines) + 1))
        for k, (text, values) in enumerate(zip(texts, lines.values(), strict=True)):
            axes.plot(middle, values, label=text, color=COLOURS[k], marker=MARKERS[k], markersize=3)
        highest = max((float(v) for line in lines.values() for v in line if v == v), default=1.0)
        lowest = min((float(v) for line in lines.values() for v in line if v == v), default=0.0)
        axes.set(xlim=(at[0], at[-1]), ylim=(min(lowest * 1.05, 0), _room([highest], unit)))
        _y_axis(axes, unit)
        _ends(axes, span, at)
        if named:
            axes.legend(loc="lower left", bbox_to_anchor=(-0.17, 1.16), ncols=len(lines),
                        fontsize=8, columnspacing=1, handlelength=1.4, borderpad=0)  # fmt: skip
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
        places, texts = [*range(len(bins))], _values(bins, _BESIDE)
    else:
        places, texts = [0, len(bins) - 1], apart([bins.text(end) for end in bins.ends], _END)
    if which == "y":
        axes.set_yticks(places, texts, fontsize=8)
        return
    if isinstance(bins, Bars):
        axes.set_xticks(places, _across(bins), fontsize=8, rotation=0 if _fits(bins) else 90)
    else:
        axes.set_xticks([-0.5, len(bins) - 0.5], texts, fontsize=8)
        _inwards(axes)
    axes.set_xlabel(short(column.name, 34))


def _values(bins: Bars, longest: int) -> list[str]:
    """The values along an axis; what stands for several has a name of its own kind."""
    named = len(bins) - (bins.together > 0)
    return [*apart(bins.values[:named], longest), *(short(v, longest) for v in bins.values[named:])]


def _across(bins: Bars) -> list[str]:
    """The values under a heat map."""
    return _values(bins, _UPRIGHT)


def _fits(bins: Bars) -> bool:
    """Whether its values have room beside each other under a heat map."""
    longest = max(map(room, _across(bins)))
    return longest * _LETTER * len(bins) < _WIDE - 120


def _under(column: Column) -> float:
    """Points for the labels under a heat map."""
    if not isinstance(column.bins, Bars) or _fits(column.bins):
        return 40.0
    return 34.0 + _LETTER * max(map(room, _across(column.bins)))


def _y_axis(axes: "Axes", unit: str) -> None:
    _few(axes.yaxis, 3)
    axes.annotate(
        unit, (0, 1), xycoords="axes fraction", xytext=(-30, 3), textcoords="offset points",
        fontsize=8, color=QUIET,
    )  # fmt: skip


def _ends(axes: "Axes", span: Span, at: NDArray[np.float64]) -> None:
    """The ends and the middle of a range, or of its bins, in its own words."""
    low, high = span.ends
    middle = span.edges[len(span) // 2] + span.half if span.growing else (low + high) / 2
    shown = [low, middle, high] if high > low else [low]
    texts = [span.text(value) for value in shown]
    places = np.interp(shown, span.edges, at).tolist()
    if sum(map(room, texts)) * _LETTER > _WIDE - 60:  # the middle has no room
        places, texts = [places[0], places[-1]], apart([texts[0], texts[-1]], _WHOLE // 2 - 5)
    axes.set_xticks(places, texts)
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
