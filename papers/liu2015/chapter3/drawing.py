"""Table 3.3 as curves, and accuracies of tables 3.1 and 3.2 beside the printed ones."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from papers.figures import COLOURS, INK, MARKERS, QUIET, Drawing, legend_above, subplots
from papers.liu2015.chapter3.measure import (
    ACCURACIES,
    ACCURACY,
    ORIGINAL,
    RANKS,
    SHARES,
    TABLES,
    WITH,
)
from papers.liu2015.chapter3.perturbations import LARGEST, SVD, UNIVERSAL
from papers.liu2015.chapter3.published import (
    ACCURACY_OF_THE_ORIGINAL,
    PARAMETERS,
    PRINTED,
)
from papers.outcome import Outcomes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["drawings"]

FAMILIES = {
    "rank of the SVD": (RANKS, SVD, SVD),
    "share of the largest detail": (SHARES, "wavelet", "wavelet"),
    "share of the universal threshold": (SHARES, "universal", "wavelet"),
}
ALL = (ORIGINAL, SVD, *LARGEST, *UNIVERSAL)
SHORT = ("original", "SVD", *("S", "VP", "HP") * 2)


def drawings(found: Outcomes) -> Iterator[Drawing]:
    """All figures of the chapter."""
    yield _accuracies(found)
    yield _parameters(found)


def _accuracies(found: Outcomes) -> Drawing:
    sheet = subplots(2, 1, width=10, height=7)
    words = []
    for axes, name in zip(sheet.axes, PRINTED, strict=True):
        bars = {"thesis": _printed(name)}
        for measure in ACCURACIES:
            values = [100 * found.summary(TABLES[name], who, None, measure)[0] for who in ALL]
            bars[measure.replace("accuracy", "here")] = values
        for k, (who, values) in enumerate(bars.items()):
            places = np.arange(len(ALL)) + 0.2 * (k - 1.5)
            axes.bar(places, values, 0.18, color=(QUIET, *COLOURS)[k], label=who)
            if k:
                words.append(f"{name}, {who}: " + ", ".join(f"{value:.1f}" for value in values))
        axes.set_xticks(range(len(ALL)), SHORT)
        axes.set(title=name, ylabel="accuracy (%)", ylim=(0, 105))
    for place, text in ((3, "half of the largest detail"), (6, "half of the universal threshold")):
        sheet.axes[-1].annotate(
            text, (place, -0.16), xycoords=("data", "axes fraction"), ha="center", va="top"
        )
    legend_above(sheet, sheet.axes[0])
    return Drawing(
        "tables-3.1-3.2",
        "Accuracy of the original, of SVD and of wavelets",
        "Bars of accuracy in five folds for the original, SVD, wavelets (S, VP, HP) cut at half of "
        "the largest detail and at half of the universal threshold. "
        f"{'; '.join(words)} (%).",
        sheet,
    )


def _printed(name: str) -> list[float]:
    """The thesis' accuracies stand with the threshold that gives its distances."""
    rows = [PRINTED[name][who].accuracy for who in LARGEST]
    first = [ACCURACY_OF_THE_ORIGINAL[name], PRINTED[name][SVD].accuracy]
    return [*first, *([float("nan")] * len(rows)), *rows]


def _parameters(found: Outcomes) -> Drawing:
    sheet = subplots(2, len(FAMILIES), width=11.5, height=6.6)
    words = []
    for column, (label, (places, prefix, printed)) in enumerate(FAMILIES.items()):
        top, bottom = sheet.axes[column], sheet.axes[len(FAMILIES) + column]
        who = [f"{prefix} {place:g}" for place in places]
        rows = [PARAMETERS[f"{printed} {place:g}"] for place in places]
        for k, (measure, text) in enumerate(
            (("VD", "Frobenius"), ("VD, spectral", "spectral norm"))
        ):
            values = [found.summary("table 3.3", one, None, measure)[0] for one in who]
            _curve(top, places, values, k, f"here, {text}")
            words.append(f"{label}, {text}: {values[0]:.3f} to {values[-1]:.3f}")
        for k, (suffix, text) in enumerate((("", "as it is"), (WITH, "statistics kept")), 2):
            values = [100 * found.summary("table 3.3", w + suffix, None, ACCURACY)[0] for w in who]
            _curve(bottom, places, values, k, f"here, {text}")
            words.append(f"{label}, accuracy {text}: {values[0]:.1f} to {values[-1]:.1f} %")
        for axes, place in ((top, 1), (bottom, 0)):
            theirs = [row[place] for row in rows]
            axes.plot(places, theirs, color=INK, linestyle=":", marker="*", label="thesis")
            axes.set_xticks(list(places))
        top.set_ylim(0, 0.75)
        bottom.set(xlabel=label, ylim=(65, 100))
    sheet.axes[0].set_ylabel("distance VD")
    sheet.axes[len(FAMILIES)].set_ylabel("accuracy (%)")
    for axes in sheet.axes[:: len(FAMILIES)]:
        axes.legend(loc="center left" if axes is sheet.axes[-len(FAMILIES)] else "upper right")
    return Drawing(
        "table-3.3",
        "Ranks of the SVD and shares of two thresholds on WBC",
        "Distance (above) and accuracy (below) against the rank of the SVD, the share of the "
        "largest detail and the share of the universal threshold. "
        f"{'; '.join(words)}. Stars: the thesis.",
        sheet,
    )


def _curve(axes: "Axes", places: tuple[float, ...], values: list[float], k: int, text: str) -> None:
    axes.plot(places, values, color=COLOURS[k], marker=MARKERS[k], label=text)
