"""The house style of figures: legible, safe for colour-blind readers, and nothing to spare.

Colours are those of Okabe and Ito (2008); every line also has its own marker, so that no
figure relies on colour alone.  Figures are drawn without a display and come out the same
byte for byte: no dates, no random ids.

Needs matplotlib: `pip install 'sfumato[report]'`.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

__all__ = [
    "COLOURS",
    "INK",
    "MARKERS",
    "QUIET",
    "Drawing",
    "canvas",
    "epsilon_axis",
    "legend_above",
    "level",
    "look",
    "save",
    "style",
]

# Okabe and Ito's eight without black and yellow: yellow is too pale for lines on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P")
INK, QUIET = "#222222", "#6B6B6B"

_RULES: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so every machine draws the same
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.labelcolor": INK,
    "axes.edgecolor": QUIET,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.8,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "figure.dpi": 100,
    "savefig.dpi": 160,
    "savefig.facecolor": "white",
    "svg.fonttype": "none",  # text stays text: it can be searched, read aloud and scaled
    "svg.hashsalt": "sfumato",
}


@dataclass(frozen=True)
class Drawing:
    """A figure, its file name, its title and its text alternative."""

    name: str
    title: str
    text: str
    figure: "Figure"


@contextmanager
def style() -> Iterator[None]:
    """The house style for whatever is drawn and saved inside."""
    try:
        from matplotlib import rc_context
    except ImportError:
        raise MissingExtra("figures need matplotlib: pip install 'sfumato[report]'") from None
    with rc_context(_RULES):  # type: ignore[arg-type]  # names of settings are checked when set
        yield


def canvas(rows: int = 1, columns: int = 1, *, width: float, height: float) -> "Figure":
    """A figure with a grid of axes, apart from any global state."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout=_layout())
    figure.subplots(rows, columns, squeeze=False)
    return figure


def _layout() -> "ConstrainedLayoutEngine":
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    return ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08, wspace=0.03, hspace=0.04)


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


def legend_above(figure: "Figure", axes: "Axes", *, first: str | None = None) -> None:
    """One legend for all axes, outside them, so that it never hides a point."""
    handles, labels = axes.get_legend_handles_labels()
    named = sorted(zip(labels, handles, strict=True), key=lambda item: item[0] != first)
    figure.legend(
        [handle for _, handle in named],
        [label for label, _ in named],
        loc="outside upper center",
        ncols=len(named),
    )


def look(k: int) -> dict[str, Any]:
    """Colour and marker of the k-th curve, for lines with error bars."""
    return {"color": COLOURS[k % 6], "marker": MARKERS[k % 6], "elinewidth": 1.0}


def epsilon_axis(axes: "Axes", epsilons: Sequence[float]) -> None:
    """A linear axis with a tick at each budget."""
    axes.set_xlabel("privacy budget ε")
    axes.set_xticks(list(epsilons), [f"{epsilon:g}" for epsilon in epsilons])
