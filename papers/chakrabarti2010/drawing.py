"""The figures, each with the text that says the same to whoever cannot see it."""

from collections.abc import Iterator
from math import log
from typing import TYPE_CHECKING

import numpy as np

from papers.chakrabarti2010 import learning, privacy
from papers.chakrabarti2010.learning import BAYES, BORDERS, LARGER, LEARNERS, ORIGINAL
from papers.chakrabarti2010.published import SETS
from papers.chakrabarti2010.settings import Settings, level_of
from papers.chakrabarti2010.views import DATA, PUBLIC
from papers.figures import COLOURS, INK, Drawing, legend_above, level, look, subplots
from papers.outcome import Outcomes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["drawings"]


def drawings(found: Outcomes, settings: Settings) -> Iterator[Drawing]:
    """The figures that were asked for."""
    for figure in SETS:
        if figure in settings.figures:
            yield _scores(figure, found, settings)
            yield _borders(figure, found, settings)
    if "4" in settings.figures:
        yield _amplification(found, settings)
    if "5" in settings.figures:
        yield _caps(found, settings)


def _scores(figure: str, found: Outcomes, settings: Settings) -> Drawing:
    sheet = subplots(1, 2, width=9.5, height=4.4)
    words = []
    for axes, view in zip(sheet.axes, (DATA, PUBLIC), strict=True):
        ends = _panel(axes, figure, learning.accuracy(BAYES, view), found, settings)
        axes.set_title(f"Directions and ranges {view}")
        words.append(f"ranges {view}: {ends}")
    _same_height(sheet.axes)
    sheet.axes[0].set_ylabel("accuracy on real records (%)")
    legend_above(sheet, sheet.axes[0])
    return Drawing(
        f"figure-{figure}",
        f"Accuracy on {SETS[figure]}",
        "Two panels of accuracy against the noise level b, with error bars of one standard "
        "deviation over repetitions; dashed lines mark learning from the original records and "
        f"always guessing the larger class. From the lowest b to the highest, {'; '.join(words)}.",
        sheet,
    )


def _borders(figure: str, found: Outcomes, settings: Settings) -> Drawing:
    sheet = subplots(1, 3, width=12, height=4.2)
    words = []
    for axes, border in zip(sheet.axes, BORDERS, strict=True):
        ends = _panel(axes, figure, learning.accuracy(border, DATA), found, settings)
        axes.set_title(border[0].upper() + border[1:])
        words.append(f"{border}: {ends}")
    _same_height(sheet.axes)
    sheet.axes[0].set_ylabel("accuracy on real records (%)")
    legend_above(sheet, sheet.axes[0])
    return Drawing(
        f"figure-{figure}-borders",
        f"The same on {SETS[figure]}, by where the border between the classes lies",
        "Three panels as before, one per border, directions and ranges from the data. From the "
        f"lowest b to the highest, {'; '.join(words)}.",
        sheet,
    )


def _panel(axes: "Axes", figure: str, measure: str, found: Outcomes, settings: Settings) -> str:
    """The four learners and their frame; gives their first and last accuracies in words."""
    epsilons = sorted(settings.epsilons, reverse=True)
    b = np.array([level_of(epsilon) for epsilon in epsilons])
    hair, ends = 0.012 * float(np.ptp(b)), []
    for k, learner in enumerate(LEARNERS):
        cells = 100 * np.array([found.summary(figure, learner, e, measure) for e in epsilons])
        places = b + hair * (k - (len(LEARNERS) - 1) / 2)
        bars = np.nan_to_num(cells[:, 1])
        axes.errorbar(places, cells[:, 0], bars, capsize=2.5, **look(k), label=learner)
        ends.append(f"{learner} {cells[0, 0]:.1f} to {cells[-1, 0]:.1f} %")
    lines = ((100 * found.summary(figure, n, None, measure)[0], n) for n in (ORIGINAL, LARGER))
    (low, below), (high, above) = sorted(lines)
    # A line break above or below keeps the two names apart where their lines all but meet.
    level(axes, low, f"\n{below}")
    level(axes, high, f"{above}\n")
    _level_axis(axes, settings)
    return ", ".join(ends)


def _amplification(found: Outcomes, settings: Settings) -> Drawing:
    sheet = subplots(width=9.5, height=4.4)
    (axes,) = sheet.axes
    epsilons = sorted(settings.epsilons, reverse=True)
    words = []
    for k, reading in enumerate(privacy.READINGS):
        values = [found.summary("4", reading, e, privacy.LOG_GAMMA)[0] / log(10) for e in epsilons]
        places = [level_of(e) for e in epsilons]
        axes.errorbar(places, values, **look(k), label=reading)
        words.append(f"{reading} from {values[0]:.1f} to {values[-1]:.1f}")
    axes.set_ylabel("amplification γ, power of ten")
    axes.set_ylim(bottom=0)
    _level_axis(axes, settings)
    sheet.legend(loc="outside right center")
    return Drawing(
        "figure-4",
        "Amplification, of one attribute and of whole records",
        "Falling curves of the amplification against b, as powers of ten: "
        + "; ".join(words)
        + ". The paper shows the first for both data sets.",
        sheet,
    )


def _caps(found: Outcomes, settings: Settings) -> Drawing:
    sheet = subplots(width=9.5, height=4.4)
    (axes,) = sheet.axes
    epsilons = sorted(settings.epsilons, reverse=True)
    places = [level_of(e) for e in epsilons]
    words = []
    for k, reading in enumerate(privacy.READINGS):
        caps = [found.summary("5", reading, e, privacy.CAP)[0] for e in epsilons]
        axes.errorbar(places, caps, **look(k), label=reading)
        words.append(f"{reading} from {caps[0]:.3f} to {caps[-1]:.3f}")
        seen = [found.summary("5", reading, e, privacy.TRUTH)[0] for e in epsilons]
        if np.isfinite(seen).all():
            axes.plot(places, seen, linestyle="", marker="x", markersize=8, color=COLOURS[k])
            words[-1] += f" (median of draws {seen[0]:.3f} to {seen[-1]:.3f})"
    axes.set(ylabel="chance of a property of prior 0.001", ylim=(-0.03, 1.05))
    _level_axis(axes, settings)
    axes.plot([], [], linestyle="", marker="x", markersize=8, color=INK, label="median of draws")
    sheet.legend(loc="outside right center")
    return Drawing(
        "figure-5",
        "What can be believed afterwards of a property of chance 0.001",
        "Largest chance against b, with crosses for the median over draws of a record that has "
        "the property: " + "; ".join(words) + ". The paper shows the first.",
        sheet,
    )


def _same_height(panels: "list[Axes]") -> None:
    low = min(axes.get_ylim()[0] for axes in panels)
    high = max(axes.get_ylim()[1] for axes in panels)
    for axes in panels:
        axes.set_ylim(low, high)


def _level_axis(axes: "Axes", settings: Settings) -> None:
    levels = sorted(level_of(epsilon) for epsilon in settings.epsilons)
    axes.set_xlabel("noise level b")
    axes.set_xticks(levels, [f"{b:g}" for b in levels])
