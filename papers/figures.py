"""Figures of the experiments, in the house style (`sfumato.report.style`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.report.style import COLOURS, INK, MARKERS, QUIET, style, subplots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "COLOURS",
    "INK",
    "MARKERS",
    "QUIET",
    "Drawing",
    "epsilon_axis",
    "legend_above",
    "level",
    "look",
    "save",
    "style",
    "subplots",
]


@dataclass(frozen=True)
class Drawing:
    """A figure, its file name, its title and its text alternative."""

    name: str
    title: str
    text: str
    figure: "Figure"


def save(figure: "Figure", folder: Path, name: str) -> None:
    """As PNG for reading and as SVG for printing."""
    figure.savefig(folder / f"{name}.png", metadata={"Software": None})
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": None})


def level(axes: "Axes", y: float, text: str) -> None:
    """A dashed line across the axes, named beside its right end rather than in a legend."""
    axes.axhline(y, color=QUIET, linewidth=1.2, linestyle=(0, (4, 3)), zorder=1)
    axes.annotate(
        text,
        (1, y),
        xycoords=("axes fraction", "data"),
        xytext=(3, 0),
        textcoords="offset points",
        va="center",
        color=QUIET,
        fontsize=8.5,
    )


def legend_above(
    figure: "Figure", axes: "Axes", *, first: str | None = None, most: int | None = None
) -> None:
    """One legend for all axes, outside them, so that it never hides a point; `most` in a row."""
    handles, labels = axes.get_legend_handles_labels()
    named = sorted(zip(labels, handles, strict=True), key=lambda item: item[0] != first)
    figure.legend(
        [handle for _, handle in named],
        [label for label, _ in named],
        loc="outside upper center",
        ncols=most or len(named),
    )


def look(k: int) -> dict[str, Any]:
    """Colour and marker of the k-th curve, for lines with error bars."""
    return {"color": COLOURS[k % 6], "marker": MARKERS[k % 6], "elinewidth": 1.0}


def epsilon_axis(axes: "Axes", epsilons: Sequence[float]) -> None:
    """A linear axis with a tick at each budget."""
    axes.set_xlabel("privacy budget ε")
    axes.set_xticks(list(epsilons), [f"{epsilon:g}" for epsilon in epsilons])
