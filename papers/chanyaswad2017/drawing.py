"""The figures, each with the text that says the same to whoever cannot see it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from papers.chanyaswad2017 import clusters, gain
from papers.chanyaswad2017.dimensions import curved
from papers.chanyaswad2017.facts import Facts
from papers.chanyaswad2017.scores import Cell, Scores, half_width
from papers.chanyaswad2017.settings import Settings
from papers.figures import (
    COLOURS,
    QUIET,
    Drawing,
    legend_above,
    level,
    look,
    subplots,
)
from papers.outcome import Outcomes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["drawings"]

_PANELS = {
    "II": ("Clustering, faces", "silhouette coefficient"),
    "III": ("Classification, forests", "accuracy on held-out records"),
    "IV": ("Regression, forests", "RMSE on held-out records"),
}


def drawings(found: Outcomes, settings: Settings, facts: Facts) -> Iterator[Drawing]:
    """The figures that were asked for."""
    if "1" in settings.figures:
        yield _dimensions(found, settings, facts)
    if "2" in settings.figures:
        yield _ratios(found, facts["II"].width)


def _dimensions(found: Outcomes, settings: Settings, facts: Facts) -> Drawing:
    figure = subplots(1, len(facts), width=4 * len(facts), height=4.4)
    told = []
    for axes, table in zip(figure.axes, facts, strict=False):
        scores, name = Scores(found, table, facts[table].width), curved(table, settings)
        title, up = _PANELS[table]
        for k, epsilon in enumerate(sorted(settings.epsilons)):
            curve = scores.curve(name or "", epsilon)
            _line(axes, curve, label=f"ε = {epsilon:g}", **look(k))
            if curve:
                told.append(f"{title} at ε = {epsilon:g}: {_ends(curve)}")
        level(axes, scores.cell(clusters.REAL, None).median, "real")
        if table == "II":
            noise = scores.curve(clusters.NOISE, None)
            dotted = {"color": QUIET, "linestyle": ":", "marker": "x", "elinewidth": 1.0}
            _line(axes, noise, label="normal noise, no records", **dotted)
            told.append(f"noise without records: {_ends(noise)}")
        _plain_ticks(axes, [cell.rank or 0 for cell in scores.curve(name or "", settings.shown)])
        axes.set(title=title, xlabel="dimensions P", ylabel=up)
    legend_above(figure, figure.axes[0])
    return Drawing(
        "figure-1",
        "Utility against dimension at several budgets",
        "A panel per task, against the number of dimensions on a logarithmic axis, one curve per ε "
        "with 95 % intervals, a dashed line for real data; of silhouette and accuracy more is "
        "better, of the error less. A dotted curve is noise that saw no "
        f"record. {'; '.join(told)}.",
        figure,
    )


def _ratios(found: Outcomes, width: int) -> Drawing:
    figure = subplots(1, 2, width=10.5, height=4.4)
    told = []
    for axes, source, title in zip(
        figure.axes, gain.SOURCES, ("As printed", "As proved here"), strict=True
    ):
        for k, algorithm in enumerate(gain.ALGORITHMS):
            ratios = found.values("2", gain.curve_of(algorithm, source), None, gain.SIR)
            places = np.arange(1, len(ratios) + 1)
            dash = ("-", (0, (6, 2)), (0, (2, 1.5)))[k]
            axes.plot(places, ratios, color=COLOURS[k], linestyle=dash, label=algorithm)
            peak = int(ratios.argmax())
            told.append(
                f"{algorithm} {title.lower()} {ratios[0]:.3g} at P = 1, highest "
                f"{ratios[peak]:.3g} at P = {peak + 1}"
            )
        level(axes, 1, "1")
        axes.set(title=title, xscale="log", yscale="log", xlabel="dimensions P")
    low = min(axes.get_ylim()[0] for axes in figure.axes)
    high = max(axes.get_ylim()[1] for axes in figure.axes)
    for axes in figure.axes:
        axes.set_ylim(low, high)
        _plain_ticks(axes, [p for p in (1, 3, 10, 30, 100, 300) if p <= width])
    figure.axes[0].set_ylabel("sensitivity gain / information loss")
    legend_above(figure, figure.axes[0])
    return Drawing(
        "figure-2",
        "Sensitivity gain over information loss, with printed and with proved sensitivities",
        "Two panels of the ratio against the dimension, both logarithmic, with a dashed line at 1, "
        f"where every curve ends at the full dimension of {width}. {'; '.join(told)}.",
        figure,
    )


def _line(axes: "Axes", curve: Sequence[Cell], **style: object) -> None:
    places = [cell.rank or 0 for cell in curve]
    bars = np.nan_to_num([half_width(cell.values) for cell in curve])
    axes.errorbar(places, [cell.mean for cell in curve], bars, capsize=2, **style)  # type: ignore[arg-type]


def _plain_ticks(axes: "Axes", places: Sequence[int]) -> None:
    """Numbers as they are spoken on a logarithmic axis, and no small ticks between them."""
    axes.set_xscale("log")
    axes.set_xticks(list(places), [str(place) for place in places])
    axes.minorticks_off()


def _ends(curve: Sequence[Cell]) -> str:
    first, last = curve[0], curve[-1]
    return f"{first.mean:.3f} with {first.rank}, {last.mean:.3f} with {last.rank}"
