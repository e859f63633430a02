"""Figures 4.10 to 4.15: shares of weights and lengths within x, ours beside the printed ones."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from papers.figures import COLOURS, INK, MARKERS, QUIET, Drawing, legend_above, subplots
from papers.liu2015.chapter4.gaussian import EXACT, SIGMAS
from papers.liu2015.chapter4.greedy import EIES, MADE_UP, READINGS, SHARES, cell
from papers.liu2015.chapter4.published import PRINTED
from papers.liu2015.chapter4.shares import LENGTHS, WEIGHTS, X, within
from papers.outcome import Outcomes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["drawings"]

KINDS = (WEIGHTS, LENGTHS)
NEAR = 0.15  # told in words
DASHED = (0, (4, 2))  # lengths, as in the thesis


def drawings(found: Outcomes, nodes: int) -> Iterator[Drawing]:
    """All figures of the chapter; `nodes` are those of the made-up network."""
    yield _noise(found)
    yield _greedy(found, nodes)


def _noise(found: Outcomes) -> Drawing:
    sheet = subplots(1, len(SIGMAS), width=11, height=4.2)
    words = []
    for axes, (figure, sigma) in zip(sheet.axes, SIGMAS.items(), strict=True):
        for k, what in enumerate(KINDS):
            exact = _curve(found, figure, EXACT + what)
            name = "exact, one weight" if what == WEIGHTS else "exact, fixed paths"
            line = "-" if what == WEIGHTS else DASHED
            axes.plot(X, exact, color=COLOURS[k], linestyle=line, label=name, zorder=2)
            middle, *reach = _runs(found, figure, what)
            axes.errorbar(
                X,
                middle,
                reach,
                color=COLOURS[k],
                marker=MARKERS[k],
                linestyle="",
                elinewidth=1.0,
                label=f"here, {what}",
                zorder=3,
            )
            near = X.index(NEAR)
            words.append(f"σ = {sigma:g}, {what} {middle[near]:.1f} (exact {exact[near]:.1f})")
        _stars(axes, figure)
        _told(axes, figure)
        axes.set(title=f"{figure}: σ = {sigma:g}", xlabel="difference x")
    _zoom(sheet.axes)
    sheet.axes[0].set_ylabel("within x of its own (%)")
    legend_above(sheet, sheet.axes[0])
    return Drawing(
        "figures-4.10-4.12",
        "Weights and shortest lengths of EIES under Gaussian noise",
        "Rising curves: the share of weights and of shortest lengths that moved by at most x of "
        "their own. Marks are means over runs with the smallest and the largest of them, lines "
        "the exact shares of one weight and of paths fixed beforehand, stars the thesis. Within "
        f"{NEAR:g}, in per cent: {'; '.join(words)}.",
        sheet,
    )


def _greedy(found: Outcomes, nodes: int) -> Drawing:
    sheet = subplots(2, len(SHARES), width=11, height=7.2)
    words, panels = [], iter(sheet.axes)
    for name in (EIES, MADE_UP):
        for figure, share in SHARES.items():
            axes = next(panels)
            for k, reading in enumerate(READINGS):
                for what in KINDS:
                    middle = _curve(found, figure, cell(name, reading, what))
                    axes.plot(
                        X,
                        middle,
                        color=COLOURS[k],
                        marker=MARKERS[k],
                        markerfacecolor=COLOURS[k] if what == WEIGHTS else "white",
                        linestyle="-" if what == WEIGHTS else DASHED,
                        label=f"{what}, {reading}",
                    )
                    at = middle[X.index(NEAR)]
                    words.append(f"{name}, {100 * share:.0f} % of {reading}, {what} {at:.1f}")
            letter = "a" if name == EIES else "b"
            axes.set(title=f"{figure}({letter}): {100 * share:.0f} % of the pairs")
            if name == EIES:
                _stars(axes, figure)
    for row in (sheet.axes[: len(SHARES)], sheet.axes[len(SHARES) :]):
        _zoom(row)
        for axes in row:
            axes.set_xlabel("difference x")
    sheet.axes[0].set_ylabel("EIES: within x of its own (%)")
    sheet.axes[len(SHARES)].set_ylabel(f"made-up, {nodes:,} nodes (%)")
    _legend(sheet)
    return Drawing(
        "figures-4.13-4.15",
        "Weights and lengths of wanted pairs after greedy changes, every wanted path kept",
        "Curves of the share of weights (edges on some wanted paths only) and of lengths of "
        "wanted pairs that moved by at most x, for three shares of pairs; above EIES, below a "
        f"made-up network of {nodes:,} nodes, stars the thesis. Within {NEAR:g}, in per cent: "
        f"{'; '.join(words)}.",
        sheet,
    )


def _zoom(row: Sequence["Axes"]) -> None:
    """One scale for a row, from where its lowest curve begins."""
    low = min(float(np.min(line.get_ydata())) for axes in row for line in axes.lines)
    for axes in row:
        axes.set_ylim(10 * (low // 10) - 2, 103)


def _legend(sheet: "Figure") -> None:
    handles, labels = sheet.axes[0].get_legend_handles_labels()
    sheet.legend(handles, labels, loc="outside upper center", ncols=3)


def _stars(axes: "Axes", figure: str) -> None:
    """What the thesis prints of this figure."""
    for what, face in ((WEIGHTS, INK), (LENGTHS, "white")):
        printed = PRINTED.get((figure, what), {})
        if printed:
            axes.plot(
                list(printed),
                [100 * share for share in printed.values()],
                color=INK,
                marker="*",
                markersize=9,
                linestyle="",
                label=f"thesis, {what}",
                markerfacecolor=face,
                zorder=4,
            )


def _told(axes: "Axes", figure: str) -> None:
    """The stars again as numbers beside the curves, where they lie on top of our own."""
    texts: dict[float, list[str]] = {}
    for what in KINDS:
        for x, share in PRINTED.get((figure, what), {}).items():
            texts.setdefault(x, []).append(f"{what} {100 * share:.1f}")
    for x, each in texts.items():
        share = max(PRINTED[figure, what].get(x, 0) for what in KINDS if (figure, what) in PRINTED)
        axes.annotate(
            "\n".join(["thesis:", *each]),
            (x, 100 * share),
            xytext=(22, -52),
            textcoords="offset points",
            fontsize=8.5,
            color=INK,
            arrowprops={"arrowstyle": "-", "color": QUIET, "linewidth": 0.8, "shrinkB": 6},
        )


def _curve(found: Outcomes, figure: str, who: str) -> list[float]:
    return [100 * found.summary(figure, who, None, within(x))[0] for x in X]


def _runs(found: Outcomes, figure: str, who: str) -> tuple[list[float], list[float], list[float]]:
    """Means over runs, and how far below and above them runs reach."""
    runs = [100 * found.values(figure, who, None, within(x)) for x in X]
    middle = [float(values.mean()) for values in runs]
    below = [m - float(values.min()) for m, values in zip(middle, runs, strict=True)]
    above = [float(values.max()) - m for m, values in zip(middle, runs, strict=True)]
    return middle, below, above
